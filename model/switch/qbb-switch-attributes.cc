/* SPDX-License-Identifier: GPL-2.0-only */

// QbbSwitch: its attributes.

#include "qbb-switch.h"
#include "rdma-compat.h"

#include <ns3/abort.h>
#include <ns3/boolean.h>
#include <ns3/double.h>
#include <ns3/enum.h>
#include <ns3/node.h>
#include <ns3/pointer.h>
#include <ns3/uinteger.h>

namespace ns3
{

TypeId
QbbSwitch::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::QbbSwitch")
            .SetParent<Object>()
            .SetGroupName("Rdma")
            .AddConstructor<QbbSwitch>()
            .AddAttribute("BufferManager",
                          "Decides what fits and who is paused; a QbbSharedBuffer with its "
                          "defaults if none is given.",
                          PointerValue(),
                          MakePointerAccessor(&QbbSwitch::SetBuffer, &QbbSwitch::GetBufferManager),
                          MakePointerChecker<QbbBufferManager>())
            .AddAttribute(
                "Marker",
                "Marks packets, or writes into them, for this switch alone, beside what "
                "the attributes EcnMarker, CongestionDetector and PintBaseRtt name; "
                "nothing if none is given.",
                PointerValue(),
                MakePointerAccessor(&QbbSwitch::SetBeforeTheRun<&QbbSwitch::m_own, Ptr<QbbMarker>>,
                                    &QbbSwitch::Get<&QbbSwitch::m_own, Ptr<QbbMarker>>),
                MakePointerChecker<QbbMarker>())
            .AddAttribute("EcnMarker",
                          "Marks ECN-capable packets by queue length; no marks if none is given. "
                          "It may be changed, and replaced, at run time.",
                          PointerValue(),
                          MakePointerAccessor(&QbbSwitch::SetMarker, &QbbSwitch::GetMarker),
                          MakePointerChecker<QbbEcnMarker>())
            .AddAttribute(
                "CongestionDetector",
                "Marks ECN-capable packets that leave congested ports, for this switch "
                "alone; none if none is given.",
                PointerValue(),
                MakePointerAccessor(
                    &QbbSwitch::SetBeforeTheRun<&QbbSwitch::m_detector, Ptr<QbbCongestionDetector>>,
                    &QbbSwitch::Get<&QbbSwitch::m_detector, Ptr<QbbCongestionDetector>>),
                MakePointerChecker<QbbCongestionDetector>())
            .AddAttribute(
                "PathSelector",
                "Chooses among equal-cost ports, for this switch alone; ECMP by flow if "
                "none is given.",
                PointerValue(),
                MakePointerAccessor(&QbbSwitch::SetPathSelector, &QbbSwitch::GetPathSelector),
                MakePointerChecker<QbbPathSelector>())
            .AddAttribute("PintBaseRtt",
                          "Base round-trip time of the network, over which the utilisation of "
                          "ports is averaged for HPCC over PINT; 0: packets that ask for it are "
                          "sent on as they are.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&QbbSwitch::SetPintBaseRtt, &QbbSwitch::GetPintBaseRtt),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("EcmpSeed",
                          "Mixed into the choice among equal-cost ports; 0 makes one from the "
                          "node's number. Equal seeds everywhere polarise the fabric.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&QbbSwitch::SetEcmpSeed, &QbbSwitch::GetEcmpSeed),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute(
                "CutThrough",
                "Frames are forwarded from CutThroughBytes on if the egress port is idle "
                "and not faster than the ingress port (output-queued switches only). "
                "False: when they are there whole.",
                BooleanValue(false),
                MakeBooleanAccessor(&QbbSwitch::SetBeforeTheRun<&QbbSwitch::m_cutThrough, bool>,
                                    &QbbSwitch::Get<&QbbSwitch::m_cutThrough, bool>),
                MakeBooleanChecker())
            .AddAttribute("CutThroughBytes",
                          "What a switch that cuts through has of a frame before it forwards it, "
                          "in bytes.",
                          UintegerValue(128),
                          MakeUintegerAccessor(
                              &QbbSwitch::SetBeforeTheRun<&QbbSwitch::m_cutThroughBytes, uint32_t>,
                              &QbbSwitch::Get<&QbbSwitch::m_cutThroughBytes, uint32_t>),
                          MakeUintegerChecker<uint32_t>(64, 65535))
            .AddAttribute("Queueing",
                          "Where frames wait: at their egress port in the order of their arrival, "
                          "or in virtual output queues, served in a round robin over the inputs.",
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
                "InputQueued: true: an input sends to one output at a time, through a "
                "crossbar; false: every output can read all inputs at once.",
                BooleanValue(false),
                MakeBooleanAccessor(&QbbSwitch::SetBeforeTheRun<&QbbSwitch::m_crossbar, bool>,
                                    &QbbSwitch::Get<&QbbSwitch::m_crossbar, bool>),
                MakeBooleanChecker())
            .AddAttribute(
                "CrossbarSpeedup",
                "Rate of the crossbar over that of the fastest port, 1..1000.",
                DoubleValue(1),
                MakeDoubleAccessor(&QbbSwitch::SetBeforeTheRun<&QbbSwitch::m_speedup, double>,
                                   &QbbSwitch::Get<&QbbSwitch::m_speedup, double>),
                MakeDoubleChecker<double>(1, 1000))
            .AddAttribute(
                "CrossbarEgressBytes",
                "No frame begins to cross to an egress port that holds this much of its "
                "class, in bytes; 0: two of the port's largest frames.",
                UintegerValue(0),
                MakeUintegerAccessor(
                    &QbbSwitch::SetBeforeTheRun<&QbbSwitch::m_crossbarEgressBytes, uint32_t>,
                    &QbbSwitch::Get<&QbbSwitch::m_crossbarEgressBytes, uint32_t>),
                MakeUintegerChecker<uint32_t>());
    return tid;
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
    if (m_marker)
    {
        m_marker->ForgetUser(this);
    }
    m_marker = marker;
    m_curves->SetSettings(marker);
    if (m_marker)
    {
        m_marker->AddUser(this, [this]() {
            m_curves->SettingsChanged();
            if (m_configured)
            {
                UseMarkers();
            }
        });
    }
    if (m_configured)
    {
        UseMarkers();
    }
}

Ptr<QbbEcnMarker>
QbbSwitch::GetMarker() const
{
    return m_marker;
}

void
QbbSwitch::SetPintBaseRtt(Time baseRtt)
{
    RefuseWhileRunning();
    QbbSetTimeResolution();
    const int64_t baseRttPs = QbbToPs(baseRtt);
    m_pint = baseRttPs > 0 ? CreateObject<QbbPintMeter>() : nullptr;
    if (m_pint)
    {
        m_pint->SetBaseRttPs(baseRttPs);
    }
}

Time
QbbSwitch::GetPintBaseRtt() const
{
    return QbbFromPs(m_pint ? m_pint->GetBaseRttPs() : 0);
}

void
QbbSwitch::SetPathSelector(Ptr<QbbPathSelector> selector)
{
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
