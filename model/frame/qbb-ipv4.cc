/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-ipv4.h"

#include "qbb-bytes.h"
#include "qbb-wire.h"

#include <ns3/assert.h>
#include <ns3/node.h>

namespace ns3
{
namespace QbbIpv4
{

using namespace QbbWire;

namespace
{

constexpr uint32_t PORTS_BYTES = 4;

/** \return the one's complement sum of 16-bit words, with carries folded in (RFC 1071) */
uint16_t
OnesSum(const uint8_t* bytes, uint32_t count)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < count; i += 2)
    {
        sum += Get16(bytes + i);
    }
    sum = (sum & 0xffff) + (sum >> 16);
    return static_cast<uint16_t>(sum + (sum >> 16));
}

} // namespace

uint16_t
Checksum(const uint8_t* header)
{
    const uint32_t sum = uint32_t{OnesSum(header, HEADER_CHECKSUM)} +
                         OnesSum(header + SOURCE, HeaderBytes(header) - SOURCE);
    return static_cast<uint16_t>(~((sum & 0xffff) + (sum >> 16)));
}

uint8_t
TypeOfService(const QbbFrame& frame)
{
    NS_ASSERT_MSG(frame.dscp < 64, "DSCP " << +frame.dscp << " is not in 0..63");
    NS_ASSERT_MSG(frame.ecn < 4, "ECN " << +frame.ecn << " is not in 0..3");
    return static_cast<uint8_t>((frame.dscp << 2) | frame.ecn);
}

QbbParseError
Read(const uint8_t* sdu, uint32_t sduBytes, QbbFrame& frame)
{
    const uint32_t headerBytes = HeaderBytes(sdu);
    const uint32_t length = Get16(sdu + LENGTH);
    if (sdu[0] >> 4 != 4 || headerBytes < IPV4_HEADER_BYTES || length < headerBytes ||
        length > sduBytes)
    {
        return QbbParseError::BAD_IPV4_HEADER;
    }
    if (Get16(sdu + HEADER_CHECKSUM) != 0 && OnesSum(sdu, headerBytes) != 0xffff)
    {
        return QbbParseError::BAD_IPV4_CHECKSUM;
    }
    frame.ipv4 = true;
    frame.dscp = sdu[TOS] >> 2;
    frame.ecn = sdu[TOS] & 0x3;
    frame.ttl = sdu[TIME_TO_LIVE];
    frame.protocol = sdu[PROTOCOL];
    QbbByteReader addresses(sdu + SOURCE);
    addresses.U32(frame.srcIp);
    addresses.U32(frame.dstIp);
    const bool fragment = (Get16(sdu + FRAGMENT) & IS_FRAGMENT_MASK) != 0;
    if ((frame.protocol == IP_PROTOCOL_TCP || frame.protocol == IP_PROTOCOL_UDP) && !fragment &&
        length >= headerBytes + PORTS_BYTES)
    {
        frame.srcPort = Get16(sdu + headerBytes);
        frame.dstPort = Get16(sdu + headerBytes + 2);
    }
    frame.flowHash =
        QbbFlowHash(frame.srcIp, frame.dstIp, frame.protocol, frame.srcPort, frame.dstPort);
    return QbbParseError::NONE;
}

bool
Update(uint8_t* header, const QbbFrame& frame)
{
    NS_ASSERT_MSG(header[0] >= VERSION_4_NO_OPTIONS && header[0] <= 0x4f,
                  "a PACKET frame with ipv4 set holds no IPv4 header");
    const uint8_t tos = TypeOfService(frame);
    if (header[TOS] == tos && header[TIME_TO_LIVE] == frame.ttl)
    {
        return false;
    }
    header[TOS] = tos;
    header[TIME_TO_LIVE] = frame.ttl;
    if (Get16(header + HEADER_CHECKSUM) != 0 || Node::ChecksumEnabled())
    {
        // A checksum of 0 would mean "not computed" to the next node. 0xffff is the equivalent
        // zero of one's complement.
        const uint16_t checksum = Checksum(header);
        QbbByteWriter(header + HEADER_CHECKSUM).U16(checksum == 0 ? 0xffff : checksum);
    }
    return true;
}

} // namespace QbbIpv4
} // namespace ns3
