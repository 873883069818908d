/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-allocation-count.h"
#include "rdma-ring-buffer.h"

#include <deque>
#include <gtest/gtest.h>
#include <memory>
#include <random>

using namespace ns3;

TEST(RdmaRingBuffer, FirstInFirstOut)
{
    RdmaRingBuffer<int> ring;
    EXPECT_TRUE(ring.IsEmpty());
    EXPECT_EQ(ring.GetSize(), 0U);
    for (int i = 1; i <= 5; ++i) // the fifth makes it grow from 4 places to 8
    {
        ring.Push(int{i});
        EXPECT_EQ(ring.Front(), 1);
        EXPECT_EQ(ring.Back(), i);
    }
    EXPECT_EQ(ring.GetSize(), 5U);
    EXPECT_EQ(ring.Pop(), 1);
    EXPECT_EQ(ring.Pop(), 2);
    EXPECT_EQ(ring[0], 3);
    EXPECT_EQ(ring[2], 5);
    ring.Back() = 50;
    ring.Front() = 30;
    ring[1] = 40;
    const auto& constant = ring;
    EXPECT_EQ(constant.Front(), 30);
    EXPECT_EQ(constant[1], 40);
    EXPECT_EQ(constant[2], 50);
    ring.Clear();
    EXPECT_TRUE(ring.IsEmpty());
    ring.Push(7);
    EXPECT_EQ(ring.Pop(), 7);
}

TEST(RdmaRingBuffer, GrowsWhileWrappedAround)
{
    // Four places; two go out and two more come in, so that 3, 4 lie behind 5, 6; then it grows.
    RdmaRingBuffer<int> ring;
    for (int i = 1; i <= 4; ++i)
    {
        ring.Push(int{i});
    }
    ring.Pop();
    ring.Pop();
    for (int i = 5; i <= 7; ++i)
    {
        ring.Push(int{i});
    }
    EXPECT_EQ(ring.GetSize(), 5U);
    for (int i = 3; i <= 7; ++i)
    {
        EXPECT_EQ(ring[0], i);
        EXPECT_EQ(ring.Pop(), i);
    }
    EXPECT_TRUE(ring.IsEmpty());
}

TEST(RdmaRingBuffer, RandomAgainstDeque)
{
    std::mt19937_64 random(3);
    RdmaRingBuffer<uint64_t> ring;
    std::deque<uint64_t> reference;
    for (int i = 0; i < 200000; ++i)
    {
        // phases in which it mostly grows, and in which it mostly shrinks
        const bool push = random() % 100 < ((i / 5000) % 2 ? 30 : 70);
        if (push || reference.empty())
        {
            const uint64_t value = random();
            ring.Push(uint64_t{value});
            reference.push_back(value);
        }
        else
        {
            ASSERT_EQ(ring.Pop(), reference.front());
            reference.pop_front();
        }
        ASSERT_EQ(ring.GetSize(), reference.size());
        ASSERT_EQ(ring.IsEmpty(), reference.empty());
        if (!reference.empty())
        {
            ASSERT_EQ(ring.Front(), reference.front());
            ASSERT_EQ(ring.Back(), reference.back());
            const std::size_t place = random() % reference.size();
            ASSERT_EQ(ring[place], reference[place]);
        }
    }
}

TEST(RdmaRingBuffer, OwnsWhatIsInIt)
{
    auto shared = std::make_shared<int>(1);
    {
        RdmaRingBuffer<std::shared_ptr<int>> ring;
        for (int i = 0; i < 10; ++i)
        {
            ring.Push(std::shared_ptr<int>(shared));
        }
        EXPECT_EQ(shared.use_count(), 11);
        // A value that was taken out is not kept in its place.
        ring.Pop();
        EXPECT_EQ(shared.use_count(), 10);
        ring.Clear();
        EXPECT_EQ(shared.use_count(), 1);
        ring.Push(std::shared_ptr<int>(shared));
    }
    EXPECT_EQ(shared.use_count(), 1);
    // values that can only be moved
    RdmaRingBuffer<std::unique_ptr<int>> unique;
    for (int i = 0; i < 10; ++i)
    {
        unique.Push(std::make_unique<int>(i));
    }
    for (int i = 0; i < 10; ++i)
    {
        EXPECT_EQ(*unique.Pop(), i);
    }
}

TEST(RdmaRingBuffer, EndsObjectsAtOnce)
{
    auto shared = std::make_shared<int>(1);
    RdmaRingBuffer<std::shared_ptr<int>> ring;
    for (int i = 0; i < 5; ++i)
    {
        ring.Push(std::shared_ptr<int>(shared));
    }
    ring.DropFront();
    EXPECT_EQ(shared.use_count(), 5);
    ring.PopBack();
    EXPECT_EQ(shared.use_count(), 4);
    RdmaRingBuffer<std::shared_ptr<int>> other(std::move(ring));
    EXPECT_EQ(shared.use_count(), 4);
    EXPECT_EQ(other.GetSize(), 3U);
    EXPECT_TRUE(ring.IsEmpty());
    ring.Push(std::make_shared<int>(7));
    other = std::move(ring);
    EXPECT_EQ(*other.Front(), 7);
    ring.Clear();
    EXPECT_EQ(shared.use_count(), 1);
}

TEST(RdmaRingBuffer, RemovesAllThatAreEqual)
{
    RdmaRingBuffer<int> ring;
    for (const int value : {9, 9, 9, 1, 2, 1, 3, 1})
    {
        ring.Push(int{value});
    }
    ring.Pop(); // the ring's head is not its first place
    ring.Push(4);
    ring.Remove(1);
    ring.Remove(5);
    ring.Remove(9);
    ASSERT_EQ(ring.GetSize(), 3U);
    for (const int value : {2, 3, 4})
    {
        EXPECT_EQ(ring.Pop(), value);
    }
    ring.Remove(2);
    EXPECT_TRUE(ring.IsEmpty());
}

TEST(RdmaRingBuffer, AllocatesOnlyToGrow)
{
    const uint64_t before = GetRdmaAllocationCount();
    RdmaRingBuffer<int> ring;
    EXPECT_EQ(GetRdmaAllocationCount(), before); // nothing until it is used
    for (int i = 0; i < 16; ++i)
    {
        ring.Push(int{i});
    }
    EXPECT_EQ(GetRdmaAllocationCount(), before + 4); // 2, 4, 8, 16 places
    for (int i = 0; i < 1000; ++i)
    {
        ring.Pop();
        ring.Push(int{i});
    }
    ring.Clear();
    for (int i = 0; i < 16; ++i)
    {
        ring.Push(int{i});
    }
    EXPECT_EQ(GetRdmaAllocationCount(), before + 4);
}
