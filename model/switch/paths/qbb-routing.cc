/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-routing.h"

#include "qbb-up-down-routing.h"
#include "rdma-compat.h"
#include "rdma-for-each-index.h"
#include "rdma-simulator-impl.h"

#include <ns3/abort.h>
#include <ns3/enum.h>
#include <ns3/log.h>
#include <ns3/node.h>

#include <algorithm>
#include <iterator>
#include <sstream>
#include <tuple>

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
    m_hostOfAddress.clear();
    m_bonds.clear();
    m_isBonded.clear();
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
    const auto index = static_cast<uint32_t>(m_hosts.size());
    const auto [found, isNew] = m_hostOfAddress.emplace(address.Get(), index);
    if (!isNew)
    {
        const uint32_t other = m_hosts[found->second].port->GetNodeId();
        NS_ABORT_MSG_IF(other != port->GetNodeId(),
                        "rdma: host address "
                            << address << " of node " << port->GetNodeId()
                            << " is already that of node " << other
                            << "; accepted: an address for each host port, or one for several "
                               "ports of a node, which then form a bond");
        HostPorts& ports = m_bonds[address.Get()].ports;
        if (ports.empty())
        {
            ports.push_back(found->second);
            m_isBonded[found->second] = true;
        }
        ports.push_back(index);
    }
    m_hosts.push_back({port, address.Get()});
    m_isBonded.push_back(!isNew);
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
            m_leaves.push_back({{found}});
        }
        place = {leaf, peer->GetPortNumber()};
        m_index->Set(host.address, place);
    }
    m_sharedLeaves.clear();
    for (auto& [address, bond] : m_bonds)
    {
        bond.placed.clear();
        m_index->Erase(address);
        // A host that loses a leaf or gets it back is then often a mere change of its location.
        AddSharedLeaf(GetPlaced(bond.ports, false));
        AddSharedLeaf(GetPlaced(bond.ports, true));
    }
    const auto nLeaves = static_cast<uint32_t>(m_leaves.size());
    for (std::size_t i = 0; i < m_switches.size(); ++i)
    {
        QbbForwardingTable& table = m_switches[i]->GetForwardingTable();
        table.Clear();
        table.SetHosts(m_index,
                       nLeaves,
                       leafOfSwitch[i],
                       m_switches[i]->GetNPorts(),
                       !m_sharedLeaves.empty());
    }
    InstallSharedLeaves();
    UpdateHosts();
}

QbbRouting::HostPorts
QbbRouting::GetPlaced(const HostPorts& ports, bool known) const
{
    HostPorts placed;
    std::copy_if(ports.begin(), ports.end(), std::back_inserter(placed), [&](uint32_t host) {
        return m_places[host].leaf != QbbHostPlace::NO_LEAF &&
               (!known || IsKnownUp(*m_hosts[host].port));
    });
    // The order of the leaves, and not that of the host's ports, tells what hosts have in common.
    std::sort(placed.begin(), placed.end(), [this](uint32_t a, uint32_t b) {
        return std::tie(m_places[a].leaf, m_places[a].port) <
               std::tie(m_places[b].leaf, m_places[b].port);
    });
    return placed;
}

QbbRouting::SharedLeafKey
QbbRouting::MakeKey(const HostPorts& ports) const
{
    // Hosts share a leaf if they are cabled alike: the port of each switch differs from that of the
    // first switch by the same number. In a pair of leaves that is cabled in parallel all
    // differences are 0. Several ports at one switch make a leaf of this host alone.
    const auto leafOf = [this](uint32_t host) { return m_places[host].leaf; };
    const bool isAlone =
        std::adjacent_find(ports.begin(), ports.end(), [&leafOf](uint32_t a, uint32_t b) {
            return leafOf(a) == leafOf(b);
        }) != ports.end();
    SharedLeafKey key;
    for (const uint32_t host : ports)
    {
        const uint16_t port = m_places[host].port;
        const auto shift = static_cast<uint16_t>(port - m_places[ports.front()].port);
        constexpr uint32_t PORT = 1U << 16; // flag: a port and not a difference
        key.emplace_back(leafOf(host), isAlone ? PORT | port : shift);
    }
    return key;
}

