/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-send-entry.h"

#include "rdma-opcode.h"

namespace ns3
{

void
RdmaSendEntry::FillWrite(QbbFrame& frame, uint64_t index, uint32_t mtu, uint32_t ackInterval) const
{
    static constexpr RdmaOpcode OPCODES[4][4] = {
        // columns: middle, first, last, only
        {RdmaOpcode::RDMA_WRITE_MIDDLE,
         RdmaOpcode::RDMA_WRITE_FIRST,
         RdmaOpcode::RDMA_WRITE_LAST,
         RdmaOpcode::RDMA_WRITE_ONLY},
        {RdmaOpcode::RDMA_WRITE_MIDDLE,
         RdmaOpcode::RDMA_WRITE_FIRST,
         RdmaOpcode::RDMA_WRITE_LAST_WITH_IMMEDIATE,
         RdmaOpcode::RDMA_WRITE_ONLY_WITH_IMMEDIATE},
        {RdmaOpcode::SEND_MIDDLE,
         RdmaOpcode::SEND_FIRST,
         RdmaOpcode::SEND_LAST,
         RdmaOpcode::SEND_ONLY},
        {RdmaOpcode::SEND_MIDDLE,
         RdmaOpcode::SEND_FIRST,
         RdmaOpcode::SEND_LAST_WITH_IMMEDIATE,
         RdmaOpcode::SEND_ONLY_WITH_IMMEDIATE},
    };
    const bool first = index == 0;
    const bool last = index + 1 == packets;
    const RdmaOpcode opcode =
        OPCODES[static_cast<std::size_t>(request.opcode)][(first ? 1 : 0) + (last ? 2 : 0)];
    const RdmaOpcodeInfo& info = GetRdmaOpcodeInfo(opcode);
    frame.opcode = static_cast<uint8_t>(opcode);
    frame.payload = last ? static_cast<uint32_t>(request.length - index * mtu) : mtu;
    frame.ackReq = last || ackInterval == 1 || (index + 1) % ackInterval == 0;
    if (info.reth)
    {
        frame.virtualAddress = request.remoteAddress;
        frame.rKey = request.rKey;
        frame.dmaLength = static_cast<uint32_t>(request.length);
    }
    if (last)
    {
        if (info.immDt)
        {
            frame.immediate = request.immediate;
        }
        // Only a message that completes a receive request raises an event (IBA Vol. 1, 9.2).
        frame.solicited = request.solicited && request.opcode != RdmaWrOpcode::RDMA_WRITE;
    }
}

void
RdmaSendEntry::FillRead(QbbFrame& frame, uint64_t index, uint32_t mtu) const
{
    frame.virtualAddress = request.remoteAddress;
    frame.rKey = request.rKey;
    frame.ackReq = true;
    switch (request.opcode)
    {
    case RdmaWrOpcode::ATOMIC_CMP_AND_SWP:
        frame.opcode = static_cast<uint8_t>(RdmaOpcode::COMPARE_SWAP);
        frame.compare = request.compareAdd;
        frame.swapOrAdd = request.swap;
        break;
    case RdmaWrOpcode::ATOMIC_FETCH_AND_ADD:
        frame.opcode = static_cast<uint8_t>(RdmaOpcode::FETCH_ADD);
        frame.swapOrAdd = request.compareAdd;
        break;
    default:
        // A repeated READ request begins at the first missing response (IBA Vol. 1, 9.7.5.1.3).
        // With IRN the index is 0.
        frame.opcode = static_cast<uint8_t>(RdmaOpcode::RDMA_READ_REQUEST);
        frame.virtualAddress += index * mtu;
        frame.dmaLength = static_cast<uint32_t>(request.length - index * mtu);
        break;
    }
}

RdmaWorkCompletion
RdmaSendEntry::MakeCompletion(RdmaWcStatus status) const
{
    static constexpr RdmaWcOpcode OPCODES[] = {RdmaWcOpcode::RDMA_WRITE,
                                               RdmaWcOpcode::RDMA_WRITE,
                                               RdmaWcOpcode::SEND,
                                               RdmaWcOpcode::SEND,
                                               RdmaWcOpcode::RDMA_READ,
                                               RdmaWcOpcode::COMP_SWAP,
                                               RdmaWcOpcode::FETCH_ADD};
    RdmaWorkCompletion completion;
    completion.id = request.id;
    completion.status = status;
    completion.opcode = OPCODES[static_cast<std::size_t>(request.opcode)];
    completion.bytes = request.length;
    completion.original = original;
    return completion;
}

} // namespace ns3
