/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-group-choice.h"

#include <gtest/gtest.h>

/**
 * \file
 * \ingroup rdma-tests
 * The choice between one list of events and groups of nodes.
 */

using namespace ns3;

namespace
{

constexpr uint64_t CACHE = 2U << 20; // bytes of a second-level cache

/** \return the choice for a window of 1 us on a machine with a cache of 2 MB */
RdmaGroupChoice
Choose(uint64_t eventsOfWindow, uint64_t pending, uint32_t threads = 1)
{
    return RdmaGroupChoice::Make({10 * eventsOfWindow, 10_us, pending}, 1_us, threads, CACHE);
}

TEST(RdmaGroupChoice, OneListWhileTheCacheHoldsAll)
{
    EXPECT_EQ(Choose(80'000, 100).groups, 1U);
    EXPECT_EQ(Choose(80'000, 256).groups, 1U); // 8 KB each
}

TEST(RdmaGroupChoice, EachGroupHasAQuarterOfTheCache)
{
    // 1,024 neighbour pairs at 100 Gb/s: 3,800 pending events of 8 KB in parts of 512 KB.
    EXPECT_EQ(Choose(80'000, 3'800).groups, 60U);
    EXPECT_GT(Choose(80'000, 3'800).eventsOfWindow, 0U);
    EXPECT_EQ(Choose(800'000, 1'000'000).groups, 128U); // the most
}

TEST(RdmaGroupChoice, AGroupNeedsEventsInAWindow)
{
    EXPECT_EQ(Choose(12'000, 3'800).groups, 60U); // 200 events each
    EXPECT_EQ(Choose(11'999, 3'800).groups, 1U);
    EXPECT_EQ(Choose(90, 3'800).groups, 1U);
    EXPECT_EQ(Choose(0, 0).groups, 1U);
    EXPECT_EQ(RdmaGroupChoice::Make({}, 1_us, 1, CACHE).groups, 1U);
}

TEST(RdmaGroupChoice, ThreadsHaveSharesOfEightGroups)
{
    EXPECT_EQ(Choose(3'000, 100, 2).groups, 16U);
    EXPECT_EQ(Choose(80'000, 3'800, 2).groups, 60U);
    // Threads cost more than they bring if a window has few events for each of them.
    EXPECT_EQ(Choose(500, 100, 2).groups, 1U);
    EXPECT_EQ(Choose(700, 100, 2).groups, 14U);
    EXPECT_EQ(Choose(700, 100, 2).eventsOfWindow, 300U);
}

TEST(RdmaGroupChoice, ThisMachineHasACache)
{
    EXPECT_GE(GetRdmaCacheBytes(), 64U << 10);
}

} // namespace
