/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-rank-placement.h"

#include "rdma-graph-division.h"

#include <ns3/abort.h>

#include <algorithm>

namespace ns3
{

namespace
{

constexpr uint32_t NO_VERTEX = UINT32_MAX; // no vertex

/** \return number of each node's vertex: switches with their hosts, or every node by itself */
std::vector<uint32_t>
MakeVertices(const RdmaTopology& topology, bool alone)
{
    std::vector<uint32_t> vertexOf(topology.GetNNodes(), NO_VERTEX);
    uint32_t vertices = 0;
    for (uint32_t node = 0; node < topology.GetNNodes(); ++node)
    {
        if ((alone && topology.GetNode(node).host == node) || !topology.IsNic(node))
        {
            vertexOf[node] = vertices++;
        }
    }
    for (const RdmaTopologyLink& link : topology.GetLinks())
    {
        for (const auto& [host, peer] : {std::pair(link.a, link.b), std::pair(link.b, link.a)})
        {
            if (!alone && topology.IsNic(host) && !topology.IsNic(peer))
            {
                vertexOf[host] = std::min(vertexOf[host], vertexOf[peer]);
            }
        }
    }
    for (uint32_t node = 0; node < topology.GetNNodes(); ++node)
    {
        // Software of a host uses all of its NICs, so that they belong together.
        const uint32_t host = topology.GetNode(node).host;
        if (topology.IsNic(node) && host != node)
        {
            vertexOf[node] = vertexOf[host];
        }
        vertexOf[node] = vertexOf[node] == NO_VERTEX ? vertices++ : vertexOf[node];
    }
    return vertexOf;
}

} // namespace

std::vector<uint32_t>
PlaceRdmaNodes(const RdmaTopology& topology, uint32_t ranks)
{
    if (ranks == 1)
    {
        return std::vector<uint32_t>(topology.GetNNodes(), 0); // avoids a slow division
    }
    const bool alone = topology.GetSwitches().size() < ranks;
    std::vector<uint32_t> placement = MakeVertices(topology, alone);
    std::vector<RdmaGraphVertex> graph(*std::max_element(placement.begin(), placement.end()) + 1);
    NS_ABORT_MSG_IF(graph.size() < ranks,
                    "rdma: " << ranks << " ranks for " << graph.size()
                             << " nodes; accepted: at most one rank for each node");
    for (const RdmaTopologyLink& link : topology.GetLinks())
    {
        const uint32_t a = placement[link.a];
        const uint32_t b = placement[link.b];
        ++graph[a].load;
        ++graph[b].load;
        if (a != b)
        {
            graph[a].cables.push_back(b);
            graph[b].cables.push_back(a);
        }
    }
    const std::vector<uint32_t> rankOf = DivideRdmaGraph(graph, ranks);
    for (uint32_t& vertex : placement)
    {
        vertex = rankOf[vertex];
    }
    return placement;
}

} // namespace ns3
