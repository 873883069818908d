/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-connection-receiver.h"

#include "rdma-nic.h"
#include "rdma-packet-engine.h"
#include "rdma-response.h"
#include "rdma-time.h"

#include <ns3/abort.h>

#include <algorithm>
#include <utility>

namespace ns3
{

RdmaConnectionReceiver::RdmaConnectionReceiver(RdmaConnectionTerms&& terms)
    : RdmaConnectionHalf(std::move(terms)),
      m_receivers(m_lanes.size()),
      m_idle(this)
{
}

RdmaConnectionReceiver::~RdmaConnectionReceiver()
{
    for (const Receiver& receiver : m_receivers)
    {
        if (receiver.queuePair)
        {
            receiver.queuePair->SetUser(nullptr, 0);
        }
    }
}

/* Events of the nodes of the NICs */

Ptr<RdmaQueuePair>
RdmaConnectionReceiver::Open(uint32_t lane)
{
    const RdmaLane& ends = m_lanes[lane];
    Receiver& receiver = m_receivers[lane];
    receiver.queuePair = OpenRdmaLane(m_host.GetNic(ends.destination.nic),
                                      ends.destination,
                                      ends.source,
                                      m_priority,
                                      0,
                                      true);
    receiver.queuePair->SetUser(this, lane);
    if (receiver.packets > 0)
    {
        receiver.queuePair->ResumeResponder(receiver.packets, receiver.parts, receiver.parts);
    }
    // A part that has arrived has given its request back before the source knows, so that the peer
    // never finds none.
    for (uint32_t i = 0; i < m_depth; ++i)
    {
        receiver.queuePair->PostReceive({0, RDMA_MAX_MESSAGE_BYTES});
    }
    m_host.Send(ends.destination.nic, m_home, MakeNote(OPENED, lane));
    return receiver.queuePair;
}

void
RdmaConnectionReceiver::MessageReceived(uint64_t id, const RdmaMessageArrival& arrival)
{
    const auto lane = static_cast<uint32_t>(id);
    RdmaNote note = MakeNote(ARRIVED, lane);
    note.numbers[0] = m_receivers[lane].immediate;
    note.numbers[1] = arrival.bytes;
    note.numbers[2] = arrival.address;
    m_host.Send(m_lanes[lane].destination.nic, m_home, note);
}

void
RdmaConnectionReceiver::ReceiveCompleted(uint64_t id, const RdmaWorkCompletion& completion)
{
    const auto lane = static_cast<uint32_t>(id);
    Receiver& receiver = m_receivers[lane];
    if (completion.status != RdmaWcStatus::SUCCESS)
    {
        return;
    }
    receiver.queuePair->PostReceive({0, RDMA_MAX_MESSAGE_BYTES});
    receiver.packets += GetRdmaPackets(completion.bytes, receiver.queuePair->GetPathMtu());
    ++receiver.parts;
    receiver.immediate = completion.immediate; // MessageReceived() comes next
}

/**
 * Destroys a receiving queue pair unless it still has something to do.
 *
 * \param isEnd all messages have arrived
 */
void
RdmaConnectionReceiver::CloseReceiver(uint32_t lane, bool isEnd)
{
    Receiver& receiver = m_receivers[lane];
    if (!receiver.queuePair)
    {
        return;
    }
    // A queue pair that is made again knows neither packets of an incomplete part nor packets
    // behind a gap.
    const RdmaPacketEngine& engine = RdmaPacketEngine::Of(*receiver.queuePair);
    const RdmaReceiver& stream = engine.GetResponder().GetReceiver();
    const bool mayForget = stream.GetExpected() == receiver.packets && stream.CountKept() == 0;
    if (engine.IsQueued() || (!isEnd && !mayForget))
    {
        m_host.Send(m_lanes[lane].destination.nic, m_home, MakeNote(OPENED, lane));
        return;
    }
    receiver.past += receiver.queuePair->GetStats();
    m_host.GetNic(m_lanes[lane].destination.nic).DestroyQueuePair(receiver.queuePair);
    receiver.queuePair = nullptr;
}

/* Events of the home's node */

void
RdmaConnectionReceiver::OnArrived(const RdmaNote& note)
{
    const auto immediate = static_cast<uint32_t>(note.numbers[0]);
    const uint64_t ahead =
        ((immediate & RDMA_PART_MASK) - static_cast<uint32_t>(m_nextPart & RDMA_PART_MASK)) &
        RDMA_PART_MASK;
    const bool isOld = ahead > RDMA_PART_MASK / 2;
    while (!isOld && ahead >= m_early.GetSize())
    {
        m_early.Emplace();
    }
    if (isOld || m_early[ahead].hasArrived)
    {
        ++m_duplicates;
        return;
    }
    m_early[ahead] = {note.numbers[1], note.numbers[2], true, (immediate & RDMA_LAST_PART) != 0};
    if (!m_closeWait && m_idleTimeout > 0_ps)
    {
        m_idle.Arm(RdmaNow() + m_idleTimeout);
    }
    while (!m_early.IsEmpty() && m_early.Front().hasArrived)
    {
        const Early part = m_early.Pop();
        ++m_nextPart;
        if (!std::exchange(m_isInMessage, !part.isLast))
        {
            m_arrival = RdmaHostArrival{0, part.address, RdmaPs(0)};
        }
        m_arrival.bytes += part.bytes;
        if (part.isLast)
        {
            m_arrival.time = RdmaNow();
            m_user.MessageArrived(m_id, m_arrivedMessages++, m_arrival);
        }
    }
}

void
RdmaConnectionReceiver::CloseAt(RdmaPs at)
{
    m_closeWait = at - RdmaNow();
    m_idle.Arm(at);
}

void
RdmaConnectionReceiver::OnOpened(uint32_t lane)
{
    m_receivers[lane].isReceiving = true;
    if (m_closeWait)
    {
        // A late packet, or an acknowledgement that is still queued.
        constexpr RdmaPs LEAST = 1_us;
        m_idle.ArmNoLater(RdmaNow() + std::max(*m_closeWait, LEAST));
    }
    else if (m_idleTimeout > 0_ps)
    {
        m_idle.Arm(RdmaNow() + m_idleTimeout);
    }
}

void
RdmaConnectionReceiver::OnIdle()
{
    for (uint32_t lane = 0; lane < GetNLanes(); ++lane)
    {
        if (m_receivers[lane].isReceiving)
        {
            m_receivers[lane].isReceiving = false;
            RdmaNote note = MakeNote(CLOSE, lane);
            note.numbers[0] = m_closeWait ? 1 : 0;
            m_host.Send(m_home, m_lanes[lane].destination.nic, note);
        }
    }
}

void
RdmaConnectionReceiver::SendCompleted(uint64_t, const RdmaWorkCompletion&)
{
    // The receiving half sends nothing.
}

void
RdmaConnectionReceiver::NoteArrived(const RdmaNote& note)
{
    switch (note.kind)
    {
    case ARRIVED:
        OnArrived(note);
        break;
    case OPENED:
        OnOpened(note.place);
        break;
    case CLOSE:
        CloseReceiver(note.place, note.numbers[0] != 0);
        break;
    default:
        NS_ABORT_MSG("rdma: a note of kind " << note.kind << " for a receiving connection");
    }
}

/* While all nodes rest */

void
RdmaConnectionReceiver::Report(uint32_t lane, RdmaLaneResult& result) const
{
    const Receiver& receiver = m_receivers[lane];
    result.destination = receiver.past;
    if (receiver.queuePair)
    {
        result.destination += receiver.queuePair->GetStats();
    }
}

} // namespace ns3
