/* SPDX-License-Identifier: GPL-2.0-only */

#include "irn-requester.h"

#include "irn-transport.h"
#include "qbb-wire.h"
#include "rdma-aeth.h"
#include "rdma-psn.h"

#include <ns3/log.h>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("IrnRequester");

IrnRequester::IrnRequester(RdmaEndpoint& endpoint, bool roceWrites)
    : RdmaRequester(endpoint),
      m_roceWrites(roceWrites)
{
}

void
IrnRequester::Reset()
{
    RdmaRequester::Reset();
    m_reads.reset();
    m_responsesPosted = 0;
    m_sendSn = 0;
    m_readSn = 0;
}

void
IrnRequester::SetDraining(bool drains)
{
    RdmaRequester::SetDraining(drains);
    if (m_reads)
    {
        m_end = std::min(m_end, m_reads->refused); // no packet from the refused one on is sent
    }
}

void
IrnRequester::AddTo(RdmaQueuePairStats& stats) const
{
    RdmaRequester::AddTo(stats);
    if (m_reads)
    {
        stats.responsesAccepted += m_reads->accepted;
        stats.responseTimeouts += m_reads->timeouts;
        stats.reordering += m_reads->receiver->GetReordering();
    }
}

void
IrnRequester::AssignNumbers(RdmaSendEntry& entry, uint64_t packets)
{
    if (IsRdmaRead(entry.request.opcode))
    {
        entry.packets = 1;
        entry.responses = static_cast<uint32_t>(packets);
        entry.firstResponse = m_responsesPosted;
        entry.wqeSn = m_readSn++ & QbbWire::MASK24;
        m_responsesPosted += packets;
        return;
    }
    entry.packets = static_cast<uint32_t>(packets);
    if (entry.request.opcode != RdmaWrOpcode::RDMA_WRITE)
    {
        entry.wqeSn = m_sendSn++ & QbbWire::MASK24;
    }
}

bool
IrnRequester::MayStartRead(const RdmaSendEntry&) const
{
    return true;
}

void
IrnRequester::StartRead(RdmaPs now)
{
    if (!m_reads)
    {
        m_reads = std::make_unique<Reads>();
        m_reads->receiver = m_endpoint.connection.transport->MakeReceiver();
    }
    if (m_outstandingReads++ == 0)
    {
        m_reads->cursor = m_released;
    }
    RestartReadTimer(now);
}

void
IrnRequester::FinishPacket(QbbFrame& frame, const RdmaSendEntry& entry, uint64_t index) const
{
    frame.ackReq = true;
    if (m_roceWrites && entry.request.opcode == RdmaWrOpcode::RDMA_WRITE)
    {
        return;
    }
    const auto opcode = RdmaToIrnOpcode(static_cast<RdmaOpcode>(frame.opcode));
    const RdmaOpcodeInfo& info = GetRdmaOpcodeInfo(opcode);
    frame.opcode = static_cast<uint8_t>(opcode);
    if (info.payload && info.reth)
    {
        // Each packet carries an address, because it may arrive before the first packet.
        frame.virtualAddress = entry.request.remoteAddress + index * m_endpoint.connection.pathMtu;
        frame.rKey = entry.request.rKey;
        frame.dmaLength = static_cast<uint32_t>(entry.request.length);
    }
    if (info.irnMessage)
    {
        frame.wqeSn = entry.wqeSn;
        frame.offset = static_cast<uint32_t>(index * m_endpoint.connection.pathMtu);
    }
}

int64_t
IrnRequester::GetSelective(const QbbFrame& frame) const
{
    return RdmaFromPsn(m_endpoint.connection.initialPsn, frame.selectivePsn, m_sender->GetAcked());
}

int64_t
IrnRequester::GetCause(const QbbFrame& frame, int64_t, uint64_t acked) const
{
    return RdmaFromPsn(m_endpoint.connection.initialPsn, frame.selectivePsn, acked);
}

bool
IrnRequester::IsAnswered(const RdmaSendEntry& entry) const
{
    return entry.responses == 0 || entry.GetResponsesEnd() <= m_reads->receiver->GetExpected();
}

void
IrnRequester::OldestRequestCompleted()
{
    if (m_reads)
    {
        m_reads->cursor -= m_reads->cursor > 0;
    }
}

bool
IrnRequester::DeferFailure(uint64_t refused, RdmaWcStatus status)
{
    if (m_sends.Front().GetEnd() > refused)
    {
        return false;
    }
    // Earlier READs wait for responses that the NAK has overtaken.
    m_reads->refused = refused;
    m_reads->refusal = status;
    m_end = refused;
    return true;
}

const IrnTransport&
IrnRequester::GetIrnTransport() const
{
    return static_cast<const IrnTransport&>(*m_endpoint.connection.transport);
}

void
IrnRequester::RestartReadTimer(RdmaPs now)
{
    // The responder retransmits responses on its own. This timer detects a responder that is dead
    // or has lost the request: the request is acknowledged, so no retry would report the failure.
    const RdmaPs timeout =
        m_endpoint.connection.GetLimits().timeout.value_or(GetIrnTransport().GetResponseTimeout());
    m_endpoint.connection.readDeadline =
        timeout > 0_ps && m_outstandingReads > 0 ? now + timeout : RdmaSender::NO_DEADLINE;
}

