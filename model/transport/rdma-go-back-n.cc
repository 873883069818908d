/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-go-back-n.h"

#include <algorithm>

namespace ns3
{

RdmaGoBackNRequester::RdmaGoBackNRequester(const RdmaGoBackNConfig& config)
    : m_config(config)
{
}

void
RdmaGoBackNRequester::Extend(uint64_t packets)
{
    m_end += packets;
}

bool
RdmaGoBackNRequester::CanSend() const
{
    return m_next < m_end && !m_rnrWait && m_next - m_acked < RDMA_MAX_WINDOW - 1;
}

uint64_t
RdmaGoBackNRequester::GetNext() const
{
    return m_next;
}

bool
RdmaGoBackNRequester::Sent(int64_t nowPs)
{
    const bool again = m_next < m_highest;
    m_retransmissions += again;
    ++m_next;
    m_highest = std::max(m_highest, m_next);
    if (m_deadlinePs == NO_DEADLINE)
    {
        RestartTimer(nowPs);
    }
    return again;
}

void
RdmaGoBackNRequester::RestartTimer(int64_t nowPs)
{
    const bool outstanding = m_acked < m_next;
    m_deadlinePs = outstanding && m_config.timeoutPs ? nowPs + m_config.timeoutPs : NO_DEADLINE;
}

bool
RdmaGoBackNRequester::Advance(int64_t acked, int64_t nowPs)
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

RdmaRequesterEvent
RdmaGoBackNRequester::OnAck(int64_t packet, int64_t nowPs)
{
    RdmaRequesterEvent event;
    event.mayBegin = Advance(packet + 1, nowPs);
    return event;
}

RdmaRequesterEvent
RdmaGoBackNRequester::OnNak(int64_t expected, int64_t nowPs)
{
    Advance(expected, nowPs);
    RdmaRequesterEvent event;
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

RdmaRequesterEvent
RdmaGoBackNRequester::OnRnrNak(int64_t expected, int64_t waitPs, int64_t nowPs)
{
    Advance(expected, nowPs);
    RdmaRequesterEvent event;
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

RdmaRequesterEvent
RdmaGoBackNRequester::OnTimeout(int64_t nowPs)
{
    RdmaRequesterEvent event;
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
RdmaGoBackNRequester::GetAcked() const
{
    return m_acked;
}

uint64_t
RdmaGoBackNRequester::GetHighestSent() const
{
    return m_highest;
}

int64_t
RdmaGoBackNRequester::GetDeadlinePs() const
{
    return m_deadlinePs;
}

uint64_t
RdmaGoBackNRequester::GetRetransmissions() const
{
    return m_retransmissions;
}

uint64_t
RdmaGoBackNRequester::GetTimeouts() const
{
    return m_timeouts;
}

RdmaResponderVerdict
RdmaGoBackNResponder::OnPacket(int64_t packet)
{
    const auto expected = static_cast<int64_t>(m_expected);
    if (packet == expected)
    {
        ++m_expected;
        m_nakSent = false;
        return RdmaResponderVerdict::ACCEPT;
    }
    if (packet < expected)
    {
        return RdmaResponderVerdict::DUPLICATE;
    }
    if (m_nakSent)
    {
        return RdmaResponderVerdict::IGNORE;
    }
    m_nakSent = true;
    return RdmaResponderVerdict::GAP;
}

void
RdmaGoBackNResponder::Refuse()
{
    --m_expected;
    // What follows the refused packet is no gap: the requester sends it all again after the wait.
    m_nakSent = true;
}

uint64_t
RdmaGoBackNResponder::GetExpected() const
{
    return m_expected;
}

} // namespace ns3
