/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-simulator-impl.h"

#include <ns3/abort.h>
#include <ns3/assert.h>
#include <ns3/enum.h>
#include <ns3/global-value.h>
#include <ns3/log.h>
#include <ns3/simulator.h>
#include <ns3/string.h>

#include <algorithm>
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

constexpr const char* SIMULATOR_TYPE = "SimulatorImplementationType"; // ns-3's global value

} // namespace

TypeId
RdmaSimulatorImpl::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaSimulatorImpl")
                            .SetParent<SimulatorImpl>()
                            .SetGroupName("Rdma")
                            .AddConstructor<RdmaSimulatorImpl>();
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
    if (choice.Get() != "own" || before != "ns3::DefaultSimulatorImpl")
    {
        return;
    }
    GlobalValue::Bind(SIMULATOR_TYPE, StringValue(GetTypeId().GetName()));
    // ns-3 makes the simulator here, unless one exists.
    Simulator::GetImplementation();
    GlobalValue::Bind(SIMULATOR_TYPE, StringValue(before));
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
RdmaSimulatorImpl::IsFinished() const
{
    return m_engine.IsEmpty() || m_stop;
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
        const int64_t now = m_engine.GetTime().GetFs();
        m_engine.Insert(QbbEventTime::FromFs(now + foreign.delayFs),
                        foreign.context,
                        foreign.event);
    }
}

void
RdmaSimulatorImpl::Run()
{
    const QbbEngine::RunningScope scope(m_engine);
    m_thread = std::this_thread::get_id();
    m_stop = false;
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
    m_stop = true;
    m_interrupted = true;
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

EventId
RdmaSimulatorImpl::Schedule(const Time& delay, EventImpl* event)
{
    NS_ASSERT_MSG(m_thread == std::this_thread::get_id(),
                  "Simulator::Schedule() from another thread; accepted: ScheduleWithContext()");
    NS_ASSERT_MSG(delay.IsPositive(), "an event is scheduled for a time that has passed");
    const Scheduler::EventKey key =
        m_engine.Insert(GetTimeAfter(delay), m_engine.GetKey().m_context, event);
    return EventId(event, key.m_ts, key.m_context, key.m_uid);
}

void
RdmaSimulatorImpl::ScheduleWithContext(uint32_t context, const Time& delay, EventImpl* event)
{
    NS_ASSERT_MSG(delay.IsPositive(), "an event is scheduled for a time that has passed");
    if (m_thread == std::this_thread::get_id())
    {
        m_engine.Insert(GetTimeAfter(delay), context, event);
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
                                 m_engine.GetKey().m_ts,
                                 Simulator::NO_CONTEXT,
                                 EventId::UID::DESTROY);
    m_engine.SkipUid();
    return m_destroyEvents.back();
}

Time
RdmaSimulatorImpl::Now() const
{
    return TimeStep(m_engine.GetKey().m_ts);
}

Time
RdmaSimulatorImpl::GetDelayLeft(const EventId& id) const
{
    return IsExpired(id) ? TimeStep(0) : TimeStep(id.GetTs() - m_engine.GetKey().m_ts);
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
    const Scheduler::EventKey& key = m_engine.GetKey();
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
    return m_engine.GetKey().m_context;
}

uint64_t
RdmaSimulatorImpl::GetEventCount() const
{
    return m_engine.GetEventCount();
}

} // namespace ns3
