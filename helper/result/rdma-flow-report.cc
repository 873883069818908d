/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdma-flow-report.h"

#include "rdma-for-each-index.h"
#include "rdma-int128.h"
#include "rdma-quantile.h"
#include "rdma-sha256.h"
#include "rdma-units.h"

#include <ns3/global-value.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <utility>

namespace ns3
{

namespace
{

/// Returns the slowdown of a flow; no value if the flow did not finish.
std::optional<RdmaResultRatio>
GetRdmaSlowdown(const RdmaFlowResult& flow)
{
    return flow.IsCompleted() ? std::make_optional(RdmaResultRatio{*flow.fct, flow.ideal})
                              : std::nullopt;
}

/// Returns the FCT of a flow; no value if the flow did not finish.
std::optional<RdmaPs>
GetRdmaFct(const RdmaFlowResult& flow)
{
    return flow.IsCompleted() ? flow.fct : std::nullopt;
}

/// Returns the time to the sender's completion; no value if the flow did not finish.
std::optional<RdmaPs>
GetRdmaCqe(const RdmaFlowResult& flow)
{
    return flow.IsCompleted() ? flow.cqe : std::nullopt;
}

const std::vector<RdmaResultColumn<RdmaFlowResult>>&
GetRdmaFlowColumns()
{
    static const std::vector<RdmaResultColumn<RdmaFlowResult>> columns{
        {"id",
         "",
         "number of the flow, in the order of start times or as the flow file gives it",
         [](const RdmaFlowResult& f) { return f.flow.id; }},
        {"src",
         "",
         "node id of the sending host",
         [](const RdmaFlowResult& f) { return f.flow.srcHost; }},
        {"dst",
         "",
         "node id of the receiving host",
         [](const RdmaFlowResult& f) { return f.flow.dstHost; }},
        {"bytes",
         "bytes",
         "size of the message",
         [](const RdmaFlowResult& f) { return f.flow.bytes; }},
        {"start_ns",
         "ns",
         "when the message was posted",
         [](const RdmaFlowResult& f) { return f.flow.start; }},
        {"fct_ns",
         "ns",
         "from posting to the last byte in the receiver's memory; empty if the flow did not finish",
         &GetRdmaFct},
        {"cqe_ns",
         "ns",
         "from posting to the sender's completion (the last acknowledgement has come); empty if "
         "the flow did not finish",
         &GetRdmaCqe},
        {"ideal_fct_ns",
         "ns",
         "fct_ns of the message alone in the network: line rate, store and forward, exact",
         &RdmaFlowResult::ideal},
        {"slowdown",
         "",
         "fct_ns / ideal_fct_ns; empty if the flow did not finish",
         &GetRdmaSlowdown},
        {"retransmitted_packets",
         "packets",
         "packets that the sender sent again",
         &RdmaFlowResult::retransmittedPackets},
        {"timeouts",
         "",
         "how often the sender's retransmission timer ran out",
         &RdmaFlowResult::timeouts},
        {"status",
         "",
         "IBV_WC_SUCCESS, or the error as rdma-core names it, or what an unfinished flow waits for",
         &RdmaFlowResult::status},
    };
    return columns;
}

const std::vector<RdmaResultColumn<RdmaPortResult>>&
GetRdmaPortColumns()
{
    using Row = RdmaPortResult;
    static const auto columns = [] {
        auto all = MakeRdmaPortColumns<Row>();
        all.insert(
            all.end(),
            {{"line_rate_bps",
              "bit/s",
              "rate of the link",
              [](const Row& r) { return r.port->lineRate.Get(); }},
             {"role",
              "",
              "role of the node: host or switch",
              [](const Row& r) { return r.port->role == RdmaNodeRole::HOST ? "host" : "switch"; }},
             {"peer",
              "",
              "node id at the other end of the link",
              [](const Row& r) { return r.port->peer; }},
             {"peer_port", "", "number of the port at the other end of the link", [](const Row& r) {
                  return r.port->peerNumber;
              }}});
        return all;
    }();
    return columns;
}

const std::vector<RdmaResultColumn<RdmaFabricSummary>>&
GetRdmaSummaryColumns()
{
    static const std::vector<RdmaResultColumn<RdmaFabricSummary>> columns{
        {"flows_total", "flows", "number of flows", &RdmaFabricSummary::flowsTotal},
        {"flows_completed",
         "flows",
         "number of flows that finished",
         &RdmaFabricSummary::flowsCompleted},
        {"avg_slowdown",
         "",
         "mean slowdown of the flows that finished; null if none did",
         &RdmaFabricSummary::avgSlowdown},
        {"p99_slowdown",
         "",
         "99th percentile of their slowdown; null if none did",
         &RdmaFabricSummary::p99Slowdown},
        {"avg_fct_us",
         "us",
         "mean FCT of the flows that finished; null if none did",
         &RdmaFabricSummary::avgFctUs},
        {"p99_fct_us",
         "us",
         "99th percentile of their FCT; null if none did",
         &RdmaFabricSummary::p99FctUs},
        {"drops", "frames", "frames dropped anywhere for any reason", &RdmaFabricSummary::drops},
        {"pause_frames",
         "frames",
         "pause frames sent by all ports; a frame that names two priorities counts once here and "
         "in two rows of ports.csv",
         &RdmaFabricSummary::pauseFrames},
        {"ecn_marks", "packets", "packets marked CE by switches", &RdmaFabricSummary::ecnMarks},
        {"peak_queue_bytes",
         "bytes",
         "greatest length of the queue of a priority at a switch port",
         &RdmaFabricSummary::peakQueueBytes},
        {"packet_hops",
         "frames",
         "frames times links, pause frames and acknowledgements included",
         &RdmaFabricSummary::packetHops},
        {"events",
         "",
         "events of the simulator",
         &RdmaFabricSummary::events,
         RdmaResultSubject::RUN},
        {"sim_time_us",
         "us",
         "simulated time at the end",
         &RdmaFabricSummary::simTimeUs,
         RdmaResultSubject::RUN},
        {"cpu_s",
         "s",
         "CPU time of the simulation itself",
         &RdmaFabricSummary::cpuS,
         RdmaResultSubject::RUN},
        {"peak_rss_mb",
         "MB",
         "greatest resident memory of the process",
         &RdmaFabricSummary::peakRssMb,
         RdmaResultSubject::RUN},
        {"digest", "", "SHA-256 of flows.csv", &RdmaFabricSummary::digest},
    };
    return columns;
}

/**
 * Appends a key of a JSON object.
 * \param [in,out] text text of the JSON object
 * \param key name of the key
 */
void
AppendRdmaKey(std::string& text, const char* key)
{
    AppendRdmaField(text, RdmaResultFormat::JSON, std::string_view(key));
    text += ": ";
}

/**
 * Appends the description of a column.
 * \param [in,out] text text that is extended by a JSON object on one line
 * \param info description of the column
 */
void
AppendRdmaColumnInfo(std::string& text, const RdmaResultColumnInfo& info)
{
    static const char* const TYPES[] = {"integer", "number", "text"};
    static const char* const SUBJECTS[] = {"network", "run"};
    const auto add = [&text](const char* key, std::string_view value) {
        AppendRdmaKey(text, key);
        AppendRdmaField(text, RdmaResultFormat::JSON, value);
        text += ", ";
    };
    text += '{';
    add("name", info.name);
    add("unit", info.unit);
    add("type", TYPES[static_cast<std::size_t>(info.type)]);
    AppendRdmaKey(text, "optional");
    text += info.isOptional ? "true, " : "false, ";
    add("subject", SUBJECTS[static_cast<std::size_t>(info.subject)]);
    AppendRdmaKey(text, "meaning");
    AppendRdmaField(text, RdmaResultFormat::JSON, info.meaning);
    text += '}';
}

/**
 * Appends the description of a table.
 * \param [in,out] text text that is extended by a key and a list with one line per column
 * \param name name of the table
 * \param infos descriptions of its columns
 */
void
AppendRdmaTable(std::string& text,
                const std::string& name,
                const std::vector<RdmaResultColumnInfo>& infos)
{
    text += text.empty() ? "{\n  " : ",\n  ";
    AppendRdmaKey(text, name.c_str());
    const char* before = "[\n    ";
    for (const auto& info : infos)
    {
        text += before;
        AppendRdmaColumnInfo(text, info);
        before = ",\n    ";
    }
    text += "\n  ]";
}

/// Key of summary.json that says how a run ended.
const RdmaResultColumn<RdmaFabricSummary>&
GetEndedColumn()
{
    static const RdmaResultColumn<RdmaFabricSummary> column(
        "ended",
        "",
        "how the run ended: when all counted flows had ended, or cut by a signal, a deadlock or "
        "--stop",
        &RdmaFabricSummary::GetEnding);
    return column;
}

/// Columns of flows.csv with counted flows.
const RdmaResultTable<RdmaFlowResult> g_measuredFlowTable = MakeRdmaFileTable<RdmaFlowResult>(
    "measured-flows",
    {{"counted",
      "",
      "1: averages and percentiles cover the flow; 0: the flow starts outside the window",
      [](const RdmaFlowResult& f) { return uint64_t{f.isCounted}; }}});

const RdmaResultTable<RdmaFlowResult> g_reorderedFlowTable = MakeRdmaFileTable<RdmaFlowResult>(
    "reordered-flows",
    {{"early_packets",
      "packets",
      "packets that arrived before a packet sent earlier",
      [](const RdmaFlowResult& f) { return uint64_t{f.reordering.early}; }},
     {"reorder_distance",
      "packets",
      "largest distance of an arriving packet from the first missing one",
      [](const RdmaFlowResult& f) { return uint64_t{f.reordering.distance}; }},
     {"reorder_held",
      "packets",
      "most packets that had arrived beyond a missing one at a time",
      [](const RdmaFlowResult& f) { return uint64_t{f.reordering.held}; }},
     {"reorder_dropped",
      "packets",
      "packets that the receiver dropped because they came beyond its window",
      [](const RdmaFlowResult& f) { return uint64_t{f.reordering.beyond}; }}});

/// \return the keys of summary.json with counted flows
std::vector<RdmaResultColumn<RdmaFabricSummary>>
MakeMeasuredSummaryColumns()
{
    using Summary = RdmaFabricSummary;
    using Column = RdmaResultColumn<Summary>;
    std::vector<Column> columns{
        Column("window_begin_us",
               "us",
               "begin of the window in which counted flows start",
               [](const Summary& s) { return static_cast<double>(s.measured->begin) / 1e6; }),
        Column("window_end_us",
               "us",
               "end of that window",
               [](const Summary& s) { return static_cast<double>(s.measured->end) / 1e6; }),
        {"counted_flows",
         "flows",
         "number of counted flows; avg_slowdown, p99_slowdown, avg_fct_us and p99_fct_us cover "
         "them alone",
         [](const Summary& s) { return s.measured->flows; }},
        {"counted_completed",
         "flows",
         "number of counted flows that finished",
         [](const Summary& s) { return s.measured->completed; }},
        GetEndedColumn()};
    for (std::size_t i = 0; i < RdmaMeasuredSummary::SLICES; ++i)
    {
        const std::string name = "slice" + std::to_string(i + 1);
        const std::string of = "quarter " + std::to_string(i + 1) + " of the window, by start time";
        columns.insert(columns.end(),
                       {Column(name + "_flows",
                               "flows",
                               "number of counted flows in " + of,
                               [i](const Summary& s) { return s.measured->slices[i].flows; }),
                        Column(name + "_completed",
                               "flows",
                               "number of flows that finished in " + of,
                               [i](const Summary& s) { return s.measured->slices[i].completed; }),
                        {name + "_avg_fct_us",
                         "us",
                         "mean FCT in " + of + "; null if no flow finished",
                         [i](const Summary& s) { return s.measured->slices[i].avgFctUs; }},
                        {name + "_avg_slowdown",
                         "",
                         "mean slowdown in " + of + "; null if no flow finished",
                         [i](const Summary& s) { return s.measured->slices[i].avgSlowdown; }}});
    }
    columns.insert(columns.end(),
                   {{"fct_trend",
                     "",
                     "change of the mean FCT over the window, by a straight line through the four "
                     "quarters, over the mean of the quarters; null with too few flows",
                     [](const Summary& s) { return s.measured->fctTrend; }},
                    Column("fct_trend_error",
                           "",
                           "half of the 95% interval of fct_trend (Student's t)",
                           [](const Summary& s) { return s.measured->fctTrendError; }),
                    {"fct_trend_verdict",
                     "",
                     "rising, falling, none (0 is in the interval, and fct_trend_error is at most "
                     "0.25), undecided (0 is in a wider interval) or too few flows",
                     [](const Summary& s) { return s.measured->verdict; }}});
    return columns;
}

/// Keys of summary.json with counted flows.
const RdmaResultTable<RdmaFabricSummary> g_measuredSummaryTable =
    MakeRdmaFileTable<RdmaFabricSummary>("measured-summary", MakeMeasuredSummaryColumns());

/// Columns of flows.csv with flows that state their NIC or their queue pairs.
const RdmaResultTable<RdmaFlowResult> g_statedFlowTable = MakeRdmaFileTable<RdmaFlowResult>(
    "stated-flows",
    {{"nic",
      "",
      "number of the only NIC of both hosts that the flow uses, as the flow file states; empty: "
      "not stated",
      [](const RdmaFlowResult& f) {
          return f.flow.nic == RdmaFlow::ANY_NIC ? std::nullopt
                                                 : std::optional<uint32_t>(f.flow.nic);
      }},
     {"queue_pairs",
      "",
      "queue pairs for each pair of ports, as the flow file states; empty: not stated",
      [](const RdmaFlowResult& f) {
          return f.flow.queuePairs == 0 ? std::nullopt : std::optional<uint32_t>(f.flow.queuePairs);
      }}});

/** \return the awaited flows of a flow as text; empty: none */
std::string
GetRdmaAwaited(const RdmaFlowResult& flow)
{
    std::string text;
    for (std::size_t i = 0; flow.dependency && i < flow.dependency->after.size(); ++i)
    {
        text += (i > 0 ? "+" : "") + std::to_string(flow.dependency->after[i]);
    }
    return text;
}

/// Columns of flows.csv with flows that wait for others.
const RdmaResultTable<RdmaFlowResult> g_waitingFlowTable = MakeRdmaFileTable<RdmaFlowResult>(
    "waiting-flows",
    {{"after",
      "",
      "ids of the flows whose ends the flow waits for, with + between them; empty: none",
      &GetRdmaAwaited},
     {"delay_ns",
      "ns",
      "time from the last of these ends to the start, as the flow file states; empty: not stated",
      [](const RdmaFlowResult& f) {
          return f.dependency ? f.dependency->delay : std::optional<RdmaPs>();
      }},
     {"earliest_ns",
      "ns",
      "start of a waiting flow in the flow file, before which the flow does not start",
      [](const RdmaFlowResult& f) {
          return f.dependency ? std::optional<RdmaPs>(f.earliest) : std::nullopt;
      }}});

/** \return a number of a NIC's port; none at a switch */
template <uint32_t RdmaFabricPort::*Number>
std::optional<uint32_t>
GetRdmaNicNumber(const RdmaPortResult& row)
{
    const bool isNic = row.port->host != RdmaTopologyNode::NO_HOST;
    return isNic ? std::optional<uint32_t>((*row.port).*Number) : std::nullopt;
}

/// Columns of ports.csv with hosts of several NICs.
const RdmaResultTable<RdmaPortResult> g_nicPortTable = MakeRdmaFileTable<RdmaPortResult>(
    "nic-ports",
    {{"host",
      "",
      "id of the host, the node id of its first NIC; empty at a switch",
      &GetRdmaNicNumber<&RdmaFabricPort::host>},
     {"nic",
      "",
      "number of the NIC in the host, from 0; empty at a switch",
      &GetRdmaNicNumber<&RdmaFabricPort::nic>}});

/// Key of summary.json that only runs without a window have, if they were cut.
const RdmaResultTable<RdmaFabricSummary> g_cutSummaryTable =
    MakeRdmaFileTable<RdmaFabricSummary>("cut-summary", {GetEndedColumn()});

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
    const auto isLess = [](const auto* a, const auto* b) { return a->flow.id < b->flow.id; };
    if (!std::is_sorted(sorted.begin(), sorted.end(), isLess))
    {
        std::sort(sorted.begin(), sorted.end(), isLess);
    }
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
    const auto isLess = [&key](const auto* a, const auto* b) { return key(a) < key(b); };
    if (!std::is_sorted(sorted.begin(), sorted.end(), isLess))
    {
        std::sort(sorted.begin(), sorted.end(), isLess);
    }
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
 * Formats the rows of a file, on all threads of the simulator (global value "threads").
 *
 * \param table columns of a CSV file
 * \param rows rows of the file in order
 * \param add function that receives the text of the file piece by piece, in order
 */
template <typename Record, typename Add>
void
FormatRows(const RdmaResultTable<Record>& table, const std::vector<const Record*>& rows, Add add)
{
    constexpr std::size_t BLOCK = 1024; // rows, whose text fits the second-level cache of a core
    add(table.FormatHeader());
    // Columns of users may call functions that only one thread may use, as those of Python.
    UintegerValue value;
    GlobalValue::GetValueByName("threads", value);
    const std::size_t threads = table.GetOwnColumns().empty() ? value.Get() : 1;
    RdmaForEachInOrder<std::string>((rows.size() + BLOCK - 1) / BLOCK,
                                    threads,
                                    [&](std::size_t block, std::string& text) {
                                        const std::size_t end =
                                            std::min((block + 1) * BLOCK, rows.size());
                                        text.clear();
                                        for (std::size_t row = block * BLOCK; row < end; ++row)
                                        {
                                            table.AppendRow(text, *rows[row]);
                                        }
                                    },
                                    add);
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

/// Returns the digest of results that are in ascending order of id.
std::string
GetDigest(const std::vector<const RdmaFlowResult*>& sorted, const RdmaResultTables& tables)
{
    RdmaSha256 hash;
    FormatRows(tables.flows, sorted, [&hash](const std::string& line) { hash.Add(line); });
    return hash.Finish();
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
RdmaRunCut::Describe() const
{
    const bool isDeadlock = by == "deadlock";
    return "cut " + (IsUnplanned() && !isDeadlock ? "by " + by + " " : "") + "at " +
           FormatRdmaMicroseconds(at) + (isDeadlock ? " in a deadlock" : "") + ": " +
           std::to_string(left) + " of " + std::to_string(flows) + (hasWindow ? " counted" : "") +
           (isSchedule ? " ranks of jobs unfinished" : " flows unfinished");
}

std::string
RdmaFabricSummary::GetEnding() const
{
    return cut ? cut->Describe() : "all counted flows ended";
}

std::string
FormatRdmaMicroseconds(RdmaPs time)
{
    return FormatRdmaReal(static_cast<double>(time) / 1e6) + "us";
}

RdmaMeasuredSummary
MakeRdmaMeasuredSummary(const std::vector<RdmaFlowResult>& results, RdmaPs begin, RdmaPs end)
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
        const RdmaInt128 after = (result.flow.start - begin).Get();
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

RdmaResultTables::RdmaResultTables()
    : flows("flows", GetRdmaFlowColumns()),
      ports("ports", GetRdmaPortColumns()),
      summary("summary", GetRdmaSummaryColumns())
{
}

std::string
RdmaResultTables::Describe() const
{
    std::string text;
    AppendRdmaTable(text, flows.GetName(), flows.GetInfos());
    AppendRdmaTable(text, ports.GetName(), ports.GetInfos());
    AppendRdmaTable(text, summary.GetName(), summary.GetInfos());
    for (const auto& [option, infos] : GetRdmaFileColumns())
    {
        AppendRdmaTable(text, option, infos);
    }
    return text + "\n}\n";
}

void
AddRdmaMeasuredColumns(RdmaResultTables& tables)
{
    tables.flows.Extend(g_measuredFlowTable.GetColumns());
    tables.summary.Extend(g_measuredSummaryTable.GetColumns());
}

void
AddRdmaReorderingColumns(RdmaResultTables& tables)
{
    tables.flows.Extend(g_reorderedFlowTable.GetColumns());
}

void
AddRdmaStatedColumns(RdmaResultTables& tables, const std::vector<RdmaFlowResult>& results)
{
    if (std::any_of(results.begin(), results.end(), [](const RdmaFlowResult& result) {
            return result.flow.nic != RdmaFlow::ANY_NIC || result.flow.queuePairs > 0;
        }))
    {
        tables.flows.Extend(g_statedFlowTable.GetColumns());
    }
    if (std::any_of(results.begin(), results.end(), [](const RdmaFlowResult& result) {
            return result.dependency != nullptr;
        }))
    {
        tables.flows.Extend(g_waitingFlowTable.GetColumns());
    }
}

void
AddRdmaNicColumns(RdmaResultTables& tables)
{
    tables.ports.Extend(g_nicPortTable.GetColumns());
}

void
AddRdmaCutColumns(RdmaResultTables& tables)
{
    tables.summary.Extend(g_cutSummaryTable.GetColumns());
}

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
    return GetDigest(SortFlowResults(results), tables);
}

RdmaFabricSummary
MakeRdmaSummary(const std::vector<RdmaFlowResult>& results,
                const RdmaFabricTotals& totals,
                const RdmaResultTables& tables)
{
    RdmaFabricSummary summary;
    static_cast<RdmaFabricTotals&>(summary) = totals;
    const auto sorted = SortFlowResults(results);
    summary.digest = GetDigest(sorted, tables);
    summary.flowsTotal = results.size();
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
