/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-time.h"

#include "rdma-simulator-impl.h"

#include <ns3/abort.h>
#include <ns3/attribute.h>
#include <ns3/event-id.h>
#include <ns3/event-impl.h>
#include <ns3/global-value.h>
#include <ns3/make-event.h>
#include <ns3/map-scheduler.h>
#include <ns3/object-factory.h>
#include <ns3/type-id.h>

#include <cstdint>
#include <sstream>

namespace ns3
{

namespace
{

/**
 * Checker of times from 1 ps on. The limit depends on the resolution at each check.
 */
class PositiveTimeChecker : public AttributeChecker
{
  public:
    bool Check(const AttributeValue& value) const override
    {
        const auto* time = dynamic_cast<const TimeValue*>(&value);
        return time && time->Get() >= PicoSeconds(1) && time->Get().IsStrictlyPositive();
    }

    std::string GetValueTypeName() const override
    {
        return "ns3::TimeValue";
    }

    bool HasUnderlyingTypeInformation() const override
    {
        return true;
    }

    std::string GetUnderlyingTypeInformation() const override
    {
        std::ostringstream text;
        text << "Time " << PicoSeconds(1) << ":" << Time::Max();
        return text.str();
    }

    Ptr<AttributeValue> Create() const override
    {
        return ns3::Create<TimeValue>();
    }

    bool Copy(const AttributeValue& source, AttributeValue& destination) const override
    {
        const auto* from = dynamic_cast<const TimeValue*>(&source);
        auto* to = dynamic_cast<TimeValue*>(&destination);
        if (!from || !to)
        {
            return false;
        }
        *to = *from;
        return true;
    }
};

/// \return true if ns-3 can still convert the existing Time objects to another resolution
bool CanConvertTimes();

/**
 * Reads a private member of ns3::Time: the registry of Time objects, which ns-3 drops at the first
 * Time::SetResolution() and at Simulator::Run(). A further Time::SetResolution() reads a null
 * pointer, and ns-3 has no function that tells. An explicit instantiation may name private members.
 */
template <auto REGISTRY>
struct TimeRegistry
{
    friend bool CanConvertTimes()
    {
        return *REGISTRY != nullptr;
    }
};

template struct TimeRegistry<&Time::g_markingTimes>;

/// Ends the program because an event has been scheduled at another resolution.
[[noreturn]] void
RefuseEarlyEvent()
{
    NS_FATAL_ERROR("rdma: an event after time 0, such as Simulator::Stop(), is scheduled before "
                   "ns-3's time resolution is set to femtoseconds, and would run too early; "
                   "accepted: an rdma helper, RdmaSimulatorImpl::Select() or "
                   "Time::SetResolution(Time::FS) before the first event is scheduled");
}

/**
 * Event list that accepts events of time 0 alone. A simulator gives all pending events to a new
 * event list, and has no other function that tells them.
 */
class FirstInstantScheduler : public MapScheduler
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::QbbFirstInstantScheduler")
                                .SetParent<MapScheduler>()
                                .SetGroupName("Rdma")
                                .AddConstructor<FirstInstantScheduler>();
        return tid;
    }

    void Insert(const Event& ev) override
    {
        if (ev.key.m_ts > 0)
        {
            RefuseEarlyEvent();
        }
        MapScheduler::Insert(ev);
    }
};

/// \return true if a simulator exists
bool
HasSimulator()
{
    // Other functions of ns3::Simulator make one. For an existing simulator, the event is to come.
    const Ptr<EventImpl> nothing(MakeEvent([] {}), false);
    const EventId never(nothing, UINT64_MAX, Simulator::NO_CONTEXT, UINT32_MAX);
    return !Simulator::IsExpired(never);
}

/// Aborts with a message if an event after time 0 is pending.
void
CheckPendingEvents()
{
    if (!HasSimulator())
    {
        return;
    }
    if (const auto own = DynamicCast<RdmaSimulatorImpl>(Simulator::GetImplementation()))
    {
        if (own->HasLaterEvents())
        {
            RefuseEarlyEvent();
        }
        return;
    }
    ObjectFactory factory;
    factory.SetTypeId(FirstInstantScheduler::GetTypeId());
    Simulator::SetScheduler(factory);
    TypeIdValue type;
    GlobalValue::GetValueByName("SchedulerType", type);
    factory.SetTypeId(type.Get());
    Simulator::SetScheduler(factory);
}

} // namespace

Ptr<const AttributeChecker>
RdmaMakePositiveTimeChecker()
{
    return Create<PositiveTimeChecker>();
}

void
RdmaScheduleBySimulator(uint32_t context, RdmaEventTime at, RdmaEventTime now, RdmaEvent* event)
{
    Simulator::ScheduleWithContext(context, RdmaGetDelay(at, now), event);
}

void
RdmaSetTimeResolution()
{
    if (Time::GetResolution() == Time::FS)
    {
        return;
    }
    NS_ABORT_MSG_IF(!CanConvertTimes(),
                    "rdma: the module needs femtosecond resolution, which can no longer be set, "
                    "because the program has called Time::SetResolution() or Simulator::Run(); "
                    "accepted: Time::SetResolution(Time::FS) in their place, or an rdma helper or "
                    "RdmaSimulatorImpl::Select() before anything else in the program");
    CheckPendingEvents();
    Time::SetResolution(Time::FS);
}

void
RdmaCheckTimeResolution()
{
    NS_ABORT_MSG_IF(Time::GetResolution() != Time::FS,
                    "rdma: the module needs femtosecond resolution: create an rdma helper, or call "
                    "Time::SetResolution(Time::FS), before anything else in the program");
}

} // namespace ns3
