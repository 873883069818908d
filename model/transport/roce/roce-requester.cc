/* SPDX-License-Identifier: GPL-2.0-only */

#include "roce-requester.h"

#include "rdma-aeth.h"
#include "rdma-psn.h"
#include "rdma-send-times.h"
#include "roce-spread-sender.h"

#include <ns3/abort.h>
#include <ns3/log.h>

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RoceRequester");

RoceRequester::RoceRequester(RdmaEndpoint& endpoint, bool outOfOrder)
    : RdmaRequester(endpoint),
      m_outOfOrder(outOfOrder)
{
}

RoceRequester::~RoceRequester() = default;

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
    if (m_reads)
    {
        stats.responsesAccepted += m_reads->accepted;
        stats.reordering += m_reads->order ? m_reads->order->reordering : RdmaReordering();
    }
}

RoceSpreadSender&
RoceRequester::GetSpreadSender()
{
    return static_cast<RoceSpreadSender&>(GetSender());
}

RdmaGapLimits
RoceRequester::GetLimits() const
{
    RdmaGapLimits limits = m_endpoint.connection.transport->GetGapLimits();
    if (m_endpoint.connection.timerOff)
    {
        limits.age = RDMA_NEVER; // the network loses no packet
    }
    return limits;
}

int64_t
RoceRequester::GetSelective(const QbbFrame& frame) const
{
    // The NAK of a receiver that keeps packets out of order has the length of the gap as its MSN.
    return m_outOfOrder && frame.solicited
               ? RdmaFromPsn(m_endpoint.connection.initialPsn, frame.psn, m_sender->GetArrived()) +
                     frame.msn
               : RdmaSender::NO_PACKET;
}

