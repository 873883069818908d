/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_BIT_RATE_H
#define RDMA_BIT_RATE_H

#include "rdma-quantity.h"

#include <ns3/data-rate.h>

#include <cstdint>
#include <type_traits>

namespace ns3
{

/**
 * \ingroup rdma
 * A bit rate in bits per second, as a distinct type.
 *
 * A RdmaBitRate costs no more than a uint64_t. Users and attributes hold rates as ns3::DataRate,
 * whose functions are not inline, so the code that processes frames uses RdmaBitRate instead.
 * RdmaLineRate computes transmission times at a rate.
 */
class RdmaBitRate : public RdmaQuantity<RdmaBitRate, uint64_t>
{
  public:
    constexpr RdmaBitRate() = default;

    /** \param bitsPerSecond the rate in bit/s */
    explicit constexpr RdmaBitRate(uint64_t bitsPerSecond)
        : RdmaQuantity(bitsPerSecond)
    {
    }

    /** Deleted: the caller must round a floating-point number explicitly. */
    template <typename F, std::enable_if_t<std::is_floating_point_v<F>, int> = 0>
    explicit RdmaBitRate(F bitsPerSecond) = delete;

    /** \param rate the rate */
    explicit RdmaBitRate(const DataRate& rate)
        : RdmaQuantity(rate.GetBitRate())
    {
    }

    /** \return the rate as the ns3::DataRate of scripts and attributes */
    DataRate ToDataRate() const
    {
        return DataRate(Get());
    }
};

static_assert(sizeof(RdmaBitRate) == sizeof(uint64_t) && std::is_trivially_copyable_v<RdmaBitRate>,
              "a rate costs what a number costs");

inline namespace RdmaLiterals
{

/** \return a rate given in bits per second \param count number of bit/s */
constexpr RdmaBitRate operator""_bps(unsigned long long count)
{
    return RdmaBitRate(count);
}

/** \return a rate given in megabits per second \param count number of Mb/s */
constexpr RdmaBitRate operator""_mbps(unsigned long long count)
{
    return RdmaBitRate(count * 1'000'000);
}

/** \return a rate given in gigabits per second \param count number of Gb/s */
constexpr RdmaBitRate operator""_gbps(unsigned long long count)
{
    return RdmaBitRate(count * 1'000'000'000);
}

} // namespace RdmaLiterals

} // namespace ns3

#endif /* RDMA_BIT_RATE_H */
