/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-dependency-graph.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <utility>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * Cycles of a graph, by hand and against all pairs of vertices that reach each other.
 */

namespace ns3
{
namespace
{

using Edges = std::set<std::pair<uint32_t, uint32_t>>;

/** \param vertices how many \param edges from, to \return the graph */
QbbDependencyGraph
MakeGraph(uint32_t vertices, const Edges& edges)
{
    QbbDependencyGraph graph(vertices);
    for (const auto& [from, to] : edges)
    {
        graph.AddEdge(from, to);
    }
    return graph;
}

/** \param edges from, to \param cycle vertices \return true if each leads to the next, in a circle
 */
bool
IsCycle(const Edges& edges, const std::vector<uint32_t>& cycle)
{
    for (std::size_t i = 0; i < cycle.size(); ++i)
    {
        if (!edges.count({cycle[i], cycle[(i + 1) % cycle.size()]}))
        {
            return false;
        }
    }
    return !cycle.empty() && std::set<uint32_t>(cycle.begin(), cycle.end()).size() == cycle.size();
}

TEST(QbbDependencyGraph, ByHand)
{
    EXPECT_TRUE(MakeGraph(0, {}).FindCycle().empty());
    EXPECT_TRUE(MakeGraph(3, {{0, 1}, {1, 2}, {0, 2}}).FindCycle().empty());
    EXPECT_TRUE(MakeGraph(3, {{0, 1}, {1, 2}, {0, 2}}).GetCyclic().empty());
    // Vertex 0 leads into the circle and 4 out of it.
    const Edges circle{{0, 2}, {1, 2}, {2, 3}, {3, 1}, {3, 4}};
    EXPECT_EQ(MakeGraph(5, circle).FindCycle(), (std::vector<uint32_t>{1, 2, 3}));
    EXPECT_EQ(MakeGraph(5, circle).GetCyclic(), (std::vector<uint32_t>{1, 2, 3}));
    EXPECT_EQ(MakeGraph(2, {{1, 1}}).FindCycle(), (std::vector<uint32_t>{1}));
    EXPECT_EQ(MakeGraph(2, {{0, 1}, {1, 0}}).FindCycle(), (std::vector<uint32_t>{0, 1}));
    // The shorter of two ways round.
    const Edges chord{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {1, 3}};
    EXPECT_EQ(MakeGraph(4, chord).FindCycle(), (std::vector<uint32_t>{0, 1, 3}));
    EXPECT_EQ(MakeGraph(4, chord).GetCyclic().size(), 4u);
}

TEST(QbbDependencyGraph, LongChainNeedsNoRecursion)
{
    constexpr uint32_t LENGTH = 1'000'000;
    QbbDependencyGraph graph(LENGTH);
    for (uint32_t v = 0; v + 1 < LENGTH; ++v)
    {
        graph.AddEdge(v, v + 1);
    }
    EXPECT_TRUE(graph.FindCycle().empty());
    graph.AddEdge(LENGTH - 1, 0);
    EXPECT_EQ(graph.FindCycle().size(), LENGTH);
}

TEST(QbbDependencyGraph, RandomGraphsAgainstReachability)
{
    std::mt19937 random(1);
    uint32_t cyclicGraphs = 0;
    for (int round = 0; round < 2000; ++round)
    {
        const uint32_t n = 1 + random() % 12;
        Edges edges;
        for (uint32_t i = random() % (2 * n); i > 0; --i)
        {
            edges.insert({random() % n, random() % n});
        }
        std::vector<std::vector<bool>> reaches(n, std::vector<bool>(n));
        for (const auto& [from, to] : edges)
        {
            reaches[from][to] = true;
        }
        for (uint32_t via = 0; via < n; ++via)
        {
            for (uint32_t a = 0; a < n; ++a)
            {
                for (uint32_t b = 0; b < n; ++b)
                {
                    reaches[a][b] = reaches[a][b] || (reaches[a][via] && reaches[via][b]);
                }
            }
        }
        std::vector<uint32_t> expected;
        for (uint32_t v = 0; v < n; ++v)
        {
            if (reaches[v][v])
            {
                expected.push_back(v);
            }
        }
        const auto graph = MakeGraph(n, edges);
        EXPECT_EQ(graph.GetCyclic(), expected) << "round " << round;
        const auto cycle = graph.FindCycle();
        if (expected.empty())
        {
            EXPECT_TRUE(cycle.empty()) << "round " << round;
        }
        else
        {
            ++cyclicGraphs;
            EXPECT_TRUE(IsCycle(edges, cycle)) << "round " << round;
            EXPECT_EQ(cycle.front(), expected.front()) << "round " << round;
        }
    }
    EXPECT_GT(cyclicGraphs, 500u);
    EXPECT_LT(cyclicGraphs, 1900u);
}

TEST(QbbDependencyGraphDeathTest, EdgeOutOfRange)
{
    QbbDependencyGraph graph(2);
    EXPECT_DEATH(graph.AddEdge(0, 2), "rdma: an edge from 0 to 2 in a graph of 2 vertices");
}

} // namespace
} // namespace ns3
