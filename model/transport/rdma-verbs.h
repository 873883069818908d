/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_VERBS_H
#define RDMA_VERBS_H

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
    RDMA_WRITE,          //!< into the peer's memory, unseen by its software
    RDMA_WRITE_WITH_IMM, //!< the same, and a receive completion with immediate data
    SEND,                //!< into the memory of the peer's next receive request
    SEND_WITH_IMM,       //!< the same with immediate data
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
    REM_INV_REQ_ERR,   //!< the responder refused the request
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
 * A request to send or write (ibv_send_wr).
 */
struct RdmaSendRequest
{
    uint64_t id{0};                                //!< comes back in the completion
    RdmaWrOpcode opcode{RdmaWrOpcode::RDMA_WRITE}; //!< what to do
    uint64_t length{0};                            //!< bytes, 0 .. 2^31
    uint64_t remoteAddress{0};                     //!< writes: where to in the peer's memory
    uint32_t rKey{0};                              //!< writes: the key of that memory
    uint32_t immediate{0};                         //!< immediate data, if the opcode has it
    bool signaled{true};                           //!< a completion on success (errors always)
    bool solicited{false};                         //!< solicited event at the receiver
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
    uint32_t qpn{0};                            //!< the local QP
    int64_t timePs{0};                          //!< when, in picoseconds
};

/**
 * \ingroup rdma
 * Longest message of one work request (IBA Vol. 1, 9.7.2): 2^31 bytes.
 */
constexpr uint64_t RDMA_MAX_MESSAGE_BYTES = 1ULL << 31;

} // namespace ns3

#endif /* RDMA_VERBS_H */
