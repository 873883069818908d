/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-shortest-routing.h"

#include <algorithm>
#include <utility>

namespace ns3
{

QbbShortestRouting::QbbShortestRouting(const std::vector<Ptr<QbbSwitch>>& switches)
    : m_switches(switches)
{
}

std::vector<uint32_t>
QbbShortestRouting::GetHops(const QbbSwitchGraph& graph, std::vector<uint32_t> from)
{
    std::vector<uint32_t> hops(graph.size(), UNREACHED);
    std::vector<uint32_t> queue(std::move(from));
    queue.reserve(graph.size());
    for (const uint32_t start : queue)
    {
        hops[start] = 0;
    }
    for (std::size_t next = 0; next < queue.size(); ++next)
    {
        const uint32_t at = queue[next];
        for (const QbbSwitchEdge& edge : graph[at])
        {
            if (hops[edge.to] == UNREACHED)
            {
                hops[edge.to] = hops[at] + 1;
                queue.push_back(edge.to);
            }
        }
    }
    return hops;
}

QbbShortestRouting::Distances
QbbShortestRouting::GetDistances(const std::vector<uint32_t>& targets,
                                 const QbbSwitchGraph& graph) const
{
    // Links are symmetric, so the hops from the targets are the hops to the targets.
    return GetHops(graph, targets);
}

void
QbbShortestRouting::SetRoutes(uint32_t at,
                              uint32_t first,
                              const std::vector<Distances>& distances,
                              const QbbSwitchGraph& graph) const
{
    QbbForwardingTable& table = m_switches[at]->GetForwardingTable();
    QbbForwardingTable::Group ports;
    for (uint32_t i = 0; i < distances.size(); ++i)
    {
        const Distances& hops = distances[i];
        if (hops[at] == 0)
        {
            continue; // a target
        }
        ports.clear();
        for (const QbbSwitchEdge& edge : graph[at])
        {
            if (hops[edge.to] + 1 == hops[at])
            {
                ports.push_back(edge.port);
            }
        }
        table.SetLeafRoute(first + i, ports);
    }
}

void
QbbShortestRouting::ChangeLink(const LinkChange& change,
                               const std::vector<Leaf>& leaves,
                               const QbbSwitchGraph& without,
                               const QbbSwitchGraph& now) const
{
    const std::array<std::vector<uint32_t>, 2> hops{GetHops(without, {change.sw[0]}),
                                                    GetHops(without, {change.sw[1]})};
    for (uint32_t leaf = 0; leaf < leaves.size(); ++leaf)
    {
        std::array<uint32_t, 2> away{UNREACHED, UNREACHED}; // hops from the ends to the leaf
        for (const uint32_t target : leaves[leaf].switches)
        {
            away = {std::min(away[0], hops[0][target]), std::min(away[1], hops[1][target])};
        }
        if (away[0] == away[1])
        {
            continue; // no shortest path to the leaf uses the link
        }
        const std::size_t far = away[1] > away[0] ? 1 : 0;
        QbbForwardingTable& table = m_switches[change.sw[far]]->GetForwardingTable();
        const QbbForwardingTable::Group* route = nullptr;
        if (away[far] == away[1 - far] + 1)
        {
            route = table.GetLeafRoute(leaf);
        }
        if (!route)
        {
            const std::vector<Distances> all{GetDistances(leaves[leaf].switches, now)};
            for (uint32_t at = 0; at < now.size(); ++at)
            {
                SetRoutes(at, leaf, all, now);
            }
            continue;
        }
        // All distances to the leaf stay the same: only the farther end gains or loses a next hop.
        QbbForwardingTable::Group ports = *route;
        const auto place = std::lower_bound(ports.begin(), ports.end(), change.port[far]);
        change.up ? ports.insert(place, change.port[far]) : ports.erase(place);
        table.SetLeafRoute(leaf, ports);
    }
}

} // namespace ns3
