/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-buffer-plan.h"
#include "qbb-congestion-detector.h"
#include "qbb-input-port-buffer.h"
#include "qbb-shared-buffer.h"
#include "rdma-attribute-text.h"
#include "rdma-fabric-preset.h"
#include "rdma-fabric-setup.h"
#include "rdma-option.h"
#include "rdma-part.h"
#include "rdma-refuse.h"
#include "rdma-sonic-reader.h"
#include "rdma-units.h"
#include "rdma-warnings.h"

#include <ns3/boolean.h>
#include <ns3/enum.h>
#include <ns3/uinteger.h>

#include <cctype>
#include <stdexcept>

namespace ns3
{

namespace
{

/** \param options options of the run \return size given by the option buffer; 0: auto */
uint64_t
GetBufferBytes(const RdmaFabricOptions& options)
{
    if (options.buffer == "auto")
    {
        return 0;
    }
    const uint64_t bytes =
        ParseRdmaOption("buffer", [&] { return ParseRdmaBytes(options.buffer); });
    RefuseRdmaIf(bytes == 0 || bytes > QBB_MAX_BUFFER_BYTES,
                 "--buffer: " + options.buffer + "; accepted: 1 byte to 1 TiB, or auto");
    return bytes;
}

/** \param options options of the run \return true if buffer names a part instead of a size */
bool
IsBufferPart(const RdmaFabricOptions& options)
{
    const char first = options.buffer.empty() ? '0' : options.buffer.front();
    return options.buffer != "auto" && std::isalpha(static_cast<unsigned char>(first));
}

/** \return true if an option names a file of SONiC */
bool
IsSonicGiven(const RdmaFabricOptions& options)
{
    return !options.sonicBuffers.empty() || !options.sonicQos.empty() ||
           !options.sonicPgLookup.empty();
}

/** \throws std::invalid_argument for options that say what the files of SONiC say, too */
void
CheckSonicOptions(const RdmaFabricOptions& options, const RdmaSonicConfig& config)
{
    RefuseRdmaIf(config.hasBuffers &&
                     (options.bufferPreset != "none" || !options.classAlphas.empty()),
                 "--sonicBuffers: with --bufferPreset or --classAlphas; accepted: without them, "
                 "for the table BUFFER_POOL and its profiles say that");
    RefuseRdmaIf(config.hasQos && (options.trust != "dscp" || options.ecn != "auto"),
                 "--sonicQos: with --trust or --ecn; accepted: without them, for the table "
                 "PORT_QOS_MAP and the profiles of its queues say that");
}

/** Applies the files of SONiC and prints notes. \return true if they divide the memory */
bool
ApplySonicFiles(RdmaFabric& fabric, const RdmaFabricOptions& options)
{
    RefuseRdmaIf(options.sonicBuffers.empty() && options.sonicQos.empty(),
                 "--sonicPgLookup: " + options.sonicPgLookup +
                     " without --sonicBuffers; accepted: with it");
    const RdmaSonicConfig config =
        ReadRdmaSonicConfig(options.sonicBuffers, options.sonicQos, options.sonicPgLookup);
    CheckSonicOptions(options, config);
    std::vector<std::string> notes = config.notes;
    const auto more = ApplyRdmaSonicConfig(fabric, config, GetBufferBytes(options));
    notes.insert(notes.end(), more.begin(), more.end());
    for (const std::string& note : notes)
    {
        GetRdmaWarnings() << "rdma: note: " << note << "\n";
    }
    return config.hasBuffers;
}

void
CheckSharedBuffer(const RdmaFabric& fabric, uint32_t id, const std::string& option)
{
    const Ptr<QbbSwitch> sw = fabric.GetSwitch(id);
    const auto buffer = DynamicCast<QbbSharedBuffer>(sw->GetBufferManager());
    if (!buffer)
    {
        return;
    }
    UintegerValue size;
    buffer->GetAttribute("BufferSize", size);
    const uint64_t bytes = size.Get();
    const uint64_t needed = buffer->GetGuaranteedBytes(sw->GetPortProfiles());
    if (needed >= bytes)
    {
        const std::string given =
            option == "auto" ? "auto, " + std::to_string(bytes) + "B" : option;
        throw std::invalid_argument("--buffer: " + given + "; accepted: more than " +
                                    std::to_string(needed) +
                                    "B, which the headroom and reserves of switch " +
                                    fabric.GetTopology().GetNode(id).name + " take (" +
                                    std::to_string(sw->GetNPorts()) + " ports)");
    }
}

void
ConfigureSharedBuffer(RdmaFabricHelper& helper, const RdmaFabricOptions& options)
{
    if (IsBufferPart(options))
    {
        options.Refuse("shared buffer", "buffer", "with --buffer=" + options.buffer);
        ParseRdmaOption("buffer", [&] { helper.SetBufferManager(options.buffer); });
        return;
    }
    constexpr uint64_t DEFAULT_BYTES = 12 << 20;
    const TypeId shared = QbbSharedBuffer::GetTypeId();
    const std::string preset = GetRdmaBufferPreset(options.bufferPreset);
    RefuseRdmaIf(options.buffer != "auto" &&
                     preset != "auto", // of equal sources, see RdmaFabricRun
                 "--buffer=" + options.buffer + " with --bufferPreset=" + options.bufferPreset +
                     "; accepted: one of the two, because a preset has the memory of its chip");
    RdmaPart buffer = RdmaPart::Parse(preset == "auto" ? shared.GetName() : preset, shared);
    if (const uint64_t bytes = GetBufferBytes(options))
    {
        RefuseRdmaIf(IsRdmaDefaultGiven(shared, "BufferSize"),
                     "--buffer=" + options.buffer +
                         " with --ns3::QbbSharedBuffer::BufferSize; accepted: one of the two");
        buffer.Set("BufferSize", UintegerValue(bytes));
    }
    else if (preset == "auto" && !IsRdmaDefaultGiven(shared, "BufferSize"))
    {
        buffer.Set("BufferSize", UintegerValue(DEFAULT_BYTES));
    }
    if (const std::string wrong = QbbClassAlphas::Check(options.classAlphas); !wrong.empty())
    {
        throw std::invalid_argument("--classAlphas: " + wrong);
    }
    options.SetAttributes(buffer, "shared buffer", "bufferPreset");
    helper.SetBufferManager(buffer.ToText());
}

void
FinishSharedBuffer(RdmaFabric& fabric, const RdmaFabricOptions& options)
{
    if (IsSonicGiven(options) && ApplySonicFiles(fabric, options))
    {
        return;
    }
    for (const uint32_t id : fabric.GetTopology().GetSwitches())
    {
        CheckSharedBuffer(fabric, id, options.buffer);
    }
}

void
ConfigurePortBuffers(RdmaFabricHelper& helper, const RdmaFabricOptions& options)
{
    RdmaFabricOptions used = options;
    if (options.pfc != "on")
    {
        for (const char* option : {"xoff", "xon"})
        {
            RefuseRdmaOption(option, options.IsGivenWith(option, "pfc"), "--pfc=" + options.pfc);
        }
        used.xoff = used.xon = "auto";
    }
    RdmaPart buffer = RdmaPart::Parse("ns3::QbbInputPortBuffer", QbbBufferManager::GetTypeId());
    used.SetAttributes(buffer, "port buffer", "switch");
    helper.SetBufferManager(buffer.ToText());
}

/** Sets the attributes of all switches from the options of a group. */
void
SetSwitchAttributes(RdmaFabricHelper& helper,
                    const RdmaFabricOptions& options,
                    const std::string& group)
{
    const auto settings = options.GetSettings(group, QbbSwitch::GetTypeId(), "switch");
    for (const RdmaOptionSetting& setting : settings)
    {
        helper.SetSwitchAttribute(setting.attribute, *setting.value);
    }
}

void
ConfigureTrust(RdmaFabricHelper& helper, const RdmaFabricOptions& options)
{
    CheckRdmaChoice("trust", options.trust, {"dscp", "vlan"});
    helper.SetPfcDeployment(options.trust == "vlan" ? RdmaPfcDeployment::VLAN
                                                    : RdmaPfcDeployment::DSCP);
    RefuseRdmaIf(options.trust == "vlan" && options.transport == "iwarp",
                 "--trust: vlan with --transport=iwarp; accepted: dscp, because "
                 "ns-3's TCP does not choose the PCP");
}

void
ConfigureMarking(RdmaFabricHelper& helper, const RdmaFabricOptions& options)
{
    ParseRdmaOption("marker", [&] { helper.SetMarker(options.marker); });
    RdmaPart detector = ParseRdmaOption("marking", [&] {
        return RdmaPart::ParseOptional(options.marking,
                                       QbbCongestionDetector::GetTypeId(),
                                       "curve");
    });
    if (detector.IsNone())
    {
        options.Refuse("marking", "marking", "with --marking=curve");
        return;
    }
    RefuseRdmaIf(options.ecn != "auto" && options.ecn != "on",
                 "--ecn: " + options.ecn + " with --marking=" + options.marking +
                     "; accepted: auto or on");
    RefuseRdmaIf(!IsRdmaEcnOn(options),
                 "--marking: " + options.marking + " with --ecn=auto and --cc=" + options.cc +
                     "; accepted: curve, or with --ecn=on, or a --cc that needs marks");
    options.SetAttributes(detector, "marking", "marking");
    helper.SetCongestionDetector(detector.ToText());
}

void
CheckPortBuffers(const RdmaFabric& fabric, const RdmaFabricOptions& options)
{
    for (const uint32_t id : fabric.GetTopology().GetSwitches())
    {
        const Ptr<QbbSwitch> sw = fabric.GetSwitch(id);
        const auto buffer = DynamicCast<QbbInputPortBuffer>(sw->GetBufferManager());
        UintegerValue size;
        buffer->GetAttribute("PortBufferBytes", size);
        for (const QbbPortProfile& profile : sw->GetPortProfiles())
        {
            const uint64_t needed = buffer->GetLeastBytes(profile) + options.cells - 1;
            RefuseRdmaIf(size.Get() < needed,
                         "--portBuffer: " + options.portBuffer + "; accepted: at least " +
                             std::to_string(needed) + "B, for a port of switch " +
                             fabric.GetTopology().GetNode(id).name +
                             (profile.losslessMask ? " with its headroom" : ""));
        }
    }
}

} // namespace

void
ConfigureRdmaSwitch(RdmaFabricHelper& helper, const RdmaFabricOptions& options)
{
    CheckRdmaChoice("switch", options.switchType, {"shared", "input-queued"});
    const std::string with = "with --switch=" + options.switchType;
    SetSwitchAttributes(helper, options, "switch");
    ConfigureTrust(helper, options);
    if (options.switchType == "shared")
    {
        options.Refuse("port buffer", "switch", with);
        options.Refuse("crossbar", "switch", with);
        ConfigureSharedBuffer(helper, options);
    }
    else
    {
        RefuseRdmaOption("buffer",
                         options.IsGivenWith("buffer", "switch"),
                         "--switch=input-queued; see --portBuffer");
        options.Refuse("shared buffer", "switch", with);
        ConfigurePortBuffers(helper, options);
        helper.SetSwitchAttribute("Queueing", EnumValue(QbbSwitch::INPUT_QUEUED));
        if (options.crossbar != "off")
        {
            helper.SetSwitchAttribute("Crossbar", BooleanValue(true));
            SetSwitchAttributes(helper, options, "crossbar");
        }
    }
    ConfigureMarking(helper, options);
}

void
FinishRdmaSwitch(RdmaFabric& fabric, const RdmaFabricOptions& options)
{
    options.switchType == "shared" ? FinishSharedBuffer(fabric, options)
                                   : CheckPortBuffers(fabric, options);
    for (const uint32_t id : fabric.GetTopology().GetSwitches())
    {
        // Refuses settings that the start of the simulation would refuse.
        fabric.GetSwitch(id)->ConfigureBuffer();
    }
}

} // namespace ns3
