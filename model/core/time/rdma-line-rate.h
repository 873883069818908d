/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_LINE_RATE_H
#define RDMA_LINE_RATE_H

#include "rdma-bit-rate.h"
#include "rdma-ps.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * Transmission times at a line rate, in exact integer arithmetic.
 *
 * A byte takes 8e12 / rate picoseconds, an integer for the usual Ethernet rates (80 at 100 Gb/s).
 * At other rates the fraction is carried over in units of 1/rate ps, so that a train of frames
 * takes exactly the time of its total length and rounding errors never accumulate.
 */
class RdmaLineRate
{
  public:
    RdmaLineRate() = default;

    /** \param rate line rate, 1 bit/s to 8 Tb/s; throws std::invalid_argument outside this range */
    explicit RdmaLineRate(RdmaBitRate rate);

    /** \return the line rate */
    RdmaBitRate GetBitRate() const
    {
        return RdmaBitRate(m_rate);
    }

    /** \return true if a byte takes a whole number of picoseconds */
    bool IsExact() const
    {
        return m_remPerByte == 0;
    }

    /**
     * \param bytes number of bytes on the line
     * \param [in,out] fraction remainder of the previous call, in 1/rate ps, below the rate
     * \return transmission time, rounded down; the remainder is stored in \p fraction
     */
    RdmaPs BytesToPs(uint64_t bytes, uint64_t& fraction) const
    {
        if (m_remPerByte == 0)
        {
            return RdmaPs(bytes * m_psPerByte);
        }
        return BytesToPsInexact(bytes, fraction);
    }

    /**
     * \param bytes number of bytes on the line
     * \return transmission time, rounded down
     */
    RdmaPs BytesToPs(uint64_t bytes) const
    {
        uint64_t fraction = 0;
        return BytesToPs(bytes, fraction);
    }

    /**
     * \param bits number of bit times
     * \return duration of the bit times, rounded down
     */
    RdmaPs BitsToPs(uint64_t bits) const;

    /**
     * Occupies a line for a frame at a rate for which IsExact() is false.
     *
     * \param bytes bytes of the frame and of the preamble
     * \param gap bytes of the gap that follows
     * \param start instant at which the frame begins
     * \param [in,out] busyUntil end of the line's occupancy; moves to the end of the gap
     * \param [in,out] fraction time by which the line is busy beyond \p busyUntil, in 1/rate ps
     * \return instant at which the last bit of the frame leaves, rounded down
     */
    RdmaPs OccupyInexactly(uint32_t bytes,
                           uint32_t gap,
                           RdmaPs start,
                           RdmaPs& busyUntil,
                           uint64_t& fraction) const;

  private:
    RdmaPs BytesToPsInexact(uint64_t bytes, uint64_t& fraction) const;

    uint64_t m_psPerByte{0};  //!< whole picoseconds of a byte time
    uint64_t m_remPerByte{0}; //!< fraction of a byte time below 1 ps, in 1/rate ps
    uint64_t m_rate{0};       //!< line rate in bit/s
};

} // namespace ns3

#endif /* RDMA_LINE_RATE_H */
