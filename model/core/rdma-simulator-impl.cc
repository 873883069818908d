/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-simulator-impl.h"

#include "rdma-rank-alarms.h"
#include "rdma-rank-windows.h"
#include "rdma-ranks.h"
#include "rdma-time.h"

#include <ns3/abort.h>
#include <ns3/assert.h>
#include <ns3/boolean.h>
#include <ns3/channel-list.h>
#include <ns3/channel.h>
#include <ns3/enum.h>
#include <ns3/global-value.h>
#include <ns3/log.h>
#include <ns3/make-event.h>
#include <ns3/node-list.h>
#include <ns3/object-factory.h>
#include <ns3/simulator.h>
#include <ns3/string.h>
#include <ns3/type-id.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaSimulatorImpl");

NS_OBJECT_ENSURE_REGISTERED(RdmaSimulatorImpl);

namespace
{

constexpr uint32_t MOST_THREADS = 256; // of the global value threads and the attribute Threads
constexpr uint32_t MOST_GROUPS = 4096; // of the attribute Groups

/// Simulator that RdmaSimulatorImpl::Select() makes.
enum SimulatorChoice
{
    OWN_SIMULATOR,
    DEFAULT_SIMULATOR,
    RANKS_OF_MPI
};

GlobalValue g_rdmaSimulator(
    "simulator",
    "Simulator that rdma's programs and helpers make: own "
    "(ns3::RdmaSimulatorImpl), default (ns-3's), or mpi (own, on the ranks that mpirun starts). "
    "Results are equal.",
    EnumValue(OWN_SIMULATOR),
    MakeEnumChecker(OWN_SIMULATOR, "own", DEFAULT_SIMULATOR, "default", RANKS_OF_MPI, "mpi"));

GlobalValue g_rdmaThreads("threads",
                          "Threads that share the work of a run, with simulator=own. Results do "
                          "not depend on their number.",
                          UintegerValue(1),
                          MakeUintegerChecker<uint32_t>(1, MOST_THREADS));

constexpr const char* SIMULATOR_TYPE = "SimulatorImplementationType";    // ns-3's global value
constexpr const char* RANKS_SIMULATOR = "ns3::DistributedSimulatorImpl"; // ns-3's, for ranks of MPI

/// \return number of threads that a script asks for by Config::SetDefault()
uint64_t
GetDefaultThreads()
{
    TypeId::AttributeInformation threads;
    RdmaSimulatorImpl::GetTypeId().LookupAttributeByName("Threads", &threads);
    const auto value = DynamicCast<const UintegerValue>(threads.initialValue);
    return value ? value->Get() : 1;
}

} // namespace

TypeId
RdmaSimulatorImpl::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaSimulatorImpl")
            .SetParent<SimulatorImpl>()
            .SetGroupName("Rdma")
            .AddConstructor<RdmaSimulatorImpl>()
            .AddAttribute("Threads",
                          "Threads that share the work of a run, at most. Results do not depend on "
                          "the number of threads. Set it before the first event is scheduled.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&RdmaSimulatorImpl::m_threads),
                          MakeUintegerChecker<uint32_t>(1, MOST_THREADS))
            .AddAttribute("Groups",
                          "Groups of nodes that run one after the other for windows of simulated "
                          "time, at most. 0: the simulator chooses the number from the size of "
                          "the CPU cache and the pending events, and changes it while the run "
                          "goes on. 1: there is one list of events, and one thread. Results do "
                          "not depend on the number of groups.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaSimulatorImpl::m_groupsAsked),
                          MakeUintegerChecker<uint32_t>(0, MOST_GROUPS))
            .AddAttribute("Grouping",
                          "Type of the ns3::QbbNodeGroups that divides nodes into groups.",
                          StringValue("ns3::QbbFabricGroups"),
                          MakeStringAccessor(&RdmaSimulatorImpl::m_grouping),
                          MakeStringChecker())
            .AddAttribute(
                "DeferSinks",
                "With several threads, call the sinks of trace sources between two "
                "windows of simulated time, in the order of the events, and let the nodes "
                "with sinks run on any thread. A sink may then use its arguments and the "
                "clock alone, because the nodes have gone on since the event.",
                BooleanValue(false),
                MakeBooleanAccessor(&RdmaSimulatorImpl::m_defersSinks),
                MakeBooleanChecker())
            .AddAttribute("LargePages",
                          "Request large pages for the heap of a large run from Linux. Affects "
                          "speed only.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&RdmaSimulatorImpl::m_asksForLargePages),
                          MakeBooleanChecker());
    return tid;
}

