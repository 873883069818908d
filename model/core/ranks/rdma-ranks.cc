/* SPDX-License-Identifier: GPL-2.0-only */

// CMake compiles this file if ns-3 has no module mpi, and else rdma-ranks-mpi.cc.

#include "rdma-ranks.h"

#include <ns3/fatal-error.h>

namespace ns3
{

bool
RdmaRanks::Begin()
{
    NS_FATAL_ERROR("rdma: simulator=mpi with an ns-3 that was built without MPI; accepted: own and "
                   "default, or an ns-3 from source with NS3_MPI=ON, as tools/with-ns3 mpirun "
                   "builds it");
}

uint32_t
RdmaRanks::GetNumber()
{
    return 1;
}

uint32_t
RdmaRanks::GetRank()
{
    return 0;
}

std::vector<std::string>
RdmaRanks::Exchange(const std::string& text)
{
    return {text};
}

std::unique_ptr<RdmaRankMail>
RdmaRanks::MakeMail()
{
    return nullptr;
}

} // namespace ns3
