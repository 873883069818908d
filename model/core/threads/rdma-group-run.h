/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_GROUP_RUN_H
#define RDMA_GROUP_RUN_H

#include "qbb-node-groups.h"
#include "rdma-engine.h"
#include "rdma-meeting.h"
#include "rdma-window-plan.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * What a run in groups has done, which tells why a run does not get faster with more threads.
 */
struct RdmaGroupRunCounters
{
    uint64_t runs{0};      //!< times that the nodes have been divided
    uint64_t windows{0};   //!< windows of simulated time
    uint64_t rests{0};     //!< steps for which all groups have rested
    uint64_t turns{0};     //!< turns of groups with events in a window
    uint64_t events{0};    //!< events of nodes in these windows
    uint64_t crossings{0}; //!< frames that have passed from one group to another
    uint64_t taken{0};     //!< turns that a thread has taken over from another
    uint64_t sleeps{0};    //!< waits in which a thread has slept
    int64_t waitedNs{0};   //!< time that threads have waited for others, their sum in ns

    /** \return the counters in one line, for a user who wonders about the speed */
    std::string Describe() const;

    /** \param more counters to add */
    void operator+=(const RdmaGroupRunCounters& more)
    {
        runs += more.runs;
        windows += more.windows;
        rests += more.rests;
        turns += more.turns;
        events += more.events;
        crossings += more.crossings;
        taken += more.taken;
        sleeps += more.sleeps;
        waitedNs += more.waitedNs;
    }
};

/**
 * \ingroup rdma
 * A run of the simulation in which groups of nodes run apart, on one or several threads.
 *
 * The run goes in steps. Most steps are windows of simulated time, which last as long as a frame
 * needs from one group to another. Within a window, the groups know nothing of each other, so that
 * a thread runs its groups one after the other: what a group's events need of the machine's memory
 * stays in the CPU caches meanwhile. A group takes over the frames that others have sent to it when
 * its turn begins in the next window. Each thread has a share of the groups. A thread that has
 * finished its share takes groups from the shares of others. All threads meet after each window.
 *
 * An event without a node runs in a step of its own while all groups rest, after all earlier events
 * of the groups. No event of a node may act on the simulation as a whole, other than by an event
 * without a node at a later multiple of GRID.
 *
 * The events of a group run in the order of an ordinary run, so a run has the same results with any
 * number of groups and threads: events of different nodes at one instant do not depend on each
 * other, because every cable has a delay.
 */
class RdmaGroupRun
{
  public:
    /// Events of nodes may schedule events without a node for multiples of this time.
    static constexpr RdmaPs GRID = RdmaWindowPlan::GRID;

    /// Notes of events that have run, in the order in which they are handled.
    using Notes = std::deque<RdmaEngine::Note>;

    /** Groups and threads of a run. */
    struct Setting
    {
        uint32_t groups{2};      //!< number of groups, above 1
        uint32_t threads{1};     //!< number of threads, not above the number of groups
        bool defersSinks{false}; //!< sinks of trace sources are called while all groups rest
        double eventDistance{0}; //!< expected time between two events of a group, ps; 0: unknown
        RdmaPauseRules pause;    //!< conditions of a pause
    };

    /**
     * Takes over the pending events.
     *
     * \param global engine of the events without a node; it has all pending events at first
     * \param nodes groups of nodes, divided
     * \param setting groups and threads
     * \param notes notes of earlier runs that are not handled yet; has those of this run later
     * \param interrupted set by any thread that asks for a call of takeForeign
     */
    RdmaGroupRun(RdmaEngine& global,
                 QbbNodeGroups& nodes,
                 const Setting& setting,
                 Notes& notes,
                 std::atomic<bool>& interrupted);

    /** Gives the events that are left back to the engine of the events without a node. */
    ~RdmaGroupRun();

    RdmaGroupRun(const RdmaGroupRun&) = delete;
    RdmaGroupRun& operator=(const RdmaGroupRun&) = delete;

