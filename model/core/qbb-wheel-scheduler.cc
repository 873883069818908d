/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-wheel-scheduler.h"

#include <ns3/abort.h>
#include <ns3/assert.h>

#include <algorithm>
#include <functional>
#include <limits>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(QbbWheelScheduler);

TypeId
QbbWheelScheduler::GetTypeId()
{
    static TypeId tid = TypeId("ns3::QbbWheelScheduler")
                            .SetParent<Scheduler>()
                            .SetGroupName("Rdma")
                            .AddConstructor<QbbWheelScheduler>();
    return tid;
}

QbbWheelScheduler::QbbWheelScheduler()
{
    m_heads.fill(NONE);
}

QbbWheelScheduler::~QbbWheelScheduler()
{
}

void
QbbWheelScheduler::Push(std::vector<Event>& heap, const Event& ev)
{
    heap.push_back(ev);
    std::push_heap(heap.begin(), heap.end(), std::greater<>());
}

void
QbbWheelScheduler::Pop(std::vector<Event>& heap)
{
    if (heap.size() > 1)
    {
        std::pop_heap(heap.begin(), heap.end(), std::greater<>());
    }
    heap.pop_back();
}

bool
QbbWheelScheduler::RemoveFrom(std::vector<Event>& heap, const Event& ev)
{
    const auto found = std::find_if(heap.begin(), heap.end(), [&ev](const Event& other) {
        return other.key.m_uid == ev.key.m_uid;
    });
    if (found == heap.end())
    {
        return false;
    }
    *found = heap.back();
    heap.pop_back();
    std::make_heap(heap.begin(), heap.end(), std::greater<>());
    return true;
}

bool
QbbWheelScheduler::IsEmpty() const
{
    return m_current.empty() && m_inWheel == 0 && m_far.empty();
}

void
QbbWheelScheduler::Insert(const Event& ev)
{
    const uint64_t slot = GetSlot(ev);
    if (slot <= m_slot)
    {
        Push(m_current, ev);
        return;
    }
    if (slot - m_slot >= SLOTS)
    {
        NS_ABORT_MSG_IF(
            ev.key.m_ts > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()),
            "rdma: an event beyond ns-3's clock, which ends after 9223 s at a "
            "resolution of 1 fs; accepted: Simulator::Stop() and other times below that");
        Push(m_far, ev);
        return;
    }
    uint32_t index = m_free;
    if (index == NONE)
    {
        index = static_cast<uint32_t>(m_nodes.size());
        m_nodes.emplace_back();
    }
    else
    {
        m_free = m_nodes[index].next;
    }
    const auto place = static_cast<uint32_t>(slot % SLOTS);
    m_nodes[index].event = ev;
    m_nodes[index].next = m_heads[place];
    m_heads[place] = index;
    m_used[place / 64] |= uint64_t{1} << (place % 64);
    ++m_inWheel;
}

QbbWheelScheduler::Event
QbbWheelScheduler::PeekNext() const
{
    NS_ASSERT(!IsEmpty());
    if (!m_current.empty())
    {
        return m_current.front();
    }
    // PeekNext() must not advance the wheel: events may still be inserted before the next event.
    const uint64_t slot = FindNextSlot();
    if (slot == NO_SLOT || (!m_far.empty() && GetSlot(m_far.front()) < slot))
    {
        return m_far.front();
    }
    uint32_t index = m_heads[slot % SLOTS];
    Event first = m_nodes[index].event;
    while ((index = m_nodes[index].next) != NONE)
    {
        first = std::min(first, m_nodes[index].event);
    }
    return m_far.empty() ? first : std::min(first, m_far.front());
}

QbbWheelScheduler::Event
QbbWheelScheduler::RemoveNext()
{
    NS_ASSERT(!IsEmpty());
    if (m_current.empty())
    {
        Advance();
    }
    const Event next = m_current.front();
    Pop(m_current);
    return next;
}

uint64_t
QbbWheelScheduler::FindNextSlot() const
{
    if (m_inWheel == 0)
    {
        return NO_SLOT;
    }
    // The wheel holds slots m_slot + 1 .. m_slot + SLOTS - 1: search one turn from m_slot + 1.
    const auto start = static_cast<uint32_t>((m_slot + 1) % SLOTS);
    uint32_t word = start / 64;
    uint64_t bits = m_used[word] & (~uint64_t{0} << (start % 64));
    while (bits == 0)
    {
        word = (word + 1) % WORDS;
        bits = m_used[word];
    }
    const uint32_t place = word * 64 + static_cast<uint32_t>(__builtin_ctzll(bits));
    return m_slot + 1 + (place - start) % SLOTS;
}

void
QbbWheelScheduler::Advance()
{
    uint64_t slot = FindNextSlot();
    if (!m_far.empty())
    {
        slot = std::min(slot, GetSlot(m_far.front()));
    }
    // The skipped slots are empty, so all other slots keep their places in the wheel.
    m_slot = slot;
    const auto place = static_cast<uint32_t>(slot % SLOTS);
    for (uint32_t index = m_heads[place]; index != NONE;)
    {
        Node& node = m_nodes[index];
        Push(m_current, node.event);
        --m_inWheel;
        const uint32_t next = node.next;
        node.next = m_free;
        m_free = index;
        index = next;
    }
    m_heads[place] = NONE;
    m_used[place / 64] &= ~(uint64_t{1} << (place % 64));
    while (!m_far.empty() && GetSlot(m_far.front()) == slot)
    {
        Push(m_current, m_far.front());
        Pop(m_far);
    }
}

void
QbbWheelScheduler::Remove(const Event& ev)
{
    const uint64_t slot = GetSlot(ev);
    bool found = false;
    if (slot <= m_slot)
    {
        found = RemoveFrom(m_current, ev);
    }
    else
    {
        if (slot - m_slot < SLOTS)
        {
            const auto place = static_cast<uint32_t>(slot % SLOTS);
            for (uint32_t* link = &m_heads[place]; *link != NONE; link = &m_nodes[*link].next)
            {
                const uint32_t index = *link;
                if (m_nodes[index].event.key.m_uid == ev.key.m_uid)
                {
                    *link = m_nodes[index].next;
                    m_nodes[index].next = m_free;
                    m_free = index;
                    --m_inWheel;
                    found = true;
                    break;
                }
            }
            if (m_heads[place] == NONE)
            {
                m_used[place / 64] &= ~(uint64_t{1} << (place % 64));
            }
        }
        // The event may have been beyond the end of the wheel when it was inserted.
        found = found || RemoveFrom(m_far, ev);
    }
    NS_ABORT_MSG_IF(!found, "rdma: an event is removed that is not in the scheduler");
}

} // namespace ns3