int64_t
RoceRequester::GetCause(const QbbFrame& frame, int64_t packet, uint64_t acked) const
{
    if (!m_outOfOrder || m_endpoint.connection.ackInterval > 1)
    {
        return packet;
    }
    // The packet that closes a gap is the first of those that the acknowledgement adds. Nothing
    // tells which packet an acknowledgement without progress is for.
    const auto first = static_cast<int64_t>(acked);
    return packet >= first && !frame.solicited ? first : RdmaSendTimes::NO_PACKET;
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
RoceRequester::StartRead(RdmaPs now)
{
    if (!m_reads)
    {
        m_reads = std::make_unique<Reads>();
        if (m_outOfOrder)
        {
            m_reads->order = std::make_unique<Order>();
        }
    }
    if (m_outstandingReads++ == 0)
    {
        m_reads->cursor = m_released;
        m_reads->next = m_sends[m_released].firstResponse;
        if (m_reads->order)
        {
            m_reads->order->received.Advance(m_reads->next);
            GetSpreadSender().SetHold(m_reads->next, now);
        }
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
    if (m_reads->order)
    {
        // The sender counts the packets up to the missing response alone as acknowledged. The
        // acknowledgement may have overtaken the response.
        m_reads->order->gaps.Arrived(static_cast<uint64_t>(end), now);
        Judge(now);
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
        if (m_reads->order && AwaitsResponse())
        {
            AskForResponses(m_reads->next); // the repeated request, or its responses, may be lost
        }
    }
}

bool
RoceRequester::DeferFailure(uint64_t refused, RdmaWcStatus status)
{
    if (!m_reads || !m_reads->order || !AwaitsResponse() || m_reads->next >= refused)
    {
        return false;
    }
    // The peer sends a refusal behind the responses to earlier requests, and the refusal has
    // overtaken some of them.
    m_reads->order->refused = refused;
    m_reads->order->refusal = status;
    return true;
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
    else if (frame.opcode == static_cast<uint8_t>(RdmaOpcode::ACKNOWLEDGE) &&
             (frame.syndrome & RdmaAeth::KIND_MASK) == RdmaAeth::GAP)
    {
        if (m_outOfOrder)
        {
            ReceiveGap(frame, now);
        }
    }
    else if (frame.opcode == static_cast<uint8_t>(RdmaOpcode::ACKNOWLEDGE))
    {
        if (m_outOfOrder)
        {
            GetSpreadSender().NoteKept(frame.solicited ? frame.msn : 0);
        }
        ReceiveAcknowledgement(frame, now);
    }
    else
    {
        ReceiveResponse(frame, now);
    }
}

void
RoceRequester::ReceiveGap(const QbbFrame& frame, RdmaPs now)
{
    ++m_endpoint.connection.counters.naksReceived;
    const auto end = GetSelective(frame);
    const RdmaSenderEvent event = GetSpreadSender().OnGap(end - frame.msn, end);
    if (m_endpoint.connection.reaction)
    {
        const uint64_t before = m_sender->GetArrived() + m_sender->GetAhead();
        m_endpoint.connection.reaction->RequestsAcked(
            {frame, RdmaSendTimes::NO_PACKET, before, before, true},
            now);
    }
    Handle(event, now);
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
    if (m_reads->order && response >= next)
    {
        TakeResponse(frame, static_cast<uint64_t>(response), now);
        return;
    }
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

void
RoceRequester::TakeResponse(const QbbFrame& frame, uint64_t response, RdmaPs now)
{
    Order& order = *m_reads->order;
    RdmaSendEntry* const entry = FindRead(m_reads->cursor, response);
    if (!entry || order.received.Test(response))
    {
        ++m_endpoint.connection.counters.duplicates;
        if (response < order.askedEnd)
        {
            order.gaps.Mistook();
        }
        Judge(now); // a timeout may have made this node repeat its last request
        return;
    }
    if (!IsAnswer(*entry, response, frame))
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
    const uint64_t end = entry->GetEnd();
    if (response >= order.askedEnd && response < order.gaps.GetEnd())
    {
        order.gaps.Overtaken(response, now);
    }
    order.received.Set(response);
    if (response == m_reads->next)
    {
        AdvanceReads();
    }
    else
    {
        ++m_endpoint.connection.counters.outOfOrder;
        order.reordering += {response - m_reads->next, order.received.GetCount(), 0};
        order.gaps.Arrived(response + 1, now);
    }
    // A response implies that its request and all earlier ones have arrived.
    const bool reaches = GetSpreadSender().Reach(end, now);
    const uint64_t hold = AwaitsResponse() ? m_reads->next : RoceSpreadSender::NO_HOLD;
    const bool moves = GetSpreadSender().SetHold(hold, now);
    if (order.refused != NONE && hold >= order.refused)
    {
        FailInOrder(order.refusal, std::exchange(order.refused, NONE), now);
        return;
    }
    RdmaSenderEvent event;
    event.mayBegin = reaches || moves;
    Judge(now);
    Handle(event, now);
    Release(now);
}

void
RoceRequester::AdvanceReads()
{
    Order& order = *m_reads->order;
    while (m_reads->next != NONE)
    {
        const uint64_t end = m_sends[m_reads->cursor].GetResponsesEnd();
        m_reads->next = std::min(order.received.FindClear(m_reads->next), end);
        if (m_reads->next < end)
        {
            break;
        }
        m_reads->next = NONE;
        if (--m_outstandingReads > 0)
        {
            do
            {
                ++m_reads->cursor;
            } while (m_sends[m_reads->cursor].responses == 0);
            m_reads->next = m_sends[m_reads->cursor].firstResponse;
        }
        order.received.Advance(m_reads->next != NONE ? m_reads->next : end);
    }
    if (m_reads->next != NONE)
    {
        order.received.Advance(m_reads->next);
    }
    order.gaps.Complete(order.received.GetBase());
}

void
RoceRequester::AskForResponses(uint64_t first)
{
    Order& order = *m_reads->order;
    const uint64_t end = m_sends[m_reads->cursor].GetResponsesEnd();
    order.askedEnd = std::min(order.received.FindSet(first), end);
    GetSpreadSender().Repeat(first, order.askedEnd);
}

void
RoceRequester::Judge(RdmaPs now)
{
    Order& order = *m_reads->order;
    const RdmaGapLimits limits = GetLimits();
    const uint64_t lostEnd = order.gaps.GetLostEnd(limits, now);
    bool asks = false;
    while (AwaitsResponse())
    {
        // Gaps of later READs follow when their turn comes.
        const uint64_t first = order.received.FindClear(std::max(m_reads->next, order.askedEnd));
        if (first >= std::min(lostEnd, m_sends[m_reads->cursor].GetResponsesEnd()))
        {
            break;
        }
        AskForResponses(first);
        asks = true;
    }
    if (asks && CanSend())
    {
        m_endpoint.MakeReady();
    }
    m_endpoint.connection.readDeadline = order.gaps.GetDeadline(limits);
}

void
RoceRequester::OnReadTimer(RdmaPs now)
{
    if (m_reads && m_reads->order)
    {
        Judge(now);
    }
}

} // namespace ns3
