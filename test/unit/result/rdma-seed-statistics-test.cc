/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-expect-error.h"
#include "rdma-measured-columns.h"
#include "rdma-result-tables.h"
#include "rdma-seed-statistics.h"

#include <gtest/gtest.h>
#include <limits>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>

using namespace ns3;

TEST(RdmaSeedStatistics, MeanAndInterval)
{
    // Distances from the mean 4: -2, 0, 2; variance 8 / 2 = 4; standard error sqrt(4 / 3).
    const auto three = MakeRdmaSeedStatistic("drops", "frames", {4, 2, 6});
    EXPECT_EQ(three.metric, "drops");
    EXPECT_EQ(three.unit, "frames");
    EXPECT_EQ(three.seeds, 3U);
    EXPECT_DOUBLE_EQ(*three.mean, 4);
    EXPECT_NEAR(*three.error, 4.302653 * 1.154701, 1e-4);
    EXPECT_EQ(three.least, 2);
    EXPECT_EQ(three.greatest, 6);

    // Variance 0.5, standard error 0.5, one degree of freedom.
    const auto two = MakeRdmaSeedStatistic("x", "", {-1, 0});
    EXPECT_DOUBLE_EQ(*two.mean, -0.5);
    EXPECT_NEAR(*two.error, 12.7062 * 0.5, 1e-4);
    EXPECT_EQ(two.least, -1);
    EXPECT_EQ(two.greatest, 0);
}

TEST(RdmaSeedStatistics, EqualValuesHaveNoSpread)
{
    const auto equal = MakeRdmaSeedStatistic("x", "", {0.1, 0.1, 0.1});
    EXPECT_EQ(equal.mean, 0.1);
    EXPECT_EQ(equal.error, 0);
}

TEST(RdmaSeedStatistics, TooFewValues)
{
    const auto one = MakeRdmaSeedStatistic("x", "", {7});
    EXPECT_EQ(one.mean, 7);
    EXPECT_FALSE(one.error.has_value());
    EXPECT_EQ(one.least, 7);
    EXPECT_EQ(one.greatest, 7);
    const auto none = MakeRdmaSeedStatistic("x", "", {});
    EXPECT_EQ(none.seeds, 0U);
    EXPECT_FALSE(none.mean || none.error || none.least || none.greatest);
}

TEST(RdmaSeedStatistics, FileAndTable)
{
    const std::vector<RdmaSeedStatistic> rows{{"drops", "frames", 2, 2.5, 0.25, 2, 3},
                                              {"avg_slowdown", "", 1, 1.5, {}, 1.5, 1.5},
                                              {"avg_fct_us", "us", 0, {}, {}, {}, {}}};
    EXPECT_EQ(FormatRdmaSeedsCsv(rows),
              "metric,unit,seeds,mean,error,least,greatest\n"
              "drops,frames,2,2.5,0.25,2,3\n"
              "avg_slowdown,,1,1.5,,1.5,1.5\n"
              "avg_fct_us,us,0,,,,\n");
    std::ostringstream os;
    PrintRdmaSeedStatistics(os, "seeds 1 to 2", rows);
    EXPECT_EQ(os.str(),
              "seeds 1 to 2            runs           mean       +- (95%)          least"
              "       greatest\n"
              "drops                      2          2.500          0.250          2.000"
              "          3.000 frames\n"
              "avg_slowdown               1          1.500              -          1.500"
              "          1.500\n"
              "avg_fct_us                 0              -              -              -"
              "              - us\n");
    const double nan = std::numeric_limits<double>::quiet_NaN();
    ExpectError<std::invalid_argument>(
        [nan] { FormatRdmaSeedsCsv({MakeRdmaSeedStatistic("x", "", {nan})}); },
        {"seeds: mean is not finite"});
}

TEST(RdmaSeedStatistics, NumbersOfTheNetworkAreAveraged)
{
    RdmaResultTables tables;
    AddRdmaMeasuredColumns(tables);
    std::set<std::string> averaged;
    for (const auto& info : tables.summary.GetInfos())
    {
        if (info.isAveraged)
        {
            averaged.insert(info.name);
        }
    }
    for (const char* name : {"flows_total",
                             "avg_slowdown",
                             "p99_fct_us",
                             "drops",
                             "pause_frames",
                             "counted_completed",
                             "slice1_avg_fct_us",
                             "fct_trend"})
    {
        EXPECT_EQ(averaged.count(name), 1U) << name;
    }
    // Texts, costs of the run, values equal for all seeds, and intervals.
    for (const char* name : {"digest",
                             "ended",
                             "events",
                             "cpu_s",
                             "sim_time_us",
                             "window_begin_us",
                             "window_end_us",
                             "slice1_flows",
                             "slice4_completed",
                             "fct_trend_error"})
    {
        EXPECT_EQ(averaged.count(name), 0U) << name;
    }
}
