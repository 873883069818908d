/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_DEADLOCK_DETECTOR_H
#define QBB_DEADLOCK_DETECTOR_H

#include "qbb-deadlock.h"
#include "qbb-event-order.h"
#include "qbb-switch.h"
#include "qbb-time.h"
#include "qbb-timer.h"

#include <ns3/nstime.h>
#include <ns3/object.h>
#include <ns3/traced-callback.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Finds deadlocks of PFC while the simulation runs.
 *
 * A buffer (switch, ingress port, priority) that is paused holds frames of its own. Those that
 * wait for an egress port which is paused by the next switch's buffer at the other end of the cable
 * wait for that buffer. A set of paused buffers is in deadlock if none of them can be resumed as
 * long as the others are not. That is what the detector looks for, with the most favourable course
 * of events assumed for everything outside the set: every frame that waits for a port that is not
 * blocked by the set leaves, no frame comes in, and QbbBufferManager::MayResume() says whether the
 * memory that this frees ends a pause. What cannot be resumed even so never will be: there is no
 * false alarm, and no time to wait for a confirmation. Each member of the set waits for another
 * one, so the set has a cycle, of which a shortest one through the first member is named.
 *
 * Only what the switches cannot know can still end such a deadlock: a link that goes down, a pause
 * frame that is lost on the line and so lets the pause run out, a watchdog. A port paused by a
 * host (a slow receiver, a pause storm) blocks for as long as the host likes, which is no deadlock.
 *
 * It looks every Period, and only while some switch has paused another one; nothing at all happens
 * when no pause frame does. The work is in proportion to the ports that are paused at that time,
 * and the frames that wait there are looked at only if there can be a cycle.
 */
class QbbDeadlockDetector : public Object
{
  public:
    /** When at an instant it looks: at the end, as it changes nothing. */
    static constexpr uint32_t EVENT_ORDER = QbbEventOrder::Observers::At<0>();

    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    QbbDeadlockDetector();
    ~QbbDeadlockDetector() override;

    /**
     * Watches these switches. Once, with all cables in place.
     *
     * \param switches the switches of a fabric
     */
    void Watch(const std::vector<Ptr<QbbSwitch>>& switches);

    /**
     * Looks now.
     *
     * \return the deadlock that there is at present, if any
     */
    std::optional<QbbDeadlock> Find() const;

    /** \return the deadlock that was there when it looked last, as it was found first */
    const std::optional<QbbDeadlock>& GetDeadlock() const
    {
        return m_deadlock;
    }

    /** \return deadlocks found so far; one that ends and comes again counts again */
    uint64_t GetNDeadlocks() const
    {
        return m_count;
    }

    /**
     * \param deadlock a deadlock of the switches that are watched
     * \param port a port, of a switch or of a host
     * \param priority class, 0..7
     * \return true if the port is paused by one of the deadlock's buffers
     */
    static bool IsBlocked(const QbbDeadlock& deadlock, const QbbPort& port, uint8_t priority);

    /**
     * TracedCallback signature of Deadlock and DeadlockEnded.
     *
     * \param deadlock the deadlock
     */
    typedef void (*DeadlockCallback)(const QbbDeadlock& deadlock);

  protected:
    void DoDispose() override;

  private:
    /** A port between two of the switches, as the way out. */
    struct Link
    {
        QbbPort* port{nullptr}; //!< sends
        uint32_t from{0};       //!< index of its switch
        uint32_t to{0};         //!< index of the switch that receives
        bool active{false};     //!< it is in m_active
    };

    void OnPause(uint32_t link);
    void OnTimer();

    std::shared_ptr<QbbDeadlockDetector*> m_self; //!< what ports know, which may live longer
    Time m_period;                                //!< attribute Period
    std::vector<Ptr<QbbSwitch>> m_switches;       //!< by index
    std::vector<Link> m_links;                    //!< ports between switches
    std::vector<uint32_t> m_active;               //!< of these, those that may be paused
    std::optional<QbbDeadlock> m_deadlock;        //!< the present one
    uint64_t m_count{0};                          //!< found so far
    QbbTimer<QbbDeadlockDetector, &QbbDeadlockDetector::OnTimer, EVENT_ORDER> m_timer; //!< looks
    TracedCallback<const QbbDeadlock&> m_found; //!< trace Deadlock
    TracedCallback<const QbbDeadlock&> m_ended; //!< trace DeadlockEnded
};

} // namespace ns3

#endif /* QBB_DEADLOCK_DETECTOR_H */
