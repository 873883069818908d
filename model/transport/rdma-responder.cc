/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-responder.h"

#include "qbb-wire.h"
#include "rdma-aeth.h"

#include <ns3/abort.h>

namespace ns3
{

RdmaResponder::RdmaResponder(RdmaEndpoint& endpoint)
    : m_endpoint(endpoint),
      m_receiver(m_endpoint.connection.transport->MakeReceiver())
{
}

RdmaResponder::~RdmaResponder() = default;

void
RdmaResponder::Reset()
{
    m_receiver = m_endpoint.connection.transport->MakeReceiver();
    m_receives.Clear();
    m_endpoint.connection.responseDeadline = RdmaSender::NO_DEADLINE;
    m_receiveSn = 0;
    m_endpoint.connection.responseReady = false;
}

void
RdmaResponder::PostReceive(const RdmaReceiveRequest& request, RdmaPs now)
{
    m_receives.Push(RdmaReceiveRequest(request));
    if (m_endpoint.connection.state == RdmaQpState::ERR)
    {
        FlushReceives(now);
    }
}

void
RdmaResponder::SetSharedReceiveQueue(Ptr<RdmaSharedReceiveQueue> queue)
{
    m_sharedReceives = queue;
}

void
RdmaResponder::OnTimer(RdmaPs)
{
}

RdmaStreamState
RdmaResponder::GetStream() const
{
    return {};
}

void
RdmaResponder::AddTo(RdmaQueuePairStats& stats) const
{
    stats.reordering += m_receiver->GetReordering();
}

void
RdmaResponder::Acknowledge(int64_t selective, const QbbFrame& frame)
{
    SendAeth(RdmaAeth::ACK | RdmaAeth::NO_CREDITS,
             m_receiver->GetExpected() - 1,
             selective,
             &frame);
}

void
RdmaResponder::SendSequenceNak(int64_t selective, const QbbFrame& frame)
{
    SendAeth(RdmaAeth::NAK | RdmaAeth::PSN_SEQUENCE_ERROR,
             m_receiver->GetMissing(),
             selective,
             &frame);
}

void
RdmaResponder::Refuse(Fault fault, uint64_t packet, RdmaPs now)
{
    const auto selective = static_cast<int64_t>(packet);
    if (fault == Fault::NOT_READY)
    {
        SendAeth(RdmaAeth::RNR_NAK | m_endpoint.connection.minRnrTimer, packet, selective, nullptr);
        m_receiver->Refuse();
        return;
    }
    SendAeth(RdmaAeth::NAK | (fault == Fault::NO_ACCESS ? RdmaAeth::REMOTE_ACCESS_ERROR
                                                        : RdmaAeth::INVALID_REQUEST),
             packet,
             selective,
             nullptr);
    Refused(fault, packet, now);
}

void
RdmaResponder::Refused(Fault fault, uint64_t, RdmaPs now)
{
    Fail(fault, now);
}

void
RdmaResponder::Fail(Fault fault, RdmaPs now)
{
    if (fault == Fault::TOO_LONG)
    {
        CompleteReceive(RdmaWcStatus::LOC_LEN_ERR, RdmaArrivedRequest(), now);
    }
    // A fault in the peer's request: none of the local requests has failed.
    m_endpoint.Fail(RdmaWcStatus::WR_FLUSH_ERR, 0);
}

RdmaResponder::Fault
RdmaResponder::ValidateRead(const QbbFrame& frame) const
{
    RdmaMemoryAccess access;
    uint64_t length = frame.dmaLength;
    if (IsAtomic(GetOperation(frame.opcode)))
    {
        if (frame.virtualAddress % RDMA_ATOMIC_BYTES != 0)
        {
            return Fault::INVALID;
        }
        access.remoteAtomic = true;
        length = RDMA_ATOMIC_BYTES;
    }
    else
    {
        if (length > RDMA_MAX_MESSAGE_BYTES)
        {
            return Fault::INVALID;
        }
        access.remoteRead = true;
    }
    return m_endpoint.GetMemory().Allows(frame.rKey, frame.virtualAddress, length, access)
               ? Fault::NONE
               : Fault::NO_ACCESS;
}

void
RdmaResponder::Perform(const RdmaArrivedRequest& request, RdmaPs now)
{
    const RdmaOpcode operation = GetOperation(request.opcode);
    m_endpoint.connection.msn = (m_endpoint.connection.msn + 1) & QbbWire::MASK24;
    if (IsSend(operation) || IsWrite(operation))
    {
        // CompleteReceive() and MessageArrived() may call back and change the state.
        const RdmaMessageArrival arrival{m_endpoint.connection.qpn,
                                         request.bytes,
                                         m_endpoint.connection.msn,
                                         now,
                                         request.address};
        if (IsSend(operation) || GetRdmaOpcodeInfo(operation).immDt)
        {
            CompleteReceive(RdmaWcStatus::SUCCESS, request, now);
        }
        m_endpoint.MessageArrived(arrival);
        return;
    }
    RdmaResponse response;
    response.first = request.packet;
    response.msn = m_endpoint.connection.msn;
    response.wqeSn = request.wqeSn;
    if (operation == RdmaOpcode::RDMA_READ_REQUEST)
    {
        response.bytes = static_cast<uint32_t>(request.bytes);
        response.packets =
            static_cast<uint32_t>(GetRdmaPackets(request.bytes, m_endpoint.connection.pathMtu));
    }
    else
    {
        response.kind = RdmaResponse::Kind::ATOMIC;
        response.original = PerformAtomic(request);
    }
    Answer(response);
    if (IsReady())
    {
        m_endpoint.MakeReady();
    }
}

uint64_t
RdmaResponder::PerformAtomic(const RdmaArrivedRequest& request)
{
    RdmaMemory& memory = m_endpoint.GetMemory();
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

bool
RdmaResponder::HasReceives(uint32_t count)
{
    while (m_sharedReceives && m_receives.GetSize() < count && m_sharedReceives->GetSize() > 0)
    {
        m_receives.Push(m_sharedReceives->Take());
    }
    return m_receives.GetSize() >= count;
}

void
RdmaResponder::CompleteReceive(RdmaWcStatus status, const RdmaArrivedRequest& request, RdmaPs now)
{
    RdmaWorkCompletion completion;
    completion.id = m_receives.Pop().id;
    m_receiveSn = (m_receiveSn + 1) & QbbWire::MASK24;
    completion.status = status;
    completion.opcode = RdmaWcOpcode::RECV;
    completion.bytes = request.bytes;
    if (status == RdmaWcStatus::SUCCESS)
    {
        const RdmaOpcode operation = GetOperation(request.opcode);
        if (IsWrite(operation))
        {
            completion.opcode = RdmaWcOpcode::RECV_RDMA_WITH_IMM;
        }
        completion.hasImmediate = GetRdmaOpcodeInfo(operation).immDt;
        completion.immediate = completion.hasImmediate ? request.immediate : 0;
        completion.solicited = request.solicited;
    }
    completion.qpn = m_endpoint.connection.qpn;
    completion.time = now;
    m_endpoint.CompleteReceive(completion);
}

void
RdmaResponder::FlushReceives(RdmaPs now)
{
    if (m_flushing)
    {
        return; // called from a completion of the loop below, which flushes this request
    }
    constexpr uint32_t LIMIT = 1U << 20;
    m_flushing = true;
    const std::size_t posted = m_receives.GetSize();
    for (std::size_t i = 0;
         !m_receives.IsEmpty() && m_endpoint.connection.state == RdmaQpState::ERR;
         ++i)
    {
        NS_ABORT_MSG_IF(i > posted + LIMIT,
                        "rdma: QP " << m_endpoint.connection.qpn
                                    << " is in state ERR, and each receive request that it flushes "
                                       "is posted again: look at a completion's status first");
        CompleteReceive(RdmaWcStatus::WR_FLUSH_ERR, RdmaArrivedRequest(), now);
    }
    m_flushing = false;
}

void
RdmaResponder::FillAnswer(QbbFrame& frame, const RdmaResponse& response, uint64_t index) const
{
    static constexpr RdmaOpcode OPCODES[] = {RdmaOpcode::RDMA_READ_RESPONSE_MIDDLE,
                                             RdmaOpcode::RDMA_READ_RESPONSE_FIRST,
                                             RdmaOpcode::RDMA_READ_RESPONSE_LAST,
                                             RdmaOpcode::RDMA_READ_RESPONSE_ONLY};
    if (response.kind == RdmaResponse::Kind::ATOMIC)
    {
        frame.opcode = static_cast<uint8_t>(RdmaOpcode::ATOMIC_ACKNOWLEDGE);
        frame.compare = response.original;
    }
    else
    {
        const uint32_t mtu = m_endpoint.connection.pathMtu;
        const bool first = index == 0;
        const bool last = index + 1 == response.packets;
        frame.opcode = static_cast<uint8_t>(OPCODES[(first ? 1 : 0) + (last ? 2 : 0)]);
        frame.payload = last ? static_cast<uint32_t>(response.bytes - index * mtu) : mtu;
    }
}

void
RdmaResponder::FillAeth(QbbFrame& frame, const RdmaResponse& response)
{
    if (GetRdmaOpcodeInfo(frame.opcode).aeth)
    {
        frame.syndrome = RdmaAeth::ACK | RdmaAeth::NO_CREDITS;
        frame.msn = response.msn;
    }
}

} // namespace ns3
