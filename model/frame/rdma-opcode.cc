/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-opcode.h"

#include <ns3/abort.h>

#include <array>
#include <cstring>

namespace ns3
{

namespace
{

/** Extended headers and roles of an opcode, one bit each, for a compact opcode table. */
enum Part : uint16_t
{
    RETH = 1 << 0,
    ATOMIC = 1 << 1,
    AETH = 1 << 2,
    ATOMIC_ACK = 1 << 3,
    IMM = 1 << 4,
    INVALIDATE = 1 << 5,
    DATA = 1 << 6,
    FIRST = 1 << 7,
    LAST = 1 << 8,
    REQUEST = 1 << 9,
    MESSAGE = 1 << 10,
    SELECTIVE = 1 << 11,
    ONLY = FIRST | LAST,
};

struct Row
{
    RdmaOpcode opcode;
    unsigned parts;
    const char* name;
};

constexpr Row ROWS[] = {
    {RdmaOpcode::SEND_FIRST, DATA | FIRST | REQUEST, "SEND_FIRST"},
    {RdmaOpcode::SEND_MIDDLE, DATA | REQUEST, "SEND_MIDDLE"},
    {RdmaOpcode::SEND_LAST, DATA | LAST | REQUEST, "SEND_LAST"},
    {RdmaOpcode::SEND_LAST_WITH_IMMEDIATE, DATA | LAST | REQUEST | IMM, "SEND_LAST_WITH_IMMEDIATE"},
    {RdmaOpcode::SEND_ONLY, DATA | ONLY | REQUEST, "SEND_ONLY"},
    {RdmaOpcode::SEND_ONLY_WITH_IMMEDIATE, DATA | ONLY | REQUEST | IMM, "SEND_ONLY_WITH_IMMEDIATE"},
    {RdmaOpcode::RDMA_WRITE_FIRST, DATA | FIRST | REQUEST | RETH, "RDMA_WRITE_FIRST"},
    {RdmaOpcode::RDMA_WRITE_MIDDLE, DATA | REQUEST, "RDMA_WRITE_MIDDLE"},
    {RdmaOpcode::RDMA_WRITE_LAST, DATA | LAST | REQUEST, "RDMA_WRITE_LAST"},
    {RdmaOpcode::RDMA_WRITE_LAST_WITH_IMMEDIATE,
     DATA | LAST | REQUEST | IMM,
     "RDMA_WRITE_LAST_WITH_IMMEDIATE"},
    {RdmaOpcode::RDMA_WRITE_ONLY, DATA | ONLY | REQUEST | RETH, "RDMA_WRITE_ONLY"},
    {RdmaOpcode::RDMA_WRITE_ONLY_WITH_IMMEDIATE,
     DATA | ONLY | REQUEST | RETH | IMM,
     "RDMA_WRITE_ONLY_WITH_IMMEDIATE"},
    {RdmaOpcode::RDMA_READ_REQUEST, ONLY | REQUEST | RETH, "RDMA_READ_REQUEST"},
    {RdmaOpcode::RDMA_READ_RESPONSE_FIRST, DATA | FIRST | AETH, "RDMA_READ_RESPONSE_FIRST"},
    {RdmaOpcode::RDMA_READ_RESPONSE_MIDDLE, DATA, "RDMA_READ_RESPONSE_MIDDLE"},
    {RdmaOpcode::RDMA_READ_RESPONSE_LAST, DATA | LAST | AETH, "RDMA_READ_RESPONSE_LAST"},
    {RdmaOpcode::RDMA_READ_RESPONSE_ONLY, DATA | ONLY | AETH, "RDMA_READ_RESPONSE_ONLY"},
    {RdmaOpcode::ACKNOWLEDGE, ONLY | AETH, "ACKNOWLEDGE"},
    {RdmaOpcode::ATOMIC_ACKNOWLEDGE, ONLY | AETH | ATOMIC_ACK, "ATOMIC_ACKNOWLEDGE"},
    {RdmaOpcode::COMPARE_SWAP, ONLY | REQUEST | ATOMIC, "COMPARE_SWAP"},
    {RdmaOpcode::FETCH_ADD, ONLY | REQUEST | ATOMIC, "FETCH_ADD"},
    {RdmaOpcode::SEND_LAST_WITH_INVALIDATE,
     DATA | LAST | REQUEST | INVALIDATE,
     "SEND_LAST_WITH_INVALIDATE"},
    {RdmaOpcode::SEND_ONLY_WITH_INVALIDATE,
     DATA | ONLY | REQUEST | INVALIDATE,
     "SEND_ONLY_WITH_INVALIDATE"},
    {RdmaOpcode::CNP, ONLY, "CNP"},
    {RdmaOpcode::IRN_SEND_FIRST, DATA | FIRST | REQUEST | MESSAGE, "IRN_SEND_FIRST"},
    {RdmaOpcode::IRN_SEND_MIDDLE, DATA | REQUEST | MESSAGE, "IRN_SEND_MIDDLE"},
    {RdmaOpcode::IRN_SEND_LAST, DATA | LAST | REQUEST | MESSAGE, "IRN_SEND_LAST"},
    {RdmaOpcode::IRN_SEND_LAST_WITH_IMMEDIATE,
     DATA | LAST | REQUEST | IMM | MESSAGE,
     "IRN_SEND_LAST_WITH_IMMEDIATE"},
    {RdmaOpcode::IRN_SEND_ONLY, DATA | ONLY | REQUEST | MESSAGE, "IRN_SEND_ONLY"},
    {RdmaOpcode::IRN_SEND_ONLY_WITH_IMMEDIATE,
     DATA | ONLY | REQUEST | IMM | MESSAGE,
     "IRN_SEND_ONLY_WITH_IMMEDIATE"},
    {RdmaOpcode::IRN_WRITE_FIRST, DATA | FIRST | REQUEST | RETH, "IRN_WRITE_FIRST"},
    {RdmaOpcode::IRN_WRITE_MIDDLE, DATA | REQUEST | RETH, "IRN_WRITE_MIDDLE"},
    {RdmaOpcode::IRN_WRITE_LAST, DATA | LAST | REQUEST | RETH, "IRN_WRITE_LAST"},
    {RdmaOpcode::IRN_WRITE_LAST_WITH_IMMEDIATE,
     DATA | LAST | REQUEST | RETH | IMM | MESSAGE,
     "IRN_WRITE_LAST_WITH_IMMEDIATE"},
    {RdmaOpcode::IRN_WRITE_ONLY, DATA | ONLY | REQUEST | RETH, "IRN_WRITE_ONLY"},
    {RdmaOpcode::IRN_WRITE_ONLY_WITH_IMMEDIATE,
     DATA | ONLY | REQUEST | RETH | IMM | MESSAGE,
     "IRN_WRITE_ONLY_WITH_IMMEDIATE"},
    {RdmaOpcode::IRN_READ_REQUEST, ONLY | REQUEST | RETH | MESSAGE, "IRN_READ_REQUEST"},
    {RdmaOpcode::IRN_READ_RESPONSE_FIRST, DATA | FIRST | AETH | MESSAGE, "IRN_READ_RESPONSE_FIRST"},
    {RdmaOpcode::IRN_READ_RESPONSE_MIDDLE, DATA | MESSAGE, "IRN_READ_RESPONSE_MIDDLE"},
    {RdmaOpcode::IRN_READ_RESPONSE_LAST, DATA | LAST | AETH | MESSAGE, "IRN_READ_RESPONSE_LAST"},
    {RdmaOpcode::IRN_READ_RESPONSE_ONLY, DATA | ONLY | AETH | MESSAGE, "IRN_READ_RESPONSE_ONLY"},
    {RdmaOpcode::IRN_ACKNOWLEDGE, ONLY | AETH | SELECTIVE, "IRN_ACKNOWLEDGE"},
    {RdmaOpcode::IRN_ATOMIC_ACKNOWLEDGE,
     ONLY | AETH | ATOMIC_ACK | MESSAGE,
     "IRN_ATOMIC_ACKNOWLEDGE"},
    {RdmaOpcode::IRN_COMPARE_SWAP, ONLY | REQUEST | ATOMIC | MESSAGE, "IRN_COMPARE_SWAP"},
    {RdmaOpcode::IRN_FETCH_ADD, ONLY | REQUEST | ATOMIC | MESSAGE, "IRN_FETCH_ADD"},
    {RdmaOpcode::IRN_SEND_LAST_WITH_INVALIDATE,
     DATA | LAST | REQUEST | INVALIDATE | MESSAGE,
     "IRN_SEND_LAST_WITH_INVALIDATE"},
    {RdmaOpcode::IRN_SEND_ONLY_WITH_INVALIDATE,
     DATA | ONLY | REQUEST | INVALIDATE | MESSAGE,
     "IRN_SEND_ONLY_WITH_INVALIDATE"},
    {RdmaOpcode::IRN_READ_ACKNOWLEDGE, ONLY | REQUEST | AETH | SELECTIVE, "IRN_READ_ACKNOWLEDGE"},
};

/// Number of reserved bytes after the BTH of a CNP (IBTA Annex A17.9.3).
constexpr uint8_t CNP_RESERVED = 16;

/** \param info properties of an opcode \return bytes of the opcode's extended headers */
constexpr uint8_t
CountHeaderBytes(const RdmaOpcodeInfo& info)
{
    return static_cast<uint8_t>((info.reth ? 16 : 0) + (info.atomicEth ? 28 : 0) +
                                (info.aeth ? 4 : 0) + (info.atomicAck ? 8 : 0) +
                                (info.immDt ? 4 : 0) + (info.ieth ? 4 : 0) +
                                (info.irnMessage ? 8 : 0) + (info.irnSelective ? 4 : 0));
}

using Table = std::array<RdmaOpcodeInfo, 256>;

constexpr Table
MakeTable()
{
    Table table{};
    for (const auto& row : ROWS)
    {
        RdmaOpcodeInfo& info = table[static_cast<uint8_t>(row.opcode)];
        info.valid = true;
        info.reth = row.parts & RETH;
        info.atomicEth = row.parts & ATOMIC;
        info.aeth = row.parts & AETH;
        info.atomicAck = row.parts & ATOMIC_ACK;
        info.immDt = row.parts & IMM;
        info.ieth = row.parts & INVALIDATE;
        info.irnMessage = row.parts & MESSAGE;
        info.irnSelective = row.parts & SELECTIVE;
        info.irn = row.opcode >= RdmaOpcode::IRN_SEND_FIRST;
        info.payload = row.parts & DATA;
        info.first = row.parts & FIRST;
        info.last = row.parts & LAST;
        info.request = row.parts & REQUEST;
        info.headerBytes = static_cast<uint8_t>(CountHeaderBytes(info) +
                                                (row.opcode == RdmaOpcode::CNP ? CNP_RESERVED : 0));
    }
    return table;
}

/// Properties of all opcodes, by opcode. Only RegisterRdmaOpcode() adds to the table.
Table g_table = MakeTable();

constexpr uint8_t FIRST_FREE = 0xe1; //!< lowest opcode for RegisterRdmaOpcode()

/// Names of the opcodes added by RegisterRdmaOpcode(), from FIRST_FREE on.
std::array<const char*, 256 - FIRST_FREE> g_names{};

} // namespace

const RdmaOpcodeInfo&
GetRdmaOpcodeInfo(uint8_t opcode)
{
    return g_table[opcode];
}

uint8_t
RegisterRdmaOpcode(uint8_t opcode, RdmaOpcodeInfo info, const char* name)
{
    NS_ABORT_MSG_IF(opcode < FIRST_FREE,
                    "rdma: opcode " << +opcode << " of " << name << "; accepted: " << +FIRST_FREE
                                    << ".." << UINT8_MAX);
    const char*& known = g_names[opcode - FIRST_FREE];
    NS_ABORT_MSG_IF(known && std::strcmp(known, name) != 0,
                    "rdma: opcode " << +opcode << " is " << known << " and " << name
                                    << "; accepted: one meaning for each");
    known = name;
    info.valid = true;
    info.headerBytes = CountHeaderBytes(info);
    g_table[opcode] = info;
    return opcode;
}

const char*
GetRdmaOpcodeName(uint8_t opcode)
{
    for (const auto& row : ROWS)
    {
        if (static_cast<uint8_t>(row.opcode) == opcode)
        {
            return row.name;
        }
    }
    const char* const name = opcode < FIRST_FREE ? nullptr : g_names[opcode - FIRST_FREE];
    return name ? name : "UNKNOWN";
}

} // namespace ns3
