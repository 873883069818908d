/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-routing.h"

#include "qbb-up-down-routing.h"
#include "rdma-compat.h"

#include <ns3/abort.h>
#include <ns3/enum.h>
#include <ns3/log.h>
#include <ns3/node.h>

#include <algorithm>
#include <memory>
#include <optional>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("QbbRouting");

NS_OBJECT_ENSURE_REGISTERED(QbbRouting);

TypeId
QbbRouting::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::QbbRouting")
            .SetParent<Object>()
            .SetGroupName("Rdma")
            .AddConstructor<QbbRouting>()
            .AddAttribute("Algorithm",
                          "Paths used as routes. ShortestPath: all shortest paths; UpDown: paths "
                          "that go up, then down and never up again, which cannot deadlock.",
                          EnumValue(SHORTEST_PATH),
                          RdmaMakeEnumAccessor<Algorithm>(&QbbRouting::m_algorithm),
                          MakeEnumChecker(SHORTEST_PATH, "ShortestPath", UP_DOWN, "UpDown"))
            .AddAttribute("ConvergenceDelay",
                          "Time from a link going down or up until the switches have new routes.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&QbbRouting::m_convergenceDelay),
                          MakeTimeChecker(Time(0)));
    return tid;
}

void
QbbRouting::DoDispose()
{
    m_switches.clear();
    m_switchOfNode.clear();
    m_hosts.clear();
    m_portOfAddress.clear();
    m_prefixes.clear();
    m_pending.clear();
    Object::DoDispose();
}

void
QbbRouting::AddSwitch(Ptr<QbbSwitch> sw)
{
    const Ptr<Node> node = sw->GetObject<Node>();
    NS_ABORT_MSG_IF(!node, "rdma: a switch is not aggregated to a node");
    m_switchOfNode[PeekPointer(node)] = static_cast<uint32_t>(m_switches.size());
    m_switches.push_back(sw);
}

void
QbbRouting::AddHost(Ptr<QbbNetDevice> port, Ipv4Address address)
{
    const auto [found, isNew] = m_portOfAddress.emplace(address.Get(), port);
    NS_ABORT_MSG_IF(!isNew,
                    "rdma: host address " << address << " of node " << port->GetNode()->GetId()
                                          << " is already that of node "
                                          << found->second->GetNode()->GetId()
                                          << "; every host port needs an address of its own");
    m_hosts.push_back({port, address.Get()});
}

void
QbbRouting::AddPrefix(Ptr<QbbNetDevice> port, Ipv4Address network, Ipv4Mask mask)
{
    const auto host = std::find_if(m_hosts.begin(), m_hosts.end(), [&port](const Host& other) {
        return other.port == port;
    });
    NS_ABORT_MSG_IF(host == m_hosts.end(),
                    "rdma: the gateway to " << network << mask << " is port " << port->GetIfIndex()
                                            << " of node " << port->GetNodeId()
                                            << "; accepted: a host's port of AddHost()");
    const Prefix prefix{network.CombineMask(mask).Get(),
                        static_cast<uint8_t>(mask.GetPrefixLength()),
                        host->address};
    const bool known =
        std::any_of(m_prefixes.begin(), m_prefixes.end(), [&prefix](const Prefix& other) {
            return other.network == prefix.network && other.length == prefix.length;
        });
    NS_ABORT_MSG_IF(known, "rdma: network " << network << mask << " has a gateway already");
    m_prefixes.push_back(prefix);
    if (m_computed)
    {
        ComputeRoutes();
    }
}

bool
QbbRouting::IsKnownUp(const QbbPort& port) const
{
    if (!m_pending.empty())
    {
        const auto pending = m_pending.find(PeekPointer(port.GetQbbChannel()));
        if (pending != m_pending.end())
        {
            return pending->second.known;
        }
    }
    return port.IsUp();
}

std::vector<uint32_t>
QbbRouting::PlaceHosts()
{
    std::vector<uint32_t> leaves;
    std::vector<uint32_t> leafOfSwitch(m_switches.size(), QbbHostPlace::NO_LEAF);
    const auto index = std::make_shared<QbbHostIndex>();
    for (const Host& host : m_hosts)
    {
        QbbPort* peer = host.port->GetPeer();
        if (!peer || !IsKnownUp(*host.port))
        {
            continue;
        }
        const auto found = m_switchOfNode.find(PeekPointer(peer->GetDevice()->GetNode()));
        if (found == m_switchOfNode.end())
        {
            continue; // a link between two hosts needs no route
        }
        uint32_t& leaf = leafOfSwitch[found->second];
        if (leaf == QbbHostPlace::NO_LEAF)
        {
            leaf = static_cast<uint32_t>(leaves.size());
            leaves.push_back(found->second);
        }
        index->Set(host.address, {leaf, peer->GetPortNumber()});
    }
    index->Freeze();
    for (std::size_t i = 0; i < m_switches.size(); ++i)
    {
        QbbForwardingTable& table = m_switches[i]->GetForwardingTable();
        table.Clear();
        table.SetHosts(index, static_cast<uint32_t>(leaves.size()), leafOfSwitch[i]);
    }
    return leaves;
}

