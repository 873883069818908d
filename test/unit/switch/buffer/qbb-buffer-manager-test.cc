/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-buffer-manager.h"
#include "rdma-allocation-count.h"

#include <ns3/uinteger.h>

#include <gtest/gtest.h>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * The parts of QbbBufferManager that all policies share, with a policy that the test controls.
 */

using namespace ns3;

namespace
{

/** A policy whose layout and decisions are set by the test. */
class ToyBuffer : public QbbBufferManager
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::ToyBuffer")
                                .SetParent<QbbBufferManager>()
                                .AddConstructor<ToyBuffer>()
                                .AddAttribute("Size",
                                              "Memory, in bytes.",
                                              UintegerValue(10'000),
                                              MakeAttribute<UintegerValue, &ToyBuffer::m_size>(),
                                              MakeUintegerChecker<uint32_t>());
        return tid;
    }

    using QbbBufferManager::Layout;

    /**
     * \param place place of the next frames
     * \param pause true if these frames cause a pause
     * \param reserved bytes of each frame in the reserve
     */
    void Decide(QbbBufferDecision::Place place, bool pause = false, uint32_t reserved = 0)
    {
        m_decision.place = place;
        m_decision.pause = pause;
        m_decision.value = reserved;
    }

    QbbBufferDecision m_decision;               //!< return value of DoAdmit()
    uint64_t m_need{0};                         //!< return value of DoGetXonNeed()
    uint32_t m_headroom{3000};                  //!< headroom of the pool and of each group
    uint32_t m_reserve{0};                      //!< reserve of each group
    std::vector<std::vector<uint32_t>> m_left;  //!< arguments of DoRelease()
    void (*m_change)(Layout& layout) = nullptr; //!< last change of the layout

  private:
    Layout DoConfigure(const std::vector<QbbPortProfile>& ports) override
    {
        Layout layout = MakeOnePool(ports, m_size);
        for (Group& group : layout.groups)
        {
            group.headroomLimit = m_headroom;
            group.reserveLimit = m_reserve;
            layout.memoryBytes += m_reserve;
        }
        layout.pools[0].headroomSize = m_headroom;
        layout.memoryBytes += m_headroom;
        if (m_change)
        {
            m_change(layout);
        }
        return layout;
    }

    QbbBufferDecision DoAdmit(const Group&, const Queue&, uint32_t) override
    {
        return m_decision;
    }

    void DoRelease(const Group& group, const Queue& queue, uint32_t bytes) override
    {
        m_left.push_back({GetIndex(group), GetIndex(queue), bytes});
    }

    XonNeed DoGetXonNeed(const Group&, const Pool&) const override
    {
        return {m_need};
    }

    uint32_t m_size{10'000}; //!< attribute Size
};

NS_OBJECT_ENSURE_REGISTERED(ToyBuffer);

/** A buffer of three ports whose class 3 is lossless. */
class QbbBufferManagerTest : public testing::Test
{
  protected:
    void Configure()
    {
        QbbPortProfile port;
        port.losslessMask = 1 << 3;
        buffer->Configure(std::vector<QbbPortProfile>(3, port));
    }

    Ptr<ToyBuffer> buffer{CreateObject<ToyBuffer>()}; //!< the buffer under test
};

using QbbBufferManagerDeathTest = QbbBufferManagerTest;

} // namespace

