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