void
IrnRequester::OnReadTimer(RdmaPs now)
{
    if (m_outstandingReads == 0)
    {
        return;
    }
    const RdmaSendEntry& entry = m_sends[m_reads->cursor];
    if (entry.firstPacket >= m_sender->GetAcked())
    {
        RestartReadTimer(now); // the request is unacknowledged: the send timer handles it
        return;
    }
    ++m_reads->timeouts;
    const uint32_t limit = m_endpoint.connection.GetLimits().retryCount.value_or(
        m_endpoint.connection.transport->GetRetryCount());
    if (++m_reads->retries > limit)
    {
        m_endpoint.Fail(RdmaWcStatus::RETRY_EXC_ERR, entry.firstPacket);
        return;
    }
    m_endpoint.connection.probeReady = true;
    m_endpoint.Activate();
    RestartReadTimer(now);
}

void
IrnRequester::Resume(uint64_t receives)
{
    m_sendSn = static_cast<uint32_t>(receives & QbbWire::MASK24);
}

QbbFramePtr
IrnRequester::MakeProbe()
{
    // The probe is a NAK for the missing response. Two equal PSNs in a NAK acknowledge no response
    // selectively.
    m_endpoint.connection.probeReady = false;
    const uint32_t psn =
        RdmaToPsn(m_endpoint.connection.remotePsn, m_reads->receiver->GetExpected());
    return m_endpoint.NewAeth(RdmaOpcode::IRN_READ_ACKNOWLEDGE,
                              RdmaAeth::NAK | RdmaAeth::PSN_SEQUENCE_ERROR,
                              psn,
                              psn);
}

void
IrnRequester::Receive(const QbbFrame& frame, const RdmaOpcodeInfo& info, RdmaPs now)
{
    if (frame.opcode == static_cast<uint8_t>(RdmaOpcode::IRN_ACKNOWLEDGE))
    {
        ReceiveAcknowledgement(frame, now);
    }
    else if (info.irn && m_reads)
    {
        ReceiveResponse(frame, now);
    }
    else
    {
        m_endpoint.Drop(frame, QbbDropReason::UNEXPECTED);
    }
}

void
IrnRequester::ReceiveResponse(const QbbFrame& frame, RdmaPs now)
{
    RdmaReceiver& receiver = *m_reads->receiver;
    const int64_t response =
        RdmaFromPsn(m_endpoint.connection.remotePsn, frame.psn, receiver.GetExpected());
    const auto number = static_cast<uint64_t>(response);
    const RdmaReceiverVerdict verdict = receiver.Check(response);
    RdmaSenderEvent event;
    switch (verdict)
    {
    case RdmaReceiverVerdict::ACCEPT:
    case RdmaReceiverVerdict::RESTART:
    case RdmaReceiverVerdict::EARLY: {
        if (m_outstandingReads == 0)
        {
            m_endpoint.Drop(frame, QbbDropReason::UNEXPECTED);
            return;
        }
        RdmaSendEntry* entry = FindRead(m_reads->cursor, number);
        if (!entry || !IsAnswer(*entry, number, frame) || frame.wqeSn != entry->wqeSn)
        {
            NS_LOG_WARN("QP " << m_endpoint.connection.qpn
                              << " has a response that does not fit its request");
            FailInOrder(RdmaWcStatus::BAD_RESP_ERR, m_sends[m_reads->cursor].firstPacket, now);
            return;
        }
        receiver.Accept(number, 1, number + 1 == entry->GetResponsesEnd());
        ++m_reads->accepted;
        if (entry->request.opcode != RdmaWrOpcode::RDMA_READ)
        {
            entry->original = frame.compare;
        }
        // The request was executed in order, so all requests up to it have arrived. The response
        // acknowledges nothing if the request is acknowledged already.
        if (entry->firstPacket >= m_sender->GetAcked())
        {
            event = m_sender->OnAck(static_cast<int64_t>(entry->firstPacket), now);
        }
        break;
    }
    case RdmaReceiverVerdict::DUPLICATE:
        ++m_endpoint.connection.counters.duplicates;
        break;
    case RdmaReceiverVerdict::GAP:
        break;
    case RdmaReceiverVerdict::IGNORE:
        ++m_endpoint.connection.counters.outOfOrder;
        return;
    }
    const uint64_t expected = receiver.GetExpected();
    if (response >= static_cast<int64_t>(expected))
    {
        m_endpoint.connection.counters.outOfOrder += verdict != RdmaReceiverVerdict::DUPLICATE;
        m_endpoint.SendIrnAeth(RdmaOpcode::IRN_READ_ACKNOWLEDGE,
                               RdmaAeth::NAK | RdmaAeth::PSN_SEQUENCE_ERROR,
                               receiver.GetMissing(),
                               response,
                               &frame,
                               GetIrnTransport().UsesGapRule() ? receiver.GetArrivedBefore(response)
                                                               : 0);
    }
    else
    {
        m_endpoint.SendIrnAeth(RdmaOpcode::IRN_READ_ACKNOWLEDGE,
                               RdmaAeth::ACK | RdmaAeth::NO_CREDITS,
                               expected - 1,
                               response,
                               &frame);
    }
    m_reads->retries = 0;
    while (m_outstandingReads > 0 && m_sends[m_reads->cursor].GetResponsesEnd() <= expected)
    {
        --m_outstandingReads;
        do
        {
            ++m_reads->cursor;
        } while (m_outstandingReads > 0 && m_sends[m_reads->cursor].responses == 0);
    }
    RestartReadTimer(now);
    Handle(event, now);
    if (m_reads && !m_sends.IsEmpty() && m_sends.Front().Has(m_reads->refused))
    {
        m_endpoint.Fail(m_reads->refusal, m_reads->refused);
        return;
    }
    Release(now);
}

} // namespace ns3
