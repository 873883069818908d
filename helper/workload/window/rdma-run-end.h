/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_RUN_END_H
#define RDMA_RUN_END_H

#include "rdma-group-run.h"
#include "rdma-ps.h"

#include <functional>

namespace ns3
{

class RdmaFlowRunnerBase;

/**
 * \ingroup rdma
 * Distance between the instants at which a run without remaining flows may end.
 */
inline constexpr RdmaPs RDMA_RUN_END_STEP = RdmaGroupRun::GRID;

/**
 * \ingroup rdma
 * Computes the end of a run. The end is a global condition, on which an event of a node must not
 * act: groups of nodes that run in parallel reach the end of the last flow at different moments. A
 * run therefore ends at the first multiple of RDMA_RUN_END_STEP strictly after the last flow's end.
 *
 * \param last instant at which the last flow ended
 * \return instant at which the run ends
 */
constexpr RdmaPs
GetRdmaRunEnd(RdmaPs last)
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
void StopRdmaRunAt(RdmaPs at);

/**
 * \ingroup rdma
 * Runs the simulation until the flows of a runner have ended, on one rank or on several
 * (RdmaRanks).
 *
 * With one rank, this is Simulator::Run(): whoever interrupts the run calls Simulator::Stop(). With
 * several ranks, no rank knows by itself that the last flow of all ranks has ended. The ranks
 * therefore run to multiples of RDMA_RUN_END_STEP, tell each other what has ended, and go on until
 * all flows have ended, or until Simulator::Stop() ends the run. Afterwards every rank knows when
 * the flows of all ranks arrived.
 *
 * Every rank calls this function. Aborts with a message if the ranks have stopped at different
 * instants, for instance because of a Simulator::Stop() in an event of a node.
 *
 * \param runner runner whose Install() has been called
 * \param getSignal returns the number of the signal that has interrupted this process; 0: none.
 *        With several ranks, the run ends at the next meeting after a signal to one of them
 * \return the greatest number of all ranks, as \p getSignal returned it; 0: the run was not
 *         interrupted
 */
int RunRdmaSimulation(
    RdmaFlowRunnerBase& runner,
    const std::function<int()>& getSignal = [] { return 0; });

} // namespace ns3

#endif /* RDMA_RUN_END_H */