RdmaSimulatorImpl::RdmaSimulatorImpl()
    : m_thread(std::this_thread::get_id())
{
}

RdmaSimulatorImpl::~RdmaSimulatorImpl() = default;

void
RdmaSimulatorImpl::Select()
{
    RdmaSetTimeResolution();
    StringValue type;
    GlobalValue::GetValueByName(SIMULATOR_TYPE, type);
    const std::string before = type.Get();
    StringValue choice;
    g_rdmaSimulator.GetValue(choice);
    UintegerValue threads;
    g_rdmaThreads.GetValue(threads);
    const bool hasRanks = choice.Get() == "mpi" && RdmaRanks::Begin();
    if (choice.Get() != "default" && before == "ns3::DefaultSimulatorImpl")
    {
        GlobalValue::Bind(SIMULATOR_TYPE, StringValue(GetTypeId().GetName()));
        // ns-3 makes the simulator here, unless one exists.
        Simulator::GetImplementation();
        GlobalValue::Bind(SIMULATOR_TYPE, StringValue(before));
    }
    const uint64_t asked = std::max(threads.Get(), GetDefaultThreads());
    if (!hasRanks && asked == 1)
    {
        return;
    }
    const Ptr<SimulatorImpl> simulator = Simulator::GetImplementation();
    const std::string made = simulator->GetInstanceTypeId().GetName();
    const auto own = DynamicCast<RdmaSimulatorImpl>(simulator);
    NS_ABORT_MSG_IF(hasRanks && !own && made != RANKS_SIMULATOR,
                    "rdma: simulator=mpi, and the simulator is "
                        << made << "; accepted: before the first node and the first event, with "
                        << SIMULATOR_TYPE << "=ns3::DefaultSimulatorImpl or " << RANKS_SIMULATOR);
    if (asked == 1)
    {
        return;
    }
    NS_ABORT_MSG_IF(!own,
                    "rdma: threads="
                        << asked << " with " << made
                        << "; accepted: with simulator=own, and with an rdma helper or "
                           "RdmaSimulatorImpl::Select() before the first node and the first event");
    NS_ABORT_MSG_IF(hasRanks,
                    "rdma: threads=" << asked << " with " << RdmaRanks::GetNumber()
                                     << " ranks of MPI; accepted: threads=1");
    if (threads.Get() > 1)
    {
        own->SetAttribute("Threads", threads);
    }
}

void
RdmaSimulatorImpl::DoDispose()
{
    TakeForeignEvents();
    m_engine.Clear();
    SimulatorImpl::DoDispose();
}

void
RdmaSimulatorImpl::SetScheduler(ObjectFactory schedulerFactory)
{
    NS_LOG_INFO("the event list of the simulator is used in place of "
                << schedulerFactory.GetTypeId().GetName());
}

uint32_t
RdmaSimulatorImpl::GetSystemId() const
{
    return RdmaRanks::GetRank();
}

bool
RdmaSimulatorImpl::IsOnOwnThread() const
{
    // Another thread must not look at the run, which may end meanwhile.
    return m_thread == std::this_thread::get_id() || (RdmaEngine::GetRunning() && m_run);
}

const RdmaEngine&
RdmaSimulatorImpl::GetPresentEngine() const
{
    const RdmaEngine* const running = RdmaEngine::GetRunning();
    return m_run && running ? *running : m_engine;
}

const RdmaEngine&
RdmaSimulatorImpl::GetEngineOf(const EventId& id) const
{
    RdmaGroupRun* const run = m_run.get();
    return run ? run->GetEngine(id.GetContext()) : m_engine;
}

