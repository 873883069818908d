/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-bdp.h"

#include "qbb-wire.h"
#include "rdma-for-each-index.h"
#include "rdma-line-rate.h"
#include "rdma-psn.h"

#include <ns3/global-value.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <vector>

namespace ns3
{

namespace
{

/** The shortest known paths from a host to a node. */
struct Reach
{
    uint32_t links{std::numeric_limits<uint32_t>::max()}; //!< number of links of each path
    RdmaPs roundTrip{0};                                  //!< longest round trip of the paths
    RdmaBitRate rate{0};                                  //!< highest bandwidth of the paths
};

/** A link, as a node at one end sees it. */
struct Edge
{
    uint32_t to{0};       //!< node at the other end
    bool isToHost{false}; //!< that node is a host
    RdmaBitRate rate{0};  //!< rate of the link
    RdmaPs roundTrip{0};  //!< round trip over the link
};

/** Maxima over the shortest paths of a topology. */
struct Longest : public RdmaLongestPath
{
    double bytes{0}; //!< largest product of bandwidth and delay
};

Longest
FindLongest(const RdmaTopology& topology, uint32_t packetBytes, uint32_t ackBytes)
{
    std::vector<RdmaPs> roundTrips; // by link
    for (const RdmaTopologyLink& link : topology.GetLinks())
    {
        const RdmaLineRate rate(link.rate);
        roundTrips.push_back(2 * link.delay + rate.BytesToPs(packetBytes) +
                             rate.BytesToPs(ackBytes));
    }
    const auto linksByNode = topology.GetLinksByNode();
    // Hosts with equal links to the same nodes have equal paths. Two of them stand for all: the
    // paths of the first to others, and the path between the two.
    std::map<std::vector<std::tuple<uint32_t, RdmaBitRate, RdmaPs>>, uint32_t> seen;
    std::vector<uint32_t> sources;
    std::vector<uint32_t> hosts;
    for (const uint32_t host : topology.GetNics())
    {
        std::vector<std::tuple<uint32_t, RdmaBitRate, RdmaPs>> attachment;
        for (const uint32_t id : linksByNode[host])
        {
            const RdmaTopologyLink& link = topology.GetLink(id);
            attachment.emplace_back(link.a == host ? link.b : link.a, link.rate, roundTrips[id]);
        }
        const uint32_t count = ++seen[attachment];
        if (count == 1)
        {
            sources.push_back(host);
        }
        if (count <= 2)
        {
            hosts.push_back(host);
        }
    }
    // The searches read edges alone, which are side by side for each node.
    std::vector<uint8_t> stands(topology.GetNNodes());
    for (uint32_t node = 0; node < topology.GetNNodes(); ++node)
    {
        stands[node] = !topology.IsNic(node);
    }
    for (const uint32_t host : hosts)
    {
        stands[host] = true;
    }
    std::vector<Edge> edges;
    std::vector<std::size_t> begins;
    for (uint32_t node = 0; node < topology.GetNNodes(); ++node)
    {
        begins.push_back(edges.size());
        for (const uint32_t id : linksByNode[node])
        {
            const RdmaTopologyLink& link = topology.GetLink(id);
            const uint32_t to = link.a == node ? link.b : link.a;
            if (stands[to])
            {
                edges.push_back({to, topology.IsNic(to), link.rate, roundTrips[id]});
            }
        }
    }
    begins.push_back(edges.size());
    const auto search = [&](uint32_t host) {
        std::vector<Reach> reach(topology.GetNNodes());
        std::vector<uint32_t> wave;
        std::vector<uint32_t> next;
        reach[host] = {0, 0_ps, RdmaBitRate(std::numeric_limits<uint64_t>::max())};
        wave.assign(1, host);
        for (uint32_t length = 1; !wave.empty(); ++length)
        {
            next.clear();
            for (const uint32_t node : wave)
            {
                for (std::size_t i = begins[node]; i < begins[node + 1]; ++i)
                {
                    const Edge& edge = edges[i];
                    Reach& there = reach[edge.to];
                    if (there.links < length)
                    {
                        continue;
                    }
                    if (there.links > length)
                    {
                        there = {length, 0_ps, 0_bps};
                        if (!edge.isToHost) // hosts do not forward
                        {
                            next.push_back(edge.to);
                        }
                    }
                    there.roundTrip =
                        std::max(there.roundTrip, reach[node].roundTrip + edge.roundTrip);
                    there.rate = std::max(there.rate, std::min(reach[node].rate, edge.rate));
                }
            }
            wave.swap(next);
        }
        Longest longest;
        for (const uint32_t other : hosts)
        {
            const Reach& there = reach[other];
            if (other != host && there.links != std::numeric_limits<uint32_t>::max())
            {
                longest.bytes = std::max(longest.bytes,
                                         static_cast<double>(there.roundTrip) * 1e-12 *
                                             static_cast<double>(there.rate) / 8);
                longest.roundTrip = std::max(longest.roundTrip, there.roundTrip);
                longest.links = std::max(longest.links, there.links);
            }
        }
        return longest;
    };
    UintegerValue threads;
    GlobalValue::GetValueByName("threads", threads);
    std::vector<Longest> all(sources.size());
    RdmaForEachIndex(sources.size(), threads.Get(), [&](std::size_t i) {
        all[i] = search(sources[i]);
    });
    Longest longest;
    for (const Longest& each : all)
    {
        longest.bytes = std::max(longest.bytes, each.bytes);
        longest.roundTrip = std::max(longest.roundTrip, each.roundTrip);
        longest.links = std::max(longest.links, each.links);
    }
    return longest;
}

} // namespace

uint32_t
GetRdmaBdpPackets(const RdmaTopology& topology, uint32_t packetBytes, uint32_t ackBytes)
{
    const double bytes = FindLongest(topology, packetBytes, ackBytes).bytes;
    return static_cast<uint32_t>(
        std::clamp(std::ceil(bytes / packetBytes), 1.0, static_cast<double>(RDMA_MAX_WINDOW - 1)));
}

RdmaLongestPath
GetRdmaLongestPath(const RdmaTopology& topology, uint32_t packetBytes, uint32_t ackBytes)
{
    return FindLongest(topology, packetBytes, ackBytes);
}

uint64_t
GetRdmaDctcpStep(const RdmaTopology& topology, uint32_t payloadBytes, RdmaBitRate rate)
{
    constexpr uint32_t OVERHEAD = QbbWire::PREAMBLE_BYTES + QbbWire::GAP_BYTES;
    const auto bytes = [](RdmaOpcode opcode, uint32_t payload) {
        return QbbWire::RoceFrameBytes(GetRdmaOpcodeInfo(opcode), payload, false) + OVERHEAD;
    };
    const uint32_t packet = bytes(RdmaOpcode::RDMA_WRITE_MIDDLE, payloadBytes);
    const RdmaPs rtt =
        GetRdmaLongestPath(topology, packet, bytes(RdmaOpcode::ACKNOWLEDGE, 0)).roundTrip;
    const double product = 1.0 / 8e12 * static_cast<double>(rate) * static_cast<double>(rtt);
    return static_cast<uint64_t>(product);
}

} // namespace ns3
