/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_TIMER_H
#define QBB_TIMER_H

#include "qbb-time.h"

#include <ns3/event-impl.h>
#include <ns3/ptr.h>
#include <ns3/simulator.h>

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * A timer that can be moved without touching the scheduler.
 *
 * It keeps one event object and at most one live entry in the scheduler. Moving the deadline later,
 * or disarming, only writes a number: the event finds out when it fires. Only a move to an earlier
 * time than the pending entry costs a new entry, of the same event object: the one that it replaces
 * finds out that its time is not the one that counts. Memory is allocated once.
 *
 * \tparam T the owner's class
 * \tparam Fire the owner's member function that is called at the deadline
 * \tparam Order the place among simultaneous events (qbb-event-order.h), 0..999
 */
template <typename T, void (T::*Fire)(), uint32_t Order = 0>
class QbbTimer
{
    static_assert(Order < QBB_FS_PER_PS, "the order of events stays below a picosecond");

  public:
    /** \param owner whose member function is called; must outlive the timer */
    explicit QbbTimer(T* owner)
        : m_owner(owner)
    {
    }

    ~QbbTimer()
    {
        if (m_event)
        {
            m_event->m_timer = nullptr;
        }
    }

    QbbTimer(const QbbTimer&) = delete;
    QbbTimer& operator=(const QbbTimer&) = delete;

    /**
     * Sets the deadline; an earlier setting is forgotten.
     *
     * \param at the instant; one in the past fires as soon as the present event is over
     */
    void Arm(QbbPs at)
    {
        m_deadline = QbbEventTime(at, Order);
        if (m_pending > m_deadline)
        {
            Renew(QbbEventNow());
        }
    }

    /**
     * As Arm(), for a caller that knows the time, and whose place depends on the instant.
     *
     * \param at the instant
     * \param eventTime the time of the present event
     * \param order the place among simultaneous events, 0..999
     */
    void Arm(QbbPs at, QbbEventTime eventTime, uint32_t order)
    {
        m_deadline = QbbEventTime(at, order);
        if (m_pending > m_deadline)
        {
            Renew(eventTime);
        }
    }

    /** Sets the deadline unless one is set that is not later. \param at the instant */
    void ArmNoLater(QbbPs at)
    {
        if (QbbEventTime(at, Order) < m_deadline)
        {
            Arm(at);
        }
    }

    /** Takes the deadline back. */
    void Disarm()
    {
        m_deadline = QbbEventTime::Never();
    }

    /** \return true if a deadline is set */
    bool IsArmed() const
    {
        return m_deadline != QbbEventTime::Never();
    }

  private:
    /** The event in the scheduler; it outlives the timer there, and then does nothing. */
    class Event final : public EventImpl
    {
      public:
        explicit Event(QbbTimer* timer)
            : m_timer(timer)
        {
        }

        QbbTimer* m_timer; //!< null once the timer is gone

      private:
        void Notify() override
        {
            if (m_timer)
            {
                m_timer->OnEvent();
            }
        }
    };

    /** \param eventTime of the present event: puts an entry for the deadline in place of a later
     * one */
    void Renew(QbbEventTime eventTime)
    {
        if (!m_event)
        {
            m_event = Ptr<Event>(new Event(this), false);
        }
        Schedule(eventTime);
    }

    void Schedule(QbbEventTime eventTime)
    {
        m_pending = m_deadline > eventTime ? m_deadline : eventTime;
        Simulator::Schedule(QbbGetDelay(m_pending, eventTime), Ptr<EventImpl>(m_event));
    }

    void OnEvent()
    {
        const QbbEventTime eventTime = QbbEventNow();
        if (m_pending != eventTime)
        {
            return; // an entry that was replaced
        }
        m_pending = QbbEventTime::Never();
        if (m_deadline == QbbEventTime::Never())
        {
            return;
        }
        if (m_deadline > eventTime)
        {
            Schedule(eventTime);
            return;
        }
        m_deadline = QbbEventTime::Never();
        (m_owner->*Fire)();
    }

    T* m_owner;                                     //!< whom to call
    Ptr<Event> m_event;                             //!< the event object, used again and again
    QbbEventTime m_deadline{QbbEventTime::Never()}; //!< when to call
    QbbEventTime m_pending{QbbEventTime::Never()};  //!< when the scheduler's entry fires
};

} // namespace ns3

#endif /* QBB_TIMER_H */
