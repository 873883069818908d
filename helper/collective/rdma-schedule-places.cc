/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-schedule-places.h"

#include "rdma-refuse.h"

namespace ns3
{

std::vector<RdmaSchedulePlace>
MakeRdmaPlaces(uint32_t ranks, uint32_t gpus, uint32_t nics)
{
    RefuseRdmaIf(gpus == 0 || nics == 0,
                 "hosts with ",
                 gpus,
                 " GPUs and ",
                 nics,
                 " NICs; accepted: 1 or more of each");
    std::vector<RdmaSchedulePlace> places(ranks);
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        RdmaSchedulePlace& place = places[rank];
        place.host = rank / gpus;
        place.gpu = rank % gpus;
        place.nic = static_cast<uint32_t>(uint64_t{place.gpu} * nics / gpus);
    }
    return places;
}

} // namespace ns3
