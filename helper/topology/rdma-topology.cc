/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdma-topology.h"

#include "rdma-text-file.h"
#include "rdma-units.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <stdexcept>
#include <unordered_map>
#include <utility>

namespace ns3
{

namespace
{

[[noreturn]] void
FailTopology(const std::string& what, const std::string& problem, const std::string& accepted)
{
    throw std::invalid_argument("topology: " + what + " " + problem + "; accepted: " + accepted);
}

std::string
NameNode(uint32_t id, const RdmaTopologyNode& node)
{
    const bool isHost = node.host == id;
    return (isHost                              ? "host "
            : node.role == RdmaNodeRole::SWITCH ? "switch "
                                                : "NIC ") +
           std::to_string(id) + " (" + QuoteRdmaText(node.name) + ")";
}

/// Groups of joined nodes, as a forest in which each root identifies a group.
class Groups
{
  public:
    explicit Groups(std::size_t size)
        : m_parent(size)
    {
        std::iota(m_parent.begin(), m_parent.end(), 0);
    }

    uint32_t Find(uint32_t i)
    {
        while (m_parent[i] != i)
        {
            m_parent[i] = m_parent[m_parent[i]];
            i = m_parent[i];
        }
        return i;
    }

    void Join(uint32_t a, uint32_t b)
    {
        m_parent[Find(a)] = Find(b);
    }

