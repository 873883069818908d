/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_EVENT_TIME_H
#define QBB_EVENT_TIME_H

#include "qbb-ps.h"

#include <cstdint>
#include <limits>
#include <ostream>
#include <type_traits>

namespace ns3
{

/**
 * \ingroup rdma
 * Number of femtoseconds in a picosecond.
 */
constexpr int64_t QBB_FS_PER_PS = 1000;

/**
 * \ingroup rdma
 * Time at which an event runs: an instant in picoseconds, and the order among the events of that
 * instant (qbb-event-order.h).
 *
 * An event time equals ns-3's clock at femtosecond resolution. Only schedulers and timers need the
 * order; all results are computed from the instant.
 */
class QbbEventTime
{
  public:
    constexpr QbbEventTime() = default;

    /**
     * \param instant instant of the event
     * \param order place among simultaneous events, 0..999
     */
    constexpr QbbEventTime(QbbPs instant, uint32_t order)
        : m_fs(instant.Get() * QBB_FS_PER_PS + order)
    {
    }

    /** \param fs reading of ns-3's clock in femtoseconds \return the event time */
    static constexpr QbbEventTime FromFs(int64_t fs)
    {
        QbbEventTime time;
        time.m_fs = fs;
        return time;
    }

    /** \return a value later than every event time, which means "never" */
    static constexpr QbbEventTime Never()
    {
        return FromFs(std::numeric_limits<int64_t>::max());
    }

    /** \return reading of ns-3's clock at this event time, in femtoseconds */
    constexpr int64_t GetFs() const
    {
        return m_fs;
    }

    /** \return the instant, without the order */
    constexpr QbbPs GetInstant() const
    {
        return QbbPs(m_fs / QBB_FS_PER_PS);
    }

    /** \return true if both are equal \param a an event time \param b an event time */
    friend constexpr bool operator==(QbbEventTime a, QbbEventTime b)
    {
        return a.m_fs == b.m_fs;
    }

    /** \return true if both differ \param a an event time \param b an event time */
    friend constexpr bool operator!=(QbbEventTime a, QbbEventTime b)
    {
        return a.m_fs != b.m_fs;
    }

    /** \return true if \p a comes first \param a an event time \param b an event time */
    friend constexpr bool operator<(QbbEventTime a, QbbEventTime b)
    {
        return a.m_fs < b.m_fs;
    }

    /** \return true if \p a comes later \param a an event time \param b an event time */
    friend constexpr bool operator>(QbbEventTime a, QbbEventTime b)
    {
        return a.m_fs > b.m_fs;
    }

    /**
     * Writes the femtoseconds as a bare number.
     *
     * \param os the stream
     * \param time the event time
     * \return the stream
     */
    friend std::ostream& operator<<(std::ostream& os, QbbEventTime time)
    {
        return os << time.m_fs;
    }

  private:
    int64_t m_fs{0}; //!< femtoseconds
};

static_assert(sizeof(QbbEventTime) == sizeof(int64_t) && std::is_trivially_copyable_v<QbbEventTime>,
              "an event time costs what a number costs");

} // namespace ns3

#endif /* QBB_EVENT_TIME_H */
