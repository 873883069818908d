/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-go-back-n.h"

#include <algorithm>

namespace ns3
{

RdmaGoBackNSender::RdmaGoBackNSender(const RdmaSenderConfig& config, RdmaBackOff backOff)
    : RdmaSender(config),
      m_present(config.window),
      m_backOff(backOff)
{
}

bool
RdmaGoBackNSender::CanSend() const
{
    return m_next < m_end && !m_rnrWait && GetInFlight() < m_present;
}

uint64_t
RdmaGoBackNSender::GetNext() const
{
    return m_next;
}

bool
RdmaGoBackNSender::Sent(uint64_t packets, RdmaPs now)
{
    const bool again = m_next < m_highest;
    m_retransmissions += again;
    m_timer.PacketSent(m_next, again, now);
    m_next += packets;
    m_highest = std::max(m_highest, m_next);
    return again;
}

uint64_t
RdmaGoBackNSender::GetInFlight() const
{
    return m_next - m_acked;
}

void
RdmaGoBackNSender::Acknowledged(uint64_t from)
{
    m_next = std::max(m_next, m_acked);
    if (m_present == m_window)
    {
        return;
    }
    m_credit += static_cast<uint32_t>(m_acked - from);
    while (m_present < m_window && m_credit >= m_present)
    {
        m_credit -= m_present;
        ++m_present;
    }
}

void
RdmaGoBackNSender::ShrinkWindow()
{
    if (m_backOff == RdmaBackOff::LOSS)
    {
        const auto unacked = static_cast<uint32_t>(m_highest - m_acked);
        m_present = std::max(1U, std::min(m_present, unacked) / 2);
        m_credit = 0;
    }
}

void
RdmaGoBackNSender::GoBack()
{
    m_next = m_acked;
}

bool
RdmaGoBackNSender::IsLostAgain()
{
    const bool again = m_nakOf == m_acked;
    if (again && m_naksToCome > 0)
    {
        --m_naksToCome;
        return false;
    }
    m_nakOf = m_acked;
    // One NAK for each unacknowledged packet after the missing one, less the present NAK.
    const auto unacked = static_cast<uint32_t>(m_highest - m_acked);
    m_naksToCome = std::max(unacked, 2U) - 2;
    return again;
}

RdmaSenderEvent
RdmaGoBackNSender::OnNak(int64_t expected, int64_t, RdmaPs now)
{
    RdmaSenderEvent event;
    event.mayBegin = Advance(expected, now);
    if (IsAwaited(expected) && m_next > m_acked)
    {
        const bool lostAgain = IsLostAgain() && !event.mayBegin;
        if (lostAgain && ExceedsRetryLimit())
        {
            event.failed = true;
            event.status = RdmaWcStatus::RETRY_EXC_ERR;
            return event;
        }
        ShrinkWindow();
        GoBack();
        m_timer.Stop(); // Sent() restarts the timer with the retransmission
        event.mayBegin = true;
    }
    return event;
}

void
RdmaGoBackNSender::HandleTimeout()
{
    ShrinkWindow();
    GoBack();
}

void
RdmaGoBackNSender::HandleReceiverNotReady()
{
    GoBack();
}

RdmaGoBackNReceiver::RdmaGoBackNReceiver(bool nakEachPacket)
    : m_nakEachPacket(nakEachPacket)
{
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
    // After an RNR NAK, the requester retransmits packets in flight without a NAK.
    if (m_refused || (m_nakSent && !m_nakEachPacket))
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
    m_refused = false;
}

void
RdmaGoBackNReceiver::Refuse()
{
    m_refused = true;
}

void
RdmaGoBackNReceiver::Resume(uint64_t packet)
{
    m_expected = packet;
}

uint64_t
RdmaGoBackNReceiver::GetExpected() const
{
    return m_expected;
}

} // namespace ns3
