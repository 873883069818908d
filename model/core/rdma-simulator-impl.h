/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_SIMULATOR_IMPL_H
#define RDMA_SIMULATOR_IMPL_H

#include "qbb-node-groups.h"
#include "rdma-engine.h"
#include "rdma-group-choice.h"
#include "rdma-group-run.h"
#include "rdma-large-pages.h"

#include <ns3/event-id.h>
#include <ns3/ptr.h>
#include <ns3/simulator-impl.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <list>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace ns3
{

class RdmaRankWindows;

/**
 * \ingroup rdma
 * Simulator with the event list of the module built in.
 *
 * The results of a script equal those of ns3::DefaultSimulatorImpl to the byte; the events of the
 * module cost less. The simulator keeps ns-3's contract for all other events: events with and
 * without context, events from other threads, EventId, Cancel(), Remove(), Stop() and a further
 * Run(), destroy events. The event list is part of the simulator, so SetScheduler() has no effect.
 * The class is final because no event calls SimulatorImpl::PreEventHook(), which is for subclasses.
 *
 * A simulation whose events need more memory than the CPU caches hold runs in groups of nodes
 * (RdmaGroupRun): each group runs for a window of simulated time, then the next one, with the same
 * results. The simulator chooses between one list of events and groups by itself, from the events
 * of a window, the pending events and the size of the second-level cache, and changes its choice
 * while the run goes on. On one thread, nodes are divided only while no code from outside of the
 * module sees the events of a node, and all nodes are at one instant whenever such code runs. A
 * script notices no groups then. The attribute Groups asks for a number of groups, for tests and
 * measurements.
 *
 * With the attribute Threads above 1, the groups run on several threads while there is enough work
 * for them. While they do, a script's events without a node may do anything, and its events of
 * nodes of group 0 (QbbNodeGroups) may do anything to their node. Everything else that a script
 * tries ends with a message: Simulator::Stop() in an event of a node, an event for another node, or
 * a sink of a trace source that was connected to a node of another group during the run. The loads
 * of the groups are measured, early and then at growing intervals, and uneven loads make the
 * simulator divide the nodes again.
 *
 * Threads that do not belong to the simulator may call Simulator::ScheduleWithContext(), for any
 * node, and Simulator::Stop(). The delay counts from the moment at which the simulator takes the
 * event. With several threads, this is the end of a window of simulated time, which no thread has
 * passed. All threads rest while the event of such a node runs, unless the node is in group 0.
 *
 * With several ranks of MPI (RdmaRanks), Simulator::Run() runs the events of this rank's nodes, and
 * meets the other ranks between windows of simulated time (RdmaRankWindows). Only frames of the
 * module cross from rank to rank. A script whose ranks share a cable of another kind, such as
 * ns3::PointToPointRemoteChannel, uses ns3::DistributedSimulatorImpl: it sets ns-3's global value
 * "SimulatorImplementationType", or calls ns3::MpiInterface::Enable() before Select().
 *
 * The programs and helpers of the module call Select(). A script that creates nodes before any
 * helper of the module calls Select() first:
 *
 *     RdmaSimulatorImpl::Select();
 *
 * The global value "simulator" says which simulator Select() makes: "own", "default" or "mpi". The
 * global value "threads" is the attribute Threads of an RdmaSimulatorImpl.
 */
class RdmaSimulatorImpl final : public SimulatorImpl
{
  public:
    /// Result of SimulatorImpl::Stop(Time): void until ns-3.37, later an EventId.
    using StopResult = decltype(std::declval<SimulatorImpl&>().Stop(std::declval<const Time&>()));

    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaSimulatorImpl();
    ~RdmaSimulatorImpl() override;

    /**
     * Sets ns-3's time resolution (RdmaSetTimeResolution()), and makes an RdmaSimulatorImpl the
     * simulator of the process, unless a simulator exists already, the global value
     * "SimulatorImplementationType" names another simulator than ns-3's default, or the global
     * value "simulator" is "default". If the global value "simulator" is "mpi", Select() starts MPI
     * by RdmaRanks::Begin() first. If the global value "threads" is above 1, Select() sets the
     * attribute Threads of the RdmaSimulatorImpl. Aborts with a message if "threads" or the default
     * value of the attribute is above 1 and the simulator is not an RdmaSimulatorImpl, or several
     * ranks share the simulation. Also aborts if several ranks share the simulation and the
     * simulator is neither an RdmaSimulatorImpl nor an ns3::DistributedSimulatorImpl.
     */
    static void Select();

    // Inherited from SimulatorImpl
    void Destroy() override;
    bool IsFinished() const override;
    void Stop() override;
    StopResult Stop(const Time& delay) override;
    EventId Schedule(const Time& delay, EventImpl* event) override;
    void ScheduleWithContext(uint32_t context, const Time& delay, EventImpl* event) override;

    EventId ScheduleNow(EventImpl* event) override
    {
        return Schedule(Time(0), event);
    }

    EventId ScheduleDestroy(EventImpl* event) override;
    void Remove(const EventId& id) override;
    void Cancel(const EventId& id) override;
    bool IsExpired(const EventId& id) const override;
    void Run() override;
    Time Now() const override;
    Time GetDelayLeft(const EventId& id) const override;

    Time GetMaximumSimulationTime() const override
    {
        return TimeStep(std::numeric_limits<int64_t>::max());
    }

    void SetScheduler(ObjectFactory schedulerFactory) override;
    uint32_t GetSystemId() const override;
    uint32_t GetContext() const override;
    uint64_t GetEventCount() const override;

    /**
     * \return what groups of nodes have done in all runs of the present simulator; zeros if there
     *         were none
     */
    static RdmaGroupRunCounters GetGroupCounters();

    /** \return attribute Threads of the present simulator; 1 for another simulator */
    static uint32_t GetThreads();

    /**
     * Runs all nodes of the present simulator on one thread, for a script whose nodes send packets
     * of ns-3 without an application or an IP stack. Does nothing with another simulator.
     *
     * \param reason why one thread is needed, as in "the probe sends packets of ns-3"
     */
    static void RequireOneThread(const std::string& reason);

    /** \return true if an event after time 0 is pending; to be called while no run is going on */
    bool HasLaterEvents();

    /**
     * \return why the latest Simulator::Run() had one thread although the attribute Threads of the
     *         present simulator is above 1, in one sentence; empty otherwise
     */
    static std::string GetReasonForOneThread();

  protected:
    void DoDispose() override;

  private:
    /** An event that another thread has scheduled. */
    struct ForeignEvent
    {
        uint32_t context; //!< id of the node on which the event runs
        int64_t delayFs;  //!< delay from the moment at which the simulator takes the event
        EventImpl* event; //!< event object
    };

    RdmaEventTime GetTimeAfter(const Time& delay) const
    {
        return RdmaEventTime::FromFs((delay + Now()).GetTimeStep());
    }

    Scheduler::EventKey Insert(const Time& delay, uint32_t context, EventImpl* event);
    void TakeForeignEvents();
    bool IsOnOwnThread() const;
    const RdmaEngine& GetPresentEngine() const;
    const RdmaEngine& GetEngineOf(const EventId& id) const;
    void AskForLargePages(const EventImpl* event = nullptr);
    QbbNodeGroups& GetGroups();
    std::set<uint32_t> FindForeignNodes();
    bool HasToUseOneList();
    uint32_t GetPresentThreads() const;
    RdmaGroupChoice Choose();
    bool RunGroups(const RdmaGroupChoice& choice);
    bool RunList();
    void RecordActivity(uint64_t events, RdmaPs begin);
    void HandleNotes();
    bool RunOnRanks();
    void RunInPhases();
    void RunFirstInstant();
    bool RunBefore(const Scheduler::EventKey& limit);

    /// Events between two looks at the size of the heap.
    static constexpr uint32_t EVENTS_BETWEEN_LOOKS = 256;
    /// Events with one list that take as long as a look at a node.
    static constexpr uint64_t EVENTS_FOR_LOOK = 8;
    /// Events on one thread after threads have got too little of the machine, at first; later more.
    static constexpr uint64_t LEAST_EVENTS_ALONE = 500'000;
    /// The most of these events.
    static constexpr uint64_t MOST_EVENTS_ALONE = 16'000'000;
    /// Cores that threads must have, at least. One thread that runs alone needs no meetings, and
    /// copies no frames.
    static constexpr double LEAST_CORES = 1.25;
    /// Events with one list before a choice between one list and groups.
    static constexpr uint64_t EVENTS_BETWEEN_CHOICES = 16384;

    RdmaEngine m_engine;         //!< clock and event list
    uint32_t m_threads{1};       //!< attribute Threads
    uint32_t m_groupsAsked{0};   //!< attribute Groups
    bool m_defersSinks{false};   //!< attribute DeferSinks
    std::string m_grouping;      //!< attribute Grouping: class that divides the nodes among threads
    std::string m_demand;        //!< reason of RequireOneThread()
    std::string m_reason;        //!< result of GetReasonForOneThread()
    Ptr<QbbNodeGroups> m_groups; //!< groups of nodes, once a run has asked for them
    std::unique_ptr<RdmaGroupRun> m_run;        //!< the run, while groups of nodes run apart
    uint64_t m_cacheBytes{GetRdmaCacheBytes()}; //!< size of the second-level cache of a core
    RdmaActivity m_activity;                    //!< what the simulation has done lately
    uint32_t m_divisions{0};                    //!< number of divisions of the nodes in this run
    uint64_t m_foreignAtDivision{0};            //!< RdmaEngine::GetForeignCount() at the latest one
    uint32_t m_groupsWanted{0};      //!< number of groups that the latest one was to make
    uint64_t m_listEvents{0};        //!< events of the next phase with one list
    uint64_t m_aloneUntil{0};        //!< number of events until which one thread runs
    uint64_t m_aloneEvents{0};       //!< events of the latest such phase
    uint64_t m_refusals{0};          //!< divisions that were not possible, in a row
    RdmaGroupRunCounters m_counters; //!< what the groups have done
    RdmaGroupRun::Notes m_notes;     //!< notes of events that have run on several threads
    std::unique_ptr<RdmaRankWindows> m_windows; //!< windows of this rank of MPI among several
    std::atomic<bool> m_stop{false};            //!< Stop() has been called
    std::list<EventId> m_destroyEvents;         //!< events that Destroy() runs, in order
    std::atomic<std::thread::id> m_thread;      //!< thread that created or runs the simulator
    std::mutex m_foreignMutex;                  //!< guards m_foreign
    std::vector<ForeignEvent> m_foreign;        //!< events of other threads, not yet taken
    std::atomic<bool> m_interrupted{false};     //!< Run() must look at m_stop and m_foreign
    bool m_asksForLargePages{true};             //!< attribute LargePages
    RdmaLargePages m_largePages;                //!< large pages for the heap
};

} // namespace ns3

#endif /* RDMA_SIMULATOR_IMPL_H */
