/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-node-groups.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(QbbNodeGroups);

TypeId
QbbNodeGroups::GetTypeId()
{
    static TypeId tid = TypeId("ns3::QbbNodeGroups").SetParent<Object>().SetGroupName("Rdma");
    return tid;
}

} // namespace ns3
