/* SPDX-License-Identifier: GPL-2.0-only */

#include "irn-sender.h"

#include <ns3/assert.h>

#include <algorithm>

namespace ns3
{

IrnSender::IrnSender(const RdmaSenderConfig& config, IrnSelective selective, Rules rules)
    : RdmaSender(config),
      m_selective(selective),
      m_rules(rules)
{
}

bool
IrnSender::HasLost() const
{
    return m_phase != Phase::REGULAR && m_scan < m_lostEnd;
}

bool
IrnSender::CanSend() const
{
    return !m_rnrWait && (HasLost() || (m_highest < m_end && GetInFlight() < m_window));
}

uint64_t
IrnSender::GetNext() const
{
    return HasLost() ? m_scan : m_highest;
}

bool
IrnSender::Sent([[maybe_unused]] uint64_t packets, RdmaPs now)
{
    NS_ASSERT_MSG(packets == 1, "IRN numbers responses apart from requests");
    const bool again = HasLost();
    m_timer.PacketSent(GetNext(), again, now);
    if (again)
    {
        ++m_retransmissions;
        ++m_scan;
        SkipSacked();
        Recover();
    }
    else
    {
        ++m_highest;
    }
    return again;
}

uint64_t
IrnSender::GetInFlight() const
{
    return m_highest - m_acked;
}

void
IrnSender::SkipSacked()
{
    // The first unacknowledged packet is missing at the receiver, whatever its SACK bit says.
    if (m_scan > m_acked && m_scan < m_lostEnd)
    {
        m_scan = m_sacked.FindClear(m_scan);
    }
}

void
IrnSender::Lose(uint64_t end)
{
    m_lostEnd = std::max(m_lostEnd, end);
    SkipSacked();
}

void
IrnSender::Begin()
{
    m_scan = m_acked;
    Lose(m_acked + 1);
    if (m_phase == Phase::REGULAR)
    {
        m_phase = Phase::DUE;
    }
    if (m_rules == PAPER)
    {
        Recover();
    }
}

void
IrnSender::Recover()
{
    m_phase = Phase::RECOVERING;
    m_recoverySequence = m_highest - 1;
}

void
IrnSender::Acknowledged(uint64_t)
{
    m_sacked.Advance(m_acked);
    m_scan = std::max(m_scan, m_acked);
    if (m_phase == Phase::DUE || (IsRecovering() && m_acked > m_recoverySequence))
    {
        m_phase = Phase::REGULAR;
    }
    else if (IsRecovering() && (m_rules == PUBLISHED_LOGIC || m_selective == IrnSelective::NONE))
    {
        Lose(m_acked + 1);
    }
}

void
IrnSender::RestartTimer(int64_t expected, RdmaPs now)
{
    // After a timeout, the timer is stopped until the retransmission is sent.
    if (expected <= static_cast<int64_t>(m_highest) && !m_rnrWait &&
        m_timer.GetDeadline() != RdmaRetransmissionTimer::NEVER)
    {
        m_timer.Restart(now);
    }
}

RdmaSenderEvent
IrnSender::OnAck(int64_t packet, RdmaPs now)
{
    RdmaSenderEvent event;
    event.mayBegin = Advance(packet + 1, now);
    if (!event.mayBegin)
    {
        RestartTimer(packet + 1, now);
    }
    return event;
}

RdmaSenderEvent
IrnSender::OnNak(int64_t expected, int64_t selective, RdmaPs now)
{
    RdmaSenderEvent event;
    event.mayBegin = Advance(expected, now);
    if (m_highest == m_acked || expected > static_cast<int64_t>(m_highest))
    {
        return event; // nothing is outstanding, or the NACK names packets never sent
    }
    bool tellsOfHole = IsAwaited(expected);
    if (m_selective == IrnSelective::SACK && selective > static_cast<int64_t>(m_acked) &&
        selective < static_cast<int64_t>(m_highest))
    {
        const auto packet = static_cast<uint64_t>(selective);
        m_timer.PacketSacked(packet, now);
        tellsOfHole = tellsOfHole || !m_sacked.Test(packet);
        m_sacked.Set(packet);
        Lose(packet);
    }
    const bool begins = !event.mayBegin || m_rules == PAPER;
    if (!event.mayBegin)
    {
        RestartTimer(expected, now);
    }
    if (tellsOfHole && begins && m_phase == Phase::REGULAR)
    {
        Begin();
    }
    else if (tellsOfHole && IsAwaited(expected) && IsRecovering())
    {
        Lose(m_acked + 1);
    }
    event.mayBegin = event.mayBegin || tellsOfHole;
    return event;
}

void
IrnSender::HandleTimeout()
{
    Begin();
}

void
IrnSender::HandleReceiverNotReady()
{
    Begin();
    Recover();
    Lose(m_highest);
}

} // namespace ns3
