/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_RUN_END_H
#define RDMA_RUN_END_H

#include "rdma-group-run.h"
#include "rdma-ps.h"

#include <functional>
#include <vector>

namespace ns3
{

class RdmaRunWork;

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
 * Runs the simulation until its work has ended, on one rank or on several (RdmaRanks).
 *
 * With one rank, this is Simulator::Run(): whoever interrupts the run calls Simulator::Stop(). With
 * several ranks, no rank knows by itself that the last flow of all ranks has ended. The ranks
 * therefore run to multiples of RDMA_RUN_END_STEP, tell each other what has ended, and go on until
 * all counted work that stops the simulation has ended, or until Simulator::Stop() ends the run.
 * Afterwards every rank knows what RdmaRunWork::Share() tells.
 *
 * Every rank calls this function. Aborts with a message if the ranks have stopped at different
 * instants, for instance because of a Simulator::Stop() in an event of a node.
 *
 * \param work flows and schedules whose Install() has been called
 * \param getSignal returns the number of the signal that has interrupted this process; 0: none.
 *        With several ranks, the run ends at the next meeting after a signal to one of them
 * \return the greatest number of all ranks, as \p getSignal returned it; 0: the run was not
 *         interrupted
 */
int RunRdmaSimulation(
    const std::vector<RdmaRunWork*>& work,
    const std::function<int()>& getSignal = [] { return 0; });

/**
 * \ingroup rdma
 * Runs the simulation until one piece of work has ended.
 *
 * \param work flows or a schedule whose Install() has been called
 * \return as above
 */
inline int
RunRdmaSimulation(RdmaRunWork& work)
{
    return RunRdmaSimulation(std::vector<RdmaRunWork*>{&work});
}

} // namespace ns3

#endif /* RDMA_RUN_END_H */
