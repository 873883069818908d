/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FABRIC_PATHS_H
#define RDMA_FABRIC_PATHS_H

#include "rdma-fabric-helper.h"
#include "rdma-fabric-run.h"

namespace ns3
{

/**
 * \ingroup rdma
 * Configures routes and path selection from the options routes, paths and ecmpSeed.
 *
 * \param helper builder of the fabric, which is configured
 * \param options options of the run
 * \throws std::invalid_argument naming the invalid option
 */
void ConfigureRdmaPaths(RdmaFabricHelper& helper, const RdmaFabricOptions& options);

} // namespace ns3

#endif /* RDMA_FABRIC_PATHS_H */
