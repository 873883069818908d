/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-forwarding-table.h"

#include <algorithm>
#include <utility>

namespace ns3
{

void
QbbForwardingTable::Clear()
{
    ++m_version;
    m_groups.clear();
    m_hosts = nullptr;
    m_groupOfLeaf.clear();
    m_leaf = QbbHostIndex::NO_LEAF;
    m_localPorts.clear();
    m_routes.clear();
    m_dense.clear();
    m_prefixes.clear();
}

void
QbbForwardingTable::SetHosts(std::shared_ptr<const QbbHostIndex> hosts,
                             uint32_t nLeaves,
                             uint32_t leaf)
{
    ++m_version;
    m_hosts = std::move(hosts);
    m_groupOfLeaf.assign(nLeaves, NO_ROUTE);
    m_leaf = leaf;
    m_localPorts.clear();
    if (leaf == QbbHostIndex::NO_LEAF)
    {
        return;
    }
    for (const auto& [address, place] : m_hosts->GetPlaces())
    {
        while (place.leaf == leaf && m_localPorts.size() <= place.port)
        {
            m_localPorts.push_back({static_cast<uint16_t>(m_localPorts.size())});
        }
    }
}

void
QbbForwardingTable::SetLeafRoute(uint32_t leaf, const Group& ports)
{
    ++m_version;
    m_groupOfLeaf[leaf] = ports.empty() ? NO_ROUTE : GetGroup(ports);
}

uint32_t
QbbForwardingTable::GetGroup(const Group& ports)
{
    // Few distinct groups exist (one for each neighbour downwards, and one upwards), so a scan
    // does.
    const auto found = std::find(m_groups.rbegin(), m_groups.rend(), ports);
    if (found != m_groups.rend())
    {
        return static_cast<uint32_t>(m_groups.rend() - found) - 1 + FIRST;
    }
    m_groups.push_back(ports);
    return static_cast<uint32_t>(m_groups.size()) - 1 + FIRST;
}

void
QbbForwardingTable::AddPrefix(uint32_t network, uint8_t length, Group ports)
{
    ++m_version;
    std::sort(ports.begin(), ports.end());
    const uint32_t mask = length == 0 ? 0 : UINT32_MAX << (32 - length);
    const auto place = std::find_if(m_prefixes.begin(),
                                    m_prefixes.end(),
                                    [mask](const Prefix& other) { return other.mask <= mask; });
    m_prefixes.insert(place, {network & mask, mask, std::move(ports)});
}

const QbbForwardingTable::Group*
QbbForwardingTable::LookupPrefix(uint32_t destination) const
{
    for (const Prefix& prefix : m_prefixes)
    {
        if ((destination & prefix.mask) == prefix.network)
        {
            return &prefix.ports;
        }
    }
    return nullptr;
}

void
QbbForwardingTable::SetRoute(uint32_t destination, Group ports)
{
    ++m_version;
    m_dense.clear();
    if (!ports.empty())
    {
        std::sort(ports.begin(), ports.end());
        m_routes[destination] = GetGroup(ports);
    }
    else if (m_hosts && m_hosts->Find(destination).leaf != QbbHostIndex::NO_LEAF)
    {
        m_routes[destination] = REMOVED;
    }
    else
    {
        m_routes.erase(destination);
    }
}

std::size_t
QbbForwardingTable::GetNRoutes() const
{
    std::size_t count = 0;
    for (const auto& [destination, group] : m_routes)
    {
        count += group != REMOVED;
    }
    if (m_hosts)
    {
        for (const auto& [address, place] : m_hosts->GetPlaces())
        {
            const bool reached = place.leaf == m_leaf || m_groupOfLeaf[place.leaf] != NO_ROUTE;
            count += reached && m_routes.find(address) == m_routes.end();
        }
    }
    return count;
}

void
QbbForwardingTable::Freeze()
{
    m_dense.clear();
    if (m_routes.empty())
    {
        return;
    }
    uint32_t first = UINT32_MAX;
    uint32_t last = 0;
    for (const auto& [destination, group] : m_routes)
    {
        first = std::min(first, destination);
        last = std::max(last, destination);
    }
    // An array up to eight times as long as the table costs less than the hash table does.
    const uint64_t span = uint64_t{last} - first + 1;
    if (span <= 8 * uint64_t{m_routes.size()} + 64)
    {
        m_base = first;
        m_dense.assign(span, NO_ROUTE);
        for (const auto& [destination, group] : m_routes)
        {
            m_dense[destination - first] = group;
        }
    }
}

const QbbForwardingTable::Group*
QbbForwardingTable::LookupSingle(uint32_t destination) const
{
    uint32_t group = NO_ROUTE;
    const uint32_t offset = destination - m_base;
    if (offset < m_dense.size())
    {
        group = m_dense[offset];
    }
    else if (const auto found = m_routes.find(destination); found != m_routes.end())
    {
        group = found->second;
    }
    switch (group)
    {
    case NO_ROUTE:
        return LookupHost(destination);
    case REMOVED:
        return LookupPrefix(destination);
    default:
        return &m_groups[group - FIRST];
    }
}

} // namespace ns3
