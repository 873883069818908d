/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-pfc-watchdog.h"

#include "rdma-compat.h"
#include "rdma-fixed-type-id.h"
#include "rdma-refuse.h"
#include "rdma-time.h"

#include <ns3/abort.h>
#include <ns3/boolean.h>
#include <ns3/enum.h>
#include <ns3/log.h>
#include <ns3/node.h>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("QbbPfcWatchdog");

NS_OBJECT_ENSURE_REGISTERED(QbbPfcWatchdog);

TypeId
QbbPfcWatchdog::GetTypeId()
{
    static TypeId tid =
        RdmaFixedTypeId<QbbPfcWatchdog>("ns3::QbbPfcWatchdog")
            .SetParent<Object>()
            .SetGroupName("Rdma")
            .AddConstructor<QbbPfcWatchdog>()
            .AddAttribute(
                "DetectionTime",
                "A queue that is paused for this long, with frames waiting and none leaving, is in "
                "storm. SONiC: 200 ms by default; accepted are 100 ms to 5 s.",
                TimeValue(MilliSeconds(200)),
                MakeTimeAccessor(&QbbPfcWatchdog::m_detectionTime),
                RdmaMakePositiveTimeChecker())
            .AddAttribute("RestorationTime",
                          "A storm ends after this time without a pause frame. SONiC: 200 ms by "
                          "default; accepted are 100 ms to 60 s.",
                          TimeValue(MilliSeconds(200)),
                          MakeTimeAccessor(&QbbPfcWatchdog::m_restorationTime),
                          RdmaMakePositiveTimeChecker())
            .AddAttribute("PollInterval",
                          "Time between two samples of the queues; at most DetectionTime and at "
                          "most RestorationTime. SONiC: 100 ms.",
                          TimeValue(MilliSeconds(100)),
                          MakeTimeAccessor(&QbbPfcWatchdog::m_pollInterval),
                          RdmaMakePositiveTimeChecker())
            .AddAttribute(
                "Action",
                "Treatment of a queue in storm. Drop: its frames are dropped; Forward: pauses of "
                "the queue are ignored; Alert: the storm is only counted and traced.",
                EnumValue(DROP),
                RdmaMakeEnumAccessor<Action>(&QbbPfcWatchdog::m_action),
                MakeEnumChecker(DROP, "Drop", FORWARD, "Forward", ALERT, "Alert"))
            .AddAttribute("ServerPortsOnly",
                          "True: watch only ports that lead to a host, as in Guo et al., SIGCOMM "
                          "2016. False: watch all ports.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&QbbPfcWatchdog::m_serverPortsOnly),
                          MakeBooleanChecker())
            .AddTraceSource(
                "StormDetected",
                "A PFC storm was detected at a queue; arguments: port number and class.",
                MakeTraceSourceAccessor(&QbbPfcWatchdog::m_detected),
                "ns3::QbbPfcWatchdog::StormCallback")
            .AddTraceSource("StormRestored",
                            "A PFC storm of a queue has ended; arguments: port number and class.",
                            MakeTraceSourceAccessor(&QbbPfcWatchdog::m_restored),
                            "ns3::QbbPfcWatchdog::StormCallback");
    return tid;
}

QbbPfcWatchdog::QbbPfcWatchdog()
    : m_timer(this)
{
    NS_LOG_FUNCTION(this);
}

QbbPfcWatchdog::~QbbPfcWatchdog()
{
    NS_LOG_FUNCTION(this);
}

void
QbbPfcWatchdog::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_timer.Disarm();
    m_ports.clear();
    m_switch = nullptr;
    Object::DoDispose();
}

void
QbbPfcWatchdog::CheckSettings() const
{
    RefuseRdmaIf(m_pollInterval > m_detectionTime || m_pollInterval > m_restorationTime,
                 "a PFC watchdog that polls every ",
                 m_pollInterval.As(Time::US),
                 " with DetectionTime ",
                 m_detectionTime.As(Time::US),
                 " and RestorationTime ",
                 m_restorationTime.As(Time::US),
                 "; accepted: a PollInterval of at most either");
}

