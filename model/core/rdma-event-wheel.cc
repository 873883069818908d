/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-event-wheel.h"

#include "rdma-prefetch.h"

#include <ns3/abort.h>
#include <ns3/assert.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <utility>

namespace ns3
{

RdmaEventWheel::RdmaEventWheel(uint32_t slots, uint32_t widthBits)
    : m_heads(slots, NONE),
      m_used(slots / 64, 0),
      m_lastPlace(slots - 1),
      m_slotBits(std::clamp(widthBits, LEAST_BITS, MOST_BITS))
{
    NS_ASSERT_MSG(slots >= 64 && (slots & (slots - 1)) == 0, "slots fill words of the bitmap");
    m_late.reserve(ROOM);
    m_far.reserve(ROOM);
    GrowCurrent();
    m_moved.reserve(ROOM);
    m_nodes.reserve(ROOM);
}

/** \return the event from \p begin on with the time and the uid of \p ev, or \p end */
RdmaEventWheel::Event*
RdmaEventWheel::Find(Event* begin, Event* end, const Event& ev)
{
    return std::find_if(begin, end, [&ev](const Event& other) {
        return other.key.m_uid == ev.key.m_uid && other.key.m_ts == ev.key.m_ts;
    });
}

inline void
RdmaEventWheel::PushOnHeap(Heap& heap, const Event& ev)
{
    heap.push_back(ev);
    std::push_heap(heap.begin(), heap.end(), std::greater<>());
}

inline void
RdmaEventWheel::PopFromHeap(Heap& heap)
{
    std::pop_heap(heap.begin(), heap.end(), std::greater<>());
    heap.pop_back();
}

/** \return false if the heap does not hold the event */
bool
RdmaEventWheel::RemoveFromHeap(Heap& heap, const Event& ev)
{
    Event* const end = heap.data() + heap.size();
    Event* const found = Find(heap.data(), end, ev);
    if (found == end)
    {
        return false;
    }
    *found = heap.back();
    heap.pop_back();
    std::make_heap(heap.begin(), heap.end(), std::greater<>());
    return true;
}

[[gnu::always_inline]] inline uint64_t
RdmaEventWheel::FindNextSlot() const
{
    if (m_inWheel == 0)
    {
        return NO_SLOT;
    }
    // The wheel holds slots m_slot + 1 .. m_slot + m_lastPlace: search one turn from m_slot + 1.
    const uint32_t start = GetPlace(m_slot + 1);
    uint32_t word = start / 64;
    uint64_t bits = m_used[word] & (~uint64_t{0} << (start % 64));
    while (bits == 0)
    {
        word = (word + 1) & (m_lastPlace / 64);
        bits = m_used[word];
    }
    const uint32_t place = word * 64 + static_cast<uint32_t>(__builtin_ctzll(bits));
    return m_slot + 1 + GetPlace(place - start);
}

void
RdmaEventWheel::GrowCurrent()
{
    const uint32_t room = std::max(ROOM, 2 * m_maxCurrent);
    auto larger = std::make_unique<Event[]>(room);
    m_end = std::copy(m_current.get(), m_end, larger.get());
    m_current = std::move(larger);
    m_maxCurrent = room;
    FindEasy();
}

void
RdmaEventWheel::InsertElsewhere(EventImpl* impl, uint64_t ts, uint32_t uid, uint32_t context)
{
    const Event ev{impl, {ts, uid, context}};
    const uint64_t slot = GetSlot(ev);
    if (slot <= m_slot)
    {
        InsertIntoCurrent(ev);
    }
    else if (slot - m_slot <= m_lastPlace)
    {
        // The free nodes have run out.
        m_free = static_cast<uint32_t>(m_nodes.size());
        m_nodes.emplace_back();
        Insert(ev);
    }
    else
    {
        NS_ABORT_MSG_IF(
            ts > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()),
            "rdma: an event beyond ns-3's clock, which ends after 9223 s at a resolution "
            "of 1 fs; accepted: Simulator::Stop() and other times below that");
        PushOnHeap(m_far, ev);
    }
}

void
RdmaEventWheel::InsertIntoCurrent(const Event& ev)
{
    // Most events of the current slot are due before most others of the slot.
    uint32_t shifts = 0;
    while (shifts < GetNCurrent() && *(m_end - 1 - shifts) < ev)
    {
        if (++shifts > MOST_SHIFTS)
        {
            PushOnHeap(m_late, ev);
            FindEasy();
            return;
        }
    }
    AddToCurrent(ev);
    Event* const place = m_end - 1 - shifts;
    std::move_backward(place, m_end - 1, m_end);
    *place = ev;
}

