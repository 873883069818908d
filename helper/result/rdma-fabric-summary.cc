/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fabric-summary.h"

namespace ns3
{

std::string
RdmaRunCut::Describe() const
{
    const bool isDeadlock = by == "deadlock";
    return "cut " + (IsUnplanned() && !isDeadlock ? "by " + by + " " : "") + "at " +
           FormatRdmaMicroseconds(at) + (isDeadlock ? " in a deadlock" : "") + ": " +
           std::to_string(left) + " of " + std::to_string(flows) + (hasWindow ? " counted" : "") +
           " flows unfinished";
}

std::string
RdmaFabricSummary::GetEnding() const
{
    return cut ? cut->Describe() : "all counted flows ended";
}

} // namespace ns3
