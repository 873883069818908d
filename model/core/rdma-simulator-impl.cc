/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-simulator-impl.h"

#include "rdma-ranks.h"
#include "rdma-simulator-choice.h"

#include <ns3/abort.h>
#include <ns3/assert.h>
#include <ns3/boolean.h>
#include <ns3/log.h>
#include <ns3/make-event.h>
#include <ns3/simulator.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaSimulatorImpl");

NS_OBJECT_ENSURE_REGISTERED(RdmaSimulatorImpl);

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
                          MakeUintegerChecker<uint32_t>(1, RDMA_MAX_THREADS))
            .AddAttribute("Grouping",
                          "Type of the ns3::QbbNodeGroups that divides nodes among the threads.",
                          StringValue("ns3::QbbFabricGroups"),
                          MakeStringAccessor(&RdmaSimulatorImpl::SetGrouping,
                                             &RdmaSimulatorImpl::GetGrouping),
                          MakeStringChecker())
            .AddAttribute(
                "DeferSinks",
                "With several threads, call the sinks of trace sources between two "
                "windows of simulated time, in the order of the events, and let the nodes "
                "with sinks run on any thread. A sink may then use its arguments and the "
                "clock alone, because the nodes have gone on since the event.",
                BooleanValue(false),
                MakeBooleanAccessor(&RdmaSimulatorImpl::SetDeferSinks,
                                    &RdmaSimulatorImpl::DefersSinks),
                MakeBooleanChecker())
            .AddAttribute("LargePages",
                          "Request large pages for the heap of a large run from Linux. Affects "
                          "speed only.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&RdmaSimulatorImpl::SetLargePages,
                                              &RdmaSimulatorImpl::HasLargePages),
                          MakeBooleanChecker());
    return tid;
}

RdmaSimulatorImpl::RdmaSimulatorImpl()
    : m_parallel(m_engine, m_interrupted),
      m_rank(*this, m_engine),
      m_thread(std::this_thread::get_id())
{
}

void
RdmaSimulatorImpl::Select()
{
    ChooseRdmaSimulator();
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
    return m_thread == std::this_thread::get_id() ||
           (QbbEngine::GetRunning() && m_parallel.GetRun());
}

const QbbEngine&
RdmaSimulatorImpl::GetPresentEngine() const
{
    const QbbEngine* const running = QbbEngine::GetRunning();
    return m_parallel.GetRun() && running ? *running : m_engine;
}

const QbbEngine&
RdmaSimulatorImpl::GetEngineOf(const EventId& id) const
{
    QbbParallelRun* const run = m_parallel.GetRun();
    return run ? run->GetEngine(id.GetContext()) : m_engine;
}

bool
RdmaSimulatorImpl::IsFinished() const
{
    const QbbParallelRun* const run = m_parallel.GetRun();
    if (!run)
    {
        return m_engine.IsEmpty() || m_stop;
    }
    NS_ABORT_MSG_IF(QbbEngine::GetRunning(),
                    "rdma: Simulator::IsFinished() in an event of a node; accepted: in an event "
                    "without a node, or with ns3::RdmaSimulatorImpl::Threads=1");
    return run->IsEmpty() || m_stop;
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
    NS_ABORT_MSG_IF(m_parallel.GetRun(),
                    "rdma: Simulator::Run() in an event; accepted: with "
                    "ns3::RdmaSimulatorImpl::Threads=1");
    m_thread = std::this_thread::get_id();
    m_stop = false;
    m_largePages.Follow();
    {
        const QbbEngine::RunningScope scope(&m_engine);
        if (RdmaRanks::AreSeveral())
        {
            m_parallel.CheckRanks();
        }
        if (m_rank.Run(m_threads, [this](const auto& limit) { return RunBefore(limit); }))
        {
            return;
        }
    }
    if (m_threads > 1)
    {
        RunFirstInstant();
        m_largePages.Follow();
        const auto takeForeign = [this] {
            TakeForeignEvents();
            if (m_stop)
            {
                m_parallel.GetRun()->Stop();
            }
        };
        if (m_stop || m_parallel.Run(m_threads, takeForeign))
        {
            return;
        }
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
        own->m_parallel.KeepOneThread(reason);
    }
}

bool
RdmaSimulatorImpl::HasLaterEvents()
{
    bool isLater = false;
    for (const Scheduler::Event& ev : m_engine.TakeAll())
    {
        isLater = isLater || ev.key.m_ts > 0;
        m_engine.Adopt(ev);
    }
    return isLater;
}

std::string
RdmaSimulatorImpl::GetReasonForOneThread()
{
    const auto own = DynamicCast<RdmaSimulatorImpl>(Simulator::GetImplementation());
    return own && own->m_threads > 1 ? own->m_parallel.GetReason() : "";
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

void
RdmaSimulatorImpl::RunOnOneThread()
{
    const QbbEngine::RunningScope scope(&m_engine);
    m_parallel.HandleNotes();
    do
    {
        m_interrupted = false;
        TakeForeignEvents();
        do
        {
            m_largePages.Follow();
        } while (!m_stop && m_engine.RunSome(EVENTS_BETWEEN_LOOKS, m_interrupted));
    } while (!m_stop && m_interrupted);
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
    m_largePages.Follow();
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
    QbbParallelRun* const run = m_parallel.GetRun();
    NS_ABORT_MSG_IF(run && (QbbEngine::GetRunning() || run->IsHandlingNotes()),
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
    const QbbEventTime at = GetTimeAfter(delay);
    if (QbbParallelRun* const run = m_parallel.GetRun())
    {
        return run->Insert(at, context, event);
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
        if (!m_parallel.GetRun())
        {
            // ns-3 schedules an event for each node and each device that a script makes.
            m_largePages.Follow();
        }
        Insert(delay, context, event);
        return;
    }
    const std::lock_guard lock(m_foreignMutex);
    m_foreign.push_back({context, delay.GetTimeStep(), event});
    m_interrupted = true;
}

EventId
RdmaSimulatorImpl::ScheduleDestroy(EventImpl* event)
{
    NS_ASSERT_MSG(m_thread == std::this_thread::get_id(),
                  "Simulator::ScheduleDestroy() from another thread");
    m_engine.SkipUid();
    return m_destroyEvents.Add(event, GetPresentEngine().GetKey().m_ts);
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
        m_destroyEvents.Remove(id);
        return;
    }
    if (IsExpired(id))
    {
        return;
    }
    if (m_parallel.GetRun())
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
        return !m_destroyEvents.Has(id);
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
    const QbbParallelRun* const run = m_parallel.GetRun();
    return run ? run->GetEventCount() : m_engine.GetEventCount();
}

} // namespace ns3
