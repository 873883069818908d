/* SPDX-License-Identifier: GPL-2.0-only */

#include "roce-responder.h"

#include "qbb-wire.h"
#include "rdma-aeth.h"
#include "rdma-packet-heap.h"
#include "rdma-psn.h"
#include "roce-spread-receiver.h"

#include <algorithm>
#include <utility>

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

/** State of RoceTransport::OutOfOrder. */
struct RoceResponder::Order
{
    /** A packet that arrived before packets with lower numbers. */
    struct EarlyPacket
    {
        uint64_t packet;   //!< packet number
        QbbFramePtr frame; //!< copy of the packet
    };

    /** A gap that the requester was asked for. */
    struct Ask
    {
        uint64_t first; //!< number of the first packet
        uint64_t end;   //!< one more than the number of the last packet
        RdmaPs since;   //!< instant of the report
    };

    /// Repairs from which a repair that takes REPAIR_MARGIN times as long as the longest one has
    /// failed.
    static constexpr uint32_t LEARNED_REPAIRS = 4;
    static constexpr int64_t REPAIR_MARGIN = 4; //!< see LEARNED_REPAIRS

    /** \return time at which the oldest report is repeated, or RDMA_NEVER */
    RdmaPs GetAskDeadline() const
    {
        return asks.IsEmpty() || repairs < LEARNED_REPAIRS
                   ? RDMA_NEVER
                   : asks.Front().since + REPAIR_MARGIN * repair;
    }

    RdmaPacketHeap<EarlyPacket> early; //!< packets that wait for earlier ones
    RdmaGapRule gaps;                  //!< tells losses from overtakings
    uint64_t nakEnd{0};                //!< a NAK has named the gaps below this number
    uint64_t askedEnd{0};              //!< largest `nakEnd` ever
    RdmaRingBuffer<Ask> asks;          //!< gaps that were open at the latest look, by time
    RdmaPs repair{0};                  //!< longest time from a report to a packet of the gap
    uint32_t repairs{0};               //!< packets of gaps that have arrived
    uint64_t beyondEnd{
        0}; //!< packets beyond the window were dropped, the last one below this number
};

RoceResponder::RoceResponder(RdmaEndpoint& endpoint, bool outOfOrder)
    : RdmaResponder(endpoint)
{
    if (outOfOrder)
    {
        m_order = std::make_unique<Order>();
    }
}

RoceResponder::~RoceResponder() = default;

void
RoceResponder::Reset()
{
    RdmaResponder::Reset();
    m_message.Abandon();
    m_answers.reset();
    if (m_order)
    {
        *m_order = Order();
    }
}

