/* SPDX-License-Identifier: GPL-2.0-only */

// Timeouts that follow from the times of a network.

#include "rdma-network-times.h"

#include <gtest/gtest.h>

using namespace ns3;

TEST(RdmaNetworkTimesTest, RoundsUpToTwoDigits)
{
    EXPECT_EQ(RdmaNetworkTimes::RoundUp(0_ps), 1_ps);
    EXPECT_EQ(RdmaNetworkTimes::RoundUp(98_ps), 99_ps);
    EXPECT_EQ(RdmaNetworkTimes::RoundUp(99_ps), 100_ps);
    EXPECT_EQ(RdmaNetworkTimes::RoundUp(100_ps), 110_ps);
    EXPECT_EQ(RdmaNetworkTimes::RoundUp(318'900_ns), 320_us);
    EXPECT_EQ(RdmaNetworkTimes::RoundUp(320_us), 330_us) << "above the time, never equal to it";
    EXPECT_EQ(RdmaNetworkTimes::RoundUp(60'000'000'001_ps), 61_ms);
}

TEST(RdmaNetworkTimesTest, IsTheRuleOfTheIrnPaper)
{
    // Section 4.1: six links of 2 us there and back, and switches with six input ports of 240 KB.
    RdmaNetworkTimes times;
    times.roundTrip = 24_us;
    times.queue = 288_us;
    EXPECT_EQ(times.GetTimeout(), 320_us);
    EXPECT_EQ(times.GetLowTimeout(), 100_us);
}

TEST(RdmaNetworkTimesTest, IsLongerThanTheIdleRoundTrip)
{
    RdmaNetworkTimes times;
    times.roundTrip = 60'001_us;
    times.queue = 500_us;
    times.packet = 90_ns;
    EXPECT_EQ(times.GetLowTimeout(), 61_ms);
    EXPECT_EQ(times.GetTimeout(), 61_ms);
    times.packet = 1_ms;
    EXPECT_EQ(times.GetTimeout(16), 76_ms) << "60.501 ms and 15 ms until the acknowledgement";
}

TEST(RdmaNetworkTimesTest, IsAtLeastTheShortTimeoutOfThePaper)
{
    RdmaNetworkTimes times;
    times.roundTrip = 2_us;
    times.queue = 3_us;
    EXPECT_EQ(times.GetTimeout(), 100_us);
    EXPECT_EQ(times.GetLowTimeout(), 100_us);
}