    /**
     * Runs until no event is pending, until Stop(), or until a pause. All notes of the events are
     * handled then. Throws what an event or a note has thrown; the notes of later events stay for a
     * further run.
     *
     * \param takeForeign called while all groups rest, after an interruption. The events that it
     *        inserts may be for any node, from the end of the latest window on; the clock shows
     *        that instant
     * \param look called from time to time by one of the threads while all others wait
     * \param extend called when RdmaPauseRules::events events have run, if all groups have about
     *        equal loads: what a new division could give them. Returns a larger number of events
     *        for the rules, or 0 for a pause. One of the threads calls the function, while all
     *        others wait
     * \return false if the run has paused
     */
    bool Run(const std::function<void()>& takeForeign,
             const std::function<void()>& look,
             const std::function<uint64_t()>& extend);

    /** \return what the run has done; after Run() */
    RdmaGroupRunCounters GetCounters() const;

    /** \return true if the run has paused because windows have had too few events */
    bool IsSparse() const
    {
        return m_reports.isSparse;
    }

    /** \return true if the run has paused because its threads have got too little of the machine */
    bool IsSlow() const
    {
        return m_reports.isSlow;
    }

    /** \return end of the latest window; while all threads wait, as in a call of look or extend */
    RdmaPs GetWindowEnd() const
    {
        return RdmaPs(static_cast<int64_t>(m_end / RDMA_FS_PER_PS));
    }

    /** \return number of pending events; while all threads wait, as in a call of look or extend */
    uint64_t GetPendingCount() const;

    /** Ends Run() after the running event, or after takeForeign; only while all groups rest. */
    void Stop()
    {
        m_stop = true;
    }

    /** \return true while a note is handled; only while all groups rest */
    bool IsHandlingNotes() const
    {
        return m_rest == RestingFor::NOTES;
    }

    /**
     * Handles notes in order, with the clock and the context of their events.
     *
     * \param engine engine whose clock and context are set
     * \param notes the notes; those that have been handled, or have thrown, leave
     * \param end time of the first event whose notes stay, in femtoseconds
     */
    static void HandleNotes(RdmaEngine& engine, Notes& notes, uint64_t end);

    /**
     * Adds an event, from the event that is running or while all groups rest. Aborts with a message
     * if the event is for a node of another group, if the event has no node and other threads may
     * have passed its time, or if the event is from outside of the module and its node is not in
     * group 0. An event from takeForeign, or from such an event, may be for any node: it runs while
     * all groups rest unless its node is in group 0.
     *
     * \param at time of the event
     * \param context id of the event's node
     * \param event event object; the list takes over one reference
     * \return time, uid and context of the new event
     */
    Scheduler::EventKey Insert(RdmaEventTime at, uint32_t context, EventImpl* event);

    /** \param context id of a node \return the engine that runs the node's events */
    RdmaEngine& GetEngine(uint32_t context);

    /** \return number of events that have run; in an event of a node, the events of the latest
     * windows are not counted */
    uint64_t GetEventCount() const;

    /** \return true if no event is pending; only while all groups rest */
    bool IsEmpty() const
    {
        return m_global.GetEvents().IsEmpty() &&
               std::all_of(m_groups.begin(), m_groups.end(), [](const auto& group) {
                   return group->engine.GetEvents().IsEmpty();
               });
    }

  private:
    static constexpr uint64_t NEVER = RdmaEngine::NO_EVENT.m_ts; //!< time of no event
    static constexpr uint32_t NO_GROUP = UINT32_MAX;             //!< a share is used up
    static constexpr uint32_t LEAST_SLOTS = 4096; //!< least slots of a group's event list
    /// Times of the mean number of events that a group may have had if the loads are even.
    static constexpr uint64_t EVEN = 2;
    static constexpr double EVENTS_OF_SLOT = 8;    //!< expected events in a slot of such a list
    static constexpr uint32_t REVIEW_WINDOWS = 64; //!< windows between two reviews of their events
    /// Time between two reviews of the threads.
    static constexpr std::chrono::milliseconds REVIEW_TIME{20};

