/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-retransmission-timer.h"

#include <algorithm>
#include <cstdlib>

namespace ns3
{

RdmaRttEstimator::RdmaRttEstimator(int64_t initialPs, int64_t minPs)
    : m_minPs(minPs),
      m_timeoutPs(initialPs)
{
}

void
RdmaRttEstimator::Sample(int64_t rttPs)
{
    rttPs = std::max<int64_t>(rttPs, 1); // the clock's granularity
    if (m_srttPs == 0)
    {
        m_srttPs = rttPs;
        m_rttVarPs = rttPs / 2;
    }
    else
    {
        m_rttVarPs += (std::abs(m_srttPs - rttPs) - m_rttVarPs) / 4;
        m_srttPs += (rttPs - m_srttPs) / 8;
    }
    m_timeoutPs = m_srttPs + std::max<int64_t>(1, 4 * m_rttVarPs);
    m_timeoutPs = std::min(std::max(m_timeoutPs, m_minPs), MAX_PS);
}

RdmaRetransmissionTimer::RdmaRetransmissionTimer(const RdmaTimeouts& timeouts)
    : m_timeouts(timeouts)
{
    if (timeouts.dynamic)
    {
        m_roundTrips = std::make_unique<RoundTrips>(
            RoundTrips{RdmaRttEstimator(timeouts.highPs, timeouts.minPs)});
    }
}

int64_t
RdmaRetransmissionTimer::GetTimeoutPs() const
{
    int64_t timeoutPs = m_roundTrips ? m_roundTrips->estimator.GetTimeoutPs() : m_timeouts.highPs;
    const int64_t maxPs = m_roundTrips ? RdmaRttEstimator::MAX_PS : m_timeouts.maxPs;
    for (uint32_t i = 0; i < m_doublings && timeoutPs < maxPs; ++i)
    {
        timeoutPs = std::min(2 * timeoutPs, maxPs);
    }
    return timeoutPs;
}

bool
RdmaRetransmissionTimer::HasTwoStages() const
{
    return !m_roundTrips && m_timeouts.lowPs < m_timeouts.highPs;
}

void
RdmaRetransmissionTimer::Restart(int64_t nowPs)
{
    if (m_timeouts.highPs == 0)
    {
        return;
    }
    m_startPs = nowPs;
    m_deadlinePs = nowPs + (HasTwoStages() ? m_timeouts.lowPs : GetTimeoutPs());
}

void
RdmaRetransmissionTimer::Stop()
{
    m_deadlinePs = NEVER;
}

void
RdmaRetransmissionTimer::WaitUntil(int64_t deadlinePs)
{
    m_deadlinePs = deadlinePs;
}

bool
RdmaRetransmissionTimer::Expire(uint64_t inFlight)
{
    const int64_t highPs = m_startPs + m_timeouts.highPs;
    if (HasTwoStages() && inFlight > m_timeouts.lowPackets && m_deadlinePs < highPs)
    {
        m_deadlinePs = highPs;
        return false;
    }
    Stop();
    ++m_doublings;
    if (m_roundTrips)
    {
        m_roundTrips->timing = false; // its acknowledgement may have to wait for this one's
    }
    return true;
}

void
RdmaRetransmissionTimer::PacketSent(uint64_t packet, bool again, int64_t nowPs)
{
    if (m_deadlinePs == NEVER)
    {
        Restart(nowPs);
    }
    if (!m_roundTrips)
    {
        return;
    }
    RoundTrips& trips = *m_roundTrips;
    if (again)
    {
        trips.timing = trips.timing && packet != trips.packet;
    }
    else if (!trips.timing)
    {
        trips.timing = true;
        trips.packet = packet;
        trips.sentPs = nowPs;
    }
}

void
RdmaRetransmissionTimer::PacketsAcked(uint64_t acked, int64_t nowPs)
{
    if (!m_roundTrips)
    {
        m_doublings = 0;
    }
    else if (m_roundTrips->timing && m_roundTrips->packet < acked)
    {
        Measured(nowPs);
    }
}

void
RdmaRetransmissionTimer::PacketSacked(uint64_t packet, int64_t nowPs)
{
    if (m_roundTrips && m_roundTrips->timing && m_roundTrips->packet == packet)
    {
        Measured(nowPs);
    }
}

void
RdmaRetransmissionTimer::Measured(int64_t nowPs)
{
    m_roundTrips->timing = false;
    m_roundTrips->estimator.Sample(nowPs - m_roundTrips->sentPs);
    m_doublings = 0;
}

} // namespace ns3
