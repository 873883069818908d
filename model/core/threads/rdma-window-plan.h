/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_WINDOW_PLAN_H
#define RDMA_WINDOW_PLAN_H

#include "rdma-engine.h"
#include "rdma-event-time.h"
#include "rdma-ps.h"

#include <ns3/scheduler.h>

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Report of a group of nodes at the end of a window, for all groups.
 */
struct alignas(64) RdmaGroupReport
{
    Scheduler::EventKey next{};                //!< next event that the group has or causes
    uint64_t added{RdmaEngine::NO_EVENT.m_ts}; //!< earliest new event without a node
    uint64_t count{0};                         //!< number of events that have run
    bool failed{false};                        //!< an event has thrown an exception
    bool noted{false};                         //!< an event has left a note
};

/**
 * \ingroup rdma
 * State of a parallel run between two windows.
 */
struct RdmaWindowReports
{
    std::vector<RdmaGroupReport> groups; //!< reports of the groups
    Scheduler::EventKey global{};        //!< next event without a node
    bool stop{false};                    //!< RdmaParallelRun::Stop() has been called
    bool interrupted{false};             //!< a thread has asked for a call of takeForeign
};

/**
 * \ingroup rdma
 * Next step of a parallel run, which each group derives from the same reports.
 */
struct RdmaWindowPlan
{
    /// No window extends past a multiple of this time. Events of nodes may schedule events without
    /// a node for such multiples, for instance to stop a run.
    static constexpr RdmaPs GRID = 10_us;

    /** Kind of a step. */
    enum class Action
    {
        WINDOW, //!< the groups run apart
        REST,   //!< all groups rest: for notes of events, or for an event without a node
        END,    //!< the run is over, or pauses
    };

    Action action{Action::END};   //!< kind of the step
    bool pauses{false};           //!< with END: events are left
    Scheduler::EventKey limit0{}; //!< end of the window for group 0: events before it run
    Scheduler::EventKey limit{};  //!< end of the window for all groups above 0

    /** \param time time of an event of a node \return the next multiple of GRID after the event */
    static RdmaPs GetNextOfGrid(RdmaEventTime time)
    {
        return RdmaPs((time.GetInstant() / GRID + 1) * GRID.Get());
    }

    /**
     * Plans a step from the reports of an earlier step. The planned step ends at most a lookahead
     * after the earliest event of the reports. Frames that a group sends after the reports
     * therefore reach other groups after the planned step. Steps are shorter than the lookahead, so
     * that some steps may lie between the reports and the planned step.
     *
     * \param reports reports of the latest step that all groups have completed
     * \param end end of the last step, in femtoseconds; 0 if there was none
     * \param lookahead shortest time that a frame needs from one group to another
     * \param parts number of steps in the lookahead, above 0
     * \param events number of events after which the run pauses
     * \return the planned step
     */
    static RdmaWindowPlan Make(const RdmaWindowReports& reports,
                               uint64_t end,
                               RdmaPs lookahead,
                               uint32_t parts,
                               uint64_t events);
};

} // namespace ns3

#endif /* RDMA_WINDOW_PLAN_H */
