/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fabric-run.h"
#include "rdma-quantile.h"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <limits>
#include <numeric>

namespace ns3
{

namespace
{

/** Size class of flows: one line of the table. */
struct SizeBin
{
    const char* name;  //!< printed name
    uint64_t maxBytes; //!< size of the largest flow in the class, in bytes
};

constexpr std::array<SizeBin, 5> BINS = {{{"up to 10 KB", 10'000},
                                          {"up to 100 KB", 100'000},
                                          {"up to 1 MB", 1'000'000},
                                          {"above 1 MB", std::numeric_limits<uint64_t>::max()},
                                          {"all", 0}}};

/// Maximum number of unfinished flows that are listed individually.
constexpr std::size_t MAX_LISTED = 20;

/// Prints text in the format of std::snprintf(), at most 199 characters.
template <typename... Args>
void
PrintFormatted(std::ostream& os, const char* format, Args... args)
{
    char line[200];
    std::snprintf(line, sizeof(line), format, args...);
    os << line;
}

/** The counted flows of a line of the table. */
struct Line
{
    /** Adds a counted flow. \param result the flow */
    void Add(const RdmaFlowResult& result)
    {
        ++flows;
        if (result.IsCompleted())
        {
            fcts.push_back(static_cast<double>(*result.fct) / 1e6);
            slowdowns.push_back(static_cast<double>(*result.fct) /
                                static_cast<double>(result.ideal));
        }
    }

    std::size_t flows{0};          //!< number of flows
    std::vector<double> fcts;      //!< completion times of the completed flows, in us
    std::vector<double> slowdowns; //!< slowdowns of the completed flows
};

/** \return the mean of one or more values */
double
GetMean(const std::vector<double>& values)
{
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/** Prints the table of flows by size. */
void
PrintFlows(std::ostream& os, const std::vector<RdmaFlowResult>& results)
{
    std::array<Line, BINS.size()> lines;
    for (const RdmaFlowResult& result : results)
    {
        if (result.isCounted)
        {
            const auto bin = std::find_if(BINS.begin(), BINS.end(), [&](const SizeBin& each) {
                return result.flow.bytes <= each.maxBytes;
            });
            lines[bin - BINS.begin()].Add(result);
            lines.back().Add(result);
        }
    }
    os << "flow size         flows  completed   avg FCT us   p50 FCT us   p99 FCT us"
       << " avg slowd. p99 slowd.\n";
    for (std::size_t i = 0; i < BINS.size(); ++i)
    {
        const Line& line = lines[i];
        PrintFormatted(os, "%-14s %8zu %10zu", BINS[i].name, line.flows, line.fcts.size());
        if (!line.fcts.empty())
        {
            PrintFormatted(os,
                           " %12.2f %12.2f %12.2f %10.3f %10.3f",
                           GetMean(line.fcts),
                           RdmaQuantile(line.fcts, 0.5),
                           RdmaQuantile(line.fcts, 0.99),
                           GetMean(line.slowdowns),
                           RdmaQuantile(line.slowdowns, 0.99));
        }
        os << "\n";
    }
}

/** Prints the counted flows by start time, and whether the run was in a steady state. */
void
PrintMeasured(std::ostream& os, const RdmaFabricSummary& summary)
{
    const RdmaMeasuredSummary& measured = *summary.measured;
    os << "\ncounted are the " << measured.flows << " of " << summary.flowsTotal
       << " flows that start from " << FormatRdmaMicroseconds(measured.begin) << " to "
       << FormatRdmaMicroseconds(measured.end) << "; " << measured.flows - measured.completed
       << " of them did not finish; " << summary.GetEnding()
       << "\nstart in          flows  completed   avg FCT us avg slowd.\n";
    for (std::size_t i = 0; i < measured.slices.size(); ++i)
    {
        const RdmaMeasuredSlice& slice = measured.slices[i];
        const std::string name = "quarter " + std::to_string(i + 1);
        PrintFormatted(os,
                       "%-14s %8" PRIu64 " %10" PRIu64,
                       name.c_str(),
                       slice.flows,
                       slice.completed);
        if (slice.completed > 0)
        {
            PrintFormatted(os, " %12.2f %10.3f", *slice.avgFctUs, *slice.avgSlowdown);
        }
        os << "\n";
    }
    os << "trend of the average FCT over the window: ";
    if (measured.fctTrend)
    {
        PrintFormatted(os,
                       "%+.1f%% +- %.1f%% (95%%): ",
                       *measured.fctTrend * 100,
                       *measured.fctTrendError * 100);
    }
    os << measured.verdict << "\n";
}

} // namespace

void
PrintRdmaOutcome(std::ostream& os, const RdmaFabricOutcome& outcome)
{
    const RdmaFabricSummary& summary = outcome.summary;
    if (!outcome.isSchedule)
    {
        PrintFlows(os, outcome.flows);
    }
    if (summary.measured)
    {
        PrintMeasured(os, summary);
    }
    else if (summary.cut && summary.cut->IsUnplanned())
    {
        os << "\n"
           << summary.GetEnding() << (outcome.isSchedule ? "" : "; the averages lack them") << "\n";
    }
    PrintFormatted(os,
                   "\n%" PRIu64 " drops, %" PRIu64 " pause frames, %" PRIu64
                   " ECN marks; %.1f us simulated\n",
                   summary.drops,
                   summary.pauseFrames,
                   summary.ecnMarks,
                   summary.simTimeUs);
    PrintFormatted(os,
                   "%" PRIu64 " packet-hops, %" PRIu64 " events in %.2f s of CPU time (%.2f M "
                   "packet-hops/s), %.0f MB\n",
                   summary.packetHops,
                   summary.events,
                   summary.cpuS,
                   summary.cpuS > 0 ? static_cast<double>(summary.packetHops) / summary.cpuS / 1e6
                                    : 0.0,
                   summary.peakRssMb);
    os << "digest " << summary.digest << "\n";
    const auto& table = outcome.tables.summary;
    for (const auto& column : table.GetOwnColumns())
    {
        std::string value;
        table.AppendField(value, RdmaResultFormat::CSV, column, summary);
        const std::string& unit = column.GetInfo().unit;
        os << column.GetInfo().name << " " << (value.empty() ? "-" : value)
           << (unit.empty() ? "" : " ") << unit << "\n";
    }
    const uint64_t total = summary.GetNCounted();
    const uint64_t unfinished = total - summary.GetNCountedCompleted();
    if (unfinished == 0)
    {
        return;
    }
    os << "\n"
       << unfinished << " of " << total << (summary.measured ? " counted" : "")
       << " flows did not finish:\n";
    std::size_t listed = 0;
    for (const auto& result : outcome.flows)
    {
        if (result.IsCompleted() || !result.isCounted)
        {
            continue;
        }
        if (++listed > MAX_LISTED)
        {
            os << "  and " << unfinished - MAX_LISTED << " more (flows.csv has them all)\n";
            break;
        }
        os << "  flow " << result.flow.id << " from host " << result.flow.srcHost << " to host "
           << result.flow.dstHost << ", " << result.flow.bytes << " bytes: " << result.status
           << "\n";
    }
}

} // namespace ns3
