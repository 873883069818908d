/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-client-meter.h"

#include <cmath>
#include <gtest/gtest.h>

namespace ns3
{
namespace
{

/** \param latency of the iteration \param end of the iteration \return an iteration */
RdmaIteration
MakeIteration(QbbPs latency, QbbPs end)
{
    RdmaIteration iteration;
    iteration.end = end;
    iteration.latency = latency;
    return iteration;
}

TEST(RdmaClientMeterTest, LatenciesOfOneToAHundred)
{
    RdmaClientMeter meter;
    for (int64_t i = 100; i > 0; --i)
    {
        meter.Add(MakeIteration(i * 1_ns, 1_us), true);
    }
    const RdmaLatency latency = meter.GetResult(1).latency.value();
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

TEST(RdmaClientMeterTest, LatencyOfOne)
{
    RdmaClientMeter meter;
    meter.Add(MakeIteration(42_ps, 1_us), true);
    const RdmaLatency latency = meter.GetResult(1).latency.value();
    EXPECT_EQ(latency.min, 42_ps);
    EXPECT_EQ(latency.max, 42_ps);
    EXPECT_EQ(latency.meanPs, 42);
    EXPECT_EQ(latency.stdevPs, 0);
    EXPECT_EQ(latency.medianPs, 42);
    EXPECT_EQ(latency.p999Ps, 42);
}

TEST(RdmaClientMeterTest, NoLatencyWithoutIterationsOrIfNotKept)
{
    RdmaClientMeter meter;
    EXPECT_FALSE(meter.GetResult(1).latency);
    meter.Add(MakeIteration(42_ps, 1_us), false);
    EXPECT_FALSE(meter.GetResult(1).latency);
}

TEST(RdmaClientMeterTest, RatesAreThoseBetweenTheBeginAndTheLastEnd)
{
    RdmaClientMeter meter;
    meter.Begin(2_us);
    EXPECT_EQ(meter.GetResult(1000).bandwidthBps, 0);
    meter.Add(MakeIteration(1_us, 3_us), true);
    meter.Add(MakeIteration(3_us, 6_us), true);
    const RdmaClientResult result = meter.GetResult(1000);
    EXPECT_EQ(meter.GetIterations(), 2U);
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
