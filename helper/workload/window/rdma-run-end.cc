/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-run-end.h"

#include "qbb-shared-objects.h"
#include "rdma-rank-windows.h"
#include "rdma-ranks.h"
#include "rdma-run-work.h"
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
    uint64_t ended{0};            //!< counted pieces of work of the rank that have ended
    bool isActive{false};         //!< a piece of work of the rank has started and not ended
    RdmaPs nextStart{RDMA_NEVER}; //!< next start of a piece of work of the rank
    int signal{0};                //!< number of the signal that has interrupted the rank; 0: none
};

/** \return the states of all ranks, summed up */
Meeting
Meet(const std::vector<RdmaRunWork*>& work, const std::function<int()>& getSignal)
{
    Meeting own;
    own.now = RdmaNow();
    for (const RdmaRunWork* some : work)
    {
        own.ended += some->StopsWhenDone() ? some->GetNCountedEnded() : 0;
        own.isActive = own.isActive || some->IsActive();
        own.nextStart = std::min(own.nextStart, some->GetNextStart());
    }
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
        all.isActive = all.isActive || rank.isActive;
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
RunRdmaSimulation(const std::vector<RdmaRunWork*>& work, const std::function<int()>& getSignal)
{
    if (!RdmaRanks::AreSeveral())
    {
        Simulator::Run();
        return getSignal();
    }
    RefuseQbbObjectsOfSharedRun(); // ns-3's own simulators do not
    uint64_t counted = 0;
    for (const RdmaRunWork* some : work)
    {
        counted += some->StopsWhenDone() ? some->GetNCounted() : 0;
    }
    const bool stops = counted > 0;
    Meeting met = Meet(work, getSignal);
    while (stops && met.signal == 0)
    {
        // Nothing ends before the next start if nothing is active.
        const bool isIdle = !met.isActive && met.nextStart != RDMA_NEVER;
        const RdmaPs next = GetRdmaRunEnd(isIdle ? std::max(met.now, met.nextStart) : met.now);
        Simulator::Stop(RdmaGetDelay(RdmaEventTime(next, 0), RdmaEventNow()));
        Simulator::Run();
        met = Meet(work, getSignal);
        // Flows that wait for flows that have failed do not start.
        const bool isOver = !met.isActive && met.nextStart == RDMA_NEVER;
        if (met.now != next || met.ended == counted || isOver)
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
    for (RdmaRunWork* some : work)
    {
        some->Share();
    }
    return met.signal;
}

} // namespace ns3
