/* SPDX-License-Identifier: GPL-2.0-only */

#include "irn-responder.h"

#include "irn-transport.h"
#include "qbb-wire.h"
#include "rdma-aeth.h"
#include "rdma-psn.h"
#include "rdma-response.h"
#include "rdma-ring-buffer.h"
#include "rdma-send-times.h"

#include <algorithm>
#include <utility>

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
    // Each packet of a WRITE has the address of its own first byte.
    request.address =
        frame.virtualAddress - (frame.payload > 0 ? request.bytes - frame.payload : 0);
    // Few frames have these fields, which are in a cache line of their own.
    if (info.atomicEth || info.immDt)
    {
        request.compare = frame.compare;
        request.swapOrAdd = frame.swapOrAdd;
        request.immediate = frame.immediate;
    }
    request.solicited = frame.solicited;
    request.wqeSn = frame.wqeSn;
    return request;
}

} // namespace

/**
 * The response packets of a queue pair to the peer's READs and atomics: a stream with separate
 * packet numbers, retransmitted until the requester acknowledges the packets. Allocated with the
 * peer's first READ or atomic. The stream maps each packet to its response.
 */
class IrnResponder::Answers
{
  public:
    /** \param sender sender of the response packets */
    explicit Answers(std::unique_ptr<RdmaSender> sender);

    /**
     * Appends a response. A response that is due later, or that follows such a
     * response, is held back until Release().
     *
     * \param response receives the next packet numbers
     */
    void Push(RdmaResponse response);

    /**
     * \param packet number of an unacknowledged packet
     * \return the response that contains the packet
     */
    const RdmaResponse& Find(uint64_t packet)
    {
        if (m_cursor >= m_queue.GetSize() || packet < m_queue[m_cursor].first)
        {
            m_cursor = 0;
        }
        while (packet >= m_queue[m_cursor].first + m_queue[m_cursor].packets)
        {
            ++m_cursor;
        }
        return m_queue[m_cursor];
    }

    /**
     * Handles a NAK for a gap, or a probe for a missing response.
     *
     * \param expected the packet that the requester expects
     * \param selective the packet after the gap that triggered the NAK; at most `expected` in a
     *        probe
     * \param now current time
     * \return what the sender makes of the NAK
     */
    RdmaSenderEvent OnNak(int64_t expected, int64_t selective, RdmaPs now);

    /** Removes the responses whose packets are all acknowledged. */
    void DropAcknowledged();

    /** Removes all responses. */
    void Clear()
    {
        m_queue.Clear();
        m_held = 0;
    }

    /** \return time of the next Release(), or RdmaSender::NO_DEADLINE */
    RdmaPs GetDue() const
    {
        return m_held > 0 ? m_queue[m_queue.GetSize() - m_held].due : RdmaSender::NO_DEADLINE;
    }

    /** \param now current time: the packets of all responses that are due may be sent */
    void Release(RdmaPs now);

    /** \return number of responses whose packets are not all acknowledged */
    std::size_t GetSize() const
    {
        return m_queue.GetSize();
    }

    /** \return number of responses whose packets are not all sent */
    uint32_t CountUnsent() const;

    /** \return the sender, which decides which packet is sent next */
    RdmaSender& GetSender() const
    {
        return *m_sender;
    }

    Fault fault{Fault::NONE}; //!< fault that fails the QP once all responses are acknowledged
    uint64_t refused{0};      //!< request packet that caused the fault
    uint64_t sent{0};         //!< response packets sent, repeated ones included

  private:
    RdmaRingBuffer<RdmaResponse> m_queue; //!< responses not fully acknowledged, in order
    std::size_t m_cursor{0};              //!< index in m_queue of the response found last
    std::size_t m_held{0};                //!< number of responses held back, the last ones
    uint64_t m_next{0};                   //!< first packet number of the next response
    std::unique_ptr<RdmaSender> m_sender; //!< sender of the response packets
};

IrnResponder::Answers::Answers(std::unique_ptr<RdmaSender> sender)
    : m_sender(std::move(sender))
{
}

