/* SPDX-License-Identifier: GPL-2.0-only */

#include "roce-responder.h"

#include "qbb-wire.h"
#include "rdma-aeth.h"
#include "rdma-psn.h"

#include <algorithm>

namespace ns3
{

namespace
{

/** \param frame a request \return true if the request is a READ or atomic */
bool
IsAnswered(const QbbFrame& frame)
{
    return frame.opcode >= static_cast<uint8_t>(RdmaOpcode::RDMA_READ_REQUEST);
}

/** \param frame a request \return true if the request is a READ */
bool
IsRead(const QbbFrame& frame)
{
    return frame.opcode == static_cast<uint8_t>(RdmaOpcode::RDMA_READ_REQUEST);
}

} // namespace

void
RoceResponder::Reset()
{
    RdmaResponder::Reset();
    m_message.Abandon();
    m_answers.reset();
}

void
RoceResponder::End()
{
    if (!m_answers)
    {
        return;
    }
    // A NAK follows the responses to earlier requests. No response is sent after the NAK.
    auto& queue = m_answers->queue;
    const bool refusing =
        !queue.IsEmpty() && queue.Back().kind == RdmaResponse::Kind::AETH &&
        (queue.Back().syndrome & RdmaAeth::KIND_MASK) == RdmaAeth::NAK &&
        (queue.Back().syndrome & RdmaAeth::VALUE_MASK) != RdmaAeth::PSN_SEQUENCE_ERROR;
    if (!refusing)
    {
        m_answers->queue.Clear();
        Sync();
    }
}

void
RoceResponder::Receive(const QbbFrame& frame, const RdmaOpcodeInfo& info, RdmaPs now)
{
    if (info.irn)
    {
        m_endpoint.Drop(frame, QbbDropReason::UNEXPECTED);
        return;
    }
    const int64_t packet =
        RdmaFromPsn(m_endpoint.connection.remotePsn, frame.psn, m_receiver->GetExpected());
    switch (m_receiver->Check(packet))
    {
    case RdmaReceiverVerdict::RESTART:
        m_message.Abandon();
        [[fallthrough]];
    case RdmaReceiverVerdict::ACCEPT: {
        const Fault fault = Validate(frame, info);
        if (fault != Fault::NONE)
        {
            Refuse(fault, static_cast<uint64_t>(packet), now);
            break;
        }
        const uint64_t packets =
            IsRead(frame) ? GetRdmaPackets(frame.dmaLength, m_endpoint.connection.pathMtu) : 1;
        m_receiver->Accept(static_cast<uint64_t>(packet), packets, info.last);
        Execute(frame, info, now);
        if (frame.ackReq && !IsAnswered(frame) && m_endpoint.connection.state != RdmaQpState::RESET)
        {
            Acknowledge(packet, frame);
        }
        break;
    }
    case RdmaReceiverVerdict::DUPLICATE:
        ++m_endpoint.connection.counters.duplicates;
        if (!IsAnswered(frame))
        {
            Acknowledge(packet, frame);
        }
        else if (packet >= 0 && ValidateRead(frame) == Fault::NONE)
        {
            Repeat(frame, static_cast<uint64_t>(packet));
        }
        break;
    case RdmaReceiverVerdict::GAP:
        ++m_endpoint.connection.counters.outOfOrder;
        SendSequenceNak(packet, frame);
        break;
    case RdmaReceiverVerdict::EARLY: // not returned: RoCE receivers do not buffer packets
    case RdmaReceiverVerdict::IGNORE:
        ++m_endpoint.connection.counters.outOfOrder;
        break;
    }
}

RdmaResponder::Fault
RoceResponder::Validate(const QbbFrame& frame, const RdmaOpcodeInfo& info)
{
    const RdmaOpcode operation = GetOperation(frame.opcode);
    const bool isSend = IsSend(operation);
    if (!m_message.Follows(frame, info, m_endpoint.connection.pathMtu))
    {
        return Fault::INVALID;
    }
    if (operation == RdmaOpcode::RDMA_READ_REQUEST || IsAtomic(operation))
    {
        return CountUnanswered() < m_endpoint.connection.maxDestRdAtomic ? ValidateRead(frame)
                                                                         : Fault::INVALID;
    }
    if ((!isSend && !IsWrite(operation)) || (m_message.IsOpen() && isSend != m_message.IsSend()))
    {
        return Fault::INVALID;
    }
    if (isSend)
    {
        // A SEND needs a receive request at its first packet, a WRITE with immediate at its last.
        if (info.first && !HasReceives(1))
        {
            return Fault::NOT_READY;
        }
        return m_message.CountBytes(frame, info) > m_receives.Front().length ? Fault::TOO_LONG
                                                                             : Fault::NONE;
    }
    if (!m_message.HasWriteLength(frame, info, RDMA_MAX_MESSAGE_BYTES))
    {
        return Fault::INVALID;
    }
    RdmaMemoryAccess access;
    access.remoteWrite = true;
    if (info.first &&
        !m_endpoint.GetMemory().Allows(frame.rKey, frame.virtualAddress, frame.dmaLength, access))
    {
        return Fault::NO_ACCESS;
    }
    return info.immDt && !HasReceives(1) ? Fault::NOT_READY : Fault::NONE;
}

void
RoceResponder::Execute(const QbbFrame& frame, const RdmaOpcodeInfo& info, RdmaPs now)
{
    ++m_endpoint.connection.counters.packetsAccepted;
    m_message.Add(frame, info, IsSend(GetOperation(frame.opcode)));
    if (!info.last)
    {
        return;
    }
    RdmaArrivedRequest request;
    request.packet = m_receiver->GetExpected() - 1;
    request.opcode = frame.opcode;
    request.bytes = m_message.GetBytes();
    request.immediate = frame.immediate;
    request.solicited = frame.solicited;
    if (IsAnswered(frame))
    {
        request.packet = static_cast<uint64_t>(
            RdmaFromPsn(m_endpoint.connection.remotePsn, frame.psn, m_receiver->GetExpected() - 1));
        request.bytes = frame.dmaLength;
        request.address = frame.virtualAddress;
        request.compare = frame.compare;
        request.swapOrAdd = frame.swapOrAdd;
    }
    Perform(request, now);
}

void
RoceResponder::SendAeth(uint8_t syndrome, uint64_t packet, int64_t, const QbbFrame* cause)
{
    const bool isAck = (syndrome & RdmaAeth::KIND_MASK) == RdmaAeth::ACK;
    ++(isAck ? m_endpoint.connection.counters.acksSent : m_endpoint.connection.counters.naksSent);
    if (m_answers && !m_answers->queue.IsEmpty())
    {
        // An acknowledgement covers all earlier requests, so it waits for their responses.
        RdmaResponse response;
        response.kind = RdmaResponse::Kind::AETH;
        response.syndrome = syndrome;
        response.echoPort = m_endpoint.connection.echoPort;
        response.msn = m_endpoint.connection.msn;
        response.first = packet;
        Answer(response);
        return;
    }
    QbbFramePtr frame = m_endpoint.NewAeth(RdmaOpcode::ACKNOWLEDGE,
                                           syndrome,
                                           RdmaToPsn(m_endpoint.connection.remotePsn, packet),
                                           0);
    if (cause)
    {
        RdmaEndpoint::Echo(*cause, *frame);
    }
    m_endpoint.Send(std::move(frame));
}

void
RoceResponder::Sync()
{
    const bool waits = m_answers && !m_answers->queue.IsEmpty();
    RdmaConnection& connection = m_endpoint.connection;
    connection.responseReady = waits && m_answers->queue.Front().due <= m_answers->passed;
    connection.responseDeadline =
        waits && !connection.responseReady ? m_answers->queue.Front().due : RdmaSender::NO_DEADLINE;
}

void
RoceResponder::OnTimer(RdmaPs now)
{
    m_answers->passed = now;
    Sync();
    if (m_endpoint.connection.responseReady)
    {
        m_endpoint.Activate();
    }
}

void
RoceResponder::Answer(RdmaResponse response)
{
    if (!m_answers)
    {
        m_answers = std::make_unique<Answers>();
        if (m_endpoint.connection.reaction)
        {
            m_endpoint.WarnOfUnslowedResponses();
        }
    }
    auto& queue = m_answers->queue;
    auto& done = m_answers->done;
    response.due = m_endpoint.GetAnswerTime();
    if (response.kind == RdmaResponse::Kind::AETH && !queue.IsEmpty() &&
        queue.Back().kind == RdmaResponse::Kind::AETH &&
        (queue.Back().syndrome & RdmaAeth::KIND_MASK) == RdmaAeth::ACK &&
        (queue.Front().kind != RdmaResponse::Kind::AETH || queue.Back().due == response.due))
    {
        queue.Back() = response; // a later acknowledgement supersedes the queued ACK
        return;
    }
    if (response.kind == RdmaResponse::Kind::ATOMIC &&
        (done.IsEmpty() || done.Back().first < response.first))
    {
        // A new atomic, not a repeated one. Its result is stored as long as the peer may repeat the
        // request, because TakeBack() may remove the response and a frame may be lost.
        if (done.GetSize() >= m_endpoint.connection.maxDestRdAtomic)
        {
            done.Pop();
        }
        done.Push(RdmaResponse(response));
    }
    queue.Push(std::move(response));
    Sync();
}

uint32_t
RoceResponder::CountUnanswered() const
{
    uint32_t count = 0;
    for (std::size_t i = 0; m_answers && i < m_answers->queue.GetSize(); ++i)
    {
        const RdmaResponse& response = m_answers->queue[i];
        count += response.kind != RdmaResponse::Kind::AETH &&
                 response.first + response.packets > m_answers->answered;
    }
    return count;
}

void
RoceResponder::TakeBack(uint64_t packet)
{
    auto& queue = m_answers->queue;
    while (!queue.IsEmpty() && queue.Back().first >= packet)
    {
        queue.PopBack();
    }
    if (queue.IsEmpty() || queue.Back().first + queue.Back().packets <= packet)
    {
        return;
    }
    RdmaResponse& last = queue.Back();
    last.packets = static_cast<uint32_t>(packet - last.first);
    last.bytes = last.packets * m_endpoint.connection.pathMtu;
    if (last.sent >= last.packets)
    {
        queue.PopBack();
    }
}

void
RoceResponder::Repeat(const QbbFrame& frame, uint64_t packet)
{
    if (!m_answers)
    {
        return; // no READ or atomic has been executed
    }
    // The requester repeats this request and all later ones: queued responses to these requests
    // would otherwise be sent twice.
    TakeBack(packet);
    if (IsRead(frame))
    {
        RdmaResponse response;
        response.first = packet;
        response.msn = m_endpoint.connection.msn;
        response.bytes = frame.dmaLength;
        response.packets =
            static_cast<uint32_t>(GetRdmaPackets(frame.dmaLength, m_endpoint.connection.pathMtu));
        Answer(response);
    }
    else
    {
        const auto& done = m_answers->done;
        for (std::size_t i = 0; i < done.GetSize(); ++i)
        {
            if (done[i].first == packet)
            {
                Answer(done[i]);
            }
        }
    }
    Sync();
    if (m_endpoint.connection.responseReady)
    {
        m_endpoint.MakeReady();
    }
}

QbbFramePtr
RoceResponder::MakeFrame(RdmaPs now)
{
    auto& queue = m_answers->queue;
    m_answers->passed = now;
    RdmaResponse& response = queue.Front();
    if (response.kind == RdmaResponse::Kind::AETH)
    {
        QbbFramePtr frame =
            m_endpoint.NewAeth(RdmaOpcode::ACKNOWLEDGE,
                               response.syndrome,
                               RdmaToPsn(m_endpoint.connection.remotePsn, response.first),
                               0);
        frame->msn = response.msn;
        if (response.echoPort > 0)
        {
            SetRdmaSourcePort(*frame, response.echoPort);
        }
        queue.Pop();
        Sync();
        return frame;
    }
    QbbFramePtr frame = m_endpoint.NewFrame();
    frame->psn = RdmaToPsn(m_endpoint.connection.remotePsn, response.first + response.sent);
    FillAnswer(*frame, response, response.sent);
    FillAeth(*frame, response);
    frame->size =
        QbbWire::RoceFrameBytes(GetRdmaOpcodeInfo(frame->opcode), frame->payload, frame->tagged);
    ++m_answersSent;
    if (m_endpoint.connection.reaction)
    {
        m_endpoint.connection.reaction->ResponseSent(*frame, now);
    }
    ++response.sent;
    m_answers->answered = std::max(m_answers->answered, response.first + response.sent);
    if (response.sent == response.packets)
    {
        queue.Pop();
        Sync();
    }
    return frame;
}

} // namespace ns3
