/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-dependency-graph.h"

#include <ns3/abort.h>

#include <algorithm>

namespace ns3
{

QbbDependencyGraph::QbbDependencyGraph(uint32_t vertices)
    : m_targets(vertices)
{
}

void
QbbDependencyGraph::AddEdge(uint32_t from, uint32_t to)
{
    NS_ABORT_MSG_IF(from >= m_targets.size() || to >= m_targets.size(),
                    "rdma: an edge from " << from << " to " << to << " in a graph of "
                                          << m_targets.size() << " vertices");
    m_targets[from].push_back(to);
}

std::vector<uint32_t>
QbbDependencyGraph::GetCyclic() const
{
    // Strongly connected components (Tarjan 1972), with an explicit stack: recursion would be as
    // deep as the longest path.
    constexpr uint32_t UNSEEN = UINT32_MAX;

    struct Visit
    {
        uint32_t vertex;
        std::size_t edge; // next edge to follow
    };

    const auto vertices = static_cast<uint32_t>(m_targets.size());
    std::vector<uint32_t> index(vertices, UNSEEN);
    std::vector<uint32_t> low(vertices, 0);
    std::vector<bool> open(vertices, false);
    std::vector<uint32_t> component;
    std::vector<Visit> visits;
    std::vector<uint32_t> cyclic;
    uint32_t count = 0;
    const auto enter = [&](uint32_t v) {
        index[v] = low[v] = count++;
        open[v] = true;
        component.push_back(v);
        visits.push_back({v, 0});
    };
    for (uint32_t root = 0; root < vertices; ++root)
    {
        if (index[root] == UNSEEN)
        {
            enter(root);
        }
        while (!visits.empty())
        {
            const uint32_t v = visits.back().vertex;
            const std::vector<uint32_t>& targets = m_targets[v];
            if (visits.back().edge < targets.size())
            {
                const uint32_t to = targets[visits.back().edge++];
                if (index[to] == UNSEEN)
                {
                    enter(to);
                }
                else if (open[to])
                {
                    low[v] = std::min(low[v], index[to]);
                }
                continue;
            }
            visits.pop_back();
            if (!visits.empty())
            {
                uint32_t& above = low[visits.back().vertex];
                above = std::min(above, low[v]);
            }
            if (low[v] != index[v])
            {
                continue;
            }
            // A component with one vertex is a cycle if the vertex has an edge to itself.
            const bool loops = component.back() != v ||
                               std::find(targets.begin(), targets.end(), v) != targets.end();
            uint32_t member;
            do
            {
                member = component.back();
                component.pop_back();
                open[member] = false;
                if (loops)
                {
                    cyclic.push_back(member);
                }
            } while (member != v);
        }
    }
    std::sort(cyclic.begin(), cyclic.end());
    return cyclic;
}

std::vector<uint32_t>
QbbDependencyGraph::FindCycle() const
{
    constexpr uint32_t NONE = UINT32_MAX;
    const std::vector<uint32_t> cyclic = GetCyclic();
    if (cyclic.empty())
    {
        return {};
    }
    // Breadth-first search until an edge leads back to the start.
    const uint32_t start = cyclic.front();
    std::vector<uint32_t> parent(m_targets.size(), NONE);
    std::vector<uint32_t> queue{start};
    for (std::size_t next = 0; next < queue.size(); ++next)
    {
        const uint32_t at = queue[next];
        for (const uint32_t to : m_targets[at])
        {
            if (to == start)
            {
                std::vector<uint32_t> cycle;
                for (uint32_t v = at; v != start; v = parent[v])
                {
                    cycle.push_back(v);
                }
                cycle.push_back(start);
                std::reverse(cycle.begin(), cycle.end());
                return cycle;
            }
            if (parent[to] == NONE)
            {
                parent[to] = at;
                queue.push_back(to);
            }
        }
    }
    return {};
}

} // namespace ns3
