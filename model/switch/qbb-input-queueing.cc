/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-input-queueing.h"

#include <utility>

namespace ns3
{

QbbInputQueueing::QbbInputQueueing(std::vector<QbbPort*> ports)
    : m_ports(std::move(ports))
{
    m_queues.Configure(static_cast<uint32_t>(m_ports.size()));
    for (QbbPort* port : m_ports)
    {
        port->SetSource(this);
    }
}

QbbInputQueueing::~QbbInputQueueing()
{
    for (QbbPort* port : m_ports)
    {
        port->SetSource(nullptr);
    }
}

void
QbbInputQueueing::Push(uint16_t output, QbbFramePtr&& frame, RdmaEventTime eventTime)
{
    QbbPort& port = *m_ports[output];
    if (!port.IsUp())
    {
        port.Enqueue(std::move(frame), eventTime);
        return;
    }
    const uint16_t input = frame->ingressPort;
    const uint8_t priority = frame->priority;
    port.GetQueues().AddWaiting(priority, frame->size);
    m_queues.Push(output, std::move(frame));
    FrameQueued(input, output, priority, eventTime);
}

void
QbbInputQueueing::FrameQueued(uint16_t, uint16_t output, uint8_t priority, RdmaEventTime eventTime)
{
    m_ports[output]->AnnounceSource(priority, eventTime);
}

void
QbbInputQueueing::EgressFrameLeft(uint16_t, uint8_t)
{
}

bool
QbbInputQueueing::CanLeave(uint16_t, uint8_t) const
{
    return false;
}

QbbFramePtr
QbbInputQueueing::NextFrame(QbbPort& port, uint8_t priority)
{
    const uint16_t output = port.GetPortNumber();
    const uint32_t queue = m_queues.GetTurn(output, priority);
    if (queue == QbbVirtualOutputQueues::NONE)
    {
        return nullptr;
    }
    QbbFramePtr frame = m_queues.Pop(queue);
    ShowToMarkers(output, frame->ingressPort, *frame);
    port.GetQueues().RemoveWaiting(priority, frame->size);
    if (m_queues.GetTurn(output, priority) == QbbVirtualOutputQueues::NONE)
    {
        port.WithdrawSource(priority);
    }
    return frame;
}

uint64_t
QbbInputQueueing::GetInputBytes(const QbbPort& port, uint16_t input, uint8_t priority) const
{
    return m_queues.GetBytes(input, port.GetPortNumber(), priority);
}

void
QbbInputQueueing::SetMarkers(std::vector<QbbMarker*> markers)
{
    m_markers = std::move(markers);
}

void
QbbInputQueueing::Mark(uint16_t output, uint16_t input, QbbFrame& frame)
{
    QbbPort& port = *m_ports[output];
    const RdmaBitRate outputRate = port.GetCurrentRate().GetBitRate();
    RdmaBitRate inputsRate = m_ports[input]->GetCurrentRate().GetBitRate();
    // The sum stops once it exceeds the output rate. The frame's own input is already included.
    m_queues.FindTurn(output, frame.priority, [&](uint16_t other) {
        inputsRate += other == input ? 0_bps : m_ports[other]->GetCurrentRate().GetBitRate();
        return inputsRate > outputRate;
    });
    for (QbbMarker* marker : m_markers)
    {
        marker->FrameChosen(port, frame, inputsRate);
    }
}

uint64_t
QbbInputQueueing::Drop(uint16_t output, uint8_t priority, QbbDropReason reason)
{
    QbbPort& port = *m_ports[output];
    uint64_t frames = 0;
    uint32_t queue = m_queues.GetTurn(output, priority);
    while (queue != QbbVirtualOutputQueues::NONE)
    {
        const QbbFramePtr frame = m_queues.Pop(queue);
        port.GetQueues().RemoveWaiting(priority, frame->size);
        port.DropUnsent(*frame, reason);
        ++frames;
        queue = m_queues.GetTurn(output, priority);
    }
    port.WithdrawSource(priority);
    return frames;
}

} // namespace ns3