bool
RdmaSimulatorImpl::IsFinished() const
{
    const RdmaGroupRun* const run = m_run.get();
    if (!run)
    {
        return m_engine.GetEvents().IsEmpty() || m_stop;
    }
    NS_ABORT_MSG_IF(RdmaEngine::GetRunning(),
                    "rdma: Simulator::IsFinished() in an event of a node; accepted: in an event "
                    "without a node, or with ns3::RdmaSimulatorImpl::Threads=1");
    return run->IsEmpty() || m_stop;
}

/**
 * Asks for large pages for the memory that the heap has gained.
 * \param event an event that the script has just made, or null
 */
void
RdmaSimulatorImpl::AskForLargePages(const EventImpl* event)
{
    if (!m_asksForLargePages)
    {
        return;
    }
    if (m_threads > 1)
    {
        m_largePages.PrepareInThread();
    }
    m_largePages.CoverGrowth(event);
}

void
RdmaSimulatorImpl::TakeForeignEvents()
{
    std::vector<ForeignEvent> events;
    {
        const std::lock_guard lock(m_foreignMutex);
        events.swap(m_foreign);
    }
    for (const ForeignEvent& foreign : events)
    {
        Insert(TimeStep(foreign.delayFs), foreign.context, foreign.event);
    }
}

void
RdmaSimulatorImpl::Run()
{
    NS_ABORT_MSG_IF(m_run,
                    "rdma: Simulator::Run() in an event; accepted: with "
                    "ns3::RdmaSimulatorImpl::Threads=1");
    m_thread = std::this_thread::get_id();
    m_stop = false;
    AskForLargePages();
    m_largePages.StopPreparing(); // all threads run nodes now
    if (!RunOnRanks())
    {
        RunInPhases();
    }
}

/** Runs until all ranks have ended. \return false if this process shares no cable with others */
bool
RdmaSimulatorImpl::RunOnRanks()
{
    if (!RdmaRanks::AreSeveral())
    {
        return false;
    }
    const RdmaEngine::RunningScope scope(&m_engine);
    GetGroups().CheckSharedRun();
    NS_ABORT_MSG_IF(m_threads > 1,
                    "rdma: threads=" << m_threads << " with " << RdmaRanks::GetNumber()
                                     << " ranks of MPI; accepted: threads=1");
    for (auto it = ChannelList::Begin(); it != ChannelList::End(); ++it)
    {
        NS_ABORT_MSG_IF((*it)->GetInstanceTypeId().GetName() == "ns3::PointToPointRemoteChannel",
                        "rdma: simulator=mpi with a cable ns3::PointToPointRemoteChannel between "
                        "two ranks; accepted: with "
                        "SimulatorImplementationType=ns3::DistributedSimulatorImpl");
    }
    if (!m_windows)
    {
        const auto border = GetObject<QbbRankBorder>();
        if (!border)
        {
            return false;
        }
        // The simulator owns the border and the alarms.
        m_windows = std::make_unique<RdmaRankWindows>(m_engine,
                                                      *border,
                                                      *RdmaRankAlarms::Get(),
                                                      RdmaRanks::MakeMail(),
                                                      RdmaRanks::GetRank(),
                                                      RdmaRanks::GetNumber());
    }
    m_windows->Run([this](const Scheduler::EventKey& limit) { return RunBefore(limit); });
    return true;
}

std::set<uint32_t>
RdmaSimulatorImpl::FindForeignNodes()
{
    std::set<uint32_t> nodes;
    for (const Scheduler::Event& ev : m_engine.GetEvents().TakeAll())
    {
        if (!RdmaEngine::IsOwn(ev.impl) && ev.key.m_context != Simulator::NO_CONTEXT)
        {
            nodes.insert(ev.key.m_context);
        }
        m_engine.GetEvents().Insert(ev);
    }
    return nodes;
}

QbbNodeGroups&
RdmaSimulatorImpl::GetGroups()
{
    if (!m_groups)
    {
        TypeId type;
        NS_ABORT_MSG_IF(!TypeId::LookupByNameFailSafe(m_grouping, &type) ||
                            !type.IsChildOf(QbbNodeGroups::GetTypeId()),
                        "rdma: ns3::RdmaSimulatorImpl::Grouping="
                            << m_grouping
                            << "; accepted: a class that derives from ns3::QbbNodeGroups");
        ObjectFactory factory;
        factory.SetTypeId(type);
        m_groups = factory.Create<QbbNodeGroups>();
    }
    return *m_groups;
}

