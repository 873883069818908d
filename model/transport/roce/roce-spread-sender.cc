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
    for (std::size_t i = 0; i < m_repeats.GetSize(); ++i)
    {
        if (first < m_repeats[i].end && m_repeats[i].first < end)
        {
            return; // the request repeats an earlier one; the peer asks for the rest again
        }
    }
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

bool
RoceSpreadSender::Reach(uint64_t end, RdmaPs now)
{
    m_probes = false;
    return Advance(static_cast<int64_t>(end), now);
}

bool
RoceSpreadSender::IsAwaited(int64_t expected) const
{
    return expected == static_cast<int64_t>(m_reached);
}

void
RoceSpreadSender::Acknowledged(uint64_t from)
{
    RdmaGoBackNSender::Acknowledged(from);
    m_ahead = 0;
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

void
RoceSpreadSender::GoBack()
{
    // The requests up to m_reached have arrived, also where responses to them are missing.
    m_next = std::max(m_acked, m_reached);
    m_repeats.Clear();
    m_ahead = 0;
}

RdmaSenderEvent
RoceSpreadSender::OnAck(int64_t packet, RdmaPs now)
{
    m_probes = false;
    RdmaSenderEvent event = RdmaGoBackNSender::OnAck(packet, now);
    // Acknowledgements overtake each other, and those of one instant differ in the packets that
    // wait.
    if (packet + 1 == static_cast<int64_t>(m_reached) && m_noted > m_ahead &&
        m_acked + m_noted < m_next)
    {
        m_ahead = m_noted;
        event.mayBegin = true;
    }
    return event;
}

RdmaSenderEvent
RoceSpreadSender::OnNak(int64_t expected, int64_t selective, RdmaPs now)
{
    m_probes = false;
    if (selective == NO_PACKET)
    {
        return RdmaGoBackNSender::OnNak(expected, selective, now);
    }
    RdmaSenderEvent event;
    event.mayBegin = Advance(expected, now);
    if (IsAwaited(expected) && m_next > m_reached && selective > expected)
    {
        Repeat(m_reached, static_cast<uint64_t>(selective));
        m_timer.Stop(); // Sent() restarts the timer with the retransmission
        event.mayBegin = true;
    }
    return event;
}

RdmaSenderEvent
RoceSpreadSender::OnGap(int64_t first, int64_t end)
{
    // Acknowledgements may have overtaken the report, and what it names may be void.
    m_probes = false;
    first = std::max(first, static_cast<int64_t>(m_reached));
    RdmaSenderEvent event;
    if (first < std::min(end, static_cast<int64_t>(m_next)))
    {
        Repeat(static_cast<uint64_t>(first), static_cast<uint64_t>(end));
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
        RdmaGoBackNSender::HandleTimeout();
        m_next = m_acked; // the READ whose responses are missing is repeated, too
        return;
    }
    m_repeats.Push(m_probes ? Range{m_acked, m_acked + 1}
                            : Range{std::max(m_last, m_acked), m_next});
    m_probes = !m_probes;
}

} // namespace ns3
