/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_MAC_CONTROL_CODEC_H
#define QBB_MAC_CONTROL_CODEC_H

#include "qbb-frame.h"
#include "qbb-parse-error.h"
#include "qbb-wire.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * QbbFrameCodec's part for MAC control frames: PFC (802.1Qbb) and PAUSE (802.3x), from the opcode
 * to the end of the padding.
 */
namespace QbbMacControlCodec
{

/// Bytes from the opcode to the end of the padding, of every MAC control frame.
constexpr uint32_t SERIALIZED_BYTES =
    QbbWire::MIN_FRAME_BYTES - QbbWire::FCS_BYTES - QbbWire::MAC_HEADER_BYTES;

/**
 * \ingroup rdma
 * Write opcode, class-enable vector and quanta, and zeros after them.
 *
 * \param frame a frame of type PFC or PAUSE
 * \param out room for SERIALIZED_BYTES
 */
void Serialize(const QbbFrame& frame, uint8_t* out);

/**
 * \ingroup rdma
 * Read a MAC control frame. Sets the frame's type to PFC or PAUSE.
 *
 * \param sdu the bytes after the Ethernet header
 * \param count how many, padding included
 * \param frame the frame to fill in, which has its Ethernet fields
 * \return NONE, or what is wrong
 */
QbbParseError Parse(const uint8_t* sdu, uint32_t count, QbbFrame& frame);

} // namespace QbbMacControlCodec

} // namespace ns3

#endif /* QBB_MAC_CONTROL_CODEC_H */
