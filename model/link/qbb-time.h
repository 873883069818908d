/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_TIME_H
#define QBB_TIME_H

#include <ns3/event-impl.h>
#include <ns3/nstime.h>
#include <ns3/ptr.h>
#include <ns3/simulator.h>

#include <cstdint>
#include <limits>

/**
 * \file
 * \ingroup rdma
 * The module's clock: whole picoseconds, and three digits below them that order simultaneous
 * events.
 *
 * ns-3 runs at femtosecond resolution. Every physical instant of the module is a whole number of
 * picoseconds; an event at picosecond t is scheduled at femtosecond 1000 t + k, where k (0..999)
 * says what kind of event it is and at which port. Events of one node at one instant so run in an
 * order that does not depend on which of them was inserted first. k never reaches a result, because
 * every time is computed from QbbNowPs().
 */

namespace ns3
{

/**
 * \ingroup rdma
 * The order of simultaneous events at one node, smallest first. 0 is left to the user's own events,
 * which are scheduled at whole picoseconds: they come before everything of the module.
 */
namespace QbbEventOrder
{

constexpr uint32_t MAX_PORTS = 450; //!< ports of a node that have an order of their own
constexpr uint32_t ARRIVAL = 1;     //!< a frame's last bit came in; plus the port's index
/// A port may send, pause or resume; plus the port's index.
constexpr uint32_t PORT = ARRIVAL + MAX_PORTS;
/// A NIC's receive pipeline passes a frame on; plus the port's index, below MAX_NIC_PORTS.
constexpr uint32_t NIC_RECEIVE = PORT + MAX_PORTS;
constexpr uint32_t MAX_NIC_PORTS = 64; //!< ports of a host with a receive buffer
/// A switch's crossbar hands frames to its ports, and matches what has come in by now.
constexpr uint32_t CROSSBAR = NIC_RECEIVE + MAX_NIC_PORTS;
constexpr uint32_t STORM_SOURCE = 970; //!< a broken NIC sends a pause frame
constexpr uint32_t APPLICATION = 980;  //!< a workload posts requests
constexpr uint32_t NIC_TIMER = 990;    //!< a queue pair's timer has run out
constexpr uint32_t NIC_KICK = 991; //!< a NIC begins what was posted or timed out at this instant
constexpr uint32_t WATCHDOG = 992; //!< a watchdog samples the queues, and acts
constexpr uint32_t MONITOR = 999;  //!< a monitor looks at the state that the instant leaves

} // namespace QbbEventOrder

/**
 * \ingroup rdma
 * Femtoseconds in a picosecond.
 */
constexpr int64_t QBB_FS_PER_PS = 1000;

/**
 * \ingroup rdma
 * No instant.
 */
constexpr int64_t QBB_NEVER = std::numeric_limits<int64_t>::max();

/**
 * \ingroup rdma
 * \return the present instant in whole picoseconds
 */
inline int64_t
QbbNowPs()
{
    return Simulator::Now().GetTimeStep() / QBB_FS_PER_PS;
}

/**
 * \ingroup rdma
 * \param time a time
 * \return the time in picoseconds, rounded down
 */
inline int64_t
QbbToPs(const Time& time)
{
    return time.GetTimeStep() / QBB_FS_PER_PS;
}

/**
 * \ingroup rdma
 * \param ps picoseconds
 * \return the time
 */
inline Time
QbbFromPs(int64_t ps)
{
    return TimeStep(ps * QBB_FS_PER_PS);
}

/**
 * \ingroup rdma
 * Sets ns-3 to femtosecond resolution, which the module needs. Safe to call again.
 *
 * ns-3 converts the Time objects that exist, so call it (or create any of the module's helpers)
 * before the first Simulator::Run() of the process.
 */
void QbbSetTimeResolution();

/**
 * \ingroup rdma
 * Aborts with a message unless ns-3 runs at femtosecond resolution.
 */
void QbbCheckTimeResolution();

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
 */
template <typename T, void (T::*Fire)()>
class QbbTimer
{
  public:
    /**
     * \param owner whose member function is called; must outlive the timer
     * \param order the place among simultaneous events, 0..999
     */
    explicit QbbTimer(T* owner, uint32_t order = 0)
        : m_owner(owner),
          m_order(order)
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

    /** \param order the place among simultaneous events, 0..999; before the first Arm() */
    void SetOrder(uint32_t order)
    {
        m_order = order;
    }

    /**
     * Sets the deadline; an earlier setting is forgotten.
     *
     * \param atPs the instant; one in the past fires as soon as the present event is over
     */
    void Arm(int64_t atPs)
    {
        m_deadline = atPs * QBB_FS_PER_PS + m_order;
        if (m_pending > m_deadline)
        {
            Renew(Simulator::Now().GetTimeStep());
        }
    }

    /**
     * The same for a caller that knows the time.
     *
     * \param atPs the instant
     * \param nowFs the present time in femtoseconds
     */
    void Arm(int64_t atPs, int64_t nowFs)
    {
        m_deadline = atPs * QBB_FS_PER_PS + m_order;
        if (m_pending > m_deadline)
        {
            Renew(nowFs);
        }
    }

    /** Sets the deadline unless one is set that is not later. \param atPs the instant */
    void ArmNoLater(int64_t atPs)
    {
        if (atPs * QBB_FS_PER_PS + m_order < m_deadline)
        {
            Arm(atPs);
        }
    }

    /** Takes the deadline back. */
    void Disarm()
    {
        m_deadline = QBB_NEVER;
    }

    /** \return true if a deadline is set */
    bool IsArmed() const
    {
        return m_deadline != QBB_NEVER;
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

    /** \param nowFs the present time: puts an entry for the deadline in place of a later one */
    void Renew(int64_t nowFs)
    {
        if (!m_event)
        {
            m_event = Ptr<Event>(new Event(this), false);
        }
        Schedule(nowFs);
    }

    void Schedule(int64_t nowFs)
    {
        m_pending = m_deadline > nowFs ? m_deadline : nowFs;
        Simulator::Schedule(TimeStep(m_pending - nowFs), Ptr<EventImpl>(m_event));
    }

    void OnEvent()
    {
        const int64_t nowFs = Simulator::Now().GetTimeStep();
        if (m_pending != nowFs)
        {
            return; // an entry that was replaced
        }
        m_pending = QBB_NEVER;
        if (m_deadline == QBB_NEVER)
        {
            return;
        }
        if (m_deadline > nowFs)
        {
            Schedule(nowFs);
            return;
        }
        m_deadline = QBB_NEVER;
        (m_owner->*Fire)();
    }

    T* m_owner;                    //!< whom to call
    uint32_t m_order;              //!< tie-break digits
    Ptr<Event> m_event;            //!< the event object, used again and again
    int64_t m_deadline{QBB_NEVER}; //!< when to call, in femtoseconds
    int64_t m_pending{QBB_NEVER};  //!< when the scheduler's entry fires, in femtoseconds
};

} // namespace ns3

#endif /* QBB_TIME_H */
