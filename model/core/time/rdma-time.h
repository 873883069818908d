/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TIME_H
#define RDMA_TIME_H

#include "rdma-engine.h"
#include "rdma-event-time.h"
#include "rdma-ps.h"

#include <ns3/nstime.h>
#include <ns3/simulator.h>

#include <utility>

/**
 * \file
 * \ingroup rdma
 * Clock of the module: whole picoseconds, and three digits below them that order simultaneous
 * events (rdma-event-order.h).
 *
 * ns-3 runs at femtosecond resolution. Every physical instant of the module is a whole number of
 * picoseconds. An event at picosecond t is scheduled at femtosecond 1000 t + k, where k (0..999)
 * encodes the phase of the instant and the kind of the event or the place of its port. Events of
 * one node at one instant thus run in an order independent of the order of their insertion. k never
 * affects a result, because every time is computed from RdmaNow().
 */

namespace ns3
{

/**
 * \ingroup rdma
 * \return the time of the running event: its instant, and its order within the instant
 */
inline RdmaEventTime
RdmaEventNow()
{
    const RdmaEngine* engine = RdmaEngine::GetRunning();
    return engine ? engine->GetTime() : RdmaEventTime::FromFs(Simulator::Now().GetTimeStep());
}

/**
 * \ingroup rdma
 * \return the current instant, in whole picoseconds
 */
inline RdmaPs
RdmaNow()
{
    return RdmaEventNow().GetInstant();
}

/**
 * \ingroup rdma
 * \param time an ns-3 time
 * \return the time in picoseconds, rounded towards 0
 */
inline RdmaPs
RdmaToPs(const Time& time)
{
    return RdmaPs(time.GetTimeStep() / RDMA_FS_PER_PS);
}

/**
 * \ingroup rdma
 * \param ps a time in picoseconds
 * \return the time as an ns-3 Time
 */
inline Time
RdmaToTime(RdmaPs ps)
{
    return TimeStep(ps.Get() * RDMA_FS_PER_PS);
}

/**
 * \ingroup rdma
 * \param to event time to schedule for
 * \param from time of the running event
 * \return delay from \p from to \p to, for Simulator::Schedule()
 */
inline Time
RdmaGetDelay(RdmaEventTime to, RdmaEventTime from)
{
    return TimeStep(to.GetFs() - from.GetFs());
}

/**
 * \ingroup rdma
 * Schedules an event by ns3::Simulator. RdmaSchedule() calls this function where no engine runs.
 *
 * \param context id of the node on which the event runs
 * \param at time of the event
 * \param now time of the running event, not after \p at
 * \param event the event object; the event list takes over one reference
 */
void RdmaScheduleBySimulator(uint32_t context,
                             RdmaEventTime at,
                             RdmaEventTime now,
                             RdmaEvent* event);

/**
 * \ingroup rdma
 * Schedules an event object, to which the event list holds a reference until the event has run.
 *
 * \param context id of the node on which the event runs
 * \param at time of the event
 * \param now time of the running event, not after \p at
 * \param event the event object; may be in the event list already
 */
[[gnu::always_inline]] inline void
RdmaSchedule(uint32_t context, RdmaEventTime at, RdmaEventTime now, RdmaEvent* event)
{
    event->Ref();
    if (RdmaEngine* engine = RdmaEngine::GetRunning())
    {
        engine->Insert(at, context, event);
        return;
    }
    RdmaScheduleBySimulator(context, at, now, event);
}

/**
 * \ingroup rdma
 * Schedules an event object like RdmaSchedule(), on the node of the running event.
 *
 * \param at time of the event, not before that of the running event
 * \param event the event object; may be in the event list already
 * \return false, and nothing is scheduled, if no engine runs or the running event has no node
 */
[[gnu::always_inline]] inline bool
RdmaScheduleHere(RdmaEventTime at, RdmaEvent* event)
{
    RdmaEngine* engine = RdmaEngine::GetRunning();
    if (!engine || engine->GetKey().m_context == Simulator::NO_CONTEXT)
    {
        return false;
    }
    event->Ref();
    engine->Insert(at, engine->GetKey().m_context, event);
    return true;
}

/**
 * \ingroup rdma
 * Schedules an event object without a node, to which the event list holds a reference until the
 * event has run.
 *
 * \param at time of the event
 * \param now time of the running event, not after \p at
 * \param event the event object; may be in the event list already
 */
inline void
RdmaScheduleGlobal(RdmaEventTime at, RdmaEventTime now, RdmaEvent* event)
{
    event->Ref();
    // The event list of the running engine may be that of a group of nodes.
    Simulator::ScheduleWithContext(Simulator::NO_CONTEXT, RdmaGetDelay(at, now), event);
}

/**
 * \ingroup rdma
 * Calls a function that acts on more than the node of the running event. If other nodes run on
 * other threads meanwhile, the call comes later, while all nodes rest, with the clock of the
 * running event. Calls come in the order of their events; calls from different nodes at one instant
 * come in the order of the node ids.
 *
 * \param work the function, which schedules no event less than 10 us ahead
 */
template <typename Work>
void
RdmaDefer(Work&& work)
{
    if (RdmaEngine* engine = RdmaEngine::GetRunning(); engine && engine->IsApart())
    {
        engine->AddNote(std::forward<Work>(work));
        return;
    }
    work();
}

/**
 * \ingroup rdma
 * \return id of the node on which the running event runs
 */
inline uint32_t
RdmaGetContext()
{
    const RdmaEngine* engine = RdmaEngine::GetRunning();
    return engine ? engine->GetKey().m_context : Simulator::GetContext();
}

/**
 * \ingroup rdma
 * Sets ns-3 to femtosecond resolution. Repeated calls are harmless. ns-3 converts Time objects
 * then, but not scheduled events. Call this function, or create any helper of the module, before
 * the first event is scheduled. Otherwise aborts with a message if an event after time 0 is
 * pending, or if the program has called Simulator::Run(), or Time::SetResolution() for another
 * unit.
 */
void RdmaSetTimeResolution();

/**
 * \ingroup rdma
 * Makes a checker for attributes that are times above 0. A lower limit of ns-3's MakeTimeChecker()
 * cannot be below 1 ns: ns-3 makes the checkers at its own resolution, before the module has set
 * femtoseconds.
 *
 * \return a checker that accepts 1 ps and above
 */
Ptr<const AttributeChecker> RdmaMakePositiveTimeChecker();

/**
 * \ingroup rdma
 * Aborts with a message unless ns-3 runs at femtosecond resolution.
 */
void RdmaCheckTimeResolution();

} // namespace ns3

#endif /* RDMA_TIME_H */
