/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-flow-report.h"

#include <array>
#include <cmath>
#include <gtest/gtest.h>

/**
 * \file
 * \ingroup rdma-tests
 * Counted flows: averages by start time, and the trend over the window.
 */

namespace ns3
{
namespace
{

constexpr RdmaPs BEGIN = 100_us;
constexpr RdmaPs END = 200_us;

/// \return flows outside the window, and n flows in each quarter with that FCT in us
std::vector<RdmaFlowResult>
MakeResults(const std::array<double, 4>& fcts, uint32_t n)
{
    std::vector<RdmaFlowResult> results;
    const auto add = [&results](RdmaPs start, double fct, bool isCounted) {
        RdmaFlowResult result;
        result.flow.id = results.size();
        result.flow.start = start;
        result.fct = RdmaPs(static_cast<int64_t>(fct * 1e6));
        result.cqe = result.fct;
        result.ideal = 2_us;
        result.status = "IBV_WC_SUCCESS";
        result.isCounted = isCounted;
        results.push_back(result);
    };
    add(BEGIN - 1_ps, 1e6, false);
    for (uint32_t quarter = 0; quarter < 4; ++quarter)
    {
        for (uint32_t i = 0; i < n; ++i)
        {
            // The first flow at the first instant of the quarter, the others later.
            add(BEGIN + (25 * quarter) * 1_us + i * 1_ns, fcts[quarter], true);
        }
    }
    add(END, 1e6, false);
    return results;
}

} // namespace

TEST(RdmaMeasuredSummaryTest, Slices)
{
    auto results = MakeResults({10, 20, 30, 50}, 3);
    results[5].fct.reset(); // the second flow of the second quarter
    const auto summary = MakeRdmaMeasuredSummary(results, BEGIN, END);
    EXPECT_EQ(summary.flows, 12U);
    EXPECT_EQ(summary.completed, 11U);
    EXPECT_EQ(summary.slices[1].flows, 3U);
    EXPECT_EQ(summary.slices[1].completed, 2U);
    EXPECT_DOUBLE_EQ(*summary.slices[1].avgFctUs, 20);
    EXPECT_DOUBLE_EQ(*summary.slices[3].avgFctUs, 50);
    EXPECT_DOUBLE_EQ(*summary.slices[3].avgSlowdown, 25);
    EXPECT_EQ(summary.verdict, "too few flows");
    EXPECT_FALSE(summary.fctTrend);
}

TEST(RdmaMeasuredSummaryTest, NoFlowInAQuarter)
{
    auto results = MakeResults({10, 20, 30, 50}, 1);
    results.erase(results.begin() + 2);
    const auto summary = MakeRdmaMeasuredSummary(results, BEGIN, END);
    EXPECT_EQ(summary.slices[1].flows, 0U);
    EXPECT_FALSE(summary.slices[1].avgFctUs);
    EXPECT_EQ(summary.verdict, "too few flows");
}

TEST(RdmaMeasuredSummaryTest, Trends)
{
    // Slope 1 per quarter, without distances from the line: 4 quarters over the mean of 2.5.
    const auto rising = MakeRdmaMeasuredSummary(MakeResults({1, 2, 3, 4}, 10), BEGIN, END);
    EXPECT_NEAR(*rising.fctTrend, 1.6, 1e-12);
    EXPECT_NEAR(*rising.fctTrendError, 0, 1e-12);
    EXPECT_EQ(rising.verdict, "rising");
    const auto falling = MakeRdmaMeasuredSummary(MakeResults({40, 31, 20, 9}, 10), BEGIN, END);
    EXPECT_EQ(falling.verdict, "falling");
    // Slope (-15 - 7 + 5 + 21) / 5 = 0.8; squares of the distances 2 x 0.64 + 2 x 5.76 = 12.8.
    const auto wide = MakeRdmaMeasuredSummary(MakeResults({10, 14, 10, 14}, 10), BEGIN, END);
    EXPECT_NEAR(*wide.fctTrend, 4 * 0.8 / 12, 1e-12);
    EXPECT_NEAR(*wide.fctTrendError, 4 * 4.3027 * std::sqrt(12.8 / 2 / 5) / 12, 1e-4);
    EXPECT_EQ(wide.verdict, "undecided");
    // A fortieth of the distances from the line.
    const auto steady = MakeRdmaMeasuredSummary(MakeResults({10, 10.1, 10, 10.1}, 10), BEGIN, END);
    EXPECT_NEAR(*steady.fctTrendError, 4 * 4.3027 * std::sqrt(0.008 / 2 / 5) / 10.05, 1e-4);
    EXPECT_EQ(steady.verdict, "none");
}

TEST(RdmaMeasuredSummaryTest, AveragesAndColumns)
{
    const auto results = MakeResults({10, 20, 30, 40}, 1);
    RdmaResultTables tables;
    tables.summary.Add(
        {"own", "", "a column of a script", [](const RdmaFabricSummary&) { return uint64_t{7}; }});
    AddRdmaMeasuredColumns(tables);
    RdmaFabricSummary summary = MakeRdmaSummary(results, {}, tables);
    EXPECT_DOUBLE_EQ(*summary.avgFctUs, 25);
    EXPECT_DOUBLE_EQ(*summary.avgSlowdown, 12.5);
    EXPECT_EQ(summary.flowsTotal, 6U);
    EXPECT_EQ(summary.GetNCounted(), 6U);
    summary.measured = MakeRdmaMeasuredSummary(results, BEGIN, END);
    EXPECT_EQ(summary.GetNCounted(), 4U);
    const std::string csv = FormatRdmaFlowsCsv(results, tables);
    EXPECT_NE(csv.find(",status,counted\n"), std::string::npos);
    EXPECT_NE(csv.find(",IBV_WC_SUCCESS,0\n1,"), std::string::npos);
    EXPECT_NE(csv.find(",IBV_WC_SUCCESS,1\n2,"), std::string::npos);
    const std::string json = FormatRdmaSummaryJson(summary, tables);
    EXPECT_NE(json.find("\"window_begin_us\": 100,\n"), std::string::npos) << json;
    EXPECT_NE(json.find("\"ended\": \"all counted flows ended\",\n"), std::string::npos);
    EXPECT_NE(json.find("\"slice4_avg_fct_us\": 40,\n"), std::string::npos);
    EXPECT_NE(json.find("\"fct_trend\": null,\n"), std::string::npos);
    EXPECT_EQ(tables.summary.GetOwnColumns().size(), 1U);
    EXPECT_EQ(tables.summary.GetOwnColumns().front().GetInfo().name, "own");
}

} // namespace ns3
