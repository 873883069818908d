/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-channel.h"

#include "qbb-event-order.h"
#include "qbb-frame-codec.h"
#include "qbb-net-device.h"

#include <ns3/abort.h>
#include <ns3/boolean.h>
#include <ns3/log.h>
#include <ns3/node-list.h>
#include <ns3/node.h>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("QbbChannel");

NS_OBJECT_ENSURE_REGISTERED(QbbChannel);

/** Arrival event of one direction of a channel. Does nothing once the channel is destroyed. */
class QbbChannel::ArrivalEvent final : public EventImpl
{
  public:
    ArrivalEvent(QbbChannel* channel, std::size_t direction)
        : m_channel(channel),
          m_direction(direction)
    {
    }

    QbbChannel* m_channel; //!< null once the channel is destroyed

  private:
    void Notify() override
    {
        if (m_channel)
        {
            m_channel->Arrive(m_direction);
        }
    }

    std::size_t m_direction; //!< direction of the arriving frames
};

TypeId
QbbChannel::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::QbbChannel")
            .SetParent<Channel>()
            .SetGroupName("Rdma")
            .AddConstructor<QbbChannel>()
            .AddAttribute("Delay",
                          "One-way propagation delay; a whole number of picoseconds, above 0.",
                          TimeValue(MicroSeconds(1)),
                          MakeTimeAccessor(&QbbChannel::SetDelay, &QbbChannel::GetDelay),
                          MakeTimeChecker())
            .AddAttribute("SerializeFrames",
                          "Serialise every frame to bytes, and parse the bytes at the other end.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&QbbChannel::m_serialize),
                          MakeBooleanChecker());
    return tid;
}

QbbChannel::QbbChannel()
{
    for (std::size_t direction = 0; direction < m_lines.size(); ++direction)
    {
        m_lines[direction].event = Ptr<EventImpl>(new ArrivalEvent(this, direction), false);
    }
}

QbbChannel::~QbbChannel()
{
    for (auto& line : m_lines)
    {
        static_cast<ArrivalEvent*>(PeekPointer(line.event))->m_channel = nullptr;
    }
}

void
QbbChannel::DoDispose()
{
    for (auto& line : m_lines)
    {
        line.inFlight.Clear();
    }
    m_ports = {};
    Channel::DoDispose();
}

void
QbbChannel::SetDelay(Time delay)
{
    QbbSetTimeResolution();
    for (const QbbPort* port : m_ports)
    {
        NS_ABORT_MSG_IF(port && port->HasHeadroom() && PicoSeconds(m_delay.Get()) != delay,
                        "rdma: QbbChannel::Delay at port "
                            << port->GetDeviceIndex() << " of node " << port->GetNodeId()
                            << " is set while it is running, and the switch has computed its "
                               "headroom; accepted: before the simulation starts");
    }
    NS_ABORT_MSG_IF(m_lines[0].eventInstant != QBB_NEVER || m_lines[1].eventInstant != QBB_NEVER,
                    "rdma: the delay of a cable is changed while frames are on it");
    const int64_t fs = delay.GetFemtoSeconds();
    NS_ABORT_MSG_IF(fs < QBB_FS_PER_PS || fs % QBB_FS_PER_PS != 0,
                    "rdma: a channel delay of " << delay.As(Time::NS)
                                                << "; accepted: whole picoseconds, at least 1 ps");
    m_delay = QbbPs(fs / QBB_FS_PER_PS);
}

Time
QbbChannel::GetDelay() const
{
    return PicoSeconds(m_delay.Get());
}

void
QbbChannel::Attach(QbbPort* port)
{
    NS_ABORT_MSG_IF(m_ports[1], "rdma: a third device is attached to a cable with two ends");
    m_ports[m_ports[0] ? 1 : 0] = port;
}

std::size_t
QbbChannel::GetNDevices() const
{
    return (m_ports[0] ? 1 : 0) + (m_ports[1] ? 1 : 0);
}

Ptr<NetDevice>
QbbChannel::GetDevice(std::size_t i) const
{
    QbbPort* port = m_ports.at(i);
    return port ? port->GetDevice() : nullptr;
}

QbbPort*
QbbChannel::GetPeer(const QbbPort* port) const
{
    return m_ports[port == m_ports[0] ? 1 : 0];
}

uint64_t
QbbChannel::GetInFlight() const
{
    return m_lines[0].inFlight.GetSize() + m_lines[1].inFlight.GetSize();
}

void
QbbChannel::Transmit(const QbbPort* sender, QbbFramePtr&& frame, QbbPs sent, QbbEventTime eventTime)
{
    const std::size_t direction = sender == m_ports[0] ? 0 : 1;
    Line& line = m_lines[direction];
    line.inFlight.Push({sent + m_delay, std::move(frame)});
    if (line.eventInstant == QBB_NEVER)
    {
        ScheduleArrival(direction, eventTime);
    }
}

