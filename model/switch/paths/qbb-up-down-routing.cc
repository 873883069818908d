/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-up-down-routing.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace ns3
{

namespace
{

constexpr uint32_t UNREACHED = QbbShortestRouting::UNREACHED;

} // namespace

QbbUpDownRouting::QbbUpDownRouting(const std::vector<Ptr<QbbSwitch>>& switches,
                                   const std::unordered_map<uint32_t, uint32_t>& switchOfNode)
    : m_switches(switches),
      m_heights(switches.size()),
      m_fromTop(switches.size())
{
    const auto count = static_cast<uint32_t>(m_switches.size());
    QbbSwitchGraph neighbours(count);
    std::vector<uint32_t> leaves;
    for (uint32_t s = 0; s < count; ++s)
    {
        bool isLeaf = false;
        for (uint32_t p = 0; p < m_switches[s]->GetNPorts(); ++p)
        {
            QbbPort* peer = m_switches[s]->GetPort(p)->GetPeer();
            if (!peer)
            {
                continue;
            }
            const auto found = switchOfNode.find(peer->GetNodeId());
            isLeaf = isLeaf || found == switchOfNode.end();
            if (found != switchOfNode.end())
            {
                neighbours[s].push_back({found->second, static_cast<uint16_t>(p)});
            }
        }
        if (isLeaf)
        {
            leaves.push_back(s);
        }
    }
    if (count == 0)
    {
        return; // a fabric without switches: hosts connected back to back
    }
    const std::vector<uint32_t> tier = QbbShortestRouting::GetHops(neighbours, leaves);
    const auto root = std::max_element(tier.begin(), tier.end()) - tier.begin();
    const std::vector<uint32_t> fromRoot =
        QbbShortestRouting::GetHops(neighbours, {static_cast<uint32_t>(root)});
    std::iota(m_fromTop.begin(), m_fromTop.end(), 0);
    std::sort(m_fromTop.begin(), m_fromTop.end(), [&](uint32_t a, uint32_t b) {
        return std::tuple(tier[a], fromRoot[b], b) > std::tuple(tier[b], fromRoot[a], a);
    });
    for (uint32_t i = 0; i < count; ++i)
    {
        m_heights[m_fromTop[i]] = count - 1 - i;
    }
}

QbbUpDownRouting::Distances
QbbUpDownRouting::GetDistances(const std::vector<uint32_t>& targets,
                               const QbbSwitchGraph& graph) const
{
    Distances distances;
    auto& [downhill, hops] = distances;
    downhill.assign(graph.size(), UNREACHED);
    for (const uint32_t target : targets)
    {
        downhill[target] = 0;
    }
    for (auto at = m_fromTop.rbegin(); at != m_fromTop.rend(); ++at)
    {
        for (const QbbSwitchEdge& edge : graph[*at])
        {
            if (m_heights[edge.to] < m_heights[*at] && downhill[edge.to] != UNREACHED)
            {
                downhill[*at] = std::min(downhill[*at], downhill[edge.to] + 1);
            }
        }
    }
    // A switch without a downward path goes up, to the neighbours from which the rest is shortest.
    // Upper switches come first, because lower switches depend on them.
    hops = downhill;
    for (const uint32_t at : m_fromTop)
    {
        for (const QbbSwitchEdge& edge : graph[at])
        {
            if (downhill[at] == UNREACHED && m_heights[edge.to] > m_heights[at] &&
                hops[edge.to] != UNREACHED)
            {
                hops[at] = std::min(hops[at], hops[edge.to] + 1);
            }
        }
    }
    return distances;
}

void
QbbUpDownRouting::SetRoutes(uint32_t at,
                            uint32_t first,
                            const std::vector<Distances>& distances,
                            const QbbSwitchGraph& graph) const
{
    QbbForwardingTable& table = m_switches[at]->GetForwardingTable();
    QbbForwardingTable::Group ports;
    for (uint32_t i = 0; i < distances.size(); ++i)
    {
        const auto& [downhill, hops] = distances[i];
        if (hops[at] == 0 || hops[at] == UNREACHED)
        {
            continue;
        }
        const bool down = downhill[at] != UNREACHED;
        const auto& rest = down ? downhill : hops;
        ports.clear();
        for (const QbbSwitchEdge& edge : graph[at])
        {
            if ((m_heights[edge.to] < m_heights[at]) == down && rest[edge.to] != UNREACHED &&
                rest[edge.to] + 1 == hops[at])
            {
                ports.push_back(edge.port);
            }
        }
        table.SetLeafRoute(first + i, ports);
    }
}

} // namespace ns3