void
QbbPfcWatchdog::Watch(Ptr<QbbSwitch> sw)
{
    NS_ABORT_MSG_IF(m_switch, "rdma: a PFC watchdog is given a second switch");
    CheckSettings();
    m_switch = PeekPointer(sw);
    m_settings = {RdmaToPs(m_pollInterval),
                  RdmaToPs(m_detectionTime),
                  RdmaToPs(m_restorationTime),
                  m_action == ALERT};
    m_ports.resize(sw->GetNPorts());
    for (uint32_t number = 0; number < m_ports.size(); ++number)
    {
        QbbPort& device = m_switch->GetDevice(number);
        QbbPort* peer = device.GetPeer();
        NS_ABORT_MSG_IF(!peer, "rdma: port " << number << " of a switch has no cable");
        if (m_serverPortsOnly && peer->GetDevice()->GetNode()->GetObject<QbbSwitch>())
        {
            continue;
        }
        RefuseRdmaIf(device.GetFlowControl().GetKind() == QbbFlowControl::PAUSE,
                     "a PFC watchdog at port ",
                     number,
                     " of node ",
                     device.GetNodeId(),
                     ", whose FlowControl is Pause; accepted: Pfc, or None");
        m_ports[number].watched = device.GetFlowControl().GetLosslessClasses();
        device.AddPauseWatcher(false, [this, number](uint8_t priority, uint16_t quanta) {
            OnPause(number, priority, quanta);
        });
    }
    sw->AggregateObject(this);
}

const QbbPfcWatchdog::Queue&
QbbPfcWatchdog::GetQueue(uint32_t port, uint8_t priority) const
{
    NS_ABORT_MSG_IF(port >= m_ports.size() || priority > 7,
                    "rdma: a PFC watchdog is asked for class " << +priority << " of port " << port
                                                               << "; it has " << m_ports.size()
                                                               << " ports, and classes are 0..7");
    return m_ports[port].queues[priority];
}

bool
QbbPfcWatchdog::IsStormed(uint32_t port, uint8_t priority) const
{
    return GetQueue(port, priority).detector.IsStormed();
}

QbbStormCounters::Frames
QbbPfcWatchdog::GetPresent(uint32_t port, uint8_t priority) const
{
    const Queue& queue = GetQueue(port, priority);
    const auto& counters = m_switch->GetDevice(port).GetCounters().classes[priority];
    return {counters.txFrames - queue.txFrames,
            queue.txDrops,
            counters.rxFrames - queue.rxFrames - queue.rxDrops,
            queue.rxDrops};
}

QbbStormCounters
QbbPfcWatchdog::GetCounters(uint32_t port, uint8_t priority) const
{
    QbbStormCounters counters = GetQueue(port, priority).counters;
    if (IsStormed(port, priority))
    {
        counters.last = GetPresent(port, priority);
        counters.all.txOk += counters.last.txOk;
        counters.all.txDrop += counters.last.txDrop;
        counters.all.rxOk += counters.last.rxOk;
        counters.all.rxDrop += counters.last.rxDrop;
    }
    return counters;
}

uint64_t
QbbPfcWatchdog::GetStorms() const
{
    uint64_t storms = 0;
    for (const Port& port : m_ports)
    {
        for (const Queue& queue : port.queues)
        {
            storms += queue.counters.detected;
        }
    }
    return storms;
}

void
QbbPfcWatchdog::OnPause(uint32_t number, uint8_t priority, uint16_t quanta)
{
    Port& port = m_ports[number];
    if (quanta == 0 || !(port.watched & (1U << priority)))
    {
        return;
    }
    const RdmaPs now = RdmaNow();
    port.effect = now + m_switch->GetDevice(number).GetFlowControl().GetReactionDelay();
    if (!m_timer.IsArmed())
    {
        m_timer.Arm((now + m_settings.poll - 1_ps) / m_settings.poll * m_settings.poll);
    }
}

uint32_t
QbbPfcWatchdog::GetNodeId() const
{
    return m_switch->GetDevice(0).GetNodeId();
}

void
QbbPfcWatchdog::OnPoll()
{
    const RdmaPs now = RdmaNow();
    bool goOn = false;
    // Take all samples first: actions on one queue must not affect the sample of another.
    for (uint32_t port = 0; port < m_ports.size(); ++port)
    {
        goOn |= Sample(port, now);
    }
    for (const auto& [port, priority] : m_begun)
    {
        Begin(port, priority);
    }
    for (const auto& [port, priority] : m_ended)
    {
        End(port, priority);
    }
    m_begun.clear();
    m_ended.clear();
    if (goOn)
    {
        m_timer.Arm(now + m_settings.poll);
    }
}

