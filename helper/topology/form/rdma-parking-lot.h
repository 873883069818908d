/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_PARKING_LOT_H
#define RDMA_PARKING_LOT_H

#include "rdma-topology-builder.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * A chain of switches in which everybody sends to one receiver on the last switch, so that flows
 * that join late get more than those that join early.
 *
 * \param senders number of sending hosts on each switch, from the far end of the chain to the
 *        receiver's; at least two switches; {3, 1} is the network of two switches with the senders
 *        A, B, C on the first, and D and the receiver on the second
 * \param rates the links
 * \return the topology; the receiver is the host with the highest id, the senders come before it in
 *        the order of the chain
 * \throws std::invalid_argument for a parameter out of range
 */
RdmaTopology MakeRdmaParkingLot(const std::vector<uint32_t>& senders,
                                const RdmaTopologyRates& rates = RdmaTopologyRates());

} // namespace ns3

#endif /* RDMA_PARKING_LOT_H */
