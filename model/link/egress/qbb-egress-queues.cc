/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-egress-queues.h"

namespace ns3
{

QbbFramePtr
QbbEgressQueues::PopLast(uint8_t priority)
{
    Queue& queue = m_queues[priority];
    if (queue.frames.IsEmpty())
    {
        return nullptr;
    }
    QbbFramePtr frame = std::move(queue.frames.Back());
    queue.frames.PopBack();
    queue.bytes -= frame->size;
    if (queue.frames.IsEmpty())
    {
        m_classes &= static_cast<uint8_t>(~(1U << priority));
    }
    return frame;
}

void
QbbEgressQueues::Clear()
{
    for (Queue& queue : m_queues)
    {
        queue.frames.Clear();
        queue.bytes = 0;
        queue.waitingBytes = 0;
        queue.waitingFrames = 0;
    }
    m_classes = 0;
}

uint64_t
QbbEgressQueues::GetBytesFrom(uint8_t priority, uint16_t ingressPort) const
{
    const auto& queue = m_queues[priority].frames;
    uint64_t bytes = 0;
    for (std::size_t i = 0; i < queue.GetSize(); ++i)
    {
        bytes += queue[i]->ingressPort == ingressPort ? queue[i]->size : 0;
    }
    return bytes;
}

std::array<uint64_t, 8>
QbbEgressQueues::TakePeaks()
{
    std::array<uint64_t, 8> peaks{};
    for (std::size_t i = 0; i < m_queues.size(); ++i)
    {
        Queue& queue = m_queues[i];
        peaks[i] = std::exchange(queue.peak, queue.bytes);
        queue.earlier = std::max(queue.earlier, peaks[i]);
    }
    return peaks;
}

} // namespace ns3
