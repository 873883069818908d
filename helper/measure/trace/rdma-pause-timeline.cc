/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-pause-timeline.h"

#include <algorithm>

namespace ns3
{

RdmaPauseTimeline::RdmaPauseTimeline(std::ostream& os)
    : m_trace(os)
{
}

void
RdmaPauseTimeline::AddPort(uint32_t node,
                           const std::string& nodeName,
                           const std::string& name,
                           bool isHost)
{
    Port port;
    port.node = node;
    port.nodeName = nodeName;
    port.name = name;
    port.isHost = isHost;
    m_ports.push_back(port);
    m_named.resize(std::max<std::size_t>(m_named.size(), node + 1));
}

void
RdmaPauseTimeline::Name(uint32_t place, uint8_t priority)
{
    Port& port = m_ports[place];
    if (!m_named[port.node])
    {
        m_named[port.node] = true;
        m_trace.NameProcess(port.node + 1, port.nodeName);
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
RdmaPauseTimeline::Record(const Report& report)
{
    const auto write = [&](const char* what) {
        Name(report.place, report.priority);
        m_trace.WriteInstant(m_ports[report.place].node + 1,
                             report.place * 8 + report.priority + 1,
                             what,
                             report.effect);
    };
    switch (report.kind)
    {
    case Report::Kind::PAUSE:
    case Report::Kind::RESUME:
        RecordPause(report);
        break;
    case Report::Kind::LINK:
        EndPauses(report.place, report.effect);
        break;
    case Report::Kind::DETECTED:
        write("PFC storm detected");
        break;
    case Report::Kind::IGNORED:
        write("PFC storm detected");
        ClosePause(report.place, report.priority, report.effect);
        break;
    case Report::Kind::RESTORED:
        write("PFC storm restored");
        break;
    case Report::Kind::NIC_SILENT:
        write("NIC watchdog");
        break;
    }
}

void
RdmaPauseTimeline::RecordPause(const Report& report)
{
    Track& track = m_ports[report.place].classes[report.priority];
    if (track.paused && track.until < report.effect)
    {
        ClosePause(report.place, report.priority, report.effect);
    }
    if (report.kind == Report::Kind::RESUME)
    {
        ClosePause(report.place, report.priority, report.effect);
        return;
    }
    if (!track.paused)
    {
        track.paused = true;
        track.start = report.effect;
    }
    track.until = report.until;
}

void
RdmaPauseTimeline::ClosePause(uint32_t place, uint8_t priority, QbbPs at)
{
    Track& track = m_ports[place].classes[priority];
    const QbbPs end = std::min(at, track.until);
    if (!track.paused)
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

bool
RdmaPauseTimeline::Write(uint32_t place, const Values& values, QbbPs now)
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
    Values& written = port.written;
    if (port.isHost)
    {
        write("receive buffer", "bytes", 0, values.queueBytes[0], written.queueBytes[0]);
        return changed;
    }
    for (uint8_t p = 0; p < 8; ++p)
    {
        const std::string name = "priority " + std::to_string(p);
        write(name + " queue", "bytes", p, values.queueBytes[p], written.queueBytes[p]);
        write(name + " ECN marks", "packets", p, values.marks[p], written.marks[p]);
    }
    return changed;
}

void
RdmaPauseTimeline::EndPauses(uint32_t place, QbbPs at)
{
    for (uint8_t p = 0; p < 8; ++p)
    {
        ClosePause(place, p, at);
    }
}

} // namespace ns3
