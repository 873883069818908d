/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_PACED_WINDOW_H
#define RDMA_PACED_WINDOW_H

#include "rdma-congestion-control.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * A controller whose window W, in bytes on the line, also sets the pace: the rate is W / T, with T
 * the base round-trip time. It begins with W = B x T at line rate B, and W stays at or below that.
 *
 * W may be less than a packet: the pace then goes on down, while one packet may be in flight.
 * Packets in flight are limited to W rounded up to whole packets, as in the HPCC authors'
 * simulator, where a packet may go out as long as less than W is in flight. The pace then decides
 * what a flow gets. Rounded down, the limit would bind before the pace, and flows with windows of a
 * few packets would keep shares of whole packets for ever.
 */
class RdmaPacedWindow : public RdmaRateController
{
  public:
    /**
     * \param profile the queue pair
     * \param baseRtt T, above 0
     */
    RdmaPacedWindow(const RdmaPathProfile& profile, QbbPs baseRtt)
        : m_lineRate(profile.lineRate),
          m_rate(profile.lineRate),
          m_maxWindow(GetMaxWindow(profile.lineRate, baseRtt)),
          m_window(m_maxWindow),
          m_packetBytes(std::max(profile.packetBytes, 1U))
    {
        SetWindow(m_maxWindow);
    }

    QbbBitRate GetRate(QbbPs now) override
    {
        return m_rate;
    }

    /** \return W rounded up to whole packets, one at least */
    uint64_t GetWindowBytes() const override
    {
        return uint64_t{m_packets} * m_packetBytes;
    }

    /** \return W, bytes and parts of them */
    double GetExactWindow() const
    {
        return m_window;
    }

    /**
     * \param lineRate B
     * \param baseRtt T
     * \return B x T in bytes
     */
    static double GetMaxWindow(QbbBitRate lineRate, QbbPs baseRtt)
    {
        return static_cast<double>(lineRate) * static_cast<double>(baseRtt) / 8e12;
    }

  protected:
    /** \param window W; B x T is taken if it is above, or not a number */
    void SetWindow(double window)
    {
        m_window = window < m_maxWindow ? window : m_maxWindow;
        m_rate = std::max(QbbBitRate(static_cast<uint64_t>(ToRate(m_window))), 1_bps);
        m_packets = std::max(static_cast<uint32_t>(std::ceil(m_window / m_packetBytes)), 1U);
    }

    /** \param window a window in bytes \return its rate in bit/s */
    double ToRate(double window) const
    {
        return static_cast<double>(m_lineRate) * (window / m_maxWindow);
    }

    /** \return B x T in bytes */
    double GetMaxWindow() const
    {
        return m_maxWindow;
    }

  private:
    QbbBitRate m_lineRate;  //!< B
    QbbBitRate m_rate;      //!< W / T
    double m_maxWindow;     //!< B x T
    double m_window;        //!< W
    uint32_t m_packetBytes; //!< a full packet
    uint32_t m_packets;     //!< W in whole packets
};

} // namespace ns3

#endif /* RDMA_PACED_WINDOW_H */
