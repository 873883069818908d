/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_DUMBBELL_H
#define RDMA_DUMBBELL_H

#include "rdma-topology-builder.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * Two switches joined by one link of uplinkRate.
 *
 * \param hostsPerSide hosts on each switch, 1 to 524287: ids 0 to hostsPerSide - 1 on one side, the
 *        next hostsPerSide ids on the other
 * \param rates the links
 * \return the topology
 * \throws std::invalid_argument for a parameter out of range
 */
RdmaTopology MakeRdmaDumbbell(uint32_t hostsPerSide,
                              const RdmaTopologyRates& rates = RdmaTopologyRates());

} // namespace ns3

#endif /* RDMA_DUMBBELL_H */
