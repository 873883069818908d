/* SPDX-License-Identifier: GPL-2.0-only */

#include "irn-bitmap.h"

#include <algorithm>
#include <bitset>

namespace ns3
{

void
IrnBitmap::Set(uint64_t packet)
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
IrnBitmap::Grow(uint64_t packet)
{
    IrnBitmap larger;
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
IrnBitmap::Advance(uint64_t base)
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
IrnBitmap::FindClear(uint64_t from) const
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

} // namespace ns3
