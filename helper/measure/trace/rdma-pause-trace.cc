/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-pause-trace.h"

#include "qbb-pfc-watchdog.h"
#include "qbb-time.h"
#include "qbb-wire.h"
#include "rdma-nic-watchdog.h"
#include "rdma-part-name.h"
#include "rdma-receive-buffer.h"

#include <ns3/string.h>

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaPauseTrace);

namespace
{

/// Names under which programs take the class.
const RdmaPartName g_pauseTraceName("pause-trace",
                                    RdmaPauseTrace::GetTypeId(),
                                    "",
                                    "JSON file for Perfetto: pauses, queues, marks",
                                    {"File"});

/// Largest sampling interval, in periods, while nothing changes.
constexpr int64_t MAX_STEPS = 64;

} // namespace

TypeId
RdmaPauseTrace::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaPauseTrace")
                            .SetParent<RdmaInstrument>()
                            .SetGroupName("Rdma")
                            .AddConstructor<RdmaPauseTrace>()
                            .AddAttribute("File",
                                          "The JSON file.",
                                          StringValue(""),
                                          MakeStringAccessor(&RdmaPauseTrace::m_path),
                                          MakeStringChecker())
                            .AddAttribute("Period",
                                          "Shortest time between two samples of queues and marks.",
                                          TimeValue(MicroSeconds(10)),
                                          MakeTimeAccessor(&RdmaPauseTrace::m_periodTime),
                                          QbbMakePositiveTimeChecker());
    return tid;
}

RdmaPauseTrace::RdmaPauseTrace()
    : m_timer(this)
{
}

void
RdmaPauseTrace::Begin(Ptr<RdmaFabric> fabric, Ptr<RdmaFlowRunnerBase>)
{
    m_file.Open(m_path);
    m_trace = std::make_unique<RdmaEventTrace>(m_file.GetStream());
    m_fabric = fabric;
    m_period = m_step = QbbToPs(m_periodTime);
    const RdmaTopology& topology = fabric->GetTopology();
    m_byNode.resize(topology.GetNNodes());
    m_named.resize(topology.GetNNodes());
    for (uint32_t link = 0; link < topology.GetNLinks(); ++link)
    {
        WatchPort(link, topology.GetLink(link).a);
        WatchPort(link, topology.GetLink(link).b);
    }
    WatchWatchdogs();
    m_timer.Arm((QbbNow() / m_period + 1) * m_period);
}

void
RdmaPauseTrace::WatchPort(uint32_t link, uint32_t node)
{
    const RdmaTopology& topology = m_fabric->GetTopology();
    const RdmaTopologyLink ends = topology.GetLink(link);
    const auto place = static_cast<uint32_t>(m_ports.size());
    Port port;
    port.device = m_fabric->GetDevice(link, node);
    port.node = node;
    port.name = "port " + std::to_string(m_byNode[node].size()) + " to " +
                topology.GetNode(node == ends.a ? ends.b : ends.a).name;
    port.isHost = topology.IsHost(node);
    port.device->TraceConnectWithoutContext(
        "PfcReceived",
        Callback<void, uint8_t, uint16_t>([this, place](uint8_t priority, uint16_t quanta) {
            OnReceived(place, priority, quanta);
        }));
    port.device->AddLinkChangeCallback(Callback<void>([this, place]() {
        for (uint8_t p = 0; p < 8; ++p)
        {
            ClosePause(place, p, QbbNow());
        }
    }));
    m_ports.push_back(port);
    m_byNode[node].push_back(place);
}

void
RdmaPauseTrace::Finish()
{
    m_timer.Disarm();
    const QbbPs now = QbbNow();
    for (uint32_t place = 0; place < m_ports.size(); ++place)
    {
        for (uint8_t p = 0; p < 8; ++p)
        {
            ClosePause(place, p, now);
        }
        SamplePort(place, now);
    }
    m_finished = true;
    m_trace->Finish();
    m_file.Close();
}

void
RdmaPauseTrace::Name(uint32_t place, uint8_t priority)
{
    Port& port = m_ports[place];
    if (!m_named[port.node])
    {
        m_named[port.node] = true;
        m_trace->NameProcess(port.node + 1, m_fabric->GetTopology().GetNode(port.node).name);
    }
    if (!port.classes[priority].named)
    {
        port.classes[priority].named = true;
        m_trace->NameTrack(port.node + 1,
                           place * 8 + priority + 1,
                           port.name + " priority " + std::to_string(priority));
    }
}

