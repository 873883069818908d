/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-host-index.h"

#include <algorithm>

namespace ns3
{

void
QbbHostIndex::Add(uint32_t address, Place place)
{
    m_dense.clear();
    m_places[address] = place;
}

void
QbbHostIndex::Freeze()
{
    m_dense.clear();
    if (m_places.empty())
    {
        return;
    }
    uint32_t first = UINT32_MAX;
    uint32_t last = 0;
    for (const auto& [address, place] : m_places)
    {
        first = std::min(first, address);
        last = std::max(last, address);
    }
    // An array up to eight times as long as the table costs less than the hash table does.
    const uint64_t span = uint64_t{last} - first + 1;
    if (span <= 8 * uint64_t{m_places.size()} + 64)
    {
        m_base = first;
        m_dense.resize(span);
        for (const auto& [address, place] : m_places)
        {
            m_dense[address - first] = place;
        }
    }
}

QbbHostIndex::Place
QbbHostIndex::FindSparse(uint32_t address) const
{
    const auto found = m_places.find(address);
    return found == m_places.end() ? Place() : found->second;
}

} // namespace ns3
