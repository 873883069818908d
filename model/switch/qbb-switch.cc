/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-switch.h"

#include "qbb-crossbar.h"
#include "qbb-frame-codec.h"
#include "qbb-shared-buffer.h"
#include "qbb-wire.h"

#include <ns3/abort.h>
#include <ns3/arp-header.h>
#include <ns3/log.h>
#include <ns3/node.h>

#include <algorithm>
#include <map>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("QbbSwitch");

NS_OBJECT_ENSURE_REGISTERED(QbbSwitch);

namespace
{

/**
 * ns-3's ArpHeader trusts the lengths that it reads.
 *
 * \param packet what claims to be ARP
 * \return true if it is ARP for IPv4 over Ethernet (RFC 826), and long enough
 */
bool
IsArpForIpv4(const Packet& packet)
{
    constexpr std::array<uint8_t, 6> ETHERNET_AND_IPV4 = {0, 1, 8, 0, 6, 4};
    constexpr uint32_t ARP_BYTES = 28;
    std::array<uint8_t, 6> start{};
    return packet.GetSize() >= ARP_BYTES &&
           packet.CopyData(start.data(), start.size()) == start.size() &&
           start == ETHERNET_AND_IPV4;
}

/** \param markers of a switch, some of them null \return those that are there */
std::vector<QbbMarker*>
WithoutNull(std::vector<QbbMarker*> markers)
{
    markers.erase(std::remove(markers.begin(), markers.end(), nullptr), markers.end());
    return markers;
}

} // namespace

QbbSwitch::QbbSwitch()
    : m_curves(CreateObject<QbbCurveMarker>()),
      m_stamper(CreateObject<QbbIntStamper>())
{
    NS_LOG_FUNCTION(this);
}

QbbSwitch::~QbbSwitch()
{
    NS_LOG_FUNCTION(this);
}

void
QbbSwitch::NotifyNewAggregate()
{
    SetEcmpSeed(m_seedAttribute);
    Object::NotifyNewAggregate();
}

void
QbbSwitch::DoInitialize()
{
    NS_LOG_FUNCTION(this);
    ConfigureBuffer();
    m_buffer->SetRunning();
    Object::DoInitialize();
}

void
QbbSwitch::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_inputQueueing.reset();
    for (auto& port : m_ports)
    {
        port.device->SetSink(nullptr);
    }
    m_ports.clear();
    m_buffer = nullptr;
    if (m_marker)
    {
        m_marker->ForgetUser(this);
    }
    m_marker = nullptr;
    m_joinMarkers.clear();
    m_departMarkers.clear();
    m_detector = nullptr;
    m_own = nullptr;
    m_curves = nullptr;
    m_stamper = nullptr;
    m_pint = nullptr;
    m_selector = nullptr;
    Object::DoDispose();
}

void
QbbSwitch::AddPort(Ptr<QbbNetDevice> device)
{
    NS_ABORT_MSG_IF(m_configured, "rdma: a port is added to a switch that is already running");
    device->SetSink(this);
    device->SetPortNumber(static_cast<uint16_t>(m_ports.size()));
    m_ports.push_back({device});
}

uint32_t
QbbSwitch::GetNPorts() const
{
    return static_cast<uint32_t>(m_ports.size());
}

Ptr<QbbNetDevice>
QbbSwitch::GetPort(uint32_t port) const
{
    NS_ABORT_MSG_IF(port >= m_ports.size(),
                    "rdma: port " << port << " of a switch with " << m_ports.size() << " ports");
    return m_ports[port].device;
}

int64_t
QbbSwitch::AssignStreams(int64_t stream)
{
    int64_t next = stream + m_curves->AssignStreams(stream);
    next += m_selector ? m_selector->AssignStreams(next) : 0;
    next += m_pint ? m_pint->AssignStreams(next) : 0;
    next += m_detector ? m_detector->AssignStreams(next) : 0;
    next += m_own ? m_own->AssignStreams(next) : 0;
    return next - stream;
}

