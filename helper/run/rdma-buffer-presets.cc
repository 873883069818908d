/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-buffer-presets.h"

#include <ns3/double.h>
#include <ns3/uinteger.h>

#include <stdexcept>

namespace ns3
{

namespace
{

constexpr uint32_t MIB = 1024 * 1024;
constexpr uint32_t TRIDENT3_LOSSY_POOL = 24'192'256;

} // namespace

const std::vector<RdmaBufferPreset>&
GetRdmaBufferPresets()
{
    static const std::vector<RdmaBufferPreset> presets = {
        {"trident2",
         "Broadcom Trident II (BCM56850)",
         12 * MIB,
         1248,
         0.125,
         8,
         1518,
         8,
         9'243'812},
        {"trident3",
         "Broadcom Trident 3 (BCM56870)",
         32 * MIB,
         1792,
         0.125,
         8,
         1792,
         8,
         TRIDENT3_LOSSY_POOL},
        {"tomahawk3",
         "Broadcom Tomahawk 3 (BCM56980)",
         64 * MIB,
         1792,
         0.125,
         8,
         1792,
         8,
         2 * TRIDENT3_LOSSY_POOL},
    };
    return presets;
}

const RdmaBufferPreset&
GetRdmaBufferPreset(const std::string& name)
{
    std::string list;
    for (const RdmaBufferPreset& preset : GetRdmaBufferPresets())
    {
        if (preset.name == name)
        {
            return preset;
        }
        list += (list.empty() ? "" : ", ") + preset.name;
    }
    throw std::invalid_argument("unknown value \"" + name + "\"; accepted: " + list);
}

void
SetRdmaBufferPreset(RdmaFabricHelper& helper, const RdmaBufferPreset& preset)
{
    helper.SetBufferAttribute("BufferSize", UintegerValue(preset.bytes));
    helper.SetBufferAttribute("ReserveBytes", UintegerValue(preset.reserveBytes));
    helper.SetBufferAttribute("LosslessAlpha", DoubleValue(preset.losslessAlpha));
    helper.SetBufferAttribute("LossyAlpha", DoubleValue(preset.lossyAlpha));
    helper.SetBufferAttribute("EgressMinBytes", UintegerValue(preset.egressMinBytes));
    helper.SetBufferAttribute("LossyEgressAlpha", DoubleValue(preset.lossyEgressAlpha));
    helper.SetBufferAttribute("LossyEgressPoolBytes", UintegerValue(preset.lossyEgressPoolBytes));
}

} // namespace ns3
