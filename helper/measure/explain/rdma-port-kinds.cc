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

/** \param name name of a node \return the name without the number and separators at its end */
std::string
GetNodeStem(const std::string& name)
{
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

/** \return true if ports with these settings are of one kind */
bool
AreSameSettings(const RdmaPortSettings& a, const RdmaPortSettings& b)
{
    return a.rate == b.rate && a.lossless == b.lossless && a.buffer.HasSameThreshold(b.buffer) &&
           AreSameMarks(a.marks, b.marks);
}

/** \return settings that ports of hosts and of switches have */
RdmaPortSettings
DescribeHostPort(const QbbNetDevice& device, uint8_t priority)
{
    RdmaPortSettings settings;
    settings.rate = device.GetLineRate().GetBitRate();
    settings.lossless = (device.GetFlowControl().GetLosslessClasses() >> priority & 1) != 0;
    return settings;
}

RdmaPortSettings
DescribeSwitchPort(const QbbSwitch& sw,
                   const QbbBufferManager* buffer,
                   const QbbPortProfile& profile,
                   uint16_t number,
                   uint8_t priority)
{
    const Ptr<QbbNetDevice> device = sw.GetPort(number);
    RdmaPortSettings settings = DescribeHostPort(*device, priority);
    if (buffer)
    {
        settings.buffer = buffer->GetTerms(number, priority);
    }
    settings.neededHeadroomBytes = settings.lossless ? QbbPfcHeadroom::GetBytes(profile) : 0;
    settings.marks = sw.DescribeMarks(*device, priority);
    for (QbbMarkCurve& curve : settings.marks)
    {
        curve.perInput = curve.perInput && sw.IsInputQueued();
    }
    return settings;
}

/** Adds a port to the kinds. */
void
AddToKind(std::vector<RdmaPortKind>& kinds,
          const std::string& name,
          const RdmaPortSettings& settings,
          const RdmaPortKind::Member& member)
{
    const bool ofHost = member.port->role == RdmaNodeRole::HOST;
    auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const RdmaPortKind& each) {
        return each.name == name && each.ofHost == ofHost &&
               AreSameSettings(each.settings, settings);
    });
    if (kind == kinds.end())
    {
        kind = kinds.insert(kinds.end(), {name, ofHost, settings});
    }
    const uint64_t memory = settings.buffer.poolBytes;
    kind->leastMemory = memory < kind->memory.least ? kind->members.size() : kind->leastMemory;
    kind->mostMemory = memory > kind->memory.most ? kind->members.size() : kind->mostMemory;
    kind->memory.Add(memory);
    kind->headroom.Add(settings.buffer.headroomBytes);
    kind->neededHeadroom.Add(settings.neededHeadroomBytes);
    kind->headroomPool.Add(settings.buffer.headroomPoolBytes);
    kind->members.push_back(member);
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

/** Finds the pairs of kinds of ports between which switches forward. */
class RdmaPortPairFinder
{
  public:
    RdmaPortPairFinder(const RdmaFabric& fabric, const std::vector<RdmaPortKind>& kinds)
        : m_fabric(fabric),
          m_ports(MakeRdmaFabricPorts(fabric.GetTopology())),
          m_kindOf(m_ports.size())
    {
        for (std::size_t node = 0; node < m_ports.size(); ++node)
        {
            m_kindOf[node].resize(m_ports[node].size());
        }
        for (std::size_t kind = 0; kind < kinds.size(); ++kind)
        {
            for (const auto& member : kinds[kind].members)
            {
                m_kindOf[member.port->node][member.port->number] = kind;
            }
        }
    }

    std::vector<RdmaPortPair> Find()
    {
        const RdmaTopology& topology = m_fabric.GetTopology();
        std::set<std::pair<std::string, std::size_t>> seen;
        for (const uint32_t sw : topology.GetSwitches())
        {
            if (seen.emplace(GetNodeStem(topology.GetNode(sw).name), m_ports[sw].size()).second)
            {
                for (const uint32_t host : topology.GetHosts())
                {
                    AddRoutes(sw, host);
                }
            }
        }
        std::vector<RdmaPortPair> pairs;
        for (const auto& [kinds, pair] : m_pairs)
        {
            pairs.push_back(pair);
        }
        return pairs;
    }