std::vector<QbbPortProfile>
QbbSwitch::GetPortProfiles() const
{
    std::vector<QbbPortProfile> profiles;
    profiles.reserve(m_ports.size());
    for (const auto& port : m_ports)
    {
        const QbbPort& device = *port.device;
        QbbPort* peer = device.GetPeer();
        NS_ABORT_MSG_IF(!peer, "rdma: port " << profiles.size() << " of a switch has no cable");
        QbbPortProfile profile;
        profile.rateBps = device.GetLineRate().GetBitRate();
        profile.delayPs = device.GetQbbChannel()->GetDelayPs();
        profile.reactionPs = peer->GetFlowControl().GetReactionDelayPs();
        profile.maxFrameBytes = device.GetMaxFrameBytes();
        profile.peerMaxFrameBytes = peer->GetMaxFrameBytes();
        profile.lineOverheadBytes = device.GetLineOverheadBytes();
        profile.losslessMask = device.GetFlowControl().GetLosslessClasses();
        profile.oneHeadroom = device.GetFlowControl().GetKind() == QbbFlowControl::PAUSE;
        profiles.push_back(profile);
    }
    return profiles;
}

uint16_t
QbbSwitch::PredictPort(uint32_t flowHash, const QbbForwardingTable::Group& ports) const
{
    if (ports.size() == 1)
    {
        return ports.front();
    }
    const auto chosen = m_selector ? m_selector->Predict(flowHash, ports) : std::nullopt;
    return chosen ? *chosen : ports[SelectPath(flowHash, static_cast<uint32_t>(ports.size()))];
}

std::vector<std::pair<uint16_t, uint64_t>>
QbbSwitch::GetWaitingBytes(uint16_t egressPort, uint8_t priority) const
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

void
QbbSwitch::ConfigureBuffer()
{
    if (!m_buffer)
    {
        m_buffer = CreateObject<QbbSharedBuffer>();
    }
    for (auto& port : m_ports)
    {
        port.maxFrameBytes = port.device->GetMaxFrameBytes();
    }
    m_buffer->Configure(GetPortProfiles());
    ConfigureQueueing();
    const bool isInputQueued = m_inputQueueing != nullptr;
    const std::vector<QbbPort*> devices = GetDevices();
    for (QbbMarker* marker : WithoutNull({PeekPointer(m_curves),
                                          PeekPointer(m_detector),
                                          PeekPointer(m_pint),
                                          PeekPointer(m_own)}))
    {
        marker->Configure(devices, isInputQueued);
    }
    m_configured = true;
    UseMarkers();
}

void
QbbSwitch::ConfigureQueueing()
{
    NS_ABORT_MSG_IF(m_cutThrough && m_queueing != OUTPUT_QUEUED,
                    "rdma: QbbSwitch: CutThrough is for a switch whose Queueing is OutputQueued");
    NS_ABORT_MSG_IF(m_crossbar && m_queueing == OUTPUT_QUEUED,
                    "rdma: QbbSwitch: Crossbar is for a switch whose Queueing is InputQueued");
    NS_ABORT_MSG_IF(!m_crossbar && (m_speedup != 1 || m_crossbarEgressBytes != 0),
                    "rdma: QbbSwitch: CrossbarSpeedup and CrossbarEgressBytes are for a switch "
                    "whose Crossbar is true");
    m_inputQueueing.reset();
    if (m_queueing == OUTPUT_QUEUED || m_ports.empty())
    {
        return;
    }
    std::vector<QbbPort*> devices = GetDevices();
    if (m_crossbar)
    {
        m_inputQueueing = std::make_unique<QbbCrossbar>(std::move(devices),
                                                        *this,
                                                        m_speedup,
                                                        m_crossbarEgressBytes);
    }
    else
    {
        m_inputQueueing = std::make_unique<QbbInputQueueing>(std::move(devices));
    }
}

std::vector<QbbPort*>
QbbSwitch::GetDevices() const
{
    std::vector<QbbPort*> devices;
    devices.reserve(m_ports.size());
    for (const auto& port : m_ports)
    {
        devices.push_back(PeekPointer(port.device));
    }
    return devices;
}

std::vector<QbbMarker*>
QbbSwitch::GetMarkers(QbbMarker::Moment moment) const
{
    std::vector<QbbMarker*> markers;
    for (QbbMarker* marker : WithoutNull({PeekPointer(m_curves),
                                          PeekPointer(m_detector),
                                          PeekPointer(m_pint),
                                          PeekPointer(m_own)}))
    {
        if (marker->GetMoments() & moment)
        {
            markers.push_back(marker);
        }
    }
    return markers;
}

