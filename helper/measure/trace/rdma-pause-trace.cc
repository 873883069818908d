/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-pause-trace.h"

#include "qbb-pfc-watchdog.h"
#include "qbb-wire.h"
#include "rdma-nic-watchdog.h"
#include "rdma-part-name.h"
#include "rdma-receive-buffer.h"
#include "rdma-result-table.h"
#include "rdma-time.h"
#include "rdma-units.h"

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

/** \param text any text \return the text as a quoted JSON string */
std::string
QuoteTraceText(const std::string& text)
{
    std::string quoted;
    AppendRdmaField(quoted, RdmaResultFormat::JSON, text);
    return quoted;
}

/** \return number of the track of a port and class, unique in the file */
uint32_t
GetTrack(uint32_t place, uint8_t priority)
{
    return place * 8 + priority + 1;
}

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
                                          RdmaMakePositiveTimeChecker());
    return tid;
}

RdmaPauseTrace::RdmaPauseTrace()
    : m_timer(this)
{
}

void
RdmaPauseTrace::Begin(Ptr<RdmaFabric> fabric, Ptr<RdmaFlowRunnerBase>)
{
    m_file.OpenForRun(m_path);
    m_file.GetStream() << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
    m_fabric = fabric;
    m_period = m_step = RdmaToPs(m_periodTime);
    const RdmaTopology& topology = fabric->GetTopology();
    m_byNode.resize(topology.GetNNodes());
    m_named.resize(topology.GetNNodes());
    for (uint32_t link = 0; link < topology.GetNLinks(); ++link)
    {
        WatchPort(link, topology.GetLink(link).a);
        WatchPort(link, topology.GetLink(link).b);
    }
    WatchWatchdogs();
    m_firstSample = (RdmaNow() / m_period + 1) * m_period;
    m_timer.Arm(m_firstSample);
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
    port.isHost = topology.IsNic(node);
    port.device->AddPauseWatcher(false, [this, place](uint8_t priority, uint16_t quanta) {
        OnReceived(place, priority, quanta);
    });
    port.device->AddLinkChangeCallback(Callback<void>([this, place]() {
        QueueReport({Report::Kind::LINK, place, 0, RdmaNow(), 0_ps});
    }));
    port.name = "port " + std::to_string(m_byNode[node].size()) + " to " +
                topology.GetNode(node == ends.a ? ends.b : ends.a).name;
    m_ports.push_back(port);
    m_byNode[node].push_back(place);
}

void
RdmaPauseTrace::Finish()
{
    m_timer.Disarm();
    ReadPorts();
    if (IsRdmaRunShared())
    {
        ReplayRecords();
    }
    RecordReports();
    const RdmaPs now = RdmaNow();
    for (uint32_t place = 0; place < m_ports.size(); ++place)
    {
        EndPauses(place, now);
        WriteValues(place, now);
    }
    m_finished = true;
    m_file.GetStream() << "\n]}\n";
    m_file.Close(IsCut());
}

void
RdmaPauseTrace::OnReceived(uint32_t place, uint8_t priority, uint16_t quanta)
{
    const QbbNetDevice& device = *m_ports[place].device;
    if (!(device.GetFlowControl().GetPauseReceiver().GetHonoured() & (1U << priority)))
    {
        return;
    }
    const RdmaPs effect = RdmaNow() + device.GetFlowControl().GetReactionDelay();
    const RdmaPs duration =
        device.GetLineRate().BitsToPs(uint64_t{quanta} * QbbWire::PAUSE_QUANTUM_BITS);
    const auto kind = quanta == 0 ? Report::Kind::RESUME : Report::Kind::PAUSE;
    QueueReport({kind, place, priority, effect, effect + duration});
}

void
RdmaPauseTrace::QueueReport(const Report& report)
{
    if (!IsRdmaRunShared())
    {
        RdmaDefer([this, report] { AddReport(report, RdmaEventNow()); });
    }
    else if (IsRdmaNodeLocal(*m_ports[report.place].device->GetNode()))
    {
        RdmaRecordWriter writer;
        writer.Put(true);
        writer.Put(report);
        m_log.Add(RdmaEventNow(), writer.Get());
    }
}

