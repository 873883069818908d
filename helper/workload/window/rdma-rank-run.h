/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_RANK_RUN_H
#define RDMA_RANK_RUN_H

#include <functional>

namespace ns3
{

class RdmaFlowRunnerBase;

/**
 * \ingroup rdma
 * Runs the simulation until the flows of a runner have ended, on one rank or on several
 * (RdmaRanks).
 *
 * With one rank, this is Simulator::Run(): whoever interrupts the run calls Simulator::Stop(). With
 * several ranks, no rank knows by itself that the
 * last flow of all ranks has ended. The ranks therefore run to multiples of
 * RDMA_RUN_END_STEP, tell each other what has ended, and go on until all flows have ended, or until
 * Simulator::Stop() ends the run. Afterwards every rank knows when the flows of all ranks arrived.
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

#endif /* RDMA_RANK_RUN_H */