void
IrnResponder::Answers::Push(RdmaResponse response)
{
    response.first = m_next;
    m_next += response.packets;
    if (m_held == 0 && response.due == 0_ps)
    {
        m_sender->Extend(response.packets);
    }
    else
    {
        ++m_held;
    }
    m_queue.Push(std::move(response));
}

void
IrnResponder::Answers::Release(RdmaPs now)
{
    while (GetDue() <= now)
    {
        m_sender->Extend(m_queue[m_queue.GetSize() - m_held].packets);
        --m_held;
    }
}

RdmaSenderEvent
IrnResponder::Answers::OnNak(int64_t expected, int64_t selective, RdmaPs now)
{
    return m_sender->OnNak(expected, selective > expected ? selective : RdmaSender::NO_PACKET, now);
}

void
IrnResponder::Answers::DropAcknowledged()
{
    while (!m_queue.IsEmpty() &&
           m_queue.Front().first + m_queue.Front().packets <= m_sender->GetAcked())
    {
        m_queue.Pop();
        m_cursor -= m_cursor > 0;
    }
}

uint32_t
IrnResponder::Answers::CountUnsent() const
{
    uint32_t count = 0;
    for (std::size_t i = 0; i < m_queue.GetSize(); ++i)
    {
        const RdmaResponse& response = m_queue[i];
        count += response.first + response.packets > m_sender->GetHighestSent();
    }
    return count;
}

IrnResponder::IrnResponder(RdmaEndpoint& endpoint)
    : RdmaResponder(endpoint)
{
}

IrnResponder::~IrnResponder() = default;

void
IrnResponder::Reset()
{
    RdmaResponder::Reset();
    m_answers.reset();
    m_kept.reset();
    m_dropped.reset();
}

void
IrnResponder::End()
{
    m_kept.reset();
    m_endpoint.connection.responseDeadline = RdmaSender::NO_DEADLINE;
    m_endpoint.connection.responseReady = false;
    if (m_answers)
    {
        m_answers->Clear();
    }
}

RdmaStreamState
IrnResponder::GetStream() const
{
    if (!m_answers)
    {
        return {};
    }
    const RdmaSender& sender = m_answers->GetSender();
    return {sender.GetAcked() + sender.GetAhead(), sender.GetFlightEnd(), sender.GetHighestSent()};
}

void
IrnResponder::AddTo(RdmaQueuePairStats& stats) const
{
    RdmaResponder::AddTo(stats);
    if (m_answers)
    {
        const RdmaSender& sender = m_answers->GetSender();
        stats.responsesSent += m_answers->sent;
        stats.responsesRetransmitted += sender.GetRetransmissions();
        stats.timeouts += sender.GetTimeouts();
    }
}

void
IrnResponder::Receive(const QbbFrame& frame, const RdmaOpcodeInfo& info, RdmaPs now)
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
IrnResponder::ReceiveRequest(const QbbFrame& frame, const RdmaOpcodeInfo& info, RdmaPs now)
{
    const int64_t packet =
        RdmaFromPsn(m_endpoint.connection.remotePsn, frame.psn, m_receiver->GetExpected());
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
        const Fault fault = Validate(frame, info);
        if (fault != Fault::NONE)
        {
            Refuse(fault, number, now);
            return;
        }
        ++m_endpoint.connection.counters.packetsAccepted;
        m_receiver->Accept(number, 1, info.last);
        Take(frame, info, number, now);
        const bool performed = PerformStored(m_receiver->GetExpected(), now);
        if (performed && m_endpoint.connection.state != RdmaQpState::RESET)
        {
            Acknowledge(packet, frame);
            AskForDropped();
        }
        break;
    }
    case RdmaReceiverVerdict::EARLY:
        ++m_endpoint.connection.counters.outOfOrder;
        // An early packet with a fault that ValidateEarly() finds is dropped silently: the peer
        // retransmits the packet, and the NAK is sent when the packet is the next in order.
        if (const Fault fault = ValidateEarly(frame, info); fault != Fault::NONE)
        {
            // A sender that takes no overtaking for a loss does not retransmit by itself.
            if (TellsArrivals())
            {
                if (!m_dropped)
                {
                    m_dropped = std::make_unique<RdmaPacketBitmap>();
                    m_dropped->Advance(m_receiver->GetExpected());
                }
                m_dropped->Set(number);
            }
        }
        else
        {
            ++m_endpoint.connection.counters.packetsAccepted;
            m_receiver->Accept(number, 1, info.last);
            Keep(frame, info, number);
            SendSequenceNak(packet, frame);
        }
        break;
    case RdmaReceiverVerdict::GAP:
        ++m_endpoint.connection.counters.outOfOrder;
        SendSequenceNak(packet, frame);
        break;
    case RdmaReceiverVerdict::DUPLICATE:
        ++m_endpoint.connection.counters.duplicates;
        if (packet >= static_cast<int64_t>(m_receiver->GetExpected()))
        {
            SendSequenceNak(packet, frame); // already buffered; its NACK may be lost
        }
        else
        {
            Acknowledge(packet, frame);
        }
        break;
    case RdmaReceiverVerdict::IGNORE:
        ++m_endpoint.connection.counters.outOfOrder;
        break;
    }
}

