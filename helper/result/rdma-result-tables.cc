/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-result-tables.h"

#include "rdma-file-table.h"
#include "rdma-port-columns.h"

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

} // namespace ns3
