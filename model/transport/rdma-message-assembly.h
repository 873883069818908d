/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_MESSAGE_ASSEMBLY_H
#define RDMA_MESSAGE_ASSEMBLY_H

#include "qbb-frame.h"
#include "rdma-opcode.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * Assembly of the peer's requests from packets that are added in order. Only the first
 * packet of a WRITE has an RETH, so the assembly keeps the length of the open message.
 *
 * Source: InfiniBand Architecture Specification Vol. 1, section 9.7.4 (request packets).
 */
class RdmaMessageAssembly
{
  public:
    /** \return true if a message has begun and not ended */
    bool IsOpen() const
    {
        return m_open;
    }

    /** \return true if the open message is a SEND */
    bool IsSend() const
    {
        return m_send;
    }

    /** \return payload bytes of the current message, up to the last packet added */
    uint32_t GetBytes() const
    {
        return m_bytes;
    }

    /** \return address of the current WRITE's first byte, according to its RETH */
    uint64_t GetAddress() const
    {
        return m_address;
    }

    /** Drops the open message. */
    void Abandon()
    {
        m_open = false;
    }

    /**
     * \param packet headers of the next packet
     * \param info properties of the packet's opcode
     * \param mtu path MTU, bytes
     * \return true if the packet begins a message and none is open, or continues the open one, and
     *         if only the last packet of the message is shorter than the path MTU
     */
    bool Follows(const QbbFrameExtensions& packet, const RdmaOpcodeInfo& info, uint32_t mtu) const
    {
        return info.first != m_open && (info.last ? packet.payload <= mtu : packet.payload == mtu);
    }

    /**
     * \param packet headers of the next packet
     * \param info properties of the packet's opcode
     * \return payload bytes of the message up to this packet
     */
    uint64_t CountBytes(const QbbFrameExtensions& packet, const RdmaOpcodeInfo& info) const
    {
        return uint64_t{info.first ? 0 : m_bytes} + packet.payload;
    }

    /**
     * \param packet headers of the next packet of a WRITE, for which Follows() is true
     * \param info properties of the packet's opcode
     * \param longest most bytes of a message
     * \return true if the message ends with its last packet exactly at the length in its RETH, and
     *         if this length is at most `longest`
     */
    bool HasWriteLength(const QbbFrameExtensions& packet,
                        const RdmaOpcodeInfo& info,
                        uint64_t longest) const
    {
        const uint64_t bytes = CountBytes(packet, info);
        const uint64_t length = info.first ? packet.dmaLength : m_length;
        return length <= longest && (info.last ? bytes == length : bytes < length);
    }

    /**
     * Adds a packet.
     *
     * \param packet headers of the packet
     * \param info properties of the packet's opcode
     * \param send true if the packet belongs to a SEND
     */
    void Add(const QbbFrameExtensions& packet, const RdmaOpcodeInfo& info, bool send)
    {
        if (info.first)
        {
            m_bytes = 0;
            m_length = packet.dmaLength;
            m_address = packet.virtualAddress;
            m_send = send;
        }
        m_bytes += packet.payload;
        m_open = !info.last;
    }

  private:
    uint64_t m_address{0}; //!< address of the current WRITE's first byte
    bool m_open{false};    //!< a message has begun and not ended
    bool m_send{false};    //!< the current message is a SEND
    uint32_t m_bytes{0};   //!< payload bytes of the current message
    uint32_t m_length{0};  //!< length of the current message according to its RETH
};

} // namespace ns3

#endif /* RDMA_MESSAGE_ASSEMBLY_H */
