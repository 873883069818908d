/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdma-flow-reader.h"

#include "rdma-text-file.h"
#include "rdma-units.h"

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_map>

namespace ns3
{

namespace
{

constexpr uint64_t MAX_FLOW_PRIORITY = 7;
constexpr uint64_t MAX_FLOW_PORT = 65535;

/// Columns of a CSV flow file; the first N_REQUIRED columns are mandatory.
enum Column
{
    ID,
    SRC,
    DST,
    BYTES,
    START_NS,
    PRIORITY,
    DST_PORT,
    N_COLUMNS
};

constexpr std::size_t N_REQUIRED = PRIORITY;
constexpr std::array<const char*, N_COLUMNS> COLUMN_NAMES{
    "id",
    "src",
    "dst",
    "bytes",
    "start_ns",
    "priority",
    "dst_port",
};
const char* const COLUMNS = "the columns id, src, dst, bytes, start_ns, and if wanted priority, "
                            "dst_port, in any order, separated by commas";

/// Reads the fields common to both flow file formats.
class FieldReader
{
  public:
    FieldReader(const RdmaLineReader& lines, const RdmaTopology& topology)
        : m_lines(lines),
          m_topology(topology)
    {
    }

    uint32_t GetHost(std::size_t index, const std::string& name) const
    {
        const auto id = static_cast<uint32_t>(
            m_lines.GetInteger(index, name, 0, std::numeric_limits<uint32_t>::max()));
        if (!m_topology.IsHost(id))
        {
            m_lines.Fail(name,
                         std::to_string(id) + (id < m_topology.GetNNodes()
                                                   ? " is a switch"
                                                   : " does not exist in the topology"),
                         "the node id of a host");
        }
        return id;
    }

    uint32_t GetSmall(std::size_t index, const std::string& name, uint64_t max) const
    {
        return static_cast<uint32_t>(m_lines.GetInteger(index, name, 0, max));
    }

    uint64_t GetBytes(std::size_t index) const
    {
        return m_lines.GetInteger(index, "bytes", 1, RDMA_MAX_FLOW_BYTES);
    }

    QbbPs GetStart(std::size_t index, const std::string& name, QbbPs unit) const
    {
        return m_lines.Get(index, name, [unit](const std::string& text) {
            return ParseRdmaTimeIn(text, unit);
        });
    }

    void CheckEnds(const RdmaFlow& flow) const
    {
        if (flow.srcHost == flow.dstHost)
        {
            m_lines.Fail("",
                         "a flow from host " + std::to_string(flow.srcHost) + " to itself",
                         "two different hosts");
        }
    }

  private:
    const RdmaLineReader& m_lines;
    const RdmaTopology& m_topology;
};

std::vector<RdmaFlow>
ParseText(const std::string& text, const std::string& fileName, const RdmaTopology& topology)
{
    RdmaLineReader lines(text, fileName, RdmaLineReader::Separator::BLANKS);
    const FieldReader fields(lines, topology);
    lines.Require("number of flows");
    lines.RequireFields(1, "number of flows");
    const uint64_t count =
        lines.GetInteger(0, "number of flows", 0, std::numeric_limits<uint32_t>::max());
    std::vector<RdmaFlow> flows;
    while (flows.size() < count)
    {
        lines.Require("flow " + std::to_string(flows.size() + 1) + " of " + std::to_string(count));
        lines.RequireFields(6, "source destination priority destination-port bytes start-time");
        RdmaFlow flow;
        flow.id = flows.size();
        flow.srcHost = fields.GetHost(0, "source");
        flow.dstHost = fields.GetHost(1, "destination");
        flow.priority = fields.GetSmall(2, "priority", MAX_FLOW_PRIORITY);
        flow.dstPort = fields.GetSmall(3, "destination-port", MAX_FLOW_PORT);
        flow.bytes = fields.GetBytes(4);
        flow.start = fields.GetStart(5, "start-time", 1_s);
        fields.CheckEnds(flow);
        flows.push_back(flow);
    }
    lines.SkipRest("flow " + std::to_string(count) + " of " + std::to_string(count));
    return flows;
}

/// Positions of the columns in a CSV flow file.
struct FlowFileHeader
{
    static constexpr std::size_t NONE = std::numeric_limits<std::size_t>::max();

