/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-schedule-network.h"

#include "rdma-refuse.h"

#include <ns3/abort.h>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaScheduleNetwork);

TypeId
RdmaScheduleNetwork::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaScheduleNetwork").SetParent<Object>().SetGroupName("Rdma");
    return tid;
}

bool
RdmaScheduleNetwork::IsLocal(uint32_t /*rank*/) const
{
    return true;
}

void
RdmaScheduleNetwork::Forward(uint32_t carrier, const RdmaScheduleMessage& message, uint64_t /*id*/)
{
    NS_ABORT_MSG("rdma: rank " << carrier << " is to forward a message of rank " << message.from
                               << ", but " << GetInstanceTypeId().GetName()
                               << " does not do that; accepted: scale-up[Pxn=false]");
}

void
RdmaScheduleNetwork::ReduceInSwitch(const RdmaScheduleMessage& message, uint64_t /*id*/)
{
    NS_ABORT_MSG("rdma: rank " << message.from << " gives a vector of " << message.bytes
                               << " B to a switch, but " << GetInstanceTypeId().GetName()
                               << " has none that reduces; accepted: --network=scale-up, and ranks "
                                  "of one host");
}

void
RdmaScheduleNetwork::CheckReduction(const std::vector<uint32_t>& /*ranks*/) const
{
    RefuseRdmaIf(true,
                 "an all-reduce in a switch: ",
                 GetInstanceTypeId().GetName(),
                 " has no switch that reduces; accepted: --network=scale-up, and ranks of one "
                 "host");
}

std::string
RdmaScheduleNetwork::DescribeWait(uint32_t /*rank*/) const
{
    return "";
}

void
RdmaScheduleNetwork::Share()
{
}

std::string
RdmaScheduleNetwork::DescribeDelay(const RdmaScheduleMessage& /*message*/,
                                   RdmaPs /*from*/,
                                   RdmaPs /*until*/) const
{
    return "";
}

} // namespace ns3
