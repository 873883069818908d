/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_EVENT_WHEEL_H
#define RDMA_EVENT_WHEEL_H

#include <ns3/scheduler.h>

#include <cstddef>
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
 * events of its predecessor have run, so that LookAhead() knows the following events.
 *
 * A slot with many events, such as the instant at which all hosts start, is divided into parts,
 * down to one time step. A part has a list, as a slot has. Some parts at a time become sorted. An
 * event that is inserted far from the next event waits in the list of its part or slot, even if
 * that slot is current or past, so that an insertion moves few events.
 *
 * The wheel measures how many events a slot has, and makes its slots shorter or longer, so that an
 * event costs a few list operations whether the fabric has ten hosts or ten thousand, and whether
 * their events are spread or simultaneous.
 *
 * Events leave in ns-3's order, by time and then by uid. The width of the slots affects only speed.
 * Memory is allocated only while the number of pending events reaches a new maximum.
 */
class RdmaEventWheel
{
  public:
    using Event = Scheduler::Event; //!< an event, its time in time steps, its uid and its context

    static constexpr uint32_t SLOTS = 131072;  //!< slots of a wheel for a whole fabric
    static constexpr uint32_t CROWD = 1024;    //!< pending events for IsCrowded(), unless set
    static constexpr uint32_t FIRST_BITS = 20; //!< log2 of the first width, in time steps

    /**
     * \param slots number of slots; a power of two, at least 64. A slot takes 4 bytes
     * \param widthBits log2 of the time steps in a slot at the start, see SetWidth()
     */
    explicit RdmaEventWheel(uint32_t slots = SLOTS, uint32_t widthBits = FIRST_BITS);

    /** \return true if no event is pending */
    bool IsEmpty() const
    {
        return !HasCurrent() && m_inLists == 0 && m_far.empty();
    }

    /** \return number of pending events */
    std::size_t GetCount() const
    {
        return GetNCurrent() + m_inLists + m_far.size();
    }

