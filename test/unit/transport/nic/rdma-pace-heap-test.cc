/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-allocation-count.h"
#include "rdma-pace-heap.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace ns3;

namespace
{

/** The properties of a queue pair that the heap uses. */
struct Waiter
{
    uint32_t GetQpn() const
    {
        return qpn;
    }

    uint32_t& GetPacePlace()
    {
        return place;
    }

    uint32_t qpn{0};                                //!< QPN
    uint32_t place{RdmaPaceHeap<Waiter>::NO_PLACE}; //!< place in the heap
    RdmaPs at{0};                                   //!< instant by the reference
};

constexpr uint32_t NO_PLACE = RdmaPaceHeap<Waiter>::NO_PLACE;

} // namespace

TEST(RdmaPaceHeap, ByTimeThenByNumber)
{
    std::vector<Waiter> waiters(4);
    RdmaPaceHeap<Waiter> heap;
    for (const uint32_t i : {2U, 0U, 3U, 1U})
    {
        waiters[i].qpn = i;
        heap.Push(&waiters[i], i == 3 ? 50_ps : 100_ps);
    }
    EXPECT_EQ(heap.GetFirst(), 50_ps);
    for (const uint32_t expected : {3U, 0U, 1U, 2U})
    {
        EXPECT_EQ(heap.Pop()->qpn, expected);
        EXPECT_EQ(waiters[expected].place, NO_PLACE);
    }
    EXPECT_EQ(heap.GetFirst(), RDMA_NEVER);
}

TEST(RdmaPaceHeap, MovesBothWays)
{
    std::vector<Waiter> waiters(3);
    RdmaPaceHeap<Waiter> heap;
    for (uint32_t i = 0; i < 3; ++i)
    {
        waiters[i].qpn = i;
        heap.Push(&waiters[i], (i + 1) * 100_ps);
    }
    heap.Move(&waiters[2], 50_ps);
    EXPECT_EQ(heap.GetFirst(), 50_ps);
    heap.Move(&waiters[0], 400_ps);
    heap.Move(&waiters[2], 300_ps);
    EXPECT_EQ(heap.Pop()->qpn, 1U);
    EXPECT_EQ(heap.Pop()->qpn, 2U);
    EXPECT_EQ(heap.Pop()->qpn, 0U);
}

TEST(RdmaPaceHeap, ClearTakesAllOut)
{
    std::vector<Waiter> waiters(3);
    RdmaPaceHeap<Waiter> heap;
    for (Waiter& waiter : waiters)
    {
        heap.Push(&waiter, 7_ps);
    }
    heap.Clear();
    EXPECT_EQ(heap.GetFirst(), RDMA_NEVER);
    for (const Waiter& waiter : waiters)
    {
        EXPECT_EQ(waiter.place, NO_PLACE);
    }
}

TEST(RdmaPaceHeap, RandomAgainstASearch)
{
    std::mt19937 random(7);
    std::vector<Waiter> waiters(64);
    RdmaPaceHeap<Waiter> heap;
    std::vector<Waiter*> in;
    for (uint32_t i = 0; i < waiters.size(); ++i)
    {
        waiters[i].qpn = i;
    }
    const auto isBefore = [](const Waiter* a, const Waiter* b) {
        return a->at != b->at ? a->at < b->at : a->qpn < b->qpn;
    };
    uint32_t moves = 0;
    uint32_t removals = 0;
    uint64_t before = 0;
    for (uint32_t round = 0; round < 20'000; ++round)
    {
        Waiter& waiter = waiters[random() % waiters.size()];
        if (waiter.place == NO_PLACE)
        {
            waiter.at = RdmaPs(random() % 100);
            heap.Push(&waiter, waiter.at);
            in.push_back(&waiter);
        }
        else if (random() % 8 == 0)
        {
            heap.Remove(&waiter);
            ASSERT_EQ(waiter.place, NO_PLACE);
            in.erase(std::find(in.begin(), in.end(), &waiter));
            ++removals;
        }
        else if (random() % 3)
        {
            waiter.at = RdmaPs(random() % 100);
            heap.Move(&waiter, waiter.at);
            ++moves;
        }
        else
        {
            const auto first = std::min_element(in.begin(), in.end(), isBefore);
            ASSERT_EQ(heap.GetFirst(), (*first)->at);
            ASSERT_EQ(heap.Pop(), *first);
            in.erase(first);
        }
        if (round == 10'000)
        {
            before = GetRdmaAllocationCount();
        }
    }
    EXPECT_EQ(GetRdmaAllocationCount(), before) << "the memory of 64 serves for ever";
    EXPECT_GT(moves, 1000U);
    EXPECT_GT(removals, 1000U);
}
