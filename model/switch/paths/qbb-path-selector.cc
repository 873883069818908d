/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-path-selector.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(QbbPathSelector);

TypeId
QbbPathSelector::GetTypeId()
{
    static TypeId tid = TypeId("ns3::QbbPathSelector").SetParent<Object>().SetGroupName("Rdma");
    return tid;
}

std::optional<uint16_t>
QbbPathSelector::Predict(uint32_t, const QbbForwardingTable::Group&) const
{
    return std::nullopt;
}

bool
QbbPathSelector::MayReorder(RdmaPs) const
{
    return true;
}

} // namespace ns3