/** \return true if this run cannot have groups; m_reason has the reason if there are threads */
bool
RdmaSimulatorImpl::HasToUseOneList()
{
    if (!m_demand.empty() || m_groupsAsked == 1)
    {
        return true;
    }
#ifdef NS3_LOG_ENABLE
    // A reader of a log expects the lines in the order of simulated time.
    const LogComponent::ComponentList* components = LogComponent::GetComponentList();
    return m_threads == 1 &&
           std::any_of(components->begin(), components->end(), [](const auto& component) {
               return !component.second->IsNoneEnabled();
           });
#else
    return false;
#endif
}

/** \return number of threads for the next phase */
uint32_t
RdmaSimulatorImpl::GetPresentThreads() const
{
    return m_engine.GetEventCount() < m_aloneUntil ? 1 : m_threads;
}

/** Chooses between one list and groups, and divides the nodes. */
RdmaGroupChoice
RdmaSimulatorImpl::Choose()
{
    RdmaGroupChoice choice;
    if (HasToUseOneList())
    {
        m_listEvents = UINT64_MAX;
        return choice;
    }
    const RdmaPs lookahead = m_groups && m_divisions > 0 ? m_groups->GetLookahead() : 1_us;
    const uint32_t threads = GetPresentThreads();
    choice = RdmaGroupChoice::Make(m_activity, lookahead, threads, m_cacheBytes);
    if (m_groupsAsked > 0)
    {
        choice = {m_groupsAsked, 0};
        m_listEvents = 1;
    }
    else
    {
        m_listEvents = EVENTS_BETWEEN_CHOICES;
    }
    if (choice.groups > 1)
    {
        m_groupsWanted = choice.groups;
        const uint64_t foreign = m_engine.GetForeignCount();
        const bool isAsBefore = m_divisions > 0 && foreign == m_foreignAtDivision;
        choice.groups = GetGroups().Divide(
            {choice.groups, threads, FindForeignNodes(), threads > 1 && m_defersSinks, isAsBefore});
        m_foreignAtDivision = foreign;
        m_reason = threads == m_threads ? m_groups->GetReason() : m_reason;
        // Looking at all nodes takes time.
        m_refusals = choice.groups > 1 ? 0 : m_refusals + 1;
        m_listEvents <<= std::min<uint64_t>(3 * m_refusals, 32);
        m_divisions += choice.groups > 1;
    }
    return choice;
}

void
RdmaSimulatorImpl::RecordActivity(uint64_t events, RdmaPs begin)
{
    const RdmaPs time = m_engine.GetTime().GetInstant() - begin;
    if (events > EVENTS_BETWEEN_LOOKS && time > 0_ps)
    {
        m_activity = {events, time, m_engine.GetEvents().GetCount()};
    }
}

