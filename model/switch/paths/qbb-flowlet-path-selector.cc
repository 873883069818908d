/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-flowlet-path-selector.h"

#include "qbb-switch.h"
#include "rdma-fixed-type-id.h"
#include "rdma-part-name.h"
#include "rdma-time.h"

#include <ns3/uinteger.h>

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(QbbFlowletPathSelector);

namespace
{

/// Name of the class in program options.
const RdmaPartName g_flowletName("flowlet",
                                 QbbFlowletPathSelector::GetTypeId(),
                                 "",
                                 "a flow may take another path after a gap",
                                 {"Gap?"});

} // namespace

TypeId
QbbFlowletPathSelector::GetTypeId()
{
    static TypeId tid =
        RdmaFixedTypeId<QbbFlowletPathSelector>("ns3::QbbFlowletPathSelector")
            .SetParent<QbbPathSelector>()
            .SetGroupName("Rdma")
            .AddConstructor<QbbFlowletPathSelector>()
            .AddAttribute("Gap",
                          "Minimum idle time between two flowlets: a frame that arrives later than "
                          "this after the previous frame of its flow may take another port.",
                          TimeValue(MicroSeconds(50)),
                          MakeTimeAccessor(&QbbFlowletPathSelector::m_gap),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("TableEntries",
                          "Entries of the flowlet table: the maximum number of flows that the "
                          "switch can distinguish.",
                          UintegerValue(4096),
                          MakeUintegerAccessor(&QbbFlowletPathSelector::m_entries),
                          MakeUintegerChecker<uint32_t>(1, 1 << 24));
    return tid;
}

QbbFlowletPathSelector::QbbFlowletPathSelector()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

bool
QbbFlowletPathSelector::MayReorder(RdmaPs roundTrip) const
{
    return RdmaToPs(m_gap) < roundTrip;
}

int64_t
QbbFlowletPathSelector::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

uint16_t
QbbFlowletPathSelector::Select(const QbbFrame& frame, const QbbForwardingTable::Group& ports)
{
    if (m_table.empty())
    {
        m_gapPs = RdmaToPs(m_gap);
        m_table.resize(m_entries);
    }
    Entry& entry =
        m_table[GetSwitch().SelectPath(frame.flowHash, static_cast<uint32_t>(m_table.size()))];
    const RdmaPs now = RdmaNow();
    const bool isNew = entry.last == NOT_YET || now - entry.last > m_gapPs;
    // The entry's port may not be in the set: routes may have changed, and flows that share an
    // entry may have different routes.
    if (isNew || !std::binary_search(ports.begin(), ports.end(), entry.port))
    {
        ++m_flowlets;
        entry.port = ports[m_random->GetInteger(0, static_cast<uint32_t>(ports.size()) - 1)];
    }
    entry.last = now;
    return entry.port;
}

} // namespace ns3
