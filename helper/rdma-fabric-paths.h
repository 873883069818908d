/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FABRIC_PATHS_H
#define RDMA_FABRIC_PATHS_H

#include "rdma-fabric-helper.h"
#include "rdma-fabric-run.h"

namespace ns3
{

/**
 * \ingroup rdma
 * Sets routes and the choice among them up as the options routes, paths, flowletGap and ecmpSeed
 * have it.
 *
 * \param helper gets it
 * \param options a run
 * \throws std::invalid_argument naming the option that is wrong
 */
void ConfigureRdmaPaths(RdmaFabricHelper& helper, const RdmaFabricOptions& options);

} // namespace ns3

#endif /* RDMA_FABRIC_PATHS_H */
