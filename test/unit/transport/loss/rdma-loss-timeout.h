/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_LOSS_TIMEOUT_H
#define RDMA_LOSS_TIMEOUT_H

#include "rdma-loss-settings.h"

#include <algorithm>
#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma-tests
 * Length of a retransmission timeout: fixed, or from the round trips of one packet at a time
 * (RFC 6298). Timeouts without progress double the length.
 */
class RdmaLossTimeout
{
  public:
    /** \param settings settings of the sender */
    explicit RdmaLossTimeout(const RdmaLossSettings& settings)
        : m_set(settings),
          m_rto(settings.high)
    {
    }

    /** \return length of a timeout that starts at this moment */
    RdmaPs Get() const
    {
        RdmaPs timeout = m_set.dynamic ? m_rto : m_set.low;
        for (int i = 0; i < m_doublings && (m_set.dynamic || m_set.max > 0_ps); ++i)
        {
            timeout = std::min(2 * timeout, m_set.dynamic ? MINUTE : m_set.max);
        }
        return timeout;
    }

    /** \param packet packet that is sent \param again true: a retransmission \param now instant */
    void Sent(int64_t packet, bool again, RdmaPs now)
    {
        if (again && packet == m_timed)
        {
            m_timed = -1; // an answer could belong to either transmission
        }
        else if (!again && m_timed < 0)
        {
            m_timed = packet;
            m_timedSince = now;
        }
    }

    /** \param n number of packets acknowledged, all from the first \param now instant */
    void Progress(int64_t n, RdmaPs now)
    {
        m_doublings = m_set.dynamic ? m_doublings : 0;
        Measure(m_timed >= 0 && m_timed < n, now);
    }

    /** \param packet packet that is acknowledged selectively \param now instant */
    void Early(int64_t packet, RdmaPs now)
    {
        Measure(packet == m_timed, now);
    }

    /** A timeout has expired. */
    void Expired()
    {
        ++m_doublings;
        m_timed = -1;
    }

  private:
    void Measure(bool hit, RdmaPs now)
    {
        if (!hit || !m_set.dynamic)
        {
            return;
        }
        const RdmaPs rtt = std::max(1_ps, now - m_timedSince);
        m_timed = -1;
        m_doublings = 0;
        const bool first = m_srtt == 0_ps;
        const RdmaPs off = first ? 0_ps : std::max(rtt - m_srtt, m_srtt - rtt);
        m_var = first ? rtt / 2 : m_var + (off - m_var) / 4;
        m_srtt = first ? rtt : m_srtt + (rtt - m_srtt) / 8;
        m_rto = std::clamp(m_srtt + std::max(1_ps, 4 * m_var), m_set.min, MINUTE);
    }

    static constexpr RdmaPs MINUTE = 60_s; //!< longest dynamic timeout

    RdmaLossSettings m_set; //!< settings of the sender
    int m_doublings{0};     //!< timeouts that double the length
    RdmaPs m_rto;           //!< dynamic timeout
    RdmaPs m_srtt{0};       //!< smoothed round-trip time
    RdmaPs m_var{0};        //!< variation of the round-trip time
    int64_t m_timed{-1};    //!< packet whose round trip is measured; -1: none
    RdmaPs m_timedSince{0}; //!< instant at which that packet was sent
};

} // namespace ns3

#endif /* RDMA_LOSS_TIMEOUT_H */
