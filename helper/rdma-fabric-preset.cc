/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fabric-preset.h"

#include "rdma-option.h"

namespace ns3
{

namespace
{

void
ApplyIrn(RdmaFabricOptions& options)
{
    options.topology = "fat-tree:6";
    options.rate = "40Gbps";
    options.uplinkRate = "40Gbps";
    options.delay = "2us";
    options.mtu = 1000;
    options.transport = "irn";
    options.cc = "none";
    options.pfc = "off";
    options.switchType = "input-queued";
    options.portBuffer = "240KB";
    options.workload = "poisson";
    options.cdf = "irn-heavy-tail";
    options.load = 0.7;
    options.duration = "10ms";
    options.paths = "ecmp";
}

void
ApplyParkingLot(RdmaFabricOptions& options)
{
    options.topology = "parking-lot:3x1";
    options.rate = "40Gbps";
    options.uplinkRate = "40Gbps";
    options.delay = "10ns";
    options.mtu = 2048;
    options.transport = "roce";
    options.pfc = "on";
    options.switchType = "input-queued";
    options.cells = 64;
}

} // namespace

void
ApplyRdmaPreset(const std::string& name, RdmaFabricOptions& options)
{
    CheckRdmaChoice("preset", name, {"none", "irn", "parking-lot"});
    if (name == "irn")
    {
        ApplyIrn(options);
    }
    else if (name == "parking-lot")
    {
        ApplyParkingLot(options);
    }
}

std::string
FindRdmaPreset(int argc, const char* const* argv)
{
    std::string name = "none";
    for (int i = 1; i < argc; ++i)
    {
        std::string text = argv[i];
        text.erase(0, text.find_first_not_of('-'));
        constexpr const char OPTION[] = "preset=";
        if (argv[i][0] == '-' && text.rfind(OPTION, 0) == 0)
        {
            name = text.substr(sizeof(OPTION) - 1);
        }
    }
    return name;
}

} // namespace ns3
