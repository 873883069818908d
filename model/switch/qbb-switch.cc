/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-switch.h"

#include "qbb-crossbar.h"
#include "qbb-shared-buffer.h"
#include "rdma-compat.h"
#include "rdma-refuse.h"

#include <ns3/abort.h>
#include <ns3/boolean.h>
#include <ns3/double.h>
#include <ns3/enum.h>
#include <ns3/log.h>
#include <ns3/node.h>
#include <ns3/pointer.h>
#include <ns3/uinteger.h>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("QbbSwitch");

NS_OBJECT_ENSURE_REGISTERED(QbbSwitch);

TypeId
QbbSwitch::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::QbbSwitch")
            .SetParent<Object>()
            .SetGroupName("Rdma")
            .AddConstructor<QbbSwitch>()
            .AddAttribute("BufferManager",
                          "Buffer manager, which admits frames and decides on pauses; one for each "
                          "switch. Default: a QbbSharedBuffer with its default attributes.",
                          PointerValue(),
                          MakePointerAccessor(&QbbSwitch::SetBuffer, &QbbSwitch::GetBufferManager),
                          MakePointerChecker<QbbBufferManager>())
            .AddAttribute("Marker",
                          "Additional marker, which marks packets of this switch or writes into "
                          "them; one for each switch. Works in addition to the markers of the "
                          "attributes EcnMarker, CongestionDetector and PintBaseRtt. Default: "
                          "none.",
                          PointerValue(),
                          MakePointerAccessor(&QbbSwitch::SetOwnMarker, &QbbSwitch::GetOwnMarker),
                          MakePointerChecker<QbbMarker>())
            .AddAttribute("EcnMarker",
                          "Marks ECN-capable packets by queue length; default: no marks. The "
                          "marker may be changed and replaced at run time.",
                          PointerValue(),
                          MakePointerAccessor(&QbbSwitch::SetMarker, &QbbSwitch::GetMarker),
                          MakePointerChecker<QbbEcnMarker>())
            .AddAttribute("CongestionDetector",
                          "Congestion detector, which marks ECN-capable packets that leave "
                          "congested ports; one for each switch. Default: none.",
                          PointerValue(),
                          MakePointerAccessor(&QbbSwitch::SetDetector, &QbbSwitch::GetDetector),
                          MakePointerChecker<QbbCongestionDetector>())
            .AddAttribute(
                "PathSelector",
                "Path selector, which chooses among equal-cost ports; one for each switch. "
                "Default: ECMP by flow.",
                PointerValue(),
                MakePointerAccessor(&QbbSwitch::SetPathSelector, &QbbSwitch::GetPathSelector),
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
                MakeUintegerAccessor(&QbbSwitch::SetEcmpSeed, &QbbSwitch::GetEcmpSeed),
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
{
    NS_LOG_FUNCTION(this);
}

QbbSwitch::~QbbSwitch()
{
    NS_LOG_FUNCTION(this);
    LeaveParts();
}

template <typename Part>
void
QbbSwitch::Change(const Ptr<Part>& before, const Ptr<Part>& after)
{
    if (before)
    {
        before->GetSoleSwitch().Leave(this);
    }
    if (after)
    {
        after->GetSoleSwitch().Take(this, *after);
    }
}

void
QbbSwitch::LeaveParts()
{
    Change<QbbBufferManager>(m_buffer, nullptr);
    Change<QbbMarker>(m_markers.GetOwn(), nullptr);
    Change<QbbMarker>(m_markers.GetDetector(), nullptr);
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
    m_markers.Clear();
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
    const int64_t next = stream + m_markers.AssignStreams(stream);
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
        profile.maxFrameBytes = device.GetMaxFrameBytes();
        profile.peerMaxFrameBytes = peer->GetMaxFrameBytes();
        profile.lineOverheadBytes = device.GetLineOverheadBytes();
        profile.losslessMask = device.GetFlowControl().GetLosslessClasses();
        profile.oneHeadroom = device.GetFlowControl().GetKind() == QbbFlowControl::PAUSE;
        profiles.push_back(profile);
    }
    return profiles;
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
    m_markers.Configure(GetPortList(), m_inputQueueing.get());
    m_configured = true;
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
QbbSwitch::SetBuffer(Ptr<QbbBufferManager> manager)
{
    RefuseWhileRunning();
    Change(m_buffer, manager);
    m_buffer = manager;
}

void
QbbSwitch::SetBufferManager(Ptr<QbbBufferManager> manager)
{
    SetBuffer(manager);
}

void
QbbSwitch::SetMarker(Ptr<QbbEcnMarker> marker)
{
    m_markers.SetCurve(marker);
}

Ptr<QbbEcnMarker>
QbbSwitch::GetMarker() const
{
    return m_markers.GetCurve();
}

void
QbbSwitch::SetDetector(Ptr<QbbCongestionDetector> detector)
{
    RefuseWhileRunning();
    Change(m_markers.GetDetector(), detector);
    m_markers.SetDetector(detector);
}

Ptr<QbbCongestionDetector>
QbbSwitch::GetDetector() const
{
    return m_markers.GetDetector();
}

void
QbbSwitch::SetOwnMarker(Ptr<QbbMarker> marker)
{
    RefuseWhileRunning();
    Change(m_markers.GetOwn(), marker);
    m_markers.SetOwn(marker);
}

Ptr<QbbMarker>
QbbSwitch::GetOwnMarker() const
{
    return m_markers.GetOwn();
}

void
QbbSwitch::SetPintBaseRtt(Time baseRtt)
{
    RefuseWhileRunning();
    QbbSetTimeResolution();
    m_markers.SetPintBaseRttPs(QbbToPs(baseRtt));
}

Time
QbbSwitch::GetPintBaseRtt() const
{
    return QbbToTime(m_markers.GetPintBaseRttPs());
}

void
QbbSwitch::SetPathSelector(Ptr<QbbPathSelector> selector)
{
    Change(m_selector, selector);
    m_selector = selector;
    if (m_selector)
    {
        m_selector->SetSwitch(this);
    }
}

Ptr<QbbPathSelector>
QbbSwitch::GetPathSelector() const
{
    return m_selector;
}

void
QbbSwitch::SetEcmpSeed(uint32_t seed)
{
    m_seedAttribute = seed;
    const Ptr<Node> node = GetObject<Node>();
    m_seed = seed || !node ? seed : QbbFlowHash(node->GetId(), 0, 0, 0, 0);
}

uint32_t
QbbSwitch::GetEcmpSeed() const
{
    return m_seedAttribute;
}

} // namespace ns3
