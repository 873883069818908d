/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-gap-rule.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

constexpr RdmaGapLimits BY_AGE{100_ps, 0};
constexpr RdmaGapLimits BY_NUMBER{RDMA_NEVER, 3};

} // namespace

TEST(RdmaGapRule, AGapIsALossWhenItIsOldEnough)
{
    // Packet 5 arrives at 10 ps, packet 7 at 30 ps: packets 0 to 4 may count as lost from 110 ps
    // on, and packet 6 from 130 ps on.
    RdmaGapRule rule;
    EXPECT_EQ(rule.GetDeadline(BY_AGE), RDMA_NEVER);
    rule.Arrived(6, 10_ps);
    rule.Arrived(8, 30_ps);
    EXPECT_EQ(rule.GetEnd(), 8U);
    EXPECT_EQ(rule.GetDeadline(BY_AGE), 110_ps);
    EXPECT_EQ(rule.GetLostEnd(BY_AGE, 109_ps), 0U);
    EXPECT_EQ(rule.GetLostEnd(BY_AGE, 110_ps), 6U);
    EXPECT_EQ(rule.GetDeadline(BY_AGE), 130_ps);
    EXPECT_EQ(rule.GetLostEnd(BY_AGE, 200_ps), 8U);
    EXPECT_EQ(rule.GetDeadline(BY_AGE), RDMA_NEVER);
}

TEST(RdmaGapRule, OnlyAHigherNumberIsNewEvidence)
{
    RdmaGapRule rule;
    rule.Arrived(6, 10_ps);
    rule.Arrived(4, 20_ps);
    rule.Arrived(6, 30_ps);
    EXPECT_EQ(rule.GetLostEnd(BY_AGE, 110_ps), 6U);
    EXPECT_EQ(rule.GetDeadline(BY_AGE), RDMA_NEVER);
}

TEST(RdmaGapRule, AGapThatClosesIsNoLoss)
{
    RdmaGapRule rule;
    rule.Arrived(6, 10_ps);
    rule.Arrived(8, 30_ps);
    rule.Complete(6);
    EXPECT_EQ(rule.GetDeadline(BY_AGE), 130_ps) << "packet 6 is still missing";
    rule.Complete(8);
    EXPECT_EQ(rule.GetDeadline(BY_AGE), RDMA_NEVER);
    EXPECT_EQ(rule.GetLostEnd(BY_AGE, 1000_ps), 0U);
}

TEST(RdmaGapRule, AGapIsALossWhenEnoughPacketsLieBeyond)
{
    // With a limit of 3, packet 5 makes packets 0 to 2 lost: 5 - 2 = 3.
    RdmaGapRule rule;
    rule.Arrived(3, 10_ps);
    EXPECT_EQ(rule.GetLostEnd(BY_NUMBER, 10_ps), 0U);
    rule.Arrived(6, 10_ps);
    EXPECT_EQ(rule.GetLostEnd(BY_NUMBER, 10_ps), 3U);
    EXPECT_EQ(rule.GetDeadline(BY_NUMBER), RDMA_NEVER) << "time alone changes nothing";
}

TEST(RdmaGapRule, AtOnceWithoutAnAge)
{
    constexpr RdmaGapLimits AT_ONCE{0_ps, 0};
    RdmaGapRule rule;
    rule.Arrived(6, 10_ps);
    EXPECT_EQ(rule.GetDeadline(AT_ONCE), 10_ps);
    EXPECT_EQ(rule.GetLostEnd(AT_ONCE, 10_ps), 6U);
}

TEST(RdmaGapRule, MeasuresHowLateOvertakenPacketsAre)
{
    // At most 1000 ps, and from the 16th overtaken packet on 4 times the largest lateness, but at
    // least 30 ps.
    constexpr RdmaGapLimits MEASURED{1000_ps, 0, 4, 30_ps};
    RdmaGapRule rule;
    for (uint64_t n = 0; n < 16; ++n)
    {
        EXPECT_EQ(rule.GetAge(MEASURED), 1000_ps) << n;
        // Packet 2n is overtaken by 2n + 1, and comes 5 ps later, the seventh one 20 ps later.
        const RdmaPs at{static_cast<int64_t>(100 * n)};
        rule.Arrived(2 * n + 2, at);
        rule.Overtaken(2 * n, at + (n == 6 ? 20_ps : 5_ps));
        rule.Complete(2 * n + 2);
    }
    EXPECT_EQ(rule.GetAge(MEASURED), 80_ps);
    EXPECT_EQ(rule.GetAge({1000_ps, 0, 1, 30_ps}), 30_ps);
    EXPECT_EQ(rule.GetAge({50_ps, 0, 4, 30_ps}), 50_ps);
    EXPECT_EQ(rule.GetAge(BY_AGE), 100_ps);
    rule.Arrived(40, 2000_ps);
    EXPECT_EQ(rule.GetDeadline(MEASURED), 2080_ps);
    // The first evidence counts: packet 33 is late since 2000 ps, packet 45 since 2040 ps.
    rule.Arrived(50, 2040_ps);
    rule.Overtaken(45, 2070_ps);
    EXPECT_EQ(rule.GetAge(MEASURED), 120_ps);
    rule.Overtaken(33, 2070_ps);
    EXPECT_EQ(rule.GetAge(MEASURED), 280_ps);
    rule.Mistook();
    EXPECT_EQ(rule.GetAge(MEASURED), 1000_ps);
}