    /** What all groups rest for. */
    enum class RestingFor
    {
        NOTHING, //!< the groups run, or an event without a node runs
        NOTES,   //!< notes are handled
        GUEST,   //!< other threads' events are taken, or such an event of a node runs
    };

    /** A group of nodes. */
    struct alignas(64) Group
    {
        Group(uint32_t slots, uint32_t widthBits)
            : engine(slots, widthBits)
        {
        }

        RdmaEngine engine;                   //!< the group's events
        Scheduler::EventKey next{};          //!< next event in the group's list
        uint64_t turns{0};                   //!< windows in which the group had events
        std::exception_ptr failure;          //!< exception of an event
        uint64_t failedAt{NEVER};            //!< time of the event with the exception
        std::vector<Scheduler::Event> added; //!< new events without a node
    };

    /** Groups that a thread runs in each window, unless others take them. */
    struct alignas(64) Share
    {
        uint32_t first{0}; //!< number of the first group
        uint32_t size{0};  //!< number of groups
        /// Groups left in the window: the first in the low half, the end in the high half
        std::atomic<uint64_t> left{0};
        RdmaMeeting::Waits waits; //!< how the thread has waited
        uint64_t taken{0};        //!< groups that the thread has taken from others
    };

    uint32_t GetNumber() const
    {
        return static_cast<uint32_t>(m_groups.size());
    }

    void Work(uint32_t thread);
    void Prepare();
    void FillReports();
    bool IsEven() const;
    void ReviewWindows();
    void ReviewThreads();
    void TakeAdded();
    void RunShare(uint32_t thread);
    void RunTurn(uint32_t thread, uint32_t group);
    static uint32_t TakeFirst(Share& share);
    static uint32_t TakeLast(Share& share);
    void TakeFrames(uint32_t group);
    void Rest();
    void RunOneAtRest();
    void CollectNotes();

    RdmaEngine& m_global;                         //!< events without a node
    QbbNodeGroups& m_nodes;                       //!< groups of nodes
    Setting m_setting;                            //!< groups and threads
    std::vector<std::unique_ptr<Group>> m_groups; //!< the groups
    std::vector<Share> m_shares;                  //!< shares of the threads
    RdmaMeeting m_meeting;                        //!< where the threads meet
    RdmaWindowReports m_reports;                  //!< state of the groups at the latest meeting
    RdmaWindowPlan m_plan;                        //!< the present step
    uint32_t m_turn{0};                           //!< turn of the lanes that are filled
    uint64_t m_end{0};                            //!< end of the latest window, in femtoseconds
    uint64_t m_count{0};                          //!< events of nodes at the latest meeting
    uint64_t m_reviewed{0};                       //!< events of nodes at the latest review
    uint32_t m_windowsToReview{REVIEW_WINDOWS};   //!< windows until the next review
    std::chrono::steady_clock::time_point m_reviewedAt; //!< moment of the latest review
    std::clock_t m_cpuTime{0};              //!< CPU time of the process at the latest review
    std::chrono::nanoseconds m_spun{0};     //!< RdmaMeeting::Waits::spun at the latest review
    RdmaGroupRunCounters m_counters;        //!< windows and rests
    std::function<void()> m_takeForeign;    //!< called after an interruption
    std::function<void()> m_look;           //!< called from time to time
    std::function<uint64_t()> m_extend;     //!< called before a pause for a new division
    std::atomic<bool>& m_interrupted;       //!< a thread has asked for m_takeForeign
    Notes& m_notes;                         //!< notes of events that have run
    RestingFor m_rest{RestingFor::NOTHING}; //!< what all groups rest for
    bool m_stop{false};                     //!< Stop() has been called
};

} // namespace ns3

#endif /* RDMA_GROUP_RUN_H */
