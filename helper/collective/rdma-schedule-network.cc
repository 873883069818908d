/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-schedule-network.h"

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

std::string
RdmaScheduleNetwork::DescribeWait(uint32_t /*rank*/) const
{
    return "";
}

} // namespace ns3
