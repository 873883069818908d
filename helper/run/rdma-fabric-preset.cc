/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fabric-preset.h"

#include "rdma-option.h"

namespace ns3
{

namespace
{

/** A preset: its name and its options as lines of a configuration file. */
struct Preset
{
    const char* option; //!< option that selects the preset
    const char* name;   //!< value of that option
    const char* text;   //!< lines in the format of RdmaOptionList::Apply()
};

constexpr Preset FABRIC_PRESETS[] = {
    {"preset", "none", ""},
    {"preset", "irn", R"(
--topology=fat-tree:6
--rate=40Gbps
--uplinkRate=40Gbps
--delay=2us
--mtu=1000
--transport=irn
--cc=none
--pfc=off
--switch=input-queued
--portBuffer=240KB
--ns3::QbbEcnMarker::MarkBy=Queue
--ns3::IrnTransport::WriteHeaders=Roce
--ns3::RdmaNic::PaceCatchUp=false
--workload=poisson
--cdf=irn-heavy-tail
--load=0.7
--duration=10ms
--paths=ecmp
)"},
    {"preset", "parking-lot", R"(
--topology=parking-lot:3x1
--rate=40Gbps
--uplinkRate=40Gbps
--delay=10ns
--mtu=2048
--transport=roce
--pfc=on
--switch=input-queued
--cells=64
)"},
    {"bufferPreset", "none", ""},
    {"bufferPreset",
     "trident2",
     "--buffer=shared[BufferSize=12582912|ReserveBytes=1248|LosslessAlpha=0.125|LossyAlpha=8"
     "|EgressMinBytes=1518|LossyEgressAlpha=8|LossyEgressPoolBytes=9243812]"},
    {"bufferPreset",
     "trident3",
     "--buffer=shared[BufferSize=33554432|ReserveBytes=1792|LosslessAlpha=0.125|LossyAlpha=8"
     "|EgressMinBytes=1792|LossyEgressAlpha=8|LossyEgressPoolBytes=24192256]"},
    {"bufferPreset",
     "tomahawk3",
     "--buffer=shared[BufferSize=67108864|ReserveBytes=1792|LosslessAlpha=0.125|LossyAlpha=8"
     "|EgressMinBytes=1792|LossyEgressAlpha=8|LossyEgressPoolBytes=48384512]"},
};

/**
 * \param option option that selects the preset
 * \param name value of that option
 * \param [in,out] options options to which the preset is applied
 */
void
ApplyFabricPreset(const std::string& option, const std::string& name, RdmaFabricOptions& options)
{
    std::vector<std::string> names;
    for (const Preset& preset : FABRIC_PRESETS)
    {
        if (preset.option != option)
        {
            continue;
        }
        names.emplace_back(preset.name);
        if (preset.name == name)
        {
            options.Apply(preset.text, "preset " + name, RdmaOptionSource::PRESET);
        }
    }
    CheckRdmaChoice(option, name, names);
}

} // namespace

void
ApplyRdmaPreset(const std::string& name, RdmaFabricOptions& options)
{
    ApplyFabricPreset("preset", name, options);
}

std::string
GetRdmaBufferPreset(const std::string& name)
{
    RdmaFabricOptions options;
    ApplyFabricPreset("bufferPreset", name, options);
    return options.buffer;
}

} // namespace ns3
