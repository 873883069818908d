/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fabric-paths.h"

#include "qbb-time.h"
#include "rdma-fabric-deadlock.h"
#include "rdma-option.h"
#include "rdma-units.h"

#include <ns3/enum.h>
#include <ns3/nstime.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

namespace ns3
{

void
ConfigureRdmaPaths(RdmaFabricHelper& helper, const RdmaFabricOptions& options)
{
    const std::string& paths = options.paths;
    CheckRdmaChoice("paths", paths, {"ecmp", "wcmp", "spray", "spray-in-turn", "drill", "flowlet"});
    helper.SetRoutingAttribute("Algorithm", EnumValue(ParseRdmaRoutes(options.routes)));
    helper.SetSwitchAttribute("EcmpSeed", UintegerValue(options.ecmpSeed));
    const QbbPs gapPs =
        ParseRdmaOption("flowletGap", [&] { return ParseRdmaTime(options.flowletGap); });
    if (paths == "wcmp")
    {
        helper.SetPathSelector("ns3::QbbWcmpPathSelector");
    }
    else if (paths == "drill")
    {
        helper.SetPathSelector("ns3::QbbDrillPathSelector");
    }
    else if (paths == "flowlet")
    {
        helper.SetPathSelector("ns3::QbbFlowletPathSelector");
        helper.SetPathSelectorAttribute("Gap", TimeValue(QbbToTime(gapPs)));
    }
    else if (paths != "ecmp")
    {
        helper.SetPathSelector("ns3::QbbSprayPathSelector");
        helper.SetPathSelectorAttribute("Order",
                                        StringValue(paths == "spray" ? "Random" : "RoundRobin"));
    }
}

} // namespace ns3
