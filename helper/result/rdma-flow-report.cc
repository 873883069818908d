/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdma-flow-report.h"

#include "rdma-quantile.h"
#include "rdma-sha256.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace ns3
{

namespace
{

constexpr double PS_PER_US = 1e6;
constexpr double P99 = 0.99;

void
CheckFlowResult(const RdmaFlowResult& result)
{
    std::string fault;
    if (result.ideal <= 0_ps)
    {
        fault = "an ideal FCT of " + std::to_string(result.ideal.Get()) + " ps; accepted: above 0";
    }
    else if (result.flow.start < 0_ps || result.fct.value_or(0_ps) < 0_ps ||
             result.cqe.value_or(0_ps) < 0_ps)
    {
        fault = "a negative time; accepted: 0 or more";
    }
    else if (result.status.empty())
    {
        fault = "no status; accepted: the completion's, or why there is none";
    }
    if (!fault.empty())
    {
        throw std::invalid_argument("flow " + std::to_string(result.flow.id) + ": " + fault);
    }
}

/// Validates the flows and returns them in ascending order of id.
std::vector<const RdmaFlowResult*>
SortFlowResults(const std::vector<RdmaFlowResult>& results)
{
    std::vector<const RdmaFlowResult*> sorted;
    sorted.reserve(results.size());
    for (const auto& result : results)
    {
        CheckFlowResult(result);
        sorted.push_back(&result);
    }
    std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) {
        return a->flow.id < b->flow.id;
    });
    for (std::size_t i = 1; i < sorted.size(); ++i)
    {
        if (sorted[i - 1]->flow.id == sorted[i]->flow.id)
        {
            throw std::invalid_argument("flow " + std::to_string(sorted[i]->flow.id) +
                                        ": two results; accepted: one for each flow");
        }
    }
    return sorted;
}

/**
 * Computes statistics of one quantity. Only one sample vector is in memory at a time, because a run
 * may have millions of flows.
 *
 * \param sorted flows in order of id, so that sums do not depend on the order of completion
 * \param value function that returns the quantity of a completed flow
 * \return mean and 99th percentile of the counted flows; no value if none has completed
 */
template <typename Value>
std::pair<std::optional<double>, std::optional<double>>
GetMeanAndP99(const std::vector<const RdmaFlowResult*>& sorted, Value value)
{
    std::vector<double> sample;
    sample.reserve(sorted.size());
    for (const auto* result : sorted)
    {
        if (result->isCounted && result->IsCompleted())
        {
            sample.push_back(value(*result));
        }
    }
    if (sample.empty())
    {
        return {};
    }
    const double sum = std::accumulate(sample.begin(), sample.end(), 0.0);
    const double mean = sum / static_cast<double>(sample.size());
    return {mean, RdmaQuantile(std::move(sample), P99)};
}

/// Validates the rows of ports and returns them in ascending order of node, port and priority.
std::vector<const RdmaPortResult*>
SortPortResults(const std::vector<RdmaPortResult>& rows)
{
    const auto key = [](const RdmaPortResult* row) {
        return std::make_tuple(row->port->node, row->port->number, row->priority);
    };
    std::vector<const RdmaPortResult*> sorted;
    sorted.reserve(rows.size());
    for (const auto& row : rows)
    {
        sorted.push_back(&row);
    }
    std::sort(sorted.begin(), sorted.end(), [&key](const auto* a, const auto* b) {
        return key(a) < key(b);
    });
    for (std::size_t i = 0; i < sorted.size(); ++i)
    {
        const auto* row = sorted[i];
        const bool isTwice = i > 0 && key(sorted[i - 1]) == key(row);
        if (isTwice || row->pausedTime < 0_ps)
        {
            throw std::invalid_argument("port " + std::to_string(row->port->number) + " of node " +
                                        std::to_string(row->port->node) + ", priority " +
                                        std::to_string(row->priority) + ": " +
                                        (isTwice
                                             ? "two rows; accepted: one"
                                             : "paused for a negative time; accepted: 0 or more"));
        }
    }
    return sorted;
}

/**
 * \param table columns of a CSV file
 * \param rows rows of the file in order
 * \param add function that receives the text of the file line by line
 */
template <typename Record, typename Add>
void
FormatRows(const RdmaResultTable<Record>& table, const std::vector<const Record*>& rows, Add add)
{
    add(table.FormatHeader());
    std::string line;
    for (const auto* row : rows)
    {
        line.clear();
        table.AppendRow(line, *row);
        add(line);
    }
}

