/* SPDX-License-Identifier: GPL-2.0-only */

#include "irn-spread-sender.h"

#include <ns3/assert.h>

#include <algorithm>
#include <utility>

namespace ns3
{

IrnSpreadSender::IrnSpreadSender(const RdmaSenderConfig& config)
    : RdmaSender(config),
      m_limits(config.gap)
{
}

bool
IrnSpreadSender::IsDelivered(uint64_t packet) const
{
    return packet < m_acked || m_sacked.Test(packet);
}

uint64_t
IrnSpreadSender::GetInFlight() const
{
    return m_highest - m_lost.GetSize() - m_acked - m_ahead;
}

bool
IrnSpreadSender::HasRoom() const
{
    return m_highest < m_end && m_highest - m_acked < RDMA_MAX_WINDOW - 1 &&
           GetInFlight() < m_window;
}

bool
IrnSpreadSender::CanSend() const
{
    return !m_rnrWait && (!m_lost.IsEmpty() || HasRoom());
}

uint64_t
IrnSpreadSender::GetNext() const
{
    return m_lost.IsEmpty() ? m_highest : m_lost.Front();
}

bool
IrnSpreadSender::Sent([[maybe_unused]] uint64_t packets, RdmaPs now)
{
    NS_ASSERT_MSG(packets == 1, "IRN numbers responses apart from requests");
    const bool again = !m_lost.IsEmpty();
    m_timer.PacketSent(GetNext(), again, now);
    if (again)
    {
        ++m_retransmissions;
        m_repeats.Push({m_lost.Pop(), m_highest});
    }
    else
    {
        ++m_highest;
    }
    return again;
}

void
IrnSpreadSender::DropDelivered()
{
    for (std::size_t left = m_lost.GetSize(); left > 0; --left)
    {
        const uint64_t packet = m_lost.Pop();
        if (!IsDelivered(packet))
        {
            m_lost.Push(uint64_t{packet});
        }
    }
}

void
IrnSpreadSender::Lose(uint64_t end)
{
    while (m_judged < end)
    {
        m_judged = std::min(m_sacked.FindClear(m_judged), end);
        if (m_judged < end)
        {
            m_lost.Push(uint64_t{m_judged++});
            m_tellsLoss = true;
        }
    }
}

void
IrnSpreadSender::FindEvidence(uint64_t end, RdmaPs now)
{
    for (std::size_t left = m_repeats.GetSize(); left > 0; --left)
    {
        const Repeat repeat = m_repeats.Pop();
        if (IsDelivered(repeat.packet))
        {
            end = std::max(end, repeat.after);
        }
        else
        {
            m_repeats.Push(Repeat(repeat));
        }
    }
    m_gaps.Complete(m_acked);
    if (end > m_acked)
    {
        m_gaps.Arrived(end, now);
    }
}

void
IrnSpreadSender::Judge(RdmaPs now)
{
    const uint64_t lostEnd = m_gaps.GetLostEnd(m_limits, now);
    while (!m_repeats.IsEmpty() && m_repeats.Front().after < lostEnd)
    {
        m_lost.Push(m_repeats.Pop().packet);
        m_tellsLoss = true;
    }
    Lose(std::min(lostEnd, m_highest));
    m_gapDeadline = m_gaps.GetDeadline(m_limits);
}

void
IrnSpreadSender::Measure(int64_t arrived, RdmaPs now)
{
    // The first packet without acknowledgement is the one that has been late for longest.
    if (arrived > static_cast<int64_t>(m_acked) && arrived <= static_cast<int64_t>(m_highest) &&
        m_judged <= m_acked && m_acked < m_gaps.GetEnd())
    {
        m_gaps.Overtaken(m_acked, now);
    }
}

void
IrnSpreadSender::Acknowledged(uint64_t)
{
    m_sacked.Advance(m_acked);
    // Only a cumulative acknowledgement ends the wait for the first packet, so that the timer runs
    // on if the acknowledgement is lost.
    m_sacked.Clear(m_acked);
    m_ahead = m_sacked.GetCount();
    m_judged = std::max(m_judged, m_acked);
    DropDelivered();
}

void
IrnSpreadSender::RestartTimer(RdmaPs now)
{
    // After a timeout, the timer is stopped until the retransmission is sent.
    if (!m_rnrWait && m_timer.GetDeadline() != RdmaRetransmissionTimer::NEVER)
    {
        m_timer.Restart(now);
    }
}

RdmaSenderEvent
IrnSpreadSender::OnAck(int64_t packet, RdmaPs now)
{
    RdmaSenderEvent event;
    Measure(packet + 1, now);
    event.mayBegin = Advance(packet + 1, now);
    if (packet + 1 > static_cast<int64_t>(m_highest))
    {
        return event; // names packets never sent
    }
    if (!event.mayBegin)
    {
        RestartTimer(now);
    }
    if (m_gapDeadline != RDMA_NEVER || !m_repeats.IsEmpty())
    {
        FindEvidence(0, now);
        Judge(now);
    }
    return event;
}

void
IrnSpreadSender::OnArrived(int64_t packet)
{
    if (packet > static_cast<int64_t>(m_acked) && packet < static_cast<int64_t>(m_highest))
    {
        m_sacked.Set(static_cast<uint64_t>(packet));
    }
}

RdmaSenderEvent
IrnSpreadSender::OnNak(int64_t expected, int64_t selective, RdmaPs now)
{
    RdmaSenderEvent event;
    if (expected > static_cast<int64_t>(m_highest))
    {
        return event; // names packets never sent
    }
    Measure(expected, now);
    event.mayBegin = Advance(expected, now);
    if (m_highest == m_acked)
    {
        return event;
    }
    if (!event.mayBegin)
    {
        RestartTimer(now);
    }
    uint64_t end = 0;
    if (selective > static_cast<int64_t>(m_acked) && selective < static_cast<int64_t>(m_highest))
    {
        const auto packet = static_cast<uint64_t>(selective);
        m_timer.PacketSacked(packet, now);
        if (packet >= m_judged && packet < m_gaps.GetEnd() && !m_sacked.Test(packet))
        {
            m_gaps.Overtaken(packet, now);
        }
        event.mayBegin = event.mayBegin || !m_sacked.Test(packet);
        m_sacked.Set(packet);
        m_ahead = m_sacked.GetCount();
        DropDelivered();
        end = packet + 1;
    }
    else if (selective <= expected && expected == static_cast<int64_t>(m_acked))
    {
        HandleTimeout(); // the peer asks for this packet: a probe, or the packet had a fault
    }
    FindEvidence(end, now);
    Judge(now);
    event.isOvertaking = !std::exchange(m_tellsLoss, false);
    event.mayBegin = event.mayBegin || !m_lost.IsEmpty();
    return event;
}

void
IrnSpreadSender::HandleGapDeadline(RdmaPs now)
{
    Judge(now);
}

void
IrnSpreadSender::HandleTimeout()
{
    // The retransmission of the first packet may itself be lost, so nothing tells of its loss.
    for (std::size_t left = m_repeats.GetSize(); left > 0; --left)
    {
        const Repeat repeat = m_repeats.Pop();
        if (repeat.packet != m_acked)
        {
            m_repeats.Push(Repeat(repeat));
        }
    }
    if (m_judged == m_acked)
    {
        ++m_judged;
    }
    else
    {
        m_lost.Remove(m_acked);
    }
    m_lost.Push(uint64_t{m_acked});
}

void
IrnSpreadSender::HandleReceiverNotReady()
{
    m_repeats.Clear();
    m_lost.Clear();
    m_judged = m_acked;
    Lose(m_highest);
    m_tellsLoss = false; // no packet is lost in the network
}

} // namespace ns3
