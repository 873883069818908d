/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_INT_CODEC_H
#define QBB_INT_CODEC_H

#include "qbb-bytes.h"
#include "qbb-frame.h"
#include "qbb-parse-error.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * Part of QbbFrameCodec for the telemetry trailer, the bytes between ICRC and FCS. The trailer
 * holds either records of the switches on the path or one byte (PINT), distinguished by its length.
 *
 * The trailer follows the IP datagram, so the ICRC does not cover it and switches may write to it.
 */
namespace QbbIntCodec
{

/**
 * \ingroup rdma
 * \param io writer positioned at the trailer
 * \param frame a frame; nothing is written if the frame has no telemetry trailer
 */
void Write(QbbByteWriter& io, const QbbFrame& frame);

/**
 * \ingroup rdma
 * \param io reader positioned at the first byte of the trailer, which is not 0
 * \param count number of bytes to the end of the frame, at least 1
 * \param frame frame to fill in
 * \return NONE, or the error
 */
QbbParseError Read(QbbByteReader& io, uint32_t count, QbbFrame& frame);

} // namespace QbbIntCodec

} // namespace ns3

#endif /* QBB_INT_CODEC_H */
