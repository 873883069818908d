/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-requester.h"

#include "qbb-wire.h"
#include "rdma-aeth.h"
#include "rdma-psn.h"
#include "rdma-response.h"

#include <ns3/abort.h>

#include <algorithm>

namespace ns3
{

RdmaRequester::RdmaRequester(RdmaEndpoint& endpoint)
    : m_endpoint(endpoint)
{
}

RdmaRequester::~RdmaRequester() = default;

void
RdmaRequester::Reset()
{
    m_sender.reset();
    m_sends.Clear();
    m_released = 0;
    m_cursor = 0;
    m_posted = 0;
    m_postedOnLine = 0;
    m_sentOnLine = 0;
    m_askedEnd = 0;
    m_end = NO_END;
    RdmaRequester::End(); // without the overrides: derived classes reset their own members
}

void
RdmaRequester::MakeSender()
{
    m_sender = m_endpoint.connection.transport->MakeSender(m_endpoint.connection.GetLimits());
}

void
RdmaRequester::Post(const RdmaSendRequest& request, RdmaPs now)
{
    GetSender();
    if (m_endpoint.connection.passive)
    {
        m_endpoint.BecomeActive();
    }
    RdmaSendEntry entry;
    entry.request = request;
    if (IsRdmaRead(request.opcode) && request.opcode != RdmaWrOpcode::RDMA_READ)
    {
        entry.request.length = RDMA_ATOMIC_BYTES;
    }
    entry.firstPacket = m_posted;
    entry.firstOnLine = m_postedOnLine;
    AssignNumbers(entry, GetRdmaPackets(entry.request.length, m_endpoint.connection.pathMtu));
    m_posted += entry.packets;
    m_postedOnLine = entry.CountOnLine(entry.GetEnd());
    if (m_endpoint.connection.pipeline)
    {
        m_endpoint.connection.pipeline->Post(now);
    }
    m_sends.Push(std::move(entry));
    m_firstEnd = m_sends.Front().GetEnd();
    Release(now);
}

void
RdmaRequester::Flush(const RdmaSendRequest& request, RdmaPs now)
{
    RdmaSendEntry entry;
    entry.request = request;
    Complete(entry, RdmaWcStatus::WR_FLUSH_ERR, now);
}

void
RdmaRequester::Release(RdmaPs now)
{
    RdmaSendPipeline* const pipeline = m_endpoint.connection.pipeline.get();
    while (m_released < m_sends.GetSize() && m_endpoint.connection.state == RdmaQpState::RTS)
    {
        const RdmaSendEntry& entry = m_sends[m_released];
        if ((pipeline && !pipeline->MayStart(now)) ||
            (entry.request.fence && m_outstandingReads > 0))
        {
            break;
        }
        if (entry.responses > 0)
        {
            if (m_outstandingReads >= m_endpoint.connection.maxRdAtomic || !MayStartRead(entry))
            {
                break;
            }
            StartRead(now);
        }
        if (pipeline)
        {
            pipeline->Start();
        }
        m_sender->Extend(entry.packets);
        ++m_released;
    }
    if (CanSend())
    {
        m_endpoint.Activate();
    }
}

void
RdmaRequester::RenewSender()
{
    if (!m_sender)
    {
        return;
    }
    NS_ABORT_MSG_IF(m_sender->GetHighestSent() > 0,
                    "rdma: the timeouts of queue pair "
                        << m_endpoint.connection.qpn
                        << " change, and it has sent packets; accepted: before the first packet");
    MakeSender();
    for (uint32_t i = 0; i < m_released; ++i)
    {
        m_sender->Extend(m_sends[i].packets);
    }
}

uint64_t
RdmaRequester::GetBegunEnd() const
{
    const uint64_t sent = m_sender ? m_sender->GetHighestSent() : 0;
    for (std::size_t i = 0; i < m_sends.GetSize(); ++i)
    {
        const RdmaSendEntry& entry = m_sends[i];
        if (entry.firstPacket < sent && sent < entry.GetEnd())
        {
            return entry.GetEnd();
        }
    }
    return sent; // no message has been sent in part
}

void
RdmaRequester::SetDraining(bool drains)
{
    m_end = drains ? GetBegunEnd() : NO_END;
}

const RdmaSendEntry&
RdmaRequester::FindEntry(uint64_t packet)
{
    // Packets are sent in order; retransmissions begin near the oldest entry.
    if (m_cursor >= m_sends.GetSize() || packet < m_sends[m_cursor].firstPacket)
    {
        m_cursor = 0;
    }
    while (packet >= m_sends[m_cursor].GetEnd())
    {
        ++m_cursor;
    }
    return m_sends[m_cursor];
}

uint64_t
RdmaRequester::CountOnLine(uint64_t packet) const
{
    std::size_t i =
        m_cursor < m_sends.GetSize() && packet >= m_sends[m_cursor].firstPacket ? m_cursor : 0;
    while (i < m_sends.GetSize() && packet >= m_sends[i].GetEnd())
    {
        ++i;
    }
    // In state ERR, unsent requests may be gone from the send queue.
    return std::min(i < m_sends.GetSize() ? m_sends[i].CountOnLine(packet) : m_postedOnLine,
                    m_sentOnLine);
}

void
RdmaRequester::RequestAck(QbbFrame& frame, uint64_t packet, uint64_t end)
{
    // The window that this packet fills opens with an acknowledgement only.
    frame.ackReq = frame.ackReq || !m_endpoint.connection.reaction->HasRoom();
    if (frame.ackReq)
    {
        m_askedEnd = end;
    }
    else if (m_askedEnd > packet)
    {
        m_askedEnd = 0; // the packet that asked is in flight no more: the sender has gone back
    }
}

void
RdmaRequester::FillNext(QbbFrame& frame, RdmaPs now)
{
    const uint64_t packet = m_sender->GetNext();
    const RdmaSendEntry& entry = FindEntry(packet);
    const uint64_t index = packet - entry.firstPacket;
    uint64_t packets = 1;
    frame.psn = RdmaToPsn(m_endpoint.connection.initialPsn, packet);
    if (entry.responses > 0)
    {
        entry.FillRead(frame, index, m_endpoint.connection.pathMtu);
        packets = entry.packets - index;
        LimitRead(frame, packet, packets);
    }
    else
    {
        entry.FillWrite(frame,
                        index,
                        m_endpoint.connection.pathMtu,
                        m_endpoint.connection.ackInterval);
    }
    FinishPacket(frame, entry, index);
    RdmaReactionPoint* const reaction = m_endpoint.connection.reaction.get();
    if (reaction)
    {
        reaction->AddTelemetryRoom(frame);
    }
    frame.size = QbbWire::RoceFrameBytes(GetRdmaOpcodeInfo(frame.opcode),
                                         frame.payload,
                                         frame.tagged,
                                         GetRdmaTrailerBytes(frame));
    const bool again = m_sender->Sent(packets, now);
    m_sentOnLine += again ? 0 : 1;
    if (m_endpoint.connection.pipeline && !again && packet + packets == entry.GetEnd())
    {
        m_endpoint.connection.pipeline->Leave(frame.size, now);
    }
    if (reaction)
    {
        reaction->RequestSent(packet, again, frame, now);
        if (m_endpoint.connection.ackInterval > 1)
        {
            RequestAck(frame, packet, packet + packets);
        }
    }
    ++m_endpoint.connection.counters.packetsSent;
    SyncTimer();
}

void
RdmaRequester::LimitRead(QbbFrame& frame, uint64_t packet, uint64_t& packets) const
{
    const uint64_t left = m_sender->GetRepeatEnd() - packet;
    if (left < packets)
    {
        packets = left;
        frame.dmaLength = static_cast<uint32_t>(packets * m_endpoint.connection.pathMtu);
    }
}

void
RdmaRequester::ReceiveAcknowledgement(const QbbFrame& frame, RdmaPs now)
{
    const uint64_t acked = GetSender().GetArrived();
    const uint64_t before = acked + m_sender->GetAhead();
    const int64_t packet = RdmaFromPsn(m_endpoint.connection.initialPsn, frame.psn, acked);
    const uint8_t value = frame.syndrome & RdmaAeth::VALUE_MASK;
    const uint8_t kind = frame.syndrome & RdmaAeth::KIND_MASK;
    const bool isAck = kind == RdmaAeth::ACK;
    ++(isAck ? m_endpoint.connection.counters.acksReceived
             : m_endpoint.connection.counters.naksReceived);
    const bool error = kind == RdmaAeth::NAK && value != RdmaAeth::PSN_SEQUENCE_ERROR;
    if (!error && FindsLostResponses(packet + (isAck ? 1 : 0), now))
    {
        return;
    }
    switch (kind)
    {
    case RdmaAeth::ACK: {
        const RdmaSenderEvent event = m_sender->OnAck(packet, now);
        if (RdmaReactionPoint* const reaction = m_endpoint.connection.reaction.get();
            reaction && reaction->GetPacer().UsesAcks())
        {
            const int64_t cause = GetCause(frame, packet, acked);
            const uint64_t after = m_sender->GetArrived() + m_sender->GetAhead();
            reaction->RequestsAcked({frame, cause, before, after}, now);
        }
        Handle(event, now);
        break;
    }
    case RdmaAeth::RNR_NAK:
        Handle(m_sender->OnRnrNak(packet, RdmaAeth::RnrTimer(value), now), now);
        break;
    case RdmaAeth::NAK:
        ReceiveNak(frame, value, packet, now);
        break;
    default:
        m_endpoint.Drop(frame, QbbDropReason::UNEXPECTED);
        break;
    }
}

void
RdmaRequester::ReceiveNak(const QbbFrame& frame, uint8_t code, int64_t packet, RdmaPs now)
{
    if (code == RdmaAeth::PSN_SEQUENCE_ERROR)
    {
        const uint64_t acked = m_sender->GetAcked();
        const uint64_t before = acked + m_sender->GetAhead();
        const int64_t selective = GetSelective(frame);
        for (uint32_t bit = 0; frame.offset >> bit != 0; ++bit)
        {
            if (frame.offset >> bit & 1)
            {
                m_sender->OnArrived(selective - 1 - bit);
            }
        }
        const RdmaSenderEvent event = m_sender->OnNak(packet, selective, now);
        if (m_endpoint.connection.reaction)
        {
            const int64_t cause = GetCause(frame, packet - 1, acked);
            // Going back forgets the packets beyond the gap.
            const uint64_t after = std::max(before, m_sender->GetAcked() + m_sender->GetAhead());
            m_endpoint.connection.reaction->RequestsAcked(
                {frame, cause, before, after, !event.isOvertaking},
                now);
        }
        Handle(event, now);
        return;
    }
    if (packet < static_cast<int64_t>(m_sender->GetAcked()) ||
        packet >= static_cast<int64_t>(m_sender->GetHighestSent()))
    {
        return; // already acknowledged, or never sent
    }
    RdmaWcStatus status = RdmaWcStatus::REM_INV_REQ_ERR;
    if (code == RdmaAeth::REMOTE_ACCESS_ERROR)
    {
        status = RdmaWcStatus::REM_ACCESS_ERR;
    }
    else if (code != RdmaAeth::INVALID_REQUEST)
    {
        status = RdmaWcStatus::REM_OP_ERR;
    }
    if (AwaitsResponse())
    {
        FailRefused(status, static_cast<uint64_t>(packet));
    }
    else
    {
        FailInOrder(status, static_cast<uint64_t>(packet), now);
    }
}

void
RdmaRequester::FailInOrder(RdmaWcStatus status, uint64_t packet, RdmaPs now)
{
    m_sender->OnAck(static_cast<int64_t>(packet) - 1, now);
    CompleteAcknowledged(now);
    FailRefused(status, packet);
}

void
RdmaRequester::FailRefused(RdmaWcStatus status, uint64_t packet)
{
    // A completion callback may have reset the queue pair.
    if (!m_sends.IsEmpty() && !DeferFailure(packet, status))
    {
        m_endpoint.Fail(status, packet);
    }
}

void
RdmaRequester::OnTimer(RdmaPs now)
{
    RdmaConnection& connection = m_endpoint.connection;
    if (connection.sendDeadline <= now)
    {
        connection.sendDeadline = RdmaSender::NO_DEADLINE;
        OnSendTimer(now);
    }
    if (connection.readDeadline <= now)
    {
        connection.readDeadline = RdmaSender::NO_DEADLINE;
        OnReadTimer(now);
    }
}

void
RdmaRequester::OnSendTimer(RdmaPs now)
{
    const RdmaQpState state = m_endpoint.connection.state;
    const bool sending = state == RdmaQpState::RTS || state == RdmaQpState::SQD;
    if (!sending || m_sender->GetAcked() >= m_end)
    {
        return;
    }
    const RdmaSenderEvent event = m_sender->OnTimeout(now);
    if (event.failed)
    {
        // The peer is silent: it leaves the oldest request that is not complete without an answer.
        m_endpoint.Fail(event.status, m_sends.Front().firstPacket);
        return;
    }
    if (event.timedOut)
    {
        m_endpoint.TimedOut(now);
    }
    if (m_endpoint.connection.reaction && event.timedOut)
    {
        m_endpoint.connection.reaction->TimedOut(now);
    }
    m_endpoint.SampleChanged();
    SyncTimer();
    SendTimerExpired();
    if (event.mayBegin && CanSend())
    {
        m_endpoint.Activate();
    }
}

void
RdmaRequester::Handle(const RdmaSenderEvent& event, RdmaPs now)
{
    if (m_endpoint.connection.reaction)
    {
        m_endpoint.connection.reaction->GetPacer().GetRequestTimes().OnAcked(
            m_sender->GetArrived());
    }
    m_endpoint.SampleChanged();
    CompleteAcknowledged(now);
    if (!m_sender)
    {
        return; // whoever heard of a completion has reset the queue pair
    }
    if (event.failed)
    {
        FailRefused(event.status, m_sender->GetAcked());
        return;
    }
    SyncTimer();
    if ((event.mayBegin || m_endpoint.connection.reaction) && CanSend())
    {
        m_endpoint.MakeReady();
    }
    if (m_released < m_sends.GetSize())
    {
        Release(now); // RoCE: a READ may have waited for free PSNs
    }
}

void
RdmaRequester::SyncTimer()
{
    m_endpoint.connection.sendDeadline =
        m_sender ? m_sender->GetDeadline() : RdmaSender::NO_DEADLINE;
}

void
RdmaRequester::CompleteAcknowledged(RdmaPs now)
{
    while (!m_sends.IsEmpty() && m_released > 0 && m_firstEnd <= m_sender->GetAcked() &&
           IsAnswered(m_sends.Front()))
    {
        const RdmaSendEntry entry = m_sends.Pop();
        m_firstEnd = m_sends.IsEmpty() ? 0 : m_sends.Front().GetEnd();
        m_cursor -= m_cursor > 0;
        --m_released;
        OldestRequestCompleted();
        Complete(entry, RdmaWcStatus::SUCCESS, now);
    }
}

void
RdmaRequester::Complete(const RdmaSendEntry& entry, RdmaWcStatus status, RdmaPs now)
{
    RdmaWorkCompletion completion = entry.MakeCompletion(status);
    completion.qpn = m_endpoint.connection.qpn;
    completion.time = now;
    m_endpoint.CompleteSend(completion, entry.request.signaled || status != RdmaWcStatus::SUCCESS);
}

void
RdmaRequester::End()
{
    m_outstandingReads = 0;
    m_endpoint.connection.probeReady = false;
    m_endpoint.connection.sendDeadline = RdmaSender::NO_DEADLINE;
    m_endpoint.connection.readDeadline = RdmaSender::NO_DEADLINE;
}

void
RdmaRequester::FlushAll(RdmaWcStatus status, uint64_t packet, RdmaPs now)
{
    m_released = 0;
    // A completion callback may reset and reuse the queue pair.
    while (!m_sends.IsEmpty() && m_endpoint.connection.state == RdmaQpState::ERR)
    {
        const RdmaSendEntry entry = m_sends.Pop();
        m_firstEnd = m_sends.IsEmpty() ? 0 : m_sends.Front().GetEnd();
        Complete(entry, entry.Has(packet) ? status : RdmaWcStatus::WR_FLUSH_ERR, now);
    }
}

RdmaSendEntry*
RdmaRequester::FindRead(std::size_t oldest, uint64_t response)
{
    uint32_t left = m_outstandingReads;
    for (std::size_t i = oldest; left > 0 && i < m_released; ++i)
    {
        RdmaSendEntry& entry = m_sends[i];
        if (entry.responses > 0)
        {
            if (response >= entry.firstResponse && response < entry.GetResponsesEnd())
            {
                return &entry;
            }
            --left;
        }
    }
    return nullptr;
}

bool
RdmaRequester::IsAnswer(const RdmaSendEntry& entry, uint64_t response, const QbbFrame& frame) const
{
    const uint64_t index = response - entry.firstResponse;
    const auto opcode = static_cast<RdmaOpcode>(frame.opcode & RDMA_OPERATION_MASK);
    if (entry.request.opcode != RdmaWrOpcode::RDMA_READ)
    {
        return opcode == RdmaOpcode::ATOMIC_ACKNOWLEDGE;
    }
    const uint32_t mtu = m_endpoint.connection.pathMtu;
    const bool last = index + 1 == entry.responses;
    return opcode != RdmaOpcode::ATOMIC_ACKNOWLEDGE &&
           frame.payload == (last ? entry.request.length - index * mtu : mtu);
}

void
RdmaRequester::AddTo(RdmaQueuePairStats& stats) const
{
    if (m_sender)
    {
        stats.packetsRetransmitted += m_sender->GetRetransmissions();
        stats.timeouts += m_sender->GetTimeouts();
    }
}

} // namespace ns3
