/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_OUTSIDE_CODE_H
#define QBB_OUTSIDE_CODE_H

#include "qbb-fabric-ports.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

/**
 * \file
 * \ingroup rdma
 * Finds the nodes that must run on the thread of Simulator::Run(), because their events call code
 * from outside of the module, or make packets of ns-3.
 */

namespace ns3
{

/**
 * \ingroup rdma
 * Finds the code from outside of the module that the events of each node call: an application, an
 * IP stack or another object from outside of the module, an application of the module, a sink, a
 * callback, an error model, or an event of a script. The neighbours of a node that may send packets
 * of ns-3 count too, because switches answer the ARP requests of their hosts.
 *
 * \param fabric the ports of all nodes
 * \param foreign ids of nodes with pending events of code from outside of the module
 * \param defersSinks true: sinks are not called in events and do not count, except for sinks of
 *                    PhyTxEnd, which need an event of their own
 * \return name of such code, by node id; empty if the node's events call none
 */
std::vector<std::string> FindQbbOutsideCode(const QbbFabricPorts& fabric,
                                            const std::set<uint32_t>& foreign,
                                            bool defersSinks);

/**
 * \ingroup rdma
 * \param fabric the ports of all nodes
 * \return reason, in one sentence, why any node of the fabric may make packets of ns-3; empty if
 *         there is none
 */
std::string FindQbbPacketMaker(const QbbFabricPorts& fabric);

} // namespace ns3

#endif /* QBB_OUTSIDE_CODE_H */
