/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-cable.h"

#include "rdma-ranks.h"

namespace ns3
{

Ptr<QbbChannel>
MakeQbbCable(const ObjectFactory& factory, const Node& a, const Node& b)
{
    if (!RdmaRanks::AreSeveral() || a.GetSystemId() == b.GetSystemId())
    {
        return factory.Create<QbbChannel>();
    }
    ObjectFactory remote = factory;
    remote.SetTypeId("ns3::QbbRemoteChannel"); // exists wherever there are ranks
    return remote.Create<QbbChannel>();
}

} // namespace ns3
