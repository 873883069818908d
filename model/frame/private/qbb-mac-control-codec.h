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
 * Part of QbbFrameCodec for MAC control frames, PFC (802.1Qbb) and PAUSE (802.3x), from the MAC
 * control opcode to the end of the padding.
 */
namespace QbbMacControlCodec
{

/// Number of bytes from the opcode to the end of the padding of every MAC control frame.
constexpr uint32_t SERIALIZED_BYTES =
    QbbWire::MIN_FRAME_BYTES - QbbWire::FCS_BYTES - QbbWire::MAC_HEADER_BYTES;

/**
 * \ingroup rdma
 * Writes opcode, class-enable vector (PFC only) and quanta, padded with zeros.
 *
 * \param frame a frame of type PFC or PAUSE
 * \param [out] out buffer of SERIALIZED_BYTES bytes
 */
void Serialize(const QbbFrame& frame, uint8_t* out);

/**
 * \ingroup rdma
 * Parses a MAC control frame and sets the type of the frame to PFC or PAUSE.
 *
 * \param sdu bytes after the Ethernet header
 * \param count number of bytes, padding included
 * \param frame frame to fill in; its Ethernet fields must be set
 * \return NONE, or the error
 */
QbbParseError Parse(const uint8_t* sdu, uint32_t count, QbbFrame& frame);

} // namespace QbbMacControlCodec

} // namespace ns3

#endif /* QBB_MAC_CONTROL_CODEC_H */
