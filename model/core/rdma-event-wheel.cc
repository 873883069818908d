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

RdmaEventWheel::Lists::Lists(uint32_t places)
    : heads(places, NONE),
      used(places / 64, 0)
{
}

/** \return first node of a list, which becomes empty */
[[gnu::always_inline]] inline uint32_t
RdmaEventWheel::Lists::Empty(uint32_t place)
{
    used[place / 64] &= ~(uint64_t{1} << (place % 64));
    return std::exchange(heads[place], NONE);
}

/** \return first place with events, from \p start on and then from 0 on; there must be one */
[[gnu::always_inline]] inline uint32_t
RdmaEventWheel::Lists::FindUsed(uint32_t start) const
{
    const auto lastWord = static_cast<uint32_t>(used.size() - 1);
    uint32_t word = start / 64;
    uint64_t bits = used[word] & (~uint64_t{0} << (start % 64));
    while (bits == 0)
    {
        word = (word + 1) & lastWord;
        bits = used[word];
    }
    return word * 64 + static_cast<uint32_t>(__builtin_ctzll(bits));
}

RdmaEventWheel::RdmaEventWheel(uint32_t slots, uint32_t widthBits)
    : m_lastPlace(slots - 1),
      m_slots(slots),
      m_slotBits(std::clamp(widthBits, LEAST_BITS, MOST_BITS))
{
    NS_ASSERT_MSG(slots >= 64 && (slots & (slots - 1)) == 0, "slots fill words of the bitmap");
    const auto bits = static_cast<uint32_t>(__builtin_ctz(slots));
    m_leastBits = std::max(LEAST_BITS, SPAN_BITS - std::min(SPAN_BITS, bits));
    m_far.reserve(ROOM);
    GrowCurrent();
    m_moved.reserve(ROOM);
    m_nodes.reserve(ROOM);
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
    const auto found = std::find_if(heap.begin(), heap.end(), [&ev](const Event& other) {
        return other.key.m_uid == ev.key.m_uid && other.key.m_ts == ev.key.m_ts;
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

[[gnu::always_inline]] inline uint64_t
RdmaEventWheel::FindNextSlot() const
{
    if (m_inLists == m_inParts)
    {
        return NO_SLOT;
    }
    // The wheel holds slots m_slot + 1 .. m_slot + m_lastPlace: search one turn from m_slot + 1.
    const uint32_t start = GetPlace(m_slot + 1);
    return m_slot + 1 + GetPlace(m_slots.FindUsed(start) - start);
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
        const uint32_t index = MakeNode(ev);
        m_slots.Push(GetPlace(slot), index, m_nodes[index]);
        ++m_inLists;
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

/** \return index of a node that was free and now holds the event */
uint32_t
RdmaEventWheel::MakeNode(const Event& ev)
{
    if (m_free == NONE)
    {
        m_free = static_cast<uint32_t>(m_nodes.size());
        m_nodes.emplace_back();
    }
    const uint32_t index = m_free;
    m_free = m_nodes[index].next;
    m_nodes[index].event = ev;
    return index;
}

void
RdmaEventWheel::InsertIntoCurrent(const Event& ev)
{
    if (!InsertIntoPart(ev) && !InsertNear(ev))
    {
        Clear(ev);
    }
}

/** \return false if the event is not later than all events of m_current */
inline bool
RdmaEventWheel::InsertIntoPart(const Event& ev)
{
    if (GetSlot(ev) < m_slot)
    {
        return false;
    }
    const uint32_t part = GetPart(ev);
    if (part < m_part ||
        (part == m_part && (m_parts.heads[part] == NONE || (HasCurrent() && ev < m_current[0]))))
    {
        return false;
    }
    const uint32_t index = MakeNode(ev);
    m_parts.Push(part, index, m_nodes[index]);
    ++m_inParts;
    ++m_inLists;
    return true;
}

/** Inserts into m_current. \return false if too many events of m_current precede the event */
inline bool
RdmaEventWheel::InsertNear(const Event& ev)
{
    // Most events of the current slot are due before most others of the slot.
    uint32_t shifts = 0;
    while (shifts < GetNCurrent() && *(m_end - 1 - shifts) < ev)
    {
        if (++shifts > MOST_SHIFTS)
        {
            return false;
        }
    }
    AddToCurrent(ev);
    Event* const place = m_end - 1 - shifts;
    std::move_backward(place, m_end - 1, m_end);
    *place = ev;
    return true;
}

/**
 * Inserts an event that many events of m_current precede. What is later than the next event's slot
 * or part leaves m_current.
 */
void
RdmaEventWheel::Clear(const Event& ev)
{
    const Event& next = m_end[-1];
    const uint64_t slot = GetSlot(next);
    if (slot < m_slot)
    {
        ReturnSlots(slot);
        Insert(ev);
        return;
    }
    if (const uint32_t part = GetPart(next); part < m_part)
    {
        ReturnParts(part);
        InsertIntoCurrent(ev);
        return;
    }
    if (m_current[0] < ev)
    {
        const uint32_t index = MakeNode(ev);
        m_parts.Push(m_part, index, m_nodes[index]);
        ++m_inParts;
        ++m_inLists;
        return;
    }
    if (m_slotBits > LEAST_BITS)
    {
        SetWidth(m_slotBits - std::min(m_slotBits - LEAST_BITS, 4U));
        Insert(ev);
        return;
    }
    // Events of one time step seldom come in another order than that of their uids.
    AddToCurrent(ev);
    Event* const place = std::upper_bound(m_current.get(), m_end - 1, ev, std::greater<>());
    std::move_backward(place, m_end - 1, m_end);
    *place = ev;
}

/** Makes an earlier slot current. Events of later slots return to their lists. */
void
RdmaEventWheel::ReturnSlots(uint64_t slot)
{
    std::vector<Event> moved = std::move(m_moved);
    // The wheel will end earlier.
    for (const uint64_t first = std::max(m_slot, slot + m_lastPlace) + 1;
         m_inLists > m_inParts && first <= m_slot + m_lastPlace;)
    {
        const uint32_t start = GetPlace(first);
        const uint32_t place = m_slots.FindUsed(start);
        if (first + GetPlace(place - start) > m_slot + m_lastPlace)
        {
            break;
        }
        MoveList(m_slots.Empty(place), moved);
    }
    MoveLists(m_parts, moved);
    m_inParts = 0;
    m_part = PARTS - 1;
    m_slot = slot;
    Event* const later = std::partition_point(m_current.get(), m_end, [this](const Event& ev) {
        return GetSlot(ev) > m_slot;
    });
    moved.insert(moved.end(), m_current.get(), later);
    m_end = std::move(later, m_end, m_current.get());
    InsertMoved(moved);
}

/** Makes an earlier part the latest one of m_current. Events of later parts return to lists. */
void
RdmaEventWheel::ReturnParts(uint32_t part)
{
    std::vector<Event> moved = std::move(m_moved);
    m_part = part;
    Event* const later = std::partition_point(m_current.get(), m_end, [this](const Event& ev) {
        return GetPart(ev) > m_part;
    });
    moved.assign(m_current.get(), later);
    m_end = std::move(later, m_end, m_current.get());
    InsertMoved(moved);
}

/** Inserts events, the last of them first, and keeps the memory of their vector. */
void
RdmaEventWheel::InsertMoved(std::vector<Event>& moved)
{
    for (auto ev = moved.rbegin(); ev != moved.rend(); ++ev)
    {
        Insert(*ev);
    }
    moved.clear();
    m_moved = std::move(moved);
}

/** \return first event of a list */
const RdmaEventWheel::Event&
RdmaEventWheel::FindFirst(uint32_t index) const
{
    uint32_t first = index;
    while ((index = m_nodes[index].next) != NONE)
    {
        if (m_nodes[index].event < m_nodes[first].event)
        {
            first = index;
        }
    }
    return m_nodes[first].event;
}

RdmaEventWheel::Event
RdmaEventWheel::PeekNext() const
{
    NS_ASSERT(!IsEmpty());
    if (HasCurrent())
    {
        return m_end[-1];
    }
    if (m_inParts > 0)
    {
        return FindFirst(m_parts.heads[m_parts.FindUsed(m_part)]);
    }
    // PeekNext() must not advance the wheel: events may still be inserted before the next event.
    const uint64_t slot = FindNextSlot();
    if (slot == NO_SLOT || (!m_far.empty() && GetSlot(m_far.front()) < slot))
    {
        return m_far.front();
    }
    const Event& first = FindFirst(m_slots.heads[GetPlace(slot)]);
    return m_far.empty() ? first : std::min(first, m_far.front());
}

// The following functions run for each slot and are therefore inlined.

[[gnu::always_inline]] inline void
RdmaEventWheel::FreeList(uint32_t first, uint32_t last)
{
    m_nodes[last].next = m_free;
    m_free = first;
}

[[gnu::always_inline]] inline void
RdmaEventWheel::TakeSlotInOrder(uint32_t place)
{
    const uint32_t first = m_slots.Empty(place);
    Event* const events = m_current.get();
    const Node* const nodes = m_nodes.data();
    Event* end = events;
    uint32_t last = NONE;
    for (uint32_t index = first; index != NONE; index = nodes[index].next)
    {
        if (end == events + MOST_SHIFTS)
        {
            DivideSlot(first);
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
    m_taken += GetNCurrent();
    m_inLists -= GetNCurrent();
    FreeList(first, last);
}

/** Makes lists of the parts of a slot, and takes the first ones. */
void
RdmaEventWheel::DivideSlot(uint32_t first)
{
    // The lists of the parts, too, hold the latest insertion first.
    uint32_t earliest = NONE;
    for (uint32_t index = first; index != NONE;)
    {
        const uint32_t next = std::exchange(m_nodes[index].next, earliest);
        earliest = index;
        index = next;
    }
    uint32_t count = 0;
    for (uint32_t index = earliest; index != NONE; ++count)
    {
        Node& node = m_nodes[index];
        const uint32_t next = node.next;
        m_parts.Push(GetPart(node.event), index, node);
        index = next;
    }
    m_inParts = count;
    m_taken += count;
    m_part = 0;
    TakeParts();
}

/** Appends the events of a part to m_current. */
inline void
RdmaEventWheel::TakePart(uint32_t first)
{
    Event* const begin = m_end;
    bool isSorted = true;
    uint32_t last = first;
    for (uint32_t index = first; index != NONE; index = m_nodes[index].next)
    {
        last = index;
        const Event& ev = m_nodes[index].event;
        isSorted = isSorted && (m_end == begin || ev < m_end[-1]);
        *m_end++ = ev;
    }
    if (!isSorted)
    {
        std::sort(begin, m_end, std::greater<>());
    }
    FreeList(first, last);
}

/** Moves the events of the next parts to m_current, which must be empty. */
void
RdmaEventWheel::TakeParts()
{
    std::array<uint32_t, BATCH> firsts;
    uint32_t nParts = 0;
    uint32_t count = 0;
    do
    {
        m_part = m_parts.FindUsed(m_part);
        firsts[nParts] = m_parts.Empty(m_part);
        for (uint32_t index = firsts[nParts++]; index != NONE; index = m_nodes[index].next)
        {
            RdmaPrefetchLines(m_nodes[index].event.impl, 2);
            ++count;
        }
    } while (nParts < BATCH && count < BATCH && count < m_inParts);
    while (m_maxCurrent < count + AHEAD)
    {
        GrowCurrent();
    }
    while (nParts > 0)
    {
        TakePart(firsts[--nParts]);
    }
    m_inParts -= count;
    m_inLists -= count;
}

/** Moves events of a slot from m_far to the slot's list. */
void
RdmaEventWheel::TakeFar(uint64_t slot)
{
    while (!m_far.empty() && GetSlot(m_far.front()) == slot)
    {
        const uint32_t index = MakeNode(m_far.front());
        m_slots.Push(GetPlace(slot), index, m_nodes[index]);
        ++m_inLists;
        ++m_farTaken;
        PopFromHeap(m_far);
    }
}

[[gnu::always_inline]] inline bool
RdmaEventWheel::Advance()
{
    if (m_inLists == 0 && m_far.empty())
    {
        m_ahead = 0;
        FindEasy();
        return HasCurrent();
    }
    if (m_taken >= REVIEW_EVENTS && m_inParts == 0)
    {
        Review();
        if (GetNCurrent() > m_ahead)
        {
            return true;
        }
    }
    // The events that are left precede those that follow.
    std::array<Event, AHEAD> left;
    Event* const leftEnd = std::copy(m_current.get(), m_end, left.data());
    m_end = m_current.get();
    if (m_inParts > 0)
    {
        TakeParts();
    }
    else
    {
        uint64_t slot = FindNextSlot();
        if (!m_far.empty() && GetSlot(m_far.front()) <= slot)
        {
            slot = GetSlot(m_far.front());
            TakeFar(slot);
        }
        // The skipped slots are empty, so all other slots keep their places in the wheel.
        m_slot = slot;
        m_part = PARTS - 1;
        TakeSlotInOrder(GetPlace(slot));
        ++m_slotsTaken;
    }
    m_ahead = m_inLists + GetNCurrent() >= m_crowd ? AHEAD : 0;
    FindEasy();
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

/** \return false if all events that m_current does not have are at \p end or later */
bool
RdmaEventWheel::MustAdvance(uint64_t end) const
{
    if (m_inParts > 0 || end == UINT64_MAX)
    {
        return true;
    }
    const uint64_t slot = FindNextSlot();
    return (slot != NO_SLOT && slot << m_slotBits < end) ||
           (!m_far.empty() && m_far.front().key.m_ts < end);
}

const RdmaEventWheel::Event*
RdmaEventWheel::TakeHardNext(uint64_t end)
{
    if (GetNCurrent() <= m_ahead && (!MustAdvance(end) || !Advance()) && !HasCurrent())
    {
        return nullptr;
    }
    return --m_end;
}

/** Moves the events of a list to the end of a vector. */
void
RdmaEventWheel::MoveList(uint32_t first, std::vector<Event>& events)
{
    uint32_t last = first;
    for (uint32_t index = first; index != NONE; index = m_nodes[index].next)
    {
        last = index;
        events.push_back(m_nodes[index].event);
        --m_inLists;
    }
    FreeList(first, last);
}

/** Moves the events of all lists to the end of a vector, those of the last list first. */
void
RdmaEventWheel::MoveLists(Lists& lists, std::vector<Event>& events)
{
    const uint32_t left = &lists == &m_parts ? m_inLists - m_inParts : m_inParts;
    for (auto word = static_cast<uint32_t>(lists.used.size()); m_inLists > left;)
    {
        --word;
        while (lists.used[word] != 0)
        {
            const auto bit = static_cast<uint32_t>(__builtin_clzll(lists.used[word]));
            MoveList(lists.Empty(word * 64 + 63 - bit), events);
        }
    }
}

void
RdmaEventWheel::PrefetchNextSlot() const
{
    if (m_inParts > 0)
    {
        return;
    }
    if (const uint64_t slot = FindNextSlot(); slot != NO_SLOT)
    {
        RdmaPrefetch(&m_nodes[m_slots.heads[GetPlace(slot)]]);
    }
}

void
RdmaEventWheel::Review()
{
    const uint32_t eventsPerSlot = m_taken / m_slotsTaken;
    const bool endsEarly = m_farTaken > m_taken / 4;
    m_taken = 0;
    m_slotsTaken = 0;
    m_farTaken = 0;
    if (endsEarly)
    {
        // Slots with many events cost less than a heap does.
        m_leastBits = std::max(m_leastBits, std::min(m_slotBits + 1, MOST_BITS));
    }
    uint32_t bits = m_slotBits;
    while (bits > m_leastBits && eventsPerSlot >> (m_slotBits - bits) >= MANY)
    {
        --bits;
    }
    if (bits < m_leastBits || (eventsPerSlot < FEW && bits < MOST_BITS))
    {
        ++bits;
    }
    if (bits != m_slotBits)
    {
        SetWidth(bits);
    }
}

void
RdmaEventWheel::SetWidth(uint32_t slotBits)
{
    std::vector<Event> moved = std::move(m_moved);
    MoveLists(m_slots, moved);
    MoveLists(m_parts, moved);
    m_inParts = 0;
    m_part = PARTS - 1;
    const uint64_t start = m_slot << m_slotBits;
    m_slotBits = std::clamp(slotBits, LEAST_BITS, MOST_BITS);
    m_slot = HasCurrent() ? GetSlot(m_current[0]) : start >> m_slotBits;
    InsertMoved(moved);
    while (!m_far.empty() && GetSlot(m_far.front()) <= m_slot)
    {
        const Event ev = m_far.front();
        PopFromHeap(m_far);
        InsertIntoCurrent(ev);
    }
}

std::vector<RdmaEventWheel::Event>
RdmaEventWheel::TakeAll()
{
    std::vector<Event> events(m_current.get(), m_end);
    m_end = m_current.get();
    events.reserve(GetCount() + events.size());
    MoveLists(m_slots, events);
    MoveLists(m_parts, events);
    m_inParts = 0;
    m_part = PARTS - 1;
    events.insert(events.end(), m_far.begin(), m_far.end());
    m_far.clear();
    return events;
}

/** \return false if the list does not hold the event */
bool
RdmaEventWheel::RemoveFromList(Lists& lists, uint32_t place, const Event& ev)
{
    for (uint32_t* link = &lists.heads[place]; *link != NONE; link = &m_nodes[*link].next)
    {
        const uint32_t index = *link;
        const Scheduler::EventKey& key = m_nodes[index].event.key;
        if (key.m_uid == ev.key.m_uid && key.m_ts == ev.key.m_ts)
        {
            *link = m_nodes[index].next;
            FreeList(index, index);
            --m_inLists;
            if (lists.heads[place] == NONE)
            {
                lists.Empty(place);
            }
            return true;
        }
    }
    return false;
}

void
RdmaEventWheel::Remove(const Event& ev)
{
    const uint64_t slot = GetSlot(ev);
    if (slot <= m_slot)
    {
        Event* const found = std::lower_bound(m_current.get(), m_end, ev, std::greater<>());
        if (found != m_end && !(*found < ev))
        {
            m_end = std::move(found + 1, m_end, found);
            return;
        }
        if (slot == m_slot && RemoveFromList(m_parts, GetPart(ev), ev))
        {
            --m_inParts;
            return;
        }
    }
    else if (slot - m_slot <= m_lastPlace && RemoveFromList(m_slots, GetPlace(slot), ev))
    {
        return;
    }
    // The event may have been beyond the end of the wheel when it was inserted.
    NS_ABORT_MSG_IF(!RemoveFromHeap(m_far, ev),
                    "rdma: an event is removed that is not in the scheduler");
}

} // namespace ns3
