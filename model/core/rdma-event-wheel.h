/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_EVENT_WHEEL_H
#define RDMA_EVENT_WHEEL_H

#include <ns3/scheduler.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * A list of pending events for fabrics: a timing wheel in front of a heap.
 *
 * Nearly all events of a fabric lie less than a few microseconds ahead and close together. The
 * wheel has a fixed number of slots. Events of the current slot are sorted; the next event is taken
 * from their end. Events of later slots wait unsorted in a list for each slot. Events beyond the
 * wheel are in a heap. If many events are pending, the next slot becomes current before the last
 * events of its predecessor have run, so that LookAhead() knows the following events. The wheel
 * measures how many events a slot has, and makes its slots shorter or longer, so that an event
 * costs a few list operations whether the fabric has ten hosts or ten thousand. The worst case, all
 * events at one instant, costs as much as a heap.
 *
 * Events leave in ns-3's order, by time and then by uid. The width of the slots affects only speed.
 * Memory is allocated only while the number of pending events reaches a new maximum.
 */
class RdmaEventWheel
{
  public:
    using Event = Scheduler::Event; //!< an event, its time in time steps, its uid and its context

    static constexpr uint32_t SLOTS = 131072;  //!< slots of a wheel for a whole fabric
    static constexpr uint32_t FIRST_BITS = 20; //!< log2 of the first width, in time steps

    /**
     * \param slots number of slots; a power of two, at least 64. A slot takes 4 bytes
     * \param widthBits log2 of the time steps in a slot at the start, see SetWidth()
     */
    explicit RdmaEventWheel(uint32_t slots = SLOTS, uint32_t widthBits = FIRST_BITS);

    /** \return true if no event is pending */
    bool IsEmpty() const
    {
        return !HasCurrent() && m_late.empty() && m_inWheel == 0 && m_far.empty();
    }

    /** \return number of pending events */
    std::size_t GetCount() const
    {
        return GetNCurrent() + m_late.size() + m_inWheel + m_far.size();
    }

    /** \return log2 of the time steps in a slot */
    uint32_t GetWidth() const
    {
        return m_slotBits;
    }

    /**
     * Makes the slots wider or narrower, as the wheel does by itself while events leave.
     *
     * \param slotBits log2 of the time steps in a slot; the nearest possible one is taken
     */
    void SetWidth(uint32_t slotBits);

    /** \param ev event to add; its time must not exceed the end of ns-3's clock (aborts) */
    void Insert(const Event& ev)
    {
        Insert(ev.impl, ev.key.m_ts, ev.key.m_uid, ev.key.m_context);
    }

    /**
     * Adds an event whose parts are in CPU registers.
     *
     * \param impl event object
     * \param ts time in time steps, see Insert(const Event&)
     * \param uid number that orders events of one time
     * \param context id of the node on which the event runs
     */
    [[gnu::always_inline]] void Insert(EventImpl* impl, uint64_t ts, uint32_t uid, uint32_t context)
    {
        const uint64_t slot = ts >> m_slotBits;
        const uint32_t index = m_free;
        if (slot - m_slot - 1 < m_lastPlace && index != NONE)
        {
            const uint32_t place = GetPlace(slot);
            Node& node = m_nodes[index];
            m_free = node.next;
            node.event.impl = impl;
            node.event.key.m_ts = ts;
            node.event.key.m_uid = uid;
            node.event.key.m_context = context;
            node.next = m_heads[place];
            m_heads[place] = index;
            m_used[place / 64] |= uint64_t{1} << (place % 64);
            ++m_inWheel;
            return;
        }
        InsertElsewhere(impl, ts, uid, context);
    }

    /** \return the next event; the wheel must not be empty */
    Event PeekNext() const;

    /** \return the next event, which is removed; the wheel must not be empty */
    Event RemoveNext()
    {
        return *TakeNext();
    }

    /**
     * Removes the next event.
     *
     * \return the event, valid until the next call of a non-const function; null if none is pending
     */
    const Event* TakeNext()
    {
        return m_end > m_easyAbove ? --m_end : TakeHardNext();
    }

    /** Undoes the latest TakeNext(), after which no other function may have been called. */
    void PutBack()
    {
        ++m_end;
    }

    /** \return all events, which are removed, in any order */
    std::vector<Event> TakeAll();

    /** \return true if so many events are pending that the CPU caches do not hold their memory */
    bool IsCrowded() const
    {
        return m_ahead > 0;
    }

    /**
     * \param place 0 for the next event, 1 for the one that follows it, and so on
     * \return the event object, for an early look at its memory; null if the event is not near. An
     *         event that is inserted later may come before it
     */
    const EventImpl* LookAhead(uint32_t place) const
    {
        return m_current.get() + place < m_end ? (m_end - 1 - place)->impl : nullptr;
    }

