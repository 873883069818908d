/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_EVENT_TIME_H
#define RDMA_EVENT_TIME_H

#include "rdma-ps.h"
#include "rdma-quantity.h"

#include <cstdint>
#include <limits>
#include <type_traits>

namespace ns3
{

/**
 * \ingroup rdma
 * Number of femtoseconds in a picosecond.
 */
constexpr int64_t RDMA_FS_PER_PS = 1000;

/**
 * \ingroup rdma
 * Time at which an event runs: an instant in picoseconds, and the order among the events of that
 * instant (rdma-event-order.h).
 *
 * An event time equals ns-3's clock at femtosecond resolution. Only schedulers and timers need the
 * order; all results are computed from the instant.
 */
class RdmaEventTime : public RdmaOrdered<RdmaEventTime, int64_t>
{
  public:
    constexpr RdmaEventTime() = default;

    /**
     * \param instant instant of the event
     * \param order place among simultaneous events, 0..999
     */
    constexpr RdmaEventTime(RdmaPs instant, uint32_t order)
        : RdmaOrdered(instant.Get() * RDMA_FS_PER_PS + order)
    {
    }

    /** \param fs reading of ns-3's clock in femtoseconds \return the event time */
    static constexpr RdmaEventTime FromFs(int64_t fs)
    {
        return RdmaEventTime(fs);
    }

    /** \return a value later than every event time, which means "never" */
    static constexpr RdmaEventTime Never()
    {
        return FromFs(std::numeric_limits<int64_t>::max());
    }

    /** \return reading of ns-3's clock at this event time, in femtoseconds */
    constexpr int64_t GetFs() const
    {
        return m_count;
    }

    /** \return the instant, without the order */
    constexpr RdmaPs GetInstant() const
    {
        // Event times are not negative, and the division of an unsigned number is shorter.
        return RdmaPs(static_cast<int64_t>(static_cast<uint64_t>(m_count) / RDMA_FS_PER_PS));
    }

  private:
    explicit constexpr RdmaEventTime(int64_t fs)
        : RdmaOrdered(fs)
    {
    }
};

static_assert(sizeof(RdmaEventTime) == sizeof(int64_t) &&
                  std::is_trivially_copyable_v<RdmaEventTime>,
              "an event time costs what a number costs");

} // namespace ns3

#endif /* RDMA_EVENT_TIME_H */
