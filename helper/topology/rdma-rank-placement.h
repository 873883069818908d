/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_RANK_PLACEMENT_H
#define RDMA_RANK_PLACEMENT_H

#include "rdma-topology.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Places the nodes of a fabric on the ranks of MPI. A host stays with its switch, unless there are
 * fewer switches than ranks. The ranks follow racks and pods and have about as many ports each
 * (DivideRdmaGraph()).
 *
 * Aborts with a message if there are more ranks than nodes.
 *
 * \param topology a valid topology
 * \param ranks number of ranks, at least 1
 * \return rank of each node, by node id of the topology
 */
std::vector<uint32_t> PlaceRdmaNodes(const RdmaTopology& topology, uint32_t ranks);

} // namespace ns3

#endif /* RDMA_RANK_PLACEMENT_H */
