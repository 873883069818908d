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
    m_nextResponse = NONE;
    m_reading = 0;
    m_accepted = 0;
    m_told = false;
}

void
RoceRequester::End()
{
    RdmaRequester::End();
    m_nextResponse = NONE;
}

void
RoceRequester::AddTo(RdmaQueuePairStats& stats) const
{
    RdmaRequester::AddTo(stats);
    stats.responsesAccepted += m_accepted;
}

void
RoceRequester::Number(RdmaSendEntry& entry, uint64_t packets)
{
    entry.packets = static_cast<uint32_t>(packets);
    if (IsRdmaRead(entry.request.opcode))
    {
        const uint32_t mtu = m_connection.pathMtu;
        NS_ABORT_MSG_IF(packets >= RDMA_MAX_WINDOW,
                        "rdma: a READ of " << entry.request.length << " bytes at path MTU " << mtu
                                           << "; accepted: below " << RDMA_MAX_WINDOW * mtu
                                           << ", for its responses take PSNs");
        entry.responses = entry.packets;
        entry.firstResponse = entry.firstPacket;
    }
}

bool
RoceRequester::MayBeginRead(const RdmaSendEntry& entry) const
{
    return entry.GetEnd() - m_sender->GetAcked() < RDMA_MAX_WINDOW;
}

void
RoceRequester::ReadBegins(int64_t)
{
    if (m_outstandingReads++ == 0)
    {
        m_reading = m_released;
        m_nextResponse = m_sends[m_released].firstResponse;
    }
}

bool
RoceRequester::AwaitsResponse() const
{
    return m_nextResponse != NONE;
}

bool
RoceRequester::OverlooksResponses(int64_t end, int64_t nowPs)
{
    if (!AwaitsResponse() || end <= static_cast<int64_t>(m_nextResponse))
    {
        return false;
    }
    // The responder says this after its responses, so they are lost.
    MissResponse(nowPs);
    return true;
}

void
RoceRequester::EntryLeaves()
{
    m_reading -= m_reading > 0;
}

void
RoceRequester::GoesBack()
{
    m_told = false;
}

void
RoceRequester::MissResponse(int64_t nowPs)
{
    if (!m_told)
    {
        m_told = true;
        Handle(m_sender->OnNak(static_cast<int64_t>(m_nextResponse), RdmaSender::NO_PACKET, nowPs),
               nowPs);
    }
}

void
RoceRequester::Receive(const QbbFrame& frame, const RdmaOpcodeInfo& info, int64_t nowPs)
{
    if (info.irn)
    {
        m_endpoint.Drop(frame, QbbDropReason::UNEXPECTED);
    }
    else if (frame.opcode == static_cast<uint8_t>(RdmaOpcode::ACKNOWLEDGE))
    {
        ReceiveAcknowledgement(frame, nowPs);
    }
    else
    {
        ReceiveResponse(frame, nowPs);
    }
}

void
RoceRequester::ReceiveResponse(const QbbFrame& frame, int64_t nowPs)
{
    if (!AwaitsResponse())
    {
        ++m_connection.counters.duplicates; // of a READ that is complete
        return;
    }
    const int64_t response = RdmaFromPsn(m_connection.initialPsn, frame.psn, m_nextResponse);
    const auto next = static_cast<int64_t>(m_nextResponse);
    if (response != next)
    {
        ++(response < next ? m_connection.counters.duplicates : m_connection.counters.outOfOrder);
        if (response > next)
        {
            MissResponse(nowPs);
        }
        return;
    }
    RdmaSendEntry* entry = &m_sends[m_reading];
    if (!IsAnswer(*entry, m_nextResponse, frame))
    {
        NS_LOG_WARN("QP " << m_connection.qpn << " has a response that does not fit its request");
        m_endpoint.Fail(RdmaWcStatus::BAD_RESP_ERR, entry->firstPacket);
        return;
    }
    ++m_accepted;
    if (entry->request.opcode != RdmaWrOpcode::RDMA_READ)
    {
        entry->original = frame.compare;
    }
    m_told = false;
    if (++m_nextResponse == entry->GetResponsesEnd())
    {
        m_nextResponse = NONE;
        if (--m_outstandingReads > 0)
        {
            do
            {
                entry = &m_sends[++m_reading];
            } while (entry->responses == 0);
            m_nextResponse = entry->firstResponse;
        }
    }
    // A response says that all requests before it have arrived.
    Handle(m_sender->OnAck(response, nowPs), nowPs);
    Release(nowPs);
}

} // namespace ns3