    /** \param events number of pending events from which on IsCrowded() is true */
    void SetCrowd(uint32_t events)
    {
        m_crowd = events;
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
            m_slots.Push(place, index, node);
            ++m_inLists;
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
     * \param end time step from which on events may stay where they are: insertions that follow
     *        are then as cheap as ever
     * \return the event, which may be later than \p end, valid until the next call of a non-const
     *         function; null if no event before \p end is pending
     */
    const Event* TakeNext(uint64_t end = UINT64_MAX)
    {
        return m_end > m_easyAbove ? --m_end : TakeHardNext(end);
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
    static constexpr uint32_t MOST_BITS = 28;       //!< log2 of the largest width
    static constexpr uint32_t SPAN_BITS = 29;       //!< log2 of the least time steps of the wheel
    static constexpr uint32_t PARTS = 4096;         //!< parts of a slot with many events
    static constexpr uint32_t PART_BITS = 12;       //!< log2 of PARTS
    static constexpr uint32_t MOST_SHIFTS = 32;     //!< most events that an insertion moves
    static constexpr uint32_t BATCH = 16;           //!< parts, or events, that are taken at a time
    static constexpr uint32_t MANY = 8;             //!< events in a slot that make slots shorter
    static constexpr uint32_t FEW = 2;              //!< events in a slot that make slots longer
    static constexpr uint32_t REVIEW_EVENTS = 8192; //!< events between two reviews of the width
    static constexpr uint32_t AHEAD = 5;            //!< events for LookAhead() if IsCrowded()
    static constexpr uint32_t ROOM = 256;           //!< events for which there is initial memory

    static_assert(LEAST_BITS >= PART_BITS, "a part has a time step at least");
    static_assert(ROOM > MOST_SHIFTS + AHEAD, "a slot that is not divided fits");

    /** An event in a slot's list. */
    struct Node
    {
        Event event;         //!< the scheduled event
        uint32_t next{NONE}; //!< index of the next node in the list
    };

    /** Lists of events, one for each place, of which the latest insertion is the first. */
    struct Lists
    {
        /** \param places number of lists, a multiple of 64 */
        explicit Lists(uint32_t places);

        /** Adds a node. \param place place of the list \param index index of \p node */
        void Push(uint32_t place, uint32_t index, Node& node)
        {
            node.next = heads[place];
            heads[place] = index;
            used[place / 64] |= uint64_t{1} << (place % 64);
        }

        uint32_t Empty(uint32_t place);
        uint32_t FindUsed(uint32_t start) const;

        std::vector<uint32_t> heads; //!< first node of each list
        std::vector<uint64_t> used;  //!< bitmap of the lists with events
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

    /** \return the event's part of its slot */
    uint32_t GetPart(const Event& ev) const
    {
        return static_cast<uint32_t>(ev.key.m_ts >> (m_slotBits - PART_BITS)) % PARTS;
    }

    void FindEasy()
    {
        m_easyAbove = m_current.get() + m_ahead;
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
    bool InsertIntoPart(const Event& ev);
    bool InsertNear(const Event& ev);
    void Clear(const Event& ev);
    void ReturnSlots(uint64_t slot);
    void ReturnParts(uint32_t part);
    void InsertMoved(std::vector<Event>& moved);
    uint32_t MakeNode(const Event& ev);
    const Event* TakeHardNext(uint64_t end);
    bool MustAdvance(uint64_t end) const;
    void GrowCurrent();
    uint64_t FindNextSlot() const;
    bool Advance();
    void TakeFar(uint64_t slot);
    void Review();
    bool RemoveFromList(Lists& lists, uint32_t place, const Event& ev);
    const Event& FindFirst(uint32_t index) const;
    void MoveList(uint32_t first, std::vector<Event>& events);
    void MoveLists(Lists& lists, std::vector<Event>& events);
    void TakeSlotInOrder(uint32_t place);
    void DivideSlot(uint32_t first);
    void TakeParts();
    void TakePart(uint32_t first);
    void FreeList(uint32_t first, uint32_t last);
    void PrefetchNextSlot() const;

    /// Events as a heap of the standard library, whose front is the first event.
    using Heap = std::vector<Event>;

    static void PushOnHeap(Heap& heap, const Event& ev);
    static void PopFromHeap(Heap& heap);
    static bool RemoveFromHeap(Heap& heap, const Event& ev);

    std::unique_ptr<Event[]> m_current; //!< sorted events, the last of them first
    Event* m_end{nullptr};              //!< end of the events in m_current
    /// TakeNext() may take the last event of m_current if m_end is above this address.
    const Event* m_easyAbove{nullptr};
    uint32_t m_maxCurrent{0};   //!< number of events that m_current has memory for
    std::vector<Event> m_moved; //!< scratch space for events that change their lists
    Heap m_far;                 //!< events inserted beyond the wheel
    uint32_t m_lastPlace;       //!< number of slots, less 1
    Lists m_slots;              //!< events of the slots that follow the current one
    Lists m_parts{PARTS};       //!< events of m_slot that m_current does not have
    std::vector<Node> m_nodes;  //!< storage of all list nodes
    uint64_t m_slot{0};         //!< current slot; events of m_current are in m_slot or earlier
    uint32_t m_part{PARTS - 1}; //!< latest part that m_current has; what m_parts has is later
    uint32_t m_slotBits;        //!< log2 of the time steps in a slot
    uint32_t m_leastBits;       //!< log2 of the least width that Review() chooses
    uint32_t m_inLists{0};      //!< number of events in m_slots and m_parts
    uint32_t m_inParts{0};      //!< number of events in m_parts
    uint32_t m_free{NONE};      //!< index of the first free node
    uint32_t m_crowd{CROWD};    //!< events for IsCrowded()
    uint32_t m_ahead{0};        //!< events left at which to Advance(): 0, or AHEAD if IsCrowded()
    uint32_t m_taken{0};        //!< events that reached the current slot since the last review
    uint32_t m_slotsTaken{0};   //!< slots that held these events
    uint32_t m_farTaken{0};     //!< events of m_taken that came from m_far
};

} // namespace ns3

#endif /* RDMA_EVENT_WHEEL_H */
