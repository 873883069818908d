/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_PARSE_ERROR_H
#define QBB_PARSE_ERROR_H

#include <cstdint>
#include <ostream>

namespace ns3
{

/**
 * \ingroup rdma
 * Why bytes are not a frame.
 */
enum class QbbParseError : uint8_t
{
    NONE,               //!< no error
    TOO_SHORT,          //!< fewer bytes than the smallest frame has
    TOO_LONG,           //!< more bytes than a header and 65535 bytes
    BAD_TAG,            //!< an 802.1Q tag within a tag, or an 802.1Q tag handed down as payload
    BAD_ETHERTYPE,      //!< below 0x0600: a length, not an EtherType
    BAD_IPV4_HEADER,    //!< version, header length or total length do not fit
    BAD_IPV4_CHECKSUM,  //!< a checksum that is neither 0 (not computed) nor right
    BAD_ROCE_IPV4,      //!< RoCE: options, identification, flags or checksum not as RoCE has them
    BAD_UDP_HEADER,     //!< RoCE: UDP length does not fit, or a checksum is there
    BAD_ROCE_LENGTH,    //!< RoCE: bytes missing or left over for the opcode
    UNKNOWN_OPCODE,     //!< RoCE: not an RdmaOpcode
    BAD_BTH_VERSION,    //!< RoCE: transport header version not 0
    BAD_PAD,            //!< RoCE: pad count does not fit, or pad bytes are not zero
    BAD_ICRC,           //!< RoCE: the invariant CRC does not match
    BAD_RESERVED,       //!< RoCE: reserved bits or bytes are not zero
    BAD_PAYLOAD,        //!< RoCE: payload bytes that are not zero
    BAD_TELEMETRY,      //!< RoCE: a telemetry trailer that makes no sense
    BAD_PADDING,        //!< RoCE, MAC control: bytes after the end not zero, or too many of them
    BAD_MAC_CONTROL,    //!< PFC or PAUSE with a tag, another destination, length or class vector
    UNKNOWN_MAC_CONTROL //!< a MAC control opcode that is neither PFC nor PAUSE
};

/**
 * \ingroup rdma
 * \param error an error
 * \return its name, as the enumerator is spelt
 */
const char* QbbParseErrorName(QbbParseError error);

/**
 * \ingroup rdma
 * \param os a stream
 * \param error the error whose name is written
 * \return the stream
 */
std::ostream& operator<<(std::ostream& os, QbbParseError error);

} // namespace ns3

#endif /* QBB_PARSE_ERROR_H */
