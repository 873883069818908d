/* SPDX-License-Identifier: GPL-2.0-only */

/**
 * \file
 * \ingroup rdma
 * The requester of a queue pair: requests become packets, acknowledgements completions.
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

NS_LOG_COMPONENT_DEFINE("RdmaQueuePairRequester");

void
RdmaQueuePair::ReleaseSends()
{
    while (m_released < m_sends.GetSize() && m_state == RdmaQpState::RTS)
    {
        const SendEntry& entry = m_sends[m_released];
        if (entry.request.fence && m_outstandingReads > 0)
        {
            break;
        }
        if (entry.responses > 0)
        {
            const uint64_t end = entry.firstPacket + entry.packets;
            if (m_outstandingReads >= m_maxRdAtomic ||
                (!IsIrn() && end - m_sender->GetAcked() >= RDMA_MAX_WINDOW))
            {
                break;
            }
            BeginRead();
        }
        m_sender->Extend(entry.packets);
        ++m_released;
    }
    if (CanSendRequest())
    {
        m_nic->Activate(this);
    }
}

uint64_t
RdmaQueuePair::GetBegunEnd() const
{
    const uint64_t sent = m_sender->GetHighestSent();
    for (std::size_t i = 0; i < m_sends.GetSize(); ++i)
    {
        const SendEntry& entry = m_sends[i];
        if (entry.firstPacket < sent && sent < entry.firstPacket + entry.packets)
        {
            return entry.firstPacket + entry.packets;
        }
    }
    return sent; // nothing, or all of a message
}

const RdmaQueuePair::SendEntry&
RdmaQueuePair::FindEntry(uint64_t packet)
{
    // Packets go out in order but for retransmissions, which begin near the oldest entry.
    if (m_cursor >= m_sends.GetSize() || packet < m_sends[m_cursor].firstPacket)
    {
        m_cursor = 0;
    }
    while (packet >= m_sends[m_cursor].firstPacket + m_sends[m_cursor].packets)
    {
        ++m_cursor;
    }
    return m_sends[m_cursor];
}

QbbFramePtr
RdmaQueuePair::MakeNextFrame()
{
    // Requests and responses take turns.
    if (m_responsesReady && (m_responseTurn || !CanSendRequest()))
    {
        m_responseTurn = false;
        return MakeResponseFrame();
    }
    m_responseTurn = true;
    return MakeRequestFrame();
}

QbbFramePtr
RdmaQueuePair::MakeRequestFrame()
{
    static constexpr RdmaOpcode OPCODES[4][4] = {
        // middle, first, last, only
        {RdmaOpcode::RDMA_WRITE_MIDDLE,
         RdmaOpcode::RDMA_WRITE_FIRST,
         RdmaOpcode::RDMA_WRITE_LAST,
         RdmaOpcode::RDMA_WRITE_ONLY},
        {RdmaOpcode::RDMA_WRITE_MIDDLE,
         RdmaOpcode::RDMA_WRITE_FIRST,
         RdmaOpcode::RDMA_WRITE_LAST_WITH_IMMEDIATE,
         RdmaOpcode::RDMA_WRITE_ONLY_WITH_IMMEDIATE},
        {RdmaOpcode::SEND_MIDDLE,
         RdmaOpcode::SEND_FIRST,
         RdmaOpcode::SEND_LAST,
         RdmaOpcode::SEND_ONLY},
        {RdmaOpcode::SEND_MIDDLE,
         RdmaOpcode::SEND_FIRST,
         RdmaOpcode::SEND_LAST_WITH_IMMEDIATE,
         RdmaOpcode::SEND_ONLY_WITH_IMMEDIATE},
    };
    const uint64_t packet = m_sender->GetNext();
    const SendEntry& entry = FindEntry(packet);
    const RdmaSendRequest& request = entry.request;
    const uint64_t index = packet - entry.firstPacket;
    uint64_t packets = 1;

    QbbFramePtr frame = m_nic->GetPool().Allocate(m_frame);
    frame->psn = RdmaToPsn(m_initialPsn, packet);
    if (entry.responses > 0)
    {
        FillReadRequest(*frame, entry, index);
        packets = entry.packets - index;
    }
    else
    {
        const bool first = index == 0;
        const bool last = index + 1 == entry.packets;
        const RdmaOpcode opcode =
            OPCODES[static_cast<std::size_t>(request.opcode)][(first ? 1 : 0) + (last ? 2 : 0)];
        frame->opcode = static_cast<uint8_t>(opcode);
        frame->payload =
            last ? static_cast<uint32_t>(request.length - index * m_pathMtu) : m_pathMtu;
        frame->ackReq = last || (m_ackInterval == 1) || ((index + 1) % m_ackInterval == 0);
        const RdmaOpcodeInfo& info = GetRdmaOpcodeInfo(opcode);
        if (info.reth)
        {
            frame->virtualAddress = request.remoteAddress;
            frame->rKey = request.rKey;
            frame->dmaLength = static_cast<uint32_t>(request.length);
        }
        if (last)
        {
            frame->immediate = info.immDt ? request.immediate : 0;
            frame->solicited = request.solicited;
        }
    }
    if (IsIrn())
    {
        FillIrnRequest(*frame, entry, index);
    }
    if (m_pacer)
    {
        frame->intRoom = m_pacer->GetIntRoom();
        frame->pint = m_pacer->AsksUtilisation() ? RdmaPintCode::LOWEST : RdmaPintCode::NONE;
    }
    frame->size = QbbWire::RoceFrameBytes(GetRdmaOpcodeInfo(frame->opcode),
                                          frame->payload,
                                          frame->tagged,
                                          GetTrailerBytes(*frame));
    const int64_t nowPs = QbbNowPs();
    const bool again = m_sender->Sent(packets, nowPs);
    if (m_pacer)
    {
        if (m_nic->MeasuresRtt())
        {
            m_pacer->TimePackets();
        }
        m_pacer->OnSent(packet,
                        again,
                        frame->size + m_nic->GetDevice(m_port).GetLineOverheadBytes(),
                        nowPs);
    }
    ++m_stats.packetsSent;
    SyncTimer();
    return frame;
}

void
RdmaQueuePair::FillReadRequest(QbbFrame& frame, const SendEntry& entry, uint64_t index) const
{
    const RdmaSendRequest& request = entry.request;
    frame.virtualAddress = request.remoteAddress;
    frame.rKey = request.rKey;
    frame.ackReq = true;
    switch (request.opcode)
    {
    case RdmaWrOpcode::ATOMIC_CMP_AND_SWP:
        frame.opcode = static_cast<uint8_t>(RdmaOpcode::COMPARE_SWAP);
        frame.compare = request.compareAdd;
        frame.swapOrAdd = request.swap;
        break;
    case RdmaWrOpcode::ATOMIC_FETCH_AND_ADD:
        frame.opcode = static_cast<uint8_t>(RdmaOpcode::FETCH_ADD);
        frame.swapOrAdd = request.compareAdd;
        break;
    default:
        // A READ that is asked for again begins at the response that is missing (IBA Vol. 1,
        // 9.7.5.1.3); with IRN index is 0.
        frame.opcode = static_cast<uint8_t>(RdmaOpcode::RDMA_READ_REQUEST);
        frame.virtualAddress += index * m_pathMtu;
        frame.dmaLength = static_cast<uint32_t>(request.length - index * m_pathMtu);
        break;
    }
}

void
RdmaQueuePair::FillIrnRequest(QbbFrame& frame, const SendEntry& entry, uint64_t index) const
{
    const auto opcode = RdmaToIrnOpcode(static_cast<RdmaOpcode>(frame.opcode));
    const RdmaOpcodeInfo& info = GetRdmaOpcodeInfo(opcode);
    frame.opcode = static_cast<uint8_t>(opcode);
    frame.ackReq = true;
    if (info.payload && info.reth)
    {
        // Each packet says where its payload goes, for it may come before the first.
        frame.virtualAddress = entry.request.remoteAddress + index * m_pathMtu;
        frame.rKey = entry.request.rKey;
        frame.dmaLength = static_cast<uint32_t>(entry.request.length);
    }
    if (info.irnMessage)
    {
        frame.wqeSn = entry.wqeSn;
        frame.offset = static_cast<uint32_t>(index * m_pathMtu);
    }
}

void
RdmaQueuePair::ReceiveAcknowledgement(const QbbFrame& frame)
{
    const int64_t nowPs = QbbNowPs();
    const int64_t packet = RdmaFromPsn(m_initialPsn, frame.psn, m_sender->GetAcked());
    const uint8_t value = frame.syndrome & RdmaAeth::VALUE_MASK;
    const uint8_t kind = frame.syndrome & RdmaAeth::KIND_MASK;
    ++(kind == RdmaAeth::ACK ? m_stats.acksReceived : m_stats.naksReceived);
    const bool error = kind == RdmaAeth::NAK && value != RdmaAeth::PSN_SEQUENCE_ERROR;
    if (!error && m_barrier != NO_BARRIER &&
        packet + (kind == RdmaAeth::ACK) > static_cast<int64_t>(m_barrier))
    {
        // The responder says this after its responses, so they are lost.
        MissResponse();
        return;
    }
    switch (kind)
    {
    case RdmaAeth::ACK: {
        const uint64_t before = m_sender->GetAcked();
        const RdmaSenderEvent event = m_sender->OnAck(packet, nowPs);
        if (m_pacer)
        {
            m_pacer->GetController().OnAck(MakeRequestSample(frame, packet, before, nowPs));
            CheckPace(nowPs);
            ReleaseResponses();
        }
        Handle(event);
        break;
    }
    case RdmaAeth::RNR_NAK:
        Handle(m_sender->OnRnrNak(packet, RdmaAeth::RnrTimerPs(value), nowPs));
        break;
    case RdmaAeth::NAK:
        ReceiveNak(value,
                   packet,
                   IsIrn() ? RdmaFromPsn(m_initialPsn, frame.selectivePsn, m_sender->GetAcked())
                           : RdmaSender::NO_PACKET,
                   frame);
        break;
    default:
        GetPort()->CountDrop(frame, QbbDropReason::UNEXPECTED);
        break;
    }
}

void
RdmaQueuePair::ReceiveNak(uint8_t code, int64_t packet, int64_t selective, const QbbFrame& frame)
{
    const int64_t nowPs = QbbNowPs();
    if (code == RdmaAeth::PSN_SEQUENCE_ERROR)
    {
        const uint64_t before = m_sender->GetAcked();
        const RdmaSenderEvent event = m_sender->OnNak(packet, selective, nowPs);
        if (m_pacer)
        {
            m_pacer->GetController().OnNak(MakeRequestSample(frame, packet - 1, before, nowPs));
            CheckPace(nowPs);
        }
        Handle(event);
        return;
    }
    const auto acked = static_cast<int64_t>(m_sender->GetAcked());
    if (packet < acked || packet >= static_cast<int64_t>(m_sender->GetHighestSent()))
    {
        return; // about what is long acknowledged, or was never sent
    }
    if (m_barrier == NO_BARRIER)
    {
        m_sender->OnAck(packet - 1, nowPs);
    }
    CompleteAcknowledged();
    RdmaWcStatus status = RdmaWcStatus::REM_INV_REQ_ERR;
    if (code == RdmaAeth::REMOTE_ACCESS_ERROR)
    {
        status = RdmaWcStatus::REM_ACCESS_ERR;
    }
    else if (code != RdmaAeth::INVALID_REQUEST)
    {
        status = RdmaWcStatus::REM_OP_ERR;
    }
    const auto refused = static_cast<uint64_t>(packet);
    if (m_sends.IsEmpty())
    {
        return; // a completion has called back, and reset the queue pair
    }
    const SendEntry& front = m_sends.Front();
    if (IsIrn() && front.firstPacket + front.packets <= refused)
    {
        // READs before it wait for responses that the NAK has overtaken.
        m_reads->refused = refused;
        m_reads->refusal = status;
        m_sendEnd = refused;
        return;
    }
    Fail(status, refused);
}

void
RdmaQueuePair::OnTimer()
{
    const bool sending = m_state == RdmaQpState::RTS || m_state == RdmaQpState::SQD;
    if (!sending || m_sender->GetAcked() >= m_sendEnd)
    {
        return;
    }
    const uint64_t timeouts = m_sender->GetTimeouts();
    const RdmaSenderEvent event = m_sender->OnTimeout(QbbNowPs());
    if (event.failed)
    {
        Fail(event.status, m_sender->GetAcked());
        return;
    }
    if (m_pacer && m_sender->GetTimeouts() != timeouts)
    {
        m_pacer->GetController().OnTimeout(QbbNowPs());
        CheckPace(QbbNowPs());
    }
    m_nic->SampleChanged(*this);
    SyncTimer();
    if (m_reads)
    {
        m_reads->told = false;
    }
    if (event.mayBegin && CanSendRequest())
    {
        m_nic->Activate(this);
    }
}

void
RdmaQueuePair::Handle(const RdmaSenderEvent& event)
{
    m_nic->SampleChanged(*this);
    CompleteAcknowledged();
    if (event.failed)
    {
        Fail(event.status, m_sender->GetAcked());
        return;
    }
    SyncTimer();
    if ((event.mayBegin || m_pacer) && CanSendRequest())
    {
        m_nic->MakeReady(this);
    }
    if (m_released < m_sends.GetSize())
    {
        ReleaseSends(); // RoCE: a READ may have waited for room in the PSN space
    }
}

void
RdmaQueuePair::SyncTimer()
{
    const int64_t deadlinePs = m_sender->GetDeadlinePs();
    if (deadlinePs == RdmaSender::NO_DEADLINE)
    {
        m_timer.Disarm();
    }
    else
    {
        m_timer.Arm(deadlinePs);
    }
}

bool
RdmaQueuePair::IsComplete(const SendEntry& entry) const
{
    if (entry.firstPacket + entry.packets > m_sender->GetAcked())
    {
        return false;
    }
    // RoCE: the barrier keeps acknowledgements before responses that are missing.
    return entry.responses == 0 || !IsIrn() ||
           entry.firstResponse + entry.responses <= m_reads->receiver->GetExpected();
}

bool
RdmaQueuePair::IsRefused(const SendEntry& entry) const
{
    return m_reads->refused >= entry.firstPacket &&
           m_reads->refused < entry.firstPacket + entry.packets;
}

void
RdmaQueuePair::CompleteAcknowledged()
{
    while (!m_sends.IsEmpty() && m_released > 0 && IsComplete(m_sends.Front()))
    {
        const SendEntry entry = m_sends.Pop();
        m_cursor -= m_cursor > 0;
        --m_released;
        if (m_reads)
        {
            m_reads->cursor -= m_reads->cursor > 0;
        }
        Complete(entry, RdmaWcStatus::SUCCESS);
    }
}

void
RdmaQueuePair::Complete(const SendEntry& entry, RdmaWcStatus status)
{
    static constexpr RdmaWcOpcode OPCODES[] = {RdmaWcOpcode::RDMA_WRITE,
                                               RdmaWcOpcode::RDMA_WRITE,
                                               RdmaWcOpcode::SEND,
                                               RdmaWcOpcode::SEND,
                                               RdmaWcOpcode::RDMA_READ,
                                               RdmaWcOpcode::COMP_SWAP,
                                               RdmaWcOpcode::FETCH_ADD};
    RdmaWorkCompletion completion;
    completion.id = entry.request.id;
    completion.status = status;
    completion.opcode = OPCODES[static_cast<std::size_t>(entry.request.opcode)];
    completion.bytes = entry.request.length;
    completion.original = entry.original;
    completion.qpn = m_qpn;
    completion.timePs = QbbNowPs();
    m_sendCompleted(completion);
    if (entry.request.signaled || status != RdmaWcStatus::SUCCESS)
    {
        GetSendCompletionQueue()->Add(completion);
    }
}

void
RdmaQueuePair::Fail(RdmaWcStatus status, uint64_t packet)
{
    NS_LOG_FUNCTION(this << status << packet);
    if (m_state == RdmaQpState::ERR)
    {
        return;
    }
    m_timer.Disarm();
    EndReads();
    EndResponses();
    m_kept.reset();
    SetState(RdmaQpState::ERR);
    m_released = 0;
    // A completion may call back, and have the queue pair reset and used again.
    while (!m_sends.IsEmpty() && m_state == RdmaQpState::ERR)
    {
        const SendEntry entry = m_sends.Pop();
        const bool culprit =
            packet >= entry.firstPacket && packet < entry.firstPacket + entry.packets;
        Complete(entry, culprit ? status : RdmaWcStatus::WR_FLUSH_ERR);
    }
    FlushReceives();
}

} // namespace ns3
