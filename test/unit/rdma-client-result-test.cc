/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-client-result.h"
#include "rdma-expect-error.h"

#include <cmath>
#include <gtest/gtest.h>
#include <stdexcept>

namespace ns3
{
namespace
{

TEST(RdmaClientResultTest, OfOneToAHundred)
{
    std::vector<QbbPs> latencies;
    for (int64_t i = 100; i > 0; --i)
    {
        latencies.push_back(i * 1_ns);
    }
    const RdmaLatency latency = GetRdmaLatency(latencies);
    EXPECT_EQ(latency.min, 1_ns);
    EXPECT_EQ(latency.max, 100_ns);
    EXPECT_DOUBLE_EQ(latency.meanPs, 50'500);
    // (n^2 - 1) / 12 is the variance of 1..n; n / (n - 1) of that, of the sample
    EXPECT_NEAR(latency.stdevPs, 1000 * std::sqrt(9999.0 / 12 * 100 / 99), 1e-6);
    EXPECT_DOUBLE_EQ(latency.medianPs, 50'500);
    // at place 0.99 x 99 = 98.01 and 0.999 x 99 = 98.901, counted from 0
    EXPECT_NEAR(latency.p99Ps, 99'010, 1e-6);
    EXPECT_NEAR(latency.p999Ps, 99'901, 1e-6);
}

TEST(RdmaClientResultTest, OfOne)
{
    const RdmaLatency latency = GetRdmaLatency({42_ps});
    EXPECT_EQ(latency.min, 42_ps);
    EXPECT_EQ(latency.max, 42_ps);
    EXPECT_EQ(latency.meanPs, 42);
    EXPECT_EQ(latency.stdevPs, 0);
    EXPECT_EQ(latency.medianPs, 42);
    EXPECT_EQ(latency.p999Ps, 42);
}

TEST(RdmaClientResultTest, OfNone)
{
    ExpectError<std::invalid_argument>([]() { GetRdmaLatency({}); }, {"no iteration", "accepted"});
}

} // namespace
} // namespace ns3
