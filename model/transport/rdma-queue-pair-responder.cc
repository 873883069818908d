/* SPDX-License-Identifier: GPL-2.0-only */

/**
 * \file
 * \ingroup rdma
 * The responder of a queue pair: packets become messages, and are acknowledged.
 */

#include "qbb-net-device.h"
#include "qbb-wire.h"
#include "rdma-aeth.h"
#include "rdma-nic.h"
#include "rdma-psn.h"
#include "rdma-queue-pair.h"

#include <ns3/abort.h>

namespace ns3
{

namespace
{

/** \param opcode a BTH opcode \return its operation, as an opcode of the reliable connection */
RdmaOpcode
Operation(uint8_t opcode)
{
    return static_cast<RdmaOpcode>(opcode & RDMA_OPERATION_MASK);
}

bool
IsSend(RdmaOpcode operation)
{
    return operation <= RdmaOpcode::SEND_ONLY_WITH_IMMEDIATE;
}

bool
IsWrite(RdmaOpcode operation)
{
    return operation >= RdmaOpcode::RDMA_WRITE_FIRST &&
           operation <= RdmaOpcode::RDMA_WRITE_ONLY_WITH_IMMEDIATE;
}

bool
IsAtomic(RdmaOpcode operation)
{
    return operation == RdmaOpcode::COMPARE_SWAP || operation == RdmaOpcode::FETCH_ADD;
}

} // namespace

void
RdmaQueuePair::ReceiveFrame(const QbbFrame& frame)
{
    const bool ready =
        m_state == RdmaQpState::RTS || m_state == RdmaQpState::RTR || m_state == RdmaQpState::SQD;
    if (!ready || frame.srcIp != m_frame.dstIp || frame.dstIp != m_frame.srcIp)
    {
        GetPort()->CountDrop(frame, QbbDropReason::NOT_FOR_US);
        return;
    }
    if (frame.opcode == static_cast<uint8_t>(RdmaOpcode::CNP))
    {
        ++m_stats.cnpsReceived;
        if (m_pacer)
        {
            const int64_t nowPs = QbbNowPs();
            m_pacer->GetController().OnCnp(nowPs);
            CheckPace(nowPs);
        }
        m_nic->SampleChanged(*this);
        return;
    }
    constexpr uint8_t CE = 3;
    if (frame.ecn == CE)
    {
        m_ceSeen = true;
        m_cnpDue = true;
    }
    if (m_cnpDue)
    {
        NotifyCongestion();
    }
    const RdmaOpcodeInfo& info = GetRdmaOpcodeInfo(frame.opcode);
    if (info.irn != IsIrn())
    {
        GetPort()->CountDrop(frame, QbbDropReason::UNEXPECTED);
    }
    else if (frame.opcode == static_cast<uint8_t>(RdmaOpcode::IRN_READ_ACKNOWLEDGE))
    {
        ReceiveReadAcknowledge(frame);
    }
    else if (info.request)
    {
        IsIrn() ? ReceiveIrnRequest(frame) : ReceiveRequest(frame);
    }
    else if (Operation(frame.opcode) == RdmaOpcode::ACKNOWLEDGE)
    {
        ReceiveAcknowledgement(frame);
    }
    else
    {
        IsIrn() ? ReceiveIrnResponse(frame) : ReceiveReadResponse(frame);
    }
}

void
RdmaQueuePair::ReceiveRequest(const QbbFrame& frame)
{
    const int64_t packet = RdmaFromPsn(m_remotePsn, frame.psn, m_receiver->GetExpected());
    switch (m_receiver->Check(packet))
    {
    case RdmaReceiverVerdict::RESTART:
        m_inMessage = false;
        [[fallthrough]];
    case RdmaReceiverVerdict::ACCEPT: {
        const Fault fault = Judge(frame);
        if (fault != Fault::NONE)
        {
            Refuse(fault, static_cast<uint64_t>(packet));
            break;
        }
        const bool answered = frame.opcode >= static_cast<uint8_t>(RdmaOpcode::RDMA_READ_REQUEST);
        const uint64_t packets = frame.opcode == static_cast<uint8_t>(RdmaOpcode::RDMA_READ_REQUEST)
                                     ? GetRdmaPackets(frame.dmaLength, m_pathMtu)
                                     : 1;
        m_receiver->Accept(static_cast<uint64_t>(packet),
                           packets,
                           GetRdmaOpcodeInfo(frame.opcode).last);
        Execute(frame);
        if (frame.ackReq && !answered && m_state != RdmaQpState::RESET)
        {
            SendAeth(RdmaAeth::ACK | RdmaAeth::NO_CREDITS,
                     m_receiver->GetExpected() - 1,
                     packet,
                     &frame);
        }
        break;
    }
    case RdmaReceiverVerdict::DUPLICATE:
        ++m_stats.duplicates;
        if (frame.opcode >= static_cast<uint8_t>(RdmaOpcode::RDMA_READ_REQUEST))
        {
            if (packet >= 0 && JudgeRead(frame) == Fault::NONE)
            {
                RepeatAnswer(frame, static_cast<uint64_t>(packet));
            }
            break;
        }
        SendAeth(RdmaAeth::ACK | RdmaAeth::NO_CREDITS,
                 m_receiver->GetExpected() - 1,
                 packet,
                 &frame);
        break;
    case RdmaReceiverVerdict::GAP:
        ++m_stats.outOfOrder;
        SendAeth(RdmaAeth::NAK | RdmaAeth::PSN_SEQUENCE_ERROR,
                 m_receiver->GetMissing(),
                 packet,
                 &frame);
        break;
    case RdmaReceiverVerdict::EARLY: // no receiver of RoCE's keeps such a packet
    case RdmaReceiverVerdict::IGNORE:
        ++m_stats.outOfOrder;
        break;
    }
}

RdmaQueuePair::Fault
RdmaQueuePair::JudgeRead(const QbbFrame& frame) const
{
    RdmaMemoryAccess access;
    if (IsAtomic(Operation(frame.opcode)))
    {
        access.remoteAtomic = true;
        if (frame.virtualAddress % RDMA_ATOMIC_BYTES != 0)
        {
            return Fault::INVALID;
        }
        return m_nic->IsAllowed(frame.rKey, frame.virtualAddress, RDMA_ATOMIC_BYTES, access)
                   ? Fault::NONE
                   : Fault::NO_ACCESS;
    }
    if (frame.dmaLength > RDMA_MAX_MESSAGE_BYTES)
    {
        return Fault::INVALID;
    }
    access.remoteRead = true;
    return m_nic->IsAllowed(frame.rKey, frame.virtualAddress, frame.dmaLength, access)
               ? Fault::NONE
               : Fault::NO_ACCESS;
}

RdmaQueuePair::Fault
RdmaQueuePair::Judge(const QbbFrame& frame)
{
    const RdmaOpcodeInfo& info = GetRdmaOpcodeInfo(frame.opcode);
    const RdmaOpcode operation = Operation(frame.opcode);
    const bool isSend = IsSend(operation);
    if (info.first == m_inMessage || (!info.last && frame.payload != m_pathMtu) ||
        frame.payload > m_pathMtu)
    {
        return Fault::INVALID;
    }
    if (operation == RdmaOpcode::RDMA_READ_REQUEST || IsAtomic(operation))
    {
        return CountUnanswered() < m_maxDestRdAtomic ? JudgeRead(frame) : Fault::INVALID;
    }
    if ((!isSend && !IsWrite(operation)) || (m_inMessage && isSend != m_inSend))
    {
        return Fault::INVALID;
    }
    const uint64_t bytes = (info.first ? 0 : m_messageBytes) + frame.payload;
    if (isSend)
    {
        // A SEND takes a receive request at its first packet, a write with immediate at its last.
        if (info.first && !HasReceives(1))
        {
            return Fault::NOT_READY;
        }
        return bytes > m_receives.Front().length ? Fault::TOO_LONG : Fault::NONE;
    }
    const uint64_t length = info.first ? frame.dmaLength : m_messageLength;
    if (length > RDMA_MAX_MESSAGE_BYTES || (info.last ? bytes != length : bytes >= length))
    {
        return Fault::INVALID;
    }
    RdmaMemoryAccess access;
    access.remoteWrite = true;
    if (info.first && !m_nic->IsAllowed(frame.rKey, frame.virtualAddress, length, access))
    {
        return Fault::NO_ACCESS;
    }
    return info.immDt && !HasReceives(1) ? Fault::NOT_READY : Fault::NONE;
}

void
RdmaQueuePair::Execute(const QbbFrame& frame)
{
    const RdmaOpcodeInfo& info = GetRdmaOpcodeInfo(frame.opcode);
    ++m_stats.packetsAccepted;
    if (info.first)
    {
        m_messageBytes = 0;
        m_messageLength = frame.dmaLength;
        m_inSend = IsSend(Operation(frame.opcode));
    }
    m_messageBytes += frame.payload;
    m_inMessage = !info.last;
    if (info.last)
    {
        RdmaArrivedRequest request;
        request.packet = m_receiver->GetExpected() - 1;
        request.opcode = frame.opcode;
        request.bytes = m_messageBytes;
        request.immediate = frame.immediate;
        if (frame.opcode >= static_cast<uint8_t>(RdmaOpcode::RDMA_READ_REQUEST))
        {
            request.packet = static_cast<uint64_t>(
                RdmaFromPsn(m_remotePsn, frame.psn, m_receiver->GetExpected() - 1));
            request.bytes = frame.dmaLength;
            request.address = frame.virtualAddress;
            request.compare = frame.compare;
            request.swapOrAdd = frame.swapOrAdd;
        }
        Perform(request);
    }
}

void
RdmaQueuePair::Perform(const RdmaArrivedRequest& request)
{
    const RdmaOpcode operation = Operation(request.opcode);
    m_msn = (m_msn + 1) & QbbWire::MASK24;
    if (IsSend(operation) || IsWrite(operation))
    {
        // Either may call back, and change the state.
        const RdmaMessageArrival arrival{m_qpn, request.bytes, m_msn, QbbNowPs()};
        if (IsSend(operation) || GetRdmaOpcodeInfo(operation).immDt)
        {
            CompleteReceive(RdmaWcStatus::SUCCESS, request);
        }
        m_messageReceived(arrival);
        return;
    }
    RdmaResponse response;
    response.first = request.packet;
    response.msn = m_msn;
    response.wqeSn = request.wqeSn;
    if (operation == RdmaOpcode::RDMA_READ_REQUEST)
    {
        response.bytes = static_cast<uint32_t>(request.bytes);
        response.packets = static_cast<uint32_t>(GetRdmaPackets(request.bytes, m_pathMtu));
    }
    else
    {
        response.kind = RdmaResponse::Kind::ATOMIC;
        response.original = PerformAtomic(request);
    }
    Answer(response);
    if (m_responsesReady)
    {
        m_nic->MakeReady(this);
    }
}

void
RdmaQueuePair::Refuse(Fault fault, uint64_t packet)
{
    const auto selective = static_cast<int64_t>(packet);
    if (fault == Fault::NOT_READY)
    {
        SendAeth(RdmaAeth::RNR_NAK | m_minRnrTimer, packet, selective);
        m_receiver->Refuse();
        return;
    }
    SendAeth(RdmaAeth::NAK | (fault == Fault::NO_ACCESS ? RdmaAeth::REMOTE_ACCESS_ERROR
                                                        : RdmaAeth::INVALID_REQUEST),
             packet,
             selective);
    if (IsIrn() && m_responses && !m_responses->queue.IsEmpty())
    {
        // The NAK overtakes responses, which may have to be sent again.
        m_responses->fault = fault;
        m_responses->refused = packet;
        return;
    }
    FailResponder(fault);
}

void
RdmaQueuePair::FailResponder(Fault fault)
{
    if (fault == Fault::TOO_LONG)
    {
        CompleteReceive(RdmaWcStatus::LOC_LEN_ERR, RdmaArrivedRequest());
    }
    // None of this side's own requests is to blame.
    Fail(RdmaWcStatus::WR_FLUSH_ERR, 0);
}

bool
RdmaQueuePair::HasReceives(uint32_t count)
{
    while (m_sharedReceives && m_receives.GetSize() < count && m_sharedReceives->GetSize() > 0)
    {
        m_receives.Push(m_sharedReceives->Take());
    }
    return m_receives.GetSize() >= count;
}

void
RdmaQueuePair::CompleteReceive(RdmaWcStatus status, const RdmaArrivedRequest& request)
{
    RdmaWorkCompletion completion;
    completion.id = m_receives.Pop().id;
    m_receiveSn = (m_receiveSn + 1) & QbbWire::MASK24;
    completion.status = status;
    completion.opcode = RdmaWcOpcode::RECV;
    completion.bytes = request.bytes;
    if (status == RdmaWcStatus::SUCCESS)
    {
        const RdmaOpcode operation = Operation(request.opcode);
        if (IsWrite(operation))
        {
            completion.opcode = RdmaWcOpcode::RECV_RDMA_WITH_IMM;
        }
        completion.hasImmediate = GetRdmaOpcodeInfo(operation).immDt;
        completion.immediate = completion.hasImmediate ? request.immediate : 0;
    }
    completion.qpn = m_qpn;
    completion.timePs = QbbNowPs();
    GetReceiveCompletionQueue()->Add(completion);
}

void
RdmaQueuePair::FlushReceives()
{
    if (m_flushing)
    {
        return; // posted by a completion of the loop below, which takes it, too
    }
    constexpr uint32_t LIMIT = 1U << 20;
    m_flushing = true;
    const std::size_t posted = m_receives.GetSize();
    for (std::size_t i = 0; !m_receives.IsEmpty() && m_state == RdmaQpState::ERR; ++i)
    {
        NS_ABORT_MSG_IF(i > posted + LIMIT,
                        "rdma: QP " << m_qpn
                                    << " is in state ERR, and each receive request that it flushes "
                                       "is posted again: look at a completion's status first");
        CompleteReceive(RdmaWcStatus::WR_FLUSH_ERR, RdmaArrivedRequest());
    }
    m_flushing = false;
}

void
RdmaQueuePair::SendAeth(uint8_t syndrome, uint64_t packet, int64_t selective, const QbbFrame* cause)
{
    ++((syndrome & RdmaAeth::KIND_MASK) == RdmaAeth::ACK ? m_stats.acksSent : m_stats.naksSent);
    if (m_responses && !IsIrn() && !m_responses->queue.IsEmpty())
    {
        // An acknowledgement says that what came before is done, so it waits for the responses.
        RdmaResponse response;
        response.kind = RdmaResponse::Kind::AETH;
        response.syndrome = syndrome;
        response.msn = m_msn;
        response.first = packet;
        Answer(response);
        return;
    }
    QbbFramePtr frame =
        MakeAeth(IsIrn() ? RdmaOpcode::IRN_ACKNOWLEDGE : RdmaOpcode::ACKNOWLEDGE,
                 syndrome,
                 RdmaToPsn(m_remotePsn, packet),
                 IsIrn() ? RdmaToPsn(m_remotePsn, static_cast<uint64_t>(selective)) : 0);
    if (cause && (cause->intRoom > 0 || cause->pint != 0))
    {
        Echo(*cause, *frame);
    }
    QbbNetDevice& port = m_nic->GetDevice(m_port);
    port.Enqueue(std::move(frame), port.GetArrivalFs());
}

void
RdmaQueuePair::Echo(const QbbFrame& cause, QbbFrame& frame)
{
    frame.intRoom = cause.intRoom;
    frame.intOverflow = cause.intOverflow;
    frame.intEcho = true;
    frame.telemetry = cause.telemetry;
    frame.pint = cause.pint;
    frame.size = QbbWire::RoceFrameBytes(GetRdmaOpcodeInfo(frame.opcode),
                                         0,
                                         frame.tagged,
                                         GetTrailerBytes(frame));
}

void
RdmaQueuePair::NotifyCongestion()
{
    const int64_t nowPs = QbbNowPs();
    const int64_t intervalPs = m_nic->GetCnpIntervalPs();
    if (intervalPs == 0)
    {
        return;
    }
    int64_t& nextPs = m_nic->GetNextCnpPs(*this, m_nextCnpPs);
    if (nowPs < nextPs)
    {
        // Zhu et al., SIGCOMM 2015, section 3: one CNP for each interval in which a marked packet
        // came. The first packet after the interval brings it.
        return;
    }
    m_cnpDue = false;
    nextPs = nowPs + intervalPs;
    QbbNetDevice& port = m_nic->GetDevice(m_port);
    QbbFramePtr frame = m_nic->GetPool().Allocate(m_frame);
    frame->ecn = 0;
    frame->dscp = m_cnpDscp;
    frame->opcode = static_cast<uint8_t>(RdmaOpcode::CNP);
    frame->becn = true;
    frame->size = QbbWire::RoceFrameBytes(GetRdmaOpcodeInfo(RdmaOpcode::CNP), 0, frame->tagged);
    frame->priority = port.GetClassifier().ClassifyDscp(m_cnpDscp);
    if (frame->tagged)
    {
        frame->tci = *port.GetTag(frame->priority);
    }
    frame->priority = port.GetClassifier().Classify(*frame);
    ++m_stats.cnpsSent;
    port.Enqueue(std::move(frame), port.GetArrivalFs());
}

} // namespace ns3
