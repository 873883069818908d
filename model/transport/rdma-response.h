/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_RESPONSE_H
#define RDMA_RESPONSE_H

#include <algorithm>
#include <cstdint>

/**
 * \file
 * \ingroup rdma
 * What a responder has still to do or to say.
 */

namespace ns3
{

/**
 * \ingroup rdma
 * \param bytes length of a message
 * \param pathMtu payload bytes of a full packet
 * \return packets that it takes; a message of 0 bytes takes one
 */
constexpr uint64_t
GetRdmaPackets(uint64_t bytes, uint32_t pathMtu)
{
    return std::max<uint64_t>(1, (bytes + pathMtu - 1) / pathMtu);
}

/**
 * \ingroup rdma
 * What a responder says next: the packets of a READ, an atomic's result, or an acknowledgement that
 * must not overtake them.
 */
struct RdmaResponse
{
    /** What it is. */
    enum class Kind : uint8_t
    {
        READ,   //!< READ responses
        ATOMIC, //!< an atomic acknowledgement
        AETH,   //!< an acknowledgement or NAK
    };

    Kind kind{Kind::READ}; //!< what it is
    uint8_t syndrome{0};   //!< AETH: what it says
    uint32_t msn{0};       //!< messages completed when the request was executed, 24 bits
    uint32_t wqeSn{0};     //!< IRN: the request's WQE sequence number
    uint32_t bytes{0};     //!< READ: payload of all packets, up to 2^31
    uint32_t packets{1};   //!< how many there are
    uint32_t sent{0};      //!< how many of them have gone out; RoCE only
    uint64_t first{0};     //!< number of the first one
    uint64_t original{0};  //!< ATOMIC: the word as it was before
};

/**
 * \ingroup rdma
 * A request's last packet, with what its execution needs: executed at once, or kept until all
 * packets before it are in (the premature completions of the IRN paper, section 5.3).
 */
struct RdmaArrivedRequest
{
    uint64_t packet{0};    //!< its number
    uint64_t bytes{0};     //!< length of the message; READ: what it asks for
    uint64_t address{0};   //!< atomics: of the word
    uint64_t compare{0};   //!< compare and swap: what to compare with
    uint64_t swapOrAdd{0}; //!< atomics: the operand
    uint32_t immediate{0}; //!< immediate data
    uint32_t wqeSn{0};     //!< IRN: WQE sequence number of a READ or atomic
    uint8_t opcode{0};     //!< as an RdmaOpcode of the reliable connection service
};

} // namespace ns3

#endif /* RDMA_RESPONSE_H */
