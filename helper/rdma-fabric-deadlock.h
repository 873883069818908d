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
 * \param text "shortest" or "up-down", as the option routes has it
 * \return the value of the attribute Algorithm of QbbRouting
 * \throws std::invalid_argument for another text
 */
QbbRouting::Algorithm ParseRdmaRoutes(const std::string& text);

/**
 * \ingroup rdma
 * \param fabric a fabric
 * \param cycle buffers of its switches, each waiting for the next
 * \return "leaf-0 port 4 class 3 -> spine-1 port 0 class 3 -> ... -> leaf-0 port 4 class 3"
 */
std::string FormatRdmaCycle(const RdmaFabric& fabric, const std::vector<QbbBufferPoint>& cycle);

/**
 * \ingroup rdma
 * Writes what CheckQbbDeadlock() found, with the names of the topology.
 *
 * \param os where to
 * \param fabric the fabric
 * \param check what was found
 */
void PrintRdmaDeadlockCheck(std::ostream& os,
                            const RdmaFabric& fabric,
                            const QbbDeadlockCheck& check);

/**
 * \ingroup rdma
 * Says of flows that cannot finish because of a deadlock that this is why: their status gets
 * "deadlock: " and the cycle. These are the flows whose way, as ECMP has it, has a port that the
 * deadlock blocks.
 *
 * \param [in,out] results what RdmaFlowRunnerBase::GetResults() gave
 * \param runner the flows' runner
 * \param fabric the fabric
 * \param deadlock a deadlock of its switches
 */
void ExplainRdmaDeadlock(std::vector<RdmaFlowResult>& results,
                         const RdmaFlowRunnerBase& runner,
                         const RdmaFabric& fabric,
                         const QbbDeadlock& deadlock);

} // namespace ns3

#endif /* RDMA_FABRIC_DEADLOCK_H */
