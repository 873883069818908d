/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-wcmp-path-selector.h"

#include "qbb-switch.h"
#include "rdma-part-name.h"

#include <ns3/abort.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(QbbWcmpPathSelector);

namespace
{

/// Name of the class in program options.
const RdmaPartName g_wcmpName("wcmp",
                              QbbWcmpPathSelector::GetTypeId(),
                              "",
                              "ECMP with weights by rate");

} // namespace

TypeId
QbbWcmpPathSelector::GetTypeId()
{
    static TypeId tid = TypeId("ns3::QbbWcmpPathSelector")
                            .SetParent<QbbPathSelector>()
                            .SetGroupName("Rdma")
                            .AddConstructor<QbbWcmpPathSelector>();
    return tid;
}

void
QbbWcmpPathSelector::SetWeight(uint16_t port, uint32_t weight)
{
    NS_ABORT_MSG_IF(weight > MAX_WEIGHT,
                    "rdma: QbbWcmpPathSelector: weight " << weight << "; accepted: 0 to "
                                                         << MAX_WEIGHT);
    m_given.resize(std::max<std::size_t>(m_given.size(), port + 1U), BY_RATE);
    m_given[port] = weight;
    m_weights.clear();
    m_isRead = false;
}

void
QbbWcmpPathSelector::SetSwitch(QbbSwitch* sw)
{
    QbbPathSelector::SetSwitch(sw);
    m_weights.clear();
    m_isRead = false;
}

void
QbbWcmpPathSelector::ReadWeights() const
{
    NS_ABORT_MSG_IF(m_given.size() > GetSwitch().GetNPorts(),
                    "rdma: QbbWcmpPathSelector: a weight for port "
                        << m_given.size() - 1 << " of a switch with " << GetSwitch().GetNPorts()
                        << " ports");
    for (uint16_t port = 0; port < GetSwitch().GetNPorts(); ++port)
    {
        const bool given = port < m_given.size() && m_given[port] != BY_RATE;
        const uint64_t rate = GetSwitch().GetDevice(port).GetLineRate().GetBitRate() / 1_mbps;
        m_weights.push_back(given
                                ? m_given[port]
                                : static_cast<uint32_t>(std::clamp<uint64_t>(rate, 1, MAX_WEIGHT)));
    }
    const auto total = std::accumulate(m_weights.begin(), m_weights.end(), uint64_t{0});
    NS_ABORT_MSG_IF(total > std::numeric_limits<uint32_t>::max(),
                    "rdma: QbbWcmpPathSelector: the weights of a switch's ports add up to "
                        << total << "; accepted: up to " << std::numeric_limits<uint32_t>::max());
}

int64_t
QbbWcmpPathSelector::AssignStreams(int64_t)
{
    return 0;
}

uint16_t
QbbWcmpPathSelector::Select(const QbbFrame& frame, const QbbForwardingTable::Group& ports)
{
    return *Predict(frame.flowHash, ports);
}

std::optional<uint16_t>
QbbWcmpPathSelector::Predict(uint32_t flowHash, const QbbForwardingTable::Group& ports) const
{
    // Hosts on several threads may ask for the path of a flow.
    if (!m_isRead.load(std::memory_order_acquire))
    {
        const std::lock_guard lock(m_mutex);
        if (!m_isRead)
        {
            ReadWeights();
            m_isRead.store(true, std::memory_order_release);
        }
    }
    uint32_t total = 0; // no overflow: ReadWeights() limits the sum of all weights
    for (const uint16_t port : ports)
    {
        total += m_weights[port];
    }
    if (total == 0)
    {
        return ports[GetSwitch().SelectPath(flowHash, static_cast<uint32_t>(ports.size()))];
    }
    uint32_t place = GetSwitch().SelectPath(flowHash, total);
    for (const uint16_t port : ports)
    {
        if (place < m_weights[port])
        {
            return port;
        }
        place -= m_weights[port];
    }
    return ports.back();
}

} // namespace ns3
