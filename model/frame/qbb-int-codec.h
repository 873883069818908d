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
 * QbbFrameCodec's part for the telemetry trailer, the bytes between ICRC and FCS: records of the
 * switches on the way, or one byte (PINT). The length tells them apart.
 *
 * It stands behind the IP datagram, where the ICRC does not cover it and switches may write.
 */
namespace QbbIntCodec
{

/**
 * \ingroup rdma
 * \param io where the trailer goes
 * \param frame a frame; nothing is written if it has no trailer
 */
void Write(QbbByteWriter& io, const QbbFrame& frame);

/**
 * \ingroup rdma
 * \param io stands at the first byte of the trailer, which is not 0
 * \param count bytes up to the end of the frame, 1 or more
 * \param frame the frame to fill in
 * \return NONE, or what is wrong
 */
QbbParseError Read(QbbByteReader& io, uint32_t count, QbbFrame& frame);

} // namespace QbbIntCodec

} // namespace ns3

#endif /* QBB_INT_CODEC_H */
