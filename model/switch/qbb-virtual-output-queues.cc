/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-virtual-output-queues.h"

#include "rdma-prefetch.h"
#include "rdma-refuse.h"

#include <ns3/assert.h>

#include <limits>

namespace ns3
{

namespace
{

constexpr std::size_t FIRST_SLOTS = 16;

} // namespace

void
QbbVirtualOutputQueues::Configure(uint32_t nPorts)
{
    RefuseRdmaIf(nPorts == 0 || nPorts > std::numeric_limits<uint16_t>::max(),
                 "virtual output queues for ",
                 nPorts,
                 " ports; accepted: 1 to 65535");
    Clear();
    m_queues.clear();
    m_slots.clear();
    Output output;
    for (auto& turns : output.turns)
    {
        turns.served = static_cast<uint16_t>(nPorts - 1);
    }
    m_outputs.assign(nPorts, output);
}

void
QbbVirtualOutputQueues::Push(uint16_t output, QbbFramePtr&& frame)
{
    NS_ASSERT_MSG(output < m_outputs.size() && frame->ingressPort < m_outputs.size() &&
                      frame->priority < PRIORITIES,
                  "no such port or priority");
    uint32_t index = FindQueue(frame->ingressPort, output, frame->priority);
    if (index == NONE)
    {
        index = MakeQueue(frame->ingressPort, output, frame->priority);
    }
    const uint32_t place = TakePlace();
    m_places[place].frame = std::move(frame);
    m_places[place].next = NONE;
    ++m_nFrames;
    Queue& queue = m_queues[index];
    queue.bytes += m_places[place].frame->size;
    if (queue.first == NONE)
    {
        queue.first = place;
        Join(index);
    }
    else
    {
        m_places[queue.last].next = place;
    }
    queue.last = place;
}

QbbFramePtr
QbbVirtualOutputQueues::Pop(uint32_t index, bool served)
{
    Queue& queue = m_queues[index];
    NS_ASSERT_MSG(queue.first != NONE, "an empty queue");
    const uint32_t place = queue.first;
    QbbFramePtr frame = std::move(m_places[place].frame);
    queue.bytes -= frame->size;
    queue.first = m_places[place].next;
    m_places[place].next = m_firstFreePlace;
    m_firstFreePlace = place;
    --m_nFrames;
    if (served)
    {
        Turns& turns = m_outputs[queue.output].turns[queue.priority];
        turns.served = queue.input;
        turns.queue = queue.next;
    }
    if (queue.first == NONE)
    {
        Leave(index);
    }
    else
    {
        // The next frame has waited long enough to leave the CPU caches and is needed soon.
        RdmaPrefetch(m_places[queue.first].frame.get());
    }
    return frame;
}

void
QbbVirtualOutputQueues::Clear()
{
    for (uint32_t index = 0; index < m_queues.size(); ++index)
    {
        while (m_queues[index].first != NONE)
        {
            Pop(index, false);
        }
    }
}

uint64_t
QbbVirtualOutputQueues::GetBytes(uint16_t input, uint16_t output, uint8_t priority) const
{
    const uint32_t queue = FindQueue(input, output, priority);
    return queue == NONE ? 0 : m_queues[queue].bytes;
}

uint32_t
QbbVirtualOutputQueues::FindQueue(uint16_t input, uint16_t output, uint8_t priority) const
{
    if (m_slots.empty())
    {
        return NONE;
    }
    std::size_t slot = GetSlot(MakeKey(input, output, priority));
    while (m_slots[slot] != NONE)
    {
        const Queue& queue = m_queues[m_slots[slot]];
        if (queue.input == input && queue.output == output && queue.priority == priority)
        {
            break;
        }
        slot = (slot + 1) & (m_slots.size() - 1);
    }
    return m_slots[slot];
}

uint32_t
QbbVirtualOutputQueues::MakeQueue(uint16_t input, uint16_t output, uint8_t priority)
{
    Queue queue;
    queue.input = input;
    queue.output = output;
    queue.priority = priority;
    m_queues.push_back(queue);
    // At most half of the hash slots are in use, which keeps searches short.
    if (m_slots.size() < 2 * m_queues.size())
    {
        Rehash(m_slots.empty() ? FIRST_SLOTS : 2 * m_slots.size());
    }
    else
    {
        Insert(static_cast<uint32_t>(m_queues.size() - 1));
    }
    return static_cast<uint32_t>(m_queues.size() - 1);
}

void
QbbVirtualOutputQueues::Rehash(std::size_t slots)
{
    m_slots.assign(slots, NONE);
    for (uint32_t index = 0; index < m_queues.size(); ++index)
    {
        Insert(index);
    }
}

void
QbbVirtualOutputQueues::Insert(uint32_t index)
{
    const Queue& queue = m_queues[index];
    std::size_t slot = GetSlot(MakeKey(queue.input, queue.output, queue.priority));
    while (m_slots[slot] != NONE)
    {
        slot = (slot + 1) & (m_slots.size() - 1);
    }
    m_slots[slot] = index;
}

uint32_t
QbbVirtualOutputQueues::TakePlace()
{
    if (m_firstFreePlace == NONE)
    {
        m_places.emplace_back();
        return static_cast<uint32_t>(m_places.size() - 1);
    }
    const uint32_t place = m_firstFreePlace;
    m_firstFreePlace = m_places[place].next;
    return place;
}

void
QbbVirtualOutputQueues::Join(uint32_t index)
{
    Queue& queue = m_queues[index];
    Output& output = m_outputs[queue.output];
    Turns& turns = output.turns[queue.priority];
    if (turns.queue == NONE)
    {
        queue.next = index;
        queue.before = index;
        turns.queue = index;
        output.waiting |= static_cast<uint8_t>(1U << queue.priority);
        return;
    }
    const uint32_t distance = GetDistance(queue.input, turns);
    uint32_t behind = turns.queue;
    do
    {
        if (GetDistance(m_queues[behind].input, turns) > distance)
        {
            break;
        }
        behind = m_queues[behind].next;
    } while (behind != turns.queue);
    queue.next = behind;
    queue.before = m_queues[behind].before;
    m_queues[queue.before].next = index;
    m_queues[behind].before = index;
    if (distance < GetDistance(m_queues[turns.queue].input, turns))
    {
        turns.queue = index;
    }
}

void
QbbVirtualOutputQueues::Leave(uint32_t index)
{
    Queue& queue = m_queues[index];
    Output& output = m_outputs[queue.output];
    Turns& turns = output.turns[queue.priority];
    if (queue.next == index)
    {
        turns.queue = NONE;
        output.waiting &= static_cast<uint8_t>(~(1U << queue.priority));
    }
    else
    {
        m_queues[queue.before].next = queue.next;
        m_queues[queue.next].before = queue.before;
        if (turns.queue == index)
        {
            turns.queue = queue.next;
        }
    }
    queue.next = NONE;
    queue.before = NONE;
    queue.last = NONE;
}

} // namespace ns3