void
QbbSwitch::UseMarkers()
{
    m_joinMarkers = GetMarkers(QbbMarker::JOINS);
    m_departMarkers = GetMarkers(QbbMarker::DEPARTS);
    if (m_inputQueueing)
    {
        m_inputQueueing->SetMarkers(GetMarkers(QbbMarker::CHOSEN));
    }
}

void
QbbSwitch::ReceiveFrame(QbbPort& port, QbbFramePtr frame)
{
    if (frame->dstMac != port.GetMac())
    {
        if (frame->etherType == QbbWire::ETHERTYPE_ARP && frame->dstMac.IsBroadcast())
        {
            AnswerArp(port, *frame);
            return;
        }
        port.CountDrop(*frame, QbbDropReason::NOT_FOR_US);
        return;
    }
    if (!frame->ipv4)
    {
        port.CountDrop(*frame, QbbDropReason::UNEXPECTED);
        return;
    }
    if (frame->ttl <= 1)
    {
        port.CountDrop(*frame, QbbDropReason::TTL_EXPIRED);
        return;
    }
    const QbbForwardingTable::Group* group = m_table.Lookup(frame->dstIp);
    if (!group)
    {
        port.CountDrop(*frame, QbbDropReason::NO_ROUTE);
        return;
    }
    const auto count = static_cast<uint32_t>(group->size());
    uint16_t egressNumber = group->front();
    if (count > 1)
    {
        egressNumber = m_selector ? m_selector->Select(*frame, *group)
                                  : (*group)[SelectPath(frame->flowHash, count)];
    }
    Port& egress = m_ports[egressNumber];
    QbbPort& device = *egress.device;
    const uint32_t received = frame->size;
    if (frame->tagged && device.IsRoutedPort())
    {
        frame->tagged = false;
        frame->size = std::max(frame->size - QbbWire::VLAN_TAG_BYTES, QbbWire::MIN_FRAME_BYTES);
    }
    if (frame->size > egress.maxFrameBytes)
    {
        device.CountDrop(*frame, QbbDropReason::TOO_LONG);
        return;
    }

    if ((m_gated & (1U << frame->priority)) && !m_gate->Admits(port, device, *frame))
    {
        return;
    }
    QbbAdmission admission =
        m_buffer->Admit(frame->ingressPort, egressNumber, frame->priority, frame->size);
    if (admission.pushOut)
    {
        admission = PushOut(admission, *frame, egressNumber);
    }
    if (admission.xoff)
    {
        port.GetFlowControl().RequestPause(frame->priority, true);
    }
    if (!admission.admitted)
    {
        QbbPort& blamed = admission.reason == QbbDropReason::EGRESS_LIMIT ? device : port;
        blamed.CountDrop(*frame, admission.reason);
        return;
    }
    --frame->ttl;
    if (frame->ecn != 0)
    {
        for (QbbMarker* marker : m_joinMarkers)
        {
            marker->FrameJoins(device, *frame);
        }
    }
    frame->srcMac = device.GetMac();
    frame->dstMac = device.GetPeer()->GetMac();
    const int64_t nowFs = frame->arrivalFs;
    if (m_inputQueueing)
    {
        m_inputQueueing->Push(egressNumber, std::move(frame), nowFs);
        return;
    }
    if (m_cutThrough && CutThrough(port, device, frame, received))
    {
        return;
    }
    device.Enqueue(std::move(frame), nowFs);
}

