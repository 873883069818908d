/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-port-monitor.h"

#include "rdma-units.h"

#include <ns3/abort.h>

#include <tuple>

namespace ns3
{

namespace
{

constexpr const char* MONITOR_HEADING =
    "time_ns,node,port,priority,tx_frames,tx_bytes,rx_frames,rx_bytes,drops,ecn_marks,xoff_sent,"
    "xon_sent,xoff_received,xon_received,paused_ns,queue_bytes,peak_queue_bytes,ingress_bytes,"
    "peak_ingress_bytes,headroom_bytes,peak_headroom_bytes\n";

auto
TieReading(const QbbPortReading& r)
{
    return std::tie(r.txFrames,
                    r.txBytes,
                    r.rxFrames,
                    r.rxBytes,
                    r.drops,
                    r.ecnMarks,
                    r.xoffSent,
                    r.xonSent,
                    r.xoffReceived,
                    r.xonReceived,
                    r.pausedTime,
                    r.queueBytes,
                    r.peakQueueBytes,
                    r.ingressBytes,
                    r.peakIngressBytes,
                    r.headroomBytes,
                    r.peakHeadroomBytes);
}

} // namespace

bool
QbbPortReading::operator==(const QbbPortReading& other) const
{
    return TieReading(*this) == TieReading(other);
}

QbbPortMonitor::QbbPortMonitor(std::ostream& os, QbbPs period)
    : m_os(os),
      m_period(period),
      m_timer(this)
{
    NS_ABORT_MSG_IF(period <= 0_ps,
                    "rdma: a port monitor with a period of " << period
                                                             << " ps; accepted: 1 ps and above");
}

void
QbbPortMonitor::AddDevice(Ptr<QbbNetDevice> device)
{
    m_ports.push_back({device, nullptr});
}

void
QbbPortMonitor::AddSwitch(Ptr<QbbSwitch> sw)
{
    const Ptr<QbbBufferManager> buffer = sw->GetBufferManager();
    for (uint32_t port = 0; port < sw->GetNPorts(); ++port)
    {
        m_ports.push_back({sw->GetPort(port), buffer});
    }
    if (buffer)
    {
        m_buffers.push_back(buffer);
    }
}

void
QbbPortMonitor::Start()
{
    NS_ABORT_MSG_IF(m_timer.IsArmed(), "rdma: Start() of a port monitor a second time");
    m_os << MONITOR_HEADING;
    m_timer.Arm((QbbNow() / m_period + 1) * m_period);
}

void
QbbPortMonitor::OnTick()
{
    Poll();
    m_timer.Arm(QbbNow() + m_period);
}

void
QbbPortMonitor::Poll()
{
    const QbbPs now = QbbNow();
    if (now == m_last)
    {
        return;
    }
    m_last = now;
    for (Port& port : m_ports)
    {
        for (uint8_t priority = 0; priority < 8; ++priority)
        {
            const QbbPortReading reading = Read(*port.device, PeekPointer(port.buffer), priority);
            QbbPortReading& last = port.readings[priority];
            if (!(reading == last) || reading.queueBytes > 0 || reading.ingressBytes > 0)
            {
                last = reading;
                Write(port, priority, reading);
            }
        }
        port.device->GetQueues().ClearWatermarks();
    }
    for (const auto& buffer : m_buffers)
    {
        buffer->ResetPeaks();
    }
}

QbbPortReading
QbbPortMonitor::Read(const QbbPort& device, const QbbBufferManager* buffer, uint8_t priority)
{
    const auto& counters = device.GetCounters().classes[priority];
    const QbbPauseSender& sender = device.GetFlowControl().GetPauseSender();
    const QbbPauseReceiver& receiver = device.GetFlowControl().GetPauseReceiver();
    QbbPortReading reading;
    reading.txFrames = counters.txFrames;
    reading.txBytes = counters.txBytes;
    reading.rxFrames = counters.rxFrames;
    reading.rxBytes = counters.rxBytes;
    reading.drops = counters.drops;
    reading.ecnMarks = counters.ecnMarks;
    reading.xoffSent = sender.GetXoffSent(priority);
    reading.xonSent = sender.GetXonSent(priority);
    reading.xoffReceived = receiver.GetXoffReceived(priority);
    reading.xonReceived = receiver.GetXonReceived(priority);
    reading.pausedTime = receiver.GetPausedTime(priority, QbbNow());
    reading.queueBytes = device.GetQueues().GetBytes(priority);
    reading.peakQueueBytes = device.GetQueues().GetWatermark(priority);
    if (buffer && device.GetPortNumber() < buffer->GetNPorts())
    {
        const QbbIngressUsage usage = buffer->GetIngress(device.GetPortNumber(), priority);
        reading.ingressBytes = usage.bytes;
        reading.peakIngressBytes = usage.peakBytes;
        reading.headroomBytes = usage.headroomBytes;
        reading.peakHeadroomBytes = usage.peakHeadroomBytes;
    }
    return reading;
}

void
QbbPortMonitor::Write(const Port& port, uint8_t priority, const QbbPortReading& reading)
{
    m_os << FormatRdmaNs(m_last) << ',' << port.device->GetNodeId() << ','
         << port.device->GetPortNumber() << ',' << +priority << ',' << reading.txFrames << ','
         << reading.txBytes << ',' << reading.rxFrames << ',' << reading.rxBytes << ','
         << reading.drops << ',' << reading.ecnMarks << ',' << reading.xoffSent << ','
         << reading.xonSent << ',' << reading.xoffReceived << ',' << reading.xonReceived << ','
         << FormatRdmaNs(reading.pausedTime) << ',' << reading.queueBytes << ','
         << reading.peakQueueBytes << ',';
    if (port.buffer)
    {
        m_os << reading.ingressBytes << ',' << reading.peakIngressBytes << ','
             << reading.headroomBytes << ',' << reading.peakHeadroomBytes << '\n';
    }
    else
    {
        m_os << ",,,\n"; // hosts have no switch buffer
    }
}

} // namespace ns3
