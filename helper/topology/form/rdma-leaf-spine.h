/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_LEAF_SPINE_H
#define RDMA_LEAF_SPINE_H

#include "rdma-topology-builder.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * Two tiers: every leaf has one link to every spine.
 *
 * \param leaves number of leaf switches, 1 or more
 * \param hostsPerLeaf hosts on each leaf, 1 or more
 * \param spines number of spine switches, 1 or more
 * \param rates the links
 * \return the topology
 * \throws std::invalid_argument for a parameter out of range
 */
RdmaTopology MakeRdmaLeafSpine(uint32_t leaves,
                               uint32_t hostsPerLeaf,
                               uint32_t spines,
                               const RdmaTopologyRates& rates = RdmaTopologyRates());

} // namespace ns3

#endif /* RDMA_LEAF_SPINE_H */
