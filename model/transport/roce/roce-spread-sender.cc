/* SPDX-License-Identifier: GPL-2.0-only */

#include "roce-spread-sender.h"

#include <algorithm>

namespace ns3
{

RoceSpreadSender::RoceSpreadSender(const RdmaSenderConfig& config)
    : RdmaGoBackNSender(config)
{
}

bool
RoceSpreadSender::CanSend() const
{
    return (!m_repeats.IsEmpty() && !m_rnrWait) || RdmaGoBackNSender::CanSend();
}

uint64_t
RoceSpreadSender::GetNext() const
{
    return m_repeats.IsEmpty() ? m_next : m_repeats.Front().first;
}

uint64_t
RoceSpreadSender::GetFlightEnd() const
{
    // The window never holds back a packet that is sent again.
    return m_repeats.IsEmpty() ? std::max(m_next, m_acked + m_ahead) : m_acked + m_ahead;
}

uint64_t
RoceSpreadSender::GetRepeatEnd() const
{
    return m_repeats.IsEmpty() ? RdmaGoBackNSender::GetRepeatEnd() : m_repeats.Front().end;
}

bool
RoceSpreadSender::Sent(uint64_t packets, RdmaPs now)
{
    if (m_repeats.IsEmpty())
    {
        m_last = m_next;
        return RdmaGoBackNSender::Sent(packets, now);
    }
    Range& range = m_repeats.Front();
    m_timer.PacketSent(range.first, true, now);
    ++m_retransmissions;
    range.first += packets;
    if (range.first >= range.end)
    {
        m_repeats.DropFront();
    }
    return true;
}

void
RoceSpreadSender::Repeat(uint64_t first, uint64_t end)
{
    // Packets from m_next on are sent anyway.
    end = std::min(end, m_next);
    if (first < end)
    {
        m_repeats.Push({first, end});
    }
}

bool
RoceSpreadSender::Advance(int64_t arrived, RdmaPs now)
{
    if (arrived > static_cast<int64_t>(m_highest) || arrived <= static_cast<int64_t>(m_reached))
    {
        return false;
    }
    m_reached = static_cast<uint64_t>(arrived);
    return SetHold(m_hold, now);
}

bool
RoceSpreadSender::SetHold(uint64_t hold, RdmaPs now)
{
    m_hold = hold;
    return RdmaGoBackNSender::Advance(static_cast<int64_t>(std::min(m_reached, hold)), now);
}

void
RoceSpreadSender::Acknowledged(uint64_t from)
{
    RdmaGoBackNSender::Acknowledged(from);
    // The packet that closed the gap is one of those acknowledged, and was never counted ahead.
    m_ahead -= static_cast<uint32_t>(std::min<uint64_t>(m_ahead, m_acked - from - 1));
    m_ahead = static_cast<uint32_t>(std::min<uint64_t>(m_ahead, m_highest - m_acked));
    for (std::size_t left = m_repeats.GetSize(); left > 0; --left)
    {
        Range range = m_repeats.Pop();
        range.first = std::max(range.first, m_acked);
        if (range.first < range.end)
        {
            m_repeats.Push(Range(range));
        }
    }
}

RdmaSenderEvent
RoceSpreadSender::OnAck(int64_t packet, RdmaPs now)
{
    m_probes = false;
    const uint64_t reached = m_reached;
    const RdmaSenderEvent event = RdmaGoBackNSender::OnAck(packet, now);
    if (m_reached == reached && packet < static_cast<int64_t>(m_highest) &&
        m_acked + m_ahead + 1 < m_next)
    {
        ++m_ahead;
        RdmaSenderEvent ahead = event;
        ahead.mayBegin = true;
        return ahead;
    }
    return event;
}

RdmaSenderEvent
RoceSpreadSender::OnNak(int64_t expected, int64_t selective, RdmaPs now)
{
    m_probes = false;
    if (selective == NO_PACKET)
    {
        m_repeats.Clear();
        m_ahead = 0;
        return RdmaGoBackNSender::OnNak(expected, selective, now);
    }
    RdmaSenderEvent event;
    event.mayBegin = Advance(expected, now);
    if (expected == static_cast<int64_t>(m_reached) && m_next > m_reached && selective > expected)
    {
        Repeat(m_reached, static_cast<uint64_t>(selective));
        m_timer.Stop(); // Sent() restarts the timer with the retransmission
        event.mayBegin = true;
    }
    return event;
}

void
RoceSpreadSender::HandleTimeout()
{
    m_repeats.Clear();
    if (m_next < m_highest || (m_probes && m_hold != NO_HOLD))
    {
        // The peer keeps no packets out of order, or a READ is outstanding and the peer is silent.
        m_probes = false;
        m_ahead = 0;
        RdmaGoBackNSender::HandleTimeout();
        return;
    }
    m_repeats.Push(m_probes ? Range{m_acked, m_acked + 1}
                            : Range{std::max(m_last, m_acked), m_next});
    m_probes = !m_probes;
}

void
RoceSpreadSender::HandleReceiverNotReady()
{
    m_repeats.Clear();
    m_ahead = 0;
    RdmaGoBackNSender::HandleReceiverNotReady();
}

} // namespace ns3
