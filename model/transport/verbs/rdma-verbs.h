/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_VERBS_H
#define RDMA_VERBS_H

#include "rdma-ps.h"

#include <cstdint>
#include <ostream>

/**
 * \file
 * \ingroup rdma
 * Types of the verbs interface, named as in rdma-core.
 */

namespace ns3
{

/**
 * \ingroup rdma
 * State of a queue pair (ibv_qp_state).
 */
enum class RdmaQpState : uint8_t
{
    RESET, //!< newly created or reset
    INIT,  //!< initialised: accepts receive requests
    RTR,   //!< ready to receive
    RTS,   //!< ready to send
    SQD,   //!< send queue drained: requests in progress finish, no other begins
    ERR,   //!< error: all requests are flushed
};

/**
 * \ingroup rdma
 * \param state state of a queue pair
 * \return its name without prefix, such as "RTS"
 */
const char* GetRdmaQpStateName(RdmaQpState state);

/**
 * \ingroup rdma
 * Operation of a work request (ibv_wr_opcode).
 */
enum class RdmaWrOpcode : uint8_t
{
    RDMA_WRITE, //!< write to the peer's memory, unseen by its software
    /// Write that also gives the peer a receive completion with immediate data
    RDMA_WRITE_WITH_IMM,
    SEND,                 //!< send into the memory of the peer's next receive request
    SEND_WITH_IMM,        //!< send with immediate data
    RDMA_READ,            //!< read from the peer's memory, unseen by its software
    ATOMIC_CMP_AND_SWP,   //!< swap a word of the peer's memory if it has the expected value
    ATOMIC_FETCH_AND_ADD, //!< add to a word of the peer's memory
};

/**
 * \ingroup rdma
 * Operation that a work completion reports (ibv_wc_opcode).
 */
enum class RdmaWcOpcode : uint8_t
{
    RDMA_WRITE,         //!< WRITE of this side
    SEND,               //!< SEND of this side
    RECV,               //!< SEND of the peer
    RECV_RDMA_WITH_IMM, //!< WRITE with immediate of the peer
    RDMA_READ,          //!< READ of this side
    COMP_SWAP,          //!< compare-and-swap of this side
    FETCH_ADD,          //!< fetch-and-add of this side
};

/**
 * \ingroup rdma
 * Completion status of a work request (ibv_wc_status).
 */
enum class RdmaWcStatus : uint8_t
{
    SUCCESS,           //!< the request was carried out
    LOC_LEN_ERR,       //!< the message is longer than the receive request
    WR_FLUSH_ERR,      //!< the request was flushed: the QP is in error
    BAD_RESP_ERR,      //!< the responder's answer is invalid
    REM_INV_REQ_ERR,   //!< the responder refused the request as invalid
    REM_ACCESS_ERR,    //!< the request has no right to access the responder's memory
    REM_OP_ERR,        //!< the responder could not carry out the request
    RETRY_EXC_ERR,     //!< the responder did not answer after retry_cnt retries
    RNR_RETRY_EXC_ERR, //!< the responder had no receive request after rnr_retry retries
};

/**
 * \ingroup rdma
 * \param status completion status
 * \return its name as in rdma-core, such as "IBV_WC_SUCCESS"
 */
const char* GetRdmaWcStatusName(RdmaWcStatus status);

/**
 * \ingroup rdma
 * \param os output stream
 * \param status completion status
 * \return \p os
 */
std::ostream& operator<<(std::ostream& os, RdmaWcStatus status);

/**
 * \ingroup rdma
 * \param opcode operation of a work request
 * \return true for READs and atomics, whose responses carry data
 */
constexpr bool
IsRdmaRead(RdmaWrOpcode opcode)
{
    return opcode >= RdmaWrOpcode::RDMA_READ;
}

/**
 * \ingroup rdma
 * Bytes in the word that an atomic operates on.
 */
constexpr uint32_t RDMA_ATOMIC_BYTES = 8;

/**
 * \ingroup rdma
 * A request to SEND, WRITE, READ or perform an atomic (ibv_send_wr).
 */
struct RdmaSendRequest
{
    uint64_t id{0};                                //!< identifier, returned in the completion
    RdmaWrOpcode opcode{RdmaWrOpcode::RDMA_WRITE}; //!< operation of the request
    bool signaled{true}; //!< report success by a completion (errors are always reported)
    /// Raise a solicited event at the receiver (RdmaCompletionQueue::RequestNotification()); for
    /// SENDs and WRITEs with immediate data
    bool solicited{false};
    bool fence{false};  //!< begin after all earlier READs and atomics are complete
    uint32_t rKey{0};   //!< key of the peer's memory; ignored for SENDs
    uint64_t length{0}; //!< bytes, 0 .. 2^31; ignored for atomics, which have 8
    /// Address in the peer's memory, for atomics a multiple of 8; ignored for SENDs
    uint64_t remoteAddress{0};
    uint64_t compareAdd{0}; //!< atomics: value to compare with, or to add
    uint64_t swap{0};       //!< compare-and-swap: new value of the word
    uint32_t immediate{0};  //!< immediate data, for opcodes that carry it
};

/**
 * \ingroup rdma
 * A receive request (ibv_recv_wr).
 */
struct RdmaReceiveRequest
{
    uint64_t id{0};     //!< identifier, returned in the completion
    uint64_t length{0}; //!< size of the receive buffer in bytes
};

/**
 * \ingroup rdma
 * Completion of a work request (ibv_wc).
 */
struct RdmaWorkCompletion
{
    uint64_t id{0};                             //!< identifier of the work request
    RdmaWcStatus status{RdmaWcStatus::SUCCESS}; //!< completion status
    RdmaWcOpcode opcode{RdmaWcOpcode::SEND};    //!< completed operation
    uint64_t bytes{0};                          //!< length of the message
    bool hasImmediate{false};                   //!< true if `immediate` is valid
    /// Receives: the peer's request asked for a solicited event (RdmaSendRequest::solicited)
    bool solicited{false};
    uint32_t immediate{0}; //!< immediate data
    /// Atomics: value of the word before the operation (rdma-core returns it in memory)
    uint64_t original{0};
    uint32_t qpn{0}; //!< local queue pair number
    RdmaPs time{0};  //!< time of the completion
};

/**
 * \ingroup rdma
 * Arrival of a complete message: all packets up to its last one have been received.
 */
struct RdmaMessageArrival
{
    uint32_t qpn{0};     //!< QP number of the receiving queue pair
    uint64_t bytes{0};   //!< message length in bytes
    uint32_t msn{0};     //!< message sequence number (MSN) after the message, 24 bits
    RdmaPs time{0};      //!< time at which the message was complete
    uint64_t address{0}; //!< WRITEs: address of the first byte in this side's memory
};

/**
 * \ingroup rdma
 * Longest message of one work request (IBA Vol. 1, 9.7.2): 2^31 bytes.
 */
constexpr uint64_t RDMA_MAX_MESSAGE_BYTES = 1ULL << 31;

} // namespace ns3

#endif /* RDMA_VERBS_H */
