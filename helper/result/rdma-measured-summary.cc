/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-measured-summary.h"

#include "qbb-int128.h"
#include "rdma-quantile.h"
#include "rdma-units.h"

#include <cmath>

namespace ns3
{

namespace
{

/// Fits the trend of the average FCTs of the slices.
void
FitTrend(RdmaMeasuredSummary& summary)
{
    constexpr std::size_t N = RdmaMeasuredSummary::SLICES;
    summary.verdict = "too few flows";
    double mean = 0;
    for (const RdmaMeasuredSlice& slice : summary.slices)
    {
        if (slice.completed < RdmaMeasuredSummary::LEAST_FLOWS)
        {
            return;
        }
        mean += *slice.avgFctUs / N;
    }
    constexpr double MIDDLE = (N - 1) / 2.0;
    double squares = 0;
    double slope = 0;
    for (std::size_t i = 0; i < N; ++i)
    {
        const double x = static_cast<double>(i) - MIDDLE;
        squares += x * x;
        slope += x * *summary.slices[i].avgFctUs;
    }
    slope /= squares;
    double rest = 0;
    for (std::size_t i = 0; i < N; ++i)
    {
        const double x = static_cast<double>(i) - MIDDLE;
        rest += std::pow(*summary.slices[i].avgFctUs - mean - slope * x, 2);
    }
    const double error = RdmaStudentT95(N - 2) * std::sqrt(rest / (N - 2) / squares);
    summary.fctTrend = N * slope / mean;
    summary.fctTrendError = N * error / mean;
    if (std::abs(slope) > error)
    {
        summary.verdict = slope > 0 ? "rising" : "falling";
        return;
    }
    summary.verdict =
        *summary.fctTrendError <= RdmaMeasuredSummary::WIDEST_ERROR ? "none" : "undecided";
}

} // namespace

std::string
FormatRdmaMicroseconds(QbbPs time)
{
    return FormatRdmaReal(static_cast<double>(time) / 1e6) + "us";
}

RdmaMeasuredSummary
MakeRdmaMeasuredSummary(const std::vector<RdmaFlowResult>& results, QbbPs begin, QbbPs end)
{
    RdmaMeasuredSummary summary;
    summary.begin = begin;
    summary.end = end;
    std::array<double, RdmaMeasuredSummary::SLICES> fcts{};
    std::array<double, RdmaMeasuredSummary::SLICES> slowdowns{};
    for (const RdmaFlowResult& result : results)
    {
        if (!result.isCounted)
        {
            continue;
        }
        const QbbInt128 after = (result.flow.start - begin).Get();
        const auto i =
            static_cast<std::size_t>(after * RdmaMeasuredSummary::SLICES / (end - begin).Get());
        ++summary.flows;
        ++summary.slices[i].flows;
        if (result.IsCompleted())
        {
            ++summary.completed;
            ++summary.slices[i].completed;
            fcts[i] += static_cast<double>(*result.fct) / 1e6;
            slowdowns[i] += static_cast<double>(*result.fct) / static_cast<double>(result.ideal);
        }
    }
    for (std::size_t i = 0; i < summary.slices.size(); ++i)
    {
        RdmaMeasuredSlice& slice = summary.slices[i];
        if (slice.completed > 0)
        {
            slice.avgFctUs = fcts[i] / static_cast<double>(slice.completed);
            slice.avgSlowdown = slowdowns[i] / static_cast<double>(slice.completed);
        }
    }
    FitTrend(summary);
    return summary;
}

} // namespace ns3
