/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_IPV4_H
#define QBB_IPV4_H

#include "qbb-frame.h"
#include "qbb-parse-error.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * Part of QbbFrameCodec for the IPv4 headers of RoCE frames and of packets from ns-3's stack.
 */
namespace QbbIpv4
{

constexpr uint32_t MAX_HEADER_BYTES = 60; //!< longest IPv4 header, with all options

/// Number of bytes that Read() examines: the longest IPv4 header, and the ports of TCP or UDP.
constexpr uint32_t READ_BYTES = MAX_HEADER_BYTES + 4;

// Byte offsets of the fields in an IPv4 header.
constexpr uint32_t TOS = 1;              //!< offset of the type of service: DSCP and ECN
constexpr uint32_t LENGTH = 2;           //!< offset of the total length
constexpr uint32_t IDENTIFICATION = 4;   //!< offset of the identification
constexpr uint32_t FRAGMENT = 6;         //!< offset of the flags and the fragment offset
constexpr uint32_t TIME_TO_LIVE = 8;     //!< offset of the time to live
constexpr uint32_t PROTOCOL = 9;         //!< offset of the protocol
constexpr uint32_t HEADER_CHECKSUM = 10; //!< offset of the header checksum
constexpr uint32_t SOURCE = 12;          //!< offset of the source and destination addresses

// Values of fields in an IPv4 header.
constexpr uint8_t VERSION_4_NO_OPTIONS = 0x45; //!< first byte of a 20-byte header
constexpr uint16_t DONT_FRAGMENT = 0x4000;     //!< flags and fragment offset with only DF set
constexpr uint16_t IS_FRAGMENT_MASK = 0x3fff;  //!< MF and fragment offset; not 0 in a fragment

/**
 * \ingroup rdma
 * \param at first of two bytes in network byte order
 * \return value of the two bytes
 */
inline uint16_t
Get16(const uint8_t* at)
{
    return static_cast<uint16_t>((at[0] << 8) | at[1]);
}

/**
 * \ingroup rdma
 * \param header an IPv4 header
 * \return header length in bytes with options, from the IHL field
 */
inline uint32_t
HeaderBytes(const uint8_t* header)
{
    return (header[0] & 0x0f) * 4U;
}

/**
 * \ingroup rdma
 * \param header an IPv4 header; the value of its checksum field is ignored
 * \return correct checksum of the header
 */
uint16_t Checksum(const uint8_t* header);

/**
 * \ingroup rdma
 * \param frame a frame with IPv4 fields
 * \return the type of service byte
 */
uint8_t TypeOfService(const QbbFrame& frame);

/**
 * \ingroup rdma
 * Reads the IPv4 fields and the ports of a packet into a frame, and sets the flow hash.
 *
 * \param sdu the first READ_BYTES bytes after the Ethernet header, or all bytes if fewer
 * \param sduBytes number of all bytes after the Ethernet header, padding included; at least 42
 * \param frame frame to fill in
 * \return NONE, or the error in the header
 */
QbbParseError Read(const uint8_t* sdu, uint32_t sduBytes, QbbFrame& frame);

/**
 * \ingroup rdma
 * Writes the DSCP, ECN and TTL of a frame into an IPv4 header.
 *
 * The checksum is recomputed if the header had one or if the simulation computes all checksums
 * (Node::ChecksumEnabled()).
 *
 * \param header IPv4 header with its options
 * \param frame frame with the values to write
 * \return true if the header was changed; only its first 20 bytes change
 */
bool Update(uint8_t* header, const QbbFrame& frame);

} // namespace QbbIpv4

} // namespace ns3

#endif /* QBB_IPV4_H */