void
RdmaPauseTrace::AddReport(const Report& report, RdmaEventTime at)
{
    if (m_finished)
    {
        return;
    }
    if (at != m_reported)
    {
        RecordReports();
        m_reported = at;
    }
    m_reports.push_back(report);
}

void
RdmaPauseTrace::RecordReports()
{
    // Simultaneous events of different nodes come in any order.
    std::stable_sort(m_reports.begin(), m_reports.end(), [this](const Report& a, const Report& b) {
        return m_ports[a.place].node < m_ports[b.place].node;
    });
    for (const Report& report : m_reports)
    {
        Record(report);
    }
    m_reports.clear();
}

void
RdmaPauseTrace::OnSample()
{
    ReadPorts();
    if (IsRdmaRunShared())
    {
        // Whether the interval doubles depends on the ports of all processes.
        m_timer.Arm(RdmaNow() + m_period);
        return;
    }
    WriteSample(RdmaNow());
    m_timer.Arm(RdmaNow() + m_step);
}

void
RdmaPauseTrace::ReadPorts()
{
    for (uint32_t place = 0; place < m_ports.size(); ++place)
    {
        Port& port = m_ports[place];
        if (!IsRdmaRunShared())
        {
            port.values = ReadPort(port);
        }
        else if (IsRdmaNodeLocal(*port.device->GetNode()))
        {
            const Values values = ReadPort(port);
            if (!(values == port.values))
            {
                port.values = values;
                RdmaRecordWriter writer;
                writer.Put(false);
                writer.Put(place);
                writer.Put(values);
                m_log.Add(RdmaEventNow(), writer.Get());
            }
        }
    }
}

RdmaPauseTrace::Values
RdmaPauseTrace::ReadPort(const Port& port) const
{
    Values values;
    if (port.isHost)
    {
        const auto buffer = port.device->GetObject<RdmaReceiveBuffer>();
        values.queueBytes[0] = buffer ? buffer->GetBytes() : 0;
        return values;
    }
    for (uint8_t p = 0; p < 8; ++p)
    {
        values.queueBytes[p] = port.device->GetQueues().GetBytes(p);
        values.marks[p] = port.device->GetCounters().classes[p].ecnMarks;
    }
    return values;
}

void
RdmaPauseTrace::WriteSample(RdmaPs now)
{
    RecordReports();
    bool changed = false;
    for (uint32_t place = 0; place < m_ports.size(); ++place)
    {
        changed |= WriteValues(place, now);
    }
    m_step = changed ? m_period : std::min(2 * m_step, MAX_STEPS * m_period);
}

void
RdmaPauseTrace::ReplayRecords()
{
    for (Port& port : m_ports)
    {
        port.values = {};
    }
    RdmaPs next = m_firstSample;
    for (const auto& [at, bytes] : m_log.Gather())
    {
        for (; RdmaEventTime(next, EVENT_ORDER) < at; next += m_step)
        {
            WriteSample(next);
        }
        RdmaRecordReader reader(bytes);
        if (reader.Take<bool>())
        {
            AddReport(reader.Take<Report>(), at);
        }
        else
        {
            const auto place = reader.Take<uint32_t>();
            m_ports[place].values = reader.Take<Values>();
        }
    }
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
        for (const bool begins : {true, false})
        {
            const auto kind = !begins   ? Report::Kind::RESTORED
                              : ignores ? Report::Kind::IGNORED
                                        : Report::Kind::DETECTED;
            watchdog->AddStormWatcher(begins, [this, node, kind](uint32_t port, uint8_t priority) {
                QueueReport({kind, m_byNode[node][port], priority, RdmaNow(), 0_ps});
            });
        }
    }
    for (const uint32_t id : topology.GetNics())
    {
        const auto nic = m_fabric->GetNic(id);
        for (uint32_t port = 0; port < nic->GetNPorts(); ++port)
        {
            if (const auto watchdog = nic->GetPort(port)->GetObject<RdmaNicWatchdog>())
            {
                watchdog->AddDisabledWatcher([this, port](uint32_t node) {
                    QueueReport(
                        {Report::Kind::NIC_SILENT, m_byNode[node][port], 0, RdmaNow(), 0_ps});
                });
            }
        }
    }
}