void
QbbChannel::ScheduleArrival(std::size_t direction, QbbEventTime eventTime)
{
    Line& line = m_lines[direction];
    const QbbPort* receiver = m_ports[1 - direction];
    const InFlight& next = line.inFlight.Front();
    line.eventInstant = next.arrival;
    // The frame has left the CPU caches during the cable delay; the next event of this line reads
    // it.
    __builtin_prefetch(next.frame.get());
    const uint32_t nodeId = receiver->GetNodeId();
    line.eventTime =
        QbbEventTime(line.eventInstant,
                     QbbEventOrder::Arrivals::AtPort(
                         QbbPortPlace(nodeId, receiver->GetDeviceIndex(), line.eventInstant)));
    // The context of the event is the receiving node, whichever node schedules the event.
    QbbSchedule(nodeId, line.eventTime, eventTime, PeekPointer(line.event));
}

void
QbbChannel::Arrive(std::size_t direction)
{
    if (m_ports[1 - direction]->SharesPlace())
    {
        ArriveInTurn(direction);
        return;
    }
    TakeArrival(direction);
}

void
QbbChannel::ArriveInTurn(std::size_t direction)
{
    const QbbPs now = QbbNow();
    if (m_lines[direction].eventInstant != now)
    {
        return; // the event of a port with an equal place has already delivered this frame
    }
    // The first event of a place delivers the frames of all ports with that place, in an order
    // that does not depend on the order of scheduling.
    const QbbPort& receiver = *m_ports[1 - direction];
    const Ptr<Node> node = NodeList::GetNode(receiver.GetNodeId());
    const uint32_t place = receiver.GetDeviceIndex() % QbbEventOrder::PLACES;
    const uint32_t ports =
        (node->GetNDevices() - place + QbbEventOrder::PLACES - 1) / QbbEventOrder::PLACES;
    const uint32_t first = QbbPortPlace(node->GetId(), place, now) % ports;
    for (uint32_t i = 0; i < ports; ++i)
    {
        const uint32_t index = place + (first + i) % ports * QbbEventOrder::PLACES;
        const auto port = DynamicCast<QbbNetDevice>(node->GetDevice(index));
        if (!port || !port->GetQbbChannel())
        {
            continue;
        }
        QbbChannel& channel = *port->GetQbbChannel();
        const std::size_t towards = PeekPointer(port) == channel.m_ports[1] ? 0 : 1;
        if (channel.m_lines[towards].eventInstant == now)
        {
            channel.TakeArrival(towards);
        }
    }
}

void
QbbChannel::TakeArrival(std::size_t direction)
{
    Line& line = m_lines[direction];
    const QbbPs eventInstant = line.eventInstant;
    const QbbEventTime eventTime = line.eventTime;
    line.eventInstant = QBB_NEVER;
    // If the link went down, the frame of this event may have been lost.
    if (line.inFlight.IsEmpty())
    {
        return;
    }
    QbbPort& receiver = *m_ports[1 - direction];
    if (line.inFlight.Front().arrival != eventInstant)
    {
        ScheduleArrival(direction, eventTime);
        return;
    }
    QbbFramePtr frame = line.inFlight.Pop().frame;
    if (!line.inFlight.IsEmpty())
    {
        ScheduleArrival(direction, eventTime);
    }
    if (m_serialize)
    {
        frame = CrossAsBytes(*frame, receiver);
        if (!frame)
        {
            return;
        }
    }
    receiver.ReceiveFromLine(std::move(frame), eventTime);
}

QbbFramePtr
QbbChannel::CrossAsBytes(QbbFrame& frame, QbbPort& receiver)
{
    m_bytes.resize(QbbFrameCodec::SerializedSize(frame));
    QbbFrameCodec::Serialize(frame, m_bytes.data());
    auto parsed = QbbFrameCodec::Parse(m_bytes.data(), m_bytes.size(), receiver.GetPool());
    if (!parsed.frame)
    {
        NS_LOG_WARN("malformed frame: " << QbbParseErrorName(parsed.error));
        ++m_malformed;
        receiver.LoseOnLine(frame, QbbDropReason::MALFORMED);
    }
    return std::move(parsed.frame);
}

void
QbbChannel::SetUp(bool up)
{
    if (up == m_up)
    {
        return;
    }
    m_up = up;
    if (!up)
    {
        for (std::size_t direction = 0; direction < m_lines.size(); ++direction)
        {
            auto& inFlight = m_lines[direction].inFlight;
            m_lostInFlight += inFlight.GetSize();
            while (!inFlight.IsEmpty())
            {
                const QbbFramePtr frame = inFlight.Pop().frame;
                m_ports[1 - direction]->LoseOnLine(*frame, QbbDropReason::LINK_DOWN);
            }
        }
    }
    for (auto* device : m_ports)
    {
        if (device)
        {
            device->LineChanged();
        }
    }
}

} // namespace ns3
