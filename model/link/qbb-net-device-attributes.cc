/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-event-order.h"
#include "qbb-net-device.h"
#include "qbb-wire.h"
#include "rdma-compat.h"

#include <ns3/abort.h>
#include <ns3/boolean.h>
#include <ns3/double.h>
#include <ns3/enum.h>
#include <ns3/node.h>
#include <ns3/pointer.h>
#include <ns3/string.h>
#include <ns3/trace-source-accessor.h>
#include <ns3/uinteger.h>

#include <limits>

/**
 * \file
 * \ingroup rdma
 * QbbNetDevice's attributes and the plain NetDevice interface. Frames are in qbb-net-device.cc,
 * ns-3's own packets in qbb-net-device-stack.cc.
 */

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(QbbNetDevice);

TypeId
QbbNetDevice::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::QbbNetDevice")
            .SetParent<NetDevice>()
            .SetGroupName("Rdma")
            .AddConstructor<QbbNetDevice>()
            .AddAttribute("Address",
                          "MAC address of the port.",
                          Mac48AddressValue(Mac48Address("ff:ff:ff:ff:ff:ff")),
                          MakeMac48AddressAccessor(&QbbNetDevice::m_address),
                          MakeMac48AddressChecker())
            .AddAttribute("Mtu",
                          "Largest IP packet, in bytes.",
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
                "Preamble, start delimiter and inter-packet gap (20 bytes a frame) take "
                "their time on the line.",
                BooleanValue(true),
                MakeBooleanAccessor(&QbbNetDevice::SetLineOverhead, &QbbNetDevice::HasLineOverhead),
                MakeBooleanChecker())
            .AddAttribute(
                "Scheduler",
                "Eight entries for the classes 0 to 7, separated by commas: \"strict\" "
                "or a DWRR weight 1..1000; one entry alone stands for all.",
                StringValue("strict"),
                MakeStringAccessor(&QbbNetDevice::SetScheduler, &QbbNetDevice::GetScheduler),
                MakeStringChecker())
            .AddAttribute(
                "FlowControl",
                "None, Pfc (IEEE 802.1Qbb) or Pause (IEEE 802.3x).",
                EnumValue(QbbFlowControl::PFC),
                RdmaMakeEnumAccessor<QbbFlowControl::Kind>(&QbbNetDevice::SetFlowControlKind,
                                                           &QbbNetDevice::GetFlowControlKind),
                MakeEnumChecker(QbbFlowControl::NONE,
                                "None",
                                QbbFlowControl::PFC,
                                "Pfc",
                                QbbFlowControl::PAUSE,
                                "Pause"))
            .AddAttribute(
                "PfcClasses",
                "The lossless classes, one bit each: bit p is class p.",
                UintegerValue(1U << 3),
                MakeUintegerAccessor(&QbbNetDevice::SetPfcClasses, &QbbNetDevice::GetPfcClasses),
                MakeUintegerChecker<uint8_t>())
            .AddAttribute(
                "PauseQuanta",
                "Length of a pause that is asked for, in quanta of 512 bit times.",
                UintegerValue(65535),
                MakeUintegerAccessor(&QbbNetDevice::SetPauseQuanta, &QbbNetDevice::GetPauseQuanta),
                MakeUintegerChecker<uint16_t>(1))
            .AddAttribute(
                "PauseRefresh",
                "A pause is repeated after this part of its length; above 0, below 1.",
                DoubleValue(0.5),
                MakeDoubleAccessor(&QbbNetDevice::SetPauseRefresh, &QbbNetDevice::GetPauseRefresh),
                MakeDoubleChecker<double>(0, 1))
            .AddAttribute(
                "PauseReactionDelay",
                "Time from the arrival of a pause frame until the port begins no more "
                "frames of the class; whole picoseconds.",
                TimeValue(NanoSeconds(100)),
                MakeTimeAccessor(&QbbNetDevice::SetDelayedPause, &QbbNetDevice::GetDelayedPause),
                MakeTimeChecker(Time(0)))
            .AddAttribute("MaxStackQueueBytes",
                          "Most bytes that wait in a class's queue before packets of ns-3's stack "
                          "are dropped there (hosts only).",
                          UintegerValue(1'000'000),
                          MakeUintegerAccessor(&QbbNetDevice::m_maxStackQueueBytes),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute(
                "Trust",
                "What gives a frame its class: Dscp (of IPv4) or Pcp (of the 802.1Q tag).",
                EnumValue(QbbClassifier::TRUST_DSCP),
                RdmaMakeEnumAccessor<QbbClassifier::Trust>(&QbbNetDevice::SetTrust,
                                                           &QbbNetDevice::GetTrust),
                MakeEnumChecker(QbbClassifier::TRUST_DSCP, "Dscp", QbbClassifier::TRUST_PCP, "Pcp"))
            .AddAttribute("TagFrames",
                          "Frames of this host carry an 802.1Q tag, with VlanId and the class as "
                          "PCP (hosts only).",
                          BooleanValue(false),
                          MakeBooleanAccessor(&QbbNetDevice::m_tagFrames),
                          MakeBooleanChecker())
            .AddAttribute("RoutedPort",
                          "Frames leave without the 802.1Q tag that they came with: the port is a "
                          "router's and in no VLAN, so a PCP ends here (switches only).",
                          BooleanValue(false),
                          MakeBooleanAccessor(&QbbNetDevice::m_routedPort),
                          MakeBooleanChecker())
            .AddAttribute("VlanId",
                          "VLAN id in the tags of this host's frames; 0 is a priority tag.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&QbbNetDevice::m_vlanId),
                          MakeUintegerChecker<uint16_t>(0, 4094))
            .AddAttribute("ReceiveErrorModel",
                          "Loses frames that come in.",
                          PointerValue(),
                          MakePointerAccessor(&QbbNetDevice::m_receiveErrorModel),
                          MakePointerChecker<ErrorModel>())
            .AddTraceSource("MacTx",
                            "A frame has come to the port to be sent",
                            MakeTraceSourceAccessor(&QbbNetDevice::m_macTx),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacTxDrop",
                            "A frame was dropped before its transmission",
                            MakeTraceSourceAccessor(&QbbNetDevice::m_macTxDrop),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacPromiscRx",
                            "A frame has come in, for whomever it is",
                            MakeTraceSourceAccessor(&QbbNetDevice::m_macPromiscRx),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacRx",
                            "A frame for this port has come in",
                            MakeTraceSourceAccessor(&QbbNetDevice::m_macRx),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacRxDrop",
                            "A frame that has come in was dropped",
                            MakeTraceSourceAccessor(&QbbNetDevice::m_macRxDrop),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyTxBegin",
                            "A frame begins its transmission",
                            MakeTraceSourceAccessor(&QbbNetDevice::m_phyTxBegin),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyTxEnd",
                            "A frame's last bit has left",
                            MakeTraceSourceAccessor(&QbbNetDevice::m_phyTxEnd),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyRxEnd",
                            "A frame's last bit has come in",
                            MakeTraceSourceAccessor(&QbbNetDevice::m_phyRxEnd),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyRxDrop",
                            "A frame was damaged on the line",
                            MakeTraceSourceAccessor(&QbbNetDevice::m_phyRxDrop),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("Sniffer",
                            "Frames that the port sends, and those for it",
                            MakeTraceSourceAccessor(&QbbNetDevice::m_sniffer),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PromiscSniffer",
                            "All frames that the port sends or sees",
                            MakeTraceSourceAccessor(&QbbNetDevice::m_promiscSniffer),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("Drop",
                            "A frame was thrown away, and why",
                            MakeTraceSourceAccessor(&QbbNetDevice::m_drop),
                            "ns3::QbbNetDevice::DropCallback")
            .AddTraceSource("PfcSent",
                            "A class of the peer is paused or resumed: class, quanta",
                            MakeTraceSourceAccessor(&QbbNetDevice::m_pfcSent),
                            "ns3::QbbNetDevice::PfcCallback")
            .AddTraceSource("PfcReceived",
                            "A class of this port is paused or resumed: class, quanta",
                            MakeTraceSourceAccessor(&QbbNetDevice::m_pfcReceived),
                            "ns3::QbbNetDevice::PfcCallback");
    return tid;
}

void
QbbNetDevice::SetTrust(QbbClassifier::Trust trust)
{
    m_classifier.SetTrust(trust);
}

QbbClassifier::Trust
QbbNetDevice::GetTrust() const
{
    return m_classifier.GetTrust();
}

void
QbbNetDevice::SetDataRate(DataRate rate)
{
    NS_ABORT_MSG_IF(IsInitialized(), "rdma: the rate of a port is changed while it is running");
    m_rate = QbbLineRate(rate.GetBitRate());
}

DataRate
QbbNetDevice::GetDataRate() const
{
    return DataRate(m_rate.GetBitRate());
}

void
QbbNetDevice::RefuseWhileRunning(const char* attribute) const
{
    NS_ABORT_MSG_IF(IsInitialized(),
                    "rdma: QbbNetDevice::" << attribute << " of port " << m_ifIndex << " of node "
                                           << m_nodeId
                                           << " is set while it is running; accepted: before the "
                                              "simulation starts");
}

void
QbbNetDevice::SetFlowControlKind(QbbFlowControl::Kind kind)
{
    RefuseWhileRunning("FlowControl");
    m_flow.GetSettings().kind = kind;
}

QbbFlowControl::Kind
QbbNetDevice::GetFlowControlKind() const
{
    return m_flow.GetKind();
}

void
QbbNetDevice::SetPfcClasses(uint8_t classes)
{
    RefuseWhileRunning("PfcClasses");
    m_flow.GetSettings().classes = classes;
}

uint8_t
QbbNetDevice::GetPfcClasses() const
{
    return m_flow.GetSettings().classes;
}

void
QbbNetDevice::SetPauseQuanta(uint16_t quanta)
{
    RefuseWhileRunning("PauseQuanta");
    m_flow.GetSettings().quanta = quanta;
}

uint16_t
QbbNetDevice::GetPauseQuanta() const
{
    return m_flow.GetSettings().quanta;
}

void
QbbNetDevice::SetPauseRefresh(double fraction)
{
    RefuseWhileRunning("PauseRefresh");
    m_flow.GetSettings().refresh = fraction;
}

double
QbbNetDevice::GetPauseRefresh() const
{
    return m_flow.GetSettings().refresh;
}

void
QbbNetDevice::SetScheduler(std::string text)
{
    m_scheduler = QbbEgressScheduler::FromText(text);
    if (m_sink)
    {
        m_sink->SchedulerChanged(*this);
    }
}

std::string
QbbNetDevice::GetScheduler() const
{
    return m_scheduler.ToText();
}

void
QbbNetDevice::SetDelayedPause(Time delay)
{
    QbbSetTimeResolution();
    const int64_t fs = delay.GetFemtoSeconds();
    NS_ABORT_MSG_IF(fs < 0 || fs % QBB_FS_PER_PS != 0,
                    "rdma: a pause reaction delay of " << delay.As(Time::NS)
                                                       << "; accepted: whole picoseconds");
    RefuseWhileRunning("PauseReactionDelay");
    m_flow.GetSettings().reactionPs = fs / QBB_FS_PER_PS;
}

Time
QbbNetDevice::GetDelayedPause() const
{
    return PicoSeconds(m_flow.GetSettings().reactionPs);
}

void
QbbNetDevice::SetLineOverhead(bool overhead)
{
    RefuseWhileRunning("LineOverhead");
    m_lineOverhead = overhead;
}

bool
QbbNetDevice::HasLineOverhead() const
{
    return m_lineOverhead;
}

uint32_t
QbbNetDevice::GetLineOverheadBytes() const
{
    return m_lineOverhead ? QbbWire::PREAMBLE_BYTES + QbbWire::GAP_BYTES : 0;
}

uint32_t
QbbNetDevice::GetMaxFrameBytes() const
{
    return QbbWire::FrameBytes(m_mtu, true);
}

void
QbbNetDevice::SetIfIndex(const uint32_t index)
{
    constexpr uint32_t MAX_PORTS = std::numeric_limits<uint16_t>::max();
    NS_ABORT_MSG_IF(index >= MAX_PORTS, "rdma: a node with more than " << MAX_PORTS << " ports");
    m_ifIndex = index;
    for (uint32_t other = index; m_node && other >= QbbEventOrder::PLACES;)
    {
        other -= QbbEventOrder::PLACES;
        if (const auto port = DynamicCast<QbbNetDevice>(m_node->GetDevice(other)))
        {
            port->m_sharesPlace = true;
            m_sharesPlace = true;
        }
    }
}

Ptr<Channel>
QbbNetDevice::GetChannel() const
{
    return m_channel;
}

void
QbbNetDevice::SetAddress(Address address)
{
    m_address = Mac48Address::ConvertFrom(address);
}

Address
QbbNetDevice::GetAddress() const
{
    return m_address;
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

uint16_t
QbbNetDevice::GetMtu() const
{
    return m_mtu;
}

bool
QbbNetDevice::IsLinkUp() const
{
    return m_up && m_channel;
}

void
QbbNetDevice::AddLinkChangeCallback(Callback<void> callback)
{
    m_linkChange.ConnectWithoutContext(callback);
}

bool
QbbNetDevice::IsBroadcast() const
{
    return true;
}

Address
QbbNetDevice::GetBroadcast() const
{
    return Mac48Address::GetBroadcast();
}

bool
QbbNetDevice::IsMulticast() const
{
    return true;
}

Address
QbbNetDevice::GetMulticast(Ipv4Address multicastGroup) const
{
    return Mac48Address::GetMulticast(multicastGroup);
}

Address
QbbNetDevice::GetMulticast(Ipv6Address addr) const
{
    return Mac48Address::GetMulticast(addr);
}

bool
QbbNetDevice::IsBridge() const
{
    return false;
}

bool
QbbNetDevice::IsPointToPoint() const
{
    // Ethernet with ARP and broadcast, as CsmaNetDevice. GlobalRouter asks the other end of a
    // point-to-point link for its Ipv4, and switches have none. ns-3's MPI engines look for true
    // at a channel that crosses ranks; such a channel will need a device of its own.
    return false;
}

Ptr<Node>
QbbNetDevice::GetNode() const
{
    return m_node;
}

void
QbbNetDevice::SetNode(Ptr<Node> node)
{
    m_node = node;
    m_nodeId = node->GetId();
}

bool
QbbNetDevice::NeedsArp() const
{
    return true;
}

void
QbbNetDevice::SetReceiveCallback(ReceiveCallback callback)
{
    m_receive = callback;
}

void
QbbNetDevice::SetPromiscReceiveCallback(PromiscReceiveCallback callback)
{
    m_promiscReceive = callback;
}

bool
QbbNetDevice::SupportsSendFrom() const
{
    return true;
}

} // namespace ns3
