/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-line.h"

#include "qbb-frame-codec.h"
#include "qbb-net-device.h"
#include "rdma-event-order.h"
#include "rdma-prefetch.h"
#include "rdma-trace.h"

#include <ns3/abort.h>
#include <ns3/log.h>
#include <ns3/node.h>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("QbbLine");

static_assert(sizeof(QbbLine) == 2 * RDMA_CACHE_LINE,
              "each further line is a miss in a large fabric");

void
QbbLine::TakeOver(QbbFramePtr&& frame, RdmaPs arrival)
{
    const RdmaEventTime now = RdmaEventNow();
    NS_ABORT_MSG_IF(RdmaEventTime(arrival, 0) < now,
                    "rdma: a frame arrives at node "
                        << m_receiver->GetNodeId() << " at " << arrival
                        << " ps, when the node's thread has passed that instant; accepted: rates "
                           "and delays of cables that are set before Simulator::Run(), or "
                           "ns3::RdmaSimulatorImpl::Threads=1");
    Add(arrival, std::move(frame), now);
}

// Each frame passes through this function.
[[gnu::always_inline]] inline void
QbbLine::ScheduleNextArrival(RdmaEventTime eventTime)
{
    // The frame has left the CPU caches during the cable delay; the next event of this line reads
    // it.
    RdmaPrefetch(m_next.frame.get());
    m_eventInstant = m_next.arrival;
    m_eventTime = RdmaEventTime(
        m_eventInstant,
        RdmaEventOrder::Arrivals::AtPort(RdmaPortPlace(m_nodeId, m_deviceIndex, m_eventInstant)));
    // The context of the event is the receiving node, whichever node schedules the event.
    RdmaSchedule(m_nodeId, m_eventTime, eventTime, this);
}

void
QbbLine::ScheduleArrival(RdmaEventTime eventTime)
{
    if (m_nodeId == UINT32_MAX)
    {
        // The receiver's own copies of these numbers are in memory that is in no CPU cache.
        m_nodeId = m_receiver->GetNodeId();
        m_deviceIndex = m_receiver->GetDeviceIndex();
    }
    ScheduleNextArrival(eventTime);
}

// Each frame passes through this function.
[[gnu::always_inline]] inline void
QbbLine::TakeArrival()
{
    const RdmaPs eventInstant = m_eventInstant;
    const RdmaEventTime eventTime = m_eventTime;
    m_eventInstant = RDMA_NEVER;
    // If the link went down, the frame of this event may have been lost.
    if (!m_next.frame)
    {
        return;
    }
    if (m_next.arrival != eventInstant)
    {
        ScheduleArrival(eventTime);
        return;
    }
    QbbFramePtr frame;
    if (m_later.IsEmpty())
    {
        frame = std::move(m_next.frame);
    }
    else
    {
        // std::exchange() moves the old frame out first, so that no frame is destroyed here.
        InFlight next = m_later.Pop();
        m_next.arrival = next.arrival;
        frame = std::exchange(m_next.frame, std::move(next.frame));
        ScheduleNextArrival(eventTime);
    }
    if (m_bytes)
    {
        frame = CrossAsBytes(*frame);
        if (!frame)
        {
            return;
        }
    }
    m_receiver->ReceiveFromLine(std::move(frame), eventTime);
}

void
QbbLine::Run()
{
    if (!m_receiver)
    {
        return;
    }
    if (m_receiver->SharesPlace())
    {
        TakeArrivalsInTurn();
        return;
    }
    TakeArrival();
}

void
QbbLine::Prefetch(uint32_t step) const
{
    if (step == 0 && !m_later.IsEmpty())
    {
        m_later.PrefetchFront();
    }
    if (m_receiver && m_next.frame)
    {
        m_receiver->PrefetchReception(*m_next.frame, step, m_note);
    }
}

void
QbbLine::TakeArrivalsInTurn()
{
    const RdmaPs now = RdmaNow();
    if (m_eventInstant != now)
    {
        return; // the event of a port with an equal place has already delivered this frame
    }
    // The first event of a place delivers the frames of all ports with that place, in an order
    // that does not depend on the order of scheduling.
    const Ptr<Node> node = m_receiver->GetDevice()->GetNode();
    const uint32_t place = m_deviceIndex % RdmaEventOrder::PLACES;
    const uint32_t ports =
        (node->GetNDevices() - place + RdmaEventOrder::PLACES - 1) / RdmaEventOrder::PLACES;
    const uint32_t first = RdmaPortPlace(node->GetId(), place, now) % ports;
    for (uint32_t i = 0; i < ports; ++i)
    {
        const uint32_t index = place + (first + i) % ports * RdmaEventOrder::PLACES;
        const auto port = DynamicCast<QbbNetDevice>(node->GetDevice(index));
        if (!port || !port->GetQbbChannel())
        {
            continue;
        }
        QbbLine& line = port->GetQbbChannel()->GetLineTo(PeekPointer(port));
        if (line.m_eventInstant == now)
        {
            line.TakeArrival();
        }
    }
}

QbbFramePtr
QbbLine::CrossAsBytes(QbbFrame& frame)
{
    if (frame.packet)
    {
        CheckQbbPacket(); // a new packet is made
    }
    m_bytes->resize(QbbFrameCodec::SerializedSize(frame));
    QbbFrameCodec::Serialize(frame, m_bytes->data());
    auto parsed = QbbFrameCodec::Parse(m_bytes->data(), m_bytes->size(), m_receiver->GetPool());
    if (!parsed.frame)
    {
        NS_LOG_WARN("malformed frame: " << QbbParseErrorName(parsed.error));
        ++m_malformed;
        m_receiver->CountLossOnLine(frame, QbbDropReason::MALFORMED, RdmaEventNow());
    }
    return std::move(parsed.frame);
}

void
QbbLine::LoseAll()
{
    const RdmaEventTime now = RdmaEventNow();
    while (const QbbFramePtr frame = std::move(m_next.frame))
    {
        if (!m_later.IsEmpty())
        {
            m_next = m_later.Pop();
        }
        Lose(*frame, now);
    }
}

void
QbbLine::Lose(QbbFrame& frame, RdmaEventTime at)
{
    ++m_lostInFlight;
    m_receiver->CountLossOnLine(frame, QbbDropReason::LINK_DOWN, at);
}

} // namespace ns3
