/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_BIT_RATE_H
#define QBB_BIT_RATE_H

#include "qbb-quantity.h"

#include <ns3/data-rate.h>

#include <cstdint>
#include <type_traits>

namespace ns3
{

/**
 * \ingroup rdma
 * A bit rate in bits per second, as a distinct type.
 *
 * A QbbBitRate costs no more than a uint64_t. Users and attributes hold rates as ns3::DataRate,
 * whose functions are not inline, so the code that processes frames uses QbbBitRate instead.
 * QbbLineRate computes transmission times at a rate.
 */
class QbbBitRate : public QbbQuantity<QbbBitRate, uint64_t>
{
  public:
    constexpr QbbBitRate() = default;

    /** \param bitsPerSecond the rate in bit/s */
    explicit constexpr QbbBitRate(uint64_t bitsPerSecond)
        : QbbQuantity(bitsPerSecond)
    {
    }

    /** Deleted: the caller must round a floating-point number explicitly. */
    template <typename F, std::enable_if_t<std::is_floating_point_v<F>, int> = 0>
    explicit QbbBitRate(F bitsPerSecond) = delete;

    /** \param rate the rate */
    explicit QbbBitRate(const DataRate& rate)
        : QbbQuantity(rate.GetBitRate())
    {
    }

    /** \return the rate as the ns3::DataRate of scripts and attributes */
    DataRate ToDataRate() const
    {
        return DataRate(Get());
    }
};

static_assert(sizeof(QbbBitRate) == sizeof(uint64_t) && std::is_trivially_copyable_v<QbbBitRate>,
              "a rate costs what a number costs");

inline namespace QbbUnits
{

/** \return a rate given in bits per second \param count number of bit/s */
constexpr QbbBitRate operator""_bps(unsigned long long count)
{
    return QbbBitRate(count);
}

/** \return a rate given in megabits per second \param count number of Mb/s */
constexpr QbbBitRate operator""_mbps(unsigned long long count)
{
    return QbbBitRate(count * 1'000'000);
}

/** \return a rate given in gigabits per second \param count number of Gb/s */
constexpr QbbBitRate operator""_gbps(unsigned long long count)
{
    return QbbBitRate(count * 1'000'000'000);
}

} // namespace QbbUnits

} // namespace ns3

#endif /* QBB_BIT_RATE_H */
