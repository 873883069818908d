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

namespace ns3
{

void
RdmaQueuePair::ReceiveFrame(const QbbFrame& frame)
{
    if (m_state != RdmaQpState::RTS || frame.srcIp != m_frame.dstIp || frame.dstIp != m_frame.srcIp)
    {
        GetPort()->CountDrop(frame, QbbDropReason::NOT_FOR_US);
        return;
    }
    if (frame.opcode == static_cast<uint8_t>(RdmaOpcode::CNP))
    {
        ++m_stats.cnpsReceived;
        return;
    }
    if (GetRdmaOpcodeInfo(frame.opcode).request)
    {
        constexpr uint8_t CE = 3;
        if (frame.ecn == CE)
        {
            NotifyCongestion();
        }
        ReceiveRequest(frame);
    }
    else if (frame.opcode == static_cast<uint8_t>(RdmaOpcode::ACKNOWLEDGE))
    {
        ReceiveResponse(frame);
    }
    else
    {
        GetPort()->CountDrop(frame, QbbDropReason::UNEXPECTED);
    }
}

void
RdmaQueuePair::ReceiveRequest(const QbbFrame& frame)
{
    const int64_t packet = RdmaFromPsn(m_remotePsn, frame.psn, m_responder->GetExpected());
    switch (m_responder->Check(packet))
    {
    case RdmaReceiverVerdict::ACCEPT:
    case RdmaReceiverVerdict::RESTART:
    case RdmaReceiverVerdict::EARLY:
        if (Execute(frame) && frame.ackReq)
        {
            SendAeth(RdmaAeth::ACK | RdmaAeth::NO_CREDITS, m_responder->GetExpected() - 1);
        }
        break;
    case RdmaReceiverVerdict::DUPLICATE:
        ++m_stats.duplicates;
        SendAeth(RdmaAeth::ACK | RdmaAeth::NO_CREDITS, m_responder->GetExpected() - 1);
        break;
    case RdmaReceiverVerdict::GAP:
        ++m_stats.outOfOrder;
        SendAeth(RdmaAeth::NAK | RdmaAeth::PSN_SEQUENCE_ERROR, m_responder->GetExpected());
        break;
    case RdmaReceiverVerdict::IGNORE:
        ++m_stats.outOfOrder;
        break;
    }
}

bool
RdmaQueuePair::Execute(const QbbFrame& frame)
{
    const RdmaOpcodeInfo& info = GetRdmaOpcodeInfo(frame.opcode);
    const bool isSend = frame.opcode <= static_cast<uint8_t>(RdmaOpcode::SEND_ONLY_WITH_IMMEDIATE);
    const bool isWrite =
        frame.opcode >= static_cast<uint8_t>(RdmaOpcode::RDMA_WRITE_FIRST) &&
        frame.opcode <= static_cast<uint8_t>(RdmaOpcode::RDMA_WRITE_ONLY_WITH_IMMEDIATE);
    if ((!isSend && !isWrite) || info.first == m_inMessage)
    {
        SendAeth(RdmaAeth::NAK | RdmaAeth::INVALID_REQUEST, m_responder->GetExpected());
        Fail(RdmaWcStatus::REM_INV_REQ_ERR);
        return false;
    }
    // A SEND takes a receive request at its first packet, a write with immediate at its last.
    const bool needsReceive = (isSend && info.first) || (isWrite && info.immDt);
    if (needsReceive && m_receives.IsEmpty())
    {
        SendAeth(RdmaAeth::RNR_NAK | m_minRnrTimer, m_responder->GetExpected());
        m_responder->Refuse();
        return false;
    }
    m_messageBytes = (info.first ? 0 : m_messageBytes) + frame.payload;
    m_inMessage = !info.last;
    if (isSend && m_messageBytes > m_receives.Front().length)
    {
        SendAeth(RdmaAeth::NAK | RdmaAeth::INVALID_REQUEST, m_responder->GetExpected());
        CompleteReceive(RdmaWcStatus::LOC_LEN_ERR, m_messageBytes, nullptr);
        Fail(RdmaWcStatus::LOC_LEN_ERR);
        return false;
    }
    ++m_stats.packetsAccepted;
    m_responder->Accept(m_responder->GetExpected(), 1, info.last);
    if (info.last)
    {
        m_msn = (m_msn + 1) & QbbWire::MASK24;
        m_messageReceived({m_qpn, m_messageBytes, m_msn, QbbNowPs()});
        if (isSend || info.immDt)
        {
            CompleteReceive(RdmaWcStatus::SUCCESS, m_messageBytes, &frame);
        }
    }
    return true;
}

void
RdmaQueuePair::CompleteReceive(RdmaWcStatus status, uint64_t bytes, const QbbFrame* frame)
{
    RdmaWorkCompletion completion;
    completion.id = m_receives.Pop().id;
    completion.status = status;
    completion.opcode = RdmaWcOpcode::RECV;
    completion.bytes = bytes;
    if (frame)
    {
        const RdmaOpcodeInfo& info = GetRdmaOpcodeInfo(frame->opcode);
        if (frame->opcode >= static_cast<uint8_t>(RdmaOpcode::RDMA_WRITE_FIRST))
        {
            completion.opcode = RdmaWcOpcode::RECV_RDMA_WITH_IMM;
        }
        completion.hasImmediate = info.immDt;
        completion.immediate = info.immDt ? frame->immediate : 0;
    }
    completion.qpn = m_qpn;
    completion.timePs = QbbNowPs();
    GetReceiveCompletionQueue()->Add(completion);
}

void
RdmaQueuePair::FlushReceives()
{
    while (!m_receives.IsEmpty())
    {
        CompleteReceive(RdmaWcStatus::WR_FLUSH_ERR, 0, nullptr);
    }
}

void
RdmaQueuePair::SendAeth(uint8_t syndrome, uint64_t packet)
{
    QbbFramePtr frame = m_nic->GetPool().Allocate(m_frame);
    frame->ecn = 0;
    frame->opcode = static_cast<uint8_t>(RdmaOpcode::ACKNOWLEDGE);
    frame->psn = RdmaToPsn(m_remotePsn, packet);
    frame->syndrome = syndrome;
    frame->msn = m_msn;
    frame->size =
        QbbWire::RoceFrameBytes(GetRdmaOpcodeInfo(RdmaOpcode::ACKNOWLEDGE), 0, frame->tagged);
    ++((syndrome & RdmaAeth::KIND_MASK) == RdmaAeth::ACK ? m_stats.acksSent : m_stats.naksSent);
    QbbNetDevice& port = m_nic->GetDevice(m_port);
    port.Enqueue(std::move(frame), port.GetArrivalFs());
}

void
RdmaQueuePair::NotifyCongestion()
{
    const int64_t nowPs = QbbNowPs();
    const int64_t intervalPs = m_nic->GetCnpIntervalPs();
    if (intervalPs == 0 || nowPs < m_nextCnpPs)
    {
        return;
    }
    m_nextCnpPs = nowPs + intervalPs;
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