TEST_F(QbbBufferManagerTest, BooksAndPeaks)
{
    buffer->m_reserve = 200;
    Configure();
    EXPECT_EQ(buffer->GetNPorts(), 3U);
    EXPECT_TRUE(buffer->IsEmpty());
    EXPECT_EQ(buffer->GetUsage().sizeBytes, 10'000U + 3000U + 24U * 200U);
    EXPECT_EQ(buffer->GetUsage().reservedSize, 24U * 200U);

    buffer->Decide(QbbBufferDecision::SHARED, false, 150);
    EXPECT_TRUE(buffer->Admit(0, 1, 3, 1000).admitted);
    buffer->Decide(QbbBufferDecision::HEADROOM, true);
    const QbbAdmission second = buffer->Admit(0, 2, 3, 500);
    EXPECT_TRUE(second.admitted);
    EXPECT_TRUE(second.xoff);
    EXPECT_FALSE(buffer->Admit(0, 2, 3, 500).xoff) << "paused once";

    QbbIngressUsage group = buffer->GetIngress(0, 3);
    EXPECT_EQ(group.bytes, 2000U);
    EXPECT_EQ(group.reservedBytes, 150U);
    EXPECT_EQ(group.sharedBytes, 850U);
    EXPECT_EQ(group.headroomBytes, 1000U);
    EXPECT_TRUE(group.paused);
    EXPECT_EQ(buffer->GetEgressBytes(1, 3), 1000U);
    EXPECT_EQ(buffer->GetEgressBytes(2, 3), 1000U);
    const QbbBufferUsage usage = buffer->GetUsage();
    EXPECT_EQ(usage.usedBytes, 2000U);
    EXPECT_EQ(usage.reservedBytes + usage.sharedBytes + usage.headroomBytes, usage.usedBytes);

    // Headroom goes first, the reserve last.
    buffer->m_need = QbbBufferManager::NEVER;
    EXPECT_FALSE(buffer->Release(0, 2, 3, 500));
    EXPECT_FALSE(buffer->Release(0, 1, 3, 1000));
    group = buffer->GetIngress(0, 3);
    EXPECT_EQ(group.bytes, 500U);
    EXPECT_EQ(group.headroomBytes, 0U);
    EXPECT_EQ(group.reservedBytes, 150U);
    EXPECT_EQ(group.peakBytes, 2000U);
    EXPECT_EQ(group.peakHeadroomBytes, 1000U);
    EXPECT_EQ(buffer->GetUsage().peakUsedBytes, 2000U);
    EXPECT_EQ(buffer->GetUsage().peakHeadroomBytes, 1000U);
    const auto reader = buffer->AddPeakReader();
    const QbbIngressPeaks peaks = buffer->ReadPeaks(reader)[3];
    EXPECT_EQ(peaks.bytes, 500U);
    EXPECT_EQ(peaks.headroomBytes, 0U);
    EXPECT_EQ(buffer->GetIngress(0, 3).peakBytes, 2000U) << "the peak of the run";
    EXPECT_EQ(buffer->GetIngress(0, 3).peakHeadroomBytes, 1000U);

    buffer->m_need = 0;
    EXPECT_TRUE(buffer->Release(0, 2, 3, 500));
    EXPECT_EQ(buffer->TakeResumed()->priority, 3);
    EXPECT_FALSE(buffer->TakeResumed());
    EXPECT_TRUE(buffer->IsEmpty());
    const std::vector<std::vector<uint32_t>> left{{3, 19, 500}, {3, 11, 1000}, {3, 19, 500}};
    EXPECT_EQ(buffer->m_left, left) << "DoRelease() hears of all";
}

TEST_F(QbbBufferManagerTest, PausesThatCanEnd)
{
    Configure();
    buffer->Decide(QbbBufferDecision::DROP, true);
    EXPECT_FALSE(buffer->Admit(0, 1, 3, 1000).xoff) << "nobody could resume it";
    buffer->Decide(QbbBufferDecision::SHARED);
    EXPECT_TRUE(buffer->Admit(1, 2, 3, 4000).admitted);
    buffer->Decide(QbbBufferDecision::DROP, true);
    EXPECT_TRUE(buffer->Admit(0, 1, 3, 1000).xoff);
    EXPECT_FALSE(buffer->Admit(0, 1, 3, 1000).xoff);
    EXPECT_TRUE(buffer->IsPaused(0, 3));
    EXPECT_FALSE(buffer->IsEmpty());
    buffer->Decide(QbbBufferDecision::HEADROOM, true);
    EXPECT_TRUE(buffer->Admit(2, 1, 3, 2000).xoff);

    // Both wait for 9000 free bytes, which there are when 3000 of 4000 have left.
    buffer->m_need = 9000;
    std::vector<uint64_t> stuck(3 * 8);
    EXPECT_TRUE(buffer->MayResume(2, 3, stuck));
    stuck[8 + 3] = 4000;
    EXPECT_FALSE(buffer->MayResume(2, 3, stuck));
    EXPECT_FALSE(buffer->Release(2, 1, 3, 1));
    EXPECT_FALSE(buffer->Release(1, 2, 3, 2000));
    // The one that was paused first resumes first. Then 1999 bytes of headroom need room, too.
    EXPECT_TRUE(buffer->Release(1, 2, 3, 1000));
    EXPECT_EQ(buffer->TakeResumed()->port, 0);
    EXPECT_EQ(buffer->TakeResumed()->port, 2);
    EXPECT_FALSE(buffer->TakeResumed());
    EXPECT_EQ(buffer->GetIngress(2, 3).headroomBytes, 0U);
    EXPECT_EQ(buffer->GetIngress(2, 3).sharedBytes, 1999U);
    EXPECT_EQ(buffer->GetUsage().usedBytes, 2999U);
}

TEST_F(QbbBufferManagerTest, HeadroomMovesOnlyWhereThereIsRoom)
{
    Configure();
    buffer->Decide(QbbBufferDecision::SHARED);
    EXPECT_TRUE(buffer->Admit(0, 1, 3, 9000).admitted);
    buffer->Decide(QbbBufferDecision::HEADROOM, true);
    EXPECT_TRUE(buffer->Admit(1, 1, 3, 2000).admitted);
    buffer->Decide(QbbBufferDecision::SHARED);
    EXPECT_TRUE(buffer->Admit(2, 1, 0, 500).admitted);
    EXPECT_FALSE(buffer->Release(2, 1, 0, 500)) << "1000 bytes are free, 2000 have to move";
    EXPECT_TRUE(buffer->Release(0, 1, 3, 9000));
}

TEST_F(QbbBufferManagerTest, CellsAndOrderOfClasses)
{
    buffer->m_change = [](ToyBuffer::Layout& layout) {
        layout.cellBytes = 64;
        layout.resumesByClass = true;
    };
    Configure();
    buffer->Decide(QbbBufferDecision::SHARED, true);
    EXPECT_TRUE(buffer->Admit(1, 0, 5, 65).xoff);
    EXPECT_TRUE(buffer->Admit(1, 0, 2, 64).xoff);
    EXPECT_EQ(buffer->GetUsage().usedBytes, 3U * 64U);
    EXPECT_TRUE(buffer->Release(1, 0, 5, 65));
    EXPECT_EQ(buffer->TakeResumed()->priority, 2);
    EXPECT_EQ(buffer->TakeResumed()->priority, 5);
    EXPECT_FALSE(buffer->IsPaused(1, 2));
    EXPECT_FALSE(buffer->Release(1, 0, 2, 64));
    EXPECT_TRUE(buffer->IsEmpty());
}

TEST_F(QbbBufferManagerTest, PushOutNamesTheVictim)
{
    Configure();
    buffer->m_decision = QbbBufferDecision::PushOut(8 * 2 + 5);
    const QbbAdmission answer = buffer->Admit(0, 1, 0, 1000);
    EXPECT_FALSE(answer.admitted);
    EXPECT_FALSE(answer.xoff);
    EXPECT_TRUE(answer.pushOut);
    EXPECT_EQ(answer.victimPort, 2);
    EXPECT_EQ(answer.victimPriority, 5);
    EXPECT_TRUE(buffer->IsEmpty()) << "nothing is charged";
}

TEST_F(QbbBufferManagerTest, NothingIsAllocated)
{
    Configure();
    buffer->m_left.reserve(100);
    buffer->Decide(QbbBufferDecision::SHARED);
    const uint64_t before = GetRdmaAllocationCount();
    for (int i = 0; i < 5; ++i)
    {
        buffer->Admit(0, 1, 0, 1000);
    }
    EXPECT_EQ(GetRdmaAllocationCount(), before);
}

TEST_F(QbbBufferManagerDeathTest, TooMuchIsAdmitted)
{
    Configure();
    buffer->Decide(QbbBufferDecision::SHARED);
    EXPECT_TRUE(buffer->Admit(0, 1, 0, 10'000).admitted);
    EXPECT_DEATH(buffer->Admit(2, 1, 0, 1),
                 "admits more than there is: port 2, group 0: .*shared 10001 of 10000");
    buffer->Decide(QbbBufferDecision::HEADROOM);
    EXPECT_DEATH(buffer->Admit(2, 1, 3, 3001), "its pool: .*headroom 3001 of 3000");
    buffer->Decide(QbbBufferDecision::HEADROOM, false, 1);
    EXPECT_DEATH(buffer->Admit(2, 1, 3, 1), "reserve 1 of 0");
}

TEST_F(QbbBufferManagerDeathTest, Misuse)
{
    Configure();
    buffer->m_decision = QbbBufferDecision::PushOut(24);
    EXPECT_DEATH(buffer->Admit(0, 1, 0, 64),
                 "ToyBuffer: a frame of queue 24 is to be pushed out; accepted: below 24");
    buffer->Decide(QbbBufferDecision::SHARED);
    buffer->Admit(0, 1, 3, 1000);
    EXPECT_DEATH(buffer->Release(0, 1, 3, 1001), "ToyBuffer: 1001 bytes of priority 3 released");
    EXPECT_DEATH(buffer->Release(0, 2, 3, 1000), "the one holds 1000 and the other 0");
    EXPECT_DEATH(Configure(), "ToyBuffer: configured while it holds frames");
    EXPECT_DEATH(buffer->GetIngress(3, 0), "ToyBuffer: port 3.*ports below 3");
    buffer->SetRunning();
    EXPECT_DEATH(buffer->SetAttribute("Size", UintegerValue(1)), "attribute of a ns3::ToyBuffer");
}

TEST_F(QbbBufferManagerDeathTest, Layouts)
{
    buffer->m_change = [](ToyBuffer::Layout& layout) { layout.memoryBytes -= 1; };
    EXPECT_DEATH(Configure(), "headroom of 13000 bytes in a memory of 12999");
    buffer->m_change = [](ToyBuffer::Layout& layout) { layout.groups.pop_back(); };
    EXPECT_DEATH(Configure(), "23 groups and 24 queues");
    buffer->m_change = [](ToyBuffer::Layout& layout) { layout.groups[5].pool = 1; };
    EXPECT_DEATH(Configure(), "a group of pool 1");
    buffer->m_change = [](ToyBuffer::Layout& layout) { layout.queues[5].pool = 2; };
    EXPECT_DEATH(Configure(), "a queue of pool 2");
    buffer->m_change = [](ToyBuffer::Layout& layout) {
        layout.groups.resize(8);
        layout.queues.resize(8);
    };
    EXPECT_DEATH(Configure(), "a layout for 1 ports; the switch has 3");
}
