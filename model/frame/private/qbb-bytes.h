/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_BYTES_H
#define QBB_BYTES_H

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace ns3
{

/**
 * \ingroup rdma
 * Writes consecutive fields in network byte order.
 *
 * QbbByteReader has members of the same names, so that one template can write and read a header.
 * Neither class checks bounds: the caller must provide enough bytes.
 */
class QbbByteWriter
{
  public:
    /** \param at address of the first byte to write */
    explicit QbbByteWriter(uint8_t* at)
        : m_at(at)
    {
    }

    /** \param value 8-bit field to write */
    void U8(uint8_t value)
    {
        *m_at++ = value;
    }

    /** \param value 16-bit field to write */
    void U16(uint16_t value)
    {
        Put(value, 2);
    }

    /** \param value field of which the low 24 bits are written */
    void U24(uint32_t value)
    {
        Put(value, 3);
    }

    /** \param value 32-bit field to write */
    void U32(uint32_t value)
    {
        Put(value, 4);
    }

    /** \param value field of which the low 40 bits are written */
    void U40(uint64_t value)
    {
        Put(value, 5);
    }

    /** \param value field of which the low 48 bits are written */
    void U48(uint64_t value)
    {
        Put(value, 6);
    }

    /** \param value 64-bit field to write */
    void U64(uint64_t value)
    {
        Put(value, 8);
    }

    /** \param count number of zero bytes to write */
    void Zeros(size_t count)
    {
        std::memset(m_at, 0, count);
        m_at += count;
    }

    /** \return address of the next byte to write */
    uint8_t* At() const
    {
        return m_at;
    }

  private:
    void Put(uint64_t value, unsigned bytes)
    {
        for (unsigned i = bytes; i-- > 0;)
        {
            *m_at++ = static_cast<uint8_t>(value >> (8 * i));
        }
    }

    uint8_t* m_at; //!< next byte to write
};

/**
 * \ingroup rdma
 * Reads consecutive fields in network byte order, without checking bounds.
 */
class QbbByteReader
{
  public:
    /** \param at address of the first byte to read */
    explicit QbbByteReader(const uint8_t* at)
        : m_at(at)
    {
    }

    /** \param [out] value 8-bit field read */
    void U8(uint8_t& value)
    {
        value = *m_at++;
    }

    /** \param [out] value 16-bit field read */
    void U16(uint16_t& value)
    {
        value = static_cast<uint16_t>(Get(2));
    }

    /** \param [out] value 24-bit field read */
    void U24(uint32_t& value)
    {
        value = static_cast<uint32_t>(Get(3));
    }

    /** \param [out] value 32-bit field read */
    void U32(uint32_t& value)
    {
        value = static_cast<uint32_t>(Get(4));
    }

    /** \param [out] value 40-bit field read */
    void U40(uint64_t& value)
    {
        value = Get(5);
    }

    /** \param [out] value 48-bit field read */
    void U48(uint64_t& value)
    {
        value = Get(6);
    }

    /** \param [out] value 64-bit field read */
    void U64(uint64_t& value)
    {
        value = Get(8);
    }

    /**
     * \param count number of bytes to skip
     * \return true if all skipped bytes are zero
     */
    bool Zeros(size_t count)
    {
        // All bytes are zero if the first is zero and each equals its neighbour, which memcmp
        // checks many bytes at a time.
        const uint8_t* from = m_at;
        m_at += count;
        return count == 0 || (from[0] == 0 && std::memcmp(from, from + 1, count - 1) == 0);
    }

    /** \return address of the next byte to read */
    const uint8_t* At() const
    {
        return m_at;
    }

  private:
    uint64_t Get(unsigned bytes)
    {
        uint64_t value = 0;
        for (unsigned i = 0; i < bytes; ++i)
        {
            value = (value << 8) | *m_at++;
        }
        return value;
    }

    const uint8_t* m_at; //!< next byte to read
};

} // namespace ns3

#endif /* QBB_BYTES_H */