std::ostream&
RdmaPauseTrace::BeginEvent(char phase, uint32_t process, const std::string& name)
{
    std::ostream& os = m_file.GetStream();
    os << (m_isEmpty ? "\n" : ",\n") << "{\"ph\":\"" << phase << "\",\"pid\":" << process
       << ",\"name\":" << QuoteTraceText(name);
    m_isEmpty = false;
    return os;
}

void
RdmaPauseTrace::Name(uint32_t place, uint8_t priority)
{
    Port& port = m_ports[place];
    if (!m_named[port.node])
    {
        m_named[port.node] = true;
        BeginEvent('M', port.node + 1, "process_name")
            << ",\"args\":{\"name\":"
            << QuoteTraceText(m_fabric->GetTopology().GetNode(port.node).name) << "}}";
    }
    if (!port.tracks[priority].named)
    {
        port.tracks[priority].named = true;
        BeginEvent('M', port.node + 1, "thread_name")
            << ",\"tid\":" << GetTrack(place, priority) << ",\"args\":{\"name\":"
            << QuoteTraceText(port.name + " priority " + std::to_string(priority)) << "}}";
    }
}

void
RdmaPauseTrace::Record(const Report& report)
{
    const auto write = [&](const char* what) {
        Name(report.place, report.priority);
        BeginEvent('i', m_ports[report.place].node + 1, what)
            << ",\"tid\":" << GetTrack(report.place, report.priority)
            << ",\"ts\":" << FormatRdmaUs(report.effect) << ",\"s\":\"t\"}";
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
        EndPause(report.place, report.priority, report.effect);
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
RdmaPauseTrace::RecordPause(const Report& report)
{
    Track& track = m_ports[report.place].tracks[report.priority];
    if (track.paused && track.until < report.effect)
    {
        EndPause(report.place, report.priority, report.effect);
    }
    if (report.kind == Report::Kind::RESUME)
    {
        EndPause(report.place, report.priority, report.effect);
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
RdmaPauseTrace::EndPause(uint32_t place, uint8_t priority, RdmaPs at)
{
    Track& track = m_ports[place].tracks[priority];
    const RdmaPs end = std::min(at, track.until);
    if (track.paused && end > track.start)
    {
        Name(place, priority);
        BeginEvent('X', m_ports[place].node + 1, "paused")
            << ",\"tid\":" << GetTrack(place, priority) << ",\"ts\":" << FormatRdmaUs(track.start)
            << ",\"dur\":" << FormatRdmaUs(end - track.start) << "}";
    }
    track.paused = false;
}

void
RdmaPauseTrace::EndPauses(uint32_t place, RdmaPs at)
{
    for (uint8_t p = 0; p < 8; ++p)
    {
        EndPause(place, p, at);
    }
}

bool
RdmaPauseTrace::WriteValues(uint32_t place, RdmaPs now)
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
            BeginEvent('C', port.node + 1, port.name + " " + what)
                << ",\"ts\":" << FormatRdmaUs(now) << ",\"args\":{" << QuoteTraceText(unit) << ":"
                << value << "}}";
        }
    };
    if (port.isHost)
    {
        write("receive buffer", "bytes", 0, port.values.queueBytes[0], port.written.queueBytes[0]);
        return changed;
    }
    for (uint8_t p = 0; p < 8; ++p)
    {
        const std::string name = "priority " + std::to_string(p);
        write(name + " queue", "bytes", p, port.values.queueBytes[p], port.written.queueBytes[p]);
        write(name + " ECN marks", "packets", p, port.values.marks[p], port.written.marks[p]);
    }
    return changed;
}

} // namespace ns3
