/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-line.h"

#include "qbb-frame-codec.h"
#include "qbb-net-device.h"
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

void
QbbLine::FindReceiver()
{
    // The receiver's own copies of these numbers are in memory that is in no CPU cache.
    m_nodeId = m_receiver->GetNodeId();
    m_deviceIndex = m_receiver->GetDeviceIndex();
}

// Each frame passes through this function.
[[gnu::always_inline]] inline void
QbbLine::ScheduleArrival(RdmaEventTime eventTime)
{
    m_eventTime = m_frames.GetFirst()->arrival;
    // The context of the event is the receiving node, whichever node schedules the event.
    RdmaSchedule(m_nodeId, m_eventTime, eventTime, this);
}

// Each frame passes through this function.
[[gnu::always_inline]] inline void
QbbLine::TakeArrival()
{
    const RdmaEventTime eventTime = m_eventTime;
    m_eventTime = RdmaEventTime::Never();
    // If the link went down, the frame of this event may have been lost.
    if (m_frames.IsEmpty())
    {
        return;
    }
    if (m_frames.GetFirst()->arrival != eventTime)
    {
        ScheduleArrival(eventTime);
        return;
    }
    QbbFramePtr frame = m_frames.Pop();
    if (!m_frames.IsEmpty())
    {
        ScheduleArrival(eventTime);
    }
    if (m_isSerialized)
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
    if (const QbbFrame* frame = m_frames.GetFirst(); frame && m_receiver)
    {
        m_receiver->PrefetchReception(*frame, step, m_note);
    }
}

void
QbbLine::TakeArrivalsInTurn()
{
    const RdmaPs now = RdmaNow();
    if (m_eventTime.GetInstant() != now)
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
        if (line.m_eventTime.GetInstant() == now)
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
    m_bytes.resize(QbbFrameCodec::SerializedSize(frame));
    QbbFrameCodec::Serialize(frame, m_bytes.data());
    auto parsed = QbbFrameCodec::Parse(m_bytes.data(), m_bytes.size(), m_receiver->GetPool());
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
    while (!m_frames.IsEmpty())
    {
        const QbbFramePtr frame = m_frames.Pop();
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
