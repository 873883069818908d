/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-result-tables.h"

#include <optional>

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
std::optional<QbbPs>
GetRdmaFct(const RdmaFlowResult& flow)
{
    return flow.IsCompleted() ? flow.fct : std::nullopt;
}

/// Returns the time to the sender's completion; no value if the flow did not finish.
std::optional<QbbPs>
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
    static const std::vector<RdmaResultColumn<RdmaPortResult>> columns{
        {"node", "", "node id", &RdmaPortResult::node},
        {"port", "", "number of the port at the node", &RdmaPortResult::port},
        {"priority", "", "class, 0 to 7", &RdmaPortResult::priority},
        {"bytes",
         "bytes",
         "frame bytes sent, from MAC address to FCS, without pause frames",
         &RdmaPortResult::bytes},
        {"pauses_sent",
         "frames",
         "pause frames sent that name this class: pauses, their repetitions, and resumptions",
         &RdmaPortResult::pausesSent},
        {"pauses_received",
         "frames",
         "pause frames received that name this class: pauses, their repetitions, and resumptions",
         &RdmaPortResult::pausesReceived},
        {"paused_ns",
         "ns",
         "how long this port was not allowed to send this class",
         &RdmaPortResult::pausedTime},
        {"drops", "frames", "frames thrown away on their way in or out", &RdmaPortResult::drops},
        {"marks", "packets", "packets marked CE on their way out", &RdmaPortResult::marks},
        {"peak_queue_bytes",
         "bytes",
         "the longest that the queue of this class has been",
         &RdmaPortResult::peakQueueBytes},
    };
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
        {"drops",
         "frames",
         "frames thrown away anywhere, for whatever reason",
         &RdmaFabricSummary::drops},
        {"pause_frames",
         "frames",
         "pause frames sent; one that names two classes counts once here and in two rows of "
         "ports.csv",
         &RdmaFabricSummary::pauseFrames},
        {"ecn_marks",
         "packets",
         "packets that switches have marked CE",
         &RdmaFabricSummary::ecnMarks},
        {"peak_queue_bytes",
         "bytes",
         "the longest that the queue of a class at a switch port has been",
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
         "MiB",
         "the most memory that the process has had",
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
 * \param table table to describe
 */
template <typename Record>
void
AppendRdmaTable(std::string& text, const RdmaResultTable<Record>& table)
{
    text += "  ";
    AppendRdmaKey(text, table.GetName().c_str());
    const char* before = "[\n    ";
    for (const auto& column : table.GetColumns())
    {
        text += before;
        AppendRdmaColumnInfo(text, column.GetInfo());
        before = ",\n    ";
    }
    text += "\n  ]";
}

} // namespace

RdmaResultTables::RdmaResultTables()
    : flows("flows", GetRdmaFlowColumns()),
      ports("ports", GetRdmaPortColumns()),
      summary("summary", GetRdmaSummaryColumns())
{
}

std::string
RdmaResultTables::Describe() const
{
    std::string text = "{\n";
    AppendRdmaTable(text, flows);
    text += ",\n";
    AppendRdmaTable(text, ports);
    text += ",\n";
    AppendRdmaTable(text, summary);
    return text + "\n}\n";
}

} // namespace ns3
