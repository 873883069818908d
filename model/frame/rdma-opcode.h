/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_OPCODE_H
#define RDMA_OPCODE_H

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * BTH opcodes of the reliable connection service (RC), of the CNP of RoCEv2, and of IRN.
 *
 * Source: InfiniBand Architecture Specification Vol. 1, 9.2.1 (table "OpCode field") and Annex A17
 * (RoCEv2). The upper three bits of an opcode name the service (000 is RC, 100 is the service of
 * the CNP), the lower five bits the operation. Services 110 and 111 are reserved for manufacturers.
 * Packets with IRN's headers use service 110 for the RC operations, and service 111 for the
 * acknowledgement of READ responses, which RC does not have.
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
    IRN_SEND_FIRST = 0xc0,
    IRN_SEND_MIDDLE = 0xc1,
    IRN_SEND_LAST = 0xc2,
    IRN_SEND_LAST_WITH_IMMEDIATE = 0xc3,
    IRN_SEND_ONLY = 0xc4,
    IRN_SEND_ONLY_WITH_IMMEDIATE = 0xc5,
    IRN_WRITE_FIRST = 0xc6,
    IRN_WRITE_MIDDLE = 0xc7,
    IRN_WRITE_LAST = 0xc8,
    IRN_WRITE_LAST_WITH_IMMEDIATE = 0xc9,
    IRN_WRITE_ONLY = 0xca,
    IRN_WRITE_ONLY_WITH_IMMEDIATE = 0xcb,
    IRN_READ_REQUEST = 0xcc,
    IRN_READ_RESPONSE_FIRST = 0xcd,
    IRN_READ_RESPONSE_MIDDLE = 0xce,
    IRN_READ_RESPONSE_LAST = 0xcf,
    IRN_READ_RESPONSE_ONLY = 0xd0,
    IRN_ACKNOWLEDGE = 0xd1,
    IRN_ATOMIC_ACKNOWLEDGE = 0xd2,
    IRN_COMPARE_SWAP = 0xd3,
    IRN_FETCH_ADD = 0xd4,
    IRN_SEND_LAST_WITH_INVALIDATE = 0xd6,
    IRN_SEND_ONLY_WITH_INVALIDATE = 0xd7,
    IRN_READ_ACKNOWLEDGE = 0xe0,
};

/**
 * \ingroup rdma
 * Properties of an opcode: the headers after the BTH, and the packet's position in its message.
 */
struct RdmaOpcodeInfo
{
    bool valid{false};        //!< true for an RdmaOpcode or a registered opcode
    bool reth{false};         //!< has an RDMA extended transport header (RETH), 16 B
    bool atomicEth{false};    //!< has an atomic extended transport header, 28 B
    bool aeth{false};         //!< has an acknowledge extended transport header (AETH), 4 B
    bool atomicAck{false};    //!< has an atomic acknowledge extended transport header, 8 B
    bool immDt{false};        //!< has immediate data, 4 B
    bool ieth{false};         //!< has an invalidate extended transport header, 4 B
    bool irnMessage{false};   //!< has an IRN message header, 8 B
    bool irnSelective{false}; //!< has an IRN selective acknowledgement header, 4 B
    bool irn{false};          //!< opcode belongs to IRN
    bool payload{false};      //!< packet may carry payload
    bool first{false};        //!< packet begins a message (FIRST or ONLY)
    bool last{false};         //!< packet ends a message (LAST or ONLY)
    bool request{false};      //!< packet goes from requester to responder
    uint8_t headerBytes{0};   //!< bytes between BTH and payload
};

/**
 * \ingroup rdma
 * \param opcode the BTH opcode byte
 * \return properties of the opcode; `valid` is false for unknown opcodes
 */
const RdmaOpcodeInfo& GetRdmaOpcodeInfo(uint8_t opcode);

/**
 * \ingroup rdma
 * Mask of the opcode bits that name the operation. IRN uses the values of the reliable connection.
 */
constexpr uint8_t RDMA_OPERATION_MASK = 0x1f;

/**
 * \ingroup rdma
 * \param opcode an opcode of the reliable connection service
 * \return opcode of the operation with IRN's headers, 0xc0 plus the given opcode; a given opcode of
 *         IRN or of a CNP, unchanged
 */
constexpr RdmaOpcode
RdmaToIrnOpcode(RdmaOpcode opcode)
{
    return opcode < RdmaOpcode::CNP
               ? static_cast<RdmaOpcode>(static_cast<uint8_t>(opcode) |
                                         static_cast<uint8_t>(RdmaOpcode::IRN_SEND_FIRST))
               : opcode;
}

/** \copydoc GetRdmaOpcodeInfo(uint8_t) */
inline const RdmaOpcodeInfo&
GetRdmaOpcodeInfo(RdmaOpcode opcode)
{
    return GetRdmaOpcodeInfo(static_cast<uint8_t>(opcode));
}

/**
 * \ingroup rdma
 * Registers an opcode of a user-defined transport with queue pairs, codec and traces. Must be
 * called before the first frame. Aborts with a message if the opcode is not in 0xe1 to 0xff, or is
 * already registered under another name.
 *
 * \param opcode the BTH opcode byte, from the manufacturer range that this module does not use
 * \param info properties of the opcode; `valid` and `headerBytes` are derived from the other fields
 * \param name name of the opcode in traces; must be a string literal
 * \return the opcode
 */
uint8_t RegisterRdmaOpcode(uint8_t opcode, RdmaOpcodeInfo info, const char* name);

/**
 * \ingroup rdma
 * \param opcode the BTH opcode byte
 * \return the opcode's name as spelt by the specification and rdma-core (by RdmaOpcode for IRN),
 * the name given to RegisterRdmaOpcode(), or "UNKNOWN"
 */
const char* GetRdmaOpcodeName(uint8_t opcode);

} // namespace ns3

#endif /* RDMA_OPCODE_H */