bool
QbbPfcWatchdog::Sample(uint32_t number, RdmaPs now)
{
    Port& port = m_ports[number];
    const QbbPort& device = m_switch->GetDevice(number);
    const auto& pauses = device.GetFlowControl().GetPauseReceiver();
    const uint8_t near = (pauses.GetPaused() & port.watched) | port.stormed;
    for (uint8_t priority = 0; near >> priority; ++priority)
    {
        if (!(near & (1U << priority)))
        {
            continue;
        }
        QbbStormDetector::Sample sample;
        sample.at = now;
        sample.pausedTime = pauses.GetPausedTime(priority, now);
        sample.txFrames = device.GetCounters().classes[priority].txFrames;
        sample.pauseFrames = pauses.GetXoffReceived(priority) + pauses.GetXonReceived(priority);
        sample.paused = pauses.GetPaused() & (1U << priority);
        // The buffer manager does not count frames that have crossed a crossbar.
        sample.waiting = device.GetQueues().GetBytes(priority) > 0;
        switch (port.queues[priority].detector.Poll(m_settings, sample))
        {
        case QbbStormDetector::Verdict::NONE:
            break;
        case QbbStormDetector::Verdict::STORM:
            m_begun.emplace_back(number, priority);
            break;
        case QbbStormDetector::Verdict::RESTORED:
            m_ended.emplace_back(number, priority);
            break;
        }
    }
    return near || port.effect > now;
}

void
QbbPfcWatchdog::Begin(uint32_t number, uint8_t priority)
{
    NS_LOG_FUNCTION(this << number << +priority);
    const auto bit = static_cast<uint8_t>(1U << priority);
    Port& port = m_ports[number];
    Queue& queue = port.queues[priority];
    QbbPort& device = m_switch->GetDevice(number);
    port.stormed |= bit;
    ++queue.counters.detected;
    queue.txFrames = device.GetCounters().classes[priority].txFrames;
    queue.rxFrames = device.GetCounters().classes[priority].rxFrames;
    queue.txDrops = 0;
    queue.rxDrops = 0;
    NS_LOG_INFO("node " << device.GetNodeId() << " port " << number << " class " << +priority
                        << ": PFC storm");
    m_detected(number, priority);
    if (m_action == ALERT)
    {
        return;
    }
    UpdateGate();
    if (m_action == DROP)
    {
        queue.txDrops += m_switch->DropQueue(number, priority, QbbDropReason::PFC_STORM);
    }
    device.GetFlowControl().SetPauseAllowed(device.GetFlowControl().GetPauseSender().GetAllowed() &
                                            ~bit);
    device.GetFlowControl().SetPauseHonoured(
        device.GetFlowControl().GetPauseReceiver().GetHonoured() & ~bit);
}

void
QbbPfcWatchdog::End(uint32_t number, uint8_t priority)
{
    NS_LOG_FUNCTION(this << number << +priority);
    const auto bit = static_cast<uint8_t>(1U << priority);
    Port& port = m_ports[number];
    QbbStormCounters& counters = port.queues[priority].counters;
    counters.last = GetPresent(number, priority);
    counters.all.txOk += counters.last.txOk;
    counters.all.txDrop += counters.last.txDrop;
    counters.all.rxOk += counters.last.rxOk;
    counters.all.rxDrop += counters.last.rxDrop;
    ++counters.restored;
    port.stormed &= static_cast<uint8_t>(~bit);
    m_restored(number, priority);
    if (m_action == ALERT)
    {
        return;
    }
    UpdateGate();
    QbbPort& device = m_switch->GetDevice(number);
    device.GetFlowControl().SetPauseAllowed(device.GetFlowControl().GetPauseSender().GetAllowed() |
                                            bit);
    device.GetFlowControl().SetPauseHonoured(
        device.GetFlowControl().GetPauseReceiver().GetHonoured() | bit);
}

void
QbbPfcWatchdog::UpdateGate()
{
    uint8_t classes = 0;
    for (const Port& port : m_ports)
    {
        classes |= port.stormed;
    }
    m_switch->SetGate(this, m_action == DROP ? classes : 0);
}

bool
QbbPfcWatchdog::Admits(QbbPort& ingress, QbbPort& egress, const QbbFrame& frame)
{
    const auto bit = static_cast<uint8_t>(1U << frame.priority);
    Port& in = m_ports[ingress.GetPortNumber()];
    Port& out = m_ports[egress.GetPortNumber()];
    if (in.stormed & bit)
    {
        ++in.queues[frame.priority].rxDrops;
        ingress.CountDrop(frame, QbbDropReason::PFC_STORM);
        return false;
    }
    if (out.stormed & bit)
    {
        ++out.queues[frame.priority].txDrops;
        egress.CountDrop(frame, QbbDropReason::PFC_STORM);
        return false;
    }
    return true;
}

} // namespace ns3
