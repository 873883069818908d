/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-drill-path-selector.h"

#include "qbb-switch.h"

#include <ns3/uinteger.h>

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(QbbDrillPathSelector);

TypeId
QbbDrillPathSelector::GetTypeId()
{
    static TypeId tid = TypeId("ns3::QbbDrillPathSelector")
                            .SetParent<QbbPathSelector>()
                            .SetGroupName("Rdma")
                            .AddConstructor<QbbDrillPathSelector>()
                            .AddAttribute("Samples",
                                          "Ports that each frame looks at, at random.",
                                          UintegerValue(2),
                                          MakeUintegerAccessor(&QbbDrillPathSelector::m_samples),
                                          MakeUintegerChecker<uint32_t>(1, 64))
                            .AddAttribute("Memory",
                                          "Best ports of the frame before that it looks at too.",
                                          UintegerValue(1),
                                          MakeUintegerAccessor(&QbbDrillPathSelector::m_memory),
                                          MakeUintegerChecker<uint32_t>(0, 64));
    return tid;
}

QbbDrillPathSelector::QbbDrillPathSelector()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

void
QbbDrillPathSelector::SetSwitch(const QbbSwitch* sw)
{
    m_switch = sw;
    m_best.clear();
}

int64_t
QbbDrillPathSelector::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

void
QbbDrillPathSelector::Look(uint16_t port, uint8_t priority)
{
    // With a crossbar, what has crossed is out of the buffer manager's books.
    const Ptr<QbbNetDevice> device = m_switch->GetPort(port);
    const uint64_t bytes = device->IsLinkUp() ? device->GetQueues().GetBytes(priority) : UINT64_MAX;
    // Few enough to be kept in order by insertion.
    auto place = m_seen.end();
    while (place != m_seen.begin() && (place - 1)->bytes > bytes)
    {
        --place;
    }
    m_seen.insert(place, {port, bytes});
}

uint16_t
QbbDrillPathSelector::Select(const QbbFrame& frame, const QbbForwardingTable::Group& ports)
{
    m_seen.clear();
    for (uint32_t i = 0; i < m_samples; ++i)
    {
        const auto at = m_random->GetInteger(0, static_cast<uint32_t>(ports.size()) - 1);
        Look(ports[at], frame.priority);
    }
    const uint64_t version = m_switch->GetForwardingTable().GetVersion();
    if (m_version != version)
    {
        // After a change of routes a group may be where another one was.
        m_version = version;
        m_best.clear();
    }
    auto& best = m_best[&ports];
    for (const uint16_t port : best)
    {
        Look(port, frame.priority);
    }
    best.clear();
    for (const Sample& sample : m_seen)
    {
        if (best.size() < m_memory &&
            std::find(best.begin(), best.end(), sample.port) == best.end())
        {
            best.push_back(sample.port);
        }
    }
    return m_seen.front().port;
}

} // namespace ns3
