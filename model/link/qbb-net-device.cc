/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-net-device.h"

#include "qbb-frame-codec.h"
#include "qbb-wire.h"
#include "rdma-compat.h"
#include "rdma-event-order.h"
#include "rdma-refuse.h"
#include "rdma-warnings.h"

#include <ns3/abort.h>
#include <ns3/boolean.h>
#include <ns3/double.h>
#include <ns3/enum.h>
#include <ns3/ethernet-header.h>
#include <ns3/ipv4-list-routing.h>
#include <ns3/ipv4.h>
#include <ns3/log.h>
#include <ns3/pointer.h>
#include <ns3/queue-disc.h>
#include <ns3/queue-item.h>
#include <ns3/queue-limits.h>
#include <ns3/socket.h>
#include <ns3/string.h>
#include <ns3/traffic-control-layer.h>
#include <ns3/uinteger.h>

#include <limits>
#include <type_traits>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("QbbNetDevice");

NS_OBJECT_ENSURE_REGISTERED(QbbNetDevice);

namespace
{

/// Transmission queues of ns-3's traffic control, one for each class.
constexpr std::size_t STACK_QUEUES = 8;

} // namespace

template <auto setting, typename T>
void
QbbNetDevice::SetFlow(T value)
{
    using Settings = QbbFlowControl::Settings;
    constexpr bool IS_KIND = std::is_same_v<T, decltype(Settings::kind)>;
    constexpr bool IS_CLASSES = std::is_same_v<T, decltype(Settings::classes)>;
    constexpr bool IS_QUANTA = std::is_same_v<T, decltype(Settings::quanta)>;
    RefuseWhileRunning(IS_KIND      ? "FlowControl"
                       : IS_CLASSES ? "PfcClasses"
                       : IS_QUANTA  ? "PauseQuanta"
                                    : "PauseRefresh");
    m_flow.GetSettings().*setting = value;
}

template <auto setting, typename T>
T
QbbNetDevice::GetFlow() const
{
    return m_flow.GetSettings().*setting;
}

