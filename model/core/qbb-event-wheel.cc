/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-event-wheel.h"

#include "qbb-prefetch.h"

#include <ns3/abort.h>
#include <ns3/assert.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <utility>

namespace ns3
{

namespace
{

using WheelEvent = Scheduler::Event;

void
PushEvent(std::vector<WheelEvent>& heap, const WheelEvent& ev)
{
    heap.push_back(ev);
    std::push_heap(heap.begin(), heap.end(), std::greater<>());
}

void
PopEvent(std::vector<WheelEvent>& heap)
{
    std::pop_heap(heap.begin(), heap.end(), std::greater<>());
    heap.pop_back();
}

template <typename Iterator>
Iterator
FindEvent(Iterator begin, Iterator end, const WheelEvent& ev)
{
    return std::find_if(begin, end, [&ev](const WheelEvent& other) {
        return other.key.m_uid == ev.key.m_uid && other.key.m_ts == ev.key.m_ts;
    });
}

bool
RemoveFromHeap(std::vector<WheelEvent>& heap, const WheelEvent& ev)
{
    const auto found = FindEvent(heap.begin(), heap.end(), ev);
    if (found == heap.end())
    {
        return false;
    }
    *found = heap.back();
    heap.pop_back();
    std::make_heap(heap.begin(), heap.end(), std::greater<>());
    return true;
}

} // namespace

QbbEventWheel::QbbEventWheel()
    : m_heads(SLOTS, NONE),
      m_used(WORDS, 0)
{
    GrowCurrent();
    m_moved.reserve(ROOM);
    m_late.reserve(ROOM);
    m_far.reserve(ROOM);
    m_nodes.reserve(ROOM);
}

void
QbbEventWheel::GrowCurrent()
{
    const uint32_t room = std::max(ROOM, 2 * m_maxCurrent);
    auto larger = std::make_unique<Event[]>(room);
    std::copy_n(m_current.get(), m_nCurrent, larger.get());
    m_current = std::move(larger);
    m_maxCurrent = room;
}

void
QbbEventWheel::AddToCurrent(const Event& ev)
{
    if (m_nCurrent == m_maxCurrent)
    {
        GrowCurrent();
    }
    m_current[m_nCurrent++] = ev;
}

void
QbbEventWheel::InsertIntoCurrent(const Event& ev)
{
    // Most events of the current slot are due before most others of the slot.
    uint32_t place = m_nCurrent;
    while (place > 0 && m_current[place - 1] < ev)
    {
        if (m_nCurrent - place == MOST_SHIFTS)
        {
            PushEvent(m_late, ev);
            return;
        }
        --place;
    }
    AddToCurrent(ev);
    Event* const events = m_current.get();
    std::move_backward(events + place, events + m_nCurrent - 1, events + m_nCurrent);
    events[place] = ev;
}

void
QbbEventWheel::InsertFar(const Event& ev)
{
    NS_ABORT_MSG_IF(ev.key.m_ts > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()),
                    "rdma: an event beyond ns-3's clock, which ends after 9223 s at a "
                    "resolution of 1 fs; accepted: Simulator::Stop() and other times below that");
    PushEvent(m_far, ev);
}