void
QbbRouting::AddSharedLeaf(const HostPorts& ports)
{
    if (ports.size() < 2)
    {
        return;
    }
    const auto number = static_cast<uint32_t>(m_leaves.size());
    if (!m_sharedLeaves.emplace(MakeKey(ports), number).second)
    {
        return;
    }
    std::vector<uint32_t> switches;
    for (const uint32_t host : ports)
    {
        switches.push_back(m_leaves[m_places[host].leaf].switches.front());
    }
    switches.erase(std::unique(switches.begin(), switches.end()), switches.end());
    m_leaves.push_back({std::move(switches)});
}

void
QbbRouting::InstallSharedLeaves()
{
    for (const auto& [key, number] : m_sharedLeaves)
    {
        std::map<uint32_t, QbbForwardingTable::Group> ports; // of switches, by leaf
        for (const auto& [leaf, port] : key)
        {
            QbbForwardingTable& table =
                m_switches[m_leaves[leaf].switches.front()]->GetForwardingTable();
            if (port <= UINT16_MAX)
            {
                table.SetSharedLeaf(number, static_cast<uint16_t>(port));
                continue;
            }
            ports[leaf].push_back(static_cast<uint16_t>(port));
            table.SetLeafRoute(number, ports[leaf]);
        }
    }
}

std::optional<QbbHostPlace>
QbbRouting::FindPlace(const HostPorts& ports) const
{
    if (ports.empty())
    {
        return QbbHostPlace();
    }
    QbbHostPlace place = m_places[ports.front()];
    if (ports.size() > 1)
    {
        const auto found = m_sharedLeaves.find(MakeKey(ports));
        if (found == m_sharedLeaves.end())
        {
            return std::nullopt;
        }
        place.leaf = found->second;
    }
    return place;
}

void
QbbRouting::SetPlace(uint32_t address, const QbbHostPlace& place)
{
    const QbbHostPlace known = m_index->Find(address);
    if (place.leaf == QbbHostPlace::NO_LEAF)
    {
        if (known.leaf != QbbHostPlace::NO_LEAF)
        {
            m_index->Erase(address);
        }
        return;
    }
    if (known.leaf != place.leaf || known.port != place.port)
    {
        m_index->Set(address, place);
    }
}

