/* SPDX-License-Identifier: GPL-2.0-only */

/**
 * \file
 * \ingroup rdma
 * A queue pair's answers to the READs and atomics of its peer.
 *
 * With RoCE they go out in the order of the requests, acknowledgements among them, and are repeated
 * when the request is. With IRN they are a packet stream that is acknowledged, and repeated by
 * itself.
 */

#include "qbb-net-device.h"
#include "qbb-wire.h"
#include "rdma-aeth.h"
#include "rdma-nic.h"
#include "rdma-pint.h"
#include "rdma-psn.h"
#include "rdma-queue-pair.h"

#include <ns3/log.h>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaQueuePairResponses");

RdmaQueuePair::Responses::Responses(RdmaQueuePair* qp)
    : timer(qp, QbbEventOrder::NIC_TIMER)
{
    if (qp->IsIrn())
    {
        sender = qp->m_transport->MakeSender(qp->GetLimits());
    }
}

void
RdmaQueuePair::Answer(RdmaResponse response)
{
    if (!m_responses)
    {
        m_responses = std::make_unique<Responses>(this);
        if (m_pacer && !IsIrn())
        {
            m_nic->WarnOfUnheardResponses();
        }
    }
    Responses& r = *m_responses;
    if (IsIrn())
    {
        response.first = r.next;
        r.next += response.packets;
        r.sender->Extend(response.packets);
    }
    else if (response.kind == RdmaResponse::Kind::AETH && !r.queue.IsEmpty() &&
             r.queue.Back().kind == RdmaResponse::Kind::AETH &&
             (r.queue.Back().syndrome & RdmaAeth::KIND_MASK) == RdmaAeth::ACK)
    {
        r.queue.Back() = response; // what is said later says all that the ACK does
        return;
    }
    else if (response.kind == RdmaResponse::Kind::ATOMIC &&
             (r.done.IsEmpty() || r.done.Back().first < response.first))
    {
        // Executed just now. Its result is kept until it can no longer be asked for again, for it
        // may be taken out of the queue or lost on its way.
        if (r.done.GetSize() >= m_maxDestRdAtomic)
        {
            r.done.Pop();
        }
        r.done.Push(RdmaResponse(response));
    }
    r.queue.Push(std::move(response));
    SyncResponses();
}

void
RdmaQueuePair::SyncResponses()
{
    if (IsIrn())
    {
        const bool probe = m_reads && m_reads->probe;
        m_responsesReady =
            probe || (m_responses && m_responses->sender->CanSend() && (!m_pacer || HasRoom()));
        if (m_responses)
        {
            const int64_t deadlinePs = m_responses->sender->GetDeadlinePs();
            if (deadlinePs == RdmaSender::NO_DEADLINE || m_state == RdmaQpState::ERR)
            {
                m_responses->timer.Disarm();
            }
            else
            {
                m_responses->timer.Arm(deadlinePs);
            }
        }
    }
    else
    {
        m_responsesReady = m_responses && !m_responses->queue.IsEmpty();
    }
}

void
RdmaQueuePair::ReleaseResponses()
{
    // With congestion control, what is acknowledged in one stream makes room for the other.
    if (m_responses && m_responses->sender)
    {
        SyncResponses();
        if (m_responsesReady)
        {
            m_nic->MakeReady(this);
        }
    }
}

uint32_t
RdmaQueuePair::CountUnanswered() const
{
    uint32_t count = 0;
    for (std::size_t i = 0; m_responses && i < m_responses->queue.GetSize(); ++i)
    {
        const RdmaResponse& response = m_responses->queue[i];
        const bool unsent =
            !IsIrn() || response.first + response.packets > m_responses->sender->GetHighestSent();
        count += response.kind != RdmaResponse::Kind::AETH && unsent;
    }
    return count;
}

uint64_t
RdmaQueuePair::PerformAtomic(const RdmaArrivedRequest& request)
{
    RdmaMemory& memory = m_nic->GetMemory();
    const uint64_t original = memory.GetWord(request.address);
    if (request.opcode == static_cast<uint8_t>(RdmaOpcode::FETCH_ADD))
    {
        memory.SetWord(request.address, original + request.swapOrAdd);
    }
    else if (original == request.compare)
    {
        memory.SetWord(request.address, request.swapOrAdd);
    }
    return original;
}

void
RdmaQueuePair::RepeatAnswer(const QbbFrame& frame, uint64_t packet)
{
    // The requester goes back to this request and repeats all that follow it, so what has not been
    // said yet of those would be said twice.
    if (!m_responses)
    {
        return; // a request that was never executed as a READ or atomic
    }
    Responses& r = *m_responses;
    while (!r.queue.IsEmpty() && r.queue.Back().first >= packet)
    {
        r.queue.PopBack();
    }
    if (!r.queue.IsEmpty())
    {
        RdmaResponse& last = r.queue.Back();
        if (last.first + last.packets > packet)
        {
            last.packets = static_cast<uint32_t>(packet - last.first);
            last.bytes = last.packets * m_pathMtu;
            if (last.sent >= last.packets)
            {
                r.queue.PopBack();
            }
        }
    }
    RdmaResponse response;
    response.first = packet;
    response.msn = m_msn;
    if (frame.opcode == static_cast<uint8_t>(RdmaOpcode::RDMA_READ_REQUEST))
    {
        response.bytes = frame.dmaLength;
        response.packets = static_cast<uint32_t>(GetRdmaPackets(frame.dmaLength, m_pathMtu));
        Answer(response);
    }
    else
    {
        for (std::size_t i = 0; i < r.done.GetSize(); ++i)
        {
            if (r.done[i].first == packet)
            {
                Answer(r.done[i]);
            }
        }
    }
    SyncResponses();
    if (m_responsesReady)
    {
        m_nic->MakeReady(this);
    }
}

