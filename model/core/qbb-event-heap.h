/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_EVENT_HEAP_H
#define QBB_EVENT_HEAP_H

#include <ns3/scheduler.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * A heap of events in ns-3's order, by time and then by uid. Memory is allocated only while the
 * number of events reaches a new maximum.
 */
class QbbEventHeap
{
  public:
    using Event = Scheduler::Event; //!< an event, its time in time steps, its uid and its context

    /** \param room number of events for which memory is allocated */
    explicit QbbEventHeap(std::size_t room)
    {
        m_events.reserve(room);
    }

    /** \return true if the heap holds no event */
    bool IsEmpty() const
    {
        return m_events.empty();
    }

    /** \return the first event; the heap must not be empty */
    const Event& Front() const
    {
        return m_events.front();
    }

    /** \param ev event to add */
    void Push(const Event& ev)
    {
        m_events.push_back(ev);
        std::push_heap(m_events.begin(), m_events.end(), std::greater<>());
    }

    /** Removes the first event; the heap must not be empty. */
    void Pop()
    {
        std::pop_heap(m_events.begin(), m_events.end(), std::greater<>());
        m_events.pop_back();
    }

    /**
     * \param ev event to remove, found by its time and uid
     * \return false if the heap does not hold the event
     */
    bool Remove(const Event& ev)
    {
        Event* const end = m_events.data() + m_events.size();
        Event* const found = Find(m_events.data(), end, ev);
        if (found == end)
        {
            return false;
        }
        *found = m_events.back();
        m_events.pop_back();
        std::make_heap(m_events.begin(), m_events.end(), std::greater<>());
        return true;
    }

    /** Removes all events. \param [in,out] events gets the events, in any order, at its end */
    void MoveTo(std::vector<Event>& events)
    {
        events.insert(events.end(), m_events.begin(), m_events.end());
        m_events.clear();
    }

    /**
     * \param begin first event of an array
     * \param end end of the array
     * \param ev an event
     * \return the event with the time and the uid of \p ev, or \p end
     */
    static Event* Find(Event* begin, Event* end, const Event& ev)
    {
        return std::find_if(begin, end, [&ev](const Event& other) {
            return other.key.m_uid == ev.key.m_uid && other.key.m_ts == ev.key.m_ts;
        });
    }

  private:
    std::vector<Event> m_events; //!< the events, as a heap
};

} // namespace ns3

#endif /* QBB_EVENT_HEAP_H */
