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
#include "rdma-psn.h"
#include "rdma-queue-pair.h"

#include <ns3/log.h>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaQueuePairRequester");

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
    const uint64_t packet = m_requester->GetNext();
    const SendEntry& entry = FindEntry(packet);
    const RdmaSendRequest& request = entry.request;
    const uint64_t index = packet - entry.firstPacket;
    const bool first = index == 0;
    const bool last = index + 1 == entry.packets;

    QbbFramePtr frame = m_nic->GetPool().Allocate(m_frame);
    const RdmaOpcode opcode =
        OPCODES[static_cast<std::size_t>(request.opcode)][(first ? 1 : 0) + (last ? 2 : 0)];
    const RdmaOpcodeInfo& info = GetRdmaOpcodeInfo(opcode);
    frame->opcode = static_cast<uint8_t>(opcode);
    frame->psn = RdmaToPsn(m_initialPsn, packet);
    frame->payload = last ? static_cast<uint32_t>(request.length - index * m_pathMtu) : m_pathMtu;
    frame->ackReq = last || (m_ackInterval == 1) || ((index + 1) % m_ackInterval == 0);
    frame->size = QbbWire::RoceFrameBytes(info, frame->payload, frame->tagged);
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
    m_requester->Sent(1, QbbNowPs());
    ++m_stats.packetsSent;
    SyncTimer();
    return frame;
}

void
RdmaQueuePair::ReceiveResponse(const QbbFrame& frame)
{
    const int64_t nowPs = QbbNowPs();
    const int64_t packet = RdmaFromPsn(m_initialPsn, frame.psn, m_requester->GetAcked());
    const uint8_t value = frame.syndrome & RdmaAeth::VALUE_MASK;
    switch (frame.syndrome & RdmaAeth::KIND_MASK)
    {
    case RdmaAeth::ACK:
        ++m_stats.acksReceived;
        Handle(m_requester->OnAck(packet, nowPs));
        break;
    case RdmaAeth::RNR_NAK:
        ++m_stats.naksReceived;
        Handle(m_requester->OnRnrNak(packet, RdmaAeth::RnrTimerPs(value), nowPs));
        break;
    case RdmaAeth::NAK:
        ++m_stats.naksReceived;
        if (value == RdmaAeth::PSN_SEQUENCE_ERROR)
        {
            Handle(m_requester->OnNak(packet, RdmaSender::NO_PACKET, nowPs));
        }
        else
        {
            m_requester->OnAck(packet - 1, nowPs);
            CompleteAcknowledged();
            Fail(RdmaWcStatus::REM_INV_REQ_ERR);
        }
        break;
    default:
        GetPort()->CountDrop(frame, QbbDropReason::UNEXPECTED);
        break;
    }
}

void
RdmaQueuePair::OnTimer()
{
    if (m_state != RdmaQpState::RTS)
    {
        return;
    }
    const RdmaSenderEvent event = m_requester->OnTimeout(QbbNowPs());
    if (event.failed)
    {
        Fail(event.status);
        return;
    }
    SyncTimer();
    if (event.mayBegin && m_requester->CanSend())
    {
        m_nic->Activate(this);
    }
}

void
RdmaQueuePair::Handle(const RdmaSenderEvent& event)
{
    CompleteAcknowledged();
    if (event.failed)
    {
        Fail(event.status);
        return;
    }
    SyncTimer();
    if (event.mayBegin && CanSend())
    {
        m_nic->MakeReady(this);
    }
}

void
RdmaQueuePair::SyncTimer()
{
    const int64_t deadlinePs = m_requester->GetDeadlinePs();
    if (deadlinePs == RdmaSender::NO_DEADLINE)
    {
        m_timer.Disarm();
    }
    else
    {
        m_timer.Arm(deadlinePs);
    }
}

void
RdmaQueuePair::CompleteAcknowledged()
{
    const uint64_t acked = m_requester->GetAcked();
    while (!m_sends.IsEmpty() && m_sends.Front().firstPacket + m_sends.Front().packets <= acked)
    {
        const SendEntry entry = m_sends.Pop();
        m_cursor -= m_cursor > 0;
        Complete(entry, RdmaWcStatus::SUCCESS);
    }
}

void
RdmaQueuePair::Complete(const SendEntry& entry, RdmaWcStatus status)
{
    RdmaWorkCompletion completion;
    completion.id = entry.request.id;
    completion.status = status;
    const bool isWrite = entry.request.opcode == RdmaWrOpcode::RDMA_WRITE ||
                         entry.request.opcode == RdmaWrOpcode::RDMA_WRITE_WITH_IMM;
    completion.opcode = isWrite ? RdmaWcOpcode::RDMA_WRITE : RdmaWcOpcode::SEND;
    completion.bytes = entry.request.length;
    completion.qpn = m_qpn;
    completion.timePs = QbbNowPs();
    m_sendCompleted(completion);
    if (entry.request.signaled || status != RdmaWcStatus::SUCCESS)
    {
        GetSendCompletionQueue()->Add(completion);
    }
}

void
RdmaQueuePair::Fail(RdmaWcStatus status)
{
    NS_LOG_FUNCTION(this << status);
    if (m_state == RdmaQpState::ERR)
    {
        return;
    }
    m_state = RdmaQpState::ERR;
    m_timer.Disarm();
    while (!m_sends.IsEmpty())
    {
        const SendEntry entry = m_sends.Pop();
        Complete(entry, status);
        status = RdmaWcStatus::WR_FLUSH_ERR;
    }
    FlushReceives();
}

} // namespace ns3