    std::array<std::size_t, N_COLUMNS> index; //!< position by Column; NONE for a missing column
    std::size_t count{0};                     //!< number of columns in the file
    std::string names;                        //!< column names as written in the file

    explicit FlowFileHeader(const RdmaLineReader& lines)
        : count(lines.GetNFields())
    {
        index.fill(NONE);
        for (std::size_t i = 0; i < count; ++i)
        {
            const std::string name = lines.GetField(i);
            const auto known = std::find(COLUMN_NAMES.begin(), COLUMN_NAMES.end(), name);
            if (known == COLUMN_NAMES.end())
            {
                lines.Fail("header", "unknown column " + QuoteRdmaText(name), COLUMNS);
            }
            std::size_t& place = index[known - COLUMN_NAMES.begin()];
            if (place != NONE)
            {
                lines.Fail("header", "column " + QuoteRdmaText(name) + " appears twice", COLUMNS);
            }
            place = i;
            names += (i > 0 ? "," : "") + name;
        }
        for (std::size_t i = 0; i < N_REQUIRED; ++i)
        {
            if (index[i] == NONE)
            {
                lines.Fail("header",
                           std::string("no column ") + QuoteRdmaText(COLUMN_NAMES[i]),
                           COLUMNS);
            }
        }
    }
};

std::vector<RdmaFlow>
ParseCsv(const std::string& text, const std::string& fileName, const RdmaTopology& topology)
{
    RdmaLineReader lines(text, fileName, RdmaLineReader::Separator::COMMA);
    const FieldReader fields(lines, topology);
    lines.Require("header");
    const FlowFileHeader header(lines);
    std::vector<RdmaFlow> flows;
    std::unordered_map<uint64_t, uint64_t> lineOfId;
    while (lines.Next())
    {
        lines.RequireFields(header.count, header.names);
        RdmaFlow flow;
        flow.id = lines.GetInteger(header.index[ID], "id", 0, std::numeric_limits<uint64_t>::max());
        const auto [first, isNew] = lineOfId.emplace(flow.id, lines.GetLine());
        if (!isNew)
        {
            lines.Fail("id",
                       std::to_string(flow.id) + " is in line " + std::to_string(first->second) +
                           " already",
                       "each id once");
        }
        flow.srcHost = fields.GetHost(header.index[SRC], "src");
        flow.dstHost = fields.GetHost(header.index[DST], "dst");
        flow.bytes = fields.GetBytes(header.index[BYTES]);
        flow.start = fields.GetStart(header.index[START_NS], "start_ns", 1_ns);
        if (header.index[PRIORITY] != FlowFileHeader::NONE)
        {
            flow.priority = fields.GetSmall(header.index[PRIORITY], "priority", MAX_FLOW_PRIORITY);
        }
        if (header.index[DST_PORT] != FlowFileHeader::NONE)
        {
            flow.dstPort = fields.GetSmall(header.index[DST_PORT], "dst_port", MAX_FLOW_PORT);
        }
        fields.CheckEnds(flow);
        flows.push_back(flow);
    }
    return flows;
}

} // namespace

std::vector<RdmaFlow>
ReadRdmaFlows(const std::string& path, const RdmaTopology& topology)
{
    return ParseRdmaFlows(ReadRdmaFile(path), path, topology);
}

std::vector<RdmaFlow>
ParseRdmaFlows(const std::string& text, const std::string& fileName, const RdmaTopology& topology)
{
    // A comma in the first line identifies CSV.
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    const bool isCsv =
        begin != std::string::npos &&
        text.substr(begin, text.find('\n', begin) - begin).find(',') != std::string::npos;
    return isCsv ? ParseCsv(text, fileName, topology) : ParseText(text, fileName, topology);
}

} // namespace ns3
