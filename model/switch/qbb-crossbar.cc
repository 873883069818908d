/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-crossbar.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ns3
{

QbbCrossbar::QbbCrossbar(std::vector<QbbPort*> ports,
                         QbbFrameSink& sink,
                         double speedup,
                         uint32_t egressBytes)
    : QbbInputQueueing(std::move(ports)),
      m_sink(sink),
      m_timer(this)
{
    RdmaBitRate fastest;
    for (const QbbPort* port : m_ports)
    {
        fastest = std::max(fastest, port->GetLineRate().GetBitRate());
        m_egressBytes.push_back(egressBytes ? egressBytes : 2 * port->GetMaxFrameBytes());
        m_ends.emplace_back(this);
    }
    m_rate = RdmaLineRate(RdmaBitRate(std::llround(speedup * static_cast<double>(fastest))));
    m_matcher.Configure(static_cast<uint32_t>(m_ports.size()));
    for (uint16_t output = 0; output < m_ports.size(); ++output)
    {
        SchedulerChanged(output);
    }
    m_transfers.reserve(m_ports.size());
}

void
QbbCrossbar::SchedulerChanged(uint16_t output)
{
    m_matcher.SetScheduler(output, m_ports[output]->GetEgressScheduler());
}

void
QbbCrossbar::FrameQueued(uint16_t input, uint16_t output, uint8_t priority, RdmaEventTime eventTime)
{
    m_matcher.AddWaiting(output);
    if (m_matcher.IsInputFree(input) && m_matcher.IsOutputFree(output) &&
        m_matcher.GetRoom(output, static_cast<uint8_t>(1U << priority)))
    {
        m_timer.ArmNoLater(eventTime.GetInstant());
    }
}

void
QbbCrossbar::EgressFrameLeft(uint16_t output, uint8_t priority)
{
    UpdateRoom(output, priority);
    if (!m_inside && m_queues.GetWaiting(output))
    {
        m_timer.ArmNoLater(RdmaNow());
    }
}

bool
QbbCrossbar::CanLeave(uint16_t output, uint8_t priority) const
{
    const bool isCrossing =
        std::any_of(m_transfers.begin(), m_transfers.end(), [&](const Transfer& transfer) {
            return transfer.output == output && transfer.frame->priority == priority;
        });
    return isCrossing ||
           m_ports[output]->GetQueues().GetBytesHere(priority) < m_egressBytes[output];
}

void
QbbCrossbar::UpdateRoom(uint16_t output, uint8_t priority)
{
    m_matcher.SetRoom(output,
                      priority,
                      m_ports[output]->GetQueues().GetBytesHere(priority) < m_egressBytes[output]);
}

uint32_t
QbbCrossbar::GetNodeId() const
{
    return m_ports.front()->GetNodeId();
}

void
QbbCrossbar::OnTimer()
{
    // Each timer event handles everything that is due, so that the order of timers does not matter.
    const RdmaEventTime eventTime = RdmaEventNow();
    const RdmaPs now = eventTime.GetInstant();
    m_inside = true;
    for (std::size_t i = 0; i < m_transfers.size();)
    {
        if (m_transfers[i].end > now)
        {
            ++i;
            continue;
        }
        Transfer done = std::move(m_transfers[i]);
        if (i + 1 < m_transfers.size())
        {
            m_transfers[i] = std::move(m_transfers.back());
        }
        m_transfers.pop_back();
        Deliver(done, eventTime);
    }
    for (Transfer& next : m_matcher.Match(m_queues))
    {
        ShowToMarkers(next.output, next.input, *next.frame);
        next.end = now + std::max(1_ps, m_rate.BytesToPs(next.frame->size));
        m_ends[next.input].Arm(next.end);
        m_transfers.push_back(std::move(next));
    }
    m_inside = false;
}

void
QbbCrossbar::Deliver(Transfer& transfer, RdmaEventTime eventTime)
{
    QbbPort& port = *m_ports[transfer.output];
    QbbFrame& frame = *transfer.frame;
    const uint8_t priority = frame.priority;
    m_matcher.Release(transfer.input, transfer.output);
    port.GetQueues().RemoveWaiting(priority, frame.size);
    m_sink.FrameGone(port, frame);
    frame.ingressPort = QbbNetDevice::NO_PORT;
    port.Enqueue(std::move(transfer.frame), eventTime);
    UpdateRoom(transfer.output, priority);
}

} // namespace ns3
