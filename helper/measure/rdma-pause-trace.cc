/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-pause-trace.h"

#include "qbb-wire.h"
#include "rdma-receive-buffer.h"

#include <ns3/abort.h>

#include <algorithm>

namespace ns3
{

namespace
{

/// Largest sampling interval, in periods, while nothing changes.
constexpr int64_t MAX_STEPS = 64;

} // namespace

RdmaPauseTrace::RdmaPauseTrace(std::ostream& os, Ptr<RdmaFabric> fabric, QbbPs period)
    : m_trace(os),
      m_fabric(fabric),
      m_period(period),
      m_step(period),
      m_timer(this)
{
    const RdmaTopology& topology = fabric->GetTopology();
    m_byNode.resize(topology.GetNNodes());
    m_named.resize(topology.GetNNodes());
    for (uint32_t link = 0; link < topology.GetNLinks(); ++link)
    {
        const RdmaTopologyLink ends = topology.GetLink(link);
        for (const uint32_t node : {ends.a, ends.b})
        {
            const auto place = static_cast<uint32_t>(m_ports.size());
            Port port;
            port.device = fabric->GetDevice(link, node);
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
    }
    m_timer.Arm((QbbNow() / m_period + 1) * m_period);
}

RdmaPauseTrace::~RdmaPauseTrace()
{
    Finish();
}

void
RdmaPauseTrace::Finish()
{
    if (m_finished)
    {
        return;
    }
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
    m_trace.Finish();
}

void
RdmaPauseTrace::Name(uint32_t place, uint8_t priority)
{
    Port& port = m_ports[place];
    if (!m_named[port.node])
    {
        m_named[port.node] = true;
        m_trace.NameProcess(port.node + 1, m_fabric->GetTopology().GetNode(port.node).name);
    }
    if (!port.classes[priority].named)
    {
        port.classes[priority].named = true;
        m_trace.NameTrack(port.node + 1,
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
        m_trace.WriteSpan(m_ports[place].node + 1,
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
            m_trace.WriteCounter(port.node + 1, port.name + " " + what, unit, now, value);
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

uint32_t
RdmaPauseTrace::GetPlace(uint32_t node, uint32_t port) const
{
    NS_ABORT_MSG_IF(node >= m_byNode.size() || port >= m_byNode[node].size(),
                    "rdma: a trace of pauses is told of port " << port << " of node " << node
                                                               << ", which the fabric has not");
    return m_byNode[node][port];
}

void
RdmaPauseTrace::AddInstant(uint32_t node, uint32_t port, uint8_t priority, const std::string& what)
{
    const uint32_t place = GetPlace(node, port);
    Name(place, priority);
    m_trace.WriteInstant(node + 1, place * 8 + priority + 1, what, QbbNow());
}

void
RdmaPauseTrace::AddWatchdog(uint32_t node, Ptr<QbbPfcWatchdog> watchdog)
{
    const bool ignores = watchdog->GetAction() != QbbPfcWatchdog::ALERT;
    watchdog->TraceConnectWithoutContext(
        "StormDetected",
        Callback<void, uint32_t, uint8_t>([this, node, ignores](uint32_t port, uint8_t priority) {
            AddInstant(node, port, priority, "PFC storm detected");
            if (ignores)
            {
                ClosePause(GetPlace(node, port), priority, QbbNow());
            }
        }));
    watchdog->TraceConnectWithoutContext(
        "StormRestored",
        Callback<void, uint32_t, uint8_t>([this, node](uint32_t port, uint8_t priority) {
            AddInstant(node, port, priority, "PFC storm restored");
        }));
}

} // namespace ns3