RdmaEventWheel::Event
RdmaEventWheel::PeekNext() const
{
    NS_ASSERT(!IsEmpty());
    if (HasCurrent() || !m_late.empty())
    {
        return IsLateNext() ? m_late.front() : m_end[-1];
    }
    // PeekNext() must not advance the wheel: events may still be inserted before the next event.
    const uint64_t slot = FindNextSlot();
    if (slot == NO_SLOT || (!m_far.empty() && GetSlot(m_far.front()) < slot))
    {
        return m_far.front();
    }
    uint32_t index = m_heads[GetPlace(slot)];
    Event first = m_nodes[index].event;
    while ((index = m_nodes[index].next) != NONE)
    {
        first = std::min(first, m_nodes[index].event);
    }
    return m_far.empty() ? first : std::min(first, m_far.front());
}

// The following three functions run for each slot and are therefore inlined.

[[gnu::always_inline]] inline uint32_t
RdmaEventWheel::EmptySlot(uint32_t place)
{
    m_used[place / 64] &= ~(uint64_t{1} << (place % 64));
    return std::exchange(m_heads[place], NONE);
}

[[gnu::always_inline]] inline void
RdmaEventWheel::FreeList(uint32_t first, uint32_t last)
{
    m_nodes[last].next = m_free;
    m_free = first;
}

[[gnu::always_inline]] inline void
RdmaEventWheel::TakeSlotInOrder(uint32_t place)
{
    const uint32_t first = EmptySlot(place);
    if (first == NONE)
    {
        return;
    }
    Event* const events = m_current.get();
    const Node* const nodes = m_nodes.data();
    Event* end = events;
    uint32_t last = NONE;
    for (uint32_t index = first; index != NONE; index = nodes[index].next)
    {
        if (end == events + MOST_SHIFTS)
        {
            TakeList(first);
            SortCurrent();
            return;
        }
        last = index;
        const Event& ev = nodes[index].event;
        // The event object has left the CPU caches since it was scheduled. The object spans up to
        // two lines.
        RdmaPrefetchLines(ev.impl, 2);
        // The lists hold the latest insertion first, so most events are in place.
        Event* next = end++;
        for (; next > events && next[-1] < ev; --next)
        {
            *next = next[-1];
        }
        *next = ev;
    }
    m_end = end;
    m_inWheel -= GetNCurrent();
    FreeList(first, last);
}

void
RdmaEventWheel::TakeFar()
{
    while (!m_far.empty() && GetSlot(m_far.front()) == m_slot)
    {
        AddToCurrent(m_far.front());
        PopFromHeap(m_far);
    }
    SortCurrent();
}

[[gnu::always_inline]] inline bool
RdmaEventWheel::Advance()
{
    m_ahead = m_inWheel >= CROWD ? AHEAD : 0;
    FindEasy();
    if (m_inWheel == 0 && m_far.empty())
    {
        return HasCurrent() || !m_late.empty();
    }
    if (m_taken >= REVIEW_EVENTS)
    {
        Review();
        if (GetNCurrent() > m_ahead)
        {
            return true;
        }
    }
    uint64_t slot = FindNextSlot();
    if (!m_far.empty())
    {
        slot = std::min(slot, GetSlot(m_far.front()));
    }
    // The events that are left precede those of the slot.
    std::array<Event, AHEAD> left;
    Event* const leftEnd = std::copy(m_current.get(), m_end, left.data());
    m_end = m_current.get();
    // The skipped slots are empty, so all other slots keep their places in the wheel.
    m_slot = slot;
    TakeSlotInOrder(GetPlace(slot));
    if (!m_far.empty() && GetSlot(m_far.front()) == slot)
    {
        TakeFar();
    }
    ++m_slotsTaken;
    m_taken += GetNCurrent();
    for (const Event* ev = left.data(); ev != leftEnd; ++ev)
    {
        AddToCurrent(*ev);
    }
    if (m_ahead > 0)
    {
        PrefetchNextSlot();
    }
    return true;
}