TypeId
QbbNetDevice::GetTypeId()
{
    using Settings = QbbFlowControl::Settings;
    static TypeId tid = AddTraceSources(
        TypeId("ns3::QbbNetDevice")
            .SetParent<NetDevice>()
            .SetGroupName("Rdma")
            .AddConstructor<QbbNetDevice>()
            .AddAttribute("Address",
                          "MAC address of the port.",
                          Mac48AddressValue(Mac48Address("ff:ff:ff:ff:ff:ff")),
                          MakeMac48AddressAccessor(&QbbNetDevice::SetMac, &QbbNetDevice::GetMac),
                          MakeMac48AddressChecker())
            .AddAttribute("Mtu",
                          "Size of the largest IP packet, in bytes.",
                          UintegerValue(1500),
                          MakeUintegerAccessor(&QbbNetDevice::SetMtu, &QbbNetDevice::GetMtu),
                          MakeUintegerChecker<uint16_t>(68))
            .AddAttribute(
                "DataRate",
                "Line rate.",
                DataRateValue(DataRate("100Gbps")),
                MakeDataRateAccessor(&QbbNetDevice::SetDataRate, &QbbNetDevice::GetDataRate),
                MakeDataRateChecker())
            .AddAttribute(
                "LineOverhead",
                "Whether preamble, start frame delimiter and inter-packet gap (20 bytes a "
                "frame) occupy the line.",
                BooleanValue(true),
                MakeBooleanAccessor(&QbbNetDevice::SetLineOverhead, &QbbNetDevice::HasLineOverhead),
                MakeBooleanChecker())
            .AddAttribute(
                "Scheduler",
                "Egress scheduler: eight comma-separated entries for the classes 0 to 7, "
                "each \"strict\" or a DWRR weight 1..1000; a single entry applies to all.",
                StringValue("strict"),
                MakeStringAccessor(&QbbNetDevice::SetScheduler, &QbbNetDevice::GetScheduler),
                MakeStringChecker())
            .AddAttribute("FlowControl",
                          "Kind of flow control: None, Pfc (IEEE 802.1Qbb) or Pause (IEEE 802.3x).",
                          EnumValue(QbbFlowControl::PFC),
                          RdmaMakeEnumAccessor<QbbFlowControl::Kind>(
                              &QbbNetDevice::SetFlow<&Settings::kind, QbbFlowControl::Kind>,
                              &QbbNetDevice::GetFlow<&Settings::kind, QbbFlowControl::Kind>),
                          MakeEnumChecker(QbbFlowControl::NONE,
                                          "None",
                                          QbbFlowControl::PFC,
                                          "Pfc",
                                          QbbFlowControl::PAUSE,
                                          "Pause"))
            .AddAttribute("PfcClasses",
                          "Lossless classes as a bit mask: bit p stands for class p.",
                          UintegerValue(1U << 3),
                          MakeUintegerAccessor(&QbbNetDevice::SetFlow<&Settings::classes, uint8_t>,
                                               &QbbNetDevice::GetFlow<&Settings::classes, uint8_t>),
                          MakeUintegerChecker<uint8_t>())
            .AddAttribute("PauseQuanta",
                          "Duration of the pauses that the port sends, in quanta of 512 bit times.",
                          UintegerValue(65535),
                          MakeUintegerAccessor(&QbbNetDevice::SetFlow<&Settings::quanta, uint16_t>,
                                               &QbbNetDevice::GetFlow<&Settings::quanta, uint16_t>),
                          MakeUintegerChecker<uint16_t>(1))
            .AddAttribute("PauseRefresh",
                          "Fraction of a pause after which it is refreshed; above 0, below 1.",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&QbbNetDevice::SetFlow<&Settings::refresh, double>,
                                             &QbbNetDevice::GetFlow<&Settings::refresh, double>),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute(
                "PauseReactionDelay",
                "Time between the arrival of a pause frame and the instant from which the "
                "port starts no frames of the paused class; whole picoseconds.",
                TimeValue(NanoSeconds(100)),
                MakeTimeAccessor(&QbbNetDevice::SetDelayedPause, &QbbNetDevice::GetDelayedPause),
                MakeTimeChecker(Time(0)))
            .AddAttribute("MaxStackQueueBytes",
                          "Limit of a class's egress queue in bytes. Packets from ns-3's stack "
                          "that exceed it wait in the port's queue disc of ns-3, or are dropped if "
                          "the port has none (hosts only).",
                          UintegerValue(1'000'000),
                          MakeUintegerAccessor(&QbbNetDevice::m_maxStackQueueBytes),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute(
                "Trust",
                "Field that determines a frame's class: Dscp (IPv4) or Pcp (802.1Q tag).",
                EnumValue(QbbClassifier::TRUST_DSCP),
                RdmaMakeEnumAccessor<QbbClassifier::Trust>(&QbbNetDevice::SetTrust,
                                                           &QbbNetDevice::GetTrust),
                MakeEnumChecker(QbbClassifier::TRUST_DSCP, "Dscp", QbbClassifier::TRUST_PCP, "Pcp"))
            .AddAttribute("TagFrames",
                          "Whether frames sent by this host carry an 802.1Q tag, with VlanId and "
                          "the class as PCP (hosts only).",
                          BooleanValue(false),
                          MakeBooleanAccessor(&QbbNetDevice::m_tagFrames),
                          MakeBooleanChecker())
            .AddAttribute("RoutedPort",
                          "Whether forwarded frames leave without their 802.1Q tag and PCP, as "
                          "from a router port that belongs to no VLAN (switches only).",
                          BooleanValue(false),
                          MakeBooleanAccessor(&QbbNetDevice::m_routedPort),
                          MakeBooleanChecker())
            .AddAttribute("VlanId",
                          "VLAN id in the 802.1Q tags of this host's frames; 0: priority tags.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&QbbNetDevice::m_vlanId),
                          MakeUintegerChecker<uint16_t>(0, 4094))
            .AddAttribute(
                "ReceiveErrorModel",
                "Error model that drops received frames; none by default.",
                PointerValue(),
                // Members of QbbNetDevice: for those of its second base class, ns-3 casts
                // four times as slowly.
                MakePointerAccessor(static_cast<void (QbbNetDevice::*)(Ptr<ErrorModel>)>(
                                        &QbbNetDevice::SetReceiveErrorModel),
                                    static_cast<Ptr<ErrorModel> (QbbNetDevice::*)() const>(
                                        &QbbNetDevice::GetReceiveErrorModel)),
                MakePointerChecker<ErrorModel>())
            .AddTraceSource("RateChange",
                            "The port sends at another rate from now on: rate",
                            MakeTraceSourceAccessor(&QbbNetDevice::m_rateChange),
                            "ns3::QbbNetDevice::RateCallback"));
    return tid;
}

QbbNetDevice::QbbNetDevice(const QbbNetDevice& pattern)
    : NetDevice(pattern),
      QbbPort(),
      m_maxStackQueueBytes(pattern.m_maxStackQueueBytes)
{
    SetMac(pattern.GetMac());
    m_lineRate = pattern.m_lineRate;
    m_rate = pattern.m_lineRate;
    m_flow.GetSettings() = pattern.m_flow.GetSettings();
}

Ptr<QbbNetDevice>
QbbNetDevice::MakeBare() const
{
    return GetInstanceTypeId() == GetTypeId() ? Ptr<QbbNetDevice>(new QbbNetDevice(*this), false)
                                              : nullptr;
}

void
QbbNetDevice::NotifyNewAggregate()
{
    const auto queues = GetObject<NetDeviceQueueInterface>();
    if (queues && !m_queueInterface)
    {
        NS_ABORT_MSG_IF(queues->GetNTxQueues() != STACK_QUEUES,
                        "rdma: a NetDeviceQueueInterface with "
                            << queues->GetNTxQueues() << " transmission queues for port "
                            << GetDeviceIndex() << " of node " << m_nodeId
                            << "; accepted: " << STACK_QUEUES << ", one for each class");
        m_queueInterface = PeekPointer(queues);
        m_queueInterface->SetSelectQueueCallback(
            [this](Ptr<QueueItem> item) -> std::size_t { return ClassifyItem(item); });
    }
    NetDevice::NotifyNewAggregate();
}

void
QbbNetDevice::AddQueueInterface()
{
    if (!m_queueInterface)
    {
        AggregateObject(
            CreateObjectWithAttributes<NetDeviceQueueInterface>("NTxQueues",
                                                                UintegerValue(STACK_QUEUES)));
    }
}

void
QbbNetDevice::DoInitialize()
{
    NS_LOG_FUNCTION(this);
    RdmaCheckTimeResolution();
    CheckStackRouting();
    Start();
    NetDevice::DoInitialize();
}

void
QbbNetDevice::DoDispose()
{
    NS_LOG_FUNCTION(this);
    Stop();
    m_queueInterface = nullptr;
    m_node = nullptr;
    m_receive = ReceiveCallback();
    m_promiscReceive = PromiscReceiveCallback();
    NetDevice::DoDispose();
}

bool
QbbNetDevice::Attach(Ptr<QbbChannel> channel)
{
    NS_LOG_FUNCTION(this << channel);
    AttachTo(channel);
    m_linkChange();
    return true;
}

void
QbbNetDevice::LinkStateChanged()
{
    NS_LOG_FUNCTION(this << m_up);
    for (uint8_t priority = 0; m_queueInterface && priority < STACK_QUEUES; ++priority)
    {
        if (m_up)
        {
            StackQueueMoved(priority, 0);
        }
        else
        {
            StopStackQueueIfFull(priority);
        }
    }
    m_linkChange();
}

void
QbbNetDevice::RateChanged()
{
    NS_LOG_FUNCTION(this << m_rate.GetBitRate().ToDataRate());
    m_rateChange(m_rate.GetBitRate().ToDataRate());
}

// Attributes

void
QbbNetDevice::RefuseWhileRunning(const char* attribute) const
{
    NS_ABORT_MSG_IF(IsInitialized(),
                    "rdma: QbbNetDevice::" << attribute << " of port " << GetDeviceIndex()
                                           << " of node " << m_nodeId
                                           << " is set while it is running; accepted: before the "
                                              "simulation starts");
}

void
QbbNetDevice::SetDataRate(DataRate rate)
{
    NS_ABORT_MSG_IF(IsInitialized(), "rdma: the rate of a port is changed while it is running");
    m_lineRate = RdmaLineRate(RdmaBitRate(rate));
    m_rate = m_lineRate;
}

void
QbbNetDevice::SetScheduler(std::string text)
{
    m_scheduler = QbbEgressScheduler::FromText(text);
    if (GetSink())
    {
        GetSink()->SchedulerChanged(*this);
    }
}

void
QbbNetDevice::SetDelayedPause(Time delay)
{
    RdmaSetTimeResolution();
    const int64_t fs = delay.GetFemtoSeconds();
    RefuseRdmaIf(fs < 0 || fs % RDMA_FS_PER_PS != 0,
                 "a pause reaction delay of ",
                 delay.As(Time::NS),
                 "; accepted: whole picoseconds");
    RefuseWhileRunning("PauseReactionDelay");
    m_flow.GetSettings().reaction = RdmaPs(fs / RDMA_FS_PER_PS);
}

void
QbbNetDevice::SetLineOverhead(bool overhead)
{
    RefuseWhileRunning("LineOverhead");
    m_lineOverhead = overhead;
}

// ns-3's stack

void
QbbNetDevice::DeliverToStack(const QbbFrame& frame)
{
    PacketType type = PACKET_OTHERHOST;
    if (frame.dstMac == GetMac())
    {
        type = PACKET_HOST;
    }
    else if (frame.dstMac.IsBroadcast())
    {
        type = PACKET_BROADCAST;
    }
    else if (frame.dstMac.IsGroup())
    {
        type = PACKET_MULTICAST;
    }
    const auto makePacket = [&frame] {
        CheckQbbPacket();
        return QbbFrameCodec::ToSdu(frame);
    };
    if (!m_promiscReceive.IsNull())
    {
        m_promiscReceive(this, makePacket(), frame.etherType, frame.srcMac, frame.dstMac, type);
    }
    if (type == PACKET_OTHERHOST)
    {
        FireTrace(&RareSources::macRxDrop, frame);
        CountDrop(frame, QbbDropReason::NOT_FOR_US);
    }
    else if (!m_receive.IsNull())
    {
        m_receive(this, makePacket(), frame.etherType, frame.srcMac);
    }
    else
    {
        FireTrace(&RareSources::macRxDrop, frame);
        CountDrop(frame, QbbDropReason::UNEXPECTED);
    }
}

bool
QbbNetDevice::SendFrom(Ptr<Packet> packet,
                       const Address& source,
                       const Address& dest,
                       uint16_t protocolNumber)
{
    NS_LOG_FUNCTION(this << packet << source << dest << protocolNumber);
    CheckQbbPacket();
    // If frames are tagged, the socket's priority (SO_PRIORITY) becomes the PCP.
    SocketPriorityTag priorityTag;
    const bool hasPriority = packet->PeekPacketTag(priorityTag);
    auto result = QbbFrameCodec::FromSdu(packet,
                                         protocolNumber,
                                         Mac48Address::ConvertFrom(source),
                                         Mac48Address::ConvertFrom(dest),
                                         GetTag(hasPriority ? priorityTag.GetPriority() & 7 : 0),
                                         GetPool());
    if (!result.frame)
    {
        NS_LOG_WARN(
            "a packet of ns-3's stack is not a valid frame: " << QbbParseErrorName(result.error));
        DropMalformed(packet, source, dest, protocolNumber);
        return false;
    }
    QbbFrame& frame = *result.frame;
    frame.priority = m_classifier.Classify(frame);
    frame.ingressPort = NO_PORT;
    QbbDropReason reason = QbbDropReason::COUNT;
    if (packet->GetSize() > m_mtu)
    {
        reason = QbbDropReason::TOO_LONG;
    }
    else if (!m_up)
    {
        reason = QbbDropReason::LINK_DOWN;
    }
    else if (GetQueues().GetBytes(frame.priority) + frame.size > m_maxStackQueueBytes)
    {
        reason = QbbDropReason::STACK_QUEUE;
    }
    if (reason != QbbDropReason::COUNT)
    {
        FireTrace(&Sources::macTx, frame);
        FireTrace(&RareSources::macTxDrop, frame);
        CountDrop(frame, reason);
        return false;
    }
    EnqueueFromStack(std::move(result.frame));
    return true;
}

void
QbbNetDevice::EnqueueFromStack(QbbFramePtr&& frame)
{
    if (!m_queueInterface)
    {
        Enqueue(std::move(frame));
        return;
    }
    const uint8_t priority = frame->priority;
    const auto queue = m_queueInterface->GetTxQueue(priority);
    if (queue->GetQueueLimits())
    {
        queue->NotifyQueuedBytes(frame->size);
        m_stackWaits |= static_cast<uint8_t>(1U << priority);
    }
    Enqueue(std::move(frame));
    StopStackQueueIfFull(priority);
}

void
QbbNetDevice::StopStackQueueIfFull(uint8_t priority)
{
    if (!HasRoomForStack(priority) && HasQueueDisc())
    {
        m_queueInterface->GetTxQueue(priority)->Stop();
        m_stackWaits |= static_cast<uint8_t>(1U << priority);
    }
}

void
QbbNetDevice::StackQueueMoved(uint8_t priority, uint32_t bytes)
{
    const auto queue = m_queueInterface->GetTxQueue(priority);
    queue->NotifyTransmittedBytes(bytes);
    if (HasRoomForStack(priority))
    {
        if (!queue->GetQueueLimits())
        {
            m_stackWaits &= static_cast<uint8_t>(~(1U << priority));
        }
        queue->Wake();
    }
}

bool
QbbNetDevice::HasRoomForStack(uint8_t priority) const
{
    // An empty queue has room, so that a limit below one packet stops no queue for ever.
    const uint64_t bytes = GetQueues().GetBytes(priority);
    return m_up && (bytes == 0 || bytes + GetMaxFrameBytes() <= m_maxStackQueueBytes);
}

bool
QbbNetDevice::HasQueueDisc() const
{
    const auto layer = m_node->GetObject<TrafficControlLayer>();
    return layer &&
           layer->GetRootQueueDiscOnDevice(Ptr<NetDevice>(const_cast<QbbNetDevice*>(this)));
}

uint8_t
QbbNetDevice::ClassifyItem(Ptr<QueueItem> item) const
{
    // The class that SendFrom() will find.
    QbbFrameHeaders headers;
    const auto packet = DynamicCast<QueueDiscItem>(item);
    uint8_t dsField = 0;
    headers.ipv4 = packet && packet->GetProtocol() == QbbWire::ETHERTYPE_IPV4 &&
                   packet->GetUint8Value(QueueItem::IP_DSFIELD, dsField);
    headers.dscp = dsField >> 2;
    SocketPriorityTag priorityTag;
    const bool hasPriority = item->GetPacket()->PeekPacketTag(priorityTag);
    const auto tag = GetTag(hasPriority ? priorityTag.GetPriority() & 7 : 0);
    headers.tagged = tag.has_value();
    headers.tci = tag.value_or(0);
    return m_classifier.Classify(headers);
}

void
QbbNetDevice::CheckStackRouting() const
{
    const QbbPort* const peer = GetPeer();
    if (!m_node || !peer || !peer->GetSink() || !peer->GetSink()->IsForwarder())
    {
        return;
    }
    const auto ip = m_node->GetObject<Ipv4>(Ipv4::GetTypeId()); // without a cast of the node
    if (!ip)
    {
        return;
    }
    // By name, since the module of this routing protocol may be absent.
    const auto isNixVector = [](Ptr<Ipv4RoutingProtocol> routing) {
        return routing && routing->GetInstanceTypeId().GetName() == "ns3::Ipv4NixVectorRouting";
    };
    const auto routing = ip->GetRoutingProtocol();
    bool found = isNixVector(routing);
    if (const auto list = DynamicCast<Ipv4ListRouting>(routing))
    {
        for (uint32_t i = 0; i < list->GetNRoutingProtocols(); ++i)
        {
            int16_t priority = 0;
            found = found || isNixVector(list->GetRoutingProtocol(i, priority));
        }
    }
    if (found)
    {
        RdmaWarnOncePerSimulation(
            "nix-vector routing",
            "node " + std::to_string(m_nodeId) +
                " has nix-vector routing of ns-3, which finds no path through the switch at port " +
                std::to_string(GetDeviceIndex()) +
                ", because a switch has no Ipv4 object; accepted: static or global routing");
    }
}

void
QbbNetDevice::DropMalformed(Ptr<const Packet> packet,
                            const Address& source,
                            const Address& dest,
                            uint16_t protocolNumber)
{
    ++GetCounters().dropsByReason[static_cast<std::size_t>(QbbDropReason::MALFORMED)];
    if (HasRareSinks())
    {
        EthernetHeader header(false);
        header.SetSource(Mac48Address::ConvertFrom(source));
        header.SetDestination(Mac48Address::ConvertFrom(dest));
        header.SetLengthType(protocolNumber);
        Ptr<Packet> dropped = packet->Copy();
        dropped->AddHeader(header);
        FireMalformed(dropped);
    }
}

// NetDevice

void
QbbNetDevice::SetIfIndex(const uint32_t index)
{
    constexpr uint32_t MAX_PORTS = std::numeric_limits<uint16_t>::max();
    RefuseRdmaIf(index >= MAX_PORTS, "a node with more than ", MAX_PORTS, " ports");
    m_deviceIndex = index;
    for (uint32_t other = index; m_node && other >= RdmaEventOrder::PLACES;)
    {
        other -= RdmaEventOrder::PLACES;
        if (const auto port = DynamicCast<QbbNetDevice>(m_node->GetDevice(other)))
        {
            port->m_sharesPlace = true;
            m_sharesPlace = true;
        }
    }
}

bool
QbbNetDevice::SetMtu(const uint16_t mtu)
{
    if (mtu != m_mtu)
    {
        RefuseWhileRunning("Mtu");
    }
    m_mtu = mtu;
    return true;
}

void
QbbNetDevice::SetNode(Ptr<Node> node)
{
    m_node = node;
    m_nodeId = node->GetId();
}

RdmaPeakReaders::Values
QbbNetDevice::TakePeaks()
{
    const auto peaks = m_queues.TakePeaks();
    return {peaks.begin(), peaks.end()};
}

RdmaPeakReaders::Values
QbbNetDevice::GetQueueBytes() const
{
    RdmaPeakReaders::Values bytes;
    for (uint8_t priority = 0; priority < 8; ++priority)
    {
        bytes.push_back(m_queues.GetBytes(priority));
    }
    return bytes;
}

} // namespace ns3
