/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_PS_H
#define RDMA_PS_H

#include "rdma-quantity.h"

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
 * packets, for femtoseconds or for a rate. A RdmaPs costs no more than an int64_t. ns3::Time costs
 * more: it keeps track of all Time objects created before the simulation runs, and it needs a
 * division to convert femtoseconds to another unit.
 */
class RdmaPs : public RdmaQuantity<RdmaPs, int64_t>
{
  public:
    constexpr RdmaPs() = default;

    /** \param ps number of picoseconds */
    explicit constexpr RdmaPs(int64_t ps)
        : RdmaQuantity(ps)
    {
    }

    /** Deleted: the caller must round a floating-point number explicitly. */
    template <typename F, std::enable_if_t<std::is_floating_point_v<F>, int> = 0>
    explicit RdmaPs(F ps) = delete;

    /** \return the negated time */
    constexpr RdmaPs operator-() const
    {
        return RdmaPs(-Get());
    }
};

static_assert(sizeof(RdmaPs) == sizeof(int64_t) && std::is_trivially_copyable_v<RdmaPs>,
              "a time costs what a number costs");

/**
 * \ingroup rdma
 * A value later than every instant, which means "never".
 */
inline constexpr RdmaPs RDMA_NEVER{std::numeric_limits<int64_t>::max()};

/**
 * \ingroup rdma
 * Literal suffixes for units. The namespace is inline: `using namespace ns3` makes them available.
 */
inline namespace RdmaLiterals
{

/** \return a time given in picoseconds \param count number of picoseconds */
constexpr RdmaPs operator""_ps(unsigned long long count)
{
    return RdmaPs(static_cast<int64_t>(count));
}

/** \return a time given in nanoseconds \param count number of nanoseconds */
constexpr RdmaPs operator""_ns(unsigned long long count)
{
    return RdmaPs(static_cast<int64_t>(count) * 1'000);
}

/** \return a time given in microseconds \param count number of microseconds */
constexpr RdmaPs operator""_us(unsigned long long count)
{
    return RdmaPs(static_cast<int64_t>(count) * 1'000'000);
}

/** \return a time given in milliseconds \param count number of milliseconds */
constexpr RdmaPs operator""_ms(unsigned long long count)
{
    return RdmaPs(static_cast<int64_t>(count) * 1'000'000'000);
}

/** \return a time given in seconds \param count number of seconds */
constexpr RdmaPs operator""_s(unsigned long long count)
{
    return RdmaPs(static_cast<int64_t>(count) * 1'000'000'000'000);
}

} // namespace RdmaLiterals

} // namespace ns3

#endif /* RDMA_PS_H */
