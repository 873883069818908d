/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_PARALLEL_RUN_H
#define RDMA_PARALLEL_RUN_H

#include "qbb-node-groups.h"
#include "rdma-engine.h"
#include "rdma-step-counts.h"
#include "rdma-window-plan.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * A run of the simulation in which groups of nodes run on threads of their own.
 *
 * The run goes in steps. Most steps are windows of simulated time, RdmaBorder::PARTS of which last
 * as long as a frame needs from one group to another. Within a window, the groups know nothing of
 * each other. A group begins a window once all groups have completed the window that lies PARTS
 * windows before, and takes over the frames that others have sent to it until then. A group
 * therefore waits for a slower group only if the slower group falls back by PARTS windows. An event
 * without a node runs in a step of its own while all groups rest, after all earlier events of the
 * groups. No event of a node may act on the simulation as a whole, other than by an event without a
 * node at a later multiple of GRID.
 *
 * The events of a group run in the order of an ordinary run, so a run has the same results with any
 * number of threads: events of different nodes at one instant do not depend on each other, because
 * every cable has a delay.
 */
class RdmaParallelRun
{
  public:
    /// Events of nodes may schedule events without a node for multiples of this time.
    static constexpr RdmaPs GRID = RdmaWindowPlan::GRID;

    /// Notes of events that have run, in the order in which they are handled.
    using Notes = std::deque<RdmaEngine::Note>;

    /**
     * Takes over the pending events.
     *
     * \param global engine of the events without a node; it has all pending events at first
     * \param nodes groups of nodes, divided
     * \param groups number of groups, above 1
     * \param notes notes of earlier runs that are not handled yet; has those of this run later
     * \param defersSinks true: sinks of trace sources are called while all groups rest
     * \param interrupted set by any thread that asks for a call of takeForeign
     */
    RdmaParallelRun(RdmaEngine& global,
                    QbbNodeGroups& nodes,
                    uint32_t groups,
                    Notes& notes,
                    bool defersSinks,
                    std::atomic<bool>& interrupted);

    /** Gives all pending events, the clock and the counts back to the engine of the constructor. */
    ~RdmaParallelRun();

    RdmaParallelRun(const RdmaParallelRun&) = delete;
    RdmaParallelRun& operator=(const RdmaParallelRun&) = delete;

    /**
     * Runs until no event is pending, until Stop(), or until \p events have run. All notes of the
     * events are handled then. Throws what an event or a note has thrown; the notes of later events
     * stay for a further run.
     *
     * \param takeForeign called while all groups rest, after an interruption. The events that it
     *        inserts may be for any node, from the end of the latest window on; the clock shows
     *        that instant
     * \param events number of events after which the run pauses, at the end of a window
     * \return false if the run has paused
     */
    bool Run(const std::function<void()>& takeForeign, uint64_t events);

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
    static constexpr uint32_t PARTS = RdmaBorder::PARTS;         //!< steps in a lookahead
    static constexpr uint32_t SLOTS = RdmaBorder::COMPARTMENTS;  //!< steps whose effects are kept
    static constexpr uint64_t NEVER = RdmaEngine::NO_EVENT.m_ts; //!< time of no event

    /** What all groups rest for. */
    enum class RestingFor
    {
        NOTHING, //!< the groups run, or an event without a node runs
        NOTES,   //!< notes are handled
        GUEST,   //!< other threads' events are taken, or such an event of a node runs
    };

    /** Events outside of a group that the group has caused in a step. */
    struct Effects
    {
        uint64_t caused{NEVER};              //!< earliest event of another group
        uint64_t earliest{NEVER};            //!< earliest new event without a node
        std::vector<Scheduler::Event> added; //!< new events without a node
    };

    /** A group of nodes. */
    struct alignas(64) Group
    {
        RdmaEngine engine;          //!< the group's events
        uint32_t step{0};           //!< number of the present step
        uint32_t taken{0};          //!< latest step whose frames the group has taken over
        uint64_t end{0};            //!< end of the present window, in femtoseconds
        std::exception_ptr failure; //!< exception of an event
        uint64_t failedAt{NEVER};   //!< time of the event with the exception
        /// Effects of the group's events on other groups, by step
        std::array<Effects, SLOTS> effects;
    };

    static Scheduler::EventKey GetNextOf(const Group& group, uint64_t caused)
    {
        const Scheduler::EventKey next = group.engine.GetNextKey();
        return caused < next.m_ts ? Scheduler::EventKey{caused, 0, 0xffffffff} : next;
    }

    uint32_t GetNumber() const
    {
        return static_cast<uint32_t>(m_groups.size());
    }

    void Work(uint32_t group);
    void RunWindow(uint32_t group, uint32_t base, const RdmaWindowPlan& plan);
    void Rest();
    void RunOneAtRest();
    void CollectNotes();
    void TakeOver(uint32_t group, uint32_t last);
    void OpenBorders(uint32_t group, uint32_t step);
    uint64_t GetCaused(uint32_t group, uint32_t step);
    void Report(uint32_t group, uint32_t base, uint32_t last);
    void TakeAdded(uint32_t first, uint32_t last);
    void ReportAtRest();
    void ReportWithoutNode(RdmaWindowReports& reports) const;

    RdmaEngine& m_global;                           //!< events without a node
    QbbNodeGroups& m_nodes;                         //!< groups of nodes
    std::vector<std::unique_ptr<Group>> m_groups;   //!< the groups
    RdmaStepCounts m_completed;                     //!< steps that the groups have completed
    std::array<RdmaWindowReports, SLOTS> m_reports; //!< reports of the latest steps
    uint32_t m_base{0};                             //!< step whose reports group 0 has read last
    std::function<void()> m_takeForeign;            //!< called after an interruption
    std::atomic<bool>& m_interrupted;               //!< a thread has asked for m_takeForeign
    Notes& m_notes;                                 //!< notes of events that have run
    RestingFor m_rest{RestingFor::NOTHING};         //!< what all groups rest for
    uint64_t m_events{0};                           //!< number of events before a pause
    bool m_paused{false};                           //!< the run has paused
    bool m_stop{false};                             //!< Stop() has been called
};

} // namespace ns3

#endif /* RDMA_PARALLEL_RUN_H */
