/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdma-flow-reader.h"

#include "rdma-file-error.h"
#include "rdma-flow-dependencies.h"
#include "rdma-flow-report.h"
#include "rdma-int128.h"
#include "rdma-part.h"
#include "rdma-text-file.h"
#include "rdma-units.h"
#include "rdma-warnings.h"

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_map>
#include <utility>

namespace ns3
{

namespace
{

/// Fields of a flow; the first N_REQUIRED columns of a CSV file are mandatory.
enum FlowField
{
    ID,
    SRC,
    DST,
    BYTES,
    START,
    PRIORITY,
    DST_PORT,
    NIC,
    QUEUE_PAIRS,
    AFTER,
    DELAY,
    EARLIEST,
    N_FIELDS
};

constexpr std::size_t N_REQUIRED = PRIORITY;
constexpr std::size_t N_TEXT_FIELDS = 6; //!< fields of a line of flow.txt
constexpr std::size_t ABSENT = std::numeric_limits<std::size_t>::max();
const char* const COLUMNS =
    "the columns id, src, dst, bytes, start_ns, and if wanted priority, "
    "dst_port, nic, queue_pairs, after, delay_ns, in any order, separated by "
    "commas";

/// Reads the lines of a flow file with given names, places and units of the fields.
class FlowLineReader
{
  public:
    using Names = std::array<const char*, N_FIELDS>;
    using Places = std::array<std::size_t, N_FIELDS>;

    FlowLineReader(RdmaLineReader& lines,
                   const RdmaTopology& topology,
                   const Names& names,
                   const Places& places,
                   RdmaPs timeUnit)
        : m_lines(lines),
          m_topology(topology),
          m_names(names),
          m_places(places),
          m_timeUnit(timeUnit),
          m_rates(topology.GetNodeRates())
    {
    }

    /// Reads the current line. The id stays as it is if the file has no column for it.
    RdmaFlow Read(uint64_t id) const
    {
        RdmaFlow flow;
        flow.id = GetInteger(ID, 0, std::numeric_limits<uint64_t>::max(), id);
        flow.srcHost = GetHost(SRC);
        flow.dstHost = GetHost(DST);
        flow.priority = static_cast<uint16_t>(GetInteger(PRIORITY, 0, 7, flow.priority));
        flow.dstPort = static_cast<uint16_t>(GetInteger(DST_PORT, 0, 65535, flow.dstPort));
        flow.nic = GetNic(flow);
        flow.queuePairs =
            IsStated(QUEUE_PAIRS) ? static_cast<uint16_t>(GetInteger(QUEUE_PAIRS, 1, 1024, 0)) : 0;
        flow.bytes = GetInteger(BYTES, 1, RDMA_MAX_FLOW_BYTES, 0);
        flow.start = GetTime(IsStated(EARLIEST) ? EARLIEST : START);
        if (flow.srcHost == flow.dstHost)
        {
            m_lines.Fail("",
                         "a flow from host " + std::to_string(flow.srcHost) + " to itself",
                         "two different hosts");
        }
        CheckDuration(flow);
        return flow;
    }

    /// \return the flows for which the flow of the current line waits; no value: it does not wait
    std::optional<RdmaFlowDependency> ReadDependency(uint64_t id) const
    {
        if (!IsStated(AFTER))
        {
            for (const FlowField field : {DELAY, EARLIEST})
            {
                if (IsStated(field))
                {
                    m_lines.Fail(m_names[field],
                                 "the flow waits for no other",
                                 "an empty field, or ids of flows in the column after");
                }
            }
            return {};
        }
        RdmaFlowDependency dependency;
        dependency.flow = id;
        m_lines.Get(m_places[AFTER], m_names[AFTER], [&dependency](const std::string& text) {
            for (std::size_t begin = 0; begin <= text.size();)
            {
                const std::size_t end = std::min(text.find('+', begin), text.size());
                dependency.after.push_back(ParseRdmaInteger(text.substr(begin, end - begin),
                                                            0,
                                                            std::numeric_limits<uint64_t>::max()));
                begin = end + 1;
            }
            return 0;
        });
        if (IsStated(DELAY))
        {
            dependency.delay = GetTime(DELAY);
        }
        return dependency;
    }

    /// \return name of a field
    const char* GetName(FlowField field) const
    {
        return m_names[field];
    }

    /// \param id number of the flow \return true if the current line is a flow
    bool IsFlow(uint64_t id) const
    {
        try
        {
            return m_lines.GetFields().size() == N_TEXT_FIELDS && Read(id).id == id;
        }
        catch (const RdmaFileError&)
        {
            return false;
        }
    }