/** Runs the groups apart until the end or a pause. \return false at a pause */
bool
RdmaSimulatorImpl::RunGroups(const RdmaGroupChoice& choice)
{
    const auto takeForeign = [this] {
        TakeForeignEvents();
        if (m_stop)
        {
            m_run->Stop();
        }
    };
    const uint64_t count = m_engine.GetEventCount();
    const RdmaPs begin = m_engine.GetTime().GetInstant();
    RdmaGroupRun::Setting setting;
    setting.groups = choice.groups;
    const uint32_t threads = GetPresentThreads();
    setting.threads = std::min(threads, choice.groups);
    setting.defersSinks = m_defersSinks;
    if (m_activity.events > 0)
    {
        setting.eventDistance = static_cast<double>(m_activity.time.Get()) * choice.groups /
                                static_cast<double>(m_activity.events);
    }
    // On one thread, no other thread waits for a group whose load has changed.
    setting.pause.events = m_groups->GetEventsToNext(m_divisions - (threads > 1 ? 1 : 0));
    if (threads < m_threads)
    {
        setting.pause.events = std::min(setting.pause.events, m_aloneUntil - count);
    }
    setting.pause.cores = threads > 1 && m_groupsAsked == 0 ? LEAST_CORES : 0;
    setting.pause.eventsOfWindow = choice.eventsOfWindow;
    setting.pause.leavesScripts = threads == 1;
    m_run = std::make_unique<RdmaGroupRun>(m_engine, *m_groups, setting, m_notes, m_interrupted);
    // A new division would be as the present one, unless another number of groups were better.
    const auto extend = [&]() -> uint64_t {
        if (threads < m_threads || m_engine.GetForeignCount() != m_foreignAtDivision)
        {
            return 0;
        }
        const RdmaActivity activity{m_run->GetEventCount() - count,
                                    m_run->GetWindowEnd() - begin,
                                    m_run->GetPendingCount()};
        const RdmaPs lookahead = m_groups->GetLookahead();
        if (m_groupsAsked == 0 &&
            RdmaGroupChoice::Make(activity, lookahead, threads, m_cacheBytes).groups !=
                m_groupsWanted)
        {
            return 0;
        }
        ++m_divisions;
        setting.pause.events = m_groups->GetEventsToNext(m_divisions - (threads > 1 ? 1 : 0));
        return setting.pause.events;
    };
    bool isOver = false;
    std::exception_ptr failure;
    try
    {
        isOver = m_run->Run(
            takeForeign,
            [this] { AskForLargePages(); },
            extend);
    }
    catch (...)
    {
        failure = std::current_exception();
    }
    m_counters += m_run->GetCounters();
    if (m_run->IsSlow())
    {
        m_aloneEvents = std::clamp(2 * m_aloneEvents, LEAST_EVENTS_ALONE, MOST_EVENTS_ALONE);
        m_aloneUntil = m_run->GetEventCount() + m_aloneEvents;
        m_listEvents = 0;
    }
    else if (m_run->GetEventCount() - count >= setting.pause.events)
    {
        m_listEvents = 0;
    }
    else if (m_groupsAsked == 0 && !m_run->IsSparse())
    {
        // The event of a script comes next. Code from outside may have changed anything then, so
        // that a new division looks at all nodes.
        m_listEvents = EVENTS_FOR_LOOK * NodeList::GetNNodes();
    }
    m_run.reset();
    m_groups->Unite();
    if (failure)
    {
        std::rethrow_exception(failure);
    }
    RecordActivity(m_engine.GetEventCount() - count, begin);
    return isOver;
}

/** Handles the notes that an exception has left over. The clock stays as it is. */
void
RdmaSimulatorImpl::HandleNotes()
{
    const Scheduler::EventKey now = m_engine.GetKey();
    RdmaGroupRun::HandleNotes(m_engine, m_notes, RdmaEngine::NO_EVENT.m_ts);
    m_engine.Continue(now, m_engine.GetNextUid());
}

/** Runs until the end, in phases with one list of events and phases in groups. */
void
RdmaSimulatorImpl::RunInPhases()
{
    m_reason = m_demand;
    m_divisions = 0;
    m_aloneUntil = 0;
    m_aloneEvents = 0;
    m_refusals = 0;
    m_listEvents = EVENTS_BETWEEN_CHOICES;
    bool isOver = false;
    if (m_groupsAsked > 1)
    {
        RunFirstInstant();
        isOver = m_stop;
    }
    else
    {
        isOver = RunList();
    }
    while (!isOver)
    {
        const RdmaGroupChoice choice = Choose();
        isOver = choice.groups > 1 && RunGroups(choice);
        isOver = isOver || RunList();
    }
}

RdmaGroupRunCounters
RdmaSimulatorImpl::GetGroupCounters()
{
    const auto own = DynamicCast<RdmaSimulatorImpl>(Simulator::GetImplementation());
    return own ? own->m_counters : RdmaGroupRunCounters();
}

uint32_t
RdmaSimulatorImpl::GetThreads()
{
    const auto own = DynamicCast<RdmaSimulatorImpl>(Simulator::GetImplementation());
    return own ? own->m_threads : 1;
}

void
RdmaSimulatorImpl::RequireOneThread(const std::string& reason)
{
    if (const auto own = DynamicCast<RdmaSimulatorImpl>(Simulator::GetImplementation()))
    {
        own->m_demand = reason;
    }
}