    /** \param ev event to remove, found by its time and uid; aborts if it is not pending */
    void Remove(const Event& ev);

  private:
    static constexpr uint32_t NONE = UINT32_MAX;    //!< end of a list
    static constexpr uint64_t NO_SLOT = UINT64_MAX; //!< no slot has events
    static constexpr uint32_t LEAST_BITS = 12;      //!< log2 of the smallest width
    static constexpr uint32_t MOST_BITS = 24;       //!< log2 of the largest width
    static constexpr uint32_t MOST_SHIFTS = 32;     //!< most events that an insertion moves
    static constexpr uint32_t MANY = 8;             //!< events in a slot that make slots shorter
    static constexpr uint32_t FEW = 2;              //!< events in a slot that make slots longer
    static constexpr uint32_t REVIEW_EVENTS = 8192; //!< events between two reviews of the width
    static constexpr uint32_t CROWD = 1024;         //!< events in the lists for IsCrowded()
    static constexpr uint32_t AHEAD = 5;            //!< events for LookAhead() if IsCrowded()
    static constexpr uint32_t ROOM = 256;           //!< events for which there is initial memory

    /** An event in a slot's list. */
    struct Node
    {
        Event event;         //!< the scheduled event
        uint32_t next{NONE}; //!< index of the next node in the list
    };

    uint64_t GetSlot(const Event& ev) const
    {
        return ev.key.m_ts >> m_slotBits;
    }

    /** \return place of a slot in the wheel */
    uint32_t GetPlace(uint64_t slot) const
    {
        return static_cast<uint32_t>(slot) & m_lastPlace;
    }

    /** \return number of events in m_current */
    uint32_t GetNCurrent() const
    {
        return static_cast<uint32_t>(m_end - m_current.get());
    }

    /** \return true if there are events in m_current */
    bool HasCurrent() const
    {
        return m_end != m_current.get();
    }

    /** \return true if the next event is the first one of m_late */
    bool IsLateNext() const
    {
        return !m_late.empty() && (!HasCurrent() || m_end[-1] > m_late.front());
    }

    void FindEasy()
    {
        m_easyAbove = m_current.get() + (m_late.empty() ? m_ahead : m_maxCurrent);
    }

    void AddToCurrent(const Event& ev)
    {
        if (GetNCurrent() == m_maxCurrent)
        {
            GrowCurrent();
        }
        *m_end++ = ev;
    }

    void InsertElsewhere(EventImpl* impl, uint64_t ts, uint32_t uid, uint32_t context);
    void InsertIntoCurrent(const Event& ev);
    const Event* TakeHardNext();
    void GrowCurrent();
    uint64_t FindNextSlot() const;
    bool Advance();
    void Review();
    uint32_t EmptySlot(uint32_t place);
    void TakeList(uint32_t first);
    void TakeAllLists();
    void TakeSlotInOrder(uint32_t place);
    void TakeFar();
    void FreeList(uint32_t first, uint32_t last);
    void PrefetchNextSlot() const;
    void SortCurrent();

    /// Events as a heap of the standard library, whose front is the first event.
    using Heap = std::vector<Event>;

    static Event* Find(Event* begin, Event* end, const Event& ev);
    static void PushOnHeap(Heap& heap, const Event& ev);
    static void PopFromHeap(Heap& heap);
    static bool RemoveFromHeap(Heap& heap, const Event& ev);

    std::unique_ptr<Event[]> m_current; //!< events of m_slot and earlier, the last of them first
    Event* m_end{nullptr};              //!< end of the events in m_current
    /// TakeNext() may take the last event of m_current if m_end is above this address.
    const Event* m_easyAbove{nullptr};
    uint32_t m_maxCurrent{0};      //!< number of events that m_current has memory for
    Heap m_late;                   //!< events of m_slot that m_current would insert too slowly
    std::vector<Event> m_moved;    //!< scratch space of SetWidth()
    Heap m_far;                    //!< events inserted beyond the wheel
    std::vector<uint32_t> m_heads; //!< first node of each slot's list
    std::vector<uint64_t> m_used;  //!< bitmap of the slots with events
    std::vector<Node> m_nodes;     //!< storage of all list nodes
    uint32_t m_lastPlace;          //!< number of slots, less 1
    uint64_t m_slot{0};            //!< current slot
    uint32_t m_slotBits;           //!< log2 of the time steps in a slot
    uint32_t m_inWheel{0};         //!< number of events in the lists
    uint32_t m_free{NONE};         //!< index of the first free node
    uint32_t m_ahead{0};      //!< events left at which to Advance(): 0, or AHEAD if IsCrowded()
    uint32_t m_taken{0};      //!< events that reached the current slot since the last review
    uint32_t m_slotsTaken{0}; //!< slots that held these events
};

} // namespace ns3

#endif /* RDMA_EVENT_WHEEL_H */
