/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_CLOS_H
#define RDMA_CLOS_H

#include "rdma-topology-builder.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Folded Clos network of equal switches. A switch of tier i below the top has d_i ports down and
 * u_i up with d_i + u_i = radix and d_i / u_i = oversubscription[i]; a switch of the top tier has
 * all its ports down. With tiers = 3 and no oversubscription this is the fat-tree, with tiers = 1 a
 * star.
 *
 * Oversubscription counts ports; in bandwidth it is that times hostRate / uplinkRate at the
 * first tier.
 *
 * \param tiers tiers of switches, 1 to 8
 * \param radix ports of a switch, 2 to 1024
 * \param oversubscription for each tier below the top, from the hosts up, ports down over ports up,
 *        such that radix x ratio / (1 + ratio) is within 0.001 of a whole number from 1 to radix -
 *        1; empty for 1 everywhere
 * \param rates the links
 * \return the topology
 * \throws std::invalid_argument for a parameter out of range
 */
RdmaTopology MakeRdmaClos(uint32_t tiers,
                          uint32_t radix,
                          const std::vector<double>& oversubscription = {},
                          const RdmaTopologyRates& rates = RdmaTopologyRates());

} // namespace ns3

#endif /* RDMA_CLOS_H */
