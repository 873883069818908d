/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-queue-history.h"

#include "rdma-line-rate.h"
#include "rdma-refuse.h"
#include "rdma-shared-run.h"
#include "rdma-time.h"

#include <algorithm>

namespace ns3
{

RdmaQueueHistory::RdmaQueueHistory(const RdmaFabric& fabric, RdmaPs period)
    : m_period(period),
      m_begin(RdmaNow()),
      m_timer(this)
{
    RefuseRdmaIf(period <= 0_ps,
                 "queues are to be polled every ",
                 period,
                 " ps; accepted: 1 ps or more");
    for (const auto& ports : MakeRdmaFabricPorts(fabric.GetTopology()))
    {
        for (const auto& port : ports)
        {
            const auto device = fabric.GetDevice(port->link, port->node);
            m_places[PeekPointer(device)] = static_cast<uint32_t>(m_ports.size());
            m_ports.push_back({nullptr, port, {}, {}});
            if (IsRdmaNodeLocal(*fabric.GetNode(port->node)))
            {
                m_ports.back().device = device;
                m_ports.back().peaks = device->AddPeakReader();
            }
        }
    }
    m_timer.Arm(m_begin + m_period);
}

void
RdmaQueueHistory::OnTick()
{
    for (Port& port : m_ports)
    {
        if (!port.device)
        {
            continue;
        }
        const RdmaPeakReaders::Values peaks = port.device->ReadPeaks(port.peaks);
        const RdmaLineRate rate(port.port->lineRate);
        for (uint8_t priority = 0; priority < peaks.size(); ++priority)
        {
            if (rate.BytesToPs(peaks[priority]) >= LEAST_WAIT)
            {
                port.samples.push_back({peaks[priority], m_polls, priority});
            }
        }
    }
    ++m_polls;
    m_timer.Arm(RdmaNow() + m_period);
}

void
RdmaQueueHistory::Share()
{
    struct Seen
    {
        uint32_t port;
        Sample sample;
    };

    if (!IsRdmaRunShared())
    {
        return;
    }
    std::vector<Seen> seen;
    for (uint32_t port = 0; port < m_ports.size(); ++port)
    {
        for (const Sample& sample : m_ports[port].samples)
        {
            seen.push_back({port, sample});
        }
    }
    for (const Seen& one : ShareRdmaValues(seen))
    {
        Port& port = m_ports[one.port];
        if (!port.device)
        {
            port.samples.push_back(one.sample);
        }
    }
}

std::optional<RdmaQueueHistory::Wait>
RdmaQueueHistory::FindLongest(const std::vector<const QbbPort*>& path,
                              uint8_t priority,
                              RdmaPs from,
                              RdmaPs until) const
{
    const auto first = static_cast<uint32_t>((std::max(from, m_begin) - m_begin) / m_period);
    const auto last = static_cast<uint32_t>((std::max(until, m_begin) - m_begin) / m_period);
    std::optional<Wait> longest;
    for (const QbbPort* hop : path)
    {
        const Port& port = m_ports[m_places.at(hop)];
        auto sample = std::lower_bound(
            port.samples.begin(),
            port.samples.end(),
            first,
            [](const Sample& one, uint32_t period) { return one.period < period; });
        for (; sample != port.samples.end() && sample->period <= last; ++sample)
        {
            const RdmaPs time = RdmaLineRate(port.port->lineRate).BytesToPs(sample->bytes);
            if (sample->priority == priority && (!longest || time > longest->time))
            {
                longest = Wait{port.port->name, time};
            }
        }
    }
    return longest;
}

} // namespace ns3
