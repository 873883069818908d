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
 * What parsing gives: a frame, or the reason why there is none.
 */
struct QbbParseResult
{
    QbbFramePtr frame;                        //!< the frame; null on error
    QbbParseError error{QbbParseError::NONE}; //!< NONE if there is a frame

    /** \return true if there is a frame */
    explicit operator bool() const
    {
        return frame != nullptr;
    }
};

/**
 * \ingroup rdma
 * Turns frames into the bytes that a wire carries, and bytes into frames.
 *
 * Bytes run from the destination MAC address to the end of the padding, in network byte order. The
 * four bytes of FCS are not among them, as a NIC leaves them out of a capture; QbbFrameFields::size
 * counts them.
 *
 * **Exact inverses.** Parse(Serialize(frame)) has every field of the groups Ethernet to PACKET that
 * the frame's type and opcode use; the fields not in use have their defaults.
 * Serialize(Parse(bytes)) gives the same bytes for all bytes that parse. So there is one way to
 * write each RoCE and MAC control frame, and every other way is an error of its own kind rather
 * than normalised:
 *
 * | part         | bytes that parse                                                              |
 * |--------------|-------------------------------------------------------------------------------|
 * | Ethernet     | 60 bytes or more; at most one 802.1Q tag (TPID 0x8100); an EtherType          |
 * | RoCEv2       | IPv4 to UDP port 4791, not a fragment. No IP options, identification 0, DF set,
 * right header checksum, UDP checksum 0, an RdmaOpcode, TVer 0, reserved bits 0, the pad count of
 * the payload, payload, pad and Ethernet padding of zeros, right ICRC. RDMA payload is virtual
 * here: bytes that are not zero cannot be kept and are an error | | PFC, PAUSE   | untagged, to
 * 01-80-C2-00-00-01, 60 bytes, zeros after the fields. PFC: upper half of the class-enable vector
 * 0; quanta of classes that are not enabled are kept | | other IPv4   | version 4, header and total
 * length within the bytes, header checksum 0 or right | | all others   | anything |
 *
 * The last two rows are frames of type PACKET. Their packet holds all bytes after the Ethernet
 * header, padding included, as a NIC hands them up; of an IPv4 header the codec also lifts the
 * addresses, protocol, DSCP, ECN, TTL and ports (TCP and UDP; 0 for others and for fragments). A
 * node may change the frame's DSCP, ECN and TTL: those of the frame go onto the wire in place of
 * the packet's, and the checksum follows. ns-3 leaves header checksums 0 unless the global value
 * ChecksumEnabled is set; a checksum of 0 stays 0 then.
 *
 * Functions that parse also set the derived fields `type`, `size` and `flowHash` (QbbFlowHash() of
 * the 5-tuple; 0 without IPv4).
 */
namespace QbbFrameCodec
{

/**
 * \ingroup rdma
 * \param frame a frame
 * \return bytes from destination MAC to the end of the padding, without FCS
 */
uint32_t SerializedSize(const QbbFrame& frame);

/**
 * \ingroup rdma
 * Write a frame's bytes. Allocates nothing.
 *
 * \param frame a frame whose values fit their fields (DSCP below 64, PSN below 2^24, ...), with the
 *        `size` that goes with them; checked in builds with asserts
 * \param out room for SerializedSize() bytes
 */
void Serialize(const QbbFrame& frame, uint8_t* out);

/**
 * \ingroup rdma
 * A frame's bytes as a packet: for captures, trace sinks and the MPI boundary.
 *
 * \param frame a frame as for Serialize()
 * \return a packet of its bytes from destination MAC to the end of the padding
 */
Ptr<Packet> ToPacket(const QbbFrame& frame);

/**
 * \ingroup rdma
 * A frame's bytes after the Ethernet header, as a device hands them to the node's stack: with the
 * padding of a minimum-size frame (46 bytes in all, 42 with a tag).
 *
 * \param frame a frame as for Serialize()
 * \return a packet of its own, which the caller may change
 */
Ptr<Packet> ToSdu(const QbbFrame& frame);

/**
 * \ingroup rdma
 * Make a frame of bytes.
 *
 * \param bytes a frame from destination MAC to the end of the padding
 * \param count how many bytes
 * \param pool where the frame comes from
 * \return the frame or the error
 */
QbbParseResult Parse(const uint8_t* bytes, size_t count, QbbFramePool& pool);

/**
 * \ingroup rdma
 * Make a frame of a packet that the node's stack sends.
 *
 * The result is the one that Parse() gives for the same bytes on a wire: UDP to port 4791 and
 * EtherType 0x8808 become RoCE and MAC control frames, or an error if they are malformed. A packet
 * short of the minimum frame is padded. In a frame of type PACKET it keeps its packet and byte
 * tags, for their user and ns-3's instruments: nothing of this module reads or writes any.
 *
 * \param packet the bytes after the Ethernet header; not changed
 * \param etherType EtherType
 * \param src source address
 * \param dst destination address
 * \param tci tag control information, if the frame gets an 802.1Q tag
 * \param pool where the frame comes from
 * \return the frame or the error
 */
QbbParseResult FromSdu(Ptr<const Packet> packet,
                       uint16_t etherType,
                       const Mac48Address& src,
                       const Mac48Address& dst,
                       const std::optional<uint16_t>& tci,
                       QbbFramePool& pool);

} // namespace QbbFrameCodec

} // namespace ns3

#endif /* QBB_FRAME_CODEC_H */
