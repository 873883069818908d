/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_RESPONSE_H
#define RDMA_RESPONSE_H

#include "rdma-ps.h"

#include <algorithm>
#include <cstdint>

/**
 * \file
 * \ingroup rdma
 * Requests that a responder has yet to execute and responses that it has yet to send.
 */

namespace ns3
{

/**
 * \ingroup rdma
 * \param bytes length of a message
 * \param pathMtu payload bytes of a full packet
 * \return number of packets of the message; a message of 0 bytes takes one
 */
constexpr uint64_t
GetRdmaPackets(uint64_t bytes, uint32_t pathMtu)
{
    return std::max<uint64_t>(1, (bytes + pathMtu - 1) / pathMtu);
}

/**
 * \ingroup rdma
 * An entry of a responder's send queue: the response packets of a READ, the result of an atomic, or
 * an acknowledgement that must not overtake queued responses.
 */
struct RdmaResponse
{
    /** Kind of a response. */
    enum class Kind : uint8_t
    {
        READ,   //!< READ responses
        ATOMIC, //!< an atomic acknowledgement
        AETH,   //!< an acknowledgement or NAK
    };

    Kind kind{Kind::READ}; //!< kind of the response
    uint8_t syndrome{0};   //!< AETH: the syndrome
    bool solicited{false}; //!< AETH: the msn tells of packets out of order (RoceTransport)
    uint16_t echoPort{0};  //!< AETH: RdmaConnection::echoPort when the packet arrived
    uint32_t msn{0};       //!< messages completed when the request was executed, 24 bits
    uint32_t wqeSn{0};     //!< IRN: the request's WQE sequence number
    uint32_t bytes{0};     //!< READ: payload bytes of all packets together, up to 2^31
    uint32_t packets{1};   //!< number of response packets
    uint32_t sent{0};      //!< number of response packets already sent; RoCE only
    uint64_t first{0};     //!< packet number of the first response packet
    uint64_t original{0};  //!< ATOMIC: value of the word before the operation
    RdmaPs due{0};         //!< time from which the response may be sent
};

/**
 * \ingroup rdma
 * A request whose last packet has arrived. The request is executed at once, or buffered until all
 * earlier packets have arrived (the premature completions of the IRN paper, section 5.3).
 */
struct RdmaArrivedRequest
{
    uint64_t packet{0};    //!< number of the request's last packet
    uint64_t bytes{0};     //!< message length; READ: bytes requested
    uint64_t address{0};   //!< WRITEs: address of the first byte; atomics: of the word
    uint64_t compare{0};   //!< compare and swap: value to compare with
    uint64_t swapOrAdd{0}; //!< atomics: swap or add operand
    uint32_t immediate{0}; //!< immediate data
    uint32_t wqeSn{0};     //!< IRN: WQE sequence number of a READ or atomic
    uint8_t opcode{0};     //!< RdmaOpcode of the reliable connection service
    bool solicited{false}; //!< the request raises a solicited event
};

} // namespace ns3

#endif /* RDMA_RESPONSE_H */