bool
RdmaSimulatorImpl::HasLaterEvents()
{
    bool isLater = false;
    for (const Scheduler::Event& ev : m_engine.GetEvents().TakeAll())
    {
        isLater = isLater || ev.key.m_ts > 0;
        m_engine.GetEvents().Insert(ev);
    }
    return isLater;
}

std::string
RdmaSimulatorImpl::GetReasonForOneThread()
{
    const auto own = DynamicCast<RdmaSimulatorImpl>(Simulator::GetImplementation());
    return own && own->m_threads > 1 ? own->m_reason : "";
}

void
RdmaSimulatorImpl::RunFirstInstant()
{
    // ns-3 initialises all nodes in events of the first instant.
    const RdmaEngine::RunningScope scope(&m_engine);
    const uint64_t first = m_engine.GetKey().m_ts;
    TakeForeignEvents();
    while (!m_stop && m_engine.GetNextKey().m_ts == first)
    {
        m_engine.RunNext();
    }
}

/** Runs m_listEvents events with one list of events. \return false if more are pending */
bool
RdmaSimulatorImpl::RunList()
{
    const RdmaEngine::RunningScope scope(&m_engine);
    HandleNotes();
    const uint64_t first = m_engine.GetEventCount();
    const RdmaPs begin = m_engine.GetTime().GetInstant();
    const uint64_t end = m_listEvents < UINT64_MAX - first ? first + m_listEvents : UINT64_MAX;
    bool hasMore = true;
    do
    {
        m_interrupted = false;
        TakeForeignEvents();
        do
        {
            AskForLargePages();
            const uint64_t left = end - m_engine.GetEventCount();
            hasMore = m_engine.RunSome(
                static_cast<uint32_t>(std::min<uint64_t>(left, EVENTS_BETWEEN_LOOKS)),
                m_interrupted);
        } while (!m_stop && hasMore && m_engine.GetEventCount() < end);
    } while (!m_stop && m_interrupted);
    RecordActivity(m_engine.GetEventCount() - first, begin);
    return m_stop || !hasMore;
}

bool
RdmaSimulatorImpl::RunBefore(const Scheduler::EventKey& limit)
{
    do
    {
        m_interrupted = false;
        TakeForeignEvents();
        if (!m_stop)
        {
            m_engine.RunBefore(limit, &m_interrupted);
        }
    } while (!m_stop && m_interrupted);
    AskForLargePages();
    return !m_stop;
}

void
RdmaSimulatorImpl::Stop()
{
    if (!IsOnOwnThread())
    {
        m_stop = true;
        m_interrupted = true; // comes last: Run() looks at m_stop once it has reset the flag
        return;
    }
    RdmaGroupRun* const run = m_run.get();
    NS_ABORT_MSG_IF(run && (RdmaEngine::GetRunning() || run->IsHandlingNotes()),
                    "rdma: Simulator::Stop() in an event of node "
                        << GetContext()
                        << " while other threads run other nodes; accepted: in an event without a "
                           "node, or with ns3::RdmaSimulatorImpl::Threads=1");
    m_stop = true;
    m_interrupted = true;
    if (run)
    {
        run->Stop();
    }
}

RdmaSimulatorImpl::StopResult
RdmaSimulatorImpl::Stop(const Time& delay)
{
    if (!IsOnOwnThread())
    {
        ScheduleWithContext(Simulator::NO_CONTEXT,
                            delay,
                            MakeEvent(static_cast<void (*)()>(&Simulator::Stop)));
        return StopResult();
    }
    return static_cast<StopResult>(Simulator::Schedule(delay, &Simulator::Stop));
}

Scheduler::EventKey
RdmaSimulatorImpl::Insert(const Time& delay, uint32_t context, EventImpl* event)
{
    const RdmaEventTime at = GetTimeAfter(delay);
    if (m_run)
    {
        return m_run->Insert(at, context, event);
    }
    // A later division of the nodes asks which events are the module's own.
    if (auto* own = dynamic_cast<RdmaEvent*>(event))
    {
        m_engine.Insert(at, context, own);
        return {};
    }
    return m_engine.Insert(at, context, event);
}

