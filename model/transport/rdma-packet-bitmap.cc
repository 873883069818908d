/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-packet-bitmap.h"

#include <algorithm>
#include <bitset>
#include <limits>

namespace ns3
{

void
RdmaPacketBitmap::Set(uint64_t packet)
{
    if (packet - m_base >= GetCapacity())
    {
        Grow(packet);
    }
    uint64_t& word = m_words[GetSlot(packet)];
    m_set += (word & GetBit(packet)) == 0;
    word |= GetBit(packet);
}

void
RdmaPacketBitmap::Clear(uint64_t packet)
{
    if (Test(packet))
    {
        m_words[GetSlot(packet)] &= ~GetBit(packet);
        --m_set;
    }
}

void
RdmaPacketBitmap::Grow(uint64_t packet)
{
    RdmaPacketBitmap larger;
    larger.m_base = m_base;
    larger.m_size = std::max(m_size, FIRST_SIZE);
    while (packet - m_base >= larger.GetCapacity())
    {
        larger.m_size *= 2;
    }
    larger.m_words = std::make_unique<uint64_t[]>(larger.m_size);
    for (uint64_t p = m_base; m_set > 0 && p < m_base + GetCapacity(); ++p)
    {
        if (Test(p))
        {
            larger.Set(p);
        }
    }
    *this = std::move(larger);
}

void
RdmaPacketBitmap::Advance(uint64_t base)
{
    const uint64_t end = std::min(base, m_base + GetCapacity());
    for (uint64_t p = m_base; m_set > 0 && p < end;)
    {
        const uint64_t bits = std::min(WORD_BITS - p % WORD_BITS, end - p);
        const uint64_t mask = (~uint64_t{0} >> (WORD_BITS - bits)) << (p % WORD_BITS);
        uint64_t& word = m_words[GetSlot(p)];
        m_set -= static_cast<uint32_t>(std::bitset<WORD_BITS>(word & mask).count());
        word &= ~mask;
        p += bits;
    }
    m_base = base;
}

uint64_t
RdmaPacketBitmap::FindClear(uint64_t from) const
{
    if (m_set == 0)
    {
        return from;
    }
    const uint64_t end = m_base + GetCapacity();
    uint64_t packet = from;
    while (packet < end)
    {
        const uint64_t clear = ~m_words[GetSlot(packet)] >> (packet % WORD_BITS);
        if (clear != 0)
        {
            packet += static_cast<uint64_t>(__builtin_ctzll(clear));
            break;
        }
        packet += WORD_BITS - packet % WORD_BITS;
    }
    return std::max(from, std::min(packet, end)); // no bit is set beyond the ring
}

uint64_t
RdmaPacketBitmap::FindSet(uint64_t from) const
{
    const uint64_t end = m_base + GetCapacity();
    for (uint64_t packet = from; m_set > 0 && packet < end;)
    {
        const uint64_t set = m_words[GetSlot(packet)] >> (packet % WORD_BITS);
        if (set != 0)
        {
            // The word may also hold bits of the ring's first packets.
            packet += static_cast<uint64_t>(__builtin_ctzll(set));
            return packet < end ? packet : std::numeric_limits<uint64_t>::max();
        }
        packet += WORD_BITS - packet % WORD_BITS;
    }
    return std::numeric_limits<uint64_t>::max();
}

} // namespace ns3