QbbEventWheel::Event
QbbEventWheel::PeekNext() const
{
    NS_ASSERT(!IsEmpty());
    if (m_nCurrent > 0 || !m_late.empty())
    {
        const bool late =
            !m_late.empty() && (m_nCurrent == 0 || m_current[m_nCurrent - 1] > m_late.front());
        return late ? m_late.front() : m_current[m_nCurrent - 1];
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

const QbbEventWheel::Event*
QbbEventWheel::TakeLate()
{
    // Room behind the last event of the slot holds the event for the caller.
    AddToCurrent(m_late.front());
    PopEvent(m_late);
    return &m_current[--m_nCurrent];
}

uint64_t
QbbEventWheel::FindNextSlot() const
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
QbbEventWheel::TakeSlot(uint32_t place)
{
    const uint32_t first = m_heads[place];
    if (first == NONE)
    {
        return;
    }
    uint32_t count = m_nCurrent;
    Node* node = nullptr;
    for (uint32_t index = first; index != NONE; index = node->next)
    {
        node = &m_nodes[index];
        // The event object has left the CPU caches since it was scheduled. It has up to two
        // lines.
        QbbPrefetchLines(node->event.impl, 2);
        if (count == m_maxCurrent)
        {
            m_nCurrent = count;
            GrowCurrent();
        }
        m_current[count++] = node->event;
        --m_inWheel;
    }
    m_nCurrent = count;
    node->next = m_free;
    m_free = first;
    m_heads[place] = NONE;
    m_used[place / 64] &= ~(uint64_t{1} << (place % 64));
}

bool
QbbEventWheel::Advance()
{
    m_ahead = m_inWheel >= CROWD ? AHEAD : 0;
    if (m_inWheel == 0 && m_far.empty())
    {
        return m_nCurrent > 0 || !m_late.empty();
    }
    if (m_taken >= REVIEW_EVENTS)
    {
        Review();
        if (m_nCurrent > m_ahead)
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
    const uint32_t nLeft = std::exchange(m_nCurrent, 0);
    std::copy_n(m_current.get(), nLeft, left.begin());
    // The skipped slots are empty, so all other slots keep their places in the wheel.
    m_slot = slot;
    TakeSlot(static_cast<uint32_t>(slot % SLOTS));
    while (!m_far.empty() && GetSlot(m_far.front()) == slot)
    {
        AddToCurrent(m_far.front());
        PopEvent(m_far);
    }
    ++m_slotsTaken;
    m_taken += m_nCurrent;
    SortCurrent();
    for (uint32_t i = 0; i < nLeft; ++i)
    {
        AddToCurrent(left[i]);
    }
    if (m_ahead > 0)
    {
        PrefetchNextSlot();
    }
    return true;
}

void
QbbEventWheel::PrefetchNextSlot() const
{
    if (const uint64_t slot = FindNextSlot(); slot != NO_SLOT)
    {
        QbbPrefetch(&m_nodes[m_heads[slot % SLOTS]]);
    }
}

void
QbbEventWheel::SortCurrent()
{
    Event* const events = m_current.get();
    if (m_nCurrent > MOST_SHIFTS)
    {
        std::sort(events, events + m_nCurrent, std::greater<>());
        return;
    }
    // The lists hold the latest insertion first, so most events are in place.
    for (Event* next = events + 1; next < events + m_nCurrent; ++next)
    {
        if (!(next[-1] < *next))
        {
            continue;
        }
        const Event ev = *next;
        Event* place = next;
        do
        {
            *place = place[-1];
            --place;
        } while (place > events && place[-1] < ev);
        *place = ev;
    }
}

void
QbbEventWheel::Review()
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
QbbEventWheel::SetWidth(uint32_t slotBits)
{
    const uint32_t kept = m_nCurrent;
    for (uint32_t place = 0; place < SLOTS; ++place)
    {
        TakeSlot(place);
    }
    m_moved.assign(m_current.get() + kept, m_current.get() + m_nCurrent);
    m_nCurrent = kept;
    // The current slot has been emptied: its last time step is the end of what has run.
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
        PopEvent(m_far);
    }
}

std::vector<QbbEventWheel::Event>
QbbEventWheel::TakeAll()
{
    for (uint32_t place = 0; place < SLOTS; ++place)
    {
        TakeSlot(place);
    }
    std::vector<Event> events(m_current.get(), m_current.get() + m_nCurrent);
    m_nCurrent = 0;
    for (std::vector<Event>* heap : {&m_late, &m_far})
    {
        events.insert(events.end(), heap->begin(), heap->end());
        heap->clear();
    }
    return events;
}

void
QbbEventWheel::Remove(const Event& ev)
{
    const uint64_t slot = GetSlot(ev);
    if (slot <= m_slot)
    {
        Event* const end = m_current.get() + m_nCurrent;
        if (Event* const found = FindEvent(m_current.get(), end, ev); found != end)
        {
            std::move(found + 1, end, found);
            --m_nCurrent;
            return;
        }
        if (RemoveFromHeap(m_late, ev))
        {
            return;
        }
    }
    else if (slot - m_slot < SLOTS)
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
