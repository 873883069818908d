/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_WHEEL_SCHEDULER_H
#define QBB_WHEEL_SCHEDULER_H

#include <ns3/scheduler.h>

#include <array>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * An event scheduler for fabrics: a timing wheel in front of a heap.
 *
 * Nearly all events of a fabric lie less than a few microseconds ahead and close together. The
 * wheel has 4096 slots of 2^20 time steps (1.05 ns at femtosecond resolution, 4.3 us in all).
 * Events of the current slot are in a small binary heap, from which the next event is taken. Events
 * of later slots wait unsorted in a list for each slot. Events beyond the wheel are in a second
 * heap. An event thus costs a few list and heap operations however many events are pending. The
 * worst case, all events at one instant, costs as much as ns3::PriorityQueueScheduler.
 *
 * Events run in ns-3's order, by time and then by uid, so results do not depend on the scheduler.
 * Memory is allocated only while the number of pending events reaches a new maximum.
 *
 * RdmaFabricRun selects this scheduler. Other scripts select it by:
 *
 *     Simulator::SetScheduler(ObjectFactory("ns3::QbbWheelScheduler"));
 */
class QbbWheelScheduler : public Scheduler
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    QbbWheelScheduler();
    ~QbbWheelScheduler() override;

    void Insert(const Event& ev) override;
    bool IsEmpty() const override;
    Event PeekNext() const override;
    Event RemoveNext() override;
    void Remove(const Event& ev) override;

  private:
    static constexpr uint32_t SLOT_BITS = 20;       //!< log2 of the time steps in a slot
    static constexpr uint32_t SLOTS = 4096;         //!< number of slots in the wheel
    static constexpr uint32_t WORDS = SLOTS / 64;   //!< words of the bitmap m_used
    static constexpr uint32_t NONE = UINT32_MAX;    //!< end of a list
    static constexpr uint64_t NO_SLOT = UINT64_MAX; //!< no slot has events

    /** An event in a slot's list. */
    struct Node
    {
        Event event;         //!< the scheduled event
        uint32_t next{NONE}; //!< index of the next node in the list
    };

    static uint64_t GetSlot(const Event& ev)
    {
        return ev.key.m_ts >> SLOT_BITS;
    }

    static void Push(std::vector<Event>& heap, const Event& ev);
    static void Pop(std::vector<Event>& heap);
    static bool RemoveFrom(std::vector<Event>& heap, const Event& ev);
    uint64_t FindNextSlot() const;
    void Advance();

    std::vector<Event> m_current;         //!< heap of the events of m_slot and earlier
    std::vector<Event> m_far;             //!< heap of the events inserted beyond the wheel
    uint64_t m_slot{0};                   //!< current slot
    uint32_t m_inWheel{0};                //!< number of events in the lists
    std::array<uint32_t, SLOTS> m_heads;  //!< first node of each slot's list
    std::array<uint64_t, WORDS> m_used{}; //!< bitmap of the slots with events
    std::vector<Node> m_nodes;            //!< storage of all list nodes
    uint32_t m_free{NONE};                //!< index of the first free node
};

} // namespace ns3

#endif /* QBB_WHEEL_SCHEDULER_H */
