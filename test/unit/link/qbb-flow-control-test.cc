/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-flow-control.h"
#include "rdma-event-order.h"

#include <ns3/simulator.h>

#include <gtest/gtest.h>
#include <vector>

using namespace ns3;

namespace
{

/** A port that records the requests of its flow control. */
class FakePort : public QbbFlowControlPort
{
  public:
    void FlowChanged() override
    {
        ++changes;
    }

    void FlowTimerFired() override
    {
        fired.push_back(RdmaNow());
        flow.Update(RdmaNow());
    }

    uint32_t GetEventOrder(RdmaPs) const override
    {
        return RdmaEventOrder::Ports::FIRST;
    }

    uint32_t changes{0};        //!< calls of FlowChanged()
    std::vector<RdmaPs> fired;  //!< instants of FlowTimerFired()
    QbbFlowControl flow{*this}; //!< the flow control under test
};

/** Flow control at 100 Gb/s: a quantum is 5.12 ns, a pause of 1000 quanta 5.12 us. */
class QbbFlowControlTest : public testing::Test
{
  protected:
    QbbFlowControlTest()
    {
        RdmaSetTimeResolution();
    }

    ~QbbFlowControlTest() override
    {
        Simulator::Destroy();
    }

    /** \param kind of flow control, of class 3 where classes count */
    void Start(QbbFlowControl::Kind kind)
    {
        QbbFlowControl::Settings& settings = m_port.flow.GetSettings();
        settings.kind = kind;
        settings.classes = 1U << 3;
        settings.quanta = 1000;
        settings.reaction = 1_us;
        m_port.flow.Start(RdmaLineRate(100_gbps));
    }

    /** \param classes classes of the frame \param quanta pause of each class \return a PFC frame */
    QbbFramePtr MakePfc(uint8_t classes, uint16_t quanta)
    {
        QbbFramePtr frame = m_pool.Allocate();
        frame->type = QbbFrameType::PFC;
        frame->classEnable = classes;
        frame->quanta.fill(quanta);
        return frame;
    }

    QbbFramePool m_pool; //!< frames
    FakePort m_port;     //!< the port
};

} // namespace

TEST_F(QbbFlowControlTest, APauseIsRepeatedUntilItIsTakenBack)
{
    Start(QbbFlowControl::PFC);
    QbbFlowControl& flow = m_port.flow;
    flow.RequestPause(3, true);
    EXPECT_EQ(m_port.changes, 1U);
    ASSERT_TRUE(flow.IsPending());
    const QbbFlowControl::Pauses pauses = flow.Take(0_ps);
    EXPECT_EQ(pauses.classes, 1U << 3);
    EXPECT_EQ(pauses.quanta[3], 1000);
    EXPECT_FALSE(flow.IsPending());
    // Half of the pause's length later a frame is due again.
    Simulator::Stop(RdmaToTime(3_us));
    Simulator::Run();
    EXPECT_EQ(m_port.fired, std::vector<RdmaPs>{2'560_ns});
    EXPECT_TRUE(flow.IsPending());
    flow.RequestPause(3, false);
    EXPECT_EQ(flow.Take(3_us).quanta[3], 0);
}

TEST_F(QbbFlowControlTest, PlainPausesStopAllClassesWhileOneWantsIt)
{
    Start(QbbFlowControl::PAUSE);
    QbbFlowControl& flow = m_port.flow;
    EXPECT_EQ(flow.GetLosslessClasses(), 0xff);
    flow.RequestPause(3, true);
    QbbFramePtr frame = m_pool.Allocate();
    flow.Fill(flow.Take(0_ps), *frame);
    EXPECT_EQ(frame->type, QbbFrameType::PAUSE);
    EXPECT_EQ(frame->quanta[0], 1000);
    EXPECT_EQ(frame->classEnable, 0);
    flow.RequestPause(5, true);
    flow.RequestPause(3, false);
    EXPECT_FALSE(flow.IsPending()) << "class 5 still wants it";
    flow.RequestPause(5, false);
    ASSERT_TRUE(flow.IsPending());
    frame = m_pool.Allocate();
    flow.Fill(flow.Take(0_ps), *frame);
    EXPECT_EQ(frame->quanta[0], 0);
}

TEST_F(QbbFlowControlTest, WithoutFlowControlNothingIsSentOrHeeded)
{
    Start(QbbFlowControl::NONE);
    QbbFlowControl& flow = m_port.flow;
    EXPECT_EQ(flow.GetLosslessClasses(), 0);
    flow.RequestPause(3, true);
    EXPECT_FALSE(flow.IsPending());
    const QbbFlowControl::Pauses pauses = flow.Read(*MakePfc(1U << 3, 100));
    EXPECT_EQ(pauses.classes, 0);
    EXPECT_TRUE(pauses.ignored);
}

TEST_F(QbbFlowControlTest, APauseTakesEffectAfterTheReactionDelay)
{
    Start(QbbFlowControl::PFC);
    QbbFlowControl& flow = m_port.flow;
    const QbbFlowControl::Pauses pauses = flow.Read(*MakePfc(0xff, 1000));
    EXPECT_EQ(pauses.classes, 1U << 3);
    EXPECT_TRUE(pauses.ignored) << "the other classes are not lossless";
    EXPECT_FALSE(flow.Accept(pauses, 0_ps));
    flow.ArmTimers();
    EXPECT_EQ(flow.GetPauseReceiver().GetPaused(), 0);
    Simulator::Stop(RdmaToTime(2_us));
    Simulator::Run();
    EXPECT_EQ(m_port.fired, std::vector<RdmaPs>{1_us});
    EXPECT_EQ(flow.GetPauseReceiver().GetPaused(), 1U << 3);
    // The pause runs out 5.12 us after it takes effect.
    Simulator::Run();
    EXPECT_EQ(m_port.fired, (std::vector<RdmaPs>{1_us, 6'120_ns}));
    EXPECT_EQ(flow.GetPauseReceiver().GetPaused(), 0);
    EXPECT_EQ(flow.GetResumed(3), 6'120_ns);
}

TEST_F(QbbFlowControlTest, ALinkThatGoesDownForgetsPauses)
{
    Start(QbbFlowControl::PFC);
    QbbFlowControl& flow = m_port.flow;
    flow.RequestPause(3, true);
    flow.Take(0_ps);
    flow.Accept(flow.Read(*MakePfc(1U << 3, 1000)), 0_ps);
    flow.Update(1_us);
    EXPECT_EQ(flow.GetPauseReceiver().GetPaused(), 1U << 3);
    EXPECT_TRUE(flow.IsActive());
    flow.Accept(flow.Read(*MakePfc(1U << 3, 1000)), 1_us);
    flow.Reset(1_us);
    EXPECT_EQ(flow.GetPauseReceiver().GetPaused(), 0);
    flow.Update(3_us);
    EXPECT_EQ(flow.GetPauseReceiver().GetPaused(), 0)
        << "nor does a pause that was on its way take effect";
}
