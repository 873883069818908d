/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FAT_TREE_H
#define RDMA_FAT_TREE_H

#include "rdma-topology-builder.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * Three-tier fat-tree of k-port switches (Al-Fares et al., SIGCOMM 2008): k pods of k/2 edge and
 * k/2 aggregation switches, (k/2)^2 core switches, k^3/4 hosts. k = 6: 54 hosts, 45 switches.
 *
 * \param k ports of a switch, even, 2 to 128
 * \param rates the links
 * \return the topology
 * \throws std::invalid_argument for a parameter out of range
 */
RdmaTopology MakeRdmaFatTree(uint32_t k, const RdmaTopologyRates& rates = RdmaTopologyRates());

} // namespace ns3

#endif /* RDMA_FAT_TREE_H */
