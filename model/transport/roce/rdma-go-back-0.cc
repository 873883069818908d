/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-go-back-0.h"

#include "rdma-refuse.h"

#include <algorithm>

namespace ns3
{

RdmaGoBack0Sender::RdmaGoBack0Sender(const RdmaSenderConfig& config)
    : RdmaGoBackNSender(config)
{
}

void
RdmaGoBack0Sender::Extend(uint64_t packets)
{
    RefuseRdmaIf(packets >= RDMA_MAX_WINDOW,
                 "go-back-0: a message of ",
                 packets,
                 " packets; accepted: up to ",
                 RDMA_MAX_WINDOW - 1);
    RdmaGoBackNSender::Extend(packets);
    m_ends.Push(uint64_t{m_end});
}

bool
RdmaGoBack0Sender::CanSend() const
{
    return RdmaGoBackNSender::CanSend() && m_next - m_acked < RDMA_MAX_WINDOW - 1;
}

uint64_t
RdmaGoBack0Sender::GetArrived() const
{
    return m_arrived;
}

uint64_t
RdmaGoBack0Sender::GetInFlight() const
{
    return m_next - m_arrived;
}

bool
RdmaGoBack0Sender::Advance(int64_t arrived, RdmaPs now)
{
    if (arrived <= static_cast<int64_t>(m_acked) || arrived > static_cast<int64_t>(m_highest))
    {
        return false;
    }
    const auto packets = static_cast<uint64_t>(arrived);
    uint64_t whole = m_acked;
    while (!m_ends.IsEmpty() && m_ends.Front() <= packets)
    {
        whole = m_ends.Pop();
    }
    m_arrived = std::max(m_arrived, whole);
    const bool advanced = RdmaGoBackNSender::Advance(static_cast<int64_t>(whole), now);
    // Acknowledgements of packets sent before going back say nothing about the retransmission.
    const bool lives = packets > m_arrived && packets <= m_next;
    if (lives)
    {
        m_arrived = packets;
        RecordProgress(packets, now);
    }
    return advanced || lives;
}

bool
RdmaGoBack0Sender::IsAwaited(int64_t expected) const
{
    // Any packet of the current message; Advance() has handled whole messages.
    const bool within =
        expected > static_cast<int64_t>(m_acked) && expected < static_cast<int64_t>(m_highest);
    return within || RdmaGoBackNSender::IsAwaited(expected);
}

void
RdmaGoBack0Sender::GoBack()
{
    RdmaGoBackNSender::GoBack();
    m_arrived = m_acked;
}

RdmaReceiverVerdict
RdmaGoBack0Receiver::Check(int64_t packet)
{
    if (packet < static_cast<int64_t>(m_first))
    {
        return RdmaReceiverVerdict::DUPLICATE;
    }
    if (packet == static_cast<int64_t>(m_first))
    {
        return m_next > m_first ? RdmaReceiverVerdict::RESTART : RdmaReceiverVerdict::ACCEPT;
    }
    if (m_broken)
    {
        return RdmaReceiverVerdict::IGNORE;
    }
    if (packet == static_cast<int64_t>(m_next))
    {
        return RdmaReceiverVerdict::ACCEPT;
    }
    if (packet < static_cast<int64_t>(m_next))
    {
        return RdmaReceiverVerdict::DUPLICATE;
    }
    m_broken = true;
    return RdmaReceiverVerdict::GAP;
}

void
RdmaGoBack0Receiver::Accept(uint64_t packet, uint64_t packets, bool endsMessage)
{
    m_next = packet + packets;
    m_broken = false;
    if (endsMessage)
    {
        m_first = m_next;
    }
}

void
RdmaGoBack0Receiver::Refuse()
{
    m_broken = true;
}

void
RdmaGoBack0Receiver::Resume(uint64_t packet)
{
    m_first = packet;
    m_next = packet;
}

uint64_t
RdmaGoBack0Receiver::GetExpected() const
{
    return m_broken ? m_first : m_next;
}

uint64_t
RdmaGoBack0Receiver::GetMissing() const
{
    return m_first;
}

} // namespace ns3
