/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-congestion-detector.h"
#include "qbb-input-port-buffer.h"
#include "qbb-shared-buffer.h"
#include "rdma-attribute-text.h"
#include "rdma-fabric-preset.h"
#include "rdma-fabric-setup.h"
#include "rdma-option.h"
#include "rdma-part.h"
#include "rdma-ranks.h"
#include "rdma-refuse.h"
#include "rdma-sonic-reader.h"
#include "rdma-units.h"

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
    RefuseRdmaIf(bytes == 0 || bytes > UINT32_MAX,
                 "--buffer: " + options.buffer + "; accepted: 1 byte to 4 GiB - 1, or auto");
    return bytes;
}

/** \param options options of the run \return true if buffer names a part instead of a size */
bool
IsBufferPart(const RdmaFabricOptions& options)
{
    const char first = options.buffer.empty() ? '0' : options.buffer.front();
    return options.buffer != "auto" && std::isalpha(static_cast<unsigned char>(first));
}

/** \throws std::invalid_argument for one SONiC option alone, or for SONiC with other options */
void
CheckSonicOptions(const RdmaFabricOptions& options)
{
    RefuseRdmaIf(options.sonicBuffers.empty() != options.sonicQos.empty(),
                 "--sonicBuffers: \"" + options.sonicBuffers + "\" with --sonicQos=\"" +
                     options.sonicQos + "\"; accepted: both, or none");
    RefuseRdmaIf(!options.sonicBuffers.empty() &&
                     (options.bufferPreset != "none" || !options.classAlphas.empty() ||
                      options.trust != "dscp" || options.ecn != "auto"),
                 "--sonicBuffers: with --bufferPreset, --classAlphas, --trust or "
                 "--ecn; accepted: without them, for the files say all that");
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
        options.Refuse("shared buffer", "with --buffer=" + options.buffer);
        ParseRdmaOption("buffer", [&] { helper.SetBufferManager(options.buffer); });
        return;
    }
    constexpr uint64_t DEFAULT_BYTES = 12 << 20;
    const TypeId shared = QbbSharedBuffer::GetTypeId();
    const std::string preset = GetRdmaBufferPreset(options.bufferPreset);
    RdmaPart buffer = RdmaPart::Parse(preset == "auto" ? shared.GetName() : preset, shared);
    if (const uint64_t bytes = GetBufferBytes(options))
    {
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
    options.SetAttributes(buffer, "shared buffer", "--bufferPreset=" + options.bufferPreset);
    CheckSonicOptions(options);
    helper.SetBufferManager(buffer.ToText());
}

void
FinishSharedBuffer(RdmaFabric& fabric, const RdmaFabricOptions& options)
{
    if (!options.sonicBuffers.empty())
    {
        const RdmaSonicConfig config = ReadRdmaSonicConfig(options.sonicBuffers, options.sonicQos);
        std::vector<std::string> notes = config.notes;
        const auto more = ApplyRdmaSonicConfig(fabric, config, GetBufferBytes(options));
        notes.insert(notes.end(), more.begin(), more.end());
        for (const std::string& note : notes)
        {
            RdmaRanks::GetWarnings() << "rdma: note: " << note << "\n";
        }
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
        used.xoff = used.xon = "auto"; // XOFF and XON have no effect without PFC.
    }
    RdmaPart buffer = RdmaPart::Parse("ns3::QbbInputPortBuffer", QbbBufferManager::GetTypeId());
    used.SetAttributes(buffer, "port buffer", "--switch=input-queued");
    helper.SetBufferManager(buffer.ToText());
}

/** Sets the attributes of all switches from the options of a group. */
void
SetSwitchAttributes(RdmaFabricHelper& helper,
                    const RdmaFabricOptions& options,
                    const std::string& group)
{
    const auto settings =
        options.GetSettings(group, QbbSwitch::GetTypeId(), "--switch=" + options.switchType);
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
        options.Refuse("marking", "with --marking=curve");
        return;
    }
    RefuseRdmaIf(options.ecn != "auto" && options.ecn != "on",
                 "--ecn: " + options.ecn + " with --marking=" + options.marking +
                     "; accepted: auto or on");
    RefuseRdmaIf(!IsRdmaEcnOn(options),
                 "--marking: " + options.marking + " with --ecn=auto and --cc=" + options.cc +
                     "; accepted: curve, or with --ecn=on, or a --cc that needs marks");
    options.SetAttributes(detector, "marking", "--marking=" + options.marking);
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
        options.Refuse("port buffer", with);
        options.Refuse("crossbar", with);
        ConfigureSharedBuffer(helper, options);
    }
    else
    {
        RefuseRdmaOption("buffer",
                         options.buffer != "auto",
                         "--switch=input-queued; see --portBuffer");
        options.Refuse("shared buffer", with);
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
