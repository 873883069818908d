/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-client.h"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

namespace ns3
{
namespace
{

TEST(RdmaClientResultTest, LatenciesOfOneToAHundred)
{
    std::vector<RdmaPs> latencies;
    for (int64_t i = 100; i > 0; --i)
    {
        latencies.push_back(i * 1_ns);
    }
    const RdmaLatency latency = MakeRdmaClientResult(0_us, 1_us, 100, 1, latencies).latency.value();
    EXPECT_EQ(latency.min, 1_ns);
    EXPECT_EQ(latency.max, 100_ns);
    EXPECT_DOUBLE_EQ(latency.meanPs, 50'500);
    // (n^2 - 1) / 12 is the variance of 1..n; the sample variance is n / (n - 1) times as large
    EXPECT_NEAR(latency.stdevPs, 1000 * std::sqrt(9999.0 / 12 * 100 / 99), 1e-6);
    EXPECT_DOUBLE_EQ(latency.medianPs, 50'500);
    // at place 0.99 x 99 = 98.01 and 0.999 x 99 = 98.901, counted from 0
    EXPECT_NEAR(latency.p99Ps, 99'010, 1e-6);
    EXPECT_NEAR(latency.p999Ps, 99'901, 1e-6);
}

TEST(RdmaClientResultTest, LatencyOfOne)
{
    const RdmaLatency latency = MakeRdmaClientResult(0_us, 1_us, 1, 1, {42_ps}).latency.value();
    EXPECT_EQ(latency.min, 42_ps);
    EXPECT_EQ(latency.max, 42_ps);
    EXPECT_EQ(latency.meanPs, 42);
    EXPECT_EQ(latency.stdevPs, 0);
    EXPECT_EQ(latency.medianPs, 42);
    EXPECT_EQ(latency.p999Ps, 42);
}

TEST(RdmaClientResultTest, NoLatencyWithoutIterationsOrIfNotKept)
{
    EXPECT_FALSE(MakeRdmaClientResult(0_us, 0_us, 0, 1, {}).latency);
    EXPECT_FALSE(MakeRdmaClientResult(0_us, 1_us, 1, 1, {}).latency);
}

TEST(RdmaClientResultTest, RatesAreThoseBetweenTheBeginAndTheLastEnd)
{
    EXPECT_EQ(MakeRdmaClientResult(2_us, 0_us, 0, 1000, {}).bandwidthBps, 0);
    const RdmaClientResult result = MakeRdmaClientResult(2_us, 6_us, 2, 1000, {1_us, 3_us});
    EXPECT_EQ(result.iterations, 2U);
    EXPECT_EQ(result.messageBytes, 1000U);
    EXPECT_EQ(result.bytes, 2000U);
    EXPECT_EQ(result.begin, 2_us);
    EXPECT_EQ(result.end, 6_us);
    EXPECT_DOUBLE_EQ(result.bandwidthBps, 4e9);
    EXPECT_DOUBLE_EQ(result.messagesPerSecond, 5e5);
}

} // namespace
} // namespace ns3
