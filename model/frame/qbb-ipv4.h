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
 * QbbFrameCodec's part for IPv4 headers, of RoCE and of ns-3's stack.
 */
namespace QbbIpv4
{

constexpr uint32_t MAX_HEADER_BYTES = 60; //!< with all options

/// What Read() looks at: the longest header, and the ports of TCP or UDP.
constexpr uint32_t READ_BYTES = MAX_HEADER_BYTES + 4;

// Offsets of fields.
constexpr uint32_t TOS = 1;              //!< type of service: DSCP and ECN
constexpr uint32_t LENGTH = 2;           //!< total length
constexpr uint32_t IDENTIFICATION = 4;   //!< identification
constexpr uint32_t FRAGMENT = 6;         //!< flags and fragment offset
constexpr uint32_t TIME_TO_LIVE = 8;     //!< time to live
constexpr uint32_t PROTOCOL = 9;         //!< protocol
constexpr uint32_t HEADER_CHECKSUM = 10; //!< header checksum
constexpr uint32_t SOURCE = 12;          //!< source and destination address

// Values of fields.
constexpr uint8_t VERSION_4_NO_OPTIONS = 0x45; //!< first byte of a header of 20 bytes
constexpr uint16_t DONT_FRAGMENT = 0x4000;     //!< flags and offset of a packet that stays whole
constexpr uint16_t IS_FRAGMENT_MASK = 0x3fff;  //!< not zero in a fragment: more fragments, offset

/**
 * \ingroup rdma
 * \param at the first of two bytes in network order
 * \return their value
 */
inline uint16_t
Get16(const uint8_t* at)
{
    return static_cast<uint16_t>((at[0] << 8) | at[1]);
}

/**
 * \ingroup rdma
 * \param header a header
 * \return its length with options in bytes, as it states it
 */
inline uint32_t
HeaderBytes(const uint8_t* header)
{
    return (header[0] & 0x0f) * 4U;
}

/**
 * \ingroup rdma
 * \param header a header; what its checksum field holds does not matter
 * \return the checksum that it should have
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
 * Lift the IPv4 fields, ports and flow hash into a frame.
 *
 * \param sdu the first bytes after the Ethernet header: READ_BYTES, or all there are if fewer
 * \param sduBytes bytes after the Ethernet header in all, padding included; 42 and more
 * \param frame the frame to fill in
 * \return NONE, or what is wrong with the header
 */
QbbParseError Read(const uint8_t* sdu, uint32_t sduBytes, QbbFrame& frame);

/**
 * \ingroup rdma
 * Bring a header in line with the frame's DSCP, ECN and TTL.
 *
 * The checksum is computed anew if one was there or if the simulation computes them all
 * (Node::ChecksumEnabled()).
 *
 * \param header the header with its options
 * \param frame the frame with the fields
 * \return true if the header had to be changed; only its first 20 bytes change
 */
bool Update(uint8_t* header, const QbbFrame& frame);

} // namespace QbbIpv4

} // namespace ns3

#endif /* QBB_IPV4_H */
