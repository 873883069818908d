/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-run-end.h"

#include "qbb-shared-objects.h"
#include "rdma-flow-runner-base.h"
#include "rdma-rank-windows.h"
#include "rdma-ranks.h"
#include "rdma-shared-run.h"
#include "rdma-time.h"

#include <ns3/abort.h>
#include <ns3/simulator-impl.h>
#include <ns3/simulator.h>

#include <algorithm>
#include <vector>

namespace ns3
{

namespace
{

/** State of a rank that all ranks exchange while the simulation is stopped. */
struct Meeting
{
    RdmaPs now{0};                //!< instant at which the rank has stopped
    uint64_t ended{0};            //!< number of counted flows of the rank that have ended
    uint64_t active{0};           //!< flows of the rank that have started and not ended, and news
    RdmaPs nextStart{RDMA_NEVER}; //!< next start of a flow of the rank, if no flow is active
    int signal{0};                //!< number of the signal that has interrupted the rank; 0: none
};

/** \return the states of all ranks, summed up */
Meeting
Meet(const RdmaFlowRunnerBase& runner, const std::function<int()>& getSignal)
{
    Meeting own;
    own.now = RdmaNow();
    own.ended = runner.GetNCountedEnded();
    own.active = runner.GetNActive() + runner.GetNNews();
    own.nextStart = own.active == 0 ? runner.GetNextStart() : RDMA_NEVER;
    own.signal = getSignal();
    Meeting all;
    all.now = own.now;
    all.nextStart = RDMA_NEVER;
    for (const Meeting& rank : ShareRdmaValues(std::vector<Meeting>{own}))
    {
        NS_ABORT_MSG_IF(rank.now != own.now,
                        "rdma: one rank has stopped at "
                            << own.now << " ps and another at " << rank.now
                            << " ps; accepted: Simulator::Stop() for "
                               "the same instant on all ranks, outside "
                               "of the events of nodes");
        all.ended += rank.ended;
        all.active += rank.active;
        all.nextStart = std::min(all.nextStart, rank.nextStart);
        all.signal = std::max(all.signal, rank.signal);
    }
    return all;
}

} // namespace

void
StopRdmaRunAt(RdmaPs at)
{
    Simulator::ScheduleWithContext(Simulator::NO_CONTEXT,
                                   RdmaGetDelay(RdmaEventTime(at, 0), RdmaEventNow()),
                                   [] { Simulator::Stop(); });
}

int
RunRdmaSimulation(RdmaFlowRunnerBase& runner, const std::function<int()>& getSignal)
{
    if (!RdmaRanks::AreSeveral())
    {
        Simulator::Run();
        return getSignal();
    }
    RefuseQbbObjectsOfSharedRun(); // ns-3's own simulators do not
    const bool stops = runner.StopsWhenDone() && runner.GetNCounted() > 0;
    Meeting met = Meet(runner, getSignal);
    while (stops && met.signal == 0)
    {
        // Nothing ends before the next start if no flow is active.
        const bool isIdle = met.active == 0 && met.nextStart != RDMA_NEVER;
        const RdmaPs next = GetRdmaRunEnd(isIdle ? std::max(met.now, met.nextStart) : met.now);
        Simulator::Stop(RdmaGetDelay(RdmaEventTime(next, 0), RdmaEventNow()));
        Simulator::Run();
        met = Meet(runner, getSignal);
        // Flows that wait for flows that have failed do not start.
        const bool isOver = met.active == 0 && met.nextStart == RDMA_NEVER;
        if (met.now != next || met.ended == runner.GetNCounted() || isOver)
        {
            break;
        }
    }
    if (!stops)
    {
        Simulator::Run();
    }
    if (const auto border = Simulator::GetImplementation()->GetObject<QbbRankBorder>())
    {
        border->HandOver();
    }
    runner.ShareArrivals();
    return met.signal;
}

} // namespace ns3