  private:
    /** \return ports through which a switch forwards to a host; null: none */
    const QbbForwardingTable::Group* GetRoute(uint32_t sw, uint32_t host) const
    {
        return m_fabric.GetSwitch(sw)->GetForwardingTable().Lookup(m_fabric.GetAddress(host).Get());
    }

    /** \return true if frames for a host enter a switch at a port */
    bool Enters(const RdmaFabricPort& port, uint32_t host) const
    {
        if (m_fabric.GetTopology().IsHost(port.peer))
        {
            return port.peer != host;
        }
        const auto* route = GetRoute(port.peer, host);
        return route && std::find(route->begin(), route->end(), port.peerNumber) != route->end();
    }

    /** Adds the pairs of ports of a switch between which frames for a host pass. */
    void AddRoutes(uint32_t sw, uint32_t host)
    {
        const auto* route = GetRoute(sw, host);
        if (!route || route->empty())
        {
            return;
        }
        std::map<std::size_t, std::vector<uint16_t>> inputs;
        for (const auto& port : m_ports[sw])
        {
            if (Enters(*port, host))
            {
                inputs[m_kindOf[sw][port->number]].push_back(static_cast<uint16_t>(port->number));
            }
        }
        const uint16_t output = route->front();
        for (const auto& [from, ports] : inputs)
        {
            const std::size_t to = m_kindOf[sw][output];
            RdmaPortPair& pair = m_pairs[{to, from}];
            if (ports.size() > pair.inputs.size())
            {
                pair = {from, to, sw, ports, output};
            }
        }
    }

    const RdmaFabric& m_fabric;                     //!< the fabric
    const RdmaFabricPorts m_ports;                  //!< ports of the fabric
    std::vector<std::vector<std::size_t>> m_kindOf; //!< index of a kind, by node and port
    /// The pairs, by kind of the egress port and kind of the ingress ports.
    std::map<std::pair<std::size_t, std::size_t>, RdmaPortPair> m_pairs;
};

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

std::vector<RdmaPortKind>
MakeRdmaPortKinds(const RdmaFabric& fabric, uint8_t priority)
{
    const RdmaFabricPorts ports = MakeRdmaFabricPorts(fabric.GetTopology());
    std::vector<RdmaPortKind> kinds;
    for (uint32_t node = 0; node < ports.size(); ++node)
    {
        const bool isHost = fabric.GetTopology().IsHost(node);
        const auto sw = isHost ? nullptr : fabric.GetSwitch(node);
        const auto buffer = isHost ? nullptr : CopyRdmaBuffer(*sw);
        const auto profiles = isHost ? std::vector<QbbPortProfile>() : sw->GetPortProfiles();
        for (const auto& port : ports[node])
        {
            const Ptr<QbbNetDevice> device = fabric.GetDevice(port->link, node);
            const auto number = static_cast<uint16_t>(port->number);
            const RdmaPortSettings settings = isHost ? DescribeHostPort(*device, priority)
                                                     : DescribeSwitchPort(*sw,
                                                                          PeekPointer(buffer),
                                                                          profiles[number],
                                                                          number,
                                                                          priority);
            const std::string peer = fabric.GetTopology().GetNode(port->peer).name;
            AddToKind(kinds,
                      GetNodeStem(port->nodeName) + " to " + GetNodeStem(peer),
                      settings,
                      {port, device});
        }
    }
    NumberKinds(kinds);
    return kinds;
}

std::vector<RdmaPortPair>
MakeRdmaPortPairs(const RdmaFabric& fabric, const std::vector<RdmaPortKind>& kinds)
{
    return RdmaPortPairFinder(fabric, kinds).Find();
}

} // namespace ns3
