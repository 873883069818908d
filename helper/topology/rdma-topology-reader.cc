/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdma-topology-reader.h"

#include "rdma-file-error.h"
#include "rdma-text-file.h"
#include "rdma-topology-lines.h"
#include "rdma-units.h"

#include <stdexcept>
#include <vector>

namespace ns3
{

namespace
{

double
ParseErrorRate(const std::string& text)
{
    const double rate = ParseRdmaReal(text);
    if (rate >= 1.0)
    {
        throw std::invalid_argument(QuoteRdmaText(text) + " is too large; accepted: 0 to below 1");
    }
    return rate;
}

RdmaPs
ReadDelay(RdmaLineReader& lines, std::size_t index)
{
    const RdmaPs delay = lines.GetTime(index, "delay");
    if (delay == 0_ps || delay > RDMA_MAX_DELAY)
    {
        lines.Fail("delay",
                   QuoteRdmaText(lines.GetFields().at(index)) + " is too " +
                       (delay == 0_ps ? "small" : "large"),
                   "1ps to " + FormatRdmaTime(RDMA_MAX_DELAY) + " (every link needs a delay)");
    }
    return delay;
}

/// Refuses a first line that is of no known format, and SimAI's by name.
void
CheckHeaderFormat(const RdmaLineReader& lines)
{
    const std::string accepted = "3: nodes switches links; 4: nodes switches racks links; 6: nodes "
                                 "switches racks links host-rate rate";
    const std::size_t fields = lines.GetFields().size();
    const std::string last = lines.GetFields().at(fields - 1);
    const bool endsWithNumber = last.front() >= '0' && last.front() <= '9';
    if (fields == 6 && !endsWithNumber)
    {
        lines.Fail(
            "",
            "nodes gpus-per-server nvswitches switches links gpu-type, SimAI's format, which "
            "ParseRdmaSimaiTopology() and --topology=file:PATH read",
            accepted);
    }
    if (fields != 3 && fields != 4 && fields != 6)
    {
        lines.Fail("", std::to_string(fields) + " fields", accepted);
    }
}

RdmaTopologyLink
ReadLink(RdmaLineReader& lines, uint64_t nodes)
{
    lines.RequireFields(5, "node node rate delay error-rate");
    RdmaTopologyLink link;
    link.a = static_cast<uint32_t>(lines.GetInteger(0, "node", 0, nodes - 1));
    link.b = static_cast<uint32_t>(lines.GetInteger(1, "node", 0, nodes - 1));
    if (link.a == link.b)
    {
        lines.Fail("node",
                   "a link from " + std::to_string(link.a) + " to itself",
                   "two different nodes");
    }
    link.rate = lines.Get(2, "rate", ParseRdmaPlainRate);
    link.delay = ReadDelay(lines, 3);
    link.errorRate = lines.Get(4, "error-rate", ParseErrorRate);
    return link;
}

/// \return true if the current line is a link
bool
IsLink(RdmaLineReader& lines, uint64_t nodes)
{
    try
    {
        ReadLink(lines, nodes);
        return true;
    }
    catch (const RdmaFileError&)
    {
        return false;
    }
}

/// Refuses what the format cannot say.
void
CheckFormat(const RdmaTopology& topology)
{
    for (const RdmaTopologyNode& node : topology.GetNodes())
    {
        const bool isFurther =
            node.role == RdmaNodeRole::HOST && &node != &topology.GetNode(node.host);
        if (isFurther || node.bonded)
        {
            throw std::invalid_argument(
                "topology: " + QuoteRdmaText(node.name) +
                (isFurther ? " is a further NIC of a host" : " is a NIC with bonded ports") +
                ", which the format cannot say; accepted: hosts of one NIC without a bond");
        }
    }
}

} // namespace

std::vector<uint32_t>
ReadRdmaTopologyIds(RdmaLineReader& lines, uint64_t nodes, uint64_t count, const std::string& what)
{
    std::vector<uint32_t> ids;
    if (count == 0)
    {
        return ids;
    }
    lines.Require(what + " ids");
    if (lines.GetFields().size() != count)
    {
        lines.Fail(what + " ids",
                   std::to_string(lines.GetFields().size()) + " ids",
                   std::to_string(count) + ", as the first line says");
    }
    std::vector<bool> isListed(nodes, false);
    for (std::size_t i = 0; i < count; ++i)
    {
        const uint64_t id = lines.GetInteger(i, what + " id", 0, nodes - 1);
        if (isListed[id])
        {
            lines.Fail(what + " id",
                       std::to_string(id) + " appears twice",
                       "each " + what + " once");
        }
        isListed[id] = true;
        ids.push_back(static_cast<uint32_t>(id));
    }
    return ids;
}

std::vector<RdmaTopologyLink>
ReadRdmaTopologyLinks(RdmaLineReader& lines, uint64_t nodes, uint64_t count)
{
    std::vector<RdmaTopologyLink> links;
    while (links.size() < count)
    {
        lines.Require("link " + std::to_string(links.size() + 1) + " of " + std::to_string(count));
        links.push_back(ReadLink(lines, nodes));
    }
    lines.ReportRounding();
    lines.SkipRest(count, "link", [&] { return IsLink(lines, nodes); });
    return links;
}

RdmaTopology
ReadRdmaTopology(const std::string& path)
{
    return ParseRdmaTopology(ReadRdmaFile(path), path);
}

RdmaTopology
ParseRdmaTopology(const std::string& text, const std::string& fileName)
{
    RdmaLineReader lines(text, fileName, RdmaLineReader::Separator::BLANKS);
    lines.Require("nodes switches links");
    CheckHeaderFormat(lines);
    const bool hasRacks = lines.GetFields().size() > 3;
    const uint64_t nodes = lines.GetInteger(0, "nodes", 1, RdmaTopology::MAX_NODES);
    const uint64_t switches = lines.GetInteger(1, "switches", 0, nodes - 1);
    if (hasRacks)
    {
        lines.GetInteger(2, "racks", 0, nodes);
    }
    // A connected graph has at least nodes - 1 links.
    const uint64_t nLinks =
        lines.GetInteger(hasRacks ? 3 : 2, "links", nodes - 1, RdmaTopology::MAX_LINKS);
    std::vector<bool> isSwitch(nodes, false);
    for (const uint32_t id : ReadRdmaTopologyIds(lines, nodes, switches, "switch"))
    {
        isSwitch[id] = true;
    }
    const auto links = ReadRdmaTopologyLinks(lines, nodes, nLinks);

    RdmaTopology topology;
    for (uint64_t id = 0; id < nodes; ++id)
    {
        isSwitch[id] ? topology.AddSwitch() : topology.AddHost();
    }
    for (const auto& link : links)
    {
        topology.AddLink(link.a, link.b, link.rate, link.delay, link.errorRate);
    }
    try
    {
        topology.Validate();
    }
    catch (const std::invalid_argument& e)
    {
        lines.FailFile("", e.what());
    }
    return topology;
}

std::string
FormatRdmaTopology(const RdmaTopology& topology)
{
    topology.Validate();
    CheckFormat(topology);
    const auto switches = topology.GetSwitches();
    std::string text = std::to_string(topology.GetNNodes()) + " " +
                       std::to_string(switches.size()) + " " +
                       std::to_string(topology.GetNLinks()) + "\n";
    for (std::size_t i = 0; i < switches.size(); ++i)
    {
        text += std::to_string(switches[i]) + (i + 1 < switches.size() ? " " : "\n");
    }
    for (const auto& link : topology.GetLinks())
    {
        text += std::to_string(link.a) + " " + std::to_string(link.b) + " " +
                FormatRdmaRate(link.rate) + " " + FormatRdmaTime(link.delay) + " " +
                FormatRdmaReal(link.errorRate) + "\n";
    }
    return text;
}

void
WriteRdmaTopology(const RdmaTopology& topology, const std::string& path)
{
    WriteRdmaFile(path, FormatRdmaTopology(topology));
}

} // namespace ns3
