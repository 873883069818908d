/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-port-monitor.h"

#include "rdma-flow-report.h"
#include "rdma-part-name.h"
#include "rdma-shared-run.h"
#include "rdma-time.h"

#include <ns3/abort.h>
#include <ns3/nstime.h>
#include <ns3/string.h>

#include <algorithm>
#include <tuple>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(QbbPortMonitor);

namespace
{

/// Names under which programs take the class.
const RdmaPartName g_monitorName("monitor",
                                 QbbPortMonitor::GetTypeId(),
                                 "",
                                 "CSV file: counters, pauses, watermarks of all ports",
                                 {"File"});

std::vector<RdmaResultColumn<QbbPortReading>>
MakeMonitorColumns()
{
    auto columns = MakeRdmaPortColumns<QbbPortReading>();
    columns.insert(columns.begin(),
                   {"time_ns",
                    "ns",
                    "instant of the poll, after all other events of the instant",
                    &QbbPortReading::time});
    columns.insert(columns.end(),
                   {{"queue_bytes", "bytes", "length of the queue", &QbbPortReading::queueBytes},
                    {"ingress_bytes",
                     "bytes",
                     "bytes in the switch's buffer that came in at the port; empty for hosts",
                     &QbbPortReading::ingressBytes},
                    {"peak_ingress_bytes",
                     "bytes",
                     "greatest ingress_bytes since the previous poll; empty for hosts",
                     &QbbPortReading::peakIngressBytes},
                    {"headroom_bytes",
                     "bytes",
                     "part of ingress_bytes that is in headroom; empty for hosts",
                     &QbbPortReading::headroomBytes},
                    {"peak_headroom_bytes",
                     "bytes",
                     "greatest headroom_bytes since the previous poll; empty for hosts",
                     &QbbPortReading::peakHeadroomBytes}});
    return columns;
}

/// Columns of the file.
const RdmaResultTable<QbbPortReading> g_monitorTable =
    MakeRdmaFileTable<QbbPortReading>("monitor", MakeMonitorColumns());

} // namespace

bool
QbbPortReading::HasValuesOf(const QbbPortReading& other) const
{
    const auto& counters = GetRdmaPortCounters();
    const auto getLevels = [](const QbbPortReading& r) {
        return std::make_tuple(r.pausedTime,
                               r.queueBytes,
                               r.peakQueueBytes,
                               r.ingressBytes.value_or(0),
                               r.peakIngressBytes.value_or(0),
                               r.headroomBytes.value_or(0),
                               r.peakHeadroomBytes.value_or(0));
    };
    return getLevels(*this) == getLevels(other) &&
           std::all_of(counters.begin(), counters.end(), [&](const RdmaPortCounter& counter) {
               return this->*counter.value == other.*counter.value;
           });
}

TypeId
QbbPortMonitor::GetTypeId()
{
    static TypeId tid = TypeId("ns3::QbbPortMonitorInstrument")
                            .SetParent<RdmaInstrument>()
                            .SetGroupName("Rdma")
                            .AddConstructor<QbbPortMonitor>()
                            .AddAttribute("File",
                                          "The CSV file.",
                                          StringValue(""),
                                          MakeStringAccessor(&QbbPortMonitor::m_path),
                                          MakeStringChecker())
                            .AddAttribute("Period",
                                          "Time between polls.",
                                          TimeValue(MicroSeconds(100)),
                                          MakeTimeAccessor(&QbbPortMonitor::m_periodTime),
                                          RdmaMakePositiveTimeChecker());
    return tid;
}

QbbPortMonitor::QbbPortMonitor()
    : m_timer(this)
{
}

void
QbbPortMonitor::Begin(Ptr<RdmaFabric> fabric, Ptr<RdmaFlowRunnerBase>)
{
    Watch(m_file.GetStream(), fabric, RdmaToPs(m_periodTime));
    for (uint32_t node = 0; node < fabric->GetTopology().GetNNodes(); ++node)
    {
        AddNode(node);
    }
    m_file.OpenForRun(m_path);
    Start();
}

