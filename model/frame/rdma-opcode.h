/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_OPCODE_H
#define RDMA_OPCODE_H

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * BTH opcodes of the reliable connection service and RoCEv2's CNP.
 *
 * Source: InfiniBand Architecture Specification Vol. 1, 9.2.1 (table "OpCode field") and Annex A17
 * (RoCEv2). The upper three bits name the service (000 is RC, 100 is the CNP's), the lower five the
 * operation.
 */
enum class RdmaOpcode : uint8_t
{
    SEND_FIRST = 0x00,
    SEND_MIDDLE = 0x01,
    SEND_LAST = 0x02,
    SEND_LAST_WITH_IMMEDIATE = 0x03,
    SEND_ONLY = 0x04,
    SEND_ONLY_WITH_IMMEDIATE = 0x05,
    RDMA_WRITE_FIRST = 0x06,
    RDMA_WRITE_MIDDLE = 0x07,
    RDMA_WRITE_LAST = 0x08,
    RDMA_WRITE_LAST_WITH_IMMEDIATE = 0x09,
    RDMA_WRITE_ONLY = 0x0a,
    RDMA_WRITE_ONLY_WITH_IMMEDIATE = 0x0b,
    RDMA_READ_REQUEST = 0x0c,
    RDMA_READ_RESPONSE_FIRST = 0x0d,
    RDMA_READ_RESPONSE_MIDDLE = 0x0e,
    RDMA_READ_RESPONSE_LAST = 0x0f,
    RDMA_READ_RESPONSE_ONLY = 0x10,
    ACKNOWLEDGE = 0x11,
    ATOMIC_ACKNOWLEDGE = 0x12,
    COMPARE_SWAP = 0x13,
    FETCH_ADD = 0x14,
    SEND_LAST_WITH_INVALIDATE = 0x16,
    SEND_ONLY_WITH_INVALIDATE = 0x17,
    CNP = 0x81,
};

/**
 * \ingroup rdma
 * What follows the BTH for an opcode, and where in a message the packet stands.
 */
struct RdmaOpcodeInfo
{
    bool valid{false};      //!< an opcode of RdmaOpcode
    bool reth{false};       //!< RDMA extended transport header, 16 B
    bool atomicEth{false};  //!< atomic extended transport header, 28 B
    bool aeth{false};       //!< acknowledge extended transport header, 4 B
    bool atomicAck{false};  //!< atomic acknowledge extended transport header, 8 B
    bool immDt{false};      //!< immediate data, 4 B
    bool ieth{false};       //!< invalidate extended transport header, 4 B
    bool payload{false};    //!< may carry payload
    bool first{false};      //!< begins a message (FIRST or ONLY)
    bool last{false};       //!< ends a message (LAST or ONLY)
    bool request{false};    //!< goes from requester to responder
    uint8_t headerBytes{0}; //!< bytes between BTH and payload
};

/**
 * \ingroup rdma
 * \param opcode the BTH opcode byte
 * \return what the opcode means; `valid` is false for opcodes that the module does not know
 */
const RdmaOpcodeInfo& GetRdmaOpcodeInfo(uint8_t opcode);

/** \copydoc GetRdmaOpcodeInfo(uint8_t) */
inline const RdmaOpcodeInfo&
GetRdmaOpcodeInfo(RdmaOpcode opcode)
{
    return GetRdmaOpcodeInfo(static_cast<uint8_t>(opcode));
}

/**
 * \ingroup rdma
 * \param opcode the BTH opcode byte
 * \return the opcode's name as the specification and rdma-core spell it, or "UNKNOWN"
 */
const char* GetRdmaOpcodeName(uint8_t opcode);

} // namespace ns3

#endif /* RDMA_OPCODE_H */
