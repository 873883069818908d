/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-simulator-impl.h"

#include <ns3/abort.h>
#include <ns3/assert.h>
#include <ns3/enum.h>
#include <ns3/global-value.h>
#include <ns3/log.h>
#include <ns3/object-factory.h>
#include <ns3/simulator.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <exception>
#include <limits>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaSimulatorImpl");

NS_OBJECT_ENSURE_REGISTERED(RdmaSimulatorImpl);

namespace
{

/// Simulator that RdmaSimulatorImpl::Select() makes.
enum SimulatorChoice
{
    OWN_SIMULATOR,
    DEFAULT_SIMULATOR
};

GlobalValue g_rdmaSimulator("simulator",
                            "Simulator that rdma's programs and helpers make: own "
                            "(ns3::RdmaSimulatorImpl), or default (ns-3's). Results are equal.",
                            EnumValue(OWN_SIMULATOR),
                            MakeEnumChecker(OWN_SIMULATOR, "own", DEFAULT_SIMULATOR, "default"));

constexpr uint64_t FIRST_DIVISION = 50'000; // events before nodes are divided again

constexpr uint32_t MAX_THREADS = 256; // largest value of the attribute Threads

GlobalValue g_rdmaThreads("threads",
                          "Threads that share the work of a run, with simulator=own. Results do "
                          "not depend on their number.",
                          UintegerValue(1),
                          MakeUintegerChecker<uint32_t>(1, MAX_THREADS));

constexpr const char* SIMULATOR_TYPE = "SimulatorImplementationType"; // ns-3's global value

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
                          MakeUintegerChecker<uint32_t>(1, MAX_THREADS))
            .AddAttribute("Grouping",
                          "Type of the ns3::QbbNodeGroups that divides nodes among the threads.",
                          StringValue("ns3::QbbFabricGroups"),
                          MakeStringAccessor(&RdmaSimulatorImpl::m_grouping),
                          MakeStringChecker());
    return tid;
}

RdmaSimulatorImpl::RdmaSimulatorImpl()
    : m_thread(std::this_thread::get_id())
{
}

RdmaSimulatorImpl::~RdmaSimulatorImpl()
{
}

void
RdmaSimulatorImpl::Select()
{
    StringValue type;
    GlobalValue::GetValueByName(SIMULATOR_TYPE, type);
    const std::string before = type.Get();
    StringValue choice;
    g_rdmaSimulator.GetValue(choice);
    UintegerValue threads;
    g_rdmaThreads.GetValue(threads);
    if (choice.Get() == "own" && before == "ns3::DefaultSimulatorImpl")
    {
        GlobalValue::Bind(SIMULATOR_TYPE, StringValue(GetTypeId().GetName()));
        // ns-3 makes the simulator here, unless one exists.
        Simulator::GetImplementation();
        GlobalValue::Bind(SIMULATOR_TYPE, StringValue(before));
    }
    if (threads.Get() == 1)
    {
        return;
    }
    const auto own = DynamicCast<RdmaSimulatorImpl>(Simulator::GetImplementation());
    NS_ABORT_MSG_IF(!own,
                    "rdma: threads="
                        << threads.Get() << " with "
                        << Simulator::GetImplementation()->GetInstanceTypeId().GetName()
                        << "; accepted: with simulator=own, before another simulator exists");
    own->SetAttribute("Threads", threads);
}

void
RdmaSimulatorImpl::DoDispose()
{
    TakeForeignEvents();
    m_engine.Clear();
    SimulatorImpl::DoDispose();
}

void
RdmaSimulatorImpl::Destroy()
{
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

void
RdmaSimulatorImpl::SetScheduler(ObjectFactory schedulerFactory)
{
    NS_LOG_INFO("the event list of the simulator is used in place of "
                << schedulerFactory.GetTypeId().GetName());
}

uint32_t
RdmaSimulatorImpl::GetSystemId() const
{
    return 0;
}

bool
RdmaSimulatorImpl::IsOnOwnThread() const
{
    return m_thread == std::this_thread::get_id() || (m_run && QbbEngine::GetRunning());
}

const QbbEngine&
RdmaSimulatorImpl::GetPresentEngine() const
{
    const QbbEngine* const running = QbbEngine::GetRunning();
    return m_run && running ? *running : m_engine;
}

const QbbEngine&
RdmaSimulatorImpl::GetEngineOf(const EventId& id) const
{
    return m_run ? m_run->GetEngine(id.GetContext()) : m_engine;
}

bool
RdmaSimulatorImpl::IsFinished() const
{
    if (!m_run)
    {
        return m_engine.IsEmpty() || m_stop;
    }
    NS_ABORT_MSG_IF(QbbEngine::GetRunning(),
                    "rdma: Simulator::IsFinished() in an event of a node; accepted: in an event "
                    "without a node, or with ns3::RdmaSimulatorImpl::Threads=1");
    return m_run->IsEmpty() || m_stop;
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
    m_reason = m_threads > 1 ? m_demand : "";
    if (m_threads > 1 && m_demand.empty())
    {
        RunFirstInstant();
        if (m_stop)
        {
            return;
        }
        if (const uint32_t groups = DivideNodes(); groups > 1)
        {
            RunApart(groups);
            return;
        }
        m_reason = m_groups->GetReason();
    }
    RunOnOneThread();
}

uint32_t
RdmaSimulatorImpl::GetThreads()
{
    const auto own = DynamicCast<RdmaSimulatorImpl>(Simulator::GetImplementation());
    return own ? own->m_threads : 1;
}

void
RdmaSimulatorImpl::KeepOneThread(const std::string& reason)
{
    if (const auto own = DynamicCast<RdmaSimulatorImpl>(Simulator::GetImplementation()))
    {
        own->m_demand = reason;
    }
}

std::string
RdmaSimulatorImpl::GetReasonForOneThread()
{
    const auto own = DynamicCast<RdmaSimulatorImpl>(Simulator::GetImplementation());
    return own ? own->m_reason : "";
}

void
RdmaSimulatorImpl::RunFirstInstant()
{
    // ns-3 initialises all nodes in events of the first instant.
    const QbbEngine::RunningScope scope(&m_engine);
    const uint64_t first = m_engine.GetKey().m_ts;
    TakeForeignEvents();
    while (!m_stop && m_engine.GetNextKey().m_ts == first)
    {
        m_engine.RunNext();
    }
}

std::set<uint32_t>
RdmaSimulatorImpl::FindForeignNodes()
{
    std::set<uint32_t> nodes;
    for (const Scheduler::Event& ev : m_engine.TakeAll())
    {
        if (!QbbEngine::IsOwn(ev.impl) && ev.key.m_context != Simulator::NO_CONTEXT)
        {
            nodes.insert(ev.key.m_context);
        }
        m_engine.Adopt(ev);
    }
    return nodes;
}

uint32_t
RdmaSimulatorImpl::DivideNodes()
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
    return m_groups->Divide(m_threads, FindForeignNodes());
}

