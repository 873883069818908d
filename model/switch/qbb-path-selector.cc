/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-path-selector.h"

#include "rdma-compat.h"

#include <ns3/enum.h>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(QbbPathSelector);
NS_OBJECT_ENSURE_REGISTERED(QbbSprayPathSelector);

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

void
QbbPathSelector::SetSwitch(const QbbSwitch*)
{
}

TypeId
QbbSprayPathSelector::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::QbbSprayPathSelector")
            .SetParent<QbbPathSelector>()
            .SetGroupName("Rdma")
            .AddConstructor<QbbSprayPathSelector>()
            .AddAttribute("Order",
                          "How a frame's port is found: at random, or one after the other.",
                          EnumValue(RANDOM),
                          RdmaMakeEnumAccessor<Order>(&QbbSprayPathSelector::m_order),
                          MakeEnumChecker(RANDOM, "Random", ROUND_ROBIN, "RoundRobin"));
    return tid;
}

QbbSprayPathSelector::QbbSprayPathSelector()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

uint16_t
QbbSprayPathSelector::Select(const QbbFrame&, const QbbForwardingTable::Group& ports)
{
    const auto count = static_cast<uint32_t>(ports.size());
    return ports[m_order == RANDOM ? m_random->GetInteger(0, count - 1) : m_turn++ % count];
}

int64_t
QbbSprayPathSelector::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

} // namespace ns3
