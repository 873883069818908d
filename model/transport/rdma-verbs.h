/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_VERBS_H
#define RDMA_VERBS_H

#include "qbb-ps.h"

#include <cstdint>
#include <ostream>

/**
 * \file
 * \ingroup rdma
 * The vocabulary of verbs, as rdma-core has it.
 */

namespace ns3
{

/**
 * \ingroup rdma
 * State of a queue pair (ibv_qp_state).
 */
enum class RdmaQpState : uint8_t
{
    RESET, //!< made
    INIT,  //!< may post receives
    RTR,   //!< ready to receive
    RTS,   //!< ready to send
    SQD,   //!< drains the send queue: what has begun is finished, nothing else begins
    ERR,   //!< everything that is posted is flushed
};

/**
 * \ingroup rdma
 * \param state a state
 * \return its name without prefix
 */
const char* GetRdmaQpStateName(RdmaQpState state);

/**
 * \ingroup rdma
 * What a work request asks for (ibv_wr_opcode).
 */
enum class RdmaWrOpcode : uint8_t
{
    RDMA_WRITE,           //!< into the peer's memory, unseen by its software
    RDMA_WRITE_WITH_IMM,  //!< the same, and a receive completion with immediate data
    SEND,                 //!< into the memory of the peer's next receive request
    SEND_WITH_IMM,        //!< the same with immediate data
    RDMA_READ,            //!< out of the peer's memory, unseen by its software
    ATOMIC_CMP_AND_SWP,   //!< swap a word of the peer's memory if it is as expected
    ATOMIC_FETCH_AND_ADD, //!< add to a word of the peer's memory
};

/**
 * \ingroup rdma
 * What a work completion is about (ibv_wc_opcode).
 */
enum class RdmaWcOpcode : uint8_t
{
    RDMA_WRITE,         //!< a write of this side
    SEND,               //!< a send of this side
    RECV,               //!< a send of the peer
    RECV_RDMA_WITH_IMM, //!< a write with immediate of the peer
    RDMA_READ,          //!< a read of this side
    COMP_SWAP,          //!< a compare and swap of this side
    FETCH_ADD,          //!< a fetch and add of this side
};

/**
 * \ingroup rdma
 * How a work request ended (ibv_wc_status).
 */
enum class RdmaWcStatus : uint8_t
{
    SUCCESS,           //!< done
    LOC_LEN_ERR,       //!< longer than the receive request
    WR_FLUSH_ERR,      //!< the QP is in error
    BAD_RESP_ERR,      //!< the responder's answer makes no sense
    REM_INV_REQ_ERR,   //!< the responder refused the request
    REM_ACCESS_ERR,    //!< the request has no right to the responder's memory
    REM_OP_ERR,        //!< the responder could not carry the request out
    RETRY_EXC_ERR,     //!< the responder did not answer, retry_cnt times
    RNR_RETRY_EXC_ERR, //!< the responder had no receive request, rnr_retry times
};

/**
 * \ingroup rdma
 * \param status a status
 * \return its name as in rdma-core, such as "IBV_WC_SUCCESS"
 */
const char* GetRdmaWcStatusName(RdmaWcStatus status);

/**
 * \ingroup rdma
 * \param os where to
 * \param status what
 * \return \p os
 */
std::ostream& operator<<(std::ostream& os, RdmaWcStatus status);

/**
 * \ingroup rdma
 * \param opcode what a work request asks for
 * \return true for READs and atomics, which are answered with data
 */
constexpr bool
IsRdmaRead(RdmaWrOpcode opcode)
{
    return opcode >= RdmaWrOpcode::RDMA_READ;
}

/**
 * \ingroup rdma
 * Bytes of the word that an atomic operates on.
 */
constexpr uint32_t RDMA_ATOMIC_BYTES = 8;

/**
 * \ingroup rdma
 * A request to send, write, read or change a word (ibv_send_wr).
 */
struct RdmaSendRequest
{
    uint64_t id{0};                                //!< comes back in the completion
    RdmaWrOpcode opcode{RdmaWrOpcode::RDMA_WRITE}; //!< what to do
    bool signaled{true};                           //!< a completion on success (errors always)
    bool solicited{false};                         //!< solicited event at the receiver
    bool fence{false};         //!< begins when the reads and atomics before it are complete
    uint32_t rKey{0};          //!< all but sends: the key of the peer's memory
    uint64_t length{0};        //!< bytes, 0 .. 2^31; atomics: ignored, they have 8
    uint64_t remoteAddress{0}; //!< all but sends: where in the peer's memory; atomics: of a word,
                               //!< a multiple of 8
    uint64_t compareAdd{0};    //!< atomics: what to compare with, or to add
    uint64_t swap{0};          //!< compare and swap: the new value
    uint32_t immediate{0};     //!< immediate data, if the opcode has it
};

/**
 * \ingroup rdma
 * A request to receive (ibv_recv_wr).
 */
struct RdmaReceiveRequest
{
    uint64_t id{0};     //!< comes back in the completion
    uint64_t length{0}; //!< bytes that there is room for
};

/**
 * \ingroup rdma
 * What became of a request (ibv_wc).
 */
struct RdmaWorkCompletion
{
    uint64_t id{0};                             //!< the request's
    RdmaWcStatus status{RdmaWcStatus::SUCCESS}; //!< how it ended
    RdmaWcOpcode opcode{RdmaWcOpcode::SEND};    //!< what it was
    uint64_t bytes{0};                          //!< length of the message
    bool hasImmediate{false};                   //!< `immediate` means something
    uint32_t immediate{0};                      //!< immediate data
    uint64_t original{0}; //!< atomics: the word as it was before (rdma-core puts it in memory)
    uint32_t qpn{0};      //!< the local QP
    QbbPs time{0};        //!< when
};

/**
 * \ingroup rdma
 * Longest message of one work request (IBA Vol. 1, 9.7.2): 2^31 bytes.
 */
constexpr uint64_t RDMA_MAX_MESSAGE_BYTES = 1ULL << 31;

} // namespace ns3

#endif /* RDMA_VERBS_H */