void
RdmaSimulatorImpl::RunApart(uint32_t groups)
{
    // Groups are divided again when it is known how much each node has to do, and then seldom.
    uint64_t events = FIRST_DIVISION;
    const auto takeForeign = [this] { TakeForeignEvents(); };
    bool isOver = false;
    while (!isOver && groups > 1)
    {
        m_run = std::make_unique<QbbParallelRun>(m_engine, *m_groups, groups, m_interrupted);
        std::exception_ptr failure;
        try
        {
            isOver = m_run->Run(takeForeign, events);
        }
        catch (...)
        {
            failure = std::current_exception();
        }
        m_run.reset();
        m_groups->Unite();
        if (failure)
        {
            std::rethrow_exception(failure);
        }
        if (!isOver)
        {
            events *= 8;
            groups = DivideNodes();
        }
    }
    if (!isOver)
    {
        m_reason = m_groups->GetReason();
        RunOnOneThread();
    }
}

void
RdmaSimulatorImpl::RunOnOneThread()
{
    const QbbEngine::RunningScope scope(&m_engine);
    do
    {
        m_interrupted = false;
        TakeForeignEvents();
        while (m_engine.RunNext() && !m_interrupted.load(std::memory_order_relaxed))
        {
        }
    } while (!m_stop && m_interrupted);
}

void
RdmaSimulatorImpl::Stop()
{
    NS_ABORT_MSG_IF(m_run && QbbEngine::GetRunning(),
                    "rdma: Simulator::Stop() in an event of node "
                        << GetContext()
                        << " while other threads run other nodes; accepted: in an event without a "
                           "node, or with ns3::RdmaSimulatorImpl::Threads=1");
    m_stop = true;
    m_interrupted = true;
    if (m_run)
    {
        m_run->Stop();
    }
}

RdmaSimulatorImpl::StopResult
RdmaSimulatorImpl::Stop(const Time& delay)
{
    return static_cast<StopResult>(Simulator::Schedule(delay, &Simulator::Stop));
}

QbbEventTime
RdmaSimulatorImpl::GetTimeAfter(const Time& delay) const
{
    return QbbEventTime::FromFs((delay + Now()).GetTimeStep());
}

Scheduler::EventKey
RdmaSimulatorImpl::Insert(const Time& delay, uint32_t context, EventImpl* event)
{
    const QbbEventTime at = GetTimeAfter(delay);
    if (m_run)
    {
        return m_run->Insert(at, context, event);
    }
    // A later division of the nodes asks which events are the module's own.
    if (auto* own = m_threads > 1 ? dynamic_cast<QbbEvent*>(event) : nullptr)
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
        Insert(delay, context, event);
        return;
    }
    const std::lock_guard lock(m_foreignMutex);
    m_foreign.push_back({context, delay.GetTimeStep(), event});
    m_interrupted = true;
}

EventId
RdmaSimulatorImpl::ScheduleNow(EventImpl* event)
{
    return Schedule(Time(0), event);
}

EventId
RdmaSimulatorImpl::ScheduleDestroy(EventImpl* event)
{
    NS_ASSERT_MSG(m_thread == std::this_thread::get_id(),
                  "Simulator::ScheduleDestroy() from another thread");
    m_destroyEvents.emplace_back(Ptr<EventImpl>(event, false),
                                 GetPresentEngine().GetKey().m_ts,
                                 Simulator::NO_CONTEXT,
                                 EventId::UID::DESTROY);
    m_engine.SkipUid();
    return m_destroyEvents.back();
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
        // The list of another thread, or one between two windows, cannot be searched.
        id.PeekEventImpl()->Cancel();
        return;
    }
    Scheduler::Event event;
    event.impl = id.PeekEventImpl();
    event.key.m_ts = id.GetTs();
    event.key.m_context = id.GetContext();
    event.key.m_uid = id.GetUid();
    m_engine.Remove(event);
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

Time
RdmaSimulatorImpl::GetMaximumSimulationTime() const
{
    return TimeStep(std::numeric_limits<int64_t>::max());
}

uint32_t
RdmaSimulatorImpl::GetContext() const
{
    return GetPresentEngine().GetKey().m_context;
}

uint64_t
RdmaSimulatorImpl::GetEventCount() const
{
    return m_run ? m_run->GetEventCount() : m_engine.GetEventCount();
}

} // namespace ns3
