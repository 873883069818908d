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
 * A controller whose window W, in bytes on the line, also sets the pace: the rate is W / T, where T
 * is the base round-trip time. W begins at B x T, hence at line rate B, and never exceeds B x T.
 *
 * W may be less than a packet: the pace continues to fall, while one packet may be in flight.
 * Packets in flight are limited to W rounded up to whole packets, as in the HPCC authors'
 * simulator, which sends a packet as long as less than W is in flight. The pace then determines a
 * flow's share. If W were rounded down, the limit would bind before the pace, and flows with
 * windows of a few packets would keep shares of whole packets for ever.
 */
class RdmaPacedWindow : public RdmaRateController
{
  public:
    /**
     * \param profile the queue pair's path profile
     * \param baseRtt base round-trip time T, above 0
     */
    RdmaPacedWindow(const RdmaPathProfile& profile, RdmaPs baseRtt)
        : m_lineRate(profile.lineRate),
          m_rate(profile.lineRate),
          m_maxWindow(GetMaxWindow(profile.lineRate, baseRtt)),
          m_window(m_maxWindow),
          m_packetBytes(std::max(profile.packetBytes, 1U))
    {
        SetWindow(m_maxWindow);
    }

    RdmaBitRate GetRate(RdmaPs now) override
    {
        return m_rate;
    }

    /** \return W rounded up to whole packets, at least one packet, in bytes */
    uint64_t GetWindowBytes() const override
    {
        return uint64_t{m_packets} * m_packetBytes;
    }

    /** \return window W in bytes, not rounded */
    double GetExactWindow() const
    {
        return m_window;
    }

    /**
     * \param lineRate line rate B
     * \param baseRtt base round-trip time T
     * \return B x T in bytes
     */
    static double GetMaxWindow(RdmaBitRate lineRate, RdmaPs baseRtt)
    {
        return static_cast<double>(lineRate) * static_cast<double>(baseRtt) / 8e12;
    }

  protected:
    /**
     * Sets the window and the rate. \param window W in bytes; limited to B x T, also if not a
     * number
     */
    void SetWindow(double window)
    {
        m_window = window < m_maxWindow ? window : m_maxWindow;
        m_rate = std::max(RdmaBitRate(static_cast<uint64_t>(ToRate(m_window))), 1_bps);
        m_packets = std::max(static_cast<uint32_t>(std::ceil(m_window / m_packetBytes)), 1U);
    }

    /** \param window in bytes \return rate of the window in bit/s */
    double ToRate(double window) const
    {
        return static_cast<double>(m_lineRate) * (window / m_maxWindow);
    }

    /** \return largest window B x T in bytes */
    double GetMaxWindow() const
    {
        return m_maxWindow;
    }

  private:
    RdmaBitRate m_lineRate; //!< line rate B
    RdmaBitRate m_rate;     //!< current rate W / T
    double m_maxWindow;     //!< largest window B x T in bytes
    double m_window;        //!< window W in bytes
    uint32_t m_packetBytes; //!< bytes of a full packet on the line
    uint32_t m_packets;     //!< W rounded up to whole packets
};

} // namespace ns3

#endif /* RDMA_PACED_WINDOW_H */