QbbSwitchGraph
QbbRouting::GetGraph() const
{
    QbbSwitchGraph graph(m_switches.size());
    for (uint32_t i = 0; i < m_switches.size(); ++i)
    {
        for (uint32_t p = 0; p < m_switches[i]->GetNPorts(); ++p)
        {
            const Ptr<QbbNetDevice> port = m_switches[i]->GetPort(p);
            QbbPort* peer = port->GetPeer();
            if (!peer || !IsKnownUp(*port))
            {
                continue;
            }
            const auto neighbour = m_switchOfNode.find(PeekPointer(peer->GetDevice()->GetNode()));
            if (neighbour != m_switchOfNode.end())
            {
                graph[i].push_back({neighbour->second, static_cast<uint16_t>(p)});
            }
        }
    }
    return graph;
}

void
QbbRouting::ComputeRoutes()
{
    NS_LOG_FUNCTION(this);
    m_computed = true;
    const std::vector<uint32_t> leaves = PlaceHosts();
    const QbbSwitchGraph graph = GetGraph();
    std::optional<QbbUpDownRouting> upDown;
    if (m_algorithm == UP_DOWN)
    {
        upDown.emplace(m_switches, m_switchOfNode);
    }
    for (uint32_t leaf = 0; leaf < leaves.size(); ++leaf)
    {
        if (upDown)
        {
            upDown->ComputeRoutesTo(leaf, leaves[leaf], graph);
        }
        else
        {
            ComputeShortestRoutesTo(leaf, leaves[leaf], graph);
        }
    }
    for (const auto& sw : m_switches)
    {
        // Traffic to a network takes the routes to its gateway.
        QbbForwardingTable& table = sw->GetForwardingTable();
        std::vector<std::pair<Prefix, const QbbForwardingTable::Group*>> found;
        for (const Prefix& prefix : m_prefixes)
        {
            found.emplace_back(prefix, table.Lookup(prefix.gateway));
        }
        for (const auto& [prefix, ports] : found)
        {
            if (ports)
            {
                table.AddPrefix(prefix.network, prefix.length, *ports);
            }
        }
    }
}

void
QbbRouting::ComputeShortestRoutesTo(uint32_t leaf, uint32_t target, const QbbSwitchGraph& graph)
{
    // Links are symmetric, so a breadth-first search from the target gives all distances to the
    // target.
    std::vector<uint32_t> distance(graph.size(), UINT32_MAX);
    std::vector<uint32_t> queue{target};
    distance[target] = 0;
    for (std::size_t next = 0; next < queue.size(); ++next)
    {
        const uint32_t at = queue[next];
        for (const QbbSwitchEdge& edge : graph[at])
        {
            if (distance[edge.to] == UINT32_MAX)
            {
                distance[edge.to] = distance[at] + 1;
                queue.push_back(edge.to);
            }
        }
    }
    QbbForwardingTable::Group ports;
    for (const uint32_t at : queue)
    {
        if (at == target)
        {
            continue;
        }
        ports.clear();
        for (const QbbSwitchEdge& edge : graph[at])
        {
            if (distance[edge.to] + 1 == distance[at])
            {
                ports.push_back(edge.port);
            }
        }
        m_switches[at]->GetForwardingTable().SetLeafRoute(leaf, ports);
    }
}

void
QbbRouting::SetLinkUp(Ptr<QbbChannel> channel, bool up)
{
    NS_LOG_FUNCTION(this << channel << up);
    if (m_convergenceDelay.IsZero())
    {
        channel->SetUp(up);
        ComputeRoutes();
        return;
    }
    PendingChange& pending = m_pending[PeekPointer(channel)];
    if (pending.changes++ == 0)
    {
        pending.known = channel->IsUp();
    }
    channel->SetUp(up);
    Simulator::Schedule(m_convergenceDelay,
                        &QbbRouting::LearnLink,
                        Ptr<QbbRouting>(this),
                        channel,
                        up);
}

void
QbbRouting::LearnLink(Ptr<QbbChannel> channel, bool up)
{
    const auto pending = m_pending.find(PeekPointer(channel));
    if (pending == m_pending.end())
    {
        return; // DoDispose() has run
    }
    pending->second.known = up;
    if (--pending->second.changes == 0)
    {
        m_pending.erase(pending);
    }
    ComputeRoutes();
}

std::vector<Ptr<QbbNetDevice>>
QbbRouting::GetPath(Ptr<QbbNetDevice> port, Ipv4Address destination, uint32_t flowHash) const
{
    std::vector<Ptr<QbbNetDevice>> path{port};
    // Routes visit no switch twice, so a path with more hops than switches does not end.
    while (path.size() <= m_switches.size() + 1)
    {
        QbbPort* peer = path.back()->GetPeer();
        if (!peer || !path.back()->IsLinkUp())
        {
            return {};
        }
        const auto at = m_switchOfNode.find(PeekPointer(peer->GetDevice()->GetNode()));
        if (at == m_switchOfNode.end())
        {
            return path;
        }
        QbbSwitch& sw = *m_switches[at->second];
        const QbbForwardingTable::Group* group = sw.GetForwardingTable().Lookup(destination.Get());
        if (!group)
        {
            return {};
        }
        path.push_back(sw.GetPort(sw.PredictPort(flowHash, *group)));
    }
    return {};
}

} // namespace ns3