void
RdmaPauseTrace::OnReceived(uint32_t place, uint8_t priority, uint16_t quanta)
{
    Port& port = m_ports[place];
    Track& track = port.classes[priority];
    if (m_finished ||
        !(port.device->GetFlowControl().GetPauseReceiver().GetHonoured() & (1U << priority)))
    {
        return;
    }
    const QbbPs effect = QbbNow() + port.device->GetFlowControl().GetReactionDelay();
    if (track.paused && track.until < effect)
    {
        ClosePause(place, priority, effect);
    }
    if (quanta == 0)
    {
        ClosePause(place, priority, effect);
        return;
    }
    if (!track.paused)
    {
        track.paused = true;
        track.start = effect;
    }
    track.until = effect + port.device->GetLineRate().BitsToPs(uint64_t{quanta} *
                                                               QbbWire::PAUSE_QUANTUM_BITS);
}

void
RdmaPauseTrace::ClosePause(uint32_t place, uint8_t priority, QbbPs at)
{
    Track& track = m_ports[place].classes[priority];
    const QbbPs end = std::min(at, track.until);
    if (m_finished || !track.paused)
    {
        return;
    }
    track.paused = false;
    if (end > track.start)
    {
        Name(place, priority);
        m_trace->WriteSpan(m_ports[place].node + 1,
                           place * 8 + priority + 1,
                           "paused",
                           track.start,
                           end);
    }
}

void
RdmaPauseTrace::OnSample()
{
    const QbbPs now = QbbNow();
    bool changed = false;
    for (uint32_t place = 0; place < m_ports.size(); ++place)
    {
        changed |= SamplePort(place, now);
    }
    m_step = changed ? m_period : std::min(2 * m_step, MAX_STEPS * m_period);
    m_timer.Arm(now + m_step);
}

bool
RdmaPauseTrace::SamplePort(uint32_t place, QbbPs now)
{
    Port& port = m_ports[place];
    bool changed = false;
    const auto write = [&](const std::string& what,
                           const std::string& unit,
                           uint8_t priority,
                           uint64_t value,
                           uint64_t& latest) {
        if (value != latest)
        {
            latest = value;
            changed = true;
            Name(place, priority);
            m_trace->WriteCounter(port.node + 1, port.name + " " + what, unit, now, value);
        }
    };
    if (port.isHost)
    {
        const auto buffer = port.device->GetObject<RdmaReceiveBuffer>();
        const uint64_t bytes = buffer ? buffer->GetBytes() : 0;
        write("receive buffer", "bytes", 0, bytes, port.classes[0].queueBytes);
        return changed;
    }
    for (uint8_t p = 0; p < 8; ++p)
    {
        Track& track = port.classes[p];
        const std::string name = "priority " + std::to_string(p);
        write(name + " queue", "bytes", p, port.device->GetQueues().GetBytes(p), track.queueBytes);
        const uint64_t marks = port.device->GetCounters().classes[p].ecnMarks;
        write(name + " ECN marks", "packets", p, marks, track.marks);
    }
    return changed;
}

void
RdmaPauseTrace::AddInstant(uint32_t node, uint32_t port, uint8_t priority, const std::string& what)
{
    const uint32_t place = m_byNode[node][port];
    Name(place, priority);
    m_trace->WriteInstant(node + 1, place * 8 + priority + 1, what, QbbNow());
}

void
RdmaPauseTrace::WatchWatchdogs()
{
    const RdmaTopology& topology = m_fabric->GetTopology();
    for (const uint32_t node : topology.GetSwitches())
    {
        const auto watchdog = m_fabric->GetSwitch(node)->GetObject<QbbPfcWatchdog>();
        if (!watchdog)
        {
            continue;
        }
        const bool ignores = watchdog->GetAction() != QbbPfcWatchdog::ALERT;
        watchdog->TraceConnectWithoutContext(
            "StormDetected",
            Callback<void, uint32_t, uint8_t>(
                [this, node, ignores](uint32_t port, uint8_t priority) {
                    AddInstant(node, port, priority, "PFC storm detected");
                    if (ignores)
                    {
                        ClosePause(m_byNode[node][port], priority, QbbNow());
                    }
                }));
        watchdog->TraceConnectWithoutContext(
            "StormRestored",
            Callback<void, uint32_t, uint8_t>([this, node](uint32_t port, uint8_t priority) {
                AddInstant(node, port, priority, "PFC storm restored");
            }));
    }
    for (const uint32_t host : topology.GetHosts())
    {
        const auto port = m_fabric->GetNic(host)->GetPort(0);
        if (const auto watchdog = port->GetObject<RdmaNicWatchdog>())
        {
            watchdog->TraceConnectWithoutContext("PauseDisabled",
                                                 Callback<void, uint32_t>([this](uint32_t node) {
                                                     AddInstant(node, 0, 0, "NIC watchdog");
                                                 }));
        }
    }
}

} // namespace ns3
