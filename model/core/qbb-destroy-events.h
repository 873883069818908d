/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_DESTROY_EVENTS_H
#define QBB_DESTROY_EVENTS_H

#include <ns3/event-id.h>
#include <ns3/event-impl.h>
#include <ns3/ptr.h>
#include <ns3/simulator.h>

#include <algorithm>
#include <cstdint>
#include <list>

namespace ns3
{

/**
 * \ingroup rdma
 * The events of Simulator::ScheduleDestroy(), in the order in which they were added.
 */
class QbbDestroyEvents
{
  public:
    /**
     * \param event event object; the list takes over one reference
     * \param now time in time steps
     * \return id of the event
     */
    EventId Add(EventImpl* event, uint64_t now)
    {
        m_events.emplace_back(Ptr<EventImpl>(event, false),
                              now,
                              Simulator::NO_CONTEXT,
                              EventId::UID::DESTROY);
        return m_events.back();
    }

    /** \param id event to remove, if the event is in the list */
    void Remove(const EventId& id)
    {
        const auto found = std::find(m_events.begin(), m_events.end(), id);
        if (found != m_events.end())
        {
            m_events.erase(found);
        }
    }

    /** \param id an event \return true if the event is in the list */
    bool Has(const EventId& id) const
    {
        return std::find(m_events.begin(), m_events.end(), id) != m_events.end();
    }

    /** Runs all events, including the events that they add, and empties the list. */
    void RunAll()
    {
        while (!m_events.empty())
        {
            const Ptr<EventImpl> event = m_events.front().PeekEventImpl();
            m_events.pop_front();
            if (!event->IsCancelled())
            {
                event->Invoke();
            }
        }
    }

  private:
    std::list<EventId> m_events; //!< the events
};

} // namespace ns3

#endif /* QBB_DESTROY_EVENTS_H */
