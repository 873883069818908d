/* SPDX-License-Identifier: GPL-2.0-only */

#include "irn-sender.h"

#include <ns3/assert.h>

#include <algorithm>

namespace ns3
{

IrnSender::IrnSender(const RdmaSenderConfig& config, IrnSelective selective)
    : RdmaReliableSender(config),
      m_selective(selective)
{
}

bool
IrnSender::HasLost() const
{
    return m_recovering && m_scan < m_lostEnd;
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
IrnSender::Sent([[maybe_unused]] uint64_t packets, int64_t nowPs)
{
    NS_ASSERT_MSG(packets == 1, "IRN numbers responses apart from requests");
    const bool again = HasLost();
    m_timer.PacketSent(GetNext(), again, nowPs);
    if (again)
    {
        ++m_retransmissions;
        ++m_scan;
        SkipSacked();
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
    // The packet that the receiver waits for has not arrived, whatever was said before.
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
    m_recovering = true;
    m_recoverySequence = m_highest - 1;
    m_scan = m_acked;
}

void
IrnSender::Acknowledged(uint64_t)
{
    m_sacked.Advance(m_acked);
    m_scan = std::max(m_scan, m_acked);
    if (!m_recovering)
    {
        return;
    }
    if (m_acked > m_recoverySequence)
    {
        m_recovering = HasLost();
        m_recoverySequence = m_highest - 1;
    }
    else if (m_selective == IrnSelective::NONE)
    {
        Lose(m_acked + 1);
    }
}

RdmaSenderEvent
IrnSender::OnNak(int64_t expected, int64_t selective, int64_t nowPs)
{
    RdmaSenderEvent event;
    event.mayBegin = Advance(expected, nowPs);
    if (m_highest == m_acked || expected > static_cast<int64_t>(m_highest))
    {
        return event; // nothing is outstanding, or it is about packets that were never sent
    }
    bool tellsOfHole = IsAwaited(expected);
    if (tellsOfHole)
    {
        Lose(m_acked + 1);
    }
    if (m_selective == IrnSelective::SACK && selective > static_cast<int64_t>(m_acked) &&
        selective < static_cast<int64_t>(m_highest))
    {
        const auto packet = static_cast<uint64_t>(selective);
        m_timer.PacketSacked(packet, nowPs);
        tellsOfHole = tellsOfHole || !m_sacked.Test(packet);
        m_sacked.Set(packet);
        Lose(packet);
    }
    if (tellsOfHole && !m_recovering)
    {
        Begin();
    }
    event.mayBegin = event.mayBegin || tellsOfHole;
    return event;
}

void
IrnSender::RanOut()
{
    Begin();
    Lose(m_acked + 1);
}

void
IrnSender::Refused()
{
    Begin();
    Lose(m_highest);
}

} // namespace ns3
