/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fabric-run.h"
#include "rdma-quantile.h"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <limits>

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

/** Statistics of the completed flows. */
struct Sample
{
    double mean{0}; //!< mean
    double p50{0};  //!< median
    double p99{0};  //!< 99th percentile
};

/**
 * \param flows flows, at least one of which has completed
 * \param value function that returns the measured quantity of a completed flow
 * \return statistics of that quantity
 */
template <typename Value>
Sample
Summarize(const std::vector<const RdmaFlowResult*>& flows, Value value)
{
    std::vector<double> values;
    values.reserve(flows.size());
    double sum = 0;
    for (const auto* flow : flows)
    {
        if (flow->IsCompleted())
        {
            values.push_back(value(*flow));
            sum += values.back();
        }
    }
    Sample sample;
    sample.mean = sum / static_cast<double>(values.size());
    std::sort(values.begin(), values.end());
    sample.p50 = RdmaSortedQuantile(values, 0.5);
    sample.p99 = RdmaSortedQuantile(values, 0.99);
    return sample;
}

/// Prints text in the format of std::snprintf(), at most 199 characters.
template <typename... Args>
void
PrintFormatted(std::ostream& os, const char* format, Args... args)
{
    char line[200];
    std::snprintf(line, sizeof(line), format, args...);
    os << line;
}

void
PrintLine(std::ostream& os, const char* name, const std::vector<const RdmaFlowResult*>& flows)
{
    const auto completed = static_cast<std::size_t>(
        std::count_if(flows.begin(), flows.end(), [](const RdmaFlowResult* flow) {
            return flow->IsCompleted();
        }));
    PrintFormatted(os, "%-14s %8zu %10zu", name, flows.size(), completed);
    if (completed > 0)
    {
        const Sample fct = Summarize(flows, [](const RdmaFlowResult& flow) {
            return static_cast<double>(*flow.fct) / 1e6;
        });
        const Sample slowdown = Summarize(flows, [](const RdmaFlowResult& flow) {
            return static_cast<double>(*flow.fct) / static_cast<double>(flow.ideal);
        });
        PrintFormatted(os, " %12.2f %12.2f %12.2f", fct.mean, fct.p50, fct.p99);
        PrintFormatted(os, " %10.3f %10.3f", slowdown.mean, slowdown.p99);
    }
    os << "\n";
}

} // namespace

void
PrintRdmaOutcome(std::ostream& os, const RdmaFabricOutcome& outcome)
{
    os << "flow size         flows  completed   avg FCT us   p50 FCT us   p99 FCT us"
       << " avg slowd. p99 slowd.\n";
    uint64_t above = 0;
    for (const SizeBin& bin : BINS)
    {
        const auto isIn = [&bin, above](const RdmaFlowResult& result) {
            return bin.maxBytes == 0 ||
                   (result.flow.bytes > above && result.flow.bytes <= bin.maxBytes);
        };
        std::vector<const RdmaFlowResult*> flows;
        flows.reserve(static_cast<std::size_t>(
            std::count_if(outcome.flows.begin(), outcome.flows.end(), isIn)));
        for (const auto& result : outcome.flows)
        {
            if (isIn(result))
            {
                flows.push_back(&result);
            }
        }
        above = bin.maxBytes;
        PrintLine(os, bin.name, flows);
    }
    const RdmaFabricSummary& summary = outcome.summary;
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
    if (summary.flowsCompleted == summary.flowsTotal)
    {
        return;
    }
    os << "\n"
       << summary.flowsTotal - summary.flowsCompleted << " of " << summary.flowsTotal
       << " flows did not finish:\n";
    std::size_t listed = 0;
    for (const auto& result : outcome.flows)
    {
        if (result.IsCompleted())
        {
            continue;
        }
        if (++listed > MAX_LISTED)
        {
            os << "  and " << summary.flowsTotal - summary.flowsCompleted - MAX_LISTED
               << " more (flows.csv has them all)\n";
            break;
        }
        os << "  flow " << result.flow.id << " from host " << result.flow.srcHost << " to host "
           << result.flow.dstHost << ", " << result.flow.bytes << " bytes: " << result.status
           << "\n";
    }
}

} // namespace ns3
