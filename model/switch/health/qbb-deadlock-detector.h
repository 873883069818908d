/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_DEADLOCK_DETECTOR_H
#define QBB_DEADLOCK_DETECTOR_H

#include "qbb-deadlock-check.h"
#include "qbb-switch.h"
#include "rdma-event-order.h"
#include "rdma-rank-alarms.h"
#include "rdma-time.h"
#include "rdma-timer.h"

#include <ns3/nstime.h>
#include <ns3/object.h>
#include <ns3/traced-callback.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace ns3
{

struct QbbPausedLink;

/**
 * \ingroup rdma
 * A PFC deadlock: buffers that wait for each other forever, or as long as hosts only repeat.
 */
struct QbbDeadlock
{
    RdmaPs at{0}; //!< instant of detection
    /// The buffers stand still because other frames, which are repeats alone, keep memory in use
    bool whileHostsRepeat{false};
    std::vector<QbbBufferPoint> cycle; //!< each buffer waits for the next, the last for the first
    std::vector<QbbBufferPoint> stuck; //!< all stuck buffers, including the cycle; ascending
    /// Classes of sending ports, of switches and hosts, that the stuck buffers pause; ascending
    std::vector<QbbBufferPoint> blocked;
};

/**
 * \ingroup rdma
 * Detects PFC deadlocks while the simulation runs.
 *
 * A paused buffer (switch, ingress port, priority) holds frames. Some of its frames may wait for an
 * egress port that is paused by the next switch's buffer at the other end of the cable; they wait
 * for that buffer. A set of paused buffers is in deadlock if none of them can resume unless another
 * one of the set does. The detector searches for such a set and assumes the most favourable course
 * of events outside the set: every frame that waits for a port not blocked by the set leaves, no
 * frame arrives, and QbbBufferManager::MayResume() decides whether the freed memory ends a pause. A
 * buffer that cannot resume even then never will. There are no false alarms, and no confirmation
 * time is needed. Each member of the set waits for another member, so the set has a cycle; the
 * detector reports a shortest cycle through the first member.
 *
 * Other traffic can keep a buffer from resuming, because the memory that its frames occupy keeps
 * the threshold of the paused buffer down. Such a buffer is not in deadlock, unless the traffic
 * never ends: hosts whose acknowledgements are stuck retransmit without end, or until they run out
 * of retries. Buffers in a cycle are therefore a deadlock too (QbbDeadlock::whileHostsRepeat) if
 * all of the following has been true for StandstillTime: no frame has moved from one buffer of the
 * cycle to the next; all other frames that the searches saw in the switches of the cycle were of
 * queue pairs and had packet sequence numbers seen before, or below; they went on through ports
 * that no host pauses. This deadlock ends when a frame of the cycle moves or new frames come.
 *
 * Only events beyond the control of the buffers can still end a deadlock: a link goes down, a pause
 * frame is lost on the line so that the pause expires, or a watchdog acts. A port paused by a host
 * (a slow receiver or a pause storm) is blocked as long as the host likes, which is not a deadlock.
 *
 * The detector runs every Period while some switch pauses another switch; without pause frames,
 * there are no events. The work is proportional to the number of paused ports. Waiting frames are
 * examined only if a cycle is possible.
 *
 * With several ranks of MPI on RdmaSimulatorImpl, every rank has a detector of all switches. All
 * detectors search at one instant (RdmaRankAlarms) and have one result. Period is then more than
 * twice the shortest delay of a cable between ranks, and each host belongs to the rank of its
 * switch (PlaceRdmaNodes()). On ranks of another simulator, Watch() aborts with a message.
 */
class QbbDeadlockDetector : public Object
{
  public:
    /** What a search assumes of frames that came in at other ports than that of a paused buffer. */
    enum class OtherFrames
    {
        LEAVE, //!< they leave as far as they can, and no frame follows
        STAY,  //!< they stay, or others take their place
    };

    /** Order within an instant of the detector's event: last, because it changes nothing. */
    static constexpr uint32_t EVENT_ORDER = RdmaEventOrder::Observers::At<0>();

    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    QbbDeadlockDetector();
    ~QbbDeadlockDetector() override;

    /**
     * Begins to watch switches. Call it once, with all cables in place.
     *
     * \param switches the switches of a fabric
     */
    void Watch(const std::vector<Ptr<QbbSwitch>>& switches);

    /**
     * Searches for a deadlock now. Every rank of MPI calls this function as often as every other
     * rank, at one instant.
     *
     * \return the current deadlock, if any
     */
    std::optional<QbbDeadlock> Find() const;

    /**
     * \return the deadlock present at the latest periodic search, as first found; none if there was
     *         none
     */
    const std::optional<QbbDeadlock>& GetDeadlock() const
    {
        return m_deadlock;
    }

    /** \return number of deadlocks so far; a deadlock that ends and recurs counts again */
    uint64_t GetNDeadlocks() const
    {
        return m_count;
    }

    /**
     * \param deadlock a deadlock of the watched switches
     * \param port a port, of a switch or of a host
     * \param priority class, 0..7
     * \return true if one of the deadlock's buffers pauses the port
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
    /** A link between two switches, in one direction. */
    struct Link
    {
        QbbPort* port{nullptr};     //!< sending port
        uint32_t from{0};           //!< index of the sending switch
        uint32_t to{0};             //!< index of the receiving switch
        bool isSenderLocal{true};   //!< this rank runs the sending switch
        bool isReceiverLocal{true}; //!< this rank runs the receiving switch
        bool active{false};         //!< the link is in m_active
    };

    /** Buffers in a cycle that other frames may keep from resuming. */
    struct Standstill
    {
        RdmaPs since{0};                   //!< nothing has moved and nothing new has come since
        std::vector<QbbBufferPoint> cycle; //!< the buffers
        std::vector<uint64_t> sent;        //!< frames sent into each of the buffers
        /// Highest packet sequence number seen of each queue pair, by IPv4 address and number
        std::map<std::pair<uint32_t, uint32_t>, uint32_t> psns;
        /// Frames that other ports had sent when frames first waited there, by port and class
        std::map<QbbBufferPoint, uint64_t> sentBefore;
    };

    /** Verdict on the frames in a switch that are not stuck. */
    enum class Verdict : uint8_t
    {
        REPEATS, //!< all of them are repeats
        NEW,     //!< some are new, or cannot be told from new ones, or a host keeps them
    };

    void OnPause(uint32_t link);
    void OnTimer();
    void SearchAt(RdmaPs at);
    std::vector<QbbPausedLink> GetPausedLinks() const;
    std::optional<QbbDeadlock> Search(const std::vector<QbbPausedLink>& paused,
                                      OtherFrames others) const;
    std::optional<QbbDeadlock> FindStandstill(const std::vector<QbbPausedLink>& paused);
    std::vector<uint64_t> CountSent(const std::vector<QbbBufferPoint>& cycle) const;
    Verdict JudgeFrames(const QbbDeadlock& deadlock);
    Verdict JudgeFrame(const QbbDeadlock& deadlock, const QbbFrame& frame, const QbbPort& port);
    bool HaveOtherPortsSent() const;
    Ptr<QbbSwitch> GetSwitchOf(uint32_t node) const;

    /// Handle for the ports, which may outlive the detector.
    std::shared_ptr<QbbDeadlockDetector*> m_self;
    Time m_period;                          //!< attribute Period
    Time m_standstillTime;                  //!< attribute StandstillTime
    std::optional<Standstill> m_standstill; //!< the current standstill, whether long or short
    std::vector<Ptr<QbbSwitch>> m_switches; //!< switches, by index
    std::vector<Link> m_links;              //!< links between switches
    std::vector<uint32_t> m_active;         //!< indices of links that may be paused
    Ptr<RdmaRankAlarms> m_alarms;           //!< tells other ranks of searches; null with one rank
    uint32_t m_alarm{0};                    //!< number of the detector at m_alarms
    std::optional<QbbDeadlock> m_deadlock;  //!< current deadlock
    uint64_t m_count{0};                    //!< deadlocks found so far
    /// Next search.
    RdmaTimer<QbbDeadlockDetector, &QbbDeadlockDetector::OnTimer, EVENT_ORDER> m_timer;
    TracedCallback<const QbbDeadlock&> m_found; //!< trace source Deadlock
    TracedCallback<const QbbDeadlock&> m_ended; //!< trace source DeadlockEnded
};

} // namespace ns3

#endif /* QBB_DEADLOCK_DETECTOR_H */