QbbAdmission
QbbSwitch::PushOut(QbbAdmission admission, const QbbFrame& frame, uint16_t egressPort)
{
    NS_ABORT_MSG_IF(m_inputQueueing,
                    "rdma: QbbSwitch: its buffer manager pushes frames out; accepted: with "
                    "Queueing OutputQueued");
    // A frame that leaves may be smaller than the one that comes in.
    while (admission.pushOut)
    {
        QbbPort& victim = *m_ports[admission.victimPort].device;
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
QbbSwitch::CutThrough(QbbPort& port, QbbPort& device, QbbFramePtr& frame, uint32_t received)
{
    const QbbLineRate& rate = port.GetLineRate();
    // A faster port would run out of bytes.
    if (received <= m_cutThroughBytes || device.GetLineRate().GetBitRate() > rate.GetBitRate())
    {
        return false;
    }
    const int64_t nowFs = frame->arrivalFs;
    const int64_t earliestPs = nowFs / QBB_FS_PER_PS - rate.BytesToPs(received - m_cutThroughBytes);
    return device.CutThrough(frame, earliestPs, nowFs);
}

uint64_t
QbbSwitch::DropQueue(uint32_t port, uint8_t priority, QbbDropReason reason)
{
    const uint64_t frames = GetPort(port)->DropQueue(priority, reason);
    return frames + (m_inputQueueing
                         ? m_inputQueueing->Drop(static_cast<uint16_t>(port), priority, reason)
                         : 0);
}

uint64_t
QbbSwitch::GetBytesBetween(uint32_t ingress, uint32_t egress, uint8_t priority) const
{
    const auto from = static_cast<uint16_t>(ingress);
    if (m_inputQueueing)
    {
        return m_inputQueueing->GetQueues().GetBytes(from, static_cast<uint16_t>(egress), priority);
    }
    return GetPort(egress)->GetQueues().GetBytesFrom(priority, from);
}

void
QbbSwitch::FrameDeparts(QbbPort& port, QbbFrame& frame, int64_t startPs)
{
    for (QbbMarker* marker : m_departMarkers)
    {
        marker->FrameDeparts(port, frame, startPs);
    }
    if (frame.intRoom > 0)
    {
        m_stamper->FrameDeparts(port, frame, startPs);
    }
    if (!frame.IsMacControl())
    {
        FrameGone(port, frame);
    }
}

void
QbbSwitch::FrameGone(QbbPort& port, const QbbFrame& frame)
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
        while (const auto resumed = m_buffer->TakeResumed())
        {
            m_ports[resumed->port].device->GetFlowControl().RequestPause(resumed->priority, false);
        }
    }
}

void
QbbSwitch::LinkChanged(QbbPort& port)
{
    // The port has flushed its own queues through FrameGone(), and tells its peer by itself what is
    // still to be paused; routes are QbbRouting's.
    if (m_inputQueueing && !port.IsUp())
    {
        for (uint8_t priority = 0; priority < QbbBufferManager::PRIORITIES; ++priority)
        {
            m_inputQueueing->Drop(port.GetPortNumber(), priority, QbbDropReason::LINK_DOWN);
        }
    }
}

void
QbbSwitch::SchedulerChanged(QbbPort& port)
{
    if (m_inputQueueing)
    {
        m_inputQueueing->SchedulerChanged(port.GetPortNumber());
    }
}

void
QbbSwitch::AnswerArp(QbbPort& port, const QbbFrame& frame)
{
    ArpHeader request;
    Ptr<Packet> sdu = QbbFrameCodec::ToSdu(frame);
    if (!IsArpForIpv4(*sdu) || sdu->RemoveHeader(request) == 0 || !request.IsRequest())
    {
        port.CountDrop(frame, QbbDropReason::UNEXPECTED);
        return;
    }
    const Ipv4Address target = request.GetDestinationIpv4Address();
    const QbbForwardingTable::Group* group = m_table.Lookup(target.Get());
    const bool behindThisPort =
        group && group->size() == 1 && group->front() == port.GetPortNumber();
    if (!group || behindThisPort)
    {
        port.CountDrop(frame, QbbDropReason::NO_ROUTE);
        return;
    }
    ArpHeader reply;
    reply.SetReply(port.GetMac(),
                   target,
                   request.GetSourceHardwareAddress(),
                   request.GetSourceIpv4Address());
    Ptr<Packet> packet = Create<Packet>();
    packet->AddHeader(reply);
    auto made =
        QbbFrameCodec::FromSdu(packet,
                               QbbWire::ETHERTYPE_ARP,
                               port.GetMac(),
                               frame.srcMac,
                               frame.tagged ? std::optional<uint16_t>(frame.tci) : std::nullopt,
                               port.GetPool());
    NS_ASSERT(made.frame);
    made.frame->priority = frame.priority;
    made.frame->ingressPort = QbbNetDevice::NO_PORT;
    port.Enqueue(std::move(made.frame));
}

} // namespace ns3
