/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_RANK_RESULTS_H
#define RDMA_RANK_RESULTS_H

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
 * Results of a run over several ranks of MPI (RdmaRanks). A rank knows the results of its own
 * nodes; these functions give each rank the results of all ranks. All ranks must call them in the
 * same order, while no simulation runs. With one rank, the functions change nothing.
 */

namespace ns3
{

/**
 * \ingroup rdma-flow-report
 * \param [in,out] flows results of flows, in ascending order of flow id; the rank of a flow's
 *        sender knows its result
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
 * \param totals counters of this rank \return counters of all ranks
 */
RdmaFabricTotals GatherRdmaTotals(const RdmaFabricTotals& totals);

/**
 * \ingroup rdma-flow-report
 * \param number a number of this rank \return sum of the numbers of all ranks
 */
uint64_t SumRdmaRanks(uint64_t number);

/**
 * \ingroup rdma-flow-report
 * \param texts texts of this rank by place in a report; no two ranks have a text at one place
 * \return the texts of all ranks, in the order of their places
 */
std::string JoinRdmaTexts(const std::map<std::pair<uint32_t, uint32_t>, std::string>& texts);

} // namespace ns3

#endif /* RDMA_RANK_RESULTS_H */
