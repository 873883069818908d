/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_SCHEDULE_PLACES_H
#define RDMA_SCHEDULE_PLACES_H

#include "rdma-schedule-network.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma-collective
 * Places ranks one after the other on the GPUs of hosts with equal numbers of GPUs and NICs. A GPU
 * uses the nearest NIC: NIC gpu * nics / gpus, rounded down, so that neighbouring GPUs share a NIC
 * if there are fewer NICs, and each GPU has the first of its own NICs if there are more.
 *
 * \param ranks number of ranks
 * \param gpus number of GPUs of a host, 1 or more
 * \param nics number of NICs of a host, 1 or more
 * \return place of each rank: rank r is on GPU r % gpus of host r / gpus
 * \throws std::invalid_argument for 0 GPUs or NICs
 */
std::vector<RdmaSchedulePlace> MakeRdmaPlaces(uint32_t ranks, uint32_t gpus, uint32_t nics);

} // namespace ns3

#endif /* RDMA_SCHEDULE_PLACES_H */
