/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-routing.h"

#include "qbb-up-down-routing.h"
#include "rdma-compat.h"

#include <ns3/abort.h>
#include <ns3/enum.h>
#include <ns3/log.h>
#include <ns3/node.h>

#include <algorithm>
#include <iterator>

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
                          RdmaMakeEnumAccessor<Algorithm>(&QbbRouting::SetAlgorithm,
                                                          &QbbRouting::GetAlgorithm),
                          MakeEnumChecker(SHORTEST_PATH, "ShortestPath", UP_DOWN, "UpDown"))
            .AddAttribute("ConvergenceDelay",
                          "Time from a link going down or up until the switches have new routes.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&QbbRouting::m_convergenceDelay),
                          MakeTimeChecker(Time(0)))
            .AddTraceSource("RoutesChanged",
                            "The switches have new routes, after a link went down or up",
                            MakeTraceSourceAccessor(&QbbRouting::m_routesChanged),
                            "ns3::TracedCallback::Empty");
    return tid;
}

void
QbbRouting::SetAlgorithm(Algorithm algorithm)
{
    const bool isNew = algorithm != m_algorithm;
    m_algorithm = algorithm;
    if (isNew && m_computed)
    {
        ComputeRoutes();
    }
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
    m_index = nullptr;
    Object::DoDispose();
}

void
QbbRouting::AddSwitch(Ptr<QbbSwitch> sw)
{
    const Ptr<Node> node = sw->GetObject<Node>();
    NS_ABORT_MSG_IF(!node, "rdma: a switch is not aggregated to a node");
    m_switchOfNode.resize(std::max<std::size_t>(m_switchOfNode.size(), node->GetId() + 1),
                          NO_SWITCH);
    m_switchOfNode[node->GetId()] = static_cast<uint32_t>(m_switches.size());
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

void
QbbRouting::PlaceHosts()
{
    std::vector<uint32_t> leafOfSwitch(m_switches.size(), QbbHostPlace::NO_LEAF);
    m_leaves.clear();
    m_places.clear();
    m_index = std::make_shared<QbbHostIndex>();
    for (const Host& host : m_hosts)
    {
        QbbHostPlace& place = m_places.emplace_back();
        QbbPort* peer = host.port->GetPeer();
        const uint32_t found = peer ? FindSwitch(peer->GetNodeId()) : NO_SWITCH;
        if (found == NO_SWITCH)
        {
            continue; // a link between two hosts needs no route
        }
        uint32_t& leaf = leafOfSwitch[found];
        if (leaf == QbbHostPlace::NO_LEAF)
        {
            leaf = static_cast<uint32_t>(m_leaves.size());
            m_leaves.push_back({found, std::nullopt});
        }
        place = {leaf, peer->GetPortNumber()};
        m_index->Set(host.address, place);
    }
    const auto nLeaves = static_cast<uint32_t>(m_leaves.size());
    for (std::size_t i = 0; i < m_switches.size(); ++i)
    {
        QbbForwardingTable& table = m_switches[i]->GetForwardingTable();
        table.Clear();
        table.SetHosts(m_index, nLeaves, leafOfSwitch[i], m_switches[i]->GetNPorts());
    }
    UpdateHosts();
}

void
QbbRouting::UpdateHosts()
{
    for (auto& leaf : m_leaves)
    {
        leaf.address.reset();
    }
    for (std::size_t i = 0; i < m_hosts.size(); ++i)
    {
        const uint32_t address = m_hosts[i].address;
        const bool known = m_index->Find(address).leaf != QbbHostPlace::NO_LEAF;
        const bool up = m_places[i].leaf != QbbHostPlace::NO_LEAF && IsKnownUp(*m_hosts[i].port);
        if (up)
        {
            m_leaves[m_places[i].leaf].address = address;
        }
        if (up != known)
        {
            up ? m_index->Set(address, m_places[i]) : m_index->Erase(address);
        }
    }
    m_index->Freeze();
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
            const uint32_t neighbour = FindSwitch(peer->GetNodeId());
            if (neighbour != NO_SWITCH)
            {
                graph[i].push_back({neighbour, static_cast<uint16_t>(p)});
            }
        }
    }
    return graph;
}

void
QbbRouting::ComputeRoutes()
{
    NS_LOG_FUNCTION(this);
    PlaceHosts();
    m_graph = GetGraph();
    if (m_algorithm == UP_DOWN)
    {
        std::unordered_map<uint32_t, uint32_t> switchOfNode;
        for (uint32_t node = 0; node < m_switchOfNode.size(); ++node)
        {
            if (m_switchOfNode[node] != NO_SWITCH)
            {
                switchOfNode[node] = m_switchOfNode[node];
            }
        }
        ComputeAll(QbbUpDownRouting(m_switches, switchOfNode));
    }
    else
    {
        ComputeAll(QbbShortestRouting(m_switches));
    }
    m_versions.clear();
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
        m_versions.push_back(table.GetVersion());
    }
    m_computed = true;
}

template <typename T>
void
QbbRouting::ComputeAll(const T& algorithm)
{
    for (uint32_t leaf = 0; leaf < m_leaves.size(); ++leaf)
    {
        algorithm.ComputeRoutesTo(leaf, m_leaves[leaf].sw, m_graph);
    }
}

bool
QbbRouting::HasOwnRoutes() const
{
    if (!m_computed || m_versions.size() != m_switches.size() || m_places.size() != m_hosts.size())
    {
        return false;
    }
    for (std::size_t i = 0; i < m_switches.size(); ++i)
    {
        if (m_switches[i]->GetForwardingTable().GetVersion() != m_versions[i])
        {
            return false;
        }
    }
    for (std::size_t i = 0; i < m_hosts.size(); ++i)
    {
        // The cable may lead to another host, or have been attached later.
        if (m_places[i].leaf == QbbHostPlace::NO_LEAF && m_hosts[i].port->GetPeer())
        {
            return false;
        }
    }
    return true;
}