RdmaResponder::Fault
IrnResponder::Validate(const QbbFrame& frame, const RdmaOpcodeInfo& info)
{
    const RdmaOpcode operation = GetOperation(frame.opcode);
    const bool isSend = IsSend(operation);
    const uint32_t mtu = m_endpoint.connection.pathMtu;
    if (operation == RdmaOpcode::RDMA_READ_REQUEST || info.atomicEth)
    {
        return CountUnanswered() < m_endpoint.connection.maxDestRdAtomic ? ValidateRead(frame)
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
IrnResponder::Take(const QbbFrame& frame, const RdmaOpcodeInfo& info, uint64_t packet, RdmaPs now)
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
IrnResponder::PerformStored(uint64_t end, RdmaPs now)
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
    ++(isAck ? m_endpoint.connection.counters.acksSent : m_endpoint.connection.counters.naksSent);
    m_endpoint.SendIrnAeth(RdmaOpcode::IRN_ACKNOWLEDGE,
                           syndrome,
                           packet,
                           selective,
                           cause,
                           isAck || !TellsArrivals() ? 0 : m_receiver->GetArrivedBefore(selective));
}

void
IrnResponder::AskForDropped()
{
    const uint64_t expected = m_receiver->GetExpected();
    if (!m_dropped)
    {
        return;
    }
    m_dropped->Advance(expected);
    if (m_dropped->Test(expected))
    {
        m_dropped->Clear(expected);
        const auto packet = static_cast<int64_t>(expected);
        SendAeth(RdmaAeth::NAK | RdmaAeth::PSN_SEQUENCE_ERROR, expected, packet, nullptr);
    }
}

bool
IrnResponder::TellsArrivals() const
{
    return static_cast<const IrnTransport&>(*m_endpoint.connection.transport).UsesGapRule();
}

void
IrnResponder::Refused(Fault fault, uint64_t packet, RdmaPs now)
{
    if (m_answers && m_answers->GetSize() > 0)
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
    if (m_endpoint.connection.passive)
    {
        m_endpoint.BecomeActive();
    }
    if (!m_answers)
    {
        m_answers = std::make_unique<Answers>(
            m_endpoint.connection.transport->MakeSender(m_endpoint.connection.GetLimits()));
        m_endpoint.connection.responseWindowed = true;
    }
    response.due = m_endpoint.GetAnswerTime();
    m_answers->Push(response);
    Sync();
}

void
IrnResponder::Sync()
{
    if (m_answers)
    {
        const RdmaSender& sender = m_answers->GetSender();
        RdmaConnection& connection = m_endpoint.connection;
        connection.responseReady = sender.CanSend();
        connection.responseDeadline = connection.state == RdmaQpState::ERR
                                          ? RdmaSender::NO_DEADLINE
                                          : std::min(sender.GetDeadline(), m_answers->GetDue());
    }
}

uint32_t
IrnResponder::CountUnanswered() const
{
    return m_answers ? m_answers->CountUnsent() : 0;
}

QbbFramePtr
IrnResponder::MakeFrame(RdmaPs now)
{
    RdmaSender& sender = m_answers->GetSender();
    const uint64_t packet = sender.GetNext();
    const RdmaResponse& response = m_answers->Find(packet);
    const uint64_t index = packet - response.first;
    QbbFramePtr frame = m_endpoint.NewFrame();
    frame->psn = RdmaToPsn(m_endpoint.connection.initialPsn, packet);
    FillAnswer(*frame, response, index);
    frame->opcode = static_cast<uint8_t>(RdmaToIrnOpcode(static_cast<RdmaOpcode>(frame->opcode)));
    FillAeth(*frame, response);
    frame->wqeSn = response.wqeSn;
    frame->offset = static_cast<uint32_t>(index * m_endpoint.connection.pathMtu);
    if (m_endpoint.connection.reaction)
    {
        m_endpoint.connection.reaction->AddTelemetryRoom(*frame);
    }
    frame->size = QbbWire::RoceFrameBytes(GetRdmaOpcodeInfo(frame->opcode),
                                          frame->payload,
                                          frame->tagged,
                                          GetRdmaTrailerBytes(*frame));
    ++m_answers->sent;
    const bool again = sender.Sent(1, now);
    if (m_endpoint.connection.reaction)
    {
        m_endpoint.connection.reaction->ResponseSent(packet, again, *frame, now);
    }
    Sync();
    return frame;
}

void
IrnResponder::ReceiveAcknowledgement(const QbbFrame& frame, RdmaPs now)
{
    const uint8_t kind = frame.syndrome & RdmaAeth::KIND_MASK;
    if (!m_answers || (kind != RdmaAeth::ACK && kind != RdmaAeth::NAK))
    {
        m_endpoint.Drop(frame, QbbDropReason::UNEXPECTED);
        return;
    }
    Answers& answers = *m_answers;
    RdmaSender& sender = answers.GetSender();
    const uint64_t acked = sender.GetAcked();
    const uint64_t before = acked + sender.GetAhead();
    const int64_t packet = RdmaFromPsn(m_endpoint.connection.initialPsn, frame.psn, acked);
    const int64_t selective =
        RdmaFromPsn(m_endpoint.connection.initialPsn, frame.selectivePsn, acked);
    const bool nak = kind == RdmaAeth::NAK;
    const bool isProbe = nak && selective <= packet;
    for (uint32_t bit = 0; nak && frame.offset >> bit != 0; ++bit)
    {
        if (frame.offset >> bit & 1)
        {
            sender.OnArrived(selective - 1 - bit);
        }
    }
    const RdmaSenderEvent event =
        nak ? answers.OnNak(packet, selective, now) : sender.OnAck(packet, now);
    if (m_endpoint.connection.reaction)
    {
        m_endpoint.connection.reaction->ResponsesAcked(
            {frame,
             isProbe ? RdmaSendTimes::NO_PACKET : selective,
             before,
             sender.GetAcked() + sender.GetAhead(),
             nak && !event.isOvertaking},
            sender.GetAcked(),
            now);
    }
    answers.DropAcknowledged();
    if (answers.GetSize() == 0 && answers.fault != Fault::NONE)
    {
        Fail(answers.fault, now);
        return;
    }
    Sync();
    if (IsReady())
    {
        m_endpoint.MakeReady();
    }
}

void
IrnResponder::OnTimer(RdmaPs now)
{
    Answers& answers = *m_answers;
    answers.Release(now);
    if (answers.GetSender().GetDeadline() <= now)
    {
        const RdmaSenderEvent event = answers.GetSender().OnTimeout(now);
        if (event.failed)
        {
            // The peer acknowledges no responses; none of the local requests has failed.
            m_endpoint.Fail(RdmaWcStatus::WR_FLUSH_ERR, 0);
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
    }
    Sync();
    if (IsReady())
    {
        m_endpoint.Activate();
    }
}

} // namespace ns3