EventId
RdmaSimulatorImpl::Schedule(const Time& delay, EventImpl* event)
{
    NS_ASSERT_MSG(IsOnOwnThread(),
                  "Simulator::Schedule() from another thread; accepted: ScheduleWithContext()");
    NS_ASSERT_MSG(delay.IsPositive(), "an event is scheduled for a time that has passed");
    const Scheduler::EventKey key = Insert(delay, GetContext(), event);
    return EventId(event, key.m_ts, key.m_context, key.m_uid);
}

void
RdmaSimulatorImpl::ScheduleWithContext(uint32_t context, const Time& delay, EventImpl* event)
{
    NS_ASSERT_MSG(delay.IsPositive(), "an event is scheduled for a time that has passed");
    if (IsOnOwnThread())
    {
        if (!m_run)
        {
            // ns-3 schedules an event for each node and each device that a script makes.
            AskForLargePages(event);
        }
        Insert(delay, context, event);
        return;
    }
    const std::lock_guard lock(m_foreignMutex);
    m_foreign.push_back({context, delay.GetTimeStep(), event});
    m_interrupted = true;
}

void
RdmaSimulatorImpl::Destroy()
{
    // Such an event may add others.
    while (!m_destroyEvents.empty())
    {
        const Ptr<EventImpl> event = m_destroyEvents.front().PeekEventImpl();
        m_destroyEvents.pop_front();
        if (!event->IsCancelled())
        {
            event->Invoke();
        }
    }
}

EventId
RdmaSimulatorImpl::ScheduleDestroy(EventImpl* event)
{
    NS_ASSERT_MSG(m_thread == std::this_thread::get_id(),
                  "Simulator::ScheduleDestroy() from another thread");
    m_engine.SkipUid();
    return m_destroyEvents.emplace_back(Ptr<EventImpl>(event, false),
                                        GetPresentEngine().GetKey().m_ts,
                                        Simulator::NO_CONTEXT,
                                        EventId::UID::DESTROY);
}

Time
RdmaSimulatorImpl::Now() const
{
    return TimeStep(GetPresentEngine().GetKey().m_ts);
}

Time
RdmaSimulatorImpl::GetDelayLeft(const EventId& id) const
{
    return IsExpired(id) ? TimeStep(0) : TimeStep(id.GetTs() - GetPresentEngine().GetKey().m_ts);
}

void
RdmaSimulatorImpl::Remove(const EventId& id)
{
    if (id.GetUid() == EventId::UID::DESTROY)
    {
        const auto found = std::find(m_destroyEvents.begin(), m_destroyEvents.end(), id);
        if (found != m_destroyEvents.end())
        {
            m_destroyEvents.erase(found);
        }
        return;
    }
    if (IsExpired(id))
    {
        return;
    }
    if (m_run)
    {
        // The event may be in a list that another thread uses, or in no event list yet.
        id.PeekEventImpl()->Cancel();
        return;
    }
    Scheduler::Event event;
    event.impl = id.PeekEventImpl();
    event.key.m_ts = id.GetTs();
    event.key.m_context = id.GetContext();
    event.key.m_uid = id.GetUid();
    m_engine.GetEvents().Remove(event);
    event.impl->Cancel();
    // The list held a reference.
    event.impl->Unref();
}

void
RdmaSimulatorImpl::Cancel(const EventId& id)
{
    if (!IsExpired(id))
    {
        id.PeekEventImpl()->Cancel();
    }
}

bool
RdmaSimulatorImpl::IsExpired(const EventId& id) const
{
    EventImpl* event = id.PeekEventImpl();
    if (!event || event->IsCancelled())
    {
        return true;
    }
    if (id.GetUid() == EventId::UID::DESTROY)
    {
        return std::find(m_destroyEvents.begin(), m_destroyEvents.end(), id) ==
               m_destroyEvents.end();
    }
    const Scheduler::EventKey& key = GetEngineOf(id).GetKey();
    return id.GetTs() < key.m_ts || (id.GetTs() == key.m_ts && id.GetUid() <= key.m_uid);
}

uint32_t
RdmaSimulatorImpl::GetContext() const
{
    return GetPresentEngine().GetKey().m_context;
}

uint64_t
RdmaSimulatorImpl::GetEventCount() const
{
    const RdmaGroupRun* const run = m_run.get();
    return run ? run->GetEventCount() : m_engine.GetEventCount();
}

} // namespace ns3