std::vector<uint32_t>
QbbRouting::GetLeaves() const
{
    std::vector<uint32_t> leaves;
    const bool known = HasOwnRoutes();
    for (const Host& host : m_hosts)
    {
        leaves.push_back(known ? m_index->Find(host.address).leaf : QbbHostPlace::NO_LEAF);
    }
    return leaves;
}

void
QbbRouting::UpdateRoutes()
{
    QbbSwitchGraph graph = GetGraph();
    std::vector<std::pair<uint32_t, QbbSwitchEdge>> changed; // edges of one graph only, by switch
    const bool mayUpdate = m_algorithm == SHORTEST_PATH && m_prefixes.empty() && HasOwnRoutes();
    for (uint32_t i = 0; mayUpdate && i < graph.size(); ++i)
    {
        std::vector<QbbSwitchEdge> edges;
        std::set_symmetric_difference(
            m_graph[i].begin(),
            m_graph[i].end(),
            graph[i].begin(),
            graph[i].end(),
            std::back_inserter(edges),
            [](const QbbSwitchEdge& a, const QbbSwitchEdge& b) { return a.port < b.port; });
        for (const QbbSwitchEdge& edge : edges)
        {
            changed.emplace_back(i, edge);
        }
    }
    // A link is two edges, one at each end.
    const bool oneLink = changed.size() == 2 && changed[0].second.to == changed[1].first;
    if (!mayUpdate || (!changed.empty() && !oneLink))
    {
        ComputeRoutes();
        m_routesChanged();
        return;
    }
    UpdateHosts();
    if (!changed.empty())
    {
        const auto& [a, atA] = changed[0];
        const auto& [b, atB] = changed[1];
        const bool up = graph[a].size() > m_graph[a].size();
        QbbShortestRouting(m_switches)
            .ChangeLink({{a, b}, {atA.port, atB.port}, up}, m_leaves, up ? m_graph : graph, graph);
    }
    m_graph = std::move(graph);
    for (std::size_t i = 0; i < m_switches.size(); ++i)
    {
        // The version changes at every switch: path selectors start afresh after any change of
        // links. No host has the address 0.0.0.0, so no route is removed.
        QbbForwardingTable& table = m_switches[i]->GetForwardingTable();
        table.SetRoute(0, {});
        m_versions[i] = table.GetVersion();
    }
    m_routesChanged();
}

void
QbbRouting::SetLinkUp(Ptr<QbbChannel> channel, bool up)
{
    NS_LOG_FUNCTION(this << channel << up);
    if (m_convergenceDelay.IsZero())
    {
        channel->SetUp(up);
        UpdateRoutes();
        return;
    }
    PendingLink& pending = m_pending[PeekPointer(channel)];
    if (pending.changes++ == 0)
    {
        pending.known = channel->IsUp();
    }
    channel->SetUp(up);
    // All switches get the new routes at one instant, so the event belongs to no node.
    Simulator::ScheduleWithContext(Simulator::NO_CONTEXT,
                                   m_convergenceDelay,
                                   &QbbRouting::ApplyLinkChange,
                                   Ptr<QbbRouting>(this),
                                   channel,
                                   up);
}

void
QbbRouting::ApplyLinkChange(Ptr<QbbChannel> channel, bool up)
{
    const auto found = m_pending.find(PeekPointer(channel));
    if (found == m_pending.end())
    {
        return; // DoDispose() has run
    }
    found->second.known = up;
    if (--found->second.changes == 0)
    {
        m_pending.erase(found);
    }
    UpdateRoutes();
}

bool
QbbRouting::IsKnownUp(const QbbPort& port) const
{
    if (!m_pending.empty())
    {
        const auto found = m_pending.find(PeekPointer(port.GetQbbChannel()));
        if (found != m_pending.end())
        {
            return found->second.known;
        }
    }
    return port.IsUp();
}

std::vector<const QbbPort*>
QbbRouting::FollowPath(const QbbPort& port, Ipv4Address destination, uint32_t flowHash) const
{
    constexpr std::size_t USUAL_LINKS = 8;
    std::vector<const QbbPort*> path;
    path.reserve(USUAL_LINKS);
    path.push_back(&port);
    // Routes visit no switch twice, so a path with more hops than switches is a loop.
    while (path.size() <= m_switches.size() + 1)
    {
        const QbbPort* peer = path.back()->GetPeer();
        if (!peer || !path.back()->IsUp())
        {
            return {};
        }
        const uint32_t at = FindSwitch(peer->GetNodeId());
        if (at == NO_SWITCH)
        {
            return path;
        }
        const QbbSwitch& sw = *m_switches[at];
        const QbbForwardingTable::Group* group = sw.GetForwardingTable().Lookup(destination.Get());
        if (!group)
        {
            return {};
        }
        path.push_back(&sw.GetDevice(sw.PredictPort(flowHash, *group)));
    }
    return {};
}

std::vector<Ptr<QbbNetDevice>>
QbbRouting::GetPath(Ptr<QbbNetDevice> port, Ipv4Address destination, uint32_t flowHash) const
{
    std::vector<Ptr<QbbNetDevice>> path;
    for (const QbbPort* hop : FollowPath(*port, destination, flowHash))
    {
        path.push_back(DynamicCast<QbbNetDevice>(const_cast<QbbPort*>(hop)->GetDevice()));
    }
    return path;
}

} // namespace ns3
