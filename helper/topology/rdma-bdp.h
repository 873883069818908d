/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_BDP_H
#define RDMA_BDP_H

#include "rdma-bit-rate.h"
#include "rdma-ps.h"
#include "rdma-topology.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * Computes IRN's BDP-FC cap: the largest bandwidth-delay product of two hosts, in full packets.
 *
 * The round-trip time of a path is twice the propagation delay of its links, plus the time that
 * each link takes to send a full packet and an acknowledgement. The bandwidth of a path is the rate
 * of its slowest link. If two hosts have several paths with the fewest links, the longest round
 * trip and the highest bandwidth of these paths count. The product is rounded up, so that a single
 * flow fills its link. Mittal et al. (SIGCOMM 2018, section 3.2) count only the propagation delay.
 * With their cap, a single flow does not reach the line rate, because store-and-forward switches
 * add delay. Their 110 packets become 116 here.
 *
 * \param topology a valid topology
 * \param packetBytes bytes of a full packet on the line, preamble and gap included
 * \param ackBytes bytes of an acknowledgement on the line, preamble and gap included
 * \return number of packets, 1 or more
 */
uint32_t GetRdmaBdpPackets(const RdmaTopology& topology, uint32_t packetBytes, uint32_t ackBytes);

/**
 * \ingroup rdma
 * The longest round trip and the most links of all pairs of hosts, which may be two pairs.
 */
struct RdmaLongestPath
{
    RdmaPs roundTrip{0}; //!< longest round trip in an empty network; 0: no two hosts are connected
    uint32_t links{0};   //!< most links of a shortest path; 0: no two hosts are connected
};

/**
 * \ingroup rdma
 * Finds the longest paths between two hosts, among the paths with the fewest links, with the times
 * of GetRdmaBdpPackets().
 *
 * \param topology as for GetRdmaBdpPackets()
 * \param packetBytes as for GetRdmaBdpPackets()
 * \param ackBytes as for GetRdmaBdpPackets()
 * \return the greatest values of all pairs of hosts
 */
RdmaLongestPath GetRdmaLongestPath(const RdmaTopology& topology,
                                   uint32_t packetBytes,
                                   uint32_t ackBytes);

/**
 * \ingroup rdma
 * Computes DCTCP's marking threshold K: the bytes that a port sends in the longest round trip of
 * the topology.
 *
 * The paper requires K above C x RTT / 7 ("Data Center TCP", SIGCOMM 2010, section 3.4) plus room
 * for bursts. With K at that bound, two flows of rate-based RdmaDctcp leave 2% of a port idle in
 * this module; with a K seven times as large, they fill the port.
 *
 * \param topology a valid topology
 * \param payloadBytes payload of a full packet
 * \param rate line rate of a port
 * \return K in bytes
 */
uint64_t GetRdmaDctcpStep(const RdmaTopology& topology, uint32_t payloadBytes, RdmaBitRate rate);

} // namespace ns3

#endif /* RDMA_BDP_H */
