/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-pause-trace.h"

#include "qbb-pfc-watchdog.h"
#include "qbb-time.h"
#include "qbb-wire.h"
#include "rdma-nic-watchdog.h"
#include "rdma-part-name.h"
#include "rdma-receive-buffer.h"
#include "rdma-shared-run.h"

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
    m_file.OpenForRun(m_path);
    m_timeline = std::make_unique<RdmaPauseTimeline>(m_file.GetStream());
    m_fabric = fabric;
    m_period = m_step = QbbToPs(m_periodTime);
    const RdmaTopology& topology = fabric->GetTopology();
    m_byNode.resize(topology.GetNNodes());
    for (uint32_t link = 0; link < topology.GetNLinks(); ++link)
    {
        WatchPort(link, topology.GetLink(link).a);
        WatchPort(link, topology.GetLink(link).b);
    }
    WatchWatchdogs();
    m_firstSample = (QbbNow() / m_period + 1) * m_period;
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
    port.isHost = topology.IsHost(node);
    port.device->AddPauseWatcher(false, [this, place](uint8_t priority, uint16_t quanta) {
        OnReceived(place, priority, quanta);
    });
    port.device->AddLinkChangeCallback(Callback<void>([this, place]() {
        Tell({Report::Kind::LINK, place, 0, QbbNow(), 0_ps});
    }));
    const std::string name = "port " + std::to_string(m_byNode[node].size()) + " to " +
                             topology.GetNode(node == ends.a ? ends.b : ends.a).name;
    m_timeline->AddPort(node, topology.GetNode(node).name, name, port.isHost);
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
    const QbbPs now = QbbNow();
    for (uint32_t place = 0; place < m_ports.size(); ++place)
    {
        m_timeline->EndPauses(place, now);
        m_timeline->Write(place, m_ports[place].values, now);
    }
    m_finished = true;
    m_timeline->Finish();
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
    const QbbPs effect = QbbNow() + device.GetFlowControl().GetReactionDelay();
    const QbbPs duration =
        device.GetLineRate().BitsToPs(uint64_t{quanta} * QbbWire::PAUSE_QUANTUM_BITS);
    const auto kind = quanta == 0 ? Report::Kind::RESUME : Report::Kind::PAUSE;
    Tell({kind, place, priority, effect, effect + duration});
}

void
RdmaPauseTrace::Tell(const Report& report)
{
    if (!IsRdmaRunShared())
    {
        QbbDefer([this, report] { Take(report, QbbEventNow()); });
    }
    else if (IsRdmaNodeLocal(*m_ports[report.place].device->GetNode()))
    {
        RdmaRecordWriter writer;
        writer.Put(true);
        writer.Put(report);
        m_log.Add(QbbEventNow(), writer.Get());
    }
}

void
RdmaPauseTrace::Take(const Report& report, QbbEventTime at)
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
        m_timeline->Record(report);
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
        m_timer.Arm(QbbNow() + m_period);
        return;
    }
    WriteSample(QbbNow());
    m_timer.Arm(QbbNow() + m_step);
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
                m_log.Add(QbbEventNow(), writer.Get());
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
RdmaPauseTrace::WriteSample(QbbPs now)
{
    RecordReports();
    bool changed = false;
    for (uint32_t place = 0; place < m_ports.size(); ++place)
    {
        changed |= m_timeline->Write(place, m_ports[place].values, now);
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
    QbbPs next = m_firstSample;
    for (const auto& [at, bytes] : m_log.Gather())
    {
        for (; QbbEventTime(next, EVENT_ORDER) < at; next += m_step)
        {
            WriteSample(next);
        }
        RdmaRecordReader reader(bytes);
        if (reader.Take<bool>())
        {
            Take(reader.Take<Report>(), at);
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
                Tell({kind, m_byNode[node][port], priority, QbbNow(), 0_ps});
            });
        }
    }
    for (const uint32_t host : topology.GetHosts())
    {
        const auto port = m_fabric->GetNic(host)->GetPort(0);
        if (const auto watchdog = port->GetObject<RdmaNicWatchdog>())
        {
            watchdog->AddDisabledWatcher([this](uint32_t node) {
                Tell({Report::Kind::NIC_SILENT, m_byNode[node][0], 0, QbbNow(), 0_ps});
            });
        }
    }
}

} // namespace ns3
