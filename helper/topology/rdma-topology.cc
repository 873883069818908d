/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdma-topology.h"

#include "rdma-text-file.h"
#include "rdma-units.h"

#include <algorithm>
#include <map>
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
NameLink(std::size_t id, const RdmaTopologyLink& link)
{
    return "link " + std::to_string(id) + " (" + std::to_string(link.a) + " - " +
           std::to_string(link.b) + ")";
}

std::string
NameNode(uint32_t id, const RdmaTopologyNode& node)
{
    return (node.role == RdmaNodeRole::HOST ? "host " : "switch ") + std::to_string(id) + " (" +
           QuoteRdmaText(node.name) + ")";
}

void
CheckLink(std::size_t id, const RdmaTopologyLink& link, std::size_t nodes)
{
    const std::string name = NameLink(id, link);
    if (link.a >= nodes || link.b >= nodes)
    {
        FailTopology(name,
                     "names the node " + std::to_string(std::max(link.a, link.b)) +
                         ", which does not exist",
                     "0 to " + std::to_string(nodes - 1));
    }
    if (link.a == link.b)
    {
        FailTopology(name, "joins a node to itself", "two different nodes");
    }
    if (link.rate == 0_bps || link.rate > RDMA_MAX_RATE)
    {
        FailTopology(name,
                     "has a rate of " + std::to_string(link.rate.Get()) + " bit/s",
                     "1bps to " + FormatRdmaRate(RDMA_MAX_RATE));
    }
    if (link.delay <= 0_ps || link.delay > RDMA_MAX_DELAY)
    {
        FailTopology(name,
                     "has a delay of " + std::to_string(link.delay.Get()) + " ps",
                     "1ps to " + FormatRdmaTime(RDMA_MAX_DELAY) + " (every link needs a delay)");
    }
    if (!(link.errorRate >= 0.0 && link.errorRate < 1.0))
    {
        FailTopology(name,
                     "has an error rate of " + FormatRdmaReal(link.errorRate),
                     "0 to below 1");
    }
}

/// Groups nodes that are joined, as a forest of which each root names a group.
class Groups
{
  public:
    explicit Groups(uint32_t size)
        : m_parent(size)
    {
        for (uint32_t i = 0; i < size; ++i)
        {
            m_parent[i] = i;
        }
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
    while (i != a.end() && j != b.end())
    {
        if (*i == *j)
        {
            return true;
        }
        *i < *j ? ++i : ++j;
    }
    return false;
}

/**
 * Check that each two hosts have a path whose inner nodes are switches: both are linked to one
 * group of joined switches, or they are linked to each other. Hosts are taken together by the
 * groups that they are linked to, so that the work follows the number of links and not the number
 * of pairs of hosts.
 */
void
CheckConnected(const std::vector<RdmaTopologyNode>& nodes,
               const std::vector<RdmaTopologyLink>& links)
{
    const auto isHost = [&nodes](uint32_t id) { return nodes[id].role == RdmaNodeRole::HOST; };
    Groups groups(static_cast<uint32_t>(nodes.size()));
    for (const auto& link : links)
    {
        if (!isHost(link.a) && !isHost(link.b))
        {
            groups.Join(link.a, link.b);
        }
    }

    std::vector<GroupSet> reached(nodes.size());
    std::vector<bool> used(nodes.size(), false);
    std::vector<bool> linked(nodes.size(), false);
    std::set<std::pair<uint32_t, uint32_t>> direct;
    for (const auto& link : links)
    {
        linked[link.a] = true;
        linked[link.b] = true;
        if (isHost(link.a) && isHost(link.b))
        {
            direct.insert(std::minmax(link.a, link.b));
        }
        else if (isHost(link.a) != isHost(link.b))
        {
            const uint32_t host = isHost(link.a) ? link.a : link.b;
            const uint32_t group = groups.Find(isHost(link.a) ? link.b : link.a);
            reached[host].push_back(group);
            used[group] = true;
        }
    }

    std::map<GroupSet, std::vector<uint32_t>> hostsBySet;
    uint32_t hosts = 0;
    std::unordered_map<uint32_t, uint32_t> hostsOfGroup;
    for (uint32_t id = 0; id < nodes.size(); ++id)
    {
        if (!isHost(id))
        {
            if (!used[groups.Find(id)])
            {
                FailTopology(NameNode(id, nodes[id]),
                             "cannot be reached from any host",
                             "a connected graph");
            }
            continue;
        }
        if (!linked[id])
        {
            FailTopology(NameNode(id, nodes[id]), "has no link", "1 or more");
        }
        GroupSet& set = reached[id];
        std::sort(set.begin(), set.end());
        set.erase(std::unique(set.begin(), set.end()), set.end());
        for (const uint32_t group : set)
        {
            ++hostsOfGroup[group];
        }
        ++hosts;
        hostsBySet[set].push_back(id);
    }
    for (const auto& [group, count] : hostsOfGroup)
    {
        if (count == hosts)
        {
            return;
        }
    }
    for (auto i = hostsBySet.begin(); i != hostsBySet.end(); ++i)
    {
        for (auto j = i; j != hostsBySet.end(); ++j)
        {
            if (Intersect(i->first, j->first))
            {
                continue;
            }
            for (const uint32_t a : i->second)
            {
                for (const uint32_t b : j->second)
                {
                    if (a != b && direct.count(std::minmax(a, b)) == 0)
                    {
                        FailTopology(NameNode(a, nodes[a]),
                                     "has no path over switches to " + NameNode(b, nodes[b]),
                                     "a connected graph");
                    }
                }
            }
        }
    }
}

} // namespace