const RdmaEventWheel::Event*
RdmaEventWheel::TakeHardNext()
{
    if (GetNCurrent() <= m_ahead && !Advance())
    {
        return nullptr;
    }
    if (!IsLateNext())
    {
        return --m_end;
    }
    // The place behind the last event in m_current holds the event for the caller.
    AddToCurrent(m_late.front());
    PopFromHeap(m_late);
    FindEasy();
    return --m_end;
}

void
RdmaEventWheel::TakeList(uint32_t first)
{
    uint32_t last = NONE;
    for (uint32_t index = first; index != NONE; index = m_nodes[index].next)
    {
        last = index;
        AddToCurrent(m_nodes[index].event);
        --m_inWheel;
    }
    if (last != NONE)
    {
        FreeList(first, last);
    }
}

/** Moves the events of all slots to the end of m_current. */
void
RdmaEventWheel::TakeAllLists()
{
    for (uint32_t word = 0; m_inWheel > 0; ++word)
    {
        while (m_used[word] != 0)
        {
            const auto bit = static_cast<uint32_t>(__builtin_ctzll(m_used[word]));
            TakeList(EmptySlot(word * 64 + bit));
        }
    }
}

void
RdmaEventWheel::PrefetchNextSlot() const
{
    if (const uint64_t slot = FindNextSlot(); slot != NO_SLOT)
    {
        RdmaPrefetch(&m_nodes[m_heads[GetPlace(slot)]]);
    }
}

void
RdmaEventWheel::SortCurrent()
{
    std::sort(m_current.get(), m_end, std::greater<>());
}

void
RdmaEventWheel::Review()
{
    const uint32_t eventsPerSlot = m_taken / m_slotsTaken;
    m_taken = 0;
    m_slotsTaken = 0;
    if (eventsPerSlot >= MANY && m_slotBits > LEAST_BITS)
    {
        SetWidth(m_slotBits - 1);
    }
    else if (eventsPerSlot < FEW && m_slotBits < MOST_BITS)
    {
        SetWidth(m_slotBits + 1);
    }
}

void
RdmaEventWheel::SetWidth(uint32_t slotBits)
{
    slotBits = std::clamp(slotBits, LEAST_BITS, MOST_BITS);
    const uint32_t kept = GetNCurrent();
    TakeAllLists();
    m_moved.assign(m_current.get() + kept, m_end);
    m_end = m_current.get() + kept;
    // The events up to the last time step of the current slot are in m_current and m_late.
    const uint64_t lastStep = ((m_slot + 1) << m_slotBits) - 1;
    m_slotBits = slotBits;
    m_slot = lastStep >> slotBits;
    for (const Event& ev : m_moved)
    {
        Insert(ev);
    }
    m_moved.clear();
    while (!m_far.empty() && GetSlot(m_far.front()) <= m_slot)
    {
        InsertIntoCurrent(m_far.front());
        PopFromHeap(m_far);
    }
}

std::vector<RdmaEventWheel::Event>
RdmaEventWheel::TakeAll()
{
    TakeAllLists();
    std::vector<Event> events(m_current.get(), m_end);
    m_end = m_current.get();
    for (Heap* heap : {&m_late, &m_far})
    {
        events.insert(events.end(), heap->begin(), heap->end());
        heap->clear();
    }
    FindEasy();
    return events;
}

void
RdmaEventWheel::Remove(const Event& ev)
{
    const uint64_t slot = GetSlot(ev);
    if (slot <= m_slot)
    {
        if (Event* const found = Find(m_current.get(), m_end, ev); found != m_end)
        {
            std::move(found + 1, m_end, found);
            --m_end;
            return;
        }
        if (RemoveFromHeap(m_late, ev))
        {
            FindEasy();
            return;
        }
    }
    else if (slot - m_slot <= m_lastPlace)
    {
        const uint32_t place = GetPlace(slot);
        for (uint32_t* link = &m_heads[place]; *link != NONE; link = &m_nodes[*link].next)
        {
            const uint32_t index = *link;
            if (m_nodes[index].event.key.m_uid == ev.key.m_uid)
            {
                *link = m_nodes[index].next;
                m_nodes[index].next = m_free;
                m_free = index;
                --m_inWheel;
                if (m_heads[place] == NONE)
                {
                    m_used[place / 64] &= ~(uint64_t{1} << (place % 64));
                }
                return;
            }
        }
    }
    // The event may have been beyond the end of the wheel when it was inserted.
    NS_ABORT_MSG_IF(!RemoveFromHeap(m_far, ev),
                    "rdma: an event is removed that is not in the scheduler");
}

} // namespace ns3
