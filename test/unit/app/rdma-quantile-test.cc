/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-quantile.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <stdexcept>
#include <utility>

using namespace ns3;

TEST(RdmaQuantile, Definition)
{
    EXPECT_EQ(RdmaQuantile({7.0}, 0.0), 7.0);
    EXPECT_EQ(RdmaQuantile({7.0}, 0.99), 7.0);
    EXPECT_EQ(RdmaQuantile({3.0, 1.0, 2.0}, 0.0), 1.0);
    EXPECT_EQ(RdmaQuantile({3.0, 1.0, 2.0}, 0.5), 2.0);
    EXPECT_EQ(RdmaQuantile({3.0, 1.0, 2.0}, 0.75), 2.5);
    EXPECT_EQ(RdmaQuantile({3.0, 1.0, 2.0}, 1.0), 3.0);
    std::vector<double> values(101);
    for (int i = 0; i <= 100; ++i)
    {
        values[i] = i * i;
    }
    EXPECT_DOUBLE_EQ(RdmaQuantile(values, 0.99), 9801.0);
    EXPECT_DOUBLE_EQ(RdmaQuantile(values, 0.985), (98.0 * 98 + 99.0 * 99) / 2);
}

TEST(RdmaQuantile, BothImplementationsFollowTheDefinition)
{
    // Only the built implementation is tested. The last bit depends on contraction by the compiler.
    std::mt19937_64 random(1);
    for (int i = 0; i < 1000; ++i)
    {
        std::vector<double> values(random() % 50 + 1);
        for (auto& value : values)
        {
            value = std::uniform_real_distribution<double>(1.0, 1e6)(random);
        }
        const double fraction = std::uniform_real_distribution<double>(0.0, 1.0)(random);
        std::vector<double> sorted = values;
        std::sort(sorted.begin(), sorted.end());
        const double index = fraction * static_cast<double>(sorted.size() - 1);
        const auto below = static_cast<std::size_t>(index);
        const double part = index - static_cast<double>(below);
        const double expected = below + 1 == sorted.size()
                                    ? sorted[below]
                                    : (1.0 - part) * sorted[below] + part * sorted[below + 1];
        EXPECT_DOUBLE_EQ(RdmaQuantile(values, fraction), expected);
    }
}

TEST(RdmaQuantile, Errors)
{
    EXPECT_THROW(RdmaQuantile({}, 0.5), std::invalid_argument);
    EXPECT_THROW(RdmaQuantile({1.0}, -0.1), std::invalid_argument);
    EXPECT_THROW(RdmaQuantile({1.0}, 1.1), std::invalid_argument);
    EXPECT_THROW(RdmaQuantile({1.0}, std::numeric_limits<double>::quiet_NaN()),
                 std::invalid_argument);
}

TEST(RdmaStudentT95, IsThatOfTheTables)
{
    // 97.5% quantiles as statistical tables print them.
    for (const auto& [degrees, t] : {std::pair{1U, 12.706},
                                     {2U, 4.303},
                                     {3U, 3.182},
                                     {4U, 2.776},
                                     {5U, 2.571},
                                     {7U, 2.365},
                                     {9U, 2.262},
                                     {19U, 2.093},
                                     {29U, 2.045},
                                     {60U, 2.000},
                                     {120U, 1.980},
                                     {1'000'000U, 1.960}})
    {
        EXPECT_NEAR(RdmaStudentT95(degrees), t, 0.001) << degrees;
    }
    EXPECT_THROW(RdmaStudentT95(0), std::invalid_argument);
}
