/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fabric-buffers.h"

#include "qbb-shared-buffer.h"
#include "rdma-attribute-text.h"
#include "rdma-buffer-presets.h"
#include "rdma-option.h"
#include "rdma-sonic-reader.h"
#include "rdma-units.h"

#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <cctype>
#include <iostream>
#include <stdexcept>

namespace ns3
{

namespace
{

/** \param options options of a run that names a buffer preset \return the preset */
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

/** \param options options of the run \return buffer memory of each switch, in bytes */
uint64_t
GetBufferBytes(const RdmaFabricOptions& options)
{
    if (options.buffer == "auto" && options.bufferPreset != "none")
    {
        return FindBufferPreset(options).bytes;
    }
    if (options.buffer == "auto")
    {
        constexpr uint64_t DEFAULT = 12 << 20;
        if (!IsRdmaDefaultGiven(QbbSharedBuffer::GetTypeId(), "BufferSize"))
        {
            return DEFAULT;
        }
        UintegerValue given;
        CreateObject<QbbSharedBuffer>()->GetAttribute("BufferSize", given);
        return given.Get();
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

/** \param options options of the run \return true if buffer names a part instead of a size */
bool
IsBufferPart(const RdmaFabricOptions& options)
{
    const char first = options.buffer.empty() ? '0' : options.buffer.front();
    return options.buffer != "auto" && std::isalpha(static_cast<unsigned char>(first));
}

void
CheckBuffer(const RdmaFabric& fabric, uint32_t id, const std::string& option)
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

} // namespace

void
ConfigureRdmaBuffers(RdmaFabricHelper& helper, const RdmaFabricOptions& options)
{
    if (IsBufferPart(options))
    {
        const std::string with = "--buffer=" + options.buffer;
        RefuseRdmaOption("bufferPreset", options.bufferPreset != "none", with);
        RefuseRdmaOption("classAlphas", !options.classAlphas.empty(), with);
        RefuseRdmaOption("sonicBuffers",
                         !options.sonicBuffers.empty() || !options.sonicQos.empty(),
                         with);
        ParseRdmaOption("buffer", [&] { helper.SetBufferManager(options.buffer); });
        ConfigureRdmaTrust(helper, options);
        return;
    }
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
        CheckBuffer(fabric, id, options.buffer);
    }
}

} // namespace ns3
