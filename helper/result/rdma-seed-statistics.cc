/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-seed-statistics.h"

#include "rdma-file-table.h"
#include "rdma-quantile.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace ns3
{

namespace
{

/// Columns of seeds.csv.
const RdmaFileTable<RdmaSeedStatistic> g_seedTable(
    "seeds",
    {{"metric", "", "key of summary.json", &RdmaSeedStatistic::metric},
     {"unit", "", "unit of the numbers in this row; empty: none", &RdmaSeedStatistic::unit},
     {"seeds",
      "",
      "number of runs that have a value; the other columns cover them alone",
      &RdmaSeedStatistic::seeds},
     {"mean", "", "mean of the runs; empty if no run has a value", &RdmaSeedStatistic::mean},
     {"error",
      "",
      "half of the 95% interval of the mean (Student's t); empty with less than two runs",
      &RdmaSeedStatistic::error},
     {"least", "", "smallest value of a run", &RdmaSeedStatistic::least},
     {"greatest", "", "largest value of a run", &RdmaSeedStatistic::greatest}});

/** \param value a number or none \return the number with three decimals, or "-" */
std::string
FormatSeedNumber(const std::optional<double>& value)
{
    if (!value)
    {
        return "-";
    }
    char text[400]; // the largest double has 309 digits before the point
    std::snprintf(text, sizeof(text), "%.3f", *value);
    return text;
}

/** Prints a line of the table. */
void
PrintSeedLine(std::ostream& os,
              const std::string& name,
              const std::vector<std::string>& numbers,
              const std::string& unit)
{
    constexpr std::size_t NAME_WIDTH = 22;
    constexpr std::size_t RUNS_WIDTH = 5;
    constexpr std::size_t WIDTH = 14;
    os << name << std::string(NAME_WIDTH - std::min(name.size(), NAME_WIDTH), ' ');
    std::size_t width = RUNS_WIDTH; // width of the first number
    for (const std::string& number : numbers)
    {
        os << ' ' << std::string(width - std::min(number.size(), width), ' ') << number;
        width = WIDTH;
    }
    os << (unit.empty() ? "" : " ") << unit << "\n";
}

} // namespace

RdmaSeedStatistic
MakeRdmaSeedStatistic(const std::string& metric,
                      const std::string& unit,
                      const std::vector<double>& values)
{
    RdmaSeedStatistic statistic;
    statistic.metric = metric;
    statistic.unit = unit;
    statistic.seeds = values.size();
    if (values.empty())
    {
        return statistic;
    }
    const auto n = static_cast<double>(values.size());
    // Sum the distances from the first value, so that the mean of equal values is exact.
    double distance = 0;
    for (const double value : values)
    {
        distance += value - values.front();
    }
    const double mean = values.front() + distance / n;
    statistic.mean = mean;
    statistic.least = *std::min_element(values.begin(), values.end());
    statistic.greatest = *std::max_element(values.begin(), values.end());
    if (values.size() > 1)
    {
        double squares = 0;
        for (const double value : values)
        {
            squares += (value - mean) * (value - mean);
        }
        const auto degrees = static_cast<uint32_t>(values.size() - 1);
        statistic.error = RdmaStudentT95(degrees) * std::sqrt(squares / degrees / n);
    }
    return statistic;
}

std::string
FormatRdmaSeedsCsv(const std::vector<RdmaSeedStatistic>& rows)
{
    std::string text = g_seedTable.FormatHeader();
    for (const RdmaSeedStatistic& row : rows)
    {
        g_seedTable.AppendRow(text, row);
    }
    return text;
}

void
PrintRdmaSeedStatistics(std::ostream& os,
                        const std::string& title,
                        const std::vector<RdmaSeedStatistic>& rows)
{
    PrintSeedLine(os, title, {"runs", "mean", "+- (95%)", "least", "greatest"}, "");
    for (const RdmaSeedStatistic& row : rows)
    {
        PrintSeedLine(os,
                      row.metric,
                      {std::to_string(row.seeds),
                       FormatSeedNumber(row.mean),
                       FormatSeedNumber(row.error),
                       FormatSeedNumber(row.least),
                       FormatSeedNumber(row.greatest)},
                      row.unit);
    }
}

} // namespace ns3
