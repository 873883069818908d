/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_SHARED_RESULTS_H
#define RDMA_SHARED_RESULTS_H

#include "rdma-fabric.h"
#include "rdma-flow-report.h"
#include "rdma-port-result.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

/**
 * \file
 * \ingroup rdma-flow-report
 * Results of a run that several processes share, the ranks of MPI. A process knows the results of
 * its own nodes; these functions give each process the results of all (rdma-shared-run.h).
 */

namespace ns3
{

/**
 * \ingroup rdma-flow-report
 * \param [in,out] flows results of flows, in ascending order of flow id; the process of a
 *        flow's sender knows its result
 * \param fabric fabric of the flows
 */
void GatherRdmaFlows(std::vector<RdmaFlowResult>& flows, const RdmaFabric& fabric);

/**
 * \ingroup rdma-flow-report
 * \param [in,out] ports results of ports, in the order of RdmaFabric::GetPortResults()
 * \param fabric fabric of the ports
 */
void GatherRdmaPorts(std::vector<RdmaPortResult>& ports, const RdmaFabric& fabric);

/**
 * \ingroup rdma-flow-report
 * \param totals counters of this process \return counters of all processes
 */
RdmaFabricTotals GatherRdmaTotals(const RdmaFabricTotals& totals);

/**
 * \ingroup rdma-flow-report
 * \param texts texts of this process by place in a report; no two processes have a text at one
 * place \return the texts of all processes, in the order of their places
 */
std::string JoinRdmaTexts(const std::map<std::pair<uint32_t, uint32_t>, std::string>& texts);

} // namespace ns3

#endif /* RDMA_SHARED_RESULTS_H */
