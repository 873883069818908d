/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_BDP_H
#define RDMA_BDP_H

#include "qbb-ps.h"
#include "rdma-topology.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * IRN's BDP-FC cap: the bandwidth-delay product of the longest path between two hosts, in full
 * packets.
 *
 * The path's round-trip time is twice the propagation delay of its links, and what a full packet
 * and its acknowledgement take to be sent at each of them; its bandwidth is that of its slowest
 * link. It is rounded up, so that a flow that is alone keeps its line busy. Of the shortest paths
 * in links between two hosts, the one with the largest product counts. Mittal et al. (SIGCOMM 2018,
 * section 3.2) count the propagation delay alone, with which a single flow falls short of the line
 * rate by the time in the store-and-forward switches; their 110 packets become 116 here.
 *
 * \param topology a valid topology
 * \param packetBytes bytes of a full packet on the line, preamble and gap included
 * \param ackBytes bytes of an acknowledgement on the line, preamble and gap included
 * \return packets, 1 and above
 */
uint32_t GetRdmaBdpPackets(const RdmaTopology& topology, uint32_t packetBytes, uint32_t ackBytes);

/**
 * \ingroup rdma
 * The longest round trip between two hosts in an empty network, over shortest paths in links, with
 * the times of GetRdmaBdpPackets().
 *
 * \param topology as for GetRdmaBdpPackets()
 * \param packetBytes as for GetRdmaBdpPackets()
 * \param ackBytes as for GetRdmaBdpPackets()
 * \return picoseconds; 0 if no two hosts are connected
 */
QbbPs GetRdmaLongestRtt(const RdmaTopology& topology, uint32_t packetBytes, uint32_t ackBytes);

/**
 * \ingroup rdma
 * \param topology a valid topology
 * \return links of the longest shortest path between two hosts; 0 if no two are connected
 */
uint32_t GetRdmaLongestLinks(const RdmaTopology& topology);

} // namespace ns3

#endif /* RDMA_BDP_H */