  private:
    /// Refuses a flow that cannot end at a time that the simulator knows.
    void CheckDuration(const RdmaFlow& flow) const
    {
        constexpr uint64_t BIT_PS_PER_BYTE_S = 8'000'000'000'000;
        const RdmaBitRate rate = m_rates[flow.srcHost];
        const RdmaUint128 bits = static_cast<RdmaUint128>(RDMA_MAX_TIME.Get()) * rate.Get();
        const auto most = static_cast<uint64_t>(
            std::min<RdmaUint128>(bits / BIT_PS_PER_BYTE_S, RDMA_MAX_FLOW_BYTES));
        if (flow.bytes > most)
        {
            m_lines.Fail(m_names[BYTES],
                         std::to_string(flow.bytes) + " take longer than " +
                             std::to_string(RDMA_MAX_TIME / 1_s) + " s, the latest time, at the " +
                             FormatRdmaRate(rate) + " of host " + std::to_string(flow.srcHost),
                         "1 to " + std::to_string(most));
        }
    }

    uint64_t GetInteger(FlowField field, uint64_t min, uint64_t max, uint64_t absent) const
    {
        const std::size_t place = m_places[field];
        return place == ABSENT ? absent : m_lines.GetInteger(place, m_names[field], min, max);
    }

    /// \return false if the file has no such column, or the line an empty field
    bool IsStated(FlowField field) const
    {
        const std::size_t place = m_places[field];
        return place != ABSENT && !m_lines.GetFields().at(place).empty();
    }

    RdmaPs GetTime(FlowField field) const
    {
        return m_lines.GetTime(m_places[field], m_names[field], m_timeUnit);
    }

    /// \return the NIC that the flow is to use
    uint16_t GetNic(const RdmaFlow& flow) const
    {
        if (!IsStated(NIC))
        {
            return RdmaFlow::ANY_NIC;
        }
        const std::size_t most = std::max(m_topology.GetNics(flow.srcHost).size(),
                                          m_topology.GetNics(flow.dstHost).size());
        return static_cast<uint16_t>(GetInteger(NIC, 0, most - 1, 0));
    }

    uint32_t GetHost(FlowField field) const
    {
        const auto id =
            static_cast<uint32_t>(GetInteger(field, 0, std::numeric_limits<uint32_t>::max(), 0));
        if (!m_topology.IsHost(id))
        {
            m_lines.Fail(m_names[field],
                         std::to_string(id) + (id < m_topology.GetNNodes()
                                                   ? " is a switch"
                                                   : " does not exist in the topology"),
                         "the node id of a host");
        }
        return id;
    }

