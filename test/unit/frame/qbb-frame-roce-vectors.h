/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_FRAME_ROCE_VECTORS_H
#define QBB_FRAME_ROCE_VECTORS_H

#include "qbb-frame-vectors.h"
#include "qbb-hex.h"

#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * Frames of RoCE, PFC and PAUSE and their bytes, field by field from the standards' tables. Header
 * checksums and ICRCs are computed with scapy 2.8.0 (contrib.roce).
 */

namespace ns3
{

namespace QbbFrameVectors
{

/** \return a frame of each kind, and its bytes */
inline std::vector<Vector>
RoceVectors()
{
    return {
        {"RdmaWriteOnly",
         ETHERNET + "456a0044 00004000 4011253d" + ADDRESSES + "0030 0000" +
             "0a 70 ffff 00000012 80abcdef"       // BTH: pad 3, MigReq, AckReq
             "0000112233445566 01020304 00000005" // RETH
             "0000000000 000000 9d0d7afc",        // payload, pad, ICRC
         [](QbbFrame& frame) {
             Common(frame, RdmaOpcode::RDMA_WRITE_ONLY);
             frame.ackReq = true;
             frame.destQp = 0x12;
             frame.psn = 0xabcdef;
             frame.virtualAddress = 0x112233445566;
             frame.rKey = 0x01020304;
             frame.dmaLength = 5;
             frame.payload = 5;
             FinishRoce(frame);
         }},
        {"RdmaWriteFirstTagged",
         "02000000000b 02000000000a 8100 6064 0800" // PCP 3, VLAN 100
         "456b013c 00004000 40112444" +
             ADDRESSES + "0128 0000" +
             "06 40 8001 80ffffff 00ffffff"         // BTH: FECN
             "00007f0000001000 deadbeef 00000400" + // RETH
             Zeros(256) +
             "caf33a57",
         [](QbbFrame& frame) {
             Common(frame, RdmaOpcode::RDMA_WRITE_FIRST);
             frame.tagged = true;
             frame.tci = 0x6064;
             frame.ecn = 3;
             frame.fecn = true;
             frame.pKey = 0x8001;
             frame.destQp = 0xffffff;
             frame.psn = 0xffffff;
             frame.virtualAddress = 0x7f0000001000;
             frame.rKey = 0xdeadbeef;
             frame.dmaLength = 1024;
             frame.payload = 256;
             FinishRoce(frame);
         }},
        {"Acknowledge",
         ETHERNET + "456a0030 00004000 40112551" + ADDRESSES + "001c 0000" +
             "11 40 ffff 00000034 00000005 1f000007 566c7801",
         [](QbbFrame& frame) {
             Common(frame, RdmaOpcode::ACKNOWLEDGE);
             frame.destQp = 0x34;
             frame.psn = 5;
             frame.syndrome = 0x1f;
             frame.msn = 7;
             FinishRoce(frame);
         }},
        {"NakSequenceError",
         ETHERNET + "456a0030 00004000 40112551" + ADDRESSES + "001c 0000" +
             "11 40 ffff 00000034 00000006 60fffffe 6b25599c",
         [](QbbFrame& frame) {
             Common(frame, RdmaOpcode::ACKNOWLEDGE);
             frame.destQp = 0x34;
             frame.psn = 6;
             frame.syndrome = 0x60;
             frame.msn = 0xfffffe;
             FinishRoce(frame);
         }},
        {"Cnp",
         ETHERNET + "45c2003c 00004000 401124ed" + ADDRESSES + "0028 0000" +
             "81 00 ffff 400000d2 00000000" + Zeros(16) + "d0205497",
         [](QbbFrame& frame) {
             Common(frame, RdmaOpcode::CNP);
             frame.dscp = 48;
             frame.migReq = false;
             frame.becn = true;
             frame.destQp = 0xd2;
             FinishRoce(frame);
         }},
        {"CompareSwap",
         ETHERNET + "456a0048 00004000 40112539" + ADDRESSES + "0034 0000" +
             "13 40 ffff 00000009 80000001"
             "0000000000001000 00000077 1111111122222222 3333333344444444 0f2520d4",
         [](QbbFrame& frame) {
             Common(frame, RdmaOpcode::COMPARE_SWAP);
             frame.ackReq = true;
             frame.destQp = 9;
             frame.psn = 1;
             frame.virtualAddress = 0x1000;
             frame.rKey = 0x77;
             frame.swapOrAdd = 0x1111111122222222;
             frame.compare = 0x3333333344444444;
             FinishRoce(frame);
         }},
        {"AtomicAcknowledge",
         ETHERNET + "456a0038 00004000 40112549" + ADDRESSES + "0024 0000" +
             "12 40 ffff 0000000a 00000001 00000003 3333333344444444 1ae96252",
         [](QbbFrame& frame) {
             Common(frame, RdmaOpcode::ATOMIC_ACKNOWLEDGE);
             frame.destQp = 10;
             frame.psn = 1;
             frame.msn = 3;
             frame.compare = 0x3333333344444444;
             FinishRoce(frame);
         }},
        {"SendLastWithImmediate",
         ETHERNET + "456a0050 00004000 40112531" + ADDRESSES + "003c 0000" +
             "03 e0 ffff 00000009 80000002 cafef00d" + // BTH: SE, MigReq, pad 2; ImmDt
             Zeros(30) + "0000 10139325",
         [](QbbFrame& frame) {
             Common(frame, RdmaOpcode::SEND_LAST_WITH_IMMEDIATE);
             frame.solicited = true;
             frame.ackReq = true;
             frame.destQp = 9;
             frame.psn = 2;
             frame.immediate = 0xcafef00d;
             frame.payload = 30;
             FinishRoce(frame);
         }},
        {"SendOnlyWithInvalidate",
         ETHERNET + "456a0034 00004000 0111644d" + ADDRESSES + "0020 0000" +
             "17 40 ffff 00000009 80000003 0badc0de 00000000 d1359c62",
         [](QbbFrame& frame) {
             Common(frame, RdmaOpcode::SEND_ONLY_WITH_INVALIDATE);
             frame.ttl = 1;
             frame.ackReq = true;
             frame.destQp = 9;
             frame.psn = 3;
             frame.immediate = 0x0badc0de;
             frame.payload = 4;
             FinishRoce(frame);
         }},
        {"SendOnlyWithoutPayload",
         ETHERNET + "456a002c 00004000 40112555" + ADDRESSES + "0018 0000" +
             "04 40 ffff 00000009 80000004 3fc4327f 0000", // two bytes of Ethernet padding
         [](QbbFrame& frame) {
             Common(frame, RdmaOpcode::SEND_ONLY);
             frame.ackReq = true;
             frame.destQp = 9;
             frame.psn = 4;
             FinishRoce(frame);
         }},
        {"RdmaReadRequest",
         ETHERNET + "456a003c 00004000 40112545" + ADDRESSES + "0028 0000" +
             "0c 40 ffff 00000009 80000005 8000000000000000 ffffffff ffffffff ceec5ab1",
         [](QbbFrame& frame) {
             Common(frame, RdmaOpcode::RDMA_READ_REQUEST);
             frame.ackReq = true;
             frame.destQp = 9;
             frame.psn = 5;
             frame.virtualAddress = 0x8000000000000000;
             frame.rKey = 0xffffffff;
             frame.dmaLength = 0xffffffff;
             FinishRoce(frame);
         }},
        {"PfcXoffOfTwoClasses",
         "0180c2000001 02000000000a 8808 0101 0018"
         "0000 0000 0000 ffff 1234 0000 0000 0000" +
             Zeros(26),
         [](QbbFrame& frame) {
             FinishMacControl(frame, QbbFrameType::PFC);
             frame.srcMac = Mac48Address("02:00:00:00:00:0a");
             frame.classEnable = 0x18;
             frame.quanta[3] = 0xffff;
             frame.quanta[4] = 0x1234;
         }},
        {"PfcXonOfOneClass",
         "0180c2000001 02000000000a 8808 0101 0080" + Zeros(16) + Zeros(26),
         [](QbbFrame& frame) {
             FinishMacControl(frame, QbbFrameType::PFC);
             frame.srcMac = Mac48Address("02:00:00:00:00:0a");
             frame.classEnable = 0x80;
         }},
        {"Pause",
         "0180c2000001 02000000000a 8808 0001 00ff" + Zeros(42),
         [](QbbFrame& frame) {
             FinishMacControl(frame, QbbFrameType::PAUSE);
             frame.srcMac = Mac48Address("02:00:00:00:00:0a");
             frame.quanta[0] = 0xff;
         }},
    };
}

} // namespace QbbFrameVectors

} // namespace ns3

#endif /* QBB_FRAME_ROCE_VECTORS_H */
