/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-allocation-count.h"
#include "rdma-fabric-helper.h"
#include "rdma-fabric.h"
#include "rdma-nic.h"
#include "rdma-queue-pair.h"
#include "rdma-topology-builders.h"

#include <ns3/object-factory.h>
#include <ns3/simulator.h>

#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * When packets go out whose rate or window changes while they wait, to the picosecond.
 *
 * Two hosts at one switch, 100 Gb/s, 1 us a cable. The first packet of a WRITE has 1102 bytes and
 * 1122 on the line (8976 bits), those in the middle 1086 and 1106 (8848 bits). The first one is
 * acknowledged after 2 x (1110 B x 80 ps + 1 us) + 2 x (74 B x 80 ps + 1 us) = 4 189 440 ps.
 */

namespace ns3
{
namespace
{

constexpr RdmaPs FIRST_ACK = 4'189'440_ps;
constexpr RdmaBitRate GIGABIT = 1_gbps;

/** Answers of a controller, set by a test. */
struct Script
{
    RdmaBitRate rate{GIGABIT};                           //!< rate now
    uint64_t windowBytes{RdmaRateController::NO_WINDOW}; //!< window now
    RdmaPs rise{RdmaRateController::NEVER};              //!< when the rate rises by itself
    RdmaBitRate risen{0};                                //!< the rate after that rise
    std::function<void(const RdmaAckSample&)> onAck;     //!< called at each acknowledgement
    std::vector<RdmaPs> acks;                            //!< times of the acknowledgements
};

class ScriptedController : public RdmaRateController
{
  public:
    explicit ScriptedController(Script* script)
        : m_script(script)
    {
    }

    RdmaBitRate GetRate(RdmaPs now) override
    {
        return now >= m_script->rise ? m_script->risen : m_script->rate;
    }

    RdmaPs GetNextRise() const override
    {
        return m_script->rise;
    }

    uint64_t GetWindowBytes() const override
    {
        return m_script->windowBytes;
    }

    void OnAck(const RdmaAckSample& sample) override
    {
        m_script->acks.push_back(sample.now);
        if (m_script->onAck)
        {
            m_script->onAck(sample);
        }
    }

  private:
    Script* m_script; //!< answers
};

class ScriptedControl : public RdmaCongestionControl
{
  public:
    std::unique_ptr<RdmaRateController> MakeController(const RdmaPathProfile&) const override
    {
        return std::make_unique<ScriptedController>(script);
    }

    Script* script{nullptr}; //!< answers of all controllers
};

class RdmaPaceTest : public testing::Test
{
  protected:
    void SetUp() override
    {
        ObjectFactory scheduler;
        scheduler.SetTypeId("ns3::HeapScheduler");
        Simulator::SetScheduler(scheduler);
        RdmaTopologyRates rates;
        rates.hostRate = 100 * GIGABIT;
        rates.delay = 1_us;
        m_fabric = RdmaFabricHelper().Install(MakeRdmaStar(2, rates));
        auto control = CreateObject<ScriptedControl>();
        control->script = &m_script;
        m_fabric->GetNic(0)->SetCongestionControl(control);
    }

    void TearDown() override
    {
        Simulator::Destroy();
    }

    /** Posts a WRITE of ten packets and runs. */
    void Run()
    {
        const auto pair = m_fabric->Connect(0, 1);
        pair.first->GetPort()->TraceConnectWithoutContext(
            "PhyTxBegin",
            Callback<void, Ptr<const Packet>>(
                [this](Ptr<const Packet>) { m_sent.push_back(RdmaNow()); }));
        RdmaSendRequest request;
        request.length = 10'240;
        pair.first->PostSend(request);
        Simulator::Run();
        ASSERT_EQ(m_sent.size(), 10U);
        EXPECT_EQ(m_sent[0], 0_ps);
        EXPECT_EQ(m_script.acks[0], FIRST_ACK);
    }

