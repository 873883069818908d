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
     * \param baseRttPs T, above 0
     */
    RdmaPacedWindow(const RdmaPathProfile& profile, int64_t baseRttPs)
        : m_lineRateBps(profile.lineRateBps),
          m_rateBps(profile.lineRateBps),
          m_maxWindow(GetMaxWindow(profile.lineRateBps, baseRttPs)),
          m_window(m_maxWindow),
          m_packetBytes(std::max(profile.packetBytes, 1U))
    {
        SetWindow(m_maxWindow);
    }

    uint64_t GetRateBps(int64_t nowPs) override
    {
        return m_rateBps;
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
     * \param lineRateBps B
     * \param baseRttPs T
     * \return B x T in bytes
     */
    static double GetMaxWindow(uint64_t lineRateBps, int64_t baseRttPs)
    {
        return static_cast<double>(lineRateBps) * static_cast<double>(baseRttPs) / 8e12;
    }

  protected:
    /** \param window W; B x T is taken if it is above, or not a number */
    void SetWindow(double window)
    {
        m_window = window < m_maxWindow ? window : m_maxWindow;
        m_rateBps = std::max<uint64_t>(static_cast<uint64_t>(ToRate(m_window)), 1);
        m_packets = std::max(static_cast<uint32_t>(std::ceil(m_window / m_packetBytes)), 1U);
    }

    /** \param window a window in bytes \return its rate in bit/s */
    double ToRate(double window) const
    {
        return static_cast<double>(m_lineRateBps) * (window / m_maxWindow);
    }

    /** \return B x T in bytes */
    double GetMaxWindow() const
    {
        return m_maxWindow;
    }

  private:
    uint64_t m_lineRateBps; //!< B
    uint64_t m_rateBps;     //!< W / T
    double m_maxWindow;     //!< B x T
    double m_window;        //!< W
    uint32_t m_packetBytes; //!< a full packet
    uint32_t m_packets;     //!< W in whole packets
};

} // namespace ns3

#endif /* RDMA_PACED_WINDOW_H */
