/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_LINE_RATE_H
#define QBB_LINE_RATE_H

#include "qbb-bit-rate.h"
#include "qbb-ps.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * Transmission times at a rate, in exact integer arithmetic.
 *
 * 8e12 / rate picoseconds a byte is whole for the usual Ethernet rates (100 Gb/s: 80). Where it is
 * not, the fraction is carried in units of 1/rate ps, so that a train of frames takes the time of
 * its total length and rounding never accumulates.
 */
class QbbLineRate
{
  public:
    QbbLineRate() = default;

    /** \param rate the rate, 1 bit/s .. 8 Tb/s */
    explicit QbbLineRate(QbbBitRate rate);

    /** \return the rate */
    QbbBitRate GetBitRate() const
    {
        return QbbBitRate(m_rate);
    }

    /** \return true if a byte takes a whole number of picoseconds */
    bool IsExact() const
    {
        return m_remPerByte == 0;
    }

    /**
     * \param bytes bytes on the line
     * \param [in,out] fraction what an earlier call left over, in 1/rate ps, below the rate
     * \return picoseconds, rounded down; the rest is left in \p fraction
     */
    QbbPs BytesToPs(uint64_t bytes, uint64_t& fraction) const
    {
        if (m_remPerByte == 0)
        {
            return QbbPs(bytes * m_psPerByte);
        }
        return BytesToPsInexact(bytes, fraction);
    }

    /**
     * \param bytes bytes on the line
     * \return picoseconds, rounded down
     */
    QbbPs BytesToPs(uint64_t bytes) const
    {
        uint64_t fraction = 0;
        return BytesToPs(bytes, fraction);
    }

    /**
     * \param bits bit times
     * \return picoseconds, rounded down
     */
    QbbPs BitsToPs(uint64_t bits) const;

  private:
    QbbPs BytesToPsInexact(uint64_t bytes, uint64_t& fraction) const;

    uint64_t m_rate{0};       //!< bit/s
    uint64_t m_psPerByte{0};  //!< whole picoseconds in a byte time
    uint64_t m_remPerByte{0}; //!< rest of a byte time, in 1/rate ps
};

} // namespace ns3

#endif /* QBB_LINE_RATE_H */
