/* SPDX-License-Identifier: GPL-2.0-only */

/**
 * \file
 * \ingroup rdma
 * A queue pair's READs and atomics that have begun: what comes back, and what does not.
 *
 * With RoCE responses have numbers of the request stream and come in order; m_barrier is the next
 * one. With IRN they are a stream of their own, with acknowledgements of its own.
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

NS_LOG_COMPONENT_DEFINE("RdmaQueuePairReads");

RdmaQueuePair::Reads::Reads(RdmaQueuePair* qp)
    : timer(qp, QbbEventOrder::NIC_TIMER)
{
    if (qp->IsIrn())
    {
        receiver = qp->m_transport->MakeReceiver();
    }
}

void
RdmaQueuePair::BeginRead()
{
    if (!m_reads)
    {
        m_reads = std::make_unique<Reads>(this);
    }
    if (m_outstandingReads++ == 0)
    {
        m_reads->cursor = m_released;
        if (!IsIrn())
        {
            m_barrier = m_sends[m_released].firstResponse;
        }
    }
    WatchReads();
}

void
RdmaQueuePair::EndReads()
{
    m_outstandingReads = 0;
    m_barrier = NO_BARRIER;
    if (m_reads)
    {
        m_reads->probe = false;
        m_reads->timer.Disarm();
        SyncResponses();
    }
}

void
RdmaQueuePair::WatchReads()
{
    // The responder repeats responses by itself. This timer is for one that is dead, or that has
    // forgotten: no request is outstanding then whose retries would tell.
    const int64_t timeoutPs =
        IsIrn() ? GetLimits().timeoutPs.value_or(m_transport->GetResponseTimeoutPs()) : 0;
    if (timeoutPs > 0 && m_outstandingReads > 0)
    {
        m_reads->timer.Arm(QbbNowPs() + timeoutPs);
    }
    else
    {
        m_reads->timer.Disarm();
    }
}

void
RdmaQueuePair::OnReadTimer()
{
    if (m_outstandingReads == 0)
    {
        return;
    }
    if (m_sends[m_reads->cursor].firstPacket >= m_sender->GetAcked())
    {
        WatchReads(); // the request has not arrived; its own timer sees to that
        return;
    }
    ++m_reads->timeouts;
    if (++m_reads->retries > GetLimits().retryCount.value_or(m_transport->GetRetryCount()))
    {
        Fail(RdmaWcStatus::RETRY_EXC_ERR, m_sends[m_reads->cursor].firstPacket);
        return;
    }
    m_reads->probe = true;
    m_responsesReady = true;
    m_nic->Activate(this);
    WatchReads();
}

void
RdmaQueuePair::MissResponse()
{
    if (!m_reads->told)
    {
        m_reads->told = true;
        Handle(m_sender->OnNak(static_cast<int64_t>(m_barrier), RdmaSender::NO_PACKET, QbbNowPs()));
    }
}

RdmaQueuePair::SendEntry*
RdmaQueuePair::FindRead(uint64_t response)
{
    uint32_t left = m_outstandingReads;
    for (std::size_t i = m_reads ? m_reads->cursor : 0; left > 0 && i < m_released; ++i)
    {
        SendEntry& entry = m_sends[i];
        if (entry.responses > 0)
        {
            if (response >= entry.firstResponse && response < entry.firstResponse + entry.responses)
            {
                return &entry;
            }
            --left;
        }
    }
    return nullptr;
}

bool
RdmaQueuePair::IsAnswer(const SendEntry& entry, uint64_t response, const QbbFrame& frame) const
{
    const uint64_t index = response - entry.firstResponse;
    const auto opcode = static_cast<RdmaOpcode>(frame.opcode & RDMA_OPERATION_MASK);
    if (entry.request.opcode != RdmaWrOpcode::RDMA_READ)
    {
        return opcode == RdmaOpcode::ATOMIC_ACKNOWLEDGE;
    }
    const bool last = index + 1 == entry.responses;
    return opcode != RdmaOpcode::ATOMIC_ACKNOWLEDGE &&
           frame.payload == (last ? entry.request.length - index * m_pathMtu : m_pathMtu);
}

void
RdmaQueuePair::AcceptResponse(SendEntry& entry, const QbbFrame& frame)
{
    ++m_reads->accepted;
    if (entry.request.opcode != RdmaWrOpcode::RDMA_READ)
    {
        entry.original = frame.compare;
    }
}

void
RdmaQueuePair::ReceiveReadResponse(const QbbFrame& frame)
{
    if (m_barrier == NO_BARRIER)
    {
        ++m_stats.duplicates; // of a READ that is complete
        return;
    }
    const int64_t response = RdmaFromPsn(m_initialPsn, frame.psn, m_barrier);
    const auto barrier = static_cast<int64_t>(m_barrier);
    if (response != barrier)
    {
        ++(response < barrier ? m_stats.duplicates : m_stats.outOfOrder);
        if (response > barrier)
        {
            MissResponse();
        }
        return;
    }
    SendEntry* entry = &m_sends[m_reads->cursor];
    if (!IsAnswer(*entry, m_barrier, frame))
    {
        NS_LOG_WARN("QP " << m_qpn << " has a response that does not fit its request");
        Fail(RdmaWcStatus::BAD_RESP_ERR, entry->firstPacket);
        return;
    }
    AcceptResponse(*entry, frame);
    m_reads->told = false;
    ++m_barrier;
    if (m_barrier == entry->firstResponse + entry->responses)
    {
        m_barrier = NO_BARRIER;
        if (--m_outstandingReads > 0)
        {
            do
            {
                entry = &m_sends[++m_reads->cursor];
            } while (entry->responses == 0);
            m_barrier = entry->firstResponse;
        }
    }
    // A response says that all requests before it have arrived.
    Handle(m_sender->OnAck(response, QbbNowPs()));
    ReleaseSends();
}

void
RdmaQueuePair::ReceiveIrnResponse(const QbbFrame& frame)
{
    if (!m_reads)
    {
        GetPort()->CountDrop(frame, QbbDropReason::UNEXPECTED);
        return;
    }
    RdmaReceiver& receiver = *m_reads->receiver;
    const int64_t response = RdmaFromPsn(m_remotePsn, frame.psn, receiver.GetExpected());
    const RdmaReceiverVerdict verdict = receiver.Check(response);
    RdmaSenderEvent event;
    switch (verdict)
    {
    case RdmaReceiverVerdict::ACCEPT:
    case RdmaReceiverVerdict::RESTART:
    case RdmaReceiverVerdict::EARLY: {
        SendEntry* entry = FindRead(static_cast<uint64_t>(response));
        if (m_outstandingReads == 0)
        {
            GetPort()->CountDrop(frame, QbbDropReason::UNEXPECTED);
            return;
        }
        if (!entry || !IsAnswer(*entry, static_cast<uint64_t>(response), frame) ||
            frame.wqeSn != entry->wqeSn)
        {
            NS_LOG_WARN("QP " << m_qpn << " has a response that does not fit its request");
            Fail(RdmaWcStatus::BAD_RESP_ERR, m_sends[m_reads->cursor].firstPacket);
            return;
        }
        const bool last =
            static_cast<uint64_t>(response) + 1 == entry->firstResponse + entry->responses;
        receiver.Accept(static_cast<uint64_t>(response), 1, last);
        AcceptResponse(*entry, frame);
        // It was executed in order, so all requests up to it have arrived. What is known already
        // is no acknowledgement: the stream of responses says nothing of the requests behind.
        if (entry->firstPacket >= m_sender->GetAcked())
        {
            event = m_sender->OnAck(static_cast<int64_t>(entry->firstPacket), QbbNowPs());
        }
        break;
    }
    case RdmaReceiverVerdict::DUPLICATE:
        ++m_stats.duplicates;
        break;
    case RdmaReceiverVerdict::GAP:
        break;
    case RdmaReceiverVerdict::IGNORE:
        ++m_stats.outOfOrder;
        return;
    }
    const bool early = response >= static_cast<int64_t>(receiver.GetExpected());
    if (early)
    {
        m_stats.outOfOrder += verdict != RdmaReceiverVerdict::DUPLICATE;
        SendReadAcknowledge(RdmaAeth::NAK | RdmaAeth::PSN_SEQUENCE_ERROR,
                            receiver.GetMissing(),
                            response,
                            frame);
    }
    else
    {
        SendReadAcknowledge(RdmaAeth::ACK | RdmaAeth::NO_CREDITS,
                            receiver.GetExpected() - 1,
                            response,
                            frame);
    }
    m_reads->retries = 0;
    while (m_outstandingReads > 0 &&
           m_sends[m_reads->cursor].firstResponse + m_sends[m_reads->cursor].responses <=
               receiver.GetExpected())
    {
        --m_outstandingReads;
        do
        {
            ++m_reads->cursor;
        } while (m_outstandingReads > 0 && m_sends[m_reads->cursor].responses == 0);
    }
    WatchReads();
    Handle(event);
    if (m_reads && !m_sends.IsEmpty() && IsRefused(m_sends.Front()))
    {
        Fail(m_reads->refusal, m_reads->refused);
        return;
    }
    ReleaseSends();
}

void
RdmaQueuePair::SendReadAcknowledge(uint8_t syndrome,
                                   uint64_t packet,
                                   int64_t selective,
                                   const QbbFrame& cause)
{
    QbbNetDevice& port = m_nic->GetDevice(m_port);
    QbbFramePtr frame = MakeAeth(RdmaOpcode::IRN_READ_ACKNOWLEDGE,
                                 syndrome,
                                 RdmaToPsn(m_remotePsn, packet),
                                 RdmaToPsn(m_remotePsn, static_cast<uint64_t>(selective)));
    if (cause.intRoom > 0 || cause.pint != 0)
    {
        Echo(cause, *frame);
    }
    port.Enqueue(std::move(frame), port.GetArrivalFs());
}

QbbFramePtr
RdmaQueuePair::MakeProbe()
{
    // A NAK for the response that is missing; it is no news of any other.
    m_reads->probe = false;
    const uint32_t psn = RdmaToPsn(m_remotePsn, m_reads->receiver->GetExpected());
    return MakeAeth(RdmaOpcode::IRN_READ_ACKNOWLEDGE,
                    RdmaAeth::NAK | RdmaAeth::PSN_SEQUENCE_ERROR,
                    psn,
                    psn);
}

} // namespace ns3
