/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_TIME_H
#define QBB_TIME_H

#include "qbb-engine.h"
#include "qbb-event-time.h"
#include "qbb-ps.h"

#include <ns3/nstime.h>
#include <ns3/simulator.h>

#include <utility>

/**
 * \file
 * \ingroup rdma
 * Clock of the module: whole picoseconds, and three digits below them that order simultaneous
 * events (qbb-event-order.h).
 *
 * ns-3 runs at femtosecond resolution. Every physical instant of the module is a whole number of
 * picoseconds. An event at picosecond t is scheduled at femtosecond 1000 t + k, where k (0..999)
 * encodes the phase of the instant and the kind of the event or the place of its port. Events of
 * one node at one instant thus run in an order independent of the order of their insertion. k never
 * affects a result, because every time is computed from QbbNow().
 */

namespace ns3
{

/**
 * \ingroup rdma
 * \return the time of the running event: its instant, and its order within the instant
 */
inline QbbEventTime
QbbEventNow()
{
    const QbbEngine* engine = QbbEngine::GetRunning();
    return engine ? engine->GetTime() : QbbEventTime::FromFs(Simulator::Now().GetTimeStep());
}

/**
 * \ingroup rdma
 * \return the current instant, in whole picoseconds
 */
inline QbbPs
QbbNow()
{
    return QbbEventNow().GetInstant();
}

/**
 * \ingroup rdma
 * \param time an ns-3 time
 * \return the time in picoseconds, rounded towards 0
 */
inline QbbPs
QbbToPs(const Time& time)
{
    return QbbPs(time.GetTimeStep() / QBB_FS_PER_PS);
}

/**
 * \ingroup rdma
 * \param ps a time in picoseconds
 * \return the time as an ns-3 Time
 */
inline Time
QbbToTime(QbbPs ps)
{
    return TimeStep(ps.Get() * QBB_FS_PER_PS);
}

/**
 * \ingroup rdma
 * \param to event time to schedule for
 * \param from time of the running event
 * \return delay from \p from to \p to, for Simulator::Schedule()
 */
inline Time
QbbGetDelay(QbbEventTime to, QbbEventTime from)
{
    return TimeStep(to.GetFs() - from.GetFs());
}

/**
 * \ingroup rdma
 * Schedules an event by ns3::Simulator. QbbSchedule() calls this function where no engine runs.
 *
 * \param context id of the node on which the event runs
 * \param at time of the event
 * \param now time of the running event, not after \p at
 * \param event the event object; the event list takes over one reference
 */
void QbbScheduleBySimulator(uint32_t context, QbbEventTime at, QbbEventTime now, QbbEvent* event);

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
QbbSchedule(uint32_t context, QbbEventTime at, QbbEventTime now, QbbEvent* event)
{
    event->Ref();
    if (QbbEngine* engine = QbbEngine::GetRunning())
    {
        engine->Insert(at, context, event);
        return;
    }
    QbbScheduleBySimulator(context, at, now, event);
}

/**
 * \ingroup rdma
 * Schedules an event object like QbbSchedule(), on the node of the running event.
 *
 * \param at time of the event, not before that of the running event
 * \param event the event object; may be in the event list already
 * \return false, and nothing is scheduled, if no engine runs or the running event has no node
 */
[[gnu::always_inline]] inline bool
QbbScheduleHere(QbbEventTime at, QbbEvent* event)
{
    QbbEngine* engine = QbbEngine::GetRunning();
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
QbbScheduleGlobal(QbbEventTime at, QbbEventTime now, QbbEvent* event)
{
    event->Ref();
    // The event list of the running engine may be that of a group of nodes.
    Simulator::ScheduleWithContext(Simulator::NO_CONTEXT, QbbGetDelay(at, now), event);
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
QbbDefer(Work&& work)
{
    if (QbbEngine* engine = QbbEngine::GetRunning(); engine && engine->IsApart())
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
QbbGetContext()
{
    const QbbEngine* engine = QbbEngine::GetRunning();
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
void QbbSetTimeResolution();

/**
 * \ingroup rdma
 * Makes a checker for attributes that are times above 0. A lower limit of ns-3's MakeTimeChecker()
 * cannot be below 1 ns: ns-3 makes the checkers at its own resolution, before the module has set
 * femtoseconds.
 *
 * \return a checker that accepts 1 ps and above
 */
Ptr<const AttributeChecker> QbbMakePositiveTimeChecker();

/**
 * \ingroup rdma
 * Aborts with a message unless ns-3 runs at femtosecond resolution.
 */
void QbbCheckTimeResolution();

} // namespace ns3

#endif /* QBB_TIME_H */
