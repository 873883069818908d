/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-egress-queues.h"

namespace ns3
{

QbbFramePtr
QbbEgressQueues::PopLast(uint8_t priority)
{
    auto& queue = m_queues[priority];
    if (queue.IsEmpty())
    {
        return nullptr;
    }
    QbbFramePtr frame = std::move(queue.Back());
    queue.PopBack();
    m_bytes[priority] -= frame->size;
    if (queue.IsEmpty())
    {
        m_classes &= static_cast<uint8_t>(~(1U << priority));
    }
    return frame;
}

void
QbbEgressQueues::Clear()
{
    for (auto& queue : m_queues)
    {
        queue.Clear();
    }
    m_classes = 0;
    m_bytes = {};
    m_waiting = {};
}

uint64_t
QbbEgressQueues::GetBytesFrom(uint8_t priority, uint16_t ingressPort) const
{
    const auto& queue = m_queues[priority];
    uint64_t bytes = 0;
    for (std::size_t i = 0; i < queue.GetSize(); ++i)
    {
        bytes += queue[i]->ingressPort == ingressPort ? queue[i]->size : 0;
    }
    return bytes;
}

void
QbbEgressQueues::ClearWatermarks()
{
    for (uint8_t priority = 0; priority < 8; ++priority)
    {
        m_cleared[priority] = GetPeakBytes(priority);
        m_watermarks[priority] = m_bytes[priority];
    }
}

} // namespace ns3
