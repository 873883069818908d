/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_PACKET_BITMAP_H
#define RDMA_PACKET_BITMAP_H

#include <cstdint>
#include <memory>

namespace ns3
{

/**
 * \ingroup rdma
 * A bitmap of the packets in a sliding window: 64-bit words in a ring buffer. The ring is allocated
 * on first use, doubles when the window outgrows it, and never shrinks. Senders and receivers that
 * stand packets out of order keep such bitmaps.
 *
 * Source: Mittal et al., "Revisiting Network Support for RDMA" (IRN), section 6: the bitmaps that
 * a NIC keeps on both sides, as ring buffers whose head is the cumulative acknowledgement.
 */
class RdmaPacketBitmap
{
  public:
    /** \return the first packet of the window */
    uint64_t GetBase() const
    {
        return m_base;
    }

    /** \param packet a packet, not before the window \return true if the packet's bit is set */
    bool Test(uint64_t packet) const
    {
        return packet - m_base < GetCapacity() && (m_words[GetSlot(packet)] & GetBit(packet)) != 0;
    }

    /** Sets the bit of a packet. \param packet the packet, not before the window */
    void Set(uint64_t packet);

    /** Clears the bit of a packet. \param packet the packet, not before the window */
    void Clear(uint64_t packet);

    /** Advances the window. \param base new first packet, not before GetBase() */
    void Advance(uint64_t base);

    /** \param from a packet, not before the window \return the first clear packet, `from` or later
     */
    uint64_t FindClear(uint64_t from) const;

    /**
     * \param from a packet, not before the window
     * \return the first packet with a set bit, `from` or later; UINT64_MAX if there is none
     */
    uint64_t FindSet(uint64_t from) const;

    /** \return number of set bits */
    uint32_t GetCount() const
    {
        return m_set;
    }

    /** \return number of allocated bits */
    uint64_t GetCapacity() const
    {
        return uint64_t{m_size} * WORD_BITS;
    }

  private:
    static constexpr uint64_t WORD_BITS = 64; //!< bits in a word
    /// words of the first allocation: a window of 128 packets
    static constexpr uint32_t FIRST_SIZE = 2;

    /** \param packet a packet of the window \return index of the word with the packet's bit */
    uint64_t GetSlot(uint64_t packet) const
    {
        return (packet / WORD_BITS) & (m_size - 1);
    }

    /** \param packet a packet \return mask of the packet's bit in its word */
    static uint64_t GetBit(uint64_t packet)
    {
        return uint64_t{1} << (packet % WORD_BITS);
    }

    void Grow(uint64_t packet);

    std::unique_ptr<uint64_t[]> m_words; //!< ring buffer of words
    uint64_t m_base{0};                  //!< first packet of the window
    uint32_t m_size{0};                  //!< number of words: a power of two, or 0
    uint32_t m_set{0};                   //!< number of set bits
};

} // namespace ns3

#endif /* RDMA_PACKET_BITMAP_H */
