/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_BUFFER_LIMIT_H
#define QBB_BUFFER_LIMIT_H

#include "qbb-int128.h"

#include <cmath>
#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * A threshold: a constant number of bytes (static threshold) plus a fraction of the free bytes of a
 * pool (dynamic threshold).
 */
struct QbbBufferLimit
{
    static constexpr uint32_t ALPHA_BITS = 20; //!< fractional bits of alpha

    uint64_t bytes{0}; //!< constant part of the threshold
    uint32_t alpha{0}; //!< factor of the free bytes, in units of 2^-ALPHA_BITS

    /** \param alpha a factor \return \p alpha in units of 2^-ALPHA_BITS, rounded to the nearest */
    static uint32_t ToFixed(double alpha)
    {
        return static_cast<uint32_t>(std::llround(std::ldexp(alpha, ALPHA_BITS)));
    }

    /** \param freeBytes free bytes of the pool \return the current threshold in bytes */
    uint64_t Get(uint64_t freeBytes) const
    {
        // A factor of 1024 times the free bytes of a large memory takes more than 64 bits.
        return bytes + static_cast<uint64_t>((QbbUint128{alpha} * freeBytes) >> ALPHA_BITS);
    }
};

} // namespace ns3

#endif /* QBB_BUFFER_LIMIT_H */
