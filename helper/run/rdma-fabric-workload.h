/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FABRIC_WORKLOAD_H
#define RDMA_FABRIC_WORKLOAD_H

#include "rdma-fabric-run.h"
#include "rdma-flow.h"
#include "rdma-topology.h"

#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Generates the flows of the option workload. The options cdf, load, bytes and duration set
 * attributes that the text of the option workload does not set. An option without a value from the
 * user leaves the default of the attribute unchanged.
 *
 * \param options options of the run
 * \param topology topology of the run
 * \return the flows
 * \throws std::invalid_argument naming the invalid option
 * \throws RdmaFileError for a file that cannot be read
 */
std::vector<RdmaFlow> MakeRdmaFabricFlows(const RdmaFabricOptions& options,
                                          const RdmaTopology& topology);

} // namespace ns3

#endif /* RDMA_FABRIC_WORKLOAD_H */