uint32_t
RdmaTopology::AddHost(const std::string& name)
{
    const uint32_t id = GetNNodes();
    m_nodes.push_back({RdmaNodeRole::HOST, name.empty() ? "host-" + std::to_string(id) : name});
    return id;
}

uint32_t
RdmaTopology::AddSwitch(const std::string& name)
{
    const uint32_t id = GetNNodes();
    m_nodes.push_back({RdmaNodeRole::SWITCH, name.empty() ? "switch-" + std::to_string(id) : name});
    return id;
}

uint32_t
RdmaTopology::AddLink(uint32_t a, uint32_t b, QbbBitRate rate, QbbPs delay, double errorRate)
{
    m_links.push_back({a, b, rate, delay, errorRate});
    return GetNLinks() - 1;
}

uint32_t
RdmaTopology::GetNNodes() const
{
    return static_cast<uint32_t>(m_nodes.size());
}

uint32_t
RdmaTopology::GetNLinks() const
{
    return static_cast<uint32_t>(m_links.size());
}

RdmaTopologyNode
RdmaTopology::GetNode(uint32_t id) const
{
    return m_nodes.at(id);
}

RdmaTopologyLink
RdmaTopology::GetLink(uint32_t id) const
{
    return m_links.at(id);
}

std::vector<RdmaTopologyNode>
RdmaTopology::GetNodes() const
{
    return m_nodes;
}

std::vector<RdmaTopologyLink>
RdmaTopology::GetLinks() const
{
    return m_links;
}

std::vector<uint32_t>
RdmaTopology::GetHosts() const
{
    std::vector<uint32_t> ids;
    for (uint32_t id = 0; id < m_nodes.size(); ++id)
    {
        if (m_nodes[id].role == RdmaNodeRole::HOST)
        {
            ids.push_back(id);
        }
    }
    return ids;
}

std::vector<uint32_t>
RdmaTopology::GetSwitches() const
{
    std::vector<uint32_t> ids;
    for (uint32_t id = 0; id < m_nodes.size(); ++id)
    {
        if (m_nodes[id].role == RdmaNodeRole::SWITCH)
        {
            ids.push_back(id);
        }
    }
    return ids;
}

bool
RdmaTopology::IsHost(uint32_t id) const
{
    return id < m_nodes.size() && m_nodes[id].role == RdmaNodeRole::HOST;
}

std::vector<std::vector<uint32_t>>
RdmaTopology::GetLinksByNode() const
{
    std::vector<std::vector<uint32_t>> byNode(m_nodes.size());
    for (uint32_t id = 0; id < m_links.size(); ++id)
    {
        const auto& link = m_links[id];
        CheckLink(id, link, m_nodes.size());
        byNode[link.a].push_back(id);
        byNode[link.b].push_back(id);
    }
    return byNode;
}

std::vector<QbbBitRate>
RdmaTopology::GetNodeRates() const
{
    std::vector<QbbBitRate> rates(m_nodes.size());
    for (uint32_t id = 0; id < m_links.size(); ++id)
    {
        const auto& link = m_links[id];
        CheckLink(id, link, m_nodes.size());
        rates[link.a] += link.rate;
        rates[link.b] += link.rate;
    }
    return rates;
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
    for (std::size_t id = 0; id < m_links.size(); ++id)
    {
        CheckLink(id, m_links[id], m_nodes.size());
    }
    CheckConnected(m_nodes, m_links);
}

bool
RdmaTopology::operator==(const RdmaTopology& other) const
{
    return m_nodes == other.m_nodes && m_links == other.m_links;
}

} // namespace ns3
