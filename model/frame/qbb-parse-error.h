/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_PARSE_ERROR_H
#define QBB_PARSE_ERROR_H

#include <cstdint>
#include <ostream>

namespace ns3
{

/**
 * \ingroup rdma
 * Reasons why bytes do not parse as a frame.
 */
enum class QbbParseError : uint8_t
{
    NONE,               //!< the bytes are a valid frame
    TOO_SHORT,          //!< fewer bytes than the smallest frame
    TOO_LONG,           //!< more than 65535 bytes after the Ethernet header
    BAD_TAG,            //!< a second 802.1Q tag, or a tag in a packet of the stack
    BAD_ETHERTYPE,      //!< EtherType field below 0x0600, which is a length
    BAD_FABRIC_HEADER,  //!< header of switches: protocol 0, too many bytes, or not allowed here
    BAD_IPV4_HEADER,    //!< version, header length or total length is invalid
    BAD_IPV4_CHECKSUM,  //!< IPv4 header checksum is neither 0 (not computed) nor correct
    BAD_ROCE_IPV4,      //!< RoCE: options, identification, flags or checksum not as RoCEv2 requires
    BAD_UDP_HEADER,     //!< RoCE: UDP length is wrong, or UDP checksum is not 0
    BAD_ROCE_LENGTH,    //!< RoCE: too few or too many bytes for the opcode
    UNKNOWN_OPCODE,     //!< RoCE: the opcode is not an RdmaOpcode
    BAD_BTH_VERSION,    //!< RoCE: transport header version is not 0
    BAD_PAD,            //!< RoCE: pad count exceeds the length, or pad bytes are not zero
    BAD_ICRC,           //!< RoCE: the invariant CRC does not match
    BAD_RESERVED,       //!< RoCE: reserved bits or bytes are not zero
    BAD_PAYLOAD,        //!< RoCE: payload bytes are not zero
    BAD_TELEMETRY,      //!< RoCE: the telemetry trailer is malformed
    BAD_PADDING,        //!< RoCE, MAC control: padding is not zero or has the wrong length
    BAD_MAC_CONTROL,    //!< PFC or PAUSE: tag, wrong destination, length or class vector
    UNKNOWN_MAC_CONTROL //!< the MAC control opcode is neither PFC nor PAUSE
};

/**
 * \ingroup rdma
 * \param error a parse error
 * \return name of the enumerator
 */
const char* QbbParseErrorName(QbbParseError error);

/**
 * \ingroup rdma
 * \param os a stream
 * \param error error whose name to write
 * \return the stream
 */
std::ostream& operator<<(std::ostream& os, QbbParseError error);

} // namespace ns3

#endif /* QBB_PARSE_ERROR_H */