    RdmaLineReader& m_lines;
    const RdmaTopology& m_topology;
    Names m_names;
    Places m_places;
    RdmaPs m_timeUnit;
    std::vector<RdmaBitRate> m_rates; //!< rate of all links of a node, by node id
};

/// \return true if the flows look like lines of the simulator of DCQCN (2015), whose last columns
/// are the packets, the start and the end in seconds: the end is never before the start
bool
LooksLikePackets(const std::vector<RdmaFlow>& flows)
{
    return !flows.empty() && std::all_of(flows.begin(), flows.end(), [](const RdmaFlow& flow) {
        return flow.bytes <= static_cast<uint64_t>(flow.start / 1_s);
    });
}

RdmaFlowList
ParseText(const std::string& text, const std::string& fileName, const RdmaTopology& topology)
{
    RdmaLineReader lines(text, fileName, RdmaLineReader::Separator::BLANKS);
    const FlowLineReader reader(lines,
                                topology,
                                {"",
                                 "source",
                                 "destination",
                                 "bytes",
                                 "start-time",
                                 "priority",
                                 "destination-port",
                                 "nic",
                                 "queue-pairs",
                                 "after",
                                 "delay",
                                 "earliest"},
                                {ABSENT, 0, 1, 4, 5, 2, 3, ABSENT, ABSENT, ABSENT, ABSENT, ABSENT},
                                1_s);
    lines.Require("number of flows");
    lines.RequireFields(1, "number of flows");
    const uint64_t count =
        lines.GetInteger(0, "number of flows", 0, std::numeric_limits<uint32_t>::max());
    std::vector<RdmaFlow> flows;
    while (flows.size() < count)
    {
        lines.Require("flow " + std::to_string(flows.size() + 1) + " of " + std::to_string(count));
        lines.RequireFields(N_TEXT_FIELDS,
                            "source destination priority destination-port bytes start-time");
        flows.push_back(reader.Read(flows.size()));
    }
    lines.ReportRounding();
    lines.SkipRest(count, "flow", [&] { return reader.IsFlow(count); });
    if (LooksLikePackets(flows))
    {
        GetRdmaWarnings()
            << "rdma: note: " << fileName
            << ": no flow has more bytes than seconds before its start; the columns are source "
               "destination priority destination-port bytes start-time, and not the source "
               "destination priority packets start end of the simulator of 2015\n";
    }
    return {flows, {}};
}

/// \return names of the columns of a flows.csv that are results
std::vector<std::string>
GetResultColumns()
{
    RdmaResultTables tables;
    AddRdmaMeasuredColumns(tables);
    AddRdmaReorderingColumns(tables);
    std::vector<std::string> names;
    for (const RdmaResultColumnInfo& info : tables.flows.GetInfos())
    {
        names.push_back(info.name);
    }
    return names;
}

[[noreturn]] void
RefuseColumn(const RdmaLineReader& lines,
             const std::string& name,
             const FlowLineReader::Names& names)
{
    if (name.empty())
    {
        lines.Fail("header",
                   "a column without a name",
                   std::string(COLUMNS) + "; pandas writes no such column with index=False");
    }
    const std::string nearest = FindNearestRdmaWord(name, {names.begin(), names.end()});
    lines.Fail("header",
               "unknown column " + QuoteRdmaText(name) +
                   (nearest.empty() ? "" : "; did you mean " + nearest + "?"),
               COLUMNS);
}

/// Finds the columns of a CSV file by its header, the current line.
FlowLineReader::Places
FindColumns(const RdmaLineReader& lines,
            const std::string& fileName,
            const FlowLineReader::Names& names)
{
    const std::vector<std::string> results = GetResultColumns();
    FlowLineReader::Places places;
    places.fill(ABSENT);
    std::string leftOut;
    for (std::size_t i = 0; i < lines.GetFields().size(); ++i)
    {
        const std::string name = lines.GetFields().at(i);
        const auto known = std::find(names.begin(), names.end(), name);
        if (known == names.end())
        {
            if (std::find(results.begin(), results.end(), name) == results.end())
            {
                RefuseColumn(lines, name, names);
            }
            leftOut += (leftOut.empty() ? "" : ", ") + name;
            continue;
        }
        std::size_t& place = places[known - names.begin()];
        if (place != ABSENT)
        {
            lines.Fail("header", "column " + QuoteRdmaText(name) + " appears twice", COLUMNS);
        }
        place = i;
    }
    const auto missing = std::find(places.begin(), places.begin() + N_REQUIRED, ABSENT);
    if (missing != places.begin() + N_REQUIRED)
    {
        const std::string name = names[missing - places.begin()];
        lines.Fail("header", "no column " + QuoteRdmaText(name), COLUMNS);
    }
    if (!leftOut.empty())
    {
        GetRdmaWarnings() << "rdma: note: " << fileName
                          << ": flows of an earlier run; its results are left out (" << leftOut
                          << ")"
                          << (places[PRIORITY] == ABSENT ? ", and all flows are of class 3" : "")
                          << "\n";
    }
    return places;
}

RdmaFlowList
ParseCsv(const std::string& text, const std::string& fileName, const RdmaTopology& topology)
{
    const FlowLineReader::Names names{"id",
                                      "src",
                                      "dst",
                                      "bytes",
                                      "start_ns",
                                      "priority",
                                      "dst_port",
                                      "nic",
                                      "queue_pairs",
                                      "after",
                                      "delay_ns",
                                      "earliest_ns"};
    RdmaLineReader lines(text, fileName, RdmaLineReader::Separator::COMMA);
    lines.Require("header");
    const FlowLineReader reader(lines, topology, names, FindColumns(lines, fileName, names), 1_ns);
    const std::size_t count = lines.GetFields().size();
    std::string header = lines.GetFields().at(0);
    for (std::size_t i = 1; i < count; ++i)
    {
        header += "," + lines.GetFields().at(i);
    }
    RdmaFlowList list;
    std::unordered_map<uint64_t, uint64_t> lineOfId;
    while (lines.Next())
    {
        lines.RequireFields(count, header);
        list.flows.push_back(reader.Read(0));
        const uint64_t id = list.flows.back().id;
        const auto [first, isNew] = lineOfId.emplace(id, lines.GetLine());
        if (!isNew)
        {
            lines.Fail("id",
                       std::to_string(id) + " is in line " + std::to_string(first->second) +
                           " already",
                       "each id once");
        }
        if (auto dependency = reader.ReadDependency(id))
        {
            list.dependencies.push_back(std::move(*dependency));
        }
    }
    lines.ReportRounding();
    const auto fault = list.dependencies.empty()
                           ? std::nullopt
                           : FindRdmaDependencyFault(list.flows, list.dependencies);
    if (fault)
    {
        throw RdmaFileError(fileName,
                            lineOfId[list.dependencies[fault->place].flow],
                            reader.GetName(fault->isInDelay ? DELAY : AFTER),
                            fault->problem,
                            fault->accepted);
    }
    return list;
}

} // namespace

RdmaFlowList
ReadRdmaFlows(const std::string& path, const RdmaTopology& topology)
{
    return ParseRdmaFlows(ReadRdmaFile(path), path, topology);
}

RdmaFlowList
ParseRdmaFlows(const std::string& text, const std::string& fileName, const RdmaTopology& topology)
{
    // A comma in the first line identifies CSV.
    const std::size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
    const std::string first = text.substr(begin, text.find('\n', begin) - begin);
    const bool isCsv = first.find(',') != std::string::npos;
    if (!isCsv && first.find(';') != std::string::npos)
    {
        throw RdmaFileError(fileName, 0, "header", "semicolons separate the columns", COLUMNS);
    }
    RdmaFlowList list =
        isCsv ? ParseCsv(text, fileName, topology) : ParseText(text, fileName, topology);
    if (list.flows.empty())
    {
        GetRdmaWarnings() << "rdma: warning: " << fileName << ": the file has no flow\n";
    }
    return list;
}

} // namespace ns3
