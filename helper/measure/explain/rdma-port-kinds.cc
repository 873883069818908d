/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-port-kinds.h"

#include "qbb-pfc-headroom.h"

#include <algorithm>
#include <map>
#include <set>

namespace ns3
{

namespace
{

/**
 * \param topology a topology
 * \param id id of a node
 * \return the name of the node, or of the host of a NIC, without the number and separators at its
 * end
 */
std::string
GetNodeStem(const RdmaTopology& topology, uint32_t id)
{
    const std::string& name =
        topology.GetNode(topology.IsNic(id) ? topology.GetNode(id).host : id).name;
    const std::size_t end = name.find_last_not_of("0123456789-_");
    return end == std::string::npos ? name : name.substr(0, end + 1);
}

/** \return true if both lists contain equal curves */
bool
AreSameMarks(const std::vector<QbbMarkCurve>& a, const std::vector<QbbMarkCurve>& b)
{
    return std::equal(a.begin(),
                      a.end(),
                      b.begin(),
                      b.end(),
                      [](const QbbMarkCurve& one, const QbbMarkCurve& other) {
                          return one.thresholds.kminBytes == other.thresholds.kminBytes &&
                                 one.thresholds.kmaxBytes == other.thresholds.kmaxBytes &&
                                 one.thresholds.slope == other.thresholds.slope &&
                                 one.atDeparture == other.atDeparture &&
                                 one.countsPacket == other.countsPacket &&
                                 one.perInput == other.perInput;
                      });
}

/** \return true if the ports are of one kind */
bool
AreSameKind(const RdmaPortKind& a, const RdmaPortKind& b)
{
    return a.name == b.name && a.ofHost == b.ofHost && a.rate == b.rate &&
           a.lossless == b.lossless && a.buffer.HasSameThreshold(b.buffer) &&
           AreSameMarks(a.marks, b.marks);
}

/** Adds to a kind what only ports of switches have. */
void
DescribeSwitchPort(RdmaPortKind& kind,
                   const QbbSwitch& sw,
                   const QbbBufferManager* buffer,
                   const QbbPortProfile& profile,
                   uint16_t number,
                   uint8_t priority)
{
    if (buffer)
    {
        kind.buffer = buffer->GetTerms(number, priority);
    }
    kind.marks = sw.DescribeMarks(*sw.GetPort(number), priority);
    for (QbbMarkCurve& curve : kind.marks)
    {
        curve.perInput = curve.perInput && sw.IsInputQueued();
    }
    kind.neededHeadroom.Add(kind.lossless ? QbbPfcHeadroom::GetBytes(profile) : 0);
}

/** Adds a port to the kinds. \param described kind of this port alone \param port the port */
void
AddToKind(std::vector<RdmaPortKind>& kinds,
          const RdmaPortKind& described,
          const std::shared_ptr<const RdmaFabricPort>& port)
{
    auto kind = std::find_if(kinds.begin(), kinds.end(), [&described](const RdmaPortKind& each) {
        return AreSameKind(each, described);
    });
    if (kind == kinds.end())
    {
        kind = kinds.insert(kinds.end(), described);
    }
    const uint64_t memory = described.buffer.poolBytes;
    kind->leastMemory = memory < kind->memory.least ? kind->members.size() : kind->leastMemory;
    kind->mostMemory = memory > kind->memory.most ? kind->members.size() : kind->mostMemory;
    kind->memory.Add(memory);
    kind->headroom.Add(described.buffer.headroomBytes);
    kind->neededHeadroom.Add(described.neededHeadroom.least);
    kind->headroomPool.Add(described.buffer.headroomPoolBytes);
    kind->members.push_back(port);
}

/** Gives different names to kinds that differ only in their settings. */
void
NumberKinds(std::vector<RdmaPortKind>& kinds)
{
    std::map<std::string, uint32_t> count;
    for (const RdmaPortKind& kind : kinds)
    {
        ++count[kind.name];
    }
    std::map<std::string, uint32_t> number;
    for (RdmaPortKind& kind : kinds)
    {
        if (count[kind.name] > 1)
        {
            kind.name += " (" + std::to_string(++number[kind.name]) + ")";
        }
    }
}

/** \return ports through which a switch forwards to a host; null: none */
const QbbForwardingTable::Group*
GetRoute(const RdmaFabric& fabric, uint32_t sw, uint32_t host)
{
    return fabric.GetSwitch(sw)->GetForwardingTable().Lookup(fabric.GetAddress(host).Get());
}

/** \return true if frames for a host enter a switch at a port */
bool
MayReceiveFramesFor(const RdmaFabric& fabric, const RdmaFabricPort& port, uint32_t host)
{
    if (fabric.GetTopology().IsNic(port.peer))
    {
        return port.peer != host;
    }
    const auto* route = GetRoute(fabric, port.peer, host);
    return route && std::find(route->begin(), route->end(), port.peerNumber) != route->end();
}

} // namespace

Ptr<QbbBufferManager>
CopyRdmaBuffer(const QbbSwitch& sw)
{
    const auto buffer = sw.GetBufferManager();
    const auto copy = buffer ? buffer->Copy() : nullptr;
    if (copy)
    {
        copy->Configure(sw.GetPortProfiles());
    }
    return copy;
}

Ptr<const QbbBufferManager>
GetRdmaBuffer(const QbbSwitch& sw)
{
    const auto buffer = sw.GetBufferManager();
    return buffer && buffer->GetNPorts() > 0 ? buffer : CopyRdmaBuffer(sw);
}

std::vector<RdmaPortKind>
MakeRdmaPortKinds(const RdmaFabric& fabric, uint8_t priority)
{
    const RdmaFabricPorts ports = MakeRdmaFabricPorts(fabric.GetTopology());
    std::vector<RdmaPortKind> kinds;
    for (uint32_t node = 0; node < ports.size(); ++node)
    {
        const bool isHost = fabric.GetTopology().IsNic(node);
        const auto sw = isHost ? nullptr : fabric.GetSwitch(node);
        const auto buffer = isHost ? nullptr : CopyRdmaBuffer(*sw);
        const auto profiles = isHost ? std::vector<QbbPortProfile>() : sw->GetPortProfiles();
        for (const auto& port : ports[node])
        {
            const QbbNetDevice& device = *fabric.GetDevice(port->link, node);
            const auto number = static_cast<uint16_t>(port->number);
            RdmaPortKind kind;
            kind.name = GetNodeStem(fabric.GetTopology(), node) + " to " +
                        GetNodeStem(fabric.GetTopology(), port->peer);
            kind.ofHost = isHost;
            kind.rate = device.GetLineRate().GetBitRate();
            kind.lossless = (device.GetFlowControl().GetLosslessClasses() >> priority & 1) != 0;
            if (isHost)
            {
                kind.neededHeadroom.Add(0);
            }
            else
            {
                DescribeSwitchPort(kind,
                                   *sw,
                                   PeekPointer(buffer),
                                   profiles[number],
                                   number,
                                   priority);
            }
            AddToKind(kinds, kind, port);
        }
    }
    NumberKinds(kinds);
    return kinds;
}

std::vector<RdmaPortPair>
MakeRdmaPortPairs(const RdmaFabric& fabric, const std::vector<RdmaPortKind>& kinds)
{
    const RdmaTopology& topology = fabric.GetTopology();
    const RdmaFabricPorts ports = MakeRdmaFabricPorts(topology);
    std::vector<std::vector<std::size_t>> kindOf; // by node id and port number
    for (const auto& ofNode : ports)
    {
        kindOf.emplace_back(ofNode.size());
    }
    for (std::size_t kind = 0; kind < kinds.size(); ++kind)
    {
        for (const auto& port : kinds[kind].members)
        {
            kindOf[port->node][port->number] = kind;
        }
    }
    // By kind of the egress port and kind of the ingress ports
    std::map<std::pair<std::size_t, std::size_t>, RdmaPortPair> found;
    const auto addRoute = [&](uint32_t sw, uint32_t host) {
        const auto* route = GetRoute(fabric, sw, host);
        if (!route || route->empty())
        {
            return;
        }
        std::map<std::size_t, std::vector<uint16_t>> inputs; // by kind
        for (const auto& port : ports[sw])
        {
            if (MayReceiveFramesFor(fabric, *port, host))
            {
                inputs[kindOf[sw][port->number]].push_back(static_cast<uint16_t>(port->number));
            }
        }
        const uint16_t output = route->front();
        for (const auto& [from, numbers] : inputs)
        {
            const std::size_t to = kindOf[sw][output];
            RdmaPortPair& pair = found[{to, from}];
            if (numbers.size() > pair.inputs.size())
            {
                pair = {from, to, sw, numbers, output};
            }
        }
    };
    std::set<std::pair<std::string, std::size_t>> seen;
    for (const uint32_t sw : topology.GetSwitches())
    {
        if (seen.emplace(GetNodeStem(topology, sw), ports[sw].size()).second)
        {
            for (const uint32_t host : topology.GetNics())
            {
                addRoute(sw, host);
            }
        }
    }
    std::vector<RdmaPortPair> pairs;
    for (const auto& [of, pair] : found)
    {
        pairs.push_back(pair);
    }
    return pairs;
}

} // namespace ns3
