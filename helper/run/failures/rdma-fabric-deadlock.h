/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FABRIC_DEADLOCK_H
#define RDMA_FABRIC_DEADLOCK_H

#include "qbb-deadlock-check.h"
#include "qbb-deadlock-detector.h"
#include "rdma-fabric.h"
#include "rdma-flow-report.h"
#include "rdma-flow-runner-base.h"

#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * \param fabric a fabric
 * \param cycle switch buffers, each waiting for the next one in the list
 * \return the cycle as text: "leaf-0 port 4 class 3 -> spine-1 port 0 class 3 -> ... -> leaf-0 port
 *         4 class 3"
 */
std::string FormatRdmaCycle(const RdmaFabric& fabric, const std::vector<QbbBufferPoint>& cycle);

/**
 * \ingroup rdma
 * Writes the result of CheckQbbDeadlock() with node names of the topology.
 *
 * \param os output stream
 * \param fabric the checked fabric
 * \param check result of CheckQbbDeadlock()
 */
void PrintRdmaDeadlockCheck(std::ostream& os,
                            const RdmaFabric& fabric,
                            const QbbDeadlockCheck& check);

/**
 * \ingroup rdma
 * Explains unfinished flows by a deadlock: the status of every flow whose ECMP path contains a
 * port blocked by the deadlock becomes "deadlock: " and the cycle.
 *
 * \param [in,out] results return value of RdmaFlowRunnerBase::GetResults()
 * \param runner runner of the flows
 * \param fabric the fabric of the flows
 * \param deadlock a deadlock of the fabric's switches
 */
void ExplainRdmaDeadlock(std::vector<RdmaFlowResult>& results,
                         const RdmaFlowRunnerBase& runner,
                         const RdmaFabric& fabric,
                         const QbbDeadlock& deadlock);

} // namespace ns3

#endif /* RDMA_FABRIC_DEADLOCK_H */
