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
    m_runs.clear();
    m_hosts = nullptr;
    m_routeOfLeaf.clear();
    m_singles.clear();
    m_routes.Clear();
    m_hasSingles = false;
    m_hasSharedLeaves = false;
    m_prefixes.clear();
}

void
QbbForwardingTable::SetHosts(std::shared_ptr<const QbbHostIndex> hosts,
                             uint32_t nLeaves,
                             uint32_t leaf,
                             uint32_t nPorts,
                             bool shares)
{
    ++m_version;
    m_hasSharedLeaves = shares;
    m_hosts = std::move(hosts);
    m_leaf = leaf;
    m_routeOfLeaf.assign(GetLeafIndex(nLeaves), NO_ROUTE);
    if (leaf == QbbHostPlace::NO_LEAF)
    {
        return;
    }
    m_routeOfLeaf[GetLeafIndex(leaf)] = LOCAL;
    if (nPorts > 0)
    {
        AddSingle(static_cast<uint16_t>(nPorts - 1));
    }
}

void
QbbForwardingTable::SetLeafRoute(uint32_t leaf, const Group& ports)
{
    ++m_version;
    m_routeOfLeaf[GetLeafIndex(leaf)] = ports.empty() ? NO_ROUTE : GetRoute(ports);
}

void
QbbForwardingTable::SetSharedLeaf(uint32_t leaf, uint16_t shift)
{
    ++m_version;
    m_routeOfLeaf[GetLeafIndex(leaf)] = LOCAL + shift;
}

void
QbbForwardingTable::AddSingle(uint16_t port)
{
    while (m_singles.size() <= port)
    {
        m_singles.push_back({static_cast<uint16_t>(m_singles.size())});
    }
}

uint32_t
QbbForwardingTable::GetRoute(const Group& ports)
{
    if (ports.size() == 1)
    {
        AddSingle(ports.front());
        return MakeRun(ports);
    }
    const uint32_t run = MakeRun(ports);
    if (run == NO_ROUTE)
    {
        return FIRST + GetGroupIndex(ports);
    }
    const auto place = FindRun(run);
    if (place == m_runs.end() || place->run != run)
    {
        m_runs.insert(place, {run, static_cast<uint32_t>(m_groups.size())});
        m_groups.push_back(ports);
    }
    return run;
}

std::vector<QbbForwardingTable::Run>::const_iterator
QbbForwardingTable::FindRun(uint32_t run) const
{
    return std::lower_bound(m_runs.begin(), m_runs.end(), run, [](const Run& one, uint32_t number) {
        return one.run < number;
    });
}

uint32_t
QbbForwardingTable::GetGroupIndex(const Group& ports)
{
    // A linear scan suffices: there are few distinct groups.
    const auto found = std::find(m_groups.rbegin(), m_groups.rend(), ports);
    if (found != m_groups.rend())
    {
        return static_cast<uint32_t>(m_groups.rend() - found) - 1;
    }
    m_groups.push_back(ports);
    return static_cast<uint32_t>(m_groups.size()) - 1;
}

uint32_t
QbbForwardingTable::MakeRun(const Group& ports)
{
    const auto gap = std::adjacent_find(ports.begin(), ports.end(), [](auto port, auto next) {
        return next != port + 1;
    });
    if (gap != ports.end() || ports.size() > LONGEST_RUN)
    {
        return NO_ROUTE;
    }
    return RUN | static_cast<uint32_t>(ports.size()) << 16 | ports.front();
}

const QbbForwardingTable::Group*
QbbForwardingTable::GetPortsOfRun(uint32_t run) const
{
    // Path selectors get a group for each frame, so single ports need no search.
    return GetRunLength(run) == 1 ? &m_singles[static_cast<uint16_t>(run)]
                                  : &m_groups[FindRun(run)->group];
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
    if (!ports.empty())
    {
        std::sort(ports.begin(), ports.end());
        m_routes.Set(destination, GetRoute(ports));
    }
    else if (m_hosts && m_hosts->Find(destination).leaf != QbbHostPlace::NO_LEAF)
    {
        m_routes.Set(destination, REMOVED);
    }
    else
    {
        m_routes.Erase(destination);
    }
    m_hasSingles = !m_routes.GetValues().empty();
}

std::size_t
QbbForwardingTable::GetNRoutes() const
{
    std::size_t count = 0;
    for (const auto& [destination, route] : m_routes.GetValues())
    {
        count += route != REMOVED;
    }
    if (m_hosts)
    {
        for (const auto& [address, place] : m_hosts->GetValues())
        {
            const bool reached = m_routeOfLeaf[GetLeafIndex(place.leaf)] != NO_ROUTE;
            count += reached && m_routes.Find(address) == NO_ROUTE;
        }
    }
    return count;
}

void
QbbForwardingTable::Freeze()
{
    m_routes.Freeze();
}

const QbbForwardingTable::Group*
QbbForwardingTable::LookupSingle(uint32_t destination) const
{
    const uint32_t route = m_routes.Find(destination);
    switch (route)
    {
    case NO_ROUTE:
        return LookupHost(destination);
    case REMOVED:
        return LookupPrefix(destination);
    default:
        return GetPorts(route);
    }
}

QbbForwardingTable::Route
QbbForwardingTable::FindElsewhere(uint32_t destination) const
{
    const Group* const group = Lookup(destination);
    if (!group)
    {
        return {};
    }
    return group->size() == 1 ? Route{nullptr, group->front(), 1} : MakeRoute(*group);
}

} // namespace ns3
