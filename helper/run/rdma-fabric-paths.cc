/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fabric-paths.h"

#include "rdma-fabric-deadlock.h"
#include "rdma-option.h"

#include <ns3/enum.h>
#include <ns3/uinteger.h>

namespace ns3
{

void
ConfigureRdmaPaths(RdmaFabricHelper& helper, const RdmaFabricOptions& options)
{
    if (options.routes != "shortest")
    {
        helper.SetRoutingAttribute("Algorithm", EnumValue(ParseRdmaRoutes(options.routes)));
    }
    if (options.ecmpSeed != 0)
    {
        helper.SetSwitchAttribute("EcmpSeed", UintegerValue(options.ecmpSeed));
    }
    ParseRdmaOption("paths", [&] { helper.SetPathSelector(options.paths); });
}

} // namespace ns3
