/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-buffer-manager.h"

#include <gtest/gtest.h>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * Frames that leave the buffer at once, with a policy whose decisions the test sets.
 */

using namespace ns3;

namespace
{

/** A policy with one pool of 10000 bytes, and with a reserve of 200 bytes and headroom of 3000
 * bytes for each group. */
class PassingBuffer : public QbbBufferManager
{
  public:
    QbbBufferDecision m_decision{QbbBufferDecision::Share()}; //!< return value of DoAdmit()

  private:
    Layout DoConfigure(const std::vector<QbbPortProfile>& ports) override
    {
        Layout layout = MakeOnePool(ports, 10'000);
        for (Group& group : layout.groups)
        {
            group.headroomLimit = 3000;
            group.reserveLimit = 200;
            layout.memoryBytes += 200;
        }
        layout.pools[0].headroomSize = 3000;
        layout.memoryBytes += 3000;
        return layout;
    }

    QbbBufferDecision DoAdmit(const Group&, const Queue&, uint32_t) override
    {
        return m_decision;
    }

    XonNeed DoGetXonNeed(const Group&, const Pool&) const override
    {
        return {QbbBufferManager::NEVER};
    }
};

/** A policy that hears of each frame that leaves. */
class HearingBuffer : public PassingBuffer
{
  public:
    uint32_t m_left{0}; //!< calls of DoRelease()

  private:
    void DoRelease(const Group&, const Queue&, uint32_t) override
    {
        ++m_left;
    }
};

/** A buffer of three ports whose class 3 is lossless, and through which a frame has gone. */
template <typename Buffer>
Ptr<Buffer>
MakeUsed()
{
    const auto buffer = CreateObject<Buffer>();
    QbbPortProfile port;
    port.losslessMask = 1 << 3;
    buffer->Configure(std::vector<QbbPortProfile>(3, port));
    // The first release shows the base class whether the policy has its own DoRelease().
    EXPECT_FALSE(buffer->Admit(0, 1, 3, 1, true).passed);
    EXPECT_FALSE(buffer->Release(0, 1, 3, 1));
    return buffer;
}

QbbBufferDecision
Decide(QbbBufferDecision::Place place, uint32_t reserved, bool pause = false)
{
    QbbBufferDecision decision;
    decision.place = place;
    decision.value = reserved;
    decision.pause = pause;
    return decision;
}

} // namespace

TEST(QbbPassingFrames, ChangeThePeaksAlone)
{
    const auto buffer = MakeUsed<PassingBuffer>();
    EXPECT_TRUE(buffer->Admit(1, 2, 3, 700).admitted);
    buffer->m_decision = Decide(QbbBufferDecision::SHARED, 150);
    const QbbAdmission answer = buffer->Admit(0, 1, 3, 1000, true);
    EXPECT_TRUE(answer.admitted);
    EXPECT_TRUE(answer.passed);
    EXPECT_FALSE(answer.xoff);
    EXPECT_EQ(buffer->GetIngress(0, 3).bytes, 0U);
    EXPECT_EQ(buffer->GetIngress(0, 3).peakBytes, 1000U);
    EXPECT_EQ(buffer->GetEgressBytes(1, 3), 0U);
    EXPECT_EQ(buffer->GetUsage().usedBytes, 700U);
    EXPECT_EQ(buffer->GetUsage().peakUsedBytes, 1700U);
    EXPECT_TRUE(buffer->Admit(0, 1, 3, 400, true).passed);
    EXPECT_EQ(buffer->GetIngress(0, 3).peakBytes, 1000U);
    EXPECT_EQ(buffer->GetUsage().peakUsedBytes, 1700U);
    EXPECT_FALSE(buffer->Admit(0, 1, 3, 400).passed) << "stays";
}

// A frame in the reserve that leaves takes its bytes out of the shared part if there are such
// bytes.
TEST(QbbPassingFrames, AreChargedIfTheyLeaveBytesElsewhere)
{
    const auto buffer = MakeUsed<PassingBuffer>();
    EXPECT_TRUE(buffer->Admit(0, 1, 3, 1000).admitted);
    EXPECT_TRUE(buffer->Admit(0, 1, 3, 500, true).passed);
    buffer->m_decision = Decide(QbbBufferDecision::SHARED, 150);
    const QbbAdmission answer = buffer->Admit(0, 1, 3, 500, true);
    EXPECT_TRUE(answer.admitted);
    EXPECT_FALSE(answer.passed);
    EXPECT_FALSE(buffer->Release(0, 1, 3, 500));
    EXPECT_EQ(buffer->GetIngress(0, 3).reservedBytes, 150U);
    EXPECT_EQ(buffer->GetIngress(0, 3).sharedBytes, 850U);
}

TEST(QbbPassingFrames, AreChargedIfThereIsHeadroomInUse)
{
    const auto buffer = MakeUsed<PassingBuffer>();
    buffer->m_decision = Decide(QbbBufferDecision::HEADROOM, 0);
    EXPECT_FALSE(buffer->Admit(0, 1, 3, 300, true).passed);
    buffer->m_decision = Decide(QbbBufferDecision::SHARED, 0);
    EXPECT_FALSE(buffer->Admit(0, 1, 3, 300, true).passed);
    EXPECT_EQ(buffer->GetIngress(0, 3).bytes, 600U);
    EXPECT_TRUE(buffer->Admit(1, 2, 3, 300, true).passed) << "headroom of another group";
}

TEST(QbbPassingFrames, AreChargedIfPausesChange)
{
    const auto buffer = MakeUsed<PassingBuffer>();
    EXPECT_TRUE(buffer->Admit(1, 2, 3, 700).admitted);
    buffer->m_decision = Decide(QbbBufferDecision::SHARED, 0, true);
    const QbbAdmission answer = buffer->Admit(0, 1, 3, 500, true);
    EXPECT_TRUE(answer.xoff);
    EXPECT_FALSE(answer.passed);
    buffer->m_decision.pause = false;
    EXPECT_FALSE(buffer->Admit(2, 1, 3, 500, true).passed) << "a paused group may resume";
}

TEST(QbbPassingFrames, AreChargedIfThePolicyHearsOfThem)
{
    const auto buffer = MakeUsed<HearingBuffer>();
    EXPECT_EQ(buffer->m_left, 1U);
    EXPECT_FALSE(buffer->Admit(0, 1, 3, 500, true).passed);
    EXPECT_FALSE(buffer->Release(0, 1, 3, 500));
    EXPECT_EQ(buffer->m_left, 2U);
}

TEST(QbbPassingFramesDeathTest, MustFit)
{
    const auto buffer = MakeUsed<PassingBuffer>();
    EXPECT_TRUE(buffer->Admit(0, 1, 3, 10'000, true).passed);
    EXPECT_DEATH(buffer->Admit(0, 1, 3, 10'001, true), "shared 10001 of 10000");
    buffer->m_decision = Decide(QbbBufferDecision::SHARED, 201);
    EXPECT_DEATH(buffer->Admit(0, 1, 3, 500, true), "reserve 201 of 200");
}
