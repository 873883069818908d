/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-memory.h"

#include <ns3/abort.h>

#include <limits>

namespace ns3
{

namespace
{

/// Width of the generation, the lowest byte of a key. The bits above are the region's index + 1.
constexpr uint32_t GENERATION_BITS = 8;

} // namespace

uint32_t
RdmaMemory::Register(uint64_t address, uint64_t length, const RdmaMemoryAccess& access)
{
    NS_ABORT_MSG_IF(length == 0 || length - 1 > std::numeric_limits<uint64_t>::max() - address,
                    "rdma: a memory region of " << length << " bytes at address " << address
                                                << "; accepted: 1 byte to the last address");
    if (m_free.empty())
    {
        NS_ABORT_MSG_IF(m_regions.size() + 1 >= 1U << (32 - GENERATION_BITS),
                        "rdma: more memory regions than 24-bit key indices");
        m_free.push_back(static_cast<uint32_t>(m_regions.size()));
        m_regions.emplace_back();
    }
    const uint32_t place = m_free.back();
    m_free.pop_back();
    Region& region = m_regions[place];
    region.address = address;
    region.length = length;
    region.access = access;
    return (place + 1) << GENERATION_BITS | region.generation;
}

const RdmaMemory::Region*
RdmaMemory::Find(uint32_t key) const
{
    const uint32_t place = (key >> GENERATION_BITS) - 1;
    if (place >= m_regions.size() || m_regions[place].length == 0 ||
        m_regions[place].generation != static_cast<uint8_t>(key))
    {
        return nullptr;
    }
    return &m_regions[place];
}

void
RdmaMemory::Deregister(uint32_t key)
{
    NS_ABORT_MSG_IF(!Find(key), "rdma: Deregister() of key " << key << ", which no region has");
    const uint32_t place = (key >> GENERATION_BITS) - 1;
    m_regions[place].length = 0;
    ++m_regions[place].generation;
    m_free.push_back(place);
}

bool
RdmaMemory::RegionAllows(uint32_t key,
                         uint64_t address,
                         uint64_t length,
                         const RdmaMemoryAccess& access) const
{
    if (length == 0)
    {
        return true;
    }
    const Region* region = Find(key);
    if (!region || address < region->address)
    {
        return false;
    }
    const uint64_t from = address - region->address;
    return from < region->length && length <= region->length - from &&
           (!access.remoteWrite || region->access.remoteWrite) &&
           (!access.remoteRead || region->access.remoteRead) &&
           (!access.remoteAtomic || region->access.remoteAtomic);
}

uint64_t
RdmaMemory::GetWord(uint64_t address) const
{
    const auto found = m_words.find(address);
    return found == m_words.end() ? 0 : found->second;
}

void
RdmaMemory::SetWord(uint64_t address, uint64_t value)
{
    if (value == 0)
    {
        m_words.erase(address);
    }
    else
    {
        m_words[address] = value;
    }
}

uint32_t
RdmaMemory::GetNRegions() const
{
    return static_cast<uint32_t>(m_regions.size() - m_free.size());
}

} // namespace ns3
