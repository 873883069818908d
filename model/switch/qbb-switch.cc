/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-switch.h"

#include "qbb-crossbar.h"
#include "qbb-frame-codec.h"
#include "qbb-shared-buffer.h"
#include "qbb-wire.h"
#include "rdma-compat.h"
#include "rdma-refuse.h"
#include "rdma-warnings.h"

#include <ns3/abort.h>
#include <ns3/arp-header.h>
#include <ns3/assert.h>
#include <ns3/boolean.h>
#include <ns3/double.h>
#include <ns3/enum.h>
#include <ns3/log.h>
#include <ns3/node.h>
#include <ns3/pointer.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <iterator>
#include <map>
#include <optional>
#include <string>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("QbbSwitch");

NS_OBJECT_ENSURE_REGISTERED(QbbSwitch);

namespace
{

/**
 * Validates an ARP packet before ns-3's ArpHeader parses it, because ArpHeader does not check the
 * length fields.
 *
 * \param packet payload of a frame with the EtherType of ARP
 * \return true if the packet is ARP for IPv4 over Ethernet (RFC 826) and long enough
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

} // namespace

TypeId
QbbSwitch::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::QbbSwitch")
            .SetParent<Object>()
            .SetGroupName("Rdma")
            .AddConstructor<QbbSwitch>()
            .AddAttribute(
                "BufferManager",
                "Buffer manager, which admits frames and decides on pauses; one for each "
                "switch. Default: a QbbSharedBuffer with its default attributes.",
                PointerValue(),
                MakePointerAccessor(&QbbSwitch::SetBufferManager, &QbbSwitch::GetBufferManager),
                MakePointerChecker<QbbBufferManager>())
            .AddAttribute(
                "Marker",
                "Additional marker, which marks packets of this switch or writes into "
                "them; one for each switch. Works in addition to the markers of the "
                "attributes EcnMarker, CongestionDetector and PintBaseRtt. Default: "
                "none.",
                PointerValue(),
                MakePointerAccessor(&QbbSwitch::SetPart<&QbbSwitch::m_marker, QbbMarker>,
                                    &QbbSwitch::Get<&QbbSwitch::m_marker, Ptr<QbbMarker>>),
                MakePointerChecker<QbbMarker>())
            .AddAttribute(
                "EcnMarker",
                "Marks ECN-capable packets by queue length; default: no marks. The "
                "marker may be changed and replaced at run time.",
                PointerValue(),
                MakePointerAccessor(&QbbSwitch::SetEcnMarker,
                                    &QbbSwitch::Get<&QbbSwitch::m_ecnMarker, Ptr<QbbEcnMarker>>),
                MakePointerChecker<QbbEcnMarker>())
            .AddAttribute("CongestionDetector",
                          "Congestion detector, which marks ECN-capable packets that leave "
                          "congested ports; one for each switch. Default: none.",
                          PointerValue(),
                          MakePointerAccessor(
                              &QbbSwitch::SetPart<&QbbSwitch::m_detector, QbbCongestionDetector>,
                              &QbbSwitch::Get<&QbbSwitch::m_detector, Ptr<QbbCongestionDetector>>),
                          MakePointerChecker<QbbCongestionDetector>())
            .AddAttribute(
                "PathSelector",
                "Path selector, which chooses among equal-cost ports; one for each switch. "
                "Default: ECMP by flow.",
                PointerValue(),
                MakePointerAccessor(&QbbSwitch::SetPathSelector,
                                    &QbbSwitch::Get<&QbbSwitch::m_selector, Ptr<QbbPathSelector>>),
                MakePointerChecker<QbbPathSelector>())
            .AddAttribute("PintBaseRtt",
                          "Base round-trip time of the network, over which the utilisation of "
                          "ports is averaged for HPCC over PINT; 0: packets that request PINT data "
                          "are forwarded unchanged.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&QbbSwitch::SetPintBaseRtt, &QbbSwitch::GetPintBaseRtt),
                          MakeTimeChecker(Time(0)))
            .AddAttribute(
                "EcmpSeed",
                "Seed of the ECMP hash, which chooses among equal-cost ports; 0: a seed derived "
                "from the node's id. Equal seeds at all switches polarise the fabric.",
                UintegerValue(0),
                MakeUintegerAccessor(&QbbSwitch::SetEcmpSeed,
                                     &QbbSwitch::Get<&QbbSwitch::m_seedAttribute, uint32_t>),
                MakeUintegerChecker<uint32_t>())
            .AddAttribute(
                "CutThrough",
                "True: a frame is forwarded once CutThroughBytes have arrived, if the egress port "
                "is idle and not faster than the ingress port (output-queued switches only). "
                "False: a frame is forwarded once it has arrived completely.",
                BooleanValue(false),
                MakeBooleanAccessor(&QbbSwitch::SetBeforeTheRun<&QbbSwitch::m_cutThrough, bool>,
                                    &QbbSwitch::Get<&QbbSwitch::m_cutThrough, bool>),
                MakeBooleanChecker())
            .AddAttribute("CutThroughBytes",
                          "Bytes of a frame that must have arrived before a cut-through switch "
                          "starts to forward it.",
                          UintegerValue(128),
                          MakeUintegerAccessor(
                              &QbbSwitch::SetBeforeTheRun<&QbbSwitch::m_cutThroughBytes, uint32_t>,
                              &QbbSwitch::Get<&QbbSwitch::m_cutThroughBytes, uint32_t>),
                          MakeUintegerChecker<uint32_t>(64, 65535))
            .AddAttribute(
                "Queueing",
                "Where frames wait. OutputQueued: at their egress port, in order of arrival. "
                "InputQueued: in virtual output queues, served by round robin over the inputs.",
                EnumValue(QbbSwitch::OUTPUT_QUEUED),
                RdmaMakeEnumAccessor<Queueing>(
                    &QbbSwitch::SetBeforeTheRun<&QbbSwitch::m_queueing, Queueing>,
                    &QbbSwitch::Get<&QbbSwitch::m_queueing, Queueing>),
                MakeEnumChecker(QbbSwitch::OUTPUT_QUEUED,
                                "OutputQueued",
                                QbbSwitch::INPUT_QUEUED,
                                "InputQueued"))
            .AddAttribute(
                "Crossbar",
                "For Queueing InputQueued. True: an input sends to one output at a time, through a "
                "crossbar. False: all outputs can read from the same input at once.",
                BooleanValue(false),
                MakeBooleanAccessor(&QbbSwitch::SetBeforeTheRun<&QbbSwitch::m_crossbar, bool>,
                                    &QbbSwitch::Get<&QbbSwitch::m_crossbar, bool>),
                MakeBooleanChecker())
            .AddAttribute(
                "CrossbarSpeedup",
                "Rate of the crossbar over the rate of the fastest port, 1..1000.",
                DoubleValue(1),
                MakeDoubleAccessor(&QbbSwitch::SetBeforeTheRun<&QbbSwitch::m_speedup, double>,
                                   &QbbSwitch::Get<&QbbSwitch::m_speedup, double>),
                MakeDoubleChecker<double>(1, 1000))
            .AddAttribute(
                "CrossbarEgressBytes",
                "Bytes of a class at an egress port at which no further frame of the class starts "
                "to cross the crossbar to this port; 0: two of the port's largest frames.",
                UintegerValue(0),
                MakeUintegerAccessor(
                    &QbbSwitch::SetBeforeTheRun<&QbbSwitch::m_crossbarEgressBytes, uint32_t>,
                    &QbbSwitch::Get<&QbbSwitch::m_crossbarEgressBytes, uint32_t>),
                MakeUintegerChecker<uint32_t>());
    return tid;
}

QbbSwitch::QbbSwitch()
    : m_lengthMarker(CreateObject<QbbQueueLengthMarker>()),
      m_stamper(CreateObject<QbbIntStamper>())
{
    NS_LOG_FUNCTION(this);
}

QbbSwitch::~QbbSwitch()
{
    NS_LOG_FUNCTION(this);
    LeaveParts();
    if (m_ecnMarker)
    {
        m_ecnMarker->ForgetUser(this);
    }
}

void
QbbSwitch::LeaveParts()
{
    Change<QbbBufferManager>(m_buffer, nullptr);
    Change<QbbMarker>(m_marker, nullptr);
    Change<QbbCongestionDetector>(m_detector, nullptr);
    Change<QbbPathSelector>(m_selector, nullptr);
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
        port->SetSink(nullptr);
    }
    m_ports.clear();
    LeaveParts();
    m_buffer = nullptr;
    ReleaseMarkers();
    m_selector = nullptr;
    Object::DoDispose();
}

void
QbbSwitch::AddPort(Ptr<QbbNetDevice> device)
{
    NS_ABORT_MSG_IF(m_configured, "rdma: a port is added to a switch that is already running");
    device->SetSink(this);
    device->SetPortNumber(static_cast<uint16_t>(m_ports.size()));
    m_ports.push_back(device);
}

int64_t
QbbSwitch::AssignStreams(int64_t stream)
{
    int64_t next = stream;
    for (QbbMarker* marker : GetMarkers())
    {
        next += marker->AssignStreams(next);
    }
    return next - stream + (m_selector ? m_selector->AssignStreams(next) : 0);
}

std::vector<QbbPortProfile>
QbbSwitch::GetPortProfiles() const
{
    std::vector<QbbPortProfile> profiles;
    profiles.reserve(m_ports.size());
    for (const auto& port : m_ports)
    {
        const QbbPort& device = *port;
        QbbPort* peer = device.GetPeer();
        NS_ABORT_MSG_IF(!peer, "rdma: port " << profiles.size() << " of a switch has no cable");
        QbbPortProfile profile;
        profile.rate = device.GetLineRate().GetBitRate();
        profile.delay = device.GetQbbChannel()->GetDelayPs();
        profile.reaction = peer->GetFlowControl().GetReactionDelay();
        const uint32_t headerBytes = GetHeaderBytes(device);
        profile.maxFrameBytes = device.GetMaxFrameBytes() + headerBytes;
        profile.peerMaxFrameBytes = peer->GetMaxFrameBytes() + headerBytes;
        profile.lineOverheadBytes = device.GetLineOverheadBytes();
        profile.losslessMask = device.GetFlowControl().GetLosslessClasses();
        profile.oneHeadroom = device.GetFlowControl().GetKind() == QbbFlowControl::PAUSE;
        profiles.push_back(profile);
    }
    return profiles;
}

bool
QbbSwitch::LeadsToSwitch(uint16_t port) const
{
    const QbbPort* peer = m_ports[port]->GetPeer();
    return peer && peer->GetSink() && peer->GetSink()->IsForwarder();
}

// Returns the bytes that the path selector may add to a frame on the port's cable.
uint32_t
QbbSwitch::GetHeaderBytes(const QbbPort& port) const
{
    return m_selector && LeadsToSwitch(port.GetPortNumber()) ? m_selector->GetHeaderBytes() : 0;
}

void
QbbSwitch::ConfigureBuffer()
{
    if (!m_buffer)
    {
        const auto buffer = CreateObject<QbbSharedBuffer>();
        Change<QbbBufferManager>(nullptr, buffer);
        m_buffer = buffer;
    }
    m_buffer->Configure(GetPortProfiles());
    ConfigureQueueing();
    for (QbbMarker* marker : GetMarkers())
    {
        marker->Configure(GetPortList(), m_inputQueueing != nullptr);
    }
    if (m_selector)
    {
        m_selector->Configure();
    }
    m_configured = true;
    UpdateMarkerLists();
}

void
QbbSwitch::ConfigureQueueing()
{
    RefuseRdmaIf(m_cutThrough && m_queueing != OUTPUT_QUEUED,
                 "QbbSwitch: CutThrough is for a switch whose Queueing is OutputQueued");
    RefuseRdmaIf(m_crossbar && m_queueing == OUTPUT_QUEUED,
                 "QbbSwitch: Crossbar is for a switch whose Queueing is InputQueued");
    RefuseRdmaIf(!m_crossbar && (m_speedup != 1 || m_crossbarEgressBytes != 0),
                 "QbbSwitch: CrossbarSpeedup and CrossbarEgressBytes are for a switch "
                 "whose Crossbar is true");
    m_inputQueueing.reset();
    if (m_queueing == OUTPUT_QUEUED || m_ports.empty())
    {
        return;
    }
    std::vector<QbbPort*> ports = GetPortList();
    if (m_crossbar)
    {
        m_inputQueueing = std::make_unique<QbbCrossbar>(std::move(ports),
                                                        *this,
                                                        m_speedup,
                                                        m_crossbarEgressBytes);
    }
    else
    {
        m_inputQueueing = std::make_unique<QbbInputQueueing>(std::move(ports));
    }
}

std::vector<QbbPort*>
QbbSwitch::GetPortList() const
{
    std::vector<QbbPort*> ports;
    ports.reserve(m_ports.size());
    for (const auto& port : m_ports)
    {
        ports.push_back(PeekPointer(port));
    }
    return ports;
}

void
QbbSwitch::RefuseWhileRunning() const
{
    const Ptr<Node> node = GetObject<Node>();
    NS_ABORT_MSG_IF(IsInitialized(),
                    "rdma: an attribute of the QbbSwitch of node "
                        << (node ? node->GetId() : 0)
                        << " is set while it is running; accepted at run time: EcnMarker, "
                           "PathSelector, EcmpSeed");
}

void
QbbSwitch::SetEcnMarker(Ptr<QbbEcnMarker> marker)
{
    if (m_ecnMarker)
    {
        m_ecnMarker->ForgetUser(this);
    }
    m_ecnMarker = marker;
    m_lengthMarker->SetSettings(marker);
    if (m_ecnMarker)
    {
        m_ecnMarker->AddUser(this, [this]() {
            m_lengthMarker->SettingsChanged();
            UpdateMarkerLists();
        });
    }
    UpdateMarkerLists();
}

void
QbbSwitch::SetPintBaseRtt(Time baseRtt)
{
    RefuseWhileRunning();
    RdmaSetTimeResolution();
    const RdmaPs time = RdmaToPs(baseRtt);
    m_pint = time > 0_ps ? CreateObject<QbbPintMeter>() : nullptr;
    if (m_pint)
    {
        m_pint->SetBaseRtt(time);
    }
}

Time
QbbSwitch::GetPintBaseRtt() const
{
    return RdmaToTime(m_pint ? m_pint->GetBaseRtt() : 0_ps);
}

void
QbbSwitch::SetPathSelector(Ptr<QbbPathSelector> selector)
{
    const bool seesFrames = m_selectorMoments != 0 || (selector && selector->GetMoments() != 0);
    if (seesFrames)
    {
        const Ptr<Node> node = GetObject<Node>();
        RefuseRdmaIf(IsInitialized(),
                     "the path selector of the switch of node ",
                     node ? node->GetId() : 0,
                     " is changed while the switch runs, and the old selector or the new one has "
                     "state about frames; accepted: a change before Simulator::Run(), or between "
                     "selectors whose GetMoments() is 0");
    }
    Change(m_selector, selector);
    m_selector = selector;
    if (m_selector)
    {
        m_selector->SetSwitch(this);
    }
    UpdateMarkerLists();
}

void
QbbSwitch::SetEcmpSeed(uint32_t seed)
{
    m_seedAttribute = seed;
    const Ptr<Node> node = GetObject<Node>();
    m_seed = seed || !node ? seed : QbbFlowHash(node->GetId(), 0, 0, 0, 0);
}

// Markers

std::vector<QbbMarkCurve>
QbbSwitch::DescribeMarks(const QbbPort& egress, uint8_t priority) const
{
    std::vector<QbbMarkCurve> curves;
    for (const QbbMarker* marker : GetMarkers())
    {
        if (const auto curve = marker->DescribeMarks(egress, priority))
        {
            curves.push_back(*curve);
        }
    }
    return curves;
}

void
QbbSwitch::ReleaseMarkers()
{
    if (m_ecnMarker)
    {
        m_ecnMarker->ForgetUser(this);
    }
    m_ecnMarker = nullptr;
    m_lengthAtJoining = nullptr;
    m_hasOtherMarkers = false;
    m_selectorMoments = 0;
    m_atJoining.clear();
    m_atDeparture.clear();
    m_lengthMarker = nullptr;
    m_detector = nullptr;
    m_pint = nullptr;
    m_marker = nullptr;
    m_stamper = nullptr;
}

std::vector<QbbMarker*>
QbbSwitch::GetMarkers() const
{
    std::vector<QbbMarker*> markers;
    const std::initializer_list<QbbMarker*> all = {PeekPointer(m_lengthMarker),
                                                   PeekPointer(m_detector),
                                                   PeekPointer(m_pint),
                                                   PeekPointer(m_marker)};
    std::copy_if(all.begin(), all.end(), std::back_inserter(markers), [](const QbbMarker* marker) {
        return marker != nullptr;
    });
    return markers;
}

std::vector<QbbMarker*>
QbbSwitch::GetMarkers(QbbMarker::Moment moment) const
{
    std::vector<QbbMarker*> markers = GetMarkers();
    markers.erase(std::remove_if(markers.begin(),
                                 markers.end(),
                                 [moment](const QbbMarker* marker) {
                                     return !(marker->GetMoments() & moment);
                                 }),
                  markers.end());
    return markers;
}

void
QbbSwitch::UpdateMarkerLists()
{
    if (!m_configured)
    {
        return;
    }
    // The length marker comes first among all markers.
    m_atJoining = GetMarkers(QbbMarker::JOINS);
    m_lengthAtJoining = nullptr;
    if (!m_atJoining.empty() && m_atJoining.front() == PeekPointer(m_lengthMarker))
    {
        m_lengthAtJoining = PeekPointer(m_lengthMarker);
        m_atJoining.erase(m_atJoining.begin());
    }
    m_atDeparture = GetMarkers(QbbMarker::DEPARTS);
    m_selectorMoments = m_selector ? m_selector->GetMoments() : 0;
    m_hasOtherMarkers = !m_atJoining.empty() || !m_atDeparture.empty() || m_selectorMoments != 0;
    if (m_inputQueueing)
    {
        m_inputQueueing->SetMarkers(GetMarkers(QbbMarker::CHOSEN));
    }
}

// Frames

std::vector<const QbbPort*>
QbbSwitch::GetOnwardPorts() const
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
QbbSwitch::GetNPorts() const
{
    return static_cast<uint32_t>(m_ports.size());
}

Ptr<QbbNetDevice>
QbbSwitch::GetPort(uint32_t port) const
{
    NS_ABORT_MSG_IF(port >= m_ports.size(),
                    "rdma: port " << port << " of a switch with " << m_ports.size() << " ports");
    return m_ports[port];
}

uint16_t
QbbSwitch::PredictPort(uint32_t flowHash, const QbbForwardingTable::Group& ports) const
{
    if (ports.size() == 1)
    {
        return ports.front();
    }
    const auto chosen = m_selector ? m_selector->Predict(flowHash, ports) : std::nullopt;
    return chosen ? *chosen : SelectPort(flowHash, ports);
}

std::vector<std::pair<uint16_t, uint64_t>>
QbbSwitch::GetWaitingBytes(uint16_t egressPort, uint8_t priority) const
{
    const QbbPort& device = *GetPort(egressPort);
    std::map<uint16_t, uint64_t> bytes;
    if (m_selector)
    {
        m_selector->ForEachHeld([&](const QbbFrame& frame, uint16_t egress) {
            if (egress == egressPort && frame.priority == priority)
            {
                bytes[frame.ingressPort] += frame.size;
            }
        });
    }
    if (m_inputQueueing)
    {
        const auto& queues = m_inputQueueing->GetQueues();
        queues.FindTurn(egressPort, priority, [&](uint16_t input) {
            bytes[input] += queues.GetBytes(input, egressPort, priority);
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

// Most frames find their egress port idle. They enter and leave the buffer at one instant. At an
// empty queue, queue-length marking marks no frame.
[[gnu::always_inline]] inline bool
QbbSwitch::MayPassUncharged(const QbbPort& egress, const QbbFrame& frame) const
{
    return egress.CanSendAtOnce(frame.priority, frame.arrival) && !m_hasOtherMarkers &&
           frame.intRoom == 0 && !m_cutThrough && !m_inputQueueing;
}

[[gnu::always_inline]] inline bool
QbbSwitch::IsTooLong(const QbbFrame& frame, const QbbPort& egress) const
{
    const uint32_t most = egress.GetMaxFrameBytes();
    return frame.size > most && frame.size - frame.GetFabricBytes() > most;
}

[[gnu::always_inline]] inline void
QbbSwitch::ShowJoining(QbbPort& egress, QbbFrame& frame) const
{
    // Queue-length marking, which most runs use, is called without a virtual call.
    if (m_lengthAtJoining)
    {
        m_lengthAtJoining->Mark(egress, frame);
    }
    if (m_hasOtherMarkers)
    {
        for (QbbMarker* marker : m_atJoining)
        {
            marker->FrameJoins(egress, frame);
        }
    }
}

void
QbbSwitch::ReceiveFrame(QbbPort& port, QbbFramePtr&& frame)
{
    QbbFrame& fields = *frame;
    if (fields.dstMac != port.GetMac())
    {
        if (fields.etherType == QbbWire::ETHERTYPE_ARP && fields.dstMac.IsBroadcast())
        {
            AnswerArp(port, fields);
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
    const uint32_t received = fields.size;
    if (m_selectorMoments & QbbPathSelector::ARRIVES)
    {
        m_selector->FrameArrives(port, frame);
        if (!frame)
        {
            return;
        }
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
    if (fields.tagged && device.IsRoutedPort())
    {
        fields.tagged = false;
        fields.size = std::max(fields.size - QbbWire::VLAN_TAG_BYTES, QbbWire::MIN_FRAME_BYTES);
    }
    if (IsTooLong(fields, device))
    {
        DropTooLong(device, fields);
        return;
    }

    if ((m_gated & (1U << fields.priority)) && !m_gate->Admits(port, device, fields))
    {
        return;
    }
    const RdmaEventTime eventTime = fields.arrival;
    const bool passes = MayPassUncharged(device, fields);
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
    if (m_selectorMoments & QbbPathSelector::JOINS)
    {
        m_selector->FrameJoins(device, frame);
        if (!frame)
        {
            return;
        }
    }
    if (fields.ecn != 0)
    {
        ShowJoining(device, fields);
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
QbbSwitch::SendOwn(uint16_t port, QbbFramePtr&& frame)
{
    QbbPort& egress = *m_ports[port];
    frame->ingressPort = QbbPort::NO_PORT;
    frame->srcMac = egress.GetMac();
    frame->dstMac = egress.GetPeerMac();
    egress.Enqueue(std::move(frame));
}

void
QbbSwitch::ReleaseHeld(QbbPort& egress, QbbFramePtr&& frame)
{
    if (frame->ecn != 0)
    {
        ShowJoining(egress, *frame);
    }
    frame->srcMac = egress.GetMac();
    frame->dstMac = egress.GetPeerMac();
    if (m_inputQueueing)
    {
        m_inputQueueing->Push(egress.GetPortNumber(), std::move(frame), RdmaEventNow());
        return;
    }
    egress.Enqueue(std::move(frame));
}

void
QbbSwitch::DropHeld(QbbPort& egress, QbbFramePtr&& frame, QbbDropReason reason)
{
    const QbbFramePtr last = std::move(frame);
    egress.DropUnsent(*last, reason);
}

// Answers an ARP request (RFC 826) through its ingress port. A frame that gets no answer is counted
// as a drop at that port.
void
QbbSwitch::AnswerArp(QbbPort& port, const QbbFrame& frame) const
{
    CheckQbbPacket();
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
        group && std::find(group->begin(), group->end(), port.GetPortNumber()) != group->end();
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
    made.frame->ingressPort = QbbPort::NO_PORT;
    port.Enqueue(std::move(made.frame));
}

void
QbbSwitch::DropUnroutable(QbbPort& port, const QbbFrame& frame, QbbDropReason reason)
{
    constexpr uint16_t ETHERTYPE_IPV6 = 0x86dd;
    port.CountDrop(frame, reason);
    if (frame.etherType == ETHERTYPE_IPV6)
    {
        RdmaWarnOncePerSimulation(
            "IPv6",
            "switch at node " + std::to_string(port.GetNodeId()) +
                " drops IPv6 packets, since switches route IPv4 alone; the drops are "
                "counted as UNEXPECTED, and as NOT_FOR_US for neighbour discovery");
    }
}

void
QbbSwitch::DropTooLong(QbbPort& egress, const QbbFrame& frame)
{
    egress.CountDrop(frame, QbbDropReason::TOO_LONG);
    RdmaWarnOncePerSimulation(
        "MTU",
        "port " + std::to_string(egress.GetDeviceIndex()) + " of node " +
            std::to_string(egress.GetNodeId()) + " drops a frame of " + std::to_string(frame.size) +
            " bytes, because its MTU is " + std::to_string(egress.GetPacketMtu()) +
            " (QbbNetDevice::Mtu) and a switch sends no ICMP message; such drops are "
            "counted as TOO_LONG");
}

void
QbbSwitch::PrefetchFrame(const QbbPort& port,
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
        RdmaPrefetch(&m_lengthAtJoining);
        return;
    }
    // The note is the number of the egress port.
    if (step == 3)
    {
        const QbbForwardingTable::Route route = m_table.Find(frame.dstIp);
        if (route.count > 0)
        {
            note = SelectPort(frame.flowHash, route);
            RdmaPrefetch(&m_ports[note]);
            m_buffer->PrefetchGroup(port.GetPortNumber(), frame.priority);
            m_buffer->PrefetchQueue(static_cast<uint16_t>(note), frame.priority);
        }
        return;
    }
    m_ports[note]->PrefetchTransmission(frame.priority);
    m_buffer->PrefetchPool(port.GetPortNumber(), frame.priority);
}

QbbAdmission
QbbSwitch::PushOut(QbbAdmission admission, const QbbFrame& frame, uint16_t egressPort)
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
QbbSwitch::CutThrough(QbbPort& port, QbbPort& device, QbbFramePtr& frame, uint32_t received)
{
    const RdmaLineRate& rate = port.GetLineRate();
    // A faster egress port would run out of bytes in the middle of the frame.
    if (received <= m_cutThroughBytes || device.GetLineRate().GetBitRate() > rate.GetBitRate())
    {
        return false;
    }
    const RdmaEventTime eventTime = frame->arrival;
    const RdmaPs earliest = eventTime.GetInstant() - rate.BytesToPs(received - m_cutThroughBytes);
    return device.CutThrough(frame, earliest, eventTime);
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
    uint64_t held = 0;
    if (m_selector)
    {
        m_selector->ForEachHeld([&](const QbbFrame& frame, uint16_t port) {
            const bool isOurs =
                frame.ingressPort == from && port == egress && frame.priority == priority;
            held += isOurs ? frame.size : 0;
        });
    }
    if (m_inputQueueing)
    {
        return held +
               m_inputQueueing->GetQueues().GetBytes(from, static_cast<uint16_t>(egress), priority);
    }
    return held + GetPort(egress)->GetQueues().GetBytesFrom(priority, from);
}

[[gnu::always_inline]] inline void
QbbSwitch::ReleaseRoom(QbbPort& port, const QbbFrame& frame)
{
    if (frame.ingressPort == QbbNetDevice::NO_PORT)
    {
        if (m_inputQueueing)
        {
            m_inputQueueing->EgressFrameLeft(port.GetPortNumber(), frame.priority);
        }
        return;
    }
    if (m_buffer->Release(frame.ingressPort, port.GetPortNumber(), frame.priority, frame.size))
    {
        ResumePeers();
    }
}

void
QbbSwitch::ResumePeers()
{
    while (const auto resumed = m_buffer->TakeResumed())
    {
        m_ports[resumed->port]->GetFlowControl().RequestPause(resumed->priority, false);
    }
}

void
QbbSwitch::FrameDeparts(QbbPort& port, QbbFrame& frame, RdmaPs start)
{
    if ((m_hasOtherMarkers &&
         (m_selectorMoments & QbbPathSelector::DEPARTS || !m_atDeparture.empty())) ||
        frame.intRoom > 0)
    {
        ShowDeparture(port, frame, start);
        return;
    }
    if (!frame.IsMacControl())
    {
        ReleaseRoom(port, frame);
    }
}

void
QbbSwitch::ShowDeparture(QbbPort& port, QbbFrame& frame, RdmaPs start)
{
    for (QbbMarker* marker : m_atDeparture)
    {
        marker->FrameDeparts(port, frame, start);
    }
    if (frame.intRoom > 0)
    {
        m_stamper->FrameDeparts(port, frame, start);
    }
    if (!frame.IsMacControl())
    {
        if (m_selectorMoments & QbbPathSelector::DEPARTS)
        {
            m_selector->FrameDeparts(port, frame, start);
        }
        ReleaseRoom(port, frame);
    }
}

void
QbbSwitch::FrameGone(QbbPort& port, const QbbFrame& frame)
{
    ReleaseRoom(port, frame);
}

void
QbbSwitch::LinkChanged(QbbPort& port)
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
QbbSwitch::SchedulerChanged(QbbPort& port)
{
    if (m_inputQueueing)
    {
        m_inputQueueing->SchedulerChanged(port.GetPortNumber());
    }
}

} // namespace ns3
