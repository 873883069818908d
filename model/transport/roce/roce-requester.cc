/* SPDX-License-Identifier: GPL-2.0-only */

#include "roce-requester.h"

#include "rdma-psn.h"

#include <ns3/abort.h>
#include <ns3/log.h>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RoceRequester");

void
RoceRequester::Reset()
{
    RdmaRequester::Reset();
    m_reads.reset();
}

void
RoceRequester::End()
{
    RdmaRequester::End();
    if (m_reads)
    {
        m_reads->next = NONE;
    }
}

void
RoceRequester::AddTo(RdmaQueuePairStats& stats) const
{
    RdmaRequester::AddTo(stats);
    stats.responsesAccepted += m_reads ? m_reads->accepted : 0;
}

void
RoceRequester::AssignNumbers(RdmaSendEntry& entry, uint64_t packets)
{
    entry.packets = static_cast<uint32_t>(packets);
    if (IsRdmaRead(entry.request.opcode))
    {
        const uint32_t mtu = m_endpoint.connection.pathMtu;
        NS_ABORT_MSG_IF(packets >= RDMA_MAX_WINDOW,
                        "rdma: a READ of " << entry.request.length << " bytes at path MTU " << mtu
                                           << "; accepted: below " << RDMA_MAX_WINDOW * mtu
                                           << ", for its responses take PSNs");
        entry.responses = entry.packets;
        entry.firstResponse = entry.firstPacket;
    }
}

bool
RoceRequester::MayStartRead(const RdmaSendEntry& entry) const
{
    return entry.GetEnd() - m_sender->GetAcked() < RDMA_MAX_WINDOW;
}

void
RoceRequester::StartRead(RdmaPs)
{
    if (!m_reads)
    {
        m_reads = std::make_unique<Reads>();
    }
    if (m_outstandingReads++ == 0)
    {
        m_reads->cursor = m_released;
        m_reads->next = m_sends[m_released].firstResponse;
    }
}

bool
RoceRequester::AwaitsResponse() const
{
    return m_reads && m_reads->next != NONE;
}

bool
RoceRequester::FindsLostResponses(int64_t end, RdmaPs now)
{
    if (!AwaitsResponse() || end <= static_cast<int64_t>(m_reads->next))
    {
        return false;
    }
    // The responder sends acknowledgements after earlier responses: missing ones are lost.
    RecoverLostResponse(now);
    return true;
}

void
RoceRequester::OldestRequestCompleted()
{
    if (m_reads)
    {
        m_reads->cursor -= m_reads->cursor > 0;
    }
}

void
RoceRequester::SendTimerExpired()
{
    if (m_reads)
    {
        m_reads->requested = false;
    }
}

void
RoceRequester::RecoverLostResponse(RdmaPs now)
{
    if (!m_reads->requested)
    {
        m_reads->requested = true;
        const auto missing = static_cast<int64_t>(m_reads->next);
        Handle(m_sender->OnNak(missing, RdmaSender::NO_PACKET, now), now);
    }
}

void
RoceRequester::Receive(const QbbFrame& frame, const RdmaOpcodeInfo& info, RdmaPs now)
{
    if (info.irn)
    {
        m_endpoint.Drop(frame, QbbDropReason::UNEXPECTED);
    }
    else if (frame.opcode == static_cast<uint8_t>(RdmaOpcode::ACKNOWLEDGE))
    {
        ReceiveAcknowledgement(frame, now);
    }
    else
    {
        ReceiveResponse(frame, now);
    }
}

void
RoceRequester::ReceiveResponse(const QbbFrame& frame, RdmaPs now)
{
    if (!AwaitsResponse())
    {
        ++m_endpoint.connection.counters.duplicates; // response to a completed READ or atomic
        return;
    }
    const int64_t response =
        RdmaFromPsn(m_endpoint.connection.initialPsn, frame.psn, m_reads->next);
    const auto next = static_cast<int64_t>(m_reads->next);
    if (response != next)
    {
        ++(response < next ? m_endpoint.connection.counters.duplicates
                           : m_endpoint.connection.counters.outOfOrder);
        if (response > next)
        {
            RecoverLostResponse(now);
        }
        return;
    }
    RdmaSendEntry* entry = &m_sends[m_reads->cursor];
    if (!IsAnswer(*entry, m_reads->next, frame))
    {
        NS_LOG_WARN("QP " << m_endpoint.connection.qpn
                          << " has a response that does not fit its request");
        FailInOrder(RdmaWcStatus::BAD_RESP_ERR, entry->firstPacket, now);
        return;
    }
    ++m_reads->accepted;
    if (entry->request.opcode != RdmaWrOpcode::RDMA_READ)
    {
        entry->original = frame.compare;
    }
    m_reads->requested = false;
    if (++m_reads->next == entry->GetResponsesEnd())
    {
        m_reads->next = NONE;
        if (--m_outstandingReads > 0)
        {
            do
            {
                entry = &m_sends[++m_reads->cursor];
            } while (entry->responses == 0);
            m_reads->next = entry->firstResponse;
        }
    }
    // A response implies that all earlier requests have arrived.
    Handle(m_sender->OnAck(response, now), now);
    Release(now);
}

} // namespace ns3
