/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-go-back-n.h"

#include <algorithm>

namespace ns3
{

RdmaGoBackNSender::RdmaGoBackNSender(const RdmaGoBackNConfig& config)
    : m_config(config)
{
}

void
RdmaGoBackNSender::Extend(uint64_t packets)
{
    m_end += packets;
}

bool
RdmaGoBackNSender::CanSend() const
{
    return m_next < m_end && !m_rnrWait && m_next - m_acked < RDMA_MAX_WINDOW - 1;
}

uint64_t
RdmaGoBackNSender::GetNext() const
{
    return m_next;
}

bool
RdmaGoBackNSender::Sent(uint64_t packets, int64_t nowPs)
{
    const bool again = m_next < m_highest;
    m_retransmissions += again;
    m_next += packets;
    m_highest = std::max(m_highest, m_next);
    if (m_deadlinePs == NO_DEADLINE)
    {
        RestartTimer(nowPs);
    }
    return again;
}

void
RdmaGoBackNSender::RestartTimer(int64_t nowPs)
{
    const bool outstanding = m_acked < m_next;
    m_deadlinePs = outstanding && m_config.timeoutPs ? nowPs + m_config.timeoutPs : NO_DEADLINE;
}

bool
RdmaGoBackNSender::Advance(int64_t acked, int64_t nowPs)
{
    if (acked <= static_cast<int64_t>(m_acked) || acked > static_cast<int64_t>(m_highest))
    {
        return false; // old news, or about packets that were never sent
    }
    m_acked = static_cast<uint64_t>(acked);
    m_next = std::max(m_next, m_acked);
    m_retries = 0;
    m_rnrRetries = 0;
    if (!m_rnrWait)
    {
        RestartTimer(nowPs);
    }
    return true;
}

RdmaSenderEvent
RdmaGoBackNSender::OnAck(int64_t packet, int64_t nowPs)
{
    RdmaSenderEvent event;
    event.mayBegin = Advance(packet + 1, nowPs);
    return event;
}

RdmaSenderEvent
RdmaGoBackNSender::OnNak(int64_t expected, int64_t, int64_t nowPs)
{
    Advance(expected, nowPs);
    RdmaSenderEvent event;
    if (expected == static_cast<int64_t>(m_acked) && m_next > m_acked)
    {
        m_next = m_acked;
        if (!m_rnrWait)
        {
            RestartTimer(nowPs);
        }
        event.mayBegin = true;
    }
    return event;
}

RdmaSenderEvent
RdmaGoBackNSender::OnRnrNak(int64_t expected, int64_t waitPs, int64_t nowPs)
{
    Advance(expected, nowPs);
    RdmaSenderEvent event;
    if (expected != static_cast<int64_t>(m_acked) || m_highest == m_acked || m_rnrWait)
    {
        return event; // old news, about a packet that was never sent, or known
    }
    ++m_rnrRetries;
    if (m_config.rnrRetryCount != RdmaGoBackNConfig::RNR_RETRY_FOREVER &&
        m_rnrRetries > m_config.rnrRetryCount)
    {
        event.failed = true;
        event.status = RdmaWcStatus::RNR_RETRY_EXC_ERR;
        return event;
    }
    m_next = m_acked;
    m_rnrWait = true;
    m_deadlinePs = nowPs + waitPs;
    return event;
}

RdmaSenderEvent
RdmaGoBackNSender::OnTimeout(int64_t nowPs)
{
    RdmaSenderEvent event;
    m_deadlinePs = NO_DEADLINE;
    if (m_rnrWait)
    {
        m_rnrWait = false;
        event.mayBegin = true;
        return event;
    }
    if (m_acked == m_next)
    {
        return event;
    }
    ++m_timeouts;
    ++m_retries;
    if (m_retries > m_config.retryCount)
    {
        event.failed = true;
        event.status = RdmaWcStatus::RETRY_EXC_ERR;
        return event;
    }
    // The timer starts again with the first packet that goes out, which may wait for a pause.
    m_next = m_acked;
    event.mayBegin = true;
    return event;
}

uint64_t
RdmaGoBackNSender::GetAcked() const
{
    return m_acked;
}

uint64_t
RdmaGoBackNSender::GetHighestSent() const
{
    return m_highest;
}

int64_t
RdmaGoBackNSender::GetDeadlinePs() const
{
    return m_deadlinePs;
}

uint64_t
RdmaGoBackNSender::GetRetransmissions() const
{
    return m_retransmissions;
}

uint64_t
RdmaGoBackNSender::GetTimeouts() const
{
    return m_timeouts;
}

RdmaReceiverVerdict
RdmaGoBackNReceiver::Check(int64_t packet)
{
    const auto expected = static_cast<int64_t>(m_expected);
    if (packet == expected)
    {
        return RdmaReceiverVerdict::ACCEPT;
    }
    if (packet < expected)
    {
        return RdmaReceiverVerdict::DUPLICATE;
    }
    if (m_nakSent)
    {
        return RdmaReceiverVerdict::IGNORE;
    }
    m_nakSent = true;
    return RdmaReceiverVerdict::GAP;
}

void
RdmaGoBackNReceiver::Accept(uint64_t packet, uint64_t packets, bool)
{
    m_expected = packet + packets;
    m_nakSent = false;
}

void
RdmaGoBackNReceiver::Refuse()
{
    m_nakSent = true;
}

uint64_t
RdmaGoBackNReceiver::GetExpected() const
{
    return m_expected;
}

uint64_t
RdmaGoBackNReceiver::GetMissing() const
{
    return m_expected;
}

} // namespace ns3
