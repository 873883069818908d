/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-drill-path-selector.h"

#include "qbb-switch.h"
#include "rdma-part-name.h"

#include <ns3/uinteger.h>

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(QbbDrillPathSelector);

namespace
{

/// Name of the class in program options.
const RdmaPartName g_drillName("drill",
                               QbbDrillPathSelector::GetTypeId(),
                               "",
                               "DRILL: each packet takes the shortest of a few queues");

} // namespace

TypeId
QbbDrillPathSelector::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::QbbDrillPathSelector")
            .SetParent<QbbPathSelector>()
            .SetGroupName("Rdma")
            .AddConstructor<QbbDrillPathSelector>()
            .AddAttribute("Samples",
                          "Number of random ports that each frame samples.",
                          UintegerValue(2),
                          MakeUintegerAccessor(&QbbDrillPathSelector::m_samples),
                          MakeUintegerChecker<uint32_t>(1, 64))
            .AddAttribute(
                "Memory",
                "Number of best ports of the previous frame that each frame samples in addition.",
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
QbbDrillPathSelector::SetSwitch(QbbSwitch* sw)
{
    QbbPathSelector::SetSwitch(sw);
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
    // The port's counter includes frames that have crossed a crossbar; the buffer manager's counter
    // does not.
    const Ptr<QbbNetDevice> device = GetSwitch().GetPort(port);
    const uint64_t bytes = device->IsLinkUp() ? device->GetQueues().GetBytes(priority) : UINT64_MAX;
    // Insertion sort suffices for a few samples.
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
    const uint64_t version = GetSwitch().GetForwardingTable().GetVersion();
    if (m_version != version)
    {
        // After a route change, a new group may have the address of an old group.
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
