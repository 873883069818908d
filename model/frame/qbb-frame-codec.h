/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_FRAME_CODEC_H
#define QBB_FRAME_CODEC_H

#include "qbb-frame.h"
#include "qbb-parse-error.h"

#include <ns3/mac48-address.h>
#include <ns3/packet.h>
#include <ns3/ptr.h>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace ns3
{

/**
 * \ingroup rdma
 * Result of parsing: a frame, or the error that prevents one.
 */
struct QbbParseResult
{
    QbbFramePtr frame;                        //!< parsed frame; null on error
    QbbParseError error{QbbParseError::NONE}; //!< parse error; NONE if there is a frame

    /** \return true if parsing has succeeded */
    explicit operator bool() const
    {
        return frame != nullptr;
    }
};

/**
 * \ingroup rdma
 * Serialises frames to the bytes that a wire carries, and parses bytes to frames. Links carry
 * frames, not bytes, so a frame is converted only where somebody wants bytes or a packet of ns-3
 * (see "Who calls"). Between ranks of MPI frames do not cross as wire bytes either: QbbRemoteBatch
 * copies their fields.
 *
 * Bytes run from the destination MAC address to the end of the padding, in network byte order. The
 * four bytes of FCS are not included, because NICs omit the FCS from captures;
 * QbbFrameFields::size includes them.
 *
 * **Exact inverses.** Parse(Serialize(frame)) restores every field of the groups Ethernet to PACKET
 * that the frame's type and opcode use; unused fields have their defaults. Serialize(Parse(bytes))
 * restores the bytes, for all bytes that parse. Each RoCE and MAC control frame therefore has
 * exactly one byte representation. Every other representation is rejected with a specific error
 * rather than normalised. Bytes parse under these conditions:
 *
 * - Ethernet: 60 bytes or more; at most one 802.1Q tag (TPID 0x8100); an EtherType.
 * - RoCEv2: IPv4 to UDP port 4791, not a fragment. No IP options, identification 0, DF set, correct
 *   header checksum, UDP checksum 0, an RdmaOpcode, TVer 0, reserved bits 0, a pad count that
 *   matches the payload; payload, pad and Ethernet padding of zeros; correct ICRC. RDMA payload is
 *   virtual here: a non-zero byte cannot be kept and is an error.
 * - PFC, PAUSE: untagged, to 01-80-C2-00-00-01, 60 bytes, zeros after the fields. PFC: the upper
 *   half of the class-enable vector is 0; quanta of classes that are not enabled are kept.
 * - Header of switches (QbbFabricHeader): the protocol is not 0, at most 14 bytes, in a frame that
 * is neither MAC control nor has a second such header. ns-3's stack sends none.
 * - Other IPv4: version 4, header and total length within the bytes, header checksum 0 or correct.
 * - All others: anything.
 *
 * Other IPv4 frames and all others have type PACKET. Their packet holds all bytes after the
 * Ethernet header, padding included, as a NIC passes them to the host. Of an IPv4 header the codec
 * also reads the addresses, protocol, DSCP, ECN, TTL and ports (TCP and UDP; 0 for other protocols
 * and for fragments). A node may change the frame's DSCP, ECN and TTL: the wire carries the values
 * of the frame instead of those of the packet, and the checksum is updated. ns-3 leaves header
 * checksums 0 unless the global value ChecksumEnabled is set; without it a checksum of 0 stays 0.
 *
 * **Who calls.**
 *
 * - Serialize(): the watcher of a captured port (QbbHelper::Capture()), for each frame of the port;
 *   QbbLine::CrossAsBytes(), for each frame of a channel with the attribute SerializeFrames; and
 *   ToPacket().
 * - Parse(): QbbLine::CrossAsBytes(), for the bytes that it has just made; and QbbAsciiTrace, for
 *   the packets of trace sources.
 * - ToPacket(): QbbPort, for a trace source with a sink (MacTx, Sniffer, Drop, ...), and for an
 *   error model, except ns-3's RateErrorModel for whole packets, which looks at no bytes.
 * - ToSdu(): QbbNetDevice, for a frame that goes up to ns-3's stack; QbbSwitch, for an ARP request;
 *   and ToPacket().
 * - FromSdu(): QbbNetDevice, for a packet that ns-3's stack sends; QbbSwitch, for an ARP reply.
 *
 * ToPacket() and ToSdu() serialise a RoCE or MAC control frame by Serialize(). Of a frame of type
 * PACKET they copy the packet instead, with its tags, and update the copy's IPv4 header.
 *
 * Parsing functions also set the derived fields `type`, `size` and `flowHash` (QbbFlowHash() of
 * the 5-tuple; 0 without IPv4).
 */
namespace QbbFrameCodec
{

/**
 * \ingroup rdma
 * \param frame a frame
 * \return number of bytes from destination MAC to the end of the padding, without FCS
 */
uint32_t SerializedSize(const QbbFrame& frame);

/**
 * \ingroup rdma
 * Writes the bytes of a frame. Allocates no memory.
 *
 * \param frame a frame whose values fit their fields (DSCP below 64, PSN below 2^24, ...) and whose
 *        `size` is consistent; builds with asserts check both
 * \param [out] out buffer of SerializedSize() bytes
 */
void Serialize(const QbbFrame& frame, uint8_t* out);

/**
 * \ingroup rdma
 * Converts a frame to a packet of its bytes, for captures, trace sinks and error models.
 *
 * \param frame a frame as for Serialize()
 * \return a packet of the frame's bytes from destination MAC to the end of the padding
 */
Ptr<Packet> ToPacket(const QbbFrame& frame);

/**
 * \ingroup rdma
 * Converts the bytes after the Ethernet header to a packet for the node's stack. The packet
 * includes the padding of a minimum-size frame (46 bytes in all, 42 with a tag).
 *
 * \param frame a frame as for Serialize()
 * \return a new packet, which the caller may modify
 */
Ptr<Packet> ToSdu(const QbbFrame& frame);

/**
 * \ingroup rdma
 * Parses the bytes of a frame.
 *
 * \param bytes bytes from destination MAC to the end of the padding
 * \param count number of bytes
 * \param pool pool from which to allocate the frame
 * \return the frame or the error
 */
QbbParseResult Parse(const uint8_t* bytes, size_t count, QbbFramePool& pool);

/**
 * \ingroup rdma
 * Converts a packet that the node's stack sends to a frame.
 *
 * The result equals that of Parse() for the bytes of the packet on a wire: UDP to port 4791 and
 * EtherType 0x8808 become RoCE and MAC control frames, or an error if malformed. A packet shorter
 * than the minimum frame is padded. A frame of type PACKET keeps the packet's packet tags and byte
 * tags, for scripts and ns-3's instruments; the codec reads and writes no tags.
 *
 * \param packet bytes after the Ethernet header; not changed
 * \param etherType EtherType of the frame
 * \param src source MAC address
 * \param dst destination MAC address
 * \param tci tag control information, if the frame is to carry an 802.1Q tag
 * \param pool pool from which to allocate the frame
 * \return the frame or the error
 */
QbbParseResult FromSdu(Ptr<const Packet> packet,
                       uint16_t etherType,
                       const Mac48Address& src,
                       const Mac48Address& dst,
                       const std::optional<uint16_t>& tci,
                       QbbFramePool& pool);

/**
 * \ingroup rdma
 * Adds the header of switches, with zeros as its bytes, and enlarges the frame's `size`.
 *
 * \param frame a frame without such a header, not MAC control
 * \param protocol number of the protocol, not 0
 * \param count number of bytes of the protocol, at most QbbFabricHeader::MAX_BYTES
 */
void AddFabric(QbbFrame& frame, uint8_t protocol, uint8_t count);

/**
 * \ingroup rdma
 * Removes the header of switches, and gives the frame the `size` that it had without it.
 *
 * \param frame a frame with the header
 */
void RemoveFabric(QbbFrame& frame);

} // namespace QbbFrameCodec

} // namespace ns3

#endif /* QBB_FRAME_CODEC_H */
