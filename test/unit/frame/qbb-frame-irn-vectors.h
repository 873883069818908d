/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_FRAME_IRN_VECTORS_H
#define QBB_FRAME_IRN_VECTORS_H

#include "qbb-frame-vectors.h"

#include <initializer_list>
#include <string>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * A frame of each of IRN's opcodes and its bytes, field by field from doc/wire-formats.rst. Header
 * checksums and ICRCs are computed with scapy 2.8.0 (contrib.roce).
 */

namespace ns3
{

namespace QbbFrameVectors
{

/**
 * \ingroup rdma-tests
 * An extended header.
 */
struct Header
{
    const char* hex;         //!< its bytes
    void (*fill)(QbbFrame&); //!< sets its fields
};

constexpr Header RETH{"0000112233445566 01020304 00012345", [](QbbFrame& frame) {
                          frame.virtualAddress = 0x112233445566;
                          frame.rKey = 0x01020304;
                          frame.dmaLength = 0x12345;
                      }};
constexpr Header ATOMIC{"0000000000001000 00000077 1111111122222222 3333333344444444",
                        [](QbbFrame& frame) {
                            frame.virtualAddress = 0x1000;
                            frame.rKey = 0x77;
                            frame.swapOrAdd = 0x1111111122222222;
                            frame.compare = 0x3333333344444444;
                        }};
constexpr Header AETH{"1f fedcba", [](QbbFrame& frame) {
                          frame.syndrome = 0x1f;
                          frame.msn = 0xfedcba;
                      }};
constexpr Header ATOMIC_ACK{"8877665544332211",
                            [](QbbFrame& frame) { frame.compare = 0x8877665544332211; }};
constexpr Header IMM{"cafef00d", [](QbbFrame& frame) { frame.immediate = 0xcafef00d; }};
constexpr Header IETH{"0badc0de", [](QbbFrame& frame) { frame.immediate = 0x0badc0de; }};
constexpr Header MESSAGE{"00 a1b2c3 89abcdef", [](QbbFrame& frame) {
                             frame.wqeSn = 0xa1b2c3;
                             frame.offset = 0x89abcdef;
                         }};
constexpr Header SELECTIVE{"00 f1e2d3", [](QbbFrame& frame) { frame.selectivePsn = 0xf1e2d3; }};

/**
 * \param name for messages
 * \param opcode the opcode
 * \param ackReq acknowledgement requested
 * \param payload bytes of payload
 * \param ip first twelve bytes of the IPv4 header
 * \param bth UDP length and checksum, BTH
 * \param headers the extended headers in their order
 * \param tail payload, pad and ICRC
 * \return the vector
 */
inline Vector
IrnVector(const char* name,
          RdmaOpcode opcode,
          bool ackReq,
          uint32_t payload,
          const std::string& ip,
          const std::string& bth,
          std::initializer_list<Header> headers,
          const std::string& tail)
{
    std::string hex = ETHERNET + ip + ADDRESSES + bth;
    for (const Header& header : headers)
    {
        hex += header.hex;
    }
    return {name, hex + tail, [=, headers = std::vector<Header>(headers)](QbbFrame& frame) {
                Common(frame, opcode);
                frame.ackReq = ackReq;
                frame.payload = payload;
                frame.destQp = 0x12;
                frame.psn = 0xabcdef;
                for (const Header& header : headers)
                {
                    header.fill(frame);
                }
                FinishRoce(frame);
            }};
}

/**
 * \ingroup rdma-tests
 * \return a vector for each of IRN's opcodes
 */
inline std::vector<Vector>
IrnVectors()
{
    return {
        IrnVector("IrnSendFirst",
                  RdmaOpcode::IRN_SEND_FIRST,
                  false,
                  8,
                  "456a003c 00004000 40112545",
                  "0028 0000 c0 40 ffff 00000012 00abcdef",
                  {MESSAGE},
                  "0000000000000000 89230830"),
        IrnVector("IrnSendMiddle",
                  RdmaOpcode::IRN_SEND_MIDDLE,
                  false,
                  4,
                  "456a0038 00004000 40112549",
                  "0024 0000 c1 40 ffff 00000012 00abcdef",
                  {MESSAGE},
                  "00000000 66d530aa"),
        IrnVector("IrnSendLast",
                  RdmaOpcode::IRN_SEND_LAST,
                  true,
                  1,
                  "456a0038 00004000 40112549",
                  "0024 0000 c2 70 ffff 00000012 80abcdef",
                  {MESSAGE},
                  "00 000000 6e1b44ad"),
        IrnVector("IrnSendLastWithImmediate",
                  RdmaOpcode::IRN_SEND_LAST_WITH_IMMEDIATE,
                  true,
                  2,
                  "456a003c 00004000 40112545",
                  "0028 0000 c3 60 ffff 00000012 80abcdef",
                  {IMM, MESSAGE},
                  "0000 0000 a3d9558c"),
        IrnVector("IrnSendOnly",
                  RdmaOpcode::IRN_SEND_ONLY,
                  true,
                  0,
                  "456a0034 00004000 4011254d",
                  "0020 0000 c4 40 ffff 00000012 80abcdef",
                  {MESSAGE},
                  "9e74e6ec"),
        IrnVector("IrnSendOnlyWithImmediate",
                  RdmaOpcode::IRN_SEND_ONLY_WITH_IMMEDIATE,
                  true,
                  3,
                  "456a003c 00004000 40112545",
                  "0028 0000 c5 50 ffff 00000012 80abcdef",
                  {IMM, MESSAGE},
                  "000000 00 122a746b"),
        IrnVector("IrnWriteFirst",
                  RdmaOpcode::IRN_WRITE_FIRST,
                  false,
                  4,
                  "456a0040 00004000 40112541",
                  "002c 0000 c6 40 ffff 00000012 00abcdef",
                  {RETH},
                  "00000000 bcd40e63"),
        IrnVector("IrnWriteMiddle",
                  RdmaOpcode::IRN_WRITE_MIDDLE,
                  false,
                  12,
                  "456a0048 00004000 40112539",
                  "0034 0000 c7 40 ffff 00000012 00abcdef",
                  {RETH},
                  "000000000000000000000000 e6804ad3"),
        IrnVector("IrnWriteLast",
                  RdmaOpcode::IRN_WRITE_LAST,
                  true,
                  7,
                  "456a0044 00004000 4011253d",
                  "0030 0000 c8 50 ffff 00000012 80abcdef",
                  {RETH},
                  "00000000000000 00 62c0407d"),
        IrnVector("IrnWriteLastWithImmediate",
                  RdmaOpcode::IRN_WRITE_LAST_WITH_IMMEDIATE,
                  true,
                  6,
                  "456a0050 00004000 40112531",
                  "003c 0000 c9 60 ffff 00000012 80abcdef",
                  {RETH, IMM, MESSAGE},
                  "000000000000 0000 741a88e8"),
        IrnVector("IrnWriteOnly",
                  RdmaOpcode::IRN_WRITE_ONLY,
                  true,
                  5,
                  "456a0044 00004000 4011253d",
                  "0030 0000 ca 70 ffff 00000012 80abcdef",
                  {RETH},
                  "0000000000 000000 9fe72413"),
        IrnVector("IrnWriteOnlyWithImmediate",
                  RdmaOpcode::IRN_WRITE_ONLY_WITH_IMMEDIATE,
                  true,
                  0,
                  "456a0048 00004000 40112539",
                  "0034 0000 cb 40 ffff 00000012 80abcdef",
                  {RETH, IMM, MESSAGE},
                  "2ec7a000"),
        IrnVector("IrnReadRequest",
                  RdmaOpcode::IRN_READ_REQUEST,
                  true,
                  0,
                  "456a0044 00004000 4011253d",
                  "0030 0000 cc 40 ffff 00000012 80abcdef",
                  {RETH, MESSAGE},
                  "cb391c19"),
        IrnVector("IrnReadResponseFirst",
                  RdmaOpcode::IRN_READ_RESPONSE_FIRST,
                  false,
                  4,
                  "456a003c 00004000 40112545",
                  "0028 0000 cd 40 ffff 00000012 00abcdef",
                  {AETH, MESSAGE},
                  "00000000 90f65280"),
        IrnVector("IrnReadResponseMiddle",
                  RdmaOpcode::IRN_READ_RESPONSE_MIDDLE,
                  false,
                  8,
                  "456a003c 00004000 40112545",
                  "0028 0000 ce 40 ffff 00000012 00abcdef",
                  {MESSAGE},
                  "0000000000000000 2fc51b38"),
        IrnVector("IrnReadResponseLast",
                  RdmaOpcode::IRN_READ_RESPONSE_LAST,
                  false,
                  3,
                  "456a003c 00004000 40112545",
                  "0028 0000 cf 50 ffff 00000012 00abcdef",
                  {AETH, MESSAGE},
                  "000000 00 ffa74ddd"),
        IrnVector("IrnReadResponseOnly",
                  RdmaOpcode::IRN_READ_RESPONSE_ONLY,
                  false,
                  1,
                  "456a003c 00004000 40112545",
                  "0028 0000 d0 70 ffff 00000012 00abcdef",
                  {AETH, MESSAGE},
                  "00 000000 3e3b5d73"),
        IrnVector("IrnAcknowledge",
                  RdmaOpcode::IRN_ACKNOWLEDGE,
                  false,
                  0,
                  "456a0034 00004000 4011254d",
                  "0020 0000 d1 40 ffff 00000012 00abcdef",
                  {AETH, SELECTIVE},
                  "34205e3d"),
        IrnVector("IrnAtomicAcknowledge",
                  RdmaOpcode::IRN_ATOMIC_ACKNOWLEDGE,
                  false,
                  0,
                  "456a0040 00004000 40112541",
                  "002c 0000 d2 40 ffff 00000012 00abcdef",
                  {AETH, ATOMIC_ACK, MESSAGE},
                  "8a8d00ad"),
        IrnVector("IrnCompareSwap",
                  RdmaOpcode::IRN_COMPARE_SWAP,
                  true,
                  0,
                  "456a0050 00004000 40112531",
                  "003c 0000 d3 40 ffff 00000012 80abcdef",
                  {ATOMIC, MESSAGE},
                  "185382e4"),
        IrnVector("IrnFetchAdd",
                  RdmaOpcode::IRN_FETCH_ADD,
                  true,
                  0,
                  "456a0050 00004000 40112531",
                  "003c 0000 d4 40 ffff 00000012 80abcdef",
                  {ATOMIC, MESSAGE},
                  "0cd59754"),
        IrnVector("IrnSendLastWithInvalidate",
                  RdmaOpcode::IRN_SEND_LAST_WITH_INVALIDATE,
                  true,
                  9,
                  "456a0044 00004000 4011253d",
                  "0030 0000 d6 70 ffff 00000012 80abcdef",
                  {IETH, MESSAGE},
                  "000000000000000000 000000 9da6ddc8"),
        IrnVector("IrnSendOnlyWithInvalidate",
                  RdmaOpcode::IRN_SEND_ONLY_WITH_INVALIDATE,
                  true,
                  4,
                  "456a003c 00004000 40112545",
                  "0028 0000 d7 40 ffff 00000012 80abcdef",
                  {IETH, MESSAGE},
                  "00000000 6594c7d1"),
        IrnVector("IrnReadAcknowledge",
                  RdmaOpcode::IRN_READ_ACKNOWLEDGE,
                  false,
                  0,
                  "456a0034 00004000 4011254d",
                  "0020 0000 e0 40 ffff 00000012 00abcdef",
                  {AETH, SELECTIVE},
                  "5ce003a2"),
    };
}

} // namespace QbbFrameVectors

} // namespace ns3

#endif /* QBB_FRAME_IRN_VECTORS_H */
