/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TIMER_H
#define RDMA_TIMER_H

#include "rdma-event-order.h"
#include "rdma-prefetch.h"
#include "rdma-time.h"

#include <ns3/ptr.h>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace ns3
{

/**
 * \ingroup rdma
 * A timer whose deadline can be postponed without touching the scheduler.
 *
 * The timer keeps one event object and at most one valid entry in the scheduler. Postponing the
 * deadline or disarming the timer only stores a number, which the event checks when it fires. Only
 * a deadline earlier than the pending entry needs a new entry, with the same event object; the
 * replaced entry detects that it is stale and does nothing. Memory is allocated once.
 *
 * The timer fires in an event of the node whose event has set the deadline, or of the owner's node
 * (GetNodeId() of the owner) if an event without a node has set it. A timer of the phase Observers
 * always fires in an event without a node, because observers look at many nodes.
 *
 * \tparam T class of the owner, which may have a public function PrefetchTimer(step): it fetches
 *         what Fire needs into the CPU caches, in the steps of RdmaEvent::Prefetch() from 1 on
 * \tparam Fire member function of the owner, called at the deadline
 * \tparam Order place among simultaneous events (rdma-event-order.h), 0..999
 */
template <typename T, void (T::*Fire)(), uint32_t Order = 0>
class RdmaTimer
{
    static_assert(Order < RDMA_FS_PER_PS, "the order of events stays below a picosecond");

  public:
    /** \param owner object whose member function is called; must outlive the timer */
    explicit RdmaTimer(T* owner)
        : m_owner(owner)
    {
    }

    ~RdmaTimer()
    {
        if (m_event)
        {
            m_event->m_timer = nullptr;
        }
    }

    RdmaTimer(const RdmaTimer&) = delete;
    RdmaTimer& operator=(const RdmaTimer&) = delete;

    /**
     * Sets the deadline, replacing any previous one.
     *
     * \param at instant of the deadline; if in the past, the timer fires right after the running
     *        event
     */
    void Arm(RdmaPs at)
    {
        m_deadline = RdmaEventTime(at, Order);
        if (m_pending > m_deadline)
        {
            Renew(RdmaEventNow());
        }
    }

    /**
     * Sets the deadline like Arm(RdmaPs), for a caller that knows the time of the running event and
     * whose place among simultaneous events depends on the instant.
     *
     * \param at instant of the deadline
     * \param eventTime time of the running event
     * \param order place among simultaneous events, 0..999
     */
    void Arm(RdmaPs at, RdmaEventTime eventTime, uint32_t order)
    {
        m_deadline = RdmaEventTime(at, order);
        if (m_pending > m_deadline)
        {
            Renew(eventTime);
        }
    }

    /** Sets the deadline unless an earlier or equal one is set. \param at the deadline */
    void ArmNoLater(RdmaPs at)
    {
        if (RdmaEventTime(at, Order) < m_deadline)
        {
            Arm(at);
        }
    }

    /** Cancels the deadline. */
    void Disarm()
    {
        m_deadline = RdmaEventTime::Never();
    }

    /** \return true if a deadline is set */
    bool IsArmed() const
    {
        return m_deadline != RdmaEventTime::Never();
    }

  private:
    /** Tells whether an owner has a function PrefetchTimer(step), see RdmaEvent::Prefetch(). */
    template <typename U, typename = void>
    struct HasPrefetch : std::false_type
    {
    };

    template <typename U>
    struct HasPrefetch<U, std::void_t<decltype(std::declval<const U&>().PrefetchTimer(0))>>
        : std::true_type
    {
    };

    /** Event in the scheduler. It may outlive the timer and then does nothing. */
    class Event final : public RdmaEvent
    {
      public:
        explicit Event(RdmaTimer* timer)
            : m_timer(timer)
        {
        }

        void Run() override
        {
            if (m_timer)
            {
                m_timer->OnEvent();
            }
        }

        void Prefetch(uint32_t step) const override
        {
            if (step == 0)
            {
                RdmaPrefetch(m_timer);
            }
            else if constexpr (HasPrefetch<T>::value)
            {
                if (m_timer)
                {
                    m_timer->m_owner->PrefetchTimer(step);
                }
            }
        }

        RdmaTimer* m_timer; //!< null once the timer is destroyed
    };

    /** Schedules an entry for the deadline, replacing a later entry.
     * \param eventTime time of the running event */
    void Renew(RdmaEventTime eventTime)
    {
        if (!m_event)
        {
            RenewFirst(eventTime);
            return;
        }
        Schedule(eventTime);
    }

    // Rare cases have separate functions, so that the frequent ones save few registers.

    [[gnu::noinline]] void RenewFirst(RdmaEventTime eventTime)
    {
        m_event = Ptr<Event>(new Event(this), false);
        Schedule(eventTime);
    }

    [[gnu::always_inline]] void Schedule(RdmaEventTime eventTime)
    {
        m_pending = m_deadline > eventTime ? m_deadline : eventTime;
        if constexpr (RdmaEventOrder::Observers::Has(Order))
        {
            RdmaScheduleGlobal(m_pending, eventTime, PeekPointer(m_event));
        }
        else if (!RdmaScheduleHere(m_pending, PeekPointer(m_event)))
        {
            ScheduleElsewhere(eventTime);
        }
    }

    [[gnu::noinline]] void ScheduleElsewhere(RdmaEventTime eventTime)
    {
        uint32_t context = RdmaGetContext();
        if (context == Simulator::NO_CONTEXT)
        {
            context = m_owner->GetNodeId();
        }
        RdmaSchedule(context, m_pending, eventTime, PeekPointer(m_event));
    }

    [[gnu::always_inline]] void OnEvent()
    {
        const RdmaEventTime eventTime = RdmaEventNow();
        if (m_pending != eventTime)
        {
            return; // a replaced, stale entry
        }
        m_pending = RdmaEventTime::Never();
        if (m_deadline == RdmaEventTime::Never())
        {
            return;
        }
        if (m_deadline > eventTime)
        {
            Schedule(eventTime);
            return;
        }
        m_deadline = RdmaEventTime::Never();
        (m_owner->*Fire)();
    }

    T* m_owner;                                       //!< object to call
    Ptr<Event> m_event;                               //!< reusable event object
    RdmaEventTime m_deadline{RdmaEventTime::Never()}; //!< deadline of the timer
    RdmaEventTime m_pending{RdmaEventTime::Never()};  //!< time of the valid entry in the scheduler
};

} // namespace ns3

#endif /* RDMA_TIMER_H */
