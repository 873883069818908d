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
 * Events of later slots wait unsorted in the slot's list; events of the present slot are in
 * a small binary heap, from which the next one is taken; events beyond the wheel are in another
 * heap. So an event costs a few list and heap steps whatever the number of pending ones, and in the
 * worst case (everything at one instant) what ns3::PriorityQueueScheduler costs.
 *
 * The order is ns-3's, by time and then by uid, so results do not depend on the choice. No
 * allocation once the pending events have reached their highest number.
 *
 * RdmaFabricRun selects it; in a script of one's own:
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
    static constexpr uint32_t SLOT_BITS = 20;       //!< time steps of a slot, as a power of two
    static constexpr uint32_t SLOTS = 4096;         //!< slots of the wheel
    static constexpr uint32_t WORDS = SLOTS / 64;   //!< words of the bitmap
    static constexpr uint32_t NONE = UINT32_MAX;    //!< end of a list
    static constexpr uint64_t NO_SLOT = UINT64_MAX; //!< no slot at all

    /** An event in a slot's list. */
    struct Node
    {
        Event event;         //!< the event
        uint32_t next{NONE}; //!< index of the next one
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

    std::vector<Event> m_current;         //!< heap: events of m_slot and before
    std::vector<Event> m_far;             //!< heap: events that were beyond the wheel
    uint64_t m_slot{0};                   //!< the slot of the event that was taken last
    uint32_t m_inWheel{0};                //!< events in the lists
    std::array<uint32_t, SLOTS> m_heads;  //!< first node of each slot's list
    std::array<uint64_t, WORDS> m_used{}; //!< bit set for a slot with events
    std::vector<Node> m_nodes;            //!< all nodes
    uint32_t m_free{NONE};                //!< first free node
};

} // namespace ns3

#endif /* QBB_WHEEL_SCHEDULER_H */
