/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-roce-codec.h"

#include "qbb-bytes.h"
#include "qbb-icrc.h"
#include "qbb-int-codec.h"
#include "qbb-ipv4.h"
#include "qbb-wire.h"

#include <ns3/assert.h>

#include <type_traits>

namespace ns3
{
namespace QbbRoceCodec
{

using namespace QbbWire;

namespace
{

// Bits of the BTH bytes that hold more than one field.
constexpr uint8_t BTH_SOLICITED = 0x80;
constexpr uint8_t BTH_MIG_REQ = 0x40;
constexpr uint8_t BTH_PAD_SHIFT = 4;
constexpr uint8_t BTH_PAD_MASK = 0x3;
constexpr uint8_t BTH_VERSION_MASK = 0x0f;
constexpr uint8_t BTH_FECN = 0x80;
constexpr uint8_t BTH_BECN = 0x40;
constexpr uint8_t BTH_ACK_REQ = 0x80;

constexpr uint32_t ROCE_HEADERS = IPV4_HEADER_BYTES + UDP_HEADER_BYTES + BTH_BYTES;

uint8_t
PadBytes(uint32_t payload)
{
    return static_cast<uint8_t>((0U - payload) & BTH_PAD_MASK);
}

/**
 * Writes or reads the extended headers of an opcode, in wire order. No opcode has both the IRN
 * message header and the IRN selective header.
 *
 * \tparam Io QbbByteWriter with a constant frame, or QbbByteReader
 * \return true if the reserved byte of the extended headers is zero or absent
 */
template <class Io, class Frame>
bool
ExtendedHeaders(Io& io, Frame& frame, const RdmaOpcodeInfo& info)
{
    if (info.reth)
    {
        io.U64(frame.virtualAddress);
        io.U32(frame.rKey);
        io.U32(frame.dmaLength);
    }
    if (info.atomicEth)
    {
        io.U64(frame.virtualAddress);
        io.U32(frame.rKey);
        io.U64(frame.swapOrAdd);
        io.U64(frame.compare);
    }
    if (info.aeth)
    {
        io.U8(frame.syndrome);
        io.U24(frame.msn);
    }
    if (info.atomicAck)
    {
        io.U64(frame.compare);
    }
    if (info.immDt || info.ieth)
    {
        io.U32(frame.immediate);
    }
    uint8_t reserved = 0;
    if (info.irnMessage)
    {
        io.U8(reserved);
        io.U24(frame.wqeSn);
        io.U32(frame.offset);
    }
    if (info.irnSelective)
    {
        auto arrived = static_cast<uint8_t>(frame.offset);
        io.U8(arrived);
        if constexpr (!std::is_const_v<Frame>)
        {
            frame.offset = arrived;
        }
        io.U24(frame.selectivePsn);
    }
    return reserved == 0;
}

/** \return number of reserved zero bytes between the extended headers and the payload */
uint32_t
ReservedBytes(const QbbFrame& frame)
{
    return frame.opcode == static_cast<uint8_t>(RdmaOpcode::CNP) ? CNP_RESERVED_BYTES : 0;
}

/** BTH fields that a QbbFrame does not keep. */
struct BthBits
{
    uint8_t version;  //!< transport header version (TVer)
    uint8_t pad;      //!< pad count
    uint8_t reserved; //!< not zero if any reserved bit is set
};

void
WriteBth(QbbByteWriter& io, const QbbFrame& frame)
{
    io.U8(frame.opcode);
    io.U8((frame.solicited ? BTH_SOLICITED : 0) | (frame.migReq ? BTH_MIG_REQ : 0) |
          (PadBytes(frame.payload) << BTH_PAD_SHIFT));
    io.U16(frame.pKey);
    io.U8((frame.fecn ? BTH_FECN : 0) | (frame.becn ? BTH_BECN : 0));
    io.U24(frame.destQp);
    io.U8(frame.ackReq ? BTH_ACK_REQ : 0);
    io.U24(frame.psn);
}

BthBits
ReadBth(QbbByteReader& io, QbbFrame& frame)
{
    uint8_t flags = 0;
    uint8_t congestion = 0;
    uint8_t acknowledge = 0;
    io.U8(frame.opcode);
    io.U8(flags);
    io.U16(frame.pKey);
    io.U8(congestion);
    io.U24(frame.destQp);
    io.U8(acknowledge);
    io.U24(frame.psn);
    frame.solicited = flags & BTH_SOLICITED;
    frame.migReq = flags & BTH_MIG_REQ;
    frame.fecn = congestion & BTH_FECN;
    frame.becn = congestion & BTH_BECN;
    frame.ackReq = acknowledge & BTH_ACK_REQ;
    const uint8_t reserved = (congestion & ~(BTH_FECN | BTH_BECN)) | (acknowledge & ~BTH_ACK_REQ);
    return {static_cast<uint8_t>(flags & BTH_VERSION_MASK),
            static_cast<uint8_t>((flags >> BTH_PAD_SHIFT) & BTH_PAD_MASK),
            reserved};
}

// The ICRC is the only field sent least significant byte first.

void
WriteIcrc(QbbByteWriter& io, uint32_t icrc)
{
    for (uint32_t i = 0; i < ICRC_BYTES; ++i)
    {
        io.U8(static_cast<uint8_t>(icrc >> (8 * i)));
    }
}

uint32_t
ReadIcrc(QbbByteReader& io)
{
    uint32_t icrc = 0;
    for (uint32_t i = 0; i < ICRC_BYTES; ++i)
    {
        uint8_t byte = 0;
        io.U8(byte);
        icrc |= uint32_t{byte} << (8 * i);
    }
    return icrc;
}

} // namespace

uint32_t
SerializedSize(const QbbFrame& frame)
{
    return ROCE_HEADERS + GetRdmaOpcodeInfo(frame.opcode).headerBytes + frame.payload +
           PadBytes(frame.payload) + ICRC_BYTES;
}

void
Serialize(const QbbFrame& frame, uint8_t* out)
{
    const RdmaOpcodeInfo& info = GetRdmaOpcodeInfo(frame.opcode);
    const uint32_t size = SerializedSize(frame);
    NS_ASSERT_MSG(info.valid, "opcode " << +frame.opcode << " is not an RdmaOpcode");
    NS_ASSERT_MSG(info.payload || frame.payload == 0,
                  GetRdmaOpcodeName(frame.opcode) << " carries no payload");
    NS_ASSERT_MSG(size <= 0xffff, "payload of " << frame.payload << " bytes does not fit IPv4");
    NS_ASSERT_MSG(frame.destQp <= MASK24 && frame.psn <= MASK24 && frame.msn <= MASK24,
                  "QPN, PSN and MSN have 24 bits");
    NS_ASSERT_MSG(frame.wqeSn <= MASK24 && frame.selectivePsn <= MASK24,
                  "IRN's WQE sequence number and selective PSN have 24 bits");

    QbbByteWriter io(out);
    io.U8(QbbIpv4::VERSION_4_NO_OPTIONS);
    io.U8(QbbIpv4::TypeOfService(frame));
    io.U16(static_cast<uint16_t>(size));
    io.U16(0); // identification: atomic datagrams need none (RFC 6864)
    io.U16(QbbIpv4::DONT_FRAGMENT);
    io.U8(frame.ttl);
    io.U8(IP_PROTOCOL_UDP);
    io.U16(0);
    io.U32(frame.srcIp);
    io.U32(frame.dstIp);
    QbbByteWriter(out + QbbIpv4::HEADER_CHECKSUM).U16(QbbIpv4::Checksum(out));

    io.U16(frame.srcPort);
    io.U16(ROCE_UDP_PORT);
    io.U16(static_cast<uint16_t>(size - IPV4_HEADER_BYTES));
    io.U16(0);

    WriteBth(io, frame);
    ExtendedHeaders(io, frame, info);
    io.Zeros(ReservedBytes(frame));

    const auto headers = static_cast<uint32_t>(io.At() - out);
    const uint32_t zeros = size - ICRC_BYTES - headers;
    io.Zeros(zeros);
    WriteIcrc(io, QbbIcrc::Compute(out, headers, zeros));
    QbbIntCodec::Write(io, frame);
}

bool
IsRoce(const QbbFrame& frame)
{
    return frame.ipv4 && frame.protocol == IP_PROTOCOL_UDP && frame.dstPort == ROCE_UDP_PORT;
}

QbbParseError
Parse(const uint8_t* ip, uint32_t count, QbbFrame& frame)
{
    const uint32_t length = QbbIpv4::Get16(ip + QbbIpv4::LENGTH);
    if (ip[0] != QbbIpv4::VERSION_4_NO_OPTIONS ||
        QbbIpv4::Get16(ip + QbbIpv4::IDENTIFICATION) != 0 ||
        QbbIpv4::Get16(ip + QbbIpv4::FRAGMENT) != QbbIpv4::DONT_FRAGMENT ||
        QbbIpv4::Get16(ip + QbbIpv4::HEADER_CHECKSUM) != QbbIpv4::Checksum(ip))
    {
        return QbbParseError::BAD_ROCE_IPV4;
    }
    if (length < ROCE_HEADERS + ICRC_BYTES)
    {
        return QbbParseError::BAD_ROCE_LENGTH;
    }
    QbbByteReader io(ip + IPV4_HEADER_BYTES);
    uint16_t udpLength = 0;
    uint16_t udpChecksum = 0;
    io.U16(frame.srcPort);
    io.U16(frame.dstPort);
    io.U16(udpLength);
    io.U16(udpChecksum);
    if (udpLength != length - IPV4_HEADER_BYTES || udpChecksum != 0)
    {
        return QbbParseError::BAD_UDP_HEADER;
    }
    const BthBits bits = ReadBth(io, frame);

    // The opcode determines the length of the rest.
    const RdmaOpcodeInfo& info = GetRdmaOpcodeInfo(frame.opcode);
    if (!info.valid)
    {
        return QbbParseError::UNKNOWN_OPCODE;
    }
    if (bits.version != 0)
    {
        return QbbParseError::BAD_BTH_VERSION;
    }
    const uint32_t headers = ROCE_HEADERS + info.headerBytes;
    if (length < headers + ICRC_BYTES)
    {
        return QbbParseError::BAD_ROCE_LENGTH;
    }
    const uint32_t padded = length - headers - ICRC_BYTES;
    if (padded % 4 != 0 || (padded != 0 && !info.payload))
    {
        return QbbParseError::BAD_ROCE_LENGTH;
    }
    if (bits.pad > padded)
    {
        return QbbParseError::BAD_PAD;
    }
    frame.payload = padded - bits.pad;

    bool reservedZeros = ExtendedHeaders(io, frame, info) && bits.reserved == 0;
    reservedZeros = io.Zeros(ReservedBytes(frame)) && reservedZeros;
    const bool payloadZeros = io.Zeros(frame.payload);
    const bool padZeros = io.Zeros(bits.pad);
    const uint32_t icrc = payloadZeros && padZeros ? QbbIcrc::Compute(ip, headers, padded)
                                                   : QbbIcrc::Compute(ip, headers + padded, 0);
    if (ReadIcrc(io) != icrc)
    {
        return QbbParseError::BAD_ICRC;
    }
    if (!reservedZeros)
    {
        return QbbParseError::BAD_RESERVED;
    }
    if (!payloadZeros)
    {
        return QbbParseError::BAD_PAYLOAD;
    }
    if (!padZeros)
    {
        return QbbParseError::BAD_PAD;
    }
    const uint32_t behind = count - length;
    if (behind > 0 && *io.At() != 0)
    {
        return QbbIntCodec::Read(io, behind, frame);
    }
    return io.Zeros(behind) ? QbbParseError::NONE : QbbParseError::BAD_PADDING;
}

} // namespace QbbRoceCodec
} // namespace ns3
