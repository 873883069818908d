/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_TIME_H
#define QBB_TIME_H

#include <ns3/nstime.h>
#include <ns3/simulator.h>

#include <cstdint>
#include <limits>

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
 * first. k never reaches a result, because every time is computed from QbbNowPs().
 */

namespace ns3
{

/**
 * \ingroup rdma
 * Femtoseconds in a picosecond.
 */
constexpr int64_t QBB_FS_PER_PS = 1000;

/**
 * \ingroup rdma
 * No instant.
 */
constexpr int64_t QBB_NEVER = std::numeric_limits<int64_t>::max();

/**
 * \ingroup rdma
 * \return the present instant in whole picoseconds
 */
inline int64_t
QbbNowPs()
{
    return Simulator::Now().GetTimeStep() / QBB_FS_PER_PS;
}

/**
 * \ingroup rdma
 * \param time a time
 * \return the time in picoseconds, rounded down
 */
inline int64_t
QbbToPs(const Time& time)
{
    return time.GetTimeStep() / QBB_FS_PER_PS;
}

/**
 * \ingroup rdma
 * \param ps picoseconds
 * \return the time
 */
inline Time
QbbFromPs(int64_t ps)
{
    return TimeStep(ps * QBB_FS_PER_PS);
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
