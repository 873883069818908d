/* SPDX-License-Identifier: GPL-2.0-only */

#include "irn-responder.h"

#include "qbb-wire.h"
#include "rdma-aeth.h"
#include "rdma-psn.h"

#include <algorithm>

namespace ns3
{

namespace
{

/** \param frame last packet of a request \param packet packet number \return the request */
RdmaArrivedRequest
MakeArrivedRequest(const QbbFrame& frame, uint64_t packet)
{
    const RdmaOpcodeInfo& info = GetRdmaOpcodeInfo(frame.opcode);
    RdmaArrivedRequest request;
    request.packet = packet;
    request.opcode = frame.opcode & RDMA_OPERATION_MASK;
    request.bytes = info.reth ? frame.dmaLength : uint64_t{frame.offset} + frame.payload;
    request.address = frame.virtualAddress;
    request.compare = frame.compare;
    request.swapOrAdd = frame.swapOrAdd;
    request.immediate = frame.immediate;
    request.solicited = frame.solicited;
    request.wqeSn = frame.wqeSn;
    return request;
}

} // namespace

void
IrnResponder::Reset()
{
    RdmaResponder::Reset();
    m_answers.reset();
    m_kept.reset();
}

void
IrnResponder::End()
{
    m_kept.reset();
    m_deadline = RdmaSender::NO_DEADLINE;
    m_ready = false;
    if (m_answers)
    {
        m_answers->stream.Clear();
    }
}

RdmaStreamState
IrnResponder::GetStream() const
{
    if (!m_answers)
    {
        return {};
    }
    const RdmaSender& sender = m_answers->stream.GetSender();
    return {sender.GetAcked(), sender.GetNext(), sender.GetHighestSent()};
}

void
IrnResponder::AddTo(RdmaQueuePairStats& stats) const
{
    RdmaResponder::AddTo(stats);
    if (m_answers)
    {
        const RdmaSender& sender = m_answers->stream.GetSender();
        stats.responsesRetransmitted += sender.GetRetransmissions();
        stats.timeouts += sender.GetTimeouts();
    }
}

void
IrnResponder::Receive(const QbbFrame& frame, const RdmaOpcodeInfo& info, QbbPs now)
{
    if (!Understands(frame, info))
    {
        m_endpoint.Drop(frame, QbbDropReason::UNEXPECTED);
    }
    else if (frame.opcode == static_cast<uint8_t>(RdmaOpcode::IRN_READ_ACKNOWLEDGE))
    {
        ReceiveAcknowledgement(frame, now);
    }
    else
    {
        ReceiveRequest(frame, info, now);
    }
}

void
IrnResponder::ReceiveRequest(const QbbFrame& frame, const RdmaOpcodeInfo& info, QbbPs now)
{
    const int64_t packet =
        RdmaFromPsn(GetConnection().remotePsn, frame.psn, m_receiver->GetExpected());
    const auto number = static_cast<uint64_t>(packet);
    if (m_answers && m_answers->fault != Fault::NONE)
    {
        if (packet <= static_cast<int64_t>(m_answers->refused))
        {
            // The NAK was lost: repeat it. The NAK acknowledges the packets before the refused one.
            Refuse(m_answers->fault, m_answers->refused, now);
        }
        return;
    }
    switch (m_receiver->Check(packet))
    {
    case RdmaReceiverVerdict::RESTART:
        Restart();
        [[fallthrough]];
    case RdmaReceiverVerdict::ACCEPT: {
        const Fault fault = Judge(frame, info);
        if (fault != Fault::NONE)
        {
            Refuse(fault, number, now);
            return;
        }
        ++GetConnection().counters.packetsAccepted;
        m_receiver->Accept(number, 1, info.last);
        Take(frame, info, number, now);
        const bool performed = PerformKept(m_receiver->GetExpected(), now);
        if (performed && GetConnection().state != RdmaQpState::RESET)
        {
            Acknowledge(packet, frame);
        }
        break;
    }
    case RdmaReceiverVerdict::EARLY:
        ++GetConnection().counters.outOfOrder;
        // An early packet with a fault that JudgeEarly() finds is dropped silently: the peer
        // retransmits the packet, and the NAK is sent when the packet is the next in order.
        if (JudgeEarly(frame, info) == Fault::NONE)
        {
            ++GetConnection().counters.packetsAccepted;
            m_receiver->Accept(number, 1, info.last);
            Keep(frame, info, number);
            TellGap(packet, frame);
        }
        break;
    case RdmaReceiverVerdict::GAP:
        ++GetConnection().counters.outOfOrder;
        TellGap(packet, frame);
        break;
    case RdmaReceiverVerdict::DUPLICATE:
        ++GetConnection().counters.duplicates;
        if (packet >= static_cast<int64_t>(m_receiver->GetExpected()))
        {
            TellGap(packet, frame); // already buffered; its NACK may be lost
        }
        else
        {
            Acknowledge(packet, frame);
        }
        break;
    case RdmaReceiverVerdict::IGNORE:
        ++GetConnection().counters.outOfOrder;
        break;
    }
}

RdmaResponder::Fault
IrnResponder::Judge(const QbbFrame& frame, const RdmaOpcodeInfo& info)
{
    const RdmaOpcode operation = GetOperation(frame.opcode);
    const bool isSend = IsSend(operation);
    const uint32_t mtu = GetConnection().pathMtu;
    if (operation == RdmaOpcode::RDMA_READ_REQUEST || info.atomicEth)
    {
        return CountUnanswered() < GetConnection().maxDestRdAtomic ? JudgeRead(frame)
                                                                   : Fault::INVALID;
    }
    if (info.ieth || (!info.last && frame.payload != mtu) || frame.payload > mtu)
    {
        return Fault::INVALID;
    }
    if (!isSend)
    {
        if (frame.dmaLength > RDMA_MAX_MESSAGE_BYTES || frame.payload > frame.dmaLength)
        {
            return Fault::INVALID;
        }
        RdmaMemoryAccess access;
        access.remoteWrite = true;
        if (!m_endpoint.GetMemory().Allows(frame.rKey, frame.virtualAddress, frame.payload, access))
        {
            return Fault::NO_ACCESS;
        }
    }
    if (isSend || info.immDt)
    {
        // Receive requests are numbered in the order in which they are posted and used.
        const uint32_t place = (frame.wqeSn - m_receiveSn) & QbbWire::MASK24;
        if (place >= RDMA_MAX_WINDOW)
        {
            return Fault::INVALID;
        }
        if (!HasReceives(place + 1))
        {
            return Fault::NOT_READY;
        }
        if (isSend && uint64_t{frame.offset} + frame.payload > m_receives[place].length)
        {
            return Fault::TOO_LONG;
        }
    }
    return Fault::NONE;
}

void
IrnResponder::Take(const QbbFrame& frame, const RdmaOpcodeInfo& info, uint64_t packet, QbbPs now)
{
    if (info.last)
    {
        Perform(MakeArrivedRequest(frame, packet), now);
    }
}

void
IrnResponder::Keep(const QbbFrame& frame, const RdmaOpcodeInfo& info, uint64_t packet)
{
    if (!info.last)
    {
        return;
    }
    if (!m_kept)
    {
        m_kept = std::make_unique<RdmaPacketHeap<RdmaArrivedRequest>>();
    }
    m_kept->Push(MakeArrivedRequest(frame, packet));
}

bool
IrnResponder::PerformKept(uint64_t end, QbbPs now)
{
    while (m_kept && m_kept->HasBefore(end))
    {
        Perform(m_kept->Pop(), now);
    }
    return true;
}

void
IrnResponder::SendAeth(uint8_t syndrome, uint64_t packet, int64_t selective, const QbbFrame* cause)
{
    const bool isAck = (syndrome & RdmaAeth::KIND_MASK) == RdmaAeth::ACK;
    ++(isAck ? GetConnection().counters.acksSent : GetConnection().counters.naksSent);
    m_endpoint.SendIrnAeth(RdmaOpcode::IRN_ACKNOWLEDGE, syndrome, packet, selective, cause);
}

void
IrnResponder::Refused(Fault fault, uint64_t packet, QbbPs now)
{
    if (m_answers && !m_answers->stream.IsEmpty())
    {
        // The NAK overtakes responses, which may need retransmission before the QP fails.
        m_answers->fault = fault;
        m_answers->refused = packet;
        return;
    }
    Fail(fault, now);
}

void
IrnResponder::Answer(RdmaResponse response)
{
    if (!m_answers)
    {
        m_answers = std::make_unique<Answers>(
            GetConnection().transport->MakeSender(GetConnection().GetLimits()));
        m_windowed = true;
    }
    response.due = m_endpoint.GetAnswerTime();
    m_answers->stream.Push(response);
    Sync();
}

void
IrnResponder::Sync()
{
    if (m_answers)
    {
        const RdmaSender& sender = m_answers->stream.GetSender();
        m_ready = sender.CanSend();
        m_deadline = GetConnection().state == RdmaQpState::ERR
                         ? RdmaSender::NO_DEADLINE
                         : std::min(sender.GetDeadline(), m_answers->stream.GetDue());
    }
}

uint32_t
IrnResponder::CountUnanswered() const
{
    return m_answers ? m_answers->stream.CountUnsent() : 0;
}

QbbFramePtr
IrnResponder::MakeFrame(QbbPs now)
{
    RdmaSender& sender = m_answers->stream.GetSender();
    const uint64_t packet = sender.GetNext();
    const RdmaResponse& response = m_answers->stream.Find(packet);
    const uint64_t index = packet - response.first;
    QbbFramePtr frame = m_endpoint.NewFrame();
    frame->psn = RdmaToPsn(GetConnection().initialPsn, packet);
    FillAnswer(*frame, response, index);
    frame->opcode = static_cast<uint8_t>(RdmaToIrnOpcode(static_cast<RdmaOpcode>(frame->opcode)));
    FillAeth(*frame, response);
    frame->wqeSn = response.wqeSn;
    frame->offset = static_cast<uint32_t>(index * GetConnection().pathMtu);
    if (GetConnection().reaction)
    {
        GetConnection().reaction->AskForTelemetry(*frame);
    }
    frame->size = QbbWire::RoceFrameBytes(GetRdmaOpcodeInfo(frame->opcode),
                                          frame->payload,
                                          frame->tagged,
                                          RdmaEndpoint::GetTrailerBytes(*frame));
    ++m_answersSent;
    const bool again = sender.Sent(1, now);
    if (GetConnection().reaction)
    {
        GetConnection().reaction->ResponseSent(packet, again, *frame, now);
    }
    Sync();
    return frame;
}

void
IrnResponder::ReceiveAcknowledgement(const QbbFrame& frame, QbbPs now)
{
    const uint8_t kind = frame.syndrome & RdmaAeth::KIND_MASK;
    if (!m_answers || (kind != RdmaAeth::ACK && kind != RdmaAeth::NAK))
    {
        m_endpoint.Drop(frame, QbbDropReason::UNEXPECTED);
        return;
    }
    IrnResponseStream& stream = m_answers->stream;
    const uint64_t before = stream.GetSender().GetAcked();
    const int64_t packet = RdmaFromPsn(GetConnection().initialPsn, frame.psn, before);
    const int64_t selective = RdmaFromPsn(GetConnection().initialPsn, frame.selectivePsn, before);
    const bool nak = kind == RdmaAeth::NAK;
    const int64_t cause =
        nak ? stream.OnNak(packet, selective, now) : stream.OnAck(packet, selective, now);
    if (GetConnection().reaction)
    {
        GetConnection().reaction->ResponsesAcked(
            {frame, cause, before, stream.GetSender().GetAcked(), nak},
            now);
    }
    stream.DropAcknowledged();
    if (stream.IsEmpty() && m_answers->fault != Fault::NONE)
    {
        Fail(m_answers->fault, now);
        return;
    }
    Sync();
    if (IsReady())
    {
        m_endpoint.MakeReady();
    }
}

void
IrnResponder::OnTimer(QbbPs now)
{
    IrnResponseStream& stream = m_answers->stream;
    stream.Release(now);
    if (stream.GetSender().GetDeadline() <= now)
    {
        const RdmaSenderEvent event = stream.GetSender().OnTimeout(now);
        if (event.failed)
        {
            // The peer acknowledges no responses; none of the local requests has failed.
            m_endpoint.Fail(RdmaWcStatus::WR_FLUSH_ERR, 0);
            return;
        }
        if (GetConnection().reaction && event.timedOut)
        {
            GetConnection().reaction->TimedOut(now);
        }
    }
    Sync();
    if (IsReady())
    {
        m_endpoint.Activate();
    }
}

} // namespace ns3
