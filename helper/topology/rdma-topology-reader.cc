/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdma-topology-reader.h"

#include "rdma-text-file.h"
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

QbbPs
ParseDelay(const std::string& text)
{
    const QbbPs delay = ParseRdmaTime(text);
    if (delay == 0_ps || delay > RDMA_MAX_DELAY)
    {
        throw std::invalid_argument(QuoteRdmaText(text) + " is too " +
                                    (delay == 0_ps ? "small" : "large") + "; accepted: 1ps to " +
                                    FormatRdmaTime(RDMA_MAX_DELAY) + " (every link needs a delay)");
    }
    return delay;
}

/// Reads the second line, which exists only if there are switches. \return for each node, true if
/// the node is a switch
std::vector<bool>
ReadSwitches(RdmaLineReader& lines, uint64_t nodes, uint64_t switches)
{
    std::vector<bool> isSwitch(nodes, false);
    if (switches == 0)
    {
        return isSwitch;
    }
    lines.Require("switch ids");
    if (lines.GetNFields() != switches)
    {
        lines.Fail("switch ids",
                   std::to_string(lines.GetNFields()) + " ids",
                   std::to_string(switches) + ", as the first line says");
    }
    for (std::size_t i = 0; i < switches; ++i)
    {
        const uint64_t id = lines.GetInteger(i, "switch id", 0, nodes - 1);
        if (isSwitch[id])
        {
            lines.Fail("switch id", std::to_string(id) + " appears twice", "each switch once");
        }
        isSwitch[id] = true;
    }
    return isSwitch;
}

RdmaTopologyLink
ReadLink(const RdmaLineReader& lines, uint64_t nodes)
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
    link.rate = lines.Get(2, "rate", ParseRdmaRate);
    link.delay = lines.Get(3, "delay", ParseDelay);
    link.errorRate = lines.Get(4, "error-rate", ParseErrorRate);
    return link;
}

} // namespace

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
    lines.RequireFields(3, "nodes switches links");
    const uint64_t nodes = lines.GetInteger(0, "nodes", 1, RdmaTopology::MAX_NODES);
    const uint64_t switches = lines.GetInteger(1, "switches", 0, nodes - 1);
    // A connected graph has at least nodes - 1 links.
    const uint64_t linkCount = lines.GetInteger(2, "links", nodes - 1, RdmaTopology::MAX_LINKS);

    const std::vector<bool> isSwitch = ReadSwitches(lines, nodes, switches);
    std::vector<RdmaTopologyLink> links;
    while (links.size() < linkCount)
    {
        lines.Require("link " + std::to_string(links.size() + 1) + " of " +
                      std::to_string(linkCount));
        links.push_back(ReadLink(lines, nodes));
    }
    lines.SkipRest("link " + std::to_string(linkCount) + " of " + std::to_string(linkCount));

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