bool
QbbRouting::UpdateHosts()
{
    for (std::size_t i = 0; i < m_hosts.size(); ++i)
    {
        const uint32_t address = m_hosts[i].address;
        if (m_isBonded[i])
        {
            continue;
        }
        const bool up = m_places[i].leaf != QbbHostPlace::NO_LEAF && IsKnownUp(*m_hosts[i].port);
        SetPlace(address, up ? m_places[i] : QbbHostPlace());
    }
    for (auto& [address, bond] : m_bonds)
    {
        HostPorts placed = GetPlaced(bond.ports, true);
        if (placed == bond.placed)
        {
            continue;
        }
        const auto place = FindPlace(placed);
        if (!place)
        {
            return false;
        }
        SetPlace(address, *place);
        bond.placed = std::move(placed);
    }
    m_index->Freeze();
    return true;
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
    constexpr uint32_t BLOCK = 512; // leaves whose distances are kept at one time
    const uint32_t threads = RdmaSimulatorImpl::GetThreads();
    const auto nLeaves = static_cast<uint32_t>(m_leaves.size());
    for (uint32_t first = 0; first < nLeaves; first += BLOCK)
    {
        std::vector<typename T::Distances> distances(std::min(BLOCK, nLeaves - first));
        RdmaForEachIndex(distances.size(), threads, [&](std::size_t i) {
            distances[i] = algorithm.GetDistances(m_leaves[first + i].switches, m_graph);
        });
        // Each switch has a table of its own.
        RdmaForEachIndex(m_switches.size(), threads, [&](std::size_t at) {
            algorithm.SetRoutes(static_cast<uint32_t>(at), first, distances, m_graph);
        });
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
        // The cable may have been attached later.
        const QbbPort* const peer = m_hosts[i].port->GetPeer();
        if (m_places[i].leaf == QbbHostPlace::NO_LEAF && peer &&
            FindSwitch(peer->GetNodeId()) != NO_SWITCH)
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
    if (!mayUpdate || (!changed.empty() && !oneLink) || !UpdateHosts())
    {
        ComputeRoutes();
        m_routesChanged();
        return;
    }
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
            // A switch sends frames to their host alone, or to a gateway.
            const bool isDirect = path.size() == 1;
            return isDirect && !HasAddress(*peer, destination.Get()) ? std::vector<const QbbPort*>()
                                                                     : path;
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

bool
QbbRouting::HasAddress(const QbbPort& port, uint32_t address) const
{
    const auto has = [this, &port](uint32_t host) {
        return static_cast<const QbbPort*>(PeekPointer(m_hosts[host].port)) == &port;
    };
    const auto found = m_hostOfAddress.find(address);
    if (found == m_hostOfAddress.end())
    {
        return false;
    }
    const auto bond = m_bonds.find(address);
    return bond == m_bonds.end()
               ? has(found->second)
               : std::any_of(bond->second.ports.begin(), bond->second.ports.end(), has);
}

std::optional<uint32_t>
QbbRouting::FindForwardingHost(const QbbPort& port, uint32_t destination) const
{
    std::unordered_map<uint32_t, std::vector<const QbbPort*>> portsOfHost;
    for (const Host& host : m_hosts)
    {
        portsOfHost[host.port->GetNodeId()].push_back(PeekPointer(host.port));
    }
    // Breadth first over all nodes, as if hosts forwarded: the first host on the way to each node.
    std::unordered_map<uint32_t, std::optional<uint32_t>> firstHost;
    firstHost[port.GetNodeId()] = std::nullopt;
    std::vector<const QbbPort*> open{&port};
    for (std::size_t next = 0; next < open.size(); ++next)
    {
        const QbbPort* const peer = open[next]->GetPeer();
        if (!peer || !IsKnownUp(*open[next]))
        {
            continue;
        }
        const std::optional<uint32_t> before = firstHost[open[next]->GetNodeId()];
        const uint32_t node = peer->GetNodeId();
        const uint32_t sw = FindSwitch(node);
        if (sw == NO_SWITCH && HasAddress(*peer, destination))
        {
            return before;
        }
        const auto host = before || sw != NO_SWITCH ? before : std::optional<uint32_t>(node);
        if (!firstHost.emplace(node, host).second)
        {
            continue;
        }
        const std::vector<const QbbPort*> onward =
            sw == NO_SWITCH ? portsOfHost[node] : m_switches[sw]->GetOnwardPorts();
        open.insert(open.end(), onward.begin(), onward.end());
    }
    return std::nullopt;
}

std::string
QbbRouting::GetNoPathReason(const QbbPort& port, Ipv4Address destination) const
{
    std::ostringstream text;
    const auto describe = [](const QbbPort& at) {
        return "port " + std::to_string(at.GetDeviceIndex()) + " of node " +
               std::to_string(at.GetNodeId());
    };
    const QbbPort* at = &port;
    for (std::size_t hops = 0; hops <= m_switches.size() + 1; ++hops)
    {
        const QbbPort* const peer = at->GetPeer();
        if (!peer || !at->IsUp())
        {
            text << describe(*at) << (peer ? " has a link that is down" : " has no cable");
            return text.str();
        }
        const uint32_t next = FindSwitch(peer->GetNodeId());
        if (next == NO_SWITCH)
        {
            if (hops > 0 || HasAddress(*peer, destination.Get()))
            {
                return "";
            }
            text << describe(*at) << " is cabled to node " << peer->GetNodeId()
                 << ", a host that has not the address " << destination
                 << ", and hosts do not forward";
            return text.str();
        }
        const QbbForwardingTable::Group* const group =
            m_switches[next]->GetForwardingTable().Lookup(destination.Get());
        if (!group)
        {
            text << "the switch of node " << peer->GetNodeId() << " has no route to "
                 << destination;
            const auto host = FindForwardingHost(port, destination.Get());
            if (host)
            {
                text << "; the way leads through node " << *host
                     << ", a host, and hosts do not forward";
            }
            else if (m_hostOfAddress.count(destination.Get()) == 0)
            {
                text << ", which no host has";
            }
            return text.str();
        }
        at = &m_switches[next]->GetDevice(group->front());
    }
    return "the routes form a loop";
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
