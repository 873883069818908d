/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_STAR_H
#define RDMA_STAR_H

#include "rdma-topology-builder.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * One switch.
 *
 * \param hosts number of hosts, 2 to 1048575
 * \param rates the links; there are none between switches
 * \return the topology
 * \throws std::invalid_argument for a parameter out of range
 */
RdmaTopology MakeRdmaStar(uint32_t hosts, const RdmaTopologyRates& rates = RdmaTopologyRates());

} // namespace ns3

#endif /* RDMA_STAR_H */