  private:
    std::vector<uint32_t> m_parent;
};

using GroupSet = std::vector<uint32_t>;

bool
Intersect(const GroupSet& a, const GroupSet& b)
{
    auto i = a.begin();
    auto j = b.begin();
    while (i != a.end() && j != b.end() && *i != *j)
    {
        *i < *j ? ++i : ++j;
    }
    return i != a.end() && j != b.end();
}

} // namespace

uint32_t
RdmaTopology::AddHost(const std::string& name)
{
    const uint32_t id = GetNNodes();
    m_nodes.push_back({RdmaNodeRole::HOST, name.empty() ? "host-" + std::to_string(id) : name, id});
    return id;
}

uint32_t
RdmaTopology::AddNic(uint32_t host, const std::string& name)
{
    if (!IsHost(host))
    {
        FailTopology("a NIC", "is added to node " + std::to_string(host), "the id of a host");
    }
    const uint32_t id = GetNNodes();
    std::vector<uint32_t>& nics = m_furtherNics[host];
    nics.push_back(id);
    m_nodes.push_back(
        {RdmaNodeRole::HOST,
         name.empty() ? m_nodes[host].name + "-nic-" + std::to_string(nics.size()) : name,
         host});
    return id;
}

void
RdmaTopology::SetBonded(uint32_t nic)
{
    if (!IsNic(nic))
    {
        FailTopology("node " + std::to_string(nic), "is to be bonded", "the node id of a NIC");
    }
    m_nodes[nic].bonded = true;
}

uint32_t
RdmaTopology::AddSwitch(const std::string& name)
{
    const uint32_t id = GetNNodes();
    m_nodes.push_back({RdmaNodeRole::SWITCH, name.empty() ? "switch-" + std::to_string(id) : name});
    return id;
}

uint32_t
RdmaTopology::AddLink(uint32_t a, uint32_t b, RdmaBitRate rate, RdmaPs delay, double errorRate)
{
    m_links.push_back({a, b, rate, delay, errorRate});
    return GetNLinks() - 1;
}

std::vector<uint32_t>
RdmaTopology::GetIds(RdmaNodeRole role) const
{
    std::vector<uint32_t> ids;
    for (uint32_t id = 0; id < m_nodes.size(); ++id)
    {
        if (m_nodes[id].role == role)
        {
            ids.push_back(id);
        }
    }
    return ids;
}

std::vector<uint32_t>
RdmaTopology::GetHosts() const
{
    std::vector<uint32_t> ids;
    for (uint32_t id = 0; id < m_nodes.size(); ++id)
    {
        if (m_nodes[id].host == id)
        {
            ids.push_back(id);
        }
    }
    return ids;
}

std::vector<uint32_t>
RdmaTopology::GetNics(uint32_t host) const
{
    if (!IsHost(host))
    {
        FailTopology("node " + std::to_string(host), "is no host", "the id of a host");
    }
    std::vector<uint32_t> nics{host};
    const auto further = m_furtherNics.find(host);
    if (further != m_furtherNics.end())
    {
        nics.insert(nics.end(), further->second.begin(), further->second.end());
    }
    return nics;
}

bool
RdmaTopology::HasChoiceOfPorts() const
{
    if (!m_furtherNics.empty())
    {
        return true;
    }
    std::vector<bool> isLinked(m_nodes.size());
    for (const RdmaTopologyLink& link : m_links)
    {
        for (const uint32_t node : {link.a, link.b})
        {
            if (IsNic(node) && isLinked[node])
            {
                return true;
            }
            isLinked[node] = true;
        }
    }
    return false;
}

RdmaTopology
RdmaTopology::WithLinks(std::vector<RdmaTopologyLink> links) const
{
    RdmaTopology other(*this);
    other.m_links = std::move(links);
    return other;
}

std::vector<std::vector<uint32_t>>
RdmaTopology::GetLinksByNode() const
{
    std::vector<std::vector<uint32_t>> byNode(m_nodes.size());
    for (uint32_t id = 0; id < m_links.size(); ++id)
    {
        CheckLink(id);
        byNode[m_links[id].a].push_back(id);
        byNode[m_links[id].b].push_back(id);
    }
    return byNode;
}

std::vector<RdmaBitRate>
RdmaTopology::GetNodeRates() const
{
    std::vector<RdmaBitRate> rates(m_nodes.size());
    for (uint32_t id = 0; id < m_links.size(); ++id)
    {
        CheckLink(id);
        rates[m_links[id].a] += m_links[id].rate;
        rates[m_links[id].b] += m_links[id].rate;
    }
    return rates;
}

void
RdmaTopology::CheckLink(uint32_t id) const
{
    const RdmaTopologyLink& link = m_links[id];
    const auto fail = [id, &link](const std::string& problem, const std::string& accepted) {
        FailTopology("link " + std::to_string(id) + " (" + std::to_string(link.a) + " - " +
                         std::to_string(link.b) + ")",
                     problem,
                     accepted);
    };
    if (std::max(link.a, link.b) >= m_nodes.size())
    {
        fail("names the node " + std::to_string(std::max(link.a, link.b)) +
                 ", which does not exist",
             "0 to " + std::to_string(m_nodes.size() - 1));
    }
    if (link.a == link.b)
    {
        fail("joins a node to itself", "two different nodes");
    }
    if (IsNic(link.a) && m_nodes[link.a].host == m_nodes[link.b].host)
    {
        fail("joins two NICs of one host", "NICs of two hosts, or a switch");
    }
    if (link.rate == 0_bps || link.rate > RDMA_MAX_RATE)
    {
        fail("has a rate of " + std::to_string(link.rate.Get()) + " bit/s",
             "1bps to " + FormatRdmaRate(RDMA_MAX_RATE));
    }
    if (link.delay <= 0_ps || link.delay > RDMA_MAX_DELAY)
    {
        fail("has a delay of " + std::to_string(link.delay.Get()) + " ps",
             "1ps to " + FormatRdmaTime(RDMA_MAX_DELAY) + " (every link needs a delay)");
    }
    if (!(link.errorRate >= 0.0 && link.errorRate < 1.0))
    {
        fail("has an error rate of " + FormatRdmaReal(link.errorRate), "0 to below 1");
    }
}

void
RdmaTopology::CheckPorts() const
{
    std::vector<uint32_t> ports(m_nodes.size());
    for (const RdmaTopologyLink& link : m_links)
    {
        ++ports[link.a];
        ++ports[link.b];
    }
    for (uint32_t id = 0; id < m_nodes.size(); ++id)
    {
        if (ports[id] > MAX_PORTS)
        {
            FailTopology(NameNode(id, m_nodes[id]),
                         "has " + std::to_string(ports[id]) + " links",
                         "at most " + std::to_string(MAX_PORTS));
        }
    }
}

/*
 * Any two hosts need a path whose inner nodes are switches: NICs of both hosts are linked to one
 * group of joined switches, or to each other. A link between two hosts is a separate group. Hosts
 * that are linked to the same groups are checked together, so that the work grows with the number
 * of links and not with the number of pairs of hosts.
 */
void
RdmaTopology::CheckConnected() const
{
    Groups groups(m_nodes.size());
    for (const auto& link : m_links)
    {
        if (!IsNic(link.a) && !IsNic(link.b))
        {
            groups.Join(link.a, link.b);
        }
    }
    std::vector<GroupSet> reached(m_nodes.size()); // groups of each host
    std::vector<bool> used(m_nodes.size());        // groups with a host
    std::vector<bool> isLinked(m_nodes.size());
    for (uint32_t id = 0; id < m_links.size(); ++id)
    {
        const RdmaTopologyLink& link = m_links[id];
        for (const auto& [node, other] : {std::pair(link.a, link.b), std::pair(link.b, link.a)})
        {
            isLinked[node] = true;
            if (IsNic(node))
            {
                reached[m_nodes[node].host].push_back(IsNic(other) ? GetNNodes() + id
                                                                   : groups.Find(other));
                used[groups.Find(other)] = true;
            }
        }
    }
    std::set<GroupSet> seen;
    std::vector<uint32_t> hosts; // one host for each set of groups
    std::unordered_map<uint32_t, std::size_t> hostsOfGroup;
    for (uint32_t id = 0; id < m_nodes.size(); ++id)
    {
        if (!IsNic(id) && !used[groups.Find(id)])
        {
            FailTopology(NameNode(id, m_nodes[id]),
                         "cannot be reached from any host",
                         "a connected graph");
        }
        if (IsNic(id) && !isLinked[id])
        {
            FailTopology(NameNode(id, m_nodes[id]), "has no link", "1 or more");
        }
        GroupSet& set = reached[id];
        std::sort(set.begin(), set.end());
        set.erase(std::unique(set.begin(), set.end()), set.end());
        for (const uint32_t group : set)
        {
            ++hostsOfGroup[group];
        }
        if (IsHost(id) && seen.insert(set).second)
        {
            hosts.push_back(id);
        }
    }
    const std::size_t all = GetHosts().size();
    if (std::any_of(hostsOfGroup.begin(), hostsOfGroup.end(), [all](const auto& entry) {
            return entry.second == all;
        }))
    {
        return;
    }
    for (auto a = hosts.begin(); a != hosts.end(); ++a)
    {
        for (auto b = a + 1; b != hosts.end(); ++b)
        {
            if (!Intersect(reached[*a], reached[*b]))
            {
                FailTopology(NameNode(*a, m_nodes[*a]),
                             "has no path over switches to " + NameNode(*b, m_nodes[*b]),
                             "a connected graph; hosts do not forward");
            }
        }
    }
}

void
RdmaTopology::Validate() const
{
    if (m_nodes.size() > MAX_NODES)
    {
        FailTopology(std::to_string(m_nodes.size()),
                     "nodes",
                     "at most " + std::to_string(MAX_NODES));
    }
    if (m_links.size() > MAX_LINKS)
    {
        FailTopology(std::to_string(m_links.size()),
                     "links",
                     "at most " + std::to_string(MAX_LINKS));
    }
    std::unordered_map<std::string, uint32_t> names;
    bool hasHost = false;
    for (uint32_t id = 0; id < m_nodes.size(); ++id)
    {
        hasHost = hasHost || IsHost(id);
        const auto [first, isNew] = names.emplace(m_nodes[id].name, id);
        if (!isNew)
        {
            FailTopology(NameNode(id, m_nodes[id]),
                         "has the name of node " + std::to_string(first->second),
                         "a name for each node");
        }
    }
    if (!hasHost)
    {
        FailTopology("no", "host", "1 or more");
    }
    for (uint32_t id = 0; id < m_links.size(); ++id)
    {
        CheckLink(id);
    }
    CheckPorts();
    CheckConnected();
}

} // namespace ns3
