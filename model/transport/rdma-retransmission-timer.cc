/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-retransmission-timer.h"

#include <algorithm>

namespace ns3
{

RdmaRttEstimator::RdmaRttEstimator(RdmaPs initial, RdmaPs min)
    : m_min(min),
      m_timeout(initial)
{
}

void
RdmaRttEstimator::Sample(RdmaPs rtt)
{
    rtt = std::max(rtt, 1_ps); // clock granularity; 0 means no sample yet
    if (m_srtt == 0_ps)
    {
        m_srtt = rtt;
        m_rttVar = rtt / 2;
    }
    else
    {
        const RdmaPs error = m_srtt < rtt ? rtt - m_srtt : m_srtt - rtt;
        m_rttVar += (error - m_rttVar) / 4;
        m_srtt += (rtt - m_srtt) / 8;
    }
    m_timeout = m_srtt + std::max(1_ps, 4 * m_rttVar);
    m_timeout = std::min(std::max(m_timeout, m_min), LONGEST);
}

void
RdmaRttEstimator::PacketSent(uint64_t packet, bool again, RdmaPs now)
{
    if (again)
    {
        m_timing = m_timing && packet != m_packet;
    }
    else if (!m_timing)
    {
        m_timing = true;
        m_packet = packet;
        m_sent = now;
    }
}

bool
RdmaRttEstimator::PacketsAcked(uint64_t first, uint64_t end, RdmaPs now)
{
    if (!m_timing || m_packet < first || m_packet >= end)
    {
        return false;
    }
    m_timing = false;
    Sample(now - m_sent);
    return true;
}

RdmaRetransmissionTimer::RdmaRetransmissionTimer(const RdmaTimeouts& timeouts)
    : m_timeouts(timeouts)
{
    if (timeouts.dynamic)
    {
        m_estimator = std::make_unique<RdmaRttEstimator>(timeouts.high, timeouts.min);
    }
}

RdmaPs
RdmaRetransmissionTimer::GetTimeout() const
{
    RdmaPs timeout = m_estimator ? m_estimator->GetTimeout() : m_timeouts.high;
    const RdmaPs max = m_estimator ? RdmaRttEstimator::LONGEST : m_timeouts.max;
    for (uint32_t i = 0; i < m_doublings && timeout < max; ++i)
    {
        timeout = std::min(2 * timeout, max);
    }
    return timeout;
}

bool
RdmaRetransmissionTimer::HasTwoStages() const
{
    return !m_estimator && m_timeouts.low < m_timeouts.high;
}

void
RdmaRetransmissionTimer::Restart(RdmaPs now)
{
    if (m_timeouts.high == 0_ps)
    {
        return;
    }
    m_start = now;
    m_deadline = now + (HasTwoStages() ? m_timeouts.low : GetTimeout());
}

void
RdmaRetransmissionTimer::Stop()
{
    m_deadline = NEVER;
}

void
RdmaRetransmissionTimer::WaitUntil(RdmaPs deadline)
{
    m_deadline = deadline;
}

bool
RdmaRetransmissionTimer::Expire(uint64_t inFlight)
{
    const RdmaPs high = m_start + m_timeouts.high;
    if (HasTwoStages() && inFlight > m_timeouts.lowPackets && m_deadline < high)
    {
        m_deadline = high;
        return false;
    }
    Stop();
    ++m_doublings;
    if (m_estimator)
    {
        m_estimator->StopTiming(); // the acknowledgement may be delayed by the lost packet
    }
    return true;
}

void
RdmaRetransmissionTimer::PacketSent(uint64_t packet, bool again, RdmaPs now)
{
    if (m_deadline == NEVER)
    {
        Restart(now);
    }
    if (m_estimator)
    {
        m_estimator->PacketSent(packet, again, now);
    }
}

void
RdmaRetransmissionTimer::PacketsAcked(uint64_t acked, RdmaPs now)
{
    if (!m_estimator || m_estimator->PacketsAcked(0, acked, now))
    {
        m_doublings = 0;
    }
}

void
RdmaRetransmissionTimer::PacketSacked(uint64_t packet, RdmaPs now)
{
    if (m_estimator && m_estimator->PacketsAcked(packet, packet + 1, now))
    {
        m_doublings = 0;
    }
}

} // namespace ns3
