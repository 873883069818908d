/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fabric-buffers.h"

#include "qbb-shared-buffer.h"
#include "rdma-buffer-presets.h"
#include "rdma-option.h"
#include "rdma-sonic-reader.h"
#include "rdma-units.h"

#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <iostream>
#include <stdexcept>

namespace ns3
{

namespace
{

/** \param options a run, whose preset is not none \return the preset */
const RdmaBufferPreset&
FindBufferPreset(const RdmaFabricOptions& options)
{
    std::vector<std::string> names{"none"};
    for (const RdmaBufferPreset& preset : GetRdmaBufferPresets())
    {
        names.push_back(preset.name);
    }
    CheckRdmaChoice("bufferPreset", options.bufferPreset, names);
    return GetRdmaBufferPreset(options.bufferPreset);
}

/** \param options a run \return bytes of memory of each switch */
uint64_t
GetBufferBytes(const RdmaFabricOptions& options)
{
    if (options.buffer == "auto")
    {
        constexpr uint64_t DEFAULT = 12 << 20;
        return options.bufferPreset == "none" ? DEFAULT : FindBufferPreset(options).bytes;
    }
    const uint64_t bytes =
        ParseRdmaOption("buffer", [&] { return ParseRdmaBytes(options.buffer); });
    if (bytes == 0 || bytes > UINT32_MAX)
    {
        throw std::invalid_argument("--buffer: " + options.buffer +
                                    "; accepted: 1 byte to 4 GiB - 1, or auto");
    }
    return bytes;
}

void
CheckBuffer(const RdmaFabric& fabric, uint32_t id, const RdmaFabricOptions& options)
{
    const uint64_t bytes = GetBufferBytes(options);
    const Ptr<QbbSwitch> sw = fabric.GetSwitch(id);
    const auto buffer = DynamicCast<QbbSharedBuffer>(sw->GetBufferManager());
    if (!buffer)
    {
        return;
    }
    const uint64_t needed = buffer->GetGuaranteedBytes(sw->GetPortProfiles());
    if (needed >= bytes)
    {
        const std::string given =
            options.buffer == "auto" ? "auto, " + std::to_string(bytes) + "B" : options.buffer;
        throw std::invalid_argument("--buffer: " + given + "; accepted: more than " +
                                    std::to_string(needed) +
                                    "B, which the headroom and reserves of switch " +
                                    fabric.GetTopology().GetNode(id).name + " take (" +
                                    std::to_string(sw->GetNPorts()) + " ports)");
    }
}

} // namespace

void
ConfigureRdmaBuffers(RdmaFabricHelper& helper, const RdmaFabricOptions& options)
{
    const uint64_t bytes = GetBufferBytes(options);
    if (options.bufferPreset != "none")
    {
        SetRdmaBufferPreset(helper, FindBufferPreset(options));
    }
    helper.SetBufferAttribute("BufferSize", UintegerValue(bytes));
    if (!options.classAlphas.empty())
    {
        const std::string wrong = QbbClassAlphas::Check(options.classAlphas);
        if (!wrong.empty())
        {
            throw std::invalid_argument("--classAlphas: " + wrong);
        }
        helper.SetBufferAttribute("ClassAlphas", StringValue(options.classAlphas));
    }
    if (options.sonicBuffers.empty() != options.sonicQos.empty())
    {
        throw std::invalid_argument("--sonicBuffers: \"" + options.sonicBuffers +
                                    "\" with --sonicQos=\"" + options.sonicQos +
                                    "\"; accepted: both, or none");
    }
    if (!options.sonicBuffers.empty() &&
        (options.bufferPreset != "none" || !options.classAlphas.empty() ||
         options.trust != "dscp" || options.ecn != "auto"))
    {
        throw std::invalid_argument(
            "--sonicBuffers: with --bufferPreset, --classAlphas, --trust or "
            "--ecn; accepted: without them, for the files say all that");
    }
    ConfigureRdmaTrust(helper, options);
}

void
ConfigureRdmaTrust(RdmaFabricHelper& helper, const RdmaFabricOptions& options)
{
    CheckRdmaChoice("trust", options.trust, {"dscp", "vlan"});
    helper.SetPfcDeployment(options.trust == "vlan" ? RdmaPfcDeployment::VLAN
                                                    : RdmaPfcDeployment::DSCP);
    if (options.trust == "vlan" && options.transport == "iwarp")
    {
        throw std::invalid_argument("--trust: vlan with --transport=iwarp; accepted: dscp, because "
                                    "ns-3's TCP does not choose the PCP");
    }
}

void
FinishRdmaBuffers(RdmaFabric& fabric, const RdmaFabricOptions& options)
{
    if (!options.sonicBuffers.empty())
    {
        const RdmaSonicConfig config = ReadRdmaSonicConfig(options.sonicBuffers, options.sonicQos);
        std::vector<std::string> notes = config.notes;
        const auto more =
            ApplyRdmaSonicConfig(fabric,
                                 config,
                                 options.buffer == "auto" ? 0 : GetBufferBytes(options));
        notes.insert(notes.end(), more.begin(), more.end());
        for (const std::string& note : notes)
        {
            std::cerr << "rdma: note: " << note << "\n";
        }
        return;
    }
    for (const uint32_t id : fabric.GetTopology().GetSwitches())
    {
        CheckBuffer(fabric, id, options);
    }
}

} // namespace ns3
