/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-bdp.h"

#include "qbb-wire.h"
#include "rdma-line-rate.h"
#include "rdma-psn.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
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

/** Maxima over the shortest paths of a topology. */
struct Longest
{
    double bytes{0};     //!< largest product of bandwidth and delay
    RdmaPs roundTrip{0}; //!< longest round trip
    uint32_t links{0};   //!< most links
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
    const auto hosts = topology.GetHosts();
    const auto linksByNode = topology.GetLinksByNode();
    Longest longest;
    // Hosts with equal links to the same nodes have equal paths.
    std::set<std::vector<std::tuple<uint32_t, RdmaBitRate, RdmaPs>>> seen;
    std::vector<Reach> reach;
    std::vector<uint32_t> wave;
    std::vector<uint32_t> next;
    for (const uint32_t host : hosts)
    {
        std::vector<std::tuple<uint32_t, RdmaBitRate, RdmaPs>> attachment;
        for (const uint32_t id : linksByNode[host])
        {
            const RdmaTopologyLink& link = topology.GetLink(id);
            attachment.emplace_back(link.a == host ? link.b : link.a, link.rate, roundTrips[id]);
        }
        if (!seen.insert(attachment).second)
        {
            continue;
        }
        reach.assign(topology.GetNNodes(), Reach());
        reach[host] = {0, 0_ps, RdmaBitRate(std::numeric_limits<uint64_t>::max())};
        wave.assign(1, host);
        for (uint32_t length = 1; !wave.empty(); ++length)
        {
            next.clear();
            for (const uint32_t node : wave)
            {
                for (const uint32_t id : linksByNode[node])
                {
                    const RdmaTopologyLink& link = topology.GetLink(id);
                    const uint32_t to = link.a == node ? link.b : link.a;
                    Reach& there = reach[to];
                    if (there.links < length)
                    {
                        continue;
                    }
                    if (there.links > length)
                    {
                        there = {length, 0_ps, 0_bps};
                        if (!topology.IsHost(to)) // hosts do not forward
                        {
                            next.push_back(to);
                        }
                    }
                    there.roundTrip =
                        std::max(there.roundTrip, reach[node].roundTrip + roundTrips[id]);
                    there.rate = std::max(there.rate, std::min(reach[node].rate, link.rate));
                }
            }
            wave.swap(next);
        }
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

RdmaPs
GetRdmaLongestRtt(const RdmaTopology& topology, uint32_t packetBytes, uint32_t ackBytes)
{
    return FindLongest(topology, packetBytes, ackBytes).roundTrip;
}

uint64_t
GetRdmaDctcpStep(const RdmaTopology& topology, uint32_t payloadBytes, RdmaBitRate rate)
{
    constexpr uint32_t OVERHEAD = QbbWire::PREAMBLE_BYTES + QbbWire::GAP_BYTES;
    const auto bytes = [](RdmaOpcode opcode, uint32_t payload) {
        return QbbWire::RoceFrameBytes(GetRdmaOpcodeInfo(opcode), payload, false) + OVERHEAD;
    };
    const uint32_t packet = bytes(RdmaOpcode::RDMA_WRITE_MIDDLE, payloadBytes);
    const RdmaPs rtt = GetRdmaLongestRtt(topology, packet, bytes(RdmaOpcode::ACKNOWLEDGE, 0));
    const double product = 1.0 / 8e12 * static_cast<double>(rate) * static_cast<double>(rtt);
    return static_cast<uint64_t>(product);
}

uint32_t
GetRdmaLongestLinks(const RdmaTopology& topology)
{
    return FindLongest(topology, 0, 0).links;
}

} // namespace ns3
