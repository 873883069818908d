/* SPDX-License-Identifier: GPL-2.0-only */

/**
 * \file
 * \ingroup rdma
 * The responder of an IRN queue pair: packets are placed as they come, messages are completed in
 * order.
 *
 * Source: Mittal et al., "Revisiting Network Support for RDMA", SIGCOMM 2018, section 5.3.
 */

#include "qbb-wire.h"
#include "rdma-aeth.h"
#include "rdma-nic.h"
#include "rdma-psn.h"
#include "rdma-queue-pair.h"

namespace ns3
{

namespace
{

/** \param frame the last packet of a request \param packet its number \return what is kept of it */
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
    request.wqeSn = frame.wqeSn;
    return request;
}

} // namespace

void
RdmaQueuePair::ReceiveIrnRequest(const QbbFrame& frame)
{
    const int64_t packet = RdmaFromPsn(m_remotePsn, frame.psn, m_receiver->GetExpected());
    const bool last = GetRdmaOpcodeInfo(frame.opcode).last;
    if (m_responses && m_responses->fault != Fault::NONE &&
        packet >= static_cast<int64_t>(m_responses->refused))
    {
        if (packet == static_cast<int64_t>(m_responses->refused))
        {
            Refuse(m_responses->fault, m_responses->refused); // once more, the NAK was lost
        }
        return;
    }
    switch (m_receiver->Check(packet))
    {
    case RdmaReceiverVerdict::ACCEPT:
    case RdmaReceiverVerdict::RESTART: {
        const Fault fault = JudgeIrn(frame);
        if (fault != Fault::NONE)
        {
            Refuse(fault, static_cast<uint64_t>(packet));
            return;
        }
        ++m_stats.packetsAccepted;
        m_receiver->Accept(static_cast<uint64_t>(packet), 1, last);
        if (last)
        {
            Perform(MakeArrivedRequest(frame, static_cast<uint64_t>(packet)));
        }
        PerformKept();
        if (m_state != RdmaQpState::RESET)
        {
            SendAeth(RdmaAeth::ACK | RdmaAeth::NO_CREDITS,
                     m_receiver->GetExpected() - 1,
                     packet,
                     &frame);
        }
        break;
    }
    case RdmaReceiverVerdict::EARLY:
        ++m_stats.outOfOrder;
        // What cannot be placed now is thrown away in silence: it comes again, and gets its answer
        // when it is the next in order.
        if (JudgeIrn(frame) == Fault::NONE)
        {
            ++m_stats.packetsAccepted;
            m_receiver->Accept(static_cast<uint64_t>(packet), 1, last);
            if (last)
            {
                Keep(MakeArrivedRequest(frame, static_cast<uint64_t>(packet)));
            }
            SendAeth(RdmaAeth::NAK | RdmaAeth::PSN_SEQUENCE_ERROR,
                     m_receiver->GetMissing(),
                     packet,
                     &frame);
        }
        break;
    case RdmaReceiverVerdict::GAP:
        ++m_stats.outOfOrder;
        SendAeth(RdmaAeth::NAK | RdmaAeth::PSN_SEQUENCE_ERROR,
                 m_receiver->GetMissing(),
                 packet,
                 &frame);
        break;
    case RdmaReceiverVerdict::DUPLICATE:
        ++m_stats.duplicates;
        if (packet >= static_cast<int64_t>(m_receiver->GetExpected()))
        {
            // Kept already; the NACK that said so may be lost.
            SendAeth(RdmaAeth::NAK | RdmaAeth::PSN_SEQUENCE_ERROR,
                     m_receiver->GetMissing(),
                     packet,
                     &frame);
            break;
        }
        SendAeth(RdmaAeth::ACK | RdmaAeth::NO_CREDITS,
                 m_receiver->GetExpected() - 1,
                 packet,
                 &frame);
        break;
    case RdmaReceiverVerdict::IGNORE:
        ++m_stats.outOfOrder;
        break;
    }
}

RdmaQueuePair::Fault
RdmaQueuePair::JudgeIrn(const QbbFrame& frame)
{
    const RdmaOpcodeInfo& info = GetRdmaOpcodeInfo(frame.opcode);
    const auto operation = static_cast<RdmaOpcode>(frame.opcode & RDMA_OPERATION_MASK);
    const bool isSend = operation <= RdmaOpcode::SEND_ONLY_WITH_IMMEDIATE;
    if (operation == RdmaOpcode::RDMA_READ_REQUEST || info.atomicEth)
    {
        return CountUnanswered() < m_maxDestRdAtomic ? JudgeRead(frame) : Fault::INVALID;
    }
    if (info.ieth || (!info.last && frame.payload != m_pathMtu) || frame.payload > m_pathMtu)
    {
        return Fault::INVALID;
    }
    if (!isSend)
    {
        RdmaMemoryAccess access;
        access.remoteWrite = true;
        if (frame.dmaLength > RDMA_MAX_MESSAGE_BYTES || frame.payload > frame.dmaLength)
        {
            return Fault::INVALID;
        }
        if (!m_nic->IsAllowed(frame.rKey, frame.virtualAddress, frame.payload, access))
        {
            return Fault::NO_ACCESS;
        }
    }
    if (isSend || info.immDt)
    {
        // Receive requests have sequence numbers, in the order in which they are posted and used.
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
RdmaQueuePair::Keep(const RdmaArrivedRequest& request)
{
    if (!m_kept)
    {
        m_kept = std::make_unique<RdmaPacketHeap<RdmaArrivedRequest>>();
    }
    m_kept->Push(request);
}

void
RdmaQueuePair::PerformKept()
{
    while (m_kept && m_kept->HasBefore(m_receiver->GetExpected()))
    {
        Perform(m_kept->Pop());
    }
}

} // namespace ns3
