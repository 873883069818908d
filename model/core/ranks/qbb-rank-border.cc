/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-rank-border.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(QbbRankBorder);

TypeId
QbbRankBorder::GetTypeId()
{
    static TypeId tid = TypeId("ns3::QbbRankBorder").SetParent<Object>().SetGroupName("Rdma");
    return tid;
}

} // namespace ns3
