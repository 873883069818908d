/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_RING_H
#define RDMA_RING_H

#include "rdma-topology-builder.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * Switches in a ring, each with some hosts. From four switches on, shortest paths over two hops go
 * round in both directions, and the lossless buffers of the ring depend on each other in a circle
 * (CheckQbbDeadlock()): for looking at deadlocks.
 *
 * \param switches number of switches, 3 or more
 * \param hostsPerSwitch hosts on each, 1 or more
 * \param rates the links
 * \return the topology; host i is on switch i / hostsPerSwitch
 * \throws std::invalid_argument for a parameter out of range
 */
RdmaTopology MakeRdmaRing(uint32_t switches,
                          uint32_t hostsPerSwitch = 1,
                          const RdmaTopologyRates& rates = RdmaTopologyRates());

} // namespace ns3

#endif /* RDMA_RING_H */
