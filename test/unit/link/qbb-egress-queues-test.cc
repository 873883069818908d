/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-egress-queues.h"

#include <array>
#include <deque>
#include <gtest/gtest.h>
#include <random>

/**
 * \file
 * \ingroup rdma-tests
 * Frames that wait to leave a port: order, lengths, and peaks.
 */

using namespace ns3;

namespace
{

/** Queues, and frames for them. */
class QbbEgressQueuesTest : public testing::Test
{
  protected:
    /** \param priority class \param size bytes \param ingress port at which the frame arrived */
    QbbFramePtr MakeFrame(uint8_t priority, uint32_t size, uint16_t ingress = 0)
    {
        QbbFramePtr frame = m_pool.Allocate();
        frame->priority = priority;
        frame->size = size;
        frame->ingressPort = ingress;
        return frame;
    }

    QbbFramePool m_pool;      //!< frames; outlives the queues
    QbbEgressQueues m_queues; //!< the queues under test
};

} // namespace

TEST_F(QbbEgressQueuesTest, FirstInFirstOut)
{
    EXPECT_EQ(m_queues.GetClasses(), 0);
    m_queues.Push(MakeFrame(3, 100));
    m_queues.Push(MakeFrame(5, 200));
    m_queues.Push(MakeFrame(3, 300));
    EXPECT_EQ(m_queues.GetClasses(), (1 << 3) | (1 << 5));
    EXPECT_EQ(m_queues.GetBytes(3), 400U);
    EXPECT_EQ(m_queues.GetFrames(3), 2U);
    EXPECT_EQ(m_queues.GetFrame(3, 1).size, 300U);
    EXPECT_EQ(m_queues.Pop(3)->size, 100U);
    EXPECT_EQ(m_queues.Pop(3)->size, 300U);
    EXPECT_EQ(m_queues.GetClasses(), 1 << 5);
    EXPECT_EQ(m_queues.GetBytes(3), 0U);
    EXPECT_EQ(m_queues.GetBytes(5), 200U);
}

TEST_F(QbbEgressQueuesTest, LastOut)
{
    EXPECT_EQ(m_queues.PopLast(2), nullptr);
    m_queues.Push(MakeFrame(2, 100));
    m_queues.Push(MakeFrame(2, 64));
    EXPECT_EQ(m_queues.PopLast(2)->size, 64U);
    EXPECT_EQ(m_queues.GetClasses(), 1 << 2);
    EXPECT_EQ(m_queues.PopLast(2)->size, 100U);
    EXPECT_EQ(m_queues.GetClasses(), 0);
    EXPECT_EQ(m_queues.GetBytes(2), 0U);
}

TEST_F(QbbEgressQueuesTest, WhatWaitsElsewhereCounts)
{
    m_queues.Push(MakeFrame(3, 100));
    m_queues.AddWaiting(3, 1000);
    m_queues.AddWaiting(3, 500);
    EXPECT_EQ(m_queues.GetBytes(3), 1600U);
    EXPECT_EQ(m_queues.GetFrames(3), 3U);
    EXPECT_EQ(m_queues.GetBytesHere(3), 100U);
    EXPECT_EQ(m_queues.GetFramesHere(3), 1U);
    m_queues.RemoveWaiting(3, 1000);
    EXPECT_EQ(m_queues.GetBytes(3), 600U);
    EXPECT_EQ(m_queues.GetFrames(3), 2U);
    EXPECT_EQ(m_queues.GetPeakBytes(3), 1600U);
    EXPECT_EQ(m_queues.GetClasses(), 1 << 3) << "what waits elsewhere is not ready here";
    m_queues.Pop(3);
    EXPECT_EQ(m_queues.GetClasses(), 0);
    EXPECT_EQ(m_queues.GetBytes(3), 500U);
}

TEST_F(QbbEgressQueuesTest, BytesByIngressPort)
{
    m_queues.Push(MakeFrame(3, 100, 1));
    m_queues.Push(MakeFrame(3, 200, 2));
    m_queues.Push(MakeFrame(3, 400, 1));
    m_queues.Push(MakeFrame(4, 800, 1));
    EXPECT_EQ(m_queues.GetBytesFrom(3, 1), 500U);
    EXPECT_EQ(m_queues.GetBytesFrom(3, 2), 200U);
    EXPECT_EQ(m_queues.GetBytesFrom(3, 3), 0U);
    EXPECT_EQ(m_queues.GetBytesFrom(4, 1), 800U);
}

TEST_F(QbbEgressQueuesTest, Peaks)
{
    m_queues.Push(MakeFrame(3, 100));
    m_queues.Push(MakeFrame(3, 200));
    m_queues.Pop(3);
    EXPECT_EQ(m_queues.TakePeaks()[3], 300U);
    EXPECT_EQ(m_queues.GetPeakBytes(3), 300U) << "the longest ever";
    EXPECT_EQ(m_queues.TakePeaks()[3], 200U) << "the present length";
    m_queues.Push(MakeFrame(3, 50));
    EXPECT_EQ(m_queues.GetPeakBytes(3), 300U);
    EXPECT_EQ(m_queues.TakePeaks()[3], 250U);
    m_queues.Push(MakeFrame(3, 500));
    EXPECT_EQ(m_queues.GetPeakBytes(3), 750U);
    EXPECT_EQ(m_queues.GetPeakBytes(4), 0U);
}

TEST_F(QbbEgressQueuesTest, Clear)
{
    m_queues.Push(MakeFrame(3, 100));
    m_queues.AddWaiting(4, 100);
    m_queues.Clear();
    EXPECT_EQ(m_queues.GetClasses(), 0);
    EXPECT_EQ(m_queues.GetBytes(3) + m_queues.GetBytes(4), 0U);
    EXPECT_EQ(m_queues.GetFrames(3) + m_queues.GetFrames(4), 0U);
}

TEST_F(QbbEgressQueuesTest, AsALotOfDeques)
{
    std::mt19937_64 random(7);
    std::array<std::deque<uint32_t>, 8> model;
    for (int i = 0; i < 20'000; ++i)
    {
        const auto priority = static_cast<uint8_t>(random() % 8);
        auto& queue = model[priority];
        const uint64_t what = random() % 8;
        if (what < 4)
        {
            const auto size = static_cast<uint32_t>(64 + random() % 1500);
            queue.push_back(size);
            m_queues.Push(MakeFrame(priority, size));
        }
        else if (what < 7 && !queue.empty())
        {
            ASSERT_EQ(m_queues.Pop(priority)->size, queue.front());
            queue.pop_front();
        }
        else if (!queue.empty())
        {
            ASSERT_EQ(m_queues.PopLast(priority)->size, queue.back());
            queue.pop_back();
        }
        uint64_t bytes = 0;
        for (const uint32_t size : queue)
        {
            bytes += size;
        }
        ASSERT_EQ(m_queues.GetBytes(priority), bytes);
        ASSERT_EQ(m_queues.GetFrames(priority), queue.size());
        ASSERT_EQ(m_queues.GetClasses() >> priority & 1, !queue.empty());
    }
}
