/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-forwarding-table.h"

#include <algorithm>

namespace ns3
{

void
QbbForwardingTable::Clear()
{
    m_groups.clear();
    m_routes.clear();
    m_dense.clear();
    m_prefixes.clear();
}

void
QbbForwardingTable::AddPrefix(uint32_t network, uint8_t length, Group ports)
{
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
    m_dense.clear();
    if (ports.empty())
    {
        m_routes.erase(destination);
        return;
    }
    std::sort(ports.begin(), ports.end());
    // Few distinct groups exist (one per leaf and one per local port), so a scan does.
    const auto found = std::find(m_groups.rbegin(), m_groups.rend(), ports);
    if (found == m_groups.rend())
    {
        m_groups.push_back(std::move(ports));
        m_routes[destination] = static_cast<uint32_t>(m_groups.size());
    }
    else
    {
        m_routes[destination] = static_cast<uint32_t>(m_groups.rend() - found);
    }
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
        m_dense.assign(span, 0);
        for (const auto& [destination, group] : m_routes)
        {
            m_dense[destination - first] = group;
        }
    }
}

const QbbForwardingTable::Group*
QbbForwardingTable::LookupSparse(uint32_t destination) const
{
    const auto found = m_routes.find(destination);
    return found == m_routes.end() ? LookupPrefix(destination) : &m_groups[found->second - 1];
}

} // namespace ns3
