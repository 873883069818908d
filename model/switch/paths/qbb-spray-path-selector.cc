/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-spray-path-selector.h"

#include "rdma-compat.h"
#include "rdma-part-name.h"

#include <ns3/enum.h>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(QbbSprayPathSelector);

namespace
{

/// Names of the class in program options.
const RdmaPartName g_sprayName("spray",
                               QbbSprayPathSelector::GetTypeId(),
                               "",
                               "each packet takes a random path");
const RdmaPartName g_sprayInTurnName("spray-in-turn",
                                     QbbSprayPathSelector::GetTypeId(),
                                     "Order=RoundRobin",
                                     "packets take all paths in turn");

} // namespace

TypeId
QbbSprayPathSelector::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::QbbSprayPathSelector")
            .SetParent<QbbPathSelector>()
            .SetGroupName("Rdma")
            .AddConstructor<QbbSprayPathSelector>()
            .AddAttribute("Order",
                          "Choice of the port for each frame. Random: a random port; RoundRobin: "
                          "one port after the other.",
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
