/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef IRN_BITMAP_H
#define IRN_BITMAP_H

#include <cstdint>
#include <memory>

namespace ns3
{

/**
 * \ingroup rdma
 * A bit for each packet of a window that moves on: 64-bit words in a ring, which are allocated on
 * first use, double when the window grows, and stay.
 *
 * Source: Mittal et al., "Revisiting Network Support for RDMA" (IRN), section 6: the bitmaps that
 * a NIC keeps on both sides, as ring buffers whose head is the cumulative acknowledgement.
 */
class IrnBitmap
{
  public:
    /** \return the first packet of the window */
    uint64_t GetBase() const
    {
        return m_base;
    }

    /** \param packet not before the window \return its bit */
    bool Test(uint64_t packet) const
    {
        return packet - m_base < GetCapacity() && (m_words[GetSlot(packet)] & GetBit(packet)) != 0;
    }

    /** \param packet not before the window; its bit is set */
    void Set(uint64_t packet);

    /** \param base the window begins here from now on, not before GetBase() */
    void Advance(uint64_t base);

    /** \param from not before the window \return the first packet from here on that is not set */
    uint64_t FindClear(uint64_t from) const;

    /** \return bits that are allocated */
    uint64_t GetCapacity() const
    {
        return uint64_t{m_size} * WORD_BITS;
    }

  private:
    static constexpr uint64_t WORD_BITS = 64; //!< bits in a word
    static constexpr uint32_t FIRST_SIZE = 2; //!< words of the first allocation: a BDP of 128

    /** \param packet a packet of the window \return the word that has its bit */
    uint64_t GetSlot(uint64_t packet) const
    {
        return (packet / WORD_BITS) & (m_size - 1);
    }

    /** \param packet a packet \return its bit in its word */
    static uint64_t GetBit(uint64_t packet)
    {
        return uint64_t{1} << (packet % WORD_BITS);
    }

    void Grow(uint64_t packet);

    std::unique_ptr<uint64_t[]> m_words; //!< the ring
    uint64_t m_base{0};                  //!< first packet of the window
    uint32_t m_size{0};                  //!< words, a power of two, or none
    uint32_t m_set{0};                   //!< bits that are set
};

} // namespace ns3

#endif /* IRN_BITMAP_H */