void
RdmaQueuePair::FillResponse(QbbFrame& frame, const RdmaResponse& response, uint64_t index) const
{
    if (response.kind == RdmaResponse::Kind::ATOMIC)
    {
        frame.opcode = static_cast<uint8_t>(RdmaOpcode::ATOMIC_ACKNOWLEDGE);
        frame.compare = response.original;
    }
    else
    {
        static constexpr RdmaOpcode OPCODES[] = {RdmaOpcode::RDMA_READ_RESPONSE_MIDDLE,
                                                 RdmaOpcode::RDMA_READ_RESPONSE_FIRST,
                                                 RdmaOpcode::RDMA_READ_RESPONSE_LAST,
                                                 RdmaOpcode::RDMA_READ_RESPONSE_ONLY};
        const bool first = index == 0;
        const bool last = index + 1 == response.packets;
        frame.opcode = static_cast<uint8_t>(OPCODES[(first ? 1 : 0) + (last ? 2 : 0)]);
        frame.payload =
            last ? static_cast<uint32_t>(response.bytes - index * m_pathMtu) : m_pathMtu;
    }
    if (IsIrn())
    {
        frame.opcode = static_cast<uint8_t>(RdmaToIrnOpcode(static_cast<RdmaOpcode>(frame.opcode)));
        frame.wqeSn = response.wqeSn;
        frame.offset = static_cast<uint32_t>(index * m_pathMtu);
    }
    const RdmaOpcodeInfo& info = GetRdmaOpcodeInfo(frame.opcode);
    if (info.aeth)
    {
        frame.syndrome = RdmaAeth::ACK | RdmaAeth::NO_CREDITS;
        frame.msn = response.msn;
    }
    if (m_pacer && IsIrn())
    {
        frame.intRoom = m_pacer->GetIntRoom();
        frame.pint = m_pacer->AsksUtilisation() ? RdmaPintCode::LOWEST : RdmaPintCode::NONE;
    }
    frame.size = QbbWire::RoceFrameBytes(info, frame.payload, frame.tagged, GetTrailerBytes(frame));
}

QbbFramePtr
RdmaQueuePair::MakeResponseFrame()
{
    if (IsIrn())
    {
        return MakeIrnResponseFrame();
    }
    auto& queue = m_responses->queue;
    RdmaResponse& response = queue.Front();
    if (response.kind == RdmaResponse::Kind::AETH)
    {
        QbbFramePtr frame = MakeAeth(RdmaOpcode::ACKNOWLEDGE,
                                     response.syndrome,
                                     RdmaToPsn(m_remotePsn, response.first),
                                     0);
        frame->msn = response.msn;
        queue.Pop();
        SyncResponses();
        return frame;
    }
    QbbFramePtr frame = m_nic->GetPool().Allocate(m_frame);
    frame->psn = RdmaToPsn(m_remotePsn, response.first + response.sent);
    FillResponse(*frame, response, response.sent);
    ++m_responses->sent;
    PaceResponse(*frame);
    if (++response.sent == response.packets)
    {
        queue.Pop();
        SyncResponses();
    }
    return frame;
}

void
RdmaQueuePair::PaceResponse(const QbbFrame& frame)
{
    if (m_pacer)
    {
        const uint32_t bytes = frame.size + m_nic->GetDevice(m_port).GetLineOverheadBytes();
        m_pacer->OnResponseSent(bytes, QbbNowPs());
    }
}

QbbFramePtr
RdmaQueuePair::MakeIrnResponseFrame()
{
    if (m_reads && m_reads->probe)
    {
        QbbFramePtr frame = MakeProbe();
        SyncResponses();
        return frame;
    }
    Responses& r = *m_responses;
    const uint64_t packet = r.sender->GetNext();
    if (r.cursor >= r.queue.GetSize() || packet < r.queue[r.cursor].first)
    {
        r.cursor = 0;
    }
    while (packet >= r.queue[r.cursor].first + r.queue[r.cursor].packets)
    {
        ++r.cursor;
    }
    const RdmaResponse& response = r.queue[r.cursor];
    QbbFramePtr frame = m_nic->GetPool().Allocate(m_frame);
    frame->psn = RdmaToPsn(m_initialPsn, packet);
    FillResponse(*frame, response, packet - response.first);
    ++r.sent;
    PaceIrnResponse(*frame, packet, r.sender->Sent(1, QbbNowPs()));
    SyncResponses();
    return frame;
}

