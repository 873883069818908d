/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-sender.h"

namespace ns3
{

RdmaSender::RdmaSender(const RdmaSenderConfig& config)
    : m_timer(config.timeouts),
      m_window(config.window),
      m_rnrRetryCount(config.rnrRetryCount),
      m_retryCount(config.retryCount)
{
}

void
RdmaSender::Extend(uint64_t packets)
{
    m_end += packets;
}

bool
RdmaSender::ExceedsRetryLimit()
{
    ++m_retries;
    return m_retries > m_retryCount;
}

void
RdmaSender::RecordProgress(uint64_t arrived, RdmaPs now)
{
    m_retries = 0;
    m_timer.PacketsAcked(arrived, now);
    if (m_rnrWait)
    {
        return;
    }
    if (GetInFlight() > 0)
    {
        m_timer.Restart(now);
    }
    else
    {
        m_timer.Stop();
    }
}

bool
RdmaSender::Advance(int64_t arrived, RdmaPs now)
{
    if (arrived <= static_cast<int64_t>(m_acked) || arrived > static_cast<int64_t>(m_highest))
    {
        return false;
    }
    const uint64_t from = m_acked;
    m_acked = static_cast<uint64_t>(arrived);
    Acknowledged(from);
    m_rnrRetries = 0;
    RecordProgress(m_acked, now);
    return true;
}

bool
RdmaSender::IsAwaited(int64_t expected) const
{
    return expected == static_cast<int64_t>(m_acked);
}

RdmaSenderEvent
RdmaSender::OnAck(int64_t packet, RdmaPs now)
{
    RdmaSenderEvent event;
    event.mayBegin = Advance(packet + 1, now);
    return event;
}

RdmaSenderEvent
RdmaSender::OnRnrNak(int64_t expected, RdmaPs wait, RdmaPs now)
{
    Advance(expected, now);
    RdmaSenderEvent event;
    if (!IsAwaited(expected) || m_highest == m_acked || m_rnrWait)
    {
        return event; // outdated, beyond all packets sent, or already waiting
    }
    if (m_rnrRetryCount != RdmaSenderConfig::RNR_RETRY_FOREVER && ++m_rnrRetries > m_rnrRetryCount)
    {
        event.failed = true;
        event.status = RdmaWcStatus::RNR_RETRY_EXC_ERR;
        return event;
    }
    HandleReceiverNotReady();
    m_rnrWait = true;
    m_timer.WaitUntil(now + wait);
    return event;
}

RdmaSenderEvent
RdmaSender::OnTimeout(RdmaPs now)
{
    RdmaSenderEvent event;
    if (m_gapDeadline <= now)
    {
        HandleGapDeadline(now);
        event.mayBegin = true;
        if (m_timer.GetDeadline() > now)
        {
            return event;
        }
    }
    const uint64_t inFlight = GetInFlight();
    if (m_rnrWait || inFlight == 0)
    {
        m_timer.Stop();
        event.mayBegin = m_rnrWait;
        m_rnrWait = false;
        return event;
    }
    if (!m_timer.Expire(inFlight))
    {
        return event;
    }
    ++m_timeouts;
    event.timedOut = true;
    if (ExceedsRetryLimit())
    {
        event.failed = true;
        event.status = RdmaWcStatus::RETRY_EXC_ERR;
        return event;
    }
    // The next packet sent restarts the timer; PFC may delay that packet.
    HandleTimeout();
    event.mayBegin = true;
    return event;
}

} // namespace ns3
