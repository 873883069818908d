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
 * State of a group of nodes between two windows.
 */
struct RdmaGroupReport
{
    Scheduler::EventKey next{}; //!< next event that the group has or causes
    uint64_t count{0};          //!< number of events that have run
    bool failed{false};         //!< an event has thrown an exception
    bool noted{false};          //!< an event has left a note
};

/**
 * \ingroup rdma
 * State of a run in groups between two windows.
 */
struct RdmaWindowReports
{
    std::vector<RdmaGroupReport> groups; //!< reports of the groups
    Scheduler::EventKey global{};        //!< next event without a node
    bool isScript{false};                //!< this event is from outside of the module
    bool stop{false};                    //!< RdmaGroupRun::Stop() has been called
    bool interrupted{false};             //!< a thread has asked for a call of takeForeign
    bool isSparse{false};                //!< the latest windows had too few events
    bool isSlow{false};                  //!< threads have got too little of the machine
};

/**
 * \ingroup rdma
 * Conditions on which a run in groups pauses although events are left.
 */
struct RdmaPauseRules
{
    uint64_t events{UINT64_MAX}; //!< number of events after which the run pauses
    uint64_t eventsOfWindow{0};  //!< the run pauses if windows have fewer events; 0: it goes on
    /// The run pauses if its threads together get less done than this number of cores could; 0:
    /// the run goes on
    double cores{0};
    /// true: the run pauses before an event of a script without a node, and at an interruption;
    /// false: such events run while all groups rest
    bool leavesScripts{false};
};

/**
 * \ingroup rdma
 * Next step of a run in groups.
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
     * Plans a step. A planned window ends at most a lookahead after the earliest event of all
     * groups. Frames that a group sends within the window therefore reach other groups after the
     * window.
     *
     * \param reports state of the groups
     * \param lookahead shortest time that a frame needs from one group to another
     * \param rules conditions of a pause
     * \return the planned step
     */
    static RdmaWindowPlan Make(const RdmaWindowReports& reports,
                               RdmaPs lookahead,
                               const RdmaPauseRules& rules);
};

} // namespace ns3

#endif /* RDMA_WINDOW_PLAN_H */
