/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-node-groups.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(QbbNodeGroups);

TypeId
QbbNodeGroups::GetTypeId()
{
    static TypeId tid = TypeId("ns3::QbbNodeGroups").SetParent<Object>().SetGroupName("Rdma");
    return tid;
}

uint64_t
QbbNodeGroups::GetEventsToNext(uint32_t divisions) const
{
    constexpr uint64_t FIRST = 50'000;
    constexpr uint32_t LIMIT = 15; // the number fits into 64 bits
    return FIRST << (3 * std::min(divisions, LIMIT));
}

} // namespace ns3
