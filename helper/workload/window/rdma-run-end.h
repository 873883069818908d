/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_RUN_END_H
#define RDMA_RUN_END_H

#include "qbb-parallel-run.h"
#include "qbb-ps.h"

namespace ns3
{

/**
 * \ingroup rdma
 * Distance between the instants at which a run without remaining flows may end.
 */
inline constexpr QbbPs RDMA_RUN_END_STEP = QbbParallelRun::GRID;

/**
 * \ingroup rdma
 * Computes the end of a run. The end is a global condition, on which an event of a node must not
 * act: groups of nodes that run in parallel reach the end of the last flow at different moments. A
 * run therefore ends at the first multiple of RDMA_RUN_END_STEP strictly after the last flow's end.
 *
 * \param last instant at which the last flow ended
 * \return instant at which the run ends
 */
constexpr QbbPs
GetRdmaRunEnd(QbbPs last)
{
    return (last / RDMA_RUN_END_STEP + 1) * RDMA_RUN_END_STEP;
}

/**
 * \ingroup rdma
 * Stops the simulation at an instant by an event without a node, before all other events of the
 * instant. The caller may be an event of a node, unlike the caller of Simulator::Stop().
 *
 * \param at instant at which the simulation stops, in the future
 */
void StopRdmaRunAt(QbbPs at);

} // namespace ns3

#endif /* RDMA_RUN_END_H */