void
RoceResponder::End()
{
    if (m_order)
    {
        *m_order = Order();
        Sync();
    }
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
RoceResponder::AddTo(RdmaQueuePairStats& stats) const
{
    RdmaResponder::AddTo(stats);
    if (m_answers)
    {
        stats.responsesSent += m_answers->sent;
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
        if (m_order)
        {
            Measure(static_cast<uint64_t>(packet), now);
        }
        if (!Take(frame, info, static_cast<uint64_t>(packet), now))
        {
            break;
        }
        const bool asks = (m_order && TakeKept(now)) || (frame.ackReq && !IsAnswered(frame));
        if (asks && m_endpoint.connection.state != RdmaQpState::RESET)
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
        else if (packet >= 0 && packet < static_cast<int64_t>(m_receiver->GetExpected()) &&
                 ValidateRead(frame) == Fault::NONE)
        {
            Repeat(frame, static_cast<uint64_t>(packet));
        }
        if (m_order && packet < static_cast<int64_t>(m_order->askedEnd))
        {
            m_order->gaps.Mistook();
        }
        if (m_order && packet + 1 >= static_cast<int64_t>(m_order->gaps.GetEnd()))
        {
            // The requester repeats its last packet after a timeout, because a NAK may be lost.
            m_order->nakEnd = 0;
            m_order->asks.Clear();
            Judge(now);
        }
        break;
    case RdmaReceiverVerdict::GAP:
        ++m_endpoint.connection.counters.outOfOrder;
        SendSequenceNak(packet, frame);
        break;
    case RdmaReceiverVerdict::EARLY:
        ++m_endpoint.connection.counters.outOfOrder;
        Measure(static_cast<uint64_t>(packet), now);
        Keep(frame, static_cast<uint64_t>(packet), now);
        if (frame.ackReq && !IsAnswered(frame))
        {
            Acknowledge(packet, frame);
        }
        Judge(now);
        break;
    case RdmaReceiverVerdict::IGNORE:
        ++m_endpoint.connection.counters.outOfOrder;
        if (m_order)
        {
            m_order->beyondEnd =
                std::max(m_order->beyondEnd, static_cast<uint64_t>(packet) + CountPackets(frame));
        }
        break;
    }
}

void
RoceResponder::Measure(uint64_t packet, RdmaPs now)
{
    Order& order = *m_order;
    if (packet >= order.gaps.GetEnd())
    {
        return;
    }
    if (packet >= order.askedEnd)
    {
        order.gaps.Overtaken(packet, now);
        return;
    }
    for (std::size_t i = 0; i < order.asks.GetSize(); ++i)
    {
        const Order::Ask& ask = order.asks[i];
        if (ask.first <= packet && packet < ask.end)
        {
            order.repair = std::max(order.repair, now - ask.since);
            ++order.repairs;
            return;
        }
    }
}

void
RoceResponder::Ask(uint64_t from, uint64_t end, RdmaPs now)
{
    const RoceSpreadReceiver& receiver = GetSpreadReceiver();
    while (from < end)
    {
        const RoceSpreadReceiver::Gap gap = receiver.FindGap(from);
        if (gap.first >= end || gap.end == RoceSpreadReceiver::NO_END)
        {
            return;
        }
        SendGap(gap.first, gap.end);
        m_order->asks.Push({gap.first, gap.end, now});
        m_order->nakEnd = std::max(m_order->nakEnd, gap.end);
        m_order->askedEnd = std::max(m_order->askedEnd, gap.end);
        from = gap.end;
    }
}

void
RoceResponder::AskAgain(RdmaPs now)
{
    const RoceSpreadReceiver& receiver = GetSpreadReceiver();
    auto& asks = m_order->asks;
    while (!asks.IsEmpty())
    {
        const Order::Ask ask = asks.Front();
        const uint64_t from = std::max(ask.first, receiver.GetExpected());
        if (from < ask.end && receiver.FindGap(from).first < ask.end)
        {
            if (m_order->GetAskDeadline() > now)
            {
                return;
            }
            Ask(from, ask.end, now);
        }
        asks.DropFront();
    }
}

uint64_t
RoceResponder::CountPackets(const QbbFrame& frame) const
{
    return IsRead(frame) ? GetRdmaPackets(frame.dmaLength, m_endpoint.connection.pathMtu) : 1;
}

bool
RoceResponder::Take(const QbbFrame& frame, const RdmaOpcodeInfo& info, uint64_t packet, RdmaPs now)
{
    const Fault fault = Validate(frame, info);
    if (fault != Fault::NONE)
    {
        Refuse(fault, packet, now);
        if (m_order)
        {
            *m_order = Order();
            Sync();
        }
        return false;
    }
    m_receiver->Accept(packet, CountPackets(frame), info.last);
    Execute(frame, info, now);
    return true;
}

void
RoceResponder::Keep(const QbbFrame& frame, uint64_t packet, RdmaPs now)
{
    const uint64_t packets = CountPackets(frame);
    QbbFramePtr copy = m_endpoint.NewFrame();
    static_cast<QbbFrameHeaders&>(*copy) = frame;
    static_cast<QbbFrameExtensions&>(*copy) = frame;
    static_cast<QbbFrameRareFields&>(*copy) = frame;
    m_order->early.Push({packet, std::move(copy)});
    m_receiver->Accept(packet, packets, false);
    m_order->gaps.Arrived(packet + 1, now);
}

bool
RoceResponder::TakeKept(RdmaPs now)
{
    bool asks = false;
    // A completion may reset or end the queue pair, which empties the heap.
    while (m_order->early.HasBefore(m_receiver->GetExpected() + 1))
    {
        const Order::EarlyPacket early = m_order->early.Pop();
        if (early.packet < m_receiver->GetExpected())
        {
            continue; // a part of a READ request that has been executed
        }
        const QbbFrame& frame = *early.frame;
        if (!Take(frame, GetRdmaOpcodeInfo(frame.opcode), early.packet, now))
        {
            return false;
        }
        asks = asks || (frame.ackReq && !IsAnswered(frame));
    }
    const uint64_t expected = m_receiver->GetExpected();
    m_order->gaps.Complete(expected);
    if (expected < m_order->beyondEnd && GetSpreadReceiver().CountKept() == 0)
    {
        // Nothing that follows tells of the packets dropped beyond the window.
        m_order->beyondEnd = 0;
        SendAeth(RdmaAeth::NAK | RdmaAeth::PSN_SEQUENCE_ERROR, expected, 0, nullptr);
    }
    Judge(now);
    return asks;
}

const RoceSpreadReceiver&
RoceResponder::GetSpreadReceiver() const
{
    return static_cast<const RoceSpreadReceiver&>(*m_receiver);
}

RdmaGapLimits
RoceResponder::GetLimits() const
{
    RdmaGapLimits limits = m_endpoint.connection.transport->GetGapLimits();
    if (m_endpoint.connection.timerOff)
    {
        limits.age = RDMA_NEVER; // the network loses no packet
    }
    return limits;
}

void
RoceResponder::Judge(RdmaPs now)
{
    const uint64_t lostEnd = m_order->gaps.GetLostEnd(GetLimits(), now);
    Ask(std::max(m_receiver->GetExpected(), m_order->nakEnd), lostEnd, now);
    AskAgain(now);
    Sync();
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
    request.address = m_message.GetAddress();
    // Few frames have the fields of immediate data, which are in a cache line of their own.
    request.immediate = info.immDt ? frame.immediate : 0;
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
    if (!m_order && (!m_answers || m_answers->queue.IsEmpty()))
    {
        // Most acknowledgements leave here: nothing waits, and packets arrive in order.
        const bool isAck = (syndrome & RdmaAeth::KIND_MASK) == RdmaAeth::ACK;
        RdmaQueuePairCounters& counters = m_endpoint.connection.counters;
        ++(isAck ? counters.acksSent : counters.naksSent);
        QbbFramePtr frame = m_endpoint.NewAeth(RdmaOpcode::ACKNOWLEDGE,
                                               syndrome,
                                               RdmaToPsn(m_endpoint.connection.remotePsn, packet),
                                               0);
        if (cause)
        {
            RdmaEndpoint::Echo(*cause, *frame);
        }
        m_endpoint.Send(std::move(frame));
        return;
    }
    RdmaResponse response;
    response.kind = RdmaResponse::Kind::AETH;
    response.syndrome = syndrome;
    response.echoPort = m_endpoint.connection.echoPort;
    response.msn = m_endpoint.connection.msn;
    response.first = packet;
    if (m_order && (syndrome & RdmaAeth::KIND_MASK) == RdmaAeth::ACK)
    {
        const uint32_t kept = GetSpreadReceiver().CountKept();
        response.solicited = kept > 0;
        response.msn = kept > 0 ? kept : response.msn;
    }
    SendAeth(response, cause);
}

void
RoceResponder::SendGap(uint64_t first, uint64_t end)
{
    RdmaResponse response;
    response.kind = RdmaResponse::Kind::AETH;
    response.syndrome = RdmaAeth::NAK | RdmaAeth::PSN_SEQUENCE_ERROR;
    response.msn = static_cast<uint32_t>(end - first);
    response.solicited = true;
    response.first = first;
    if (first == m_receiver->GetExpected())
    {
        SendAeth(response, nullptr);
        return;
    }
    // A NAK would acknowledge the packets of the gaps before.
    response.syndrome = RdmaAeth::GAP;
    ++m_endpoint.connection.counters.naksSent;
    m_endpoint.Send(MakeAeth(response));
}

void
RoceResponder::SendAeth(const RdmaResponse& response, const QbbFrame* cause)
{
    const bool isAck = (response.syndrome & RdmaAeth::KIND_MASK) == RdmaAeth::ACK;
    ++(isAck ? m_endpoint.connection.counters.acksSent : m_endpoint.connection.counters.naksSent);
    if (m_answers && !m_answers->queue.IsEmpty())
    {
        // An acknowledgement covers all earlier requests, so it waits for their responses.
        Answer(response);
        return;
    }
    QbbFramePtr frame = MakeAeth(response);
    if (cause)
    {
        RdmaEndpoint::Echo(*cause, *frame);
    }
    m_endpoint.Send(std::move(frame));
}

QbbFramePtr
RoceResponder::MakeAeth(const RdmaResponse& response)
{
    QbbFramePtr frame =
        m_endpoint.NewAeth(RdmaOpcode::ACKNOWLEDGE,
                           response.syndrome,
                           RdmaToPsn(m_endpoint.connection.remotePsn, response.first),
                           0);
    frame->msn = response.msn;
    frame->solicited = response.solicited;
    if (response.echoPort > 0)
    {
        SetRdmaSourcePort(*frame, response.echoPort);
    }
    return frame;
}

void
RoceResponder::Sync()
{
    const bool waits = m_answers && !m_answers->queue.IsEmpty();
    RdmaConnection& connection = m_endpoint.connection;
    connection.responseReady = waits && m_answers->queue.Front().due <= m_answers->passed;
    connection.responseDeadline =
        waits && !connection.responseReady ? m_answers->queue.Front().due : RdmaSender::NO_DEADLINE;
    if (m_order)
    {
        connection.responseDeadline = std::min({connection.responseDeadline,
                                                m_order->gaps.GetDeadline(GetLimits()),
                                                m_order->GetAskDeadline()});
    }
}

void
RoceResponder::OnTimer(RdmaPs now)
{
    if (m_answers)
    {
        m_answers->passed = now;
    }
    if (m_order)
    {
        Judge(now);
    }
    Sync();
    if (m_endpoint.connection.responseReady)
    {
        m_endpoint.Activate();
    }
}

void
RoceResponder::Answer(RdmaResponse response)
{
    if (m_endpoint.connection.passive)
    {
        m_endpoint.BecomeActive();
    }
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

bool
RoceResponder::IsQueued(uint64_t packet) const
{
    for (std::size_t i = 0; i < m_answers->queue.GetSize(); ++i)
    {
        const RdmaResponse& response = m_answers->queue[i];
        if (response.kind != RdmaResponse::Kind::AETH && response.first + response.sent <= packet &&
            packet < response.first + response.packets)
        {
            return true;
        }
    }
    return false;
}

void
RoceResponder::Repeat(const QbbFrame& frame, uint64_t packet)
{
    if (!m_answers)
    {
        return; // no READ or atomic has been executed
    }
    if (m_order && IsQueued(packet))
    {
        return;
    }
    if (!m_order)
    {
        // The requester repeats this request and all later ones: queued responses to these requests
        // would otherwise be sent twice. Where requests overtake each other, the repeated later
        // ones may have come before.
        TakeBack(packet);
    }
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
        QbbFramePtr frame = MakeAeth(response);
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
    ++m_answers->sent;
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
