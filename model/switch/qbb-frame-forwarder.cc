/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-frame-forwarder.h"

#include "qbb-arp-proxy.h"
#include "qbb-warn-once.h"
#include "qbb-wire.h"
#include "rdma-refuse.h"

#include <ns3/abort.h>

#include <algorithm>
#include <map>
#include <string>

namespace ns3
{

std::vector<const QbbPort*>
QbbFrameForwarder::GetOnwardPorts() const
{
    std::vector<const QbbPort*> ports;
    ports.reserve(m_ports.size());
    for (const auto& port : m_ports)
    {
        ports.push_back(PeekPointer(port));
    }
    return ports;
}

uint32_t
QbbFrameForwarder::GetNPorts() const
{
    return static_cast<uint32_t>(m_ports.size());
}

Ptr<QbbNetDevice>
QbbFrameForwarder::GetPort(uint32_t port) const
{
    NS_ABORT_MSG_IF(port >= m_ports.size(),
                    "rdma: port " << port << " of a switch with " << m_ports.size() << " ports");
    return m_ports[port];
}

uint16_t
QbbFrameForwarder::PredictPort(uint32_t flowHash, const QbbForwardingTable::Group& ports) const
{
    if (ports.size() == 1)
    {
        return ports.front();
    }
    const auto chosen = m_selector ? m_selector->Predict(flowHash, ports) : std::nullopt;
    return chosen ? *chosen : SelectPort(flowHash, ports);
}

std::vector<std::pair<uint16_t, uint64_t>>
QbbFrameForwarder::GetWaitingBytes(uint16_t egressPort, uint8_t priority) const
{
    const QbbPort& device = *GetPort(egressPort);
    std::map<uint16_t, uint64_t> bytes;
    if (m_inputQueueing)
    {
        const auto& queues = m_inputQueueing->GetQueues();
        queues.FindTurn(egressPort, priority, [&](uint16_t input) {
            bytes[input] = queues.GetBytes(input, egressPort, priority);
            return false;
        });
        return {bytes.begin(), bytes.end()};
    }
    for (std::size_t i = 0; i < device.GetQueues().GetFramesHere(priority); ++i)
    {
        const QbbFrame& frame = device.GetQueues().GetFrame(priority, i);
        if (frame.ingressPort != QbbNetDevice::NO_PORT)
        {
            bytes[frame.ingressPort] += frame.size;
        }
    }
    return {bytes.begin(), bytes.end()};
}

// Most frames find their egress port idle. They enter and leave the buffer at one instant.
[[gnu::always_inline]] inline bool
QbbFrameForwarder::LetsPass(const QbbPort& egress, const QbbFrame& frame) const
{
    return egress.CanSendAtOnce(frame.priority, frame.arrival) && m_markers.LetsPass(frame) &&
           !m_cutThrough && !m_inputQueueing;
}

void
QbbFrameForwarder::ReceiveFrame(QbbPort& port, QbbFramePtr&& frame)
{
    QbbFrame& fields = *frame;
    if (fields.dstMac != port.GetMac())
    {
        if (fields.etherType == QbbWire::ETHERTYPE_ARP && fields.dstMac.IsBroadcast())
        {
            QbbArpProxy::Answer(port, fields, m_table);
            return;
        }
        DropUnroutable(port, fields, QbbDropReason::NOT_FOR_US);
        return;
    }
    if (!fields.ipv4)
    {
        DropUnroutable(port, fields, QbbDropReason::UNEXPECTED);
        return;
    }
    if (fields.ttl <= 1)
    {
        port.CountDrop(fields, QbbDropReason::TTL_EXPIRED);
        return;
    }
    const QbbForwardingTable::Route route = m_table.Find(fields.dstIp);
    if (route.count == 0)
    {
        port.CountDrop(fields, QbbDropReason::NO_ROUTE);
        return;
    }
    uint16_t egressNumber = route.first;
    if (route.count > 1)
    {
        egressNumber = m_selector ? m_selector->Select(fields, *m_table.Lookup(fields.dstIp))
                                  : SelectPort(fields.flowHash, route);
    }
    QbbPort& device = *m_ports[egressNumber];
    device.PrefetchLine();
    const uint32_t received = fields.size;
    if (fields.tagged && device.IsRoutedPort())
    {
        fields.tagged = false;
        fields.size = std::max(fields.size - QbbWire::VLAN_TAG_BYTES, QbbWire::MIN_FRAME_BYTES);
    }
    if (fields.size > device.GetMaxFrameBytes())
    {
        DropTooLong(device, fields);
        return;
    }

    if ((m_gated & (1U << fields.priority)) && !m_gate->Admits(port, device, fields))
    {
        return;
    }
    const QbbEventTime eventTime = fields.arrival;
    const bool passes = LetsPass(device, fields);
    QbbAdmission admission =
        m_buffer->Admit(fields.ingressPort, egressNumber, fields.priority, fields.size, passes);
    if (admission.pushOut)
    {
        admission = PushOut(admission, fields, egressNumber);
    }
    if (admission.xoff)
    {
        port.GetFlowControl().RequestPause(fields.priority, true);
    }
    if (!admission.admitted)
    {
        QbbPort& blamed = admission.reason == QbbDropReason::EGRESS_LIMIT ? device : port;
        blamed.CountDrop(fields, admission.reason);
        return;
    }
    --fields.ttl;
    if (fields.ecn != 0)
    {
        m_markers.FrameJoins(device, fields);
    }
    fields.srcMac = device.GetMac();
    fields.dstMac = device.GetPeerMac();
    if (admission.passed)
    {
        device.SendAtOnce(std::move(frame), eventTime);
        return;
    }
    if (m_inputQueueing)
    {
        m_inputQueueing->Push(egressNumber, std::move(frame), eventTime);
        return;
    }
    if (m_cutThrough && CutThrough(port, device, frame, received))
    {
        return;
    }
    device.Enqueue(std::move(frame), eventTime);
}

void
QbbFrameForwarder::DropUnroutable(QbbPort& port, const QbbFrame& frame, QbbDropReason reason)
{
    constexpr uint16_t ETHERTYPE_IPV6 = 0x86dd;
    port.CountDrop(frame, reason);
    if (frame.etherType == ETHERTYPE_IPV6)
    {
        QbbWarnOnce("IPv6",
                    "switch at node " + std::to_string(port.GetNodeId()) +
                        " drops IPv6 packets, since switches route IPv4 alone; the drops are "
                        "counted as UNEXPECTED, and as NOT_FOR_US for neighbour discovery");
    }
}

void
QbbFrameForwarder::DropTooLong(QbbPort& egress, const QbbFrame& frame)
{
    egress.CountDrop(frame, QbbDropReason::TOO_LONG);
    QbbWarnOnce("MTU",
                "port " + std::to_string(egress.GetDeviceIndex()) + " of node " +
                    std::to_string(egress.GetNodeId()) + " drops a frame of " +
                    std::to_string(frame.size) + " bytes, because its MTU is " +
                    std::to_string(egress.GetPacketMtu()) +
                    " (QbbNetDevice::Mtu) and a switch sends no ICMP message; such drops are "
                    "counted as TOO_LONG");
}

void
QbbFrameForwarder::PrefetchFrame(const QbbPort& port,
                                 const QbbFrame& frame,
                                 uint32_t step,
                                 uint32_t& note) const
{
    if (frame.IsMacControl())
    {
        return;
    }
    if (step == 2)
    {
        m_table.Prefetch(frame.dstIp);
        m_buffer->PrefetchAccounts();
        m_markers.Prefetch();
        return;
    }
    // The note is the number of the egress port.
    if (step == 3)
    {
        const QbbForwardingTable::Route route = m_table.Find(frame.dstIp);
        if (route.count > 0)
        {
            note = SelectPort(frame.flowHash, route);
            QbbPrefetch(&m_ports[note]);
            m_buffer->PrefetchGroup(port.GetPortNumber(), frame.priority);
            m_buffer->PrefetchQueue(static_cast<uint16_t>(note), frame.priority);
        }
        return;
    }
    m_ports[note]->PrefetchTransmission(frame.priority);
    m_buffer->PrefetchPool(port.GetPortNumber(), frame.priority);
}

QbbAdmission
QbbFrameForwarder::PushOut(QbbAdmission admission, const QbbFrame& frame, uint16_t egressPort)
{
    RefuseRdmaIf(m_inputQueueing != nullptr,
                 "QbbSwitch: its buffer manager pushes frames out; accepted: with "
                 "Queueing OutputQueued");
    // Several victims may be needed: a frame pushed out may be smaller than the new frame.
    while (admission.pushOut)
    {
        QbbPort& victim = *m_ports[admission.victimPort];
        const QbbFramePtr last = victim.GetQueues().PopLast(admission.victimPriority);
        if (!last)
        {
            break;
        }
        victim.DropUnsent(*last, QbbDropReason::BUFFER_FULL);
        admission = m_buffer->Admit(frame.ingressPort, egressPort, frame.priority, frame.size);
    }
    return admission;
}

bool
QbbFrameForwarder::CutThrough(QbbPort& port, QbbPort& device, QbbFramePtr& frame, uint32_t received)
{
    const QbbLineRate& rate = port.GetLineRate();
    // A faster egress port would run out of bytes in the middle of the frame.
    if (received <= m_cutThroughBytes || device.GetLineRate().GetBitRate() > rate.GetBitRate())
    {
        return false;
    }
    const QbbEventTime eventTime = frame->arrival;
    const QbbPs earliest = eventTime.GetInstant() - rate.BytesToPs(received - m_cutThroughBytes);
    return device.CutThrough(frame, earliest, eventTime);
}

uint64_t
QbbFrameForwarder::DropQueue(uint32_t port, uint8_t priority, QbbDropReason reason)
{
    const uint64_t frames = GetPort(port)->DropQueue(priority, reason);
    return frames + (m_inputQueueing
                         ? m_inputQueueing->Drop(static_cast<uint16_t>(port), priority, reason)
                         : 0);
}

uint64_t
QbbFrameForwarder::GetBytesBetween(uint32_t ingress, uint32_t egress, uint8_t priority) const
{
    const auto from = static_cast<uint16_t>(ingress);
    if (m_inputQueueing)
    {
        return m_inputQueueing->GetQueues().GetBytes(from, static_cast<uint16_t>(egress), priority);
    }
    return GetPort(egress)->GetQueues().GetBytesFrom(priority, from);
}

[[gnu::always_inline]] inline void
QbbFrameForwarder::ReleaseRoom(QbbPort& port, const QbbFrame& frame)
{
    if (frame.ingressPort == QbbNetDevice::NO_PORT)
    {
        if (m_inputQueueing)
        {
            m_inputQueueing->RoomMade(port.GetPortNumber(), frame.priority);
        }
        return;
    }
    if (m_buffer->Release(frame.ingressPort, port.GetPortNumber(), frame.priority, frame.size))
    {
        ResumePeers();
    }
}

void
QbbFrameForwarder::ResumePeers()
{
    while (const auto resumed = m_buffer->TakeResumed())
    {
        m_ports[resumed->port]->GetFlowControl().RequestPause(resumed->priority, false);
    }
}

void
QbbFrameForwarder::FrameDeparts(QbbPort& port, QbbFrame& frame, QbbPs start)
{
    if (m_markers.HasWorkAtDeparture(frame))
    {
        MarkDeparture(port, frame, start);
        return;
    }
    if (!frame.IsMacControl())
    {
        ReleaseRoom(port, frame);
    }
}

void
QbbFrameForwarder::MarkDeparture(QbbPort& port, QbbFrame& frame, QbbPs start)
{
    m_markers.FrameDeparts(port, frame, start);
    if (!frame.IsMacControl())
    {
        ReleaseRoom(port, frame);
    }
}

void
QbbFrameForwarder::FrameGone(QbbPort& port, const QbbFrame& frame)
{
    ReleaseRoom(port, frame);
}

void
QbbFrameForwarder::LinkChanged(QbbPort& port)
{
    // The port itself has flushed its own queues through FrameGone() and repeats pauses to its
    // peer. Routes are up to QbbRouting.
    if (m_inputQueueing && !port.IsUp())
    {
        for (uint8_t priority = 0; priority < QbbBufferManager::PRIORITIES; ++priority)
        {
            m_inputQueueing->Drop(port.GetPortNumber(), priority, QbbDropReason::LINK_DOWN);
        }
    }
}

void
QbbFrameForwarder::SchedulerChanged(QbbPort& port)
{
    if (m_inputQueueing)
    {
        m_inputQueueing->SchedulerChanged(port.GetPortNumber());
    }
}

} // namespace ns3