    Script m_script;            //!< answers of the controllers
    Ptr<RdmaFabric> m_fabric;   //!< two hosts and a switch
    std::vector<RdmaPs> m_sent; //!< when packets went out
};

TEST_F(RdmaPaceTest, RateRisesByItself)
{
    // 1 Gb/s; 3 us later 5976 of the 8976 bits are left, 597.6 ns at 10 Gb/s
    m_script.rise = 3_us;
    m_script.risen = 10 * GIGABIT;
    Run();
    EXPECT_EQ(m_sent[1], 3'597'600_ps);
    EXPECT_EQ(m_sent[2], 3'597'600_ps + 884'800_ps);
    EXPECT_EQ(m_sent[9], 3'597'600_ps + 8 * 884'800_ps);
}

TEST_F(RdmaPaceTest, AcknowledgementRaisesTheRate)
{
    // 4189.44 bits are paid for when the acknowledgement comes; 4786.56 at 10 Gb/s: 478.656 ns
    m_script.onAck = [this](const RdmaAckSample&) { m_script.rate = 10 * GIGABIT; };
    Run();
    EXPECT_EQ(m_sent[1], FIRST_ACK + 478'656_ps);
    EXPECT_EQ(m_sent[2], FIRST_ACK + 478'656_ps + 884'800_ps);
}

TEST_F(RdmaPaceTest, AcknowledgementThatPaysAllSendsAtOnce)
{
    // At 100 Gb/s the rest takes 47.8656 ns, as if the line were busy.
    m_script.onAck = [this](const RdmaAckSample&) { m_script.rate = 100 * GIGABIT; };
    Run();
    EXPECT_EQ(m_sent[1], FIRST_ACK + 47'865_ps);
}

TEST_F(RdmaPaceTest, FallingRateLeavesTheWait)
{
    m_script.onAck = [this](const RdmaAckSample&) { m_script.rate = GIGABIT / 2; };
    Run();
    EXPECT_EQ(m_sent[1], 8'976'000_ps);
    EXPECT_EQ(m_sent[2], 8'976'000_ps + 17'696'000_ps);
}

TEST_F(RdmaPaceTest, WindowOpens)
{
    // The pace of 897.6 ns is long over when the one packet that the window holds is acknowledged.
    m_script.rate = 10 * GIGABIT;
    m_script.windowBytes = 1106;
    Run();
    EXPECT_EQ(m_sent[1], FIRST_ACK);
}

TEST_F(RdmaPaceTest, WindowOpensAndTheRateRises)
{
    // The queue pair waits for its window, not its pace; both change with one acknowledgement.
    m_script.windowBytes = 1106;
    m_script.onAck = [this](const RdmaAckSample&) {
        m_script.rate = 10 * GIGABIT;
        m_script.windowBytes = RdmaRateController::NO_WINDOW;
    };
    Run();
    EXPECT_EQ(m_sent[1], FIRST_ACK + 478'656_ps);
    EXPECT_EQ(m_sent[2], FIRST_ACK + 478'656_ps + 884'800_ps);
}

TEST_F(RdmaPaceTest, ResetWhileWaiting)
{
    // The queue pair waits for its pace when it is reset.
    const auto pair = m_fabric->Connect(0, 1);
    RdmaSendRequest request;
    request.length = 10'240;
    pair.first->PostSend(request);
    uint32_t arrived = 0;
    pair.second->TraceConnectWithoutContext(
        "MessageReceived",
        Callback<void, const RdmaMessageArrival&>(
            [&arrived](const RdmaMessageArrival&) { ++arrived; }));
    Simulator::Schedule(NanoSeconds(3000), [&]() {
        for (const auto& qp : {pair.first, pair.second})
        {
            RdmaQpAttributes attributes;
            attributes.state = RdmaQpState::RESET;
            qp->Modify(attributes);
            attributes.state = RdmaQpState::INIT;
            qp->Modify(attributes);
        }
        m_fabric->GetNic(0)->SetCongestionControl(nullptr);
        RdmaQueuePair::ConnectPair(pair.first, pair.second);
    });
    Simulator::Schedule(NanoSeconds(3001), [&]() {
        pair.first->GetPort()->TraceConnectWithoutContext(
            "PhyTxBegin",
            Callback<void, Ptr<const Packet>>(
                [this](Ptr<const Packet>) { m_sent.push_back(RdmaNow()); }));
        pair.first->PostSend(request);
    });
    Simulator::Run();
    EXPECT_EQ(arrived, 1U);
    ASSERT_EQ(m_sent.size(), 10U);
    EXPECT_EQ(m_sent.front(), 3'001_ns) << "not at 8.976 us, which was the old pace";
}

TEST_F(RdmaPaceTest, NoAllocationWhileRatesRiseAndFall)
{
    // Each acknowledgement turns the rate up or down, so that waits are moved again and again.
    m_script.rate = 8 * GIGABIT;
    uint64_t rises = 0;
    m_script.acks.reserve(20'000);
    m_script.onAck = [&](const RdmaAckSample&) {
        rises += m_script.rate == 2 * GIGABIT;
        m_script.rate = m_script.rate == 2 * GIGABIT ? 8 * GIGABIT : 2 * GIGABIT;
    };
    for (uint32_t i = 0; i < 3; ++i)
    {
        RdmaSendRequest request;
        request.length = 100'000'000;
        m_fabric->Connect(0, 1).first->PostSend(request);
    }
    uint64_t before = 0;
    uint64_t after = 0;
    Simulator::Schedule(MicroSeconds(500), [&]() { before = GetRdmaAllocationCount(); });
    Simulator::Schedule(MicroSeconds(2500), [&]() {
        after = GetRdmaAllocationCount();
        Simulator::Stop();
    });
    Simulator::Run();
    EXPECT_GT(rises, 1000U);
    EXPECT_EQ(after, before);
}

} // namespace
} // namespace ns3