/// Returns the text of a CSV file.
template <typename Record>
std::string
FormatRows(const RdmaResultTable<Record>& table, const std::vector<const Record*>& rows)
{
    std::string text;
    FormatRows(table, rows, [&text](const std::string& line) { text += line; });
    return text;
}

/// Throws if a value in a user-defined column cannot be written.
template <typename Record>
void
CheckOwnColumns(const RdmaResultTable<Record>& table, const std::vector<const Record*>& rows)
{
    if (!table.GetOwnColumns().empty())
    {
        FormatRows(table, rows, [](const std::string&) {});
    }
}

/// Writes a CSV file row by row.
template <typename Record>
void
WriteRows(RdmaRunFolder& folder,
          const RdmaResultTable<Record>& table,
          const std::vector<const Record*>& rows)
{
    folder.Write(table.GetName() + ".csv",
                 [&](const RdmaRunFolder::Add& add) { FormatRows(table, rows, add); });
}

} // namespace

std::string
FormatRdmaFlowsCsv(const std::vector<RdmaFlowResult>& results, const RdmaResultTables& tables)
{
    return FormatRows(tables.flows, SortFlowResults(results));
}

std::string
FormatRdmaPortsCsv(const std::vector<RdmaPortResult>& rows, const RdmaResultTables& tables)
{
    return FormatRows(tables.ports, SortPortResults(rows));
}

std::string
FormatRdmaSummaryJson(const RdmaFabricSummary& summary, const RdmaResultTables& tables)
{
    return tables.summary.FormatJson(summary);
}

std::string
GetRdmaDigest(const std::vector<RdmaFlowResult>& results, const RdmaResultTables& tables)
{
    RdmaSha256 hash;
    FormatRows(tables.flows, SortFlowResults(results), [&hash](const std::string& line) {
        hash.Add(line);
    });
    return hash.Finish();
}

RdmaFabricSummary
MakeRdmaSummary(const std::vector<RdmaFlowResult>& results,
                const RdmaFabricTotals& totals,
                const RdmaResultTables& tables)
{
    RdmaFabricSummary summary;
    static_cast<RdmaFabricTotals&>(summary) = totals;
    summary.digest = GetRdmaDigest(results, tables);
    summary.flowsTotal = results.size();
    const auto sorted = SortFlowResults(results);
    std::tie(summary.avgSlowdown, summary.p99Slowdown) =
        GetMeanAndP99(sorted, [](const RdmaFlowResult& result) {
            return static_cast<double>(*result.fct) / static_cast<double>(result.ideal);
        });
    std::tie(summary.avgFctUs, summary.p99FctUs) =
        GetMeanAndP99(sorted, [](const RdmaFlowResult& result) {
            return static_cast<double>(*result.fct) / PS_PER_US;
        });
    summary.flowsCompleted = static_cast<uint64_t>(
        std::count_if(sorted.begin(), sorted.end(), [](const RdmaFlowResult* result) {
            return result->IsCompleted();
        }));
    return summary;
}

void
WriteRdmaReport(RdmaRunFolder& folder,
                const std::vector<RdmaFlowResult>& results,
                const std::vector<RdmaPortResult>& ports,
                const RdmaFabricSummary& summary,
                const RdmaResultTables& tables)
{
    // Report invalid rows before a file is created.
    const auto flowRows = SortFlowResults(results);
    const auto portRows = SortPortResults(ports);
    CheckOwnColumns(tables.flows, flowRows);
    CheckOwnColumns(tables.ports, portRows);
    const std::string summaryText = FormatRdmaSummaryJson(summary, tables);
    WriteRows(folder, tables.flows, flowRows);
    WriteRows(folder, tables.ports, portRows);
    folder.Write("summary.json", [&](const RdmaRunFolder::Add& add) { add(summaryText); });
    std::map<std::string, double> counts{
        {"flows_total", static_cast<double>(summary.flowsTotal)},
        {"flows_completed", static_cast<double>(summary.flowsCompleted)},
        {"sim_time_us", summary.simTimeUs},
    };
    if (summary.measured)
    {
        counts["counted_flows"] = static_cast<double>(summary.measured->flows);
        counts["counted_completed"] = static_cast<double>(summary.measured->completed);
    }
    folder.Finish(summary.cut ? summary.cut->by : "", counts);
}

void
WriteRdmaReport(const std::string& directory,
                const std::vector<RdmaFlowResult>& results,
                const std::vector<RdmaPortResult>& ports,
                const RdmaFabricSummary& summary,
                const RdmaResultTables& tables)
{
    RdmaRunFolder folder(directory);
    WriteRdmaReport(folder, results, ports, summary, tables);
}

} // namespace ns3
