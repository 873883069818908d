/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-time.h"

#include <ns3/abort.h>
#include <ns3/attribute.h>

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

} // namespace

Ptr<const AttributeChecker>
QbbMakePositiveTimeChecker()
{
    return Create<PositiveTimeChecker>();
}

void
QbbScheduleBySimulator(uint32_t context, QbbEventTime at, QbbEventTime now, QbbEvent* event)
{
    Simulator::ScheduleWithContext(context, QbbGetDelay(at, now), event);
}

void
QbbSetTimeResolution()
{
    if (Time::GetResolution() != Time::FS)
    {
        Time::SetResolution(Time::FS);
    }
}

void
QbbCheckTimeResolution()
{
    NS_ABORT_MSG_IF(Time::GetResolution() != Time::FS,
                    "rdma: the module needs femtosecond resolution: create an rdma helper, or call "
                    "Time::SetResolution(Time::FS), before anything else in the program");
}

} // namespace ns3
