/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fabric-preset.h"

#include "rdma-fabric-options.h"
#include "rdma-option.h"

namespace ns3
{

namespace
{

/** A preset: its name and its options as lines of a configuration file. */
struct Preset
{
    const char* name; //!< value of the option preset
    const char* text; //!< lines in the format of RdmaOptionList::Apply()
};

constexpr Preset FABRIC_PRESETS[] = {
    {"none", ""},
    {"irn", R"(
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
--workload=poisson
--cdf=irn-heavy-tail
--load=0.7
--duration=10ms
--paths=ecmp
)"},
    {"parking-lot", R"(
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
};

} // namespace

void
ApplyRdmaPreset(const std::string& name, RdmaFabricOptions& options)
{
    std::vector<std::string> names;
    for (const Preset& preset : FABRIC_PRESETS)
    {
        names.emplace_back(preset.name);
        if (preset.name == name)
        {
            RdmaOptionList list;
            AddRdmaFabricOptions(list, options);
            list.Apply(preset.text, "preset " + name);
            return;
        }
    }
    CheckRdmaChoice("preset", name, names);
}

} // namespace ns3
