/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_PS_H
#define QBB_PS_H

#include "qbb-quantity.h"

#include <cstdint>
#include <limits>
#include <type_traits>

namespace ns3
{

/**
 * \ingroup rdma
 * A time in picoseconds: an instant since the start of the simulation, or a duration.
 *
 * A signed 64-bit count with a distinct type, which cannot be mistaken for a number of bytes or
 * packets, for femtoseconds or for a rate. A QbbPs costs no more than an int64_t. ns3::Time costs
 * more: it keeps track of all Time objects created before the simulation runs, and it needs a
 * division to convert femtoseconds to another unit.
 */
class QbbPs : public QbbQuantity<QbbPs, int64_t>
{
  public:
    constexpr QbbPs() = default;

    /** \param ps number of picoseconds */
    explicit constexpr QbbPs(int64_t ps)
        : QbbQuantity(ps)
    {
    }

    /** Deleted: the caller must round a floating-point number explicitly. */
    template <typename F, std::enable_if_t<std::is_floating_point_v<F>, int> = 0>
    explicit QbbPs(F ps) = delete;

    /** \return the negated time */
    constexpr QbbPs operator-() const
    {
        return QbbPs(-Get());
    }
};

static_assert(sizeof(QbbPs) == sizeof(int64_t) && std::is_trivially_copyable_v<QbbPs>,
              "a time costs what a number costs");

/**
 * \ingroup rdma
 * A value later than every instant, which means "never".
 */
inline constexpr QbbPs QBB_NEVER{std::numeric_limits<int64_t>::max()};

/**
 * \ingroup rdma
 * Literal suffixes for units. The namespace is inline: `using namespace ns3` makes them available.
 */
inline namespace QbbUnits
{

/** \return a time given in picoseconds \param count number of picoseconds */
constexpr QbbPs operator""_ps(unsigned long long count)
{
    return QbbPs(static_cast<int64_t>(count));
}

/** \return a time given in nanoseconds \param count number of nanoseconds */
constexpr QbbPs operator""_ns(unsigned long long count)
{
    return QbbPs(static_cast<int64_t>(count) * 1'000);
}

/** \return a time given in microseconds \param count number of microseconds */
constexpr QbbPs operator""_us(unsigned long long count)
{
    return QbbPs(static_cast<int64_t>(count) * 1'000'000);
}

/** \return a time given in milliseconds \param count number of milliseconds */
constexpr QbbPs operator""_ms(unsigned long long count)
{
    return QbbPs(static_cast<int64_t>(count) * 1'000'000'000);
}

/** \return a time given in seconds \param count number of seconds */
constexpr QbbPs operator""_s(unsigned long long count)
{
    return QbbPs(static_cast<int64_t>(count) * 1'000'000'000'000);
}

} // namespace QbbUnits

} // namespace ns3

#endif /* QBB_PS_H */
