/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_SEND_ENTRY_H
#define RDMA_SEND_ENTRY_H

#include "qbb-frame.h"
#include "rdma-verbs.h"

#include <algorithm>
#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * A send request that is posted and not complete, with its packet numbers.
 */
struct RdmaSendEntry
{
    RdmaSendRequest request;   //!< the posted request
    uint64_t firstPacket{0};   //!< number of the request's first packet
    uint64_t firstOnLine{0};   //!< packets that all earlier requests put on the line
    uint64_t firstResponse{0}; //!< READ, atomic: number of the first response
    uint64_t original{0};      //!< atomics: value of the word before the operation
    uint32_t packets{0};       //!< packet numbers that the request takes
    uint32_t responses{0};     //!< READ, atomic: number of responses
    uint32_t wqeSn{0};         //!< IRN: sequence number among requests of the same kind, 24 bits

    /** \return the packet number after the request's last packet */
    uint64_t GetEnd() const
    {
        return firstPacket + packets;
    }

    /** \return the response number after the request's last response */
    uint64_t GetResponsesEnd() const
    {
        return firstResponse + responses;
    }

    /**
     * \param packet number of a packet of this request, or GetEnd()
     * \return packets that the requests put on the line before this packet: a READ or atomic is one
     *         packet, also where its responses take packet numbers (RoCE)
     */
    uint64_t CountOnLine(uint64_t packet) const
    {
        const uint64_t index = std::max(packet, firstPacket) - firstPacket;
        return firstOnLine + (responses > 0 ? std::min<uint64_t>(index, 1) : index);
    }

    /** \param packet a packet number \return true if the packet belongs to this request */
    bool Has(uint64_t packet) const
    {
        return packet >= firstPacket && packet < GetEnd();
    }

    /**
     * \param frame receives the RoCE fields of a packet of this SEND or WRITE, except the PSN
     * \param index of the packet within the request
     * \param mtu payload bytes of a full packet
     * \param ackInterval data packets per requested acknowledgement
     */
    void FillWrite(QbbFrame& frame, uint64_t index, uint32_t mtu, uint32_t ackInterval) const;

    /**
     * \param frame receives the RoCE fields of the packet of this READ or atomic, except the PSN
     * \param index of the first requested response
     * \param mtu payload bytes of a full packet
     */
    void FillRead(QbbFrame& frame, uint64_t index, uint32_t mtu) const;

    /** \param status status of the request \return its completion, without QPN and time */
    RdmaWorkCompletion MakeCompletion(RdmaWcStatus status) const;
};

} // namespace ns3

#endif /* RDMA_SEND_ENTRY_H */
