/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_SEND_ENTRY_H
#define RDMA_SEND_ENTRY_H

#include "qbb-frame.h"
#include "rdma-verbs.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * A send request that is posted and not complete, with the numbers of its packets.
 */
struct RdmaSendEntry
{
    RdmaSendRequest request;   //!< what to do
    uint64_t firstPacket{0};   //!< number of its first packet
    uint64_t firstResponse{0}; //!< READ, atomic: number of its first response
    uint64_t original{0};      //!< atomics: the word as it was before
    uint32_t packets{0};       //!< how many packet numbers it takes
    uint32_t responses{0};     //!< READ, atomic: how many responses it has
    uint32_t wqeSn{0};         //!< IRN: sequence number among the requests of its kind, 24 bits

    /** \return the packet number behind its last one */
    uint64_t GetEnd() const
    {
        return firstPacket + packets;
    }

    /** \return the response number behind its last one */
    uint64_t GetResponsesEnd() const
    {
        return firstResponse + responses;
    }

    /** \param packet a packet number \return true if the packet is one of this request's */
    bool Has(uint64_t packet) const
    {
        return packet >= firstPacket && packet < GetEnd();
    }

    /**
     * \param frame becomes a packet of this SEND or WRITE, as RoCE has it, but for its PSN
     * \param index of the packet in the request
     * \param mtu payload bytes of a full packet
     * \param ackInterval packets after which an acknowledgement is asked for
     */
    void FillWrite(QbbFrame& frame, uint64_t index, uint32_t mtu, uint32_t ackInterval) const;

    /**
     * \param frame becomes the packet of this READ or atomic, as RoCE has it, but for its PSN
     * \param index of the first response that is asked for
     * \param mtu payload bytes of a full packet
     */
    void FillRead(QbbFrame& frame, uint64_t index, uint32_t mtu) const;
};

} // namespace ns3

#endif /* RDMA_SEND_ENTRY_H */
