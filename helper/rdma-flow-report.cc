/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdma-flow-report.h"

#include "qbb-int128.h"
#include "rdma-file-error.h"
#include "rdma-quantile.h"
#include "rdma-sha256.h"
#include "rdma-text-file.h"
#include "rdma-units.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <stdexcept>
#include <system_error>
#include <tuple>
#include <utility>

namespace ns3
{

namespace
{

constexpr uint64_t SLOWDOWN_SCALE = 1'000'000;
constexpr double PS_PER_US = 1e6;
constexpr double P99 = 0.99;

/// A field of CSV text; quoted if it has to be (RFC 4180).
std::string
QuoteCsv(const std::string& text)
{
    if (text.find_first_of(",\"\r\n") == std::string::npos)
    {
        return text;
    }
    std::string quoted = "\"";
    for (const char c : text)
    {
        quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    }
    return quoted + '"';
}

/// A string of JSON text (RFC 8259); bytes above ASCII pass as they are.
std::string
QuoteJson(const std::string& text)
{
    static const char* const HEX = "0123456789abcdef";
    std::string quoted = "\"";
    for (const char c : text)
    {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\')
        {
            quoted += '\\';
            quoted += c;
        }
        else if (byte < 0x20)
        {
            quoted += "\\u00";
            quoted += HEX[byte >> 4];
            quoted += HEX[byte & 15];
        }
        else
        {
            quoted += c;
        }
    }
    return quoted + '"';
}

std::string
FormatJson(const std::string& name, const std::optional<double>& value)
{
    if (value && !std::isfinite(*value))
    {
        throw std::invalid_argument("summary: " + name + " is not finite");
    }
    return value ? FormatRdmaReal(*value) : "null";
}

/// fct / ideal with six decimals, rounded half up, in integers: the same on every machine.
std::string
FormatSlowdown(QbbPs fct, QbbPs ideal)
{
    const auto divisor = static_cast<QbbUint128>(ideal.Get());
    const auto scaled =
        (static_cast<QbbUint128>(fct.Get()) * SLOWDOWN_SCALE * 2 + divisor) / (divisor * 2);
    const std::string decimals =
        std::to_string(SLOWDOWN_SCALE + static_cast<uint64_t>(scaled % SLOWDOWN_SCALE)).substr(1);
    return std::to_string(static_cast<uint64_t>(scaled / SLOWDOWN_SCALE)) + "." + decimals;
}

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

/// The flows, checked and ascending by id.
std::vector<const RdmaFlowResult*>
Sort(const std::vector<RdmaFlowResult>& results)
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
 * One sample at a time is in memory, since a run may have millions of flows.
 *
 * \param sorted the flows by id, so that sums do not depend on the order of completion
 * \param value what a completed flow counts
 * \return mean and 99th percentile; none if no flow has completed
 */
template <typename Value>
std::pair<std::optional<double>, std::optional<double>>
GetMeanAndP99(const std::vector<const RdmaFlowResult*>& sorted, Value value)
{
    std::vector<double> sample;
    sample.reserve(sorted.size());
    for (const auto* result : sorted)
    {
        if (result->IsCompleted())
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

} // namespace

namespace
{

/**
 * \param results results of a run
 * \param add is given flows.csv, line by line
 */
template <typename Add>
void
FormatFlowsCsv(const std::vector<RdmaFlowResult>& results, Add add)
{
    add("id,src,dst,bytes,start_ns,fct_ns,cqe_ns,ideal_fct_ns,slowdown,"
        "retransmitted_packets,timeouts,status\n");
    for (const auto* result : Sort(results))
    {
        const RdmaFlow& flow = result->flow;
        const bool done = result->IsCompleted();
        add(std::to_string(flow.id) + "," + std::to_string(flow.srcHost) + "," +
            std::to_string(flow.dstHost) + "," + std::to_string(flow.bytes) + "," +
            FormatRdmaNs(flow.start) + "," + (done ? FormatRdmaNs(*result->fct) : "") + "," +
            (done ? FormatRdmaNs(*result->cqe) : "") + "," + FormatRdmaNs(result->ideal) + "," +
            (done ? FormatSlowdown(*result->fct, result->ideal) : "") + "," +
            std::to_string(result->retransmittedPackets) + "," + std::to_string(result->timeouts) +
            "," + QuoteCsv(result->status) + "\n");
    }
}

} // namespace

std::string
FormatRdmaFlowsCsv(const std::vector<RdmaFlowResult>& results)
{
    std::string text;
    FormatFlowsCsv(results, [&text](const std::string& line) { text += line; });
    return text;
}

std::string
FormatRdmaPortsCsv(const std::vector<RdmaPortResult>& rows)
{
    const auto key = [](const RdmaPortResult& row) {
        return std::make_tuple(row.node, row.port, row.priority);
    };
    std::vector<RdmaPortResult> sorted = rows;
    std::sort(sorted.begin(), sorted.end(), [&key](const auto& a, const auto& b) {
        return key(a) < key(b);
    });
    std::string text = "node,port,priority,bytes,pauses_sent,pauses_received,paused_ns,drops,"
                       "marks,peak_queue_bytes\n";
    for (std::size_t i = 0; i < sorted.size(); ++i)
    {
        const auto& row = sorted[i];
        const bool isTwice = i > 0 && key(sorted[i - 1]) == key(row);
        if (isTwice || row.pausedTime < 0_ps)
        {
            throw std::invalid_argument(
                "port " + std::to_string(row.port) + " of node " + std::to_string(row.node) +
                ", priority " + std::to_string(row.priority) + ": " +
                (isTwice ? "two rows; accepted: one"
                         : "paused for a negative time; accepted: 0 or more"));
        }
        text += std::to_string(row.node) + "," + std::to_string(row.port) + "," +
                std::to_string(row.priority) + "," + std::to_string(row.bytes) + "," +
                std::to_string(row.pausesSent) + "," + std::to_string(row.pausesReceived) + "," +
                FormatRdmaNs(row.pausedTime) + "," + std::to_string(row.drops) + "," +
                std::to_string(row.marks) + "," + std::to_string(row.peakQueueBytes) + "\n";
    }
    return text;
}

std::string
FormatRdmaSummaryJson(const RdmaFabricSummary& summary)
{
    std::string text;
    const auto add = [&text](const std::string& name, const std::string& value) {
        text += (text.empty() ? "{\n  \"" : ",\n  \"") + name + "\": " + value;
    };
    const auto addReal = [&add](const std::string& name, const std::optional<double>& value) {
        add(name, FormatJson(name, value));
    };
    add("flows_total", std::to_string(summary.flowsTotal));
    add("flows_completed", std::to_string(summary.flowsCompleted));
    addReal("avg_slowdown", summary.avgSlowdown);
    addReal("p99_slowdown", summary.p99Slowdown);
    addReal("avg_fct_us", summary.avgFctUs);
    addReal("p99_fct_us", summary.p99FctUs);
    add("drops", std::to_string(summary.drops));
    add("pause_frames", std::to_string(summary.pauseFrames));
    add("ecn_marks", std::to_string(summary.ecnMarks));
    add("peak_queue_bytes", std::to_string(summary.peakQueueBytes));
    add("packet_hops", std::to_string(summary.packetHops));
    add("events", std::to_string(summary.events));
    addReal("sim_time_us", summary.simTimeUs);
    addReal("cpu_s", summary.cpuS);
    addReal("peak_rss_mb", summary.peakRssMb);
    add("digest", QuoteJson(summary.digest));
    return text + "\n}\n";
}

std::string
GetRdmaDigest(const std::vector<RdmaFlowResult>& results)
{
    RdmaSha256 hash;
    FormatFlowsCsv(results, [&hash](const std::string& line) { hash.Add(line); });
    return hash.Finish();
}

RdmaFabricSummary
MakeRdmaSummary(const std::vector<RdmaFlowResult>& results)
{
    RdmaFabricSummary summary;
    summary.digest = GetRdmaDigest(results);
    summary.flowsTotal = results.size();
    const auto sorted = Sort(results);
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
WriteRdmaReport(const std::string& directory,
                const std::vector<RdmaFlowResult>& results,
                const std::vector<RdmaPortResult>& ports,
                const RdmaFabricSummary& summary)
{
    Sort(results); // faults of the flows are told before a file is begun
    const std::string portsText = FormatRdmaPortsCsv(ports);
    const std::string summaryText = FormatRdmaSummaryJson(summary);
    const std::filesystem::path path(directory);
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (error || !std::filesystem::is_directory(path, error))
    {
        throw RdmaFileError(directory,
                            0,
                            "",
                            "the directory cannot be made" +
                                (error ? ": " + error.message() : std::string()));
    }
    WriteRdmaFile((path / "flows.csv").string(), [&results](std::ostream& out) {
        FormatFlowsCsv(results, [&out](const std::string& line) { out << line; });
    });
    WriteRdmaFile((path / "ports.csv").string(), portsText);
    WriteRdmaFile((path / "summary.json").string(), summaryText);
}

} // namespace ns3