void
QbbPortMonitor::Watch(std::ostream& os, Ptr<RdmaFabric> fabric, RdmaPs period)
{
    NS_ABORT_MSG_IF(period <= 0_ps,
                    "rdma: a port monitor with a period of " << period
                                                             << " ps; accepted: 1 ps and above");
    m_os = &os;
    m_rows.emplace(os);
    m_fabric = fabric;
    m_names = MakeRdmaFabricPorts(fabric->GetTopology());
    m_period = period;
}

void
QbbPortMonitor::AddNode(uint32_t node)
{
    NS_ABORT_MSG_IF(node >= m_names.size(),
                    "rdma: node " << node << " of a fabric with " << m_names.size() << " nodes");
    const uint64_t first = m_added;
    m_added += m_names[node].size();
    if (!IsRdmaNodeLocal(*m_fabric->GetNode(node)))
    {
        return;
    }
    const bool isHost = m_fabric->GetTopology().IsNic(node);
    const auto buffer = isHost ? nullptr : m_fabric->GetSwitch(node)->GetBufferManager();
    const auto index = buffer ? static_cast<int64_t>(m_buffers.size()) : -1;
    if (buffer)
    {
        m_buffers.push_back({buffer, buffer->AddPeakReader()});
    }
    for (const auto& port : m_names[node])
    {
        const auto device = m_fabric->GetDevice(port->link, node);
        m_ports.push_back({port, device, device->AddPeakReader(), index, first + port->number});
    }
}

void
QbbPortMonitor::Start()
{
    NS_ABORT_MSG_IF(m_timer.IsArmed(), "rdma: Start() of a port monitor a second time");
    *m_os << g_monitorTable.FormatHeader();
    m_timer.Arm((RdmaNow() / m_period + 1) * m_period);
}

void
QbbPortMonitor::Finish()
{
    Poll();
    m_rows->Finish();
    if (!m_path.empty())
    {
        m_file.Close(IsCut());
    }
}

void
QbbPortMonitor::OnTick()
{
    Poll();
    m_timer.Arm(RdmaNow() + m_period);
}

void
QbbPortMonitor::Poll()
{
    const RdmaPs now = RdmaNow();
    if (now == m_last)
    {
        return;
    }
    m_last = now;
    for (Buffer& buffer : m_buffers)
    {
        buffer.peaks = buffer.manager->ReadPeaks(buffer.reader);
    }
    std::string row;
    for (Port& port : m_ports)
    {
        const auto queuePeaks = port.device->ReadPeaks(port.peaks);
        for (uint8_t priority = 0; priority < 8; ++priority)
        {
            const QbbPortReading reading = Read(port, priority, queuePeaks[priority]);
            QbbPortReading& last = port.readings[priority];
            if (!reading.HasValuesOf(last) || reading.queueBytes > 0 ||
                reading.ingressBytes.value_or(0) > 0)
            {
                last = reading;
                row.clear();
                g_monitorTable.AppendRow(row, reading);
                m_rows->Add({static_cast<uint64_t>(now.Get()), port.place, priority}, row);
            }
        }
    }
}

QbbPortReading
QbbPortMonitor::Read(const Port& port, uint8_t priority, uint64_t peakQueueBytes) const
{
    QbbPortReading reading{ReadRdmaPort(port.port, *port.device, priority, RdmaNow())};
    reading.time = m_last;
    reading.queueBytes = port.device->GetQueues().GetBytes(priority);
    reading.peakQueueBytes = peakQueueBytes;
    if (port.buffer >= 0)
    {
        const Buffer& buffer = m_buffers[port.buffer];
        // A switch that has not received a frame may have no layout of its buffer.
        const uint32_t number = port.port->number;
        const bool hasLayout = number < buffer.manager->GetNPorts();
        const auto usage =
            hasLayout ? buffer.manager->GetIngress(number, priority) : QbbIngressUsage();
        const auto peaks = hasLayout ? buffer.peaks[8 * number + priority] : QbbIngressPeaks();
        reading.ingressBytes = usage.bytes;
        reading.peakIngressBytes = peaks.bytes;
        reading.headroomBytes = usage.headroomBytes;
        reading.peakHeadroomBytes = peaks.headroomBytes;
    }
    return reading;
}

} // namespace ns3
