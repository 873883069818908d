/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_FRAME_SAMPLES_H
#define QBB_FRAME_SAMPLES_H

#include "qbb-frame-codec.h"
#include "qbb-frame.h"
#include "qbb-icrc.h"
#include "qbb-wire.h"

#include <ns3/mac48-address.h>
#include <ns3/packet.h>

#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * Frames to test with, and comparisons of frames; for unit tests and fuzzers.
 */

namespace ns3
{

/// All opcodes that RoCE frames may have.
constexpr RdmaOpcode ALL_OPCODES[] = {
    RdmaOpcode::SEND_FIRST,
    RdmaOpcode::SEND_MIDDLE,
    RdmaOpcode::SEND_LAST,
    RdmaOpcode::SEND_LAST_WITH_IMMEDIATE,
    RdmaOpcode::SEND_ONLY,
    RdmaOpcode::SEND_ONLY_WITH_IMMEDIATE,
    RdmaOpcode::RDMA_WRITE_FIRST,
    RdmaOpcode::RDMA_WRITE_MIDDLE,
    RdmaOpcode::RDMA_WRITE_LAST,
    RdmaOpcode::RDMA_WRITE_LAST_WITH_IMMEDIATE,
    RdmaOpcode::RDMA_WRITE_ONLY,
    RdmaOpcode::RDMA_WRITE_ONLY_WITH_IMMEDIATE,
    RdmaOpcode::RDMA_READ_REQUEST,
    RdmaOpcode::RDMA_READ_RESPONSE_FIRST,
    RdmaOpcode::RDMA_READ_RESPONSE_MIDDLE,
    RdmaOpcode::RDMA_READ_RESPONSE_LAST,
    RdmaOpcode::RDMA_READ_RESPONSE_ONLY,
    RdmaOpcode::ACKNOWLEDGE,
    RdmaOpcode::ATOMIC_ACKNOWLEDGE,
    RdmaOpcode::COMPARE_SWAP,
    RdmaOpcode::FETCH_ADD,
    RdmaOpcode::SEND_LAST_WITH_INVALIDATE,
    RdmaOpcode::SEND_ONLY_WITH_INVALIDATE,
    RdmaOpcode::CNP,
    RdmaOpcode::IRN_SEND_FIRST,
    RdmaOpcode::IRN_SEND_MIDDLE,
    RdmaOpcode::IRN_SEND_LAST,
    RdmaOpcode::IRN_SEND_LAST_WITH_IMMEDIATE,
    RdmaOpcode::IRN_SEND_ONLY,
    RdmaOpcode::IRN_SEND_ONLY_WITH_IMMEDIATE,
    RdmaOpcode::IRN_WRITE_FIRST,
    RdmaOpcode::IRN_WRITE_MIDDLE,
    RdmaOpcode::IRN_WRITE_LAST,
    RdmaOpcode::IRN_WRITE_LAST_WITH_IMMEDIATE,
    RdmaOpcode::IRN_WRITE_ONLY,
    RdmaOpcode::IRN_WRITE_ONLY_WITH_IMMEDIATE,
    RdmaOpcode::IRN_READ_REQUEST,
    RdmaOpcode::IRN_READ_RESPONSE_FIRST,
    RdmaOpcode::IRN_READ_RESPONSE_MIDDLE,
    RdmaOpcode::IRN_READ_RESPONSE_LAST,
    RdmaOpcode::IRN_READ_RESPONSE_ONLY,
    RdmaOpcode::IRN_ACKNOWLEDGE,
    RdmaOpcode::IRN_ATOMIC_ACKNOWLEDGE,
    RdmaOpcode::IRN_COMPARE_SWAP,
    RdmaOpcode::IRN_FETCH_ADD,
    RdmaOpcode::IRN_SEND_LAST_WITH_INVALIDATE,
    RdmaOpcode::IRN_SEND_ONLY_WITH_INVALIDATE,
    RdmaOpcode::IRN_READ_ACKNOWLEDGE,
};

/** \return the bytes of a packet */
inline std::vector<uint8_t>
BytesOf(const Ptr<const Packet>& packet)
{
    std::vector<uint8_t> bytes(packet->GetSize());
    packet->CopyData(bytes.data(), packet->GetSize());
    return bytes;
}

/** \return the bytes of a frame */
inline std::vector<uint8_t>
BytesOf(const QbbFrame& frame)
{
    std::vector<uint8_t> bytes(QbbFrameCodec::SerializedSize(frame));
    QbbFrameCodec::Serialize(frame, bytes.data());
    return bytes;
}

/** \return names of the fields in which frames differ, except fields that each node sets */
inline std::string
Differences(const QbbFrame& a, const QbbFrame& b)
{
    std::string names;
    auto compare = [&names](const auto& x, const auto& y, const char* name) {
        names += x == y ? "" : std::string(name) + " ";
    };
    compare(a.type, b.type, "type");
    compare(a.size, b.size, "size");
    compare(a.flowHash, b.flowHash, "flowHash");
    compare(a.etherType, b.etherType, "etherType");
    compare(a.tagged, b.tagged, "tagged");
    compare(a.tci, b.tci, "tci");
    compare(a.dstMac, b.dstMac, "dstMac");
    compare(a.srcMac, b.srcMac, "srcMac");
    compare(a.ipv4, b.ipv4, "ipv4");
    compare(a.dscp, b.dscp, "dscp");
    compare(a.ecn, b.ecn, "ecn");
    compare(a.ttl, b.ttl, "ttl");
    compare(a.protocol, b.protocol, "protocol");
    compare(a.srcIp, b.srcIp, "srcIp");
    compare(a.dstIp, b.dstIp, "dstIp");
    compare(a.srcPort, b.srcPort, "srcPort");
    compare(a.dstPort, b.dstPort, "dstPort");
    compare(a.opcode, b.opcode, "opcode");
    compare(a.solicited, b.solicited, "solicited");
    compare(a.migReq, b.migReq, "migReq");
    compare(a.fecn, b.fecn, "fecn");
    compare(a.becn, b.becn, "becn");
    compare(a.ackReq, b.ackReq, "ackReq");
    compare(a.pKey, b.pKey, "pKey");
    compare(a.destQp, b.destQp, "destQp");
    compare(a.psn, b.psn, "psn");
    compare(a.payload, b.payload, "payload");
    compare(a.virtualAddress, b.virtualAddress, "virtualAddress");
    compare(a.rKey, b.rKey, "rKey");
    compare(a.dmaLength, b.dmaLength, "dmaLength");
    compare(a.syndrome, b.syndrome, "syndrome");
    compare(a.msn, b.msn, "msn");
    compare(a.wqeSn, b.wqeSn, "wqeSn");
    compare(a.offset, b.offset, "offset");
    compare(a.selectivePsn, b.selectivePsn, "selectivePsn");
    compare(a.immediate, b.immediate, "immediate");
    compare(a.swapOrAdd, b.swapOrAdd, "swapOrAdd");
    compare(a.compare, b.compare, "compare");
    compare(a.classEnable, b.classEnable, "classEnable");
    compare(a.hasFabric, b.hasFabric, "hasFabric");
    if (a.hasFabric && b.hasFabric)
    {
        compare(a.fabric.protocol, b.fabric.protocol, "fabric.protocol");
        compare(a.fabric.count, b.fabric.count, "fabric.count");
        compare(a.fabric.bytes, b.fabric.bytes, "fabric.bytes");
    }
    else
    {
        compare(a.quanta, b.quanta, "quanta");
    }
    compare(a.intFormat, b.intFormat, "intFormat");
    compare(a.intRoom, b.intRoom, "intRoom");
    compare(a.pint, b.pint, "pint");
    compare(a.packet != nullptr, b.packet != nullptr, "packet");
    if (a.packet && b.packet)
    {
        compare(BytesOf(a.packet), BytesOf(b.packet), "packet bytes");
    }
    return names;
}

/** Set the fields that follow from other fields of a RoCE frame. */
inline void
FinishRoce(QbbFrame& frame)
{
    frame.type = QbbFrameType::ROCE;
    frame.etherType = QbbWire::ETHERTYPE_IPV4;
    frame.ipv4 = true;
    frame.protocol = QbbWire::IP_PROTOCOL_UDP;
    frame.dstPort = QbbWire::ROCE_UDP_PORT;
    frame.size = QbbWire::RoceFrameBytes(GetRdmaOpcodeInfo(frame.opcode),
                                         frame.payload,
                                         frame.tagged,
                                         frame.pint != 0 ? QbbWire::PINT_BYTES : 0);
    frame.flowHash =
        QbbFlowHash(frame.srcIp, frame.dstIp, frame.protocol, frame.srcPort, frame.dstPort);
}

/** Set the fields that follow from other fields of a PFC or PAUSE frame. */
inline void
FinishMacControl(QbbFrame& frame, QbbFrameType type)
{
    frame.type = type;
    frame.etherType = QbbWire::ETHERTYPE_MAC_CONTROL;
    frame.dstMac = Mac48Address("01:80:c2:00:00:01");
    frame.size = QbbWire::MIN_FRAME_BYTES;
}

/**
 * Fill a new RoCE or MAC control frame with arbitrary values of the fields that it uses.
 *
 * \param next gives an arbitrary uint64_t on each call
 * \param frame a frame with every field at its default
 */
template <class Next>
void
FillFrame(Next&& next, QbbFrame& frame)
{
    auto address = [&next]() {
        const uint64_t value = next();
        uint8_t bytes[6];
        for (unsigned i = 0; i < 6; ++i)
        {
            bytes[i] = static_cast<uint8_t>(value >> (8 * i));
        }
        Mac48Address mac;
        mac.CopyFrom(bytes);
        return mac;
    };
    frame.srcMac = address();
    frame.dstMac = address();
    const uint64_t kind = next() % 16;
    if (kind < 2)
    {
        const uint64_t quanta = next();
        if (kind == 0)
        {
            const uint64_t more = next();
            for (unsigned i = 0; i < 8; ++i)
            {
                frame.quanta[i] = static_cast<uint16_t>((i < 4 ? quanta : more) >> (16 * (i % 4)));
            }
            frame.classEnable = static_cast<uint8_t>(next());
            FinishMacControl(frame, QbbFrameType::PFC);
        }
        else
        {
            frame.quanta[0] = static_cast<uint16_t>(quanta);
            FinishMacControl(frame, QbbFrameType::PAUSE);
        }
        return;
    }

    const uint64_t bits = next();
    frame.tagged = bits & 1;
    frame.solicited = bits & 2;
    frame.migReq = bits & 4;
    frame.fecn = bits & 8;
    frame.becn = bits & 16;
    frame.ackReq = bits & 32;
    frame.tci = frame.tagged ? static_cast<uint16_t>(bits >> 8) : 0;
    frame.dscp = (bits >> 24) & 0x3f;
    frame.ecn = (bits >> 30) & 0x3;
    frame.ttl = static_cast<uint8_t>(bits >> 32);
    frame.pKey = static_cast<uint16_t>(bits >> 40);
    const uint64_t addresses = next();
    frame.srcIp = static_cast<uint32_t>(addresses);
    frame.dstIp = static_cast<uint32_t>(addresses >> 32);
    const uint64_t numbers = next();
    frame.srcPort = static_cast<uint16_t>(numbers);
    frame.destQp = (numbers >> 16) & QbbWire::MASK24;
    frame.psn = (numbers >> 40) & QbbWire::MASK24;

    // One frame in four has a byte of telemetry.
    const uint64_t telemetry = next();
    frame.pint = telemetry & 3 ? 0 : static_cast<uint8_t>(telemetry >> 8);

    const RdmaOpcode opcode = ALL_OPCODES[next() % std::size(ALL_OPCODES)];
    const RdmaOpcodeInfo& info = GetRdmaOpcodeInfo(opcode);
    frame.opcode = static_cast<uint8_t>(opcode);
    if (info.payload)
    {
        // Mostly up to the largest path MTU, sometimes up to the limit of IPv4.
        const uint64_t length = next();
        frame.payload = static_cast<uint32_t>((length >> 8) % (length & 7 ? 4097 : 65400));
    }
    if (info.reth || info.atomicEth)
    {
        frame.virtualAddress = next();
        frame.rKey = static_cast<uint32_t>(next());
    }
    if (info.reth)
    {
        frame.dmaLength = static_cast<uint32_t>(next());
    }
    if (info.atomicEth)
    {
        frame.swapOrAdd = next();
    }
    if (info.atomicEth || info.atomicAck)
    {
        frame.compare = next();
    }
    if (info.aeth)
    {
        const uint64_t aeth = next();
        frame.syndrome = static_cast<uint8_t>(aeth);
        frame.msn = (aeth >> 8) & QbbWire::MASK24;
    }
    if (info.immDt || info.ieth)
    {
        frame.immediate = static_cast<uint32_t>(next());
    }
    if (info.irnMessage)
    {
        const uint64_t message = next();
        frame.wqeSn = message & QbbWire::MASK24;
        frame.offset = static_cast<uint32_t>(message >> 32);
    }
    if (info.irnSelective)
    {
        frame.selectivePsn = next() & QbbWire::MASK24;
    }
    FinishRoce(frame);

    // One frame in four has a header of switches.
    const uint64_t fabric = next();
    if ((fabric & 3) == 0)
    {
        const auto count = static_cast<uint8_t>((fabric >> 2) % (QbbFabricHeader::MAX_BYTES + 1));
        QbbFrameCodec::AddFabric(frame, static_cast<uint8_t>((fabric >> 8) % 255 + 1), count);
        for (uint8_t i = 0; i < count; ++i)
        {
            frame.fabric.bytes[i] = static_cast<uint8_t>(fabric >> (16 + 3 * i));
        }
    }
}

/**
 * Mend the checksums that a change of other bytes has broken, as far as the bytes look like IPv4
 * and RoCE, so that the checks behind them are reached.
 *
 * \param bytes a frame without FCS
 * \param ipv4 mend the IPv4 header checksum
 * \param icrc mend the ICRC
 */
inline void
MendChecksums(std::vector<uint8_t>& bytes, bool ipv4, bool icrc)
{
    size_t ip = bytes.size() > 17 && bytes[12] == 0x81 && bytes[13] == 0 ? 18 : 14;
    if (bytes.size() > ip + 1 && bytes[ip - 2] == 0x88 && bytes[ip - 1] == 0xb5)
    {
        ip += 4 + bytes[ip + 1];
    }
    if (bytes.size() < ip + 20)
    {
        return;
    }
    const size_t headerBytes = (bytes[ip] & 0x0f) * 4U;
    if (ipv4 && headerBytes >= 20 && ip + headerBytes <= bytes.size())
    {
        bytes[ip + 10] = bytes[ip + 11] = 0;
        uint32_t sum = 0;
        for (size_t i = 0; i < headerBytes; i += 2)
        {
            sum += (uint32_t{bytes[ip + i]} << 8) + bytes[ip + i + 1];
        }
        while (sum > 0xffff)
        {
            sum = (sum & 0xffff) + (sum >> 16);
        }
        bytes[ip + 10] = static_cast<uint8_t>(~sum >> 8);
        bytes[ip + 11] = static_cast<uint8_t>(~sum);
    }
    const size_t length = (size_t{bytes[ip + 2]} << 8) + bytes[ip + 3];
    if (icrc && length >= 44 && ip + length <= bytes.size())
    {
        const uint32_t crc = QbbIcrc::Compute(&bytes[ip], length - 4, 0);
        for (size_t i = 0; i < 4; ++i)
        {
            bytes[ip + length - 4 + i] = static_cast<uint8_t>(crc >> (8 * i));
        }
    }
}

} // namespace ns3

#endif /* QBB_FRAME_SAMPLES_H */
