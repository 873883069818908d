/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_TIME_H
#define QBB_TIME_H

#include "qbb-event-time.h"
#include "qbb-ps.h"

#include <ns3/nstime.h>
#include <ns3/simulator.h>

/**
 * \file
 * \ingroup rdma
 * The module's clock: whole picoseconds, and three digits below them that order simultaneous
 * events (qbb-event-order.h).
 *
 * ns-3 runs at femtosecond resolution. Every physical instant of the module is a whole number of
 * picoseconds; an event at picosecond t is scheduled at femtosecond 1000 t + k, where k (0..999)
 * says which phase of the instant it belongs to, and its kind or the place of its port. Events of
 * one node at one instant so run in an order that does not depend on which of them was inserted
 * first. k never reaches a result, because every time is computed from QbbNow().
 */

namespace ns3
{

/**
 * \ingroup rdma
 * \return the present instant
 */
inline QbbPs
QbbNow()
{
    return QbbPs(Simulator::Now().GetTimeStep() / QBB_FS_PER_PS);
}

/**
 * \ingroup rdma
 * \return the time of the present event: the instant, and the order among its events
 */
inline QbbEventTime
QbbEventNow()
{
    return QbbEventTime::FromFs(Simulator::Now().GetTimeStep());
}

/**
 * \ingroup rdma
 * \param time a time
 * \return the time in picoseconds, rounded towards 0
 */
inline QbbPs
QbbToPs(const Time& time)
{
    return QbbPs(time.GetTimeStep() / QBB_FS_PER_PS);
}

/**
 * \ingroup rdma
 * \param ps picoseconds
 * \return the time
 */
inline Time
QbbToTime(QbbPs ps)
{
    return TimeStep(ps.Get() * QBB_FS_PER_PS);
}

/**
 * \ingroup rdma
 * \param to an event time
 * \param from the present event's
 * \return after what time it comes, for Simulator::Schedule()
 */
inline Time
QbbGetDelay(QbbEventTime to, QbbEventTime from)
{
    return TimeStep(to.GetFs() - from.GetFs());
}

/**
 * \ingroup rdma
 * Sets ns-3 to femtosecond resolution, which the module needs. Safe to call again.
 *
 * ns-3 converts the Time objects that exist, so call it (or create any of the module's helpers)
 * before the first Simulator::Run() of the process.
 */
void QbbSetTimeResolution();

/**
 * \ingroup rdma
 * Aborts with a message unless ns-3 runs at femtosecond resolution.
 */
void QbbCheckTimeResolution();

} // namespace ns3

#endif /* QBB_TIME_H */
