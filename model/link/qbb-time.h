/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_TIME_H
#define QBB_TIME_H

#include <ns3/event-impl.h>
#include <ns3/nstime.h>
#include <ns3/ptr.h>
#include <ns3/simulator.h>

#include <array>
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
 * says what kind of event it is, and the place of its port. Events of one node at one instant so
 * run in an order that does not depend on which of them was inserted first. k never reaches a
 * result, because every time is computed from QbbNowPs().
 *
 * Events of several ports of a node at one instant run in an order that QbbPortPlace() draws for
 * the node and the instant. With a fixed order, as that of the ports' numbers, some ports would
 * always win: over cables of equal length, senders that are clocked by acknowledgements keep in
 * step, and whatever becomes free goes to the first of them.
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

constexpr uint32_t PLACES = 512; //!< values of QbbPortPlace(); a power of two
/// A frame's last bit came in; plus QbbPortPlace(). QbbChannel orders ports that share a place.
constexpr uint32_t ARRIVAL = 1;
/// A port may send, pause or resume; plus half of QbbPortPlace(). These events are made by the node
/// itself, so that those of ports that share a place run in an order that follows from its history.
constexpr uint32_t PORT = ARRIVAL + PLACES;
/// A NIC's receive pipeline passes a frame on; plus an eighth of QbbPortPlace().
constexpr uint32_t NIC_RECEIVE = PORT + PLACES / 2;
/// A switch's crossbar hands frames to its ports, and matches what has come in by now.
constexpr uint32_t CROSSBAR = NIC_RECEIVE + PLACES / 8;
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
 * \return the numbers below QbbEventOrder::PLACES in some fixed, irregular order
 */
constexpr std::array<uint16_t, QbbEventOrder::PLACES>
MakeQbbShuffle()
{
    std::array<uint16_t, QbbEventOrder::PLACES> shuffle{};
    uint64_t state = 1;
    for (uint32_t i = 0; i < QbbEventOrder::PLACES; ++i)
    {
        // Fisher and Yates, with the linear congruential generator of Knuth's MMIX.
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        const auto other = static_cast<uint32_t>((state >> 33) % (i + 1));
        shuffle[i] = shuffle[other];
        shuffle[other] = static_cast<uint16_t>(i);
    }
    return shuffle;
}

/**
 * \ingroup rdma
 * The shuffle of QbbPortPlace().
 */
inline constexpr std::array<uint16_t, QbbEventOrder::PLACES> QBB_SHUFFLE = MakeQbbShuffle();

/**
 * \ingroup rdma
 * The place of a port among the ports of a node that have events of one kind at one instant.
 *
 * The place is a permutation of the ports that depends on the node and the instant alone: it needs
 * no state, and it does not depend on the order or the processor in which events are made. Each
 * port is as often before any other port as behind it. Ports whose indices differ by a multiple of
 * QbbEventOrder::PLACES share a place.
 *
 * \param nodeId the node's id
 * \param port the port's index
 * \param ps the instant, in picoseconds
 * \return a number below QbbEventOrder::PLACES
 */
inline uint32_t
QbbPortPlace(uint32_t nodeId, uint32_t port, int64_t ps)
{
    // Multiplication carries what differs to the high bits, and the shift brings it down again.
    constexpr uint64_t FACTOR = 0x9e3779b97f4a7c15ULL;
    constexpr uint64_t MASK = QbbEventOrder::PLACES - 1;
    uint64_t h = (static_cast<uint64_t>(ps) ^ (uint64_t{nodeId} << 40)) * FACTOR;
    h ^= h >> 32;
    h *= FACTOR;
    // Each step maps the numbers of 9 bits one to one. One exclusive or makes any two ports change
    // sides half of the time; two with a shuffle between them do so for the first among many.
    const uint64_t first = QBB_SHUFFLE[(port ^ (h >> 55)) & MASK];
    return QBB_SHUFFLE[first ^ ((h >> 46) & MASK)];
}

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
 * \tparam Order the place among simultaneous events, 0..999
 */
template <typename T, void (T::*Fire)(), uint32_t Order = 0>
class QbbTimer
{
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
     * \param atPs the instant; one in the past fires as soon as the present event is over
     */
    void Arm(int64_t atPs)
    {
        m_deadline = atPs * QBB_FS_PER_PS + Order;
        if (m_pending > m_deadline)
        {
            Renew(Simulator::Now().GetTimeStep());
        }
    }

    /**
     * As Arm(), for a caller that knows the time, and whose place depends on the instant.
     *
     * \param atPs the instant
     * \param nowFs the present time in femtoseconds
     * \param order the place among simultaneous events, 0..999
     */
    void Arm(int64_t atPs, int64_t nowFs, uint32_t order)
    {
        m_deadline = atPs * QBB_FS_PER_PS + order;
        if (m_pending > m_deadline)
        {
            Renew(nowFs);
        }
    }

    /** Sets the deadline unless one is set that is not later. \param atPs the instant */
    void ArmNoLater(int64_t atPs)
    {
        if (atPs * QBB_FS_PER_PS + Order < m_deadline)
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
    Ptr<Event> m_event;            //!< the event object, used again and again
    int64_t m_deadline{QBB_NEVER}; //!< when to call, in femtoseconds
    int64_t m_pending{QBB_NEVER};  //!< when the scheduler's entry fires, in femtoseconds
};

} // namespace ns3

#endif /* QBB_TIME_H */