void
RdmaQueuePair::PaceIrnResponse(const QbbFrame& frame, uint64_t response, bool again)
{
    if (m_pacer)
    {
        if (m_nic->MeasuresRtt())
        {
            m_pacer->TimePackets();
        }
        const uint32_t bytes = frame.size + m_nic->GetDevice(m_port).GetLineOverheadBytes();
        m_pacer->OnResponseSent(response, again, bytes, QbbNowPs());
    }
}

void
RdmaQueuePair::TellOfResponses(const QbbFrame& frame,
                               int64_t cause,
                               uint64_t ackedBefore,
                               bool isNak)
{
    if (!m_pacer)
    {
        return;
    }
    const int64_t nowPs = QbbNowPs();
    const uint64_t acked = m_responses->sender->GetAcked();
    const RdmaAckSample sample =
        MakeSample(frame, m_pacer->GetResponseRttPs(cause, nowPs), acked - ackedBefore, nowPs);
    m_pacer->OnResponsesAcked(acked);
    RdmaRateController& controller = m_pacer->GetController();
    isNak ? controller.OnNak(sample) : controller.OnAck(sample);
    CheckPace(nowPs);
}

QbbFramePtr
RdmaQueuePair::MakeAeth(RdmaOpcode opcode, uint8_t syndrome, uint32_t psn, uint32_t selectivePsn)
{
    QbbFramePtr frame = m_nic->GetPool().Allocate(m_frame);
    frame->ecn = 0;
    frame->opcode = static_cast<uint8_t>(opcode);
    frame->psn = psn;
    frame->syndrome = syndrome;
    frame->msn = m_msn;
    frame->selectivePsn = selectivePsn;
    // Echoes a mark, for algorithms that count them; CNPs are told apart by their opcode.
    frame->becn = m_ceSeen;
    m_ceSeen = false;
    frame->size = QbbWire::RoceFrameBytes(GetRdmaOpcodeInfo(opcode), 0, frame->tagged);
    return frame;
}

void
RdmaQueuePair::ReceiveReadAcknowledge(const QbbFrame& frame)
{
    if (!m_responses)
    {
        GetPort()->CountDrop(frame, QbbDropReason::UNEXPECTED);
        return;
    }
    Responses& r = *m_responses;
    const int64_t nowPs = QbbNowPs();
    const int64_t packet = RdmaFromPsn(m_initialPsn, frame.psn, r.sender->GetAcked());
    const int64_t selective = RdmaFromPsn(m_initialPsn, frame.selectivePsn, r.sender->GetAcked());
    const uint8_t kind = frame.syndrome & RdmaAeth::KIND_MASK;
    const uint64_t before = r.sender->GetAcked();
    if (kind == RdmaAeth::ACK)
    {
        r.sender->OnAck(packet, nowPs);
        TellOfResponses(frame, selective, before, false);
    }
    else if (kind == RdmaAeth::NAK)
    {
        const bool isProbe = selective <= packet;
        r.sender->OnNak(packet, isProbe ? RdmaSender::NO_PACKET : selective, nowPs);
        TellOfResponses(frame, isProbe ? RdmaSendTimes::UNKNOWN : selective, before, true);
    }
    else
    {
        GetPort()->CountDrop(frame, QbbDropReason::UNEXPECTED);
        return;
    }
    while (!r.queue.IsEmpty() &&
           r.queue.Front().first + r.queue.Front().packets <= r.sender->GetAcked())
    {
        r.queue.Pop();
        r.cursor -= r.cursor > 0;
    }
    if (r.queue.IsEmpty() && r.fault != Fault::NONE)
    {
        FailResponder(r.fault);
        return;
    }
    SyncResponses();
    if (m_responsesReady)
    {
        m_nic->MakeReady(this);
    }
}

void
RdmaQueuePair::EndResponses()
{
    if (!m_responses)
    {
        return;
    }
    Responses& r = *m_responses;
    r.timer.Disarm();
    // RoCE: a refusal comes after the answers to what was before it. Nothing else is said any more.
    const bool refusing =
        !r.queue.IsEmpty() && r.queue.Back().kind == RdmaResponse::Kind::AETH &&
        (r.queue.Back().syndrome & RdmaAeth::KIND_MASK) == RdmaAeth::NAK &&
        (r.queue.Back().syndrome & RdmaAeth::VALUE_MASK) != RdmaAeth::PSN_SEQUENCE_ERROR;
    if (!refusing)
    {
        r.queue.Clear();
        m_responsesReady = false;
    }
}

void
RdmaQueuePair::OnResponseTimer()
{
    const int64_t nowPs = QbbNowPs();
    const RdmaSenderEvent event = m_responses->sender->OnTimeout(nowPs);
    if (event.failed)
    {
        // The requester takes no responses any more; none of this side's requests is to blame.
        Fail(RdmaWcStatus::WR_FLUSH_ERR, 0);
        return;
    }
    if (m_pacer)
    {
        m_pacer->GetController().OnTimeout(nowPs);
        CheckPace(nowPs);
    }
    SyncResponses();
    if (m_responsesReady)
    {
        m_nic->Activate(this);
    }
}

} // namespace ns3
