/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-pfc-watchdog.h"
#include "qbb-storm-source.h"
#include "qbb-time.h"
#include "rdma-fabric-setup.h"
#include "rdma-nic-watchdog.h"
#include "rdma-option.h"
#include "rdma-part-text.h"
#include "rdma-receive-buffer.h"
#include "rdma-refuse.h"
#include "rdma-units.h"

#include <ns3/nstime.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace ns3
{

namespace
{

/**
 * Makes an object whose attributes are the fields of a text.
 *
 * \tparam T class of the object
 * \param parts the text: host and fields
 * \param fields the fields, of which the last ones may be missing
 * \return the object
 */
template <typename T>
Ptr<T>
MakeFromFields(const std::vector<std::string>& parts, const std::vector<RdmaOptionTarget>& fields)
{
    auto object = CreateObject<T>();
    for (std::size_t i = 1; i < parts.size(); ++i)
    {
        const auto setting = fields[i - 1].Read(T::GetTypeId(), parts[i], "");
        object->SetAttribute(setting->attribute, *setting->value);
    }
    return object;
}

/** \return a time attribute of an object */
Time
GetTimeAttribute(const ObjectBase& object, const std::string& attribute)
{
    TimeValue value;
    object.GetAttribute(attribute, value);
    return value.Get();
}

/**
 * \param option name of an option that needs PFC
 * \param given true if the user gave the option
 * \param options options of the run
 * \throws std::invalid_argument if the option is given and PFC is off
 */
void
RequirePfc(const std::string& option, bool given, const RdmaFabricOptions& options)
{
    RefuseRdmaIf(given && options.pfc != "on",
                 "--" + option + " with --pfc=" + options.pfc + "; accepted: with --pfc=on");
}

/** \return port of a host that is given as text */
Ptr<QbbNetDevice>
GetHostPort(const RdmaFabric& fabric, const std::string& option, const std::string& host)
{
    const auto id = ParseRdmaOption(option, [&] {
        return static_cast<uint32_t>(
            ParseRdmaInteger(host, 0, std::numeric_limits<uint32_t>::max()));
    });
    const RdmaTopology& topology = fabric.GetTopology();
    RefuseRdmaIf(!topology.IsHost(id),
                 "--" + option + ": node " + host +
                     " is not a host; accepted: the id of one of the " +
                     std::to_string(topology.GetHosts().size()) + " hosts");
    return fabric.GetNic(id)->GetPort(0);
}

/** \param text HOST[:START[:STOP]] */
void
AddStorm(const RdmaFabric& fabric, const std::string& text)
{
    const std::vector<RdmaOptionTarget> fields = {{"storm", "", {"Start"}, RdmaOptionForm::TIME},
                                                  {"storm", "", {"Stop"}, RdmaOptionForm::TIME}};
    const auto parts = SplitRdmaPart(text, ':');
    RefuseRdmaIf(parts.size() > 1 + fields.size(),
                 "--storm: \"" + text + "\"; accepted: HOST[:START[:STOP]], several with commas");
    const auto device = GetHostPort(fabric, "storm", parts[0]);
    const auto storm = MakeFromFields<QbbStormSource>(parts, fields);
    const uint8_t classes = device->GetFlowControl().GetLosslessClasses();
    RefuseRdmaIf(!classes,
                 "--storm: \"" + text +
                     "\" in a run without flows, where no class is lossless; "
                     "accepted: with a workload that has flows");
    const bool hasStop = parts.size() == 1 + fields.size();
    RefuseRdmaIf(
        (hasStop && GetTimeAttribute(*storm, "Stop") <= GetTimeAttribute(*storm, "Start")) ||
            device->GetObject<QbbStormSource>(),
        "--storm: \"" + text + "\"; accepted: one for a host, and a stop after the start");
    storm->SetAttribute("Classes", UintegerValue(classes));
    storm->Install(device);
}

/** \param text HOST:RATE[:BUFFER[:STALL_START:STALL_DURATION[:STALL_PERIOD]]] */
void
AddReceiver(const RdmaFabric& fabric, const std::string& text)
{
    constexpr const char* OPTION = "slowReceiver";
    const std::vector<RdmaOptionTarget> fields = {
        {OPTION, "", {"DrainRate"}, RdmaOptionForm::RATE},
        {OPTION, "", {"Size"}, RdmaOptionForm::BYTES},
        {OPTION, "", {"StallStart"}, RdmaOptionForm::TIME},
        {OPTION, "", {"StallDuration"}, RdmaOptionForm::TIME},
        {OPTION, "", {"StallPeriod"}, RdmaOptionForm::TIME}};
    const auto parts = SplitRdmaPart(text, ':');
    RefuseRdmaIf(
        parts.size() < 2 || parts.size() == 4 || parts.size() > 1 + fields.size(),
        "--slowReceiver: \"" + text +
            "\"; accepted: HOST:RATE[:BUFFER[:STALL_START:STALL_DURATION[:STALL_PERIOD]]], "
            "several with commas");
    const auto device = GetHostPort(fabric, OPTION, parts[0]);
    RefuseRdmaIf(PeekPointer(device->GetObject<RdmaReceiveBuffer>()) != nullptr,
                 "--slowReceiver: host " + parts[0] + " twice");
    const auto buffer = MakeFromFields<RdmaReceiveBuffer>(parts, fields);
    UintegerValue size;
    buffer->GetAttribute("Size", size);
    const uint64_t needed = RdmaReceiveBuffer::GetHeadroom(*device);
    RefuseRdmaIf(size.Get() <= needed,
                 "--slowReceiver: " + (parts.size() > 2 ? parts[2] : "1MiB") +
                     "; accepted: more than " + std::to_string(needed) +
                     "B, which its headroom takes, up to 1 GiB");
    const Time duration = GetTimeAttribute(*buffer, "StallDuration");
    RefuseRdmaIf(parts.size() > 4 &&
                     (duration.IsZero() ||
                      (parts.size() == 6 && GetTimeAttribute(*buffer, "StallPeriod") <= duration)),
                 "--slowReceiver: \"" + text +
                     "\"; accepted: a STALL_DURATION above 0, and a STALL_PERIOD above that");
    buffer->Install(device);
}

/** \return the watchdog of a NIC according to the options; no part if there is none */
RdmaPart
MakeNicWatchdog(const RdmaFabricOptions& options)
{
    if (options.nicWatchdog == "off")
    {
        return RdmaPart();
    }
    const TypeId type = RdmaNicWatchdog::GetTypeId();
    RdmaPart part = RdmaPart::Parse(type.GetName(), type);
    options.SetAttributes(part, "NIC watchdog", "nicWatchdog");
    const QbbPs timeout = QbbToPs(GetTimeAttribute(*part.CreateObject(), "Timeout"));
    part.Set("PollInterval", TimeValue(QbbToTime((timeout + 9_ps) / 10)));
    return part;
}

/** \return the PFC watchdog of a switch according to the options; no part if there is none */
RdmaPart
MakeWatchdog(const RdmaFabricOptions& options)
{
    if (options.watchdog == "off")
    {
        options.Refuse("watchdog", "watchdog", "without --watchdog");
        return RdmaPart();
    }
    const TypeId type = QbbPfcWatchdog::GetTypeId();
    RdmaPart part = RdmaPart::Parse(type.GetName(), type);
    options.SetAttributes(part, "watchdog", "watchdog");
    const auto watchdog = part.CreateObject();
    const Time shorter = std::min(GetTimeAttribute(*watchdog, "DetectionTime"),
                                  GetTimeAttribute(*watchdog, "RestorationTime"));
    if (options.watchdogPoll == "auto")
    {
        part.Set("PollInterval", TimeValue(QbbToTime((QbbToPs(shorter) + 1_ps) / 2)));
    }
    else if (GetTimeAttribute(*watchdog, "PollInterval") > shorter)
    {
        throw std::invalid_argument("--watchdogPoll: " + options.watchdogPoll +
                                    "; accepted: at most --detection and --restoration");
    }
    return part;
}

} // namespace

QbbPs
GetRdmaStormTimeout(const RdmaFabricOptions& options)
{
    QbbPs timeout;
    const auto watchdog = MakeWatchdog(options).Create<QbbPfcWatchdog>();
    if (watchdog && watchdog->GetAction() != QbbPfcWatchdog::ALERT)
    {
        timeout = QbbToPs(GetTimeAttribute(*watchdog, "DetectionTime") +
                          GetTimeAttribute(*watchdog, "RestorationTime"));
    }
    if (const auto nicWatchdog = MakeNicWatchdog(options).CreateObject())
    {
        timeout = std::max(timeout, 2 * QbbToPs(GetTimeAttribute(*nicWatchdog, "Timeout")));
    }
    return timeout;
}

void
InstallRdmaFailures(const RdmaFabric& fabric, const RdmaFabricOptions& options)
{
    RequirePfc("storm", !options.storm.empty(), options);
    RequirePfc("watchdog", options.watchdog != "off", options);
    RequirePfc("nicWatchdog", options.nicWatchdog != "off", options);
    const auto forEach = [](const std::string& option, const std::string& texts, auto add) {
        const auto all = ParseRdmaOption(option, [&texts] { return SplitRdmaPart(texts, ','); });
        for (const std::string& text : texts.empty() ? std::vector<std::string>() : all)
        {
            add(text);
        }
    };
    forEach("slowReceiver", options.slowReceiver, [&](const auto& text) {
        AddReceiver(fabric, text);
    });
    forEach("storm", options.storm, [&](const auto& text) { AddStorm(fabric, text); });
    if (const RdmaPart part = MakeNicWatchdog(options); !part.IsNone())
    {
        for (const uint32_t host : fabric.GetTopology().GetHosts())
        {
            part.Create<RdmaNicWatchdog>()->Install(fabric.GetNic(host)->GetPort(0));
        }
    }
    if (const RdmaPart part = MakeWatchdog(options); !part.IsNone())
    {
        for (const uint32_t id : fabric.GetTopology().GetSwitches())
        {
            part.Create<QbbPfcWatchdog>()->Watch(fabric.GetSwitch(id));
        }
    }
}

} // namespace ns3
