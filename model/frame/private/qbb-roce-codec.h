/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_ROCE_CODEC_H
#define QBB_ROCE_CODEC_H

#include "qbb-frame.h"
#include "qbb-parse-error.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * Part of QbbFrameCodec for RoCEv2 packets, from the IPv4 header to the ICRC and the telemetry
 * trailer.
 */
namespace QbbRoceCodec
{

/**
 * \ingroup rdma
 * \param frame a frame of type ROCE
 * \return number of bytes from the IPv4 header to the ICRC
 */
uint32_t SerializedSize(const QbbFrame& frame);

/**
 * \ingroup rdma
 * Writes a RoCEv2 packet, and its telemetry trailer after the ICRC.
 *
 * \param frame a frame of type ROCE
 * \param [out] out buffer of SerializedSize() bytes plus the telemetry trailer
 */
void Serialize(const QbbFrame& frame, uint8_t* out);

/**
 * \ingroup rdma
 * \param frame a frame after QbbIpv4::Read()
 * \return true if the frame is UDP to the port of RoCEv2
 */
bool IsRoce(const QbbFrame& frame);

/**
 * \ingroup rdma
 * Parses a RoCEv2 packet into a frame.
 *
 * \param ip bytes after the Ethernet header
 * \param count number of bytes, telemetry trailer and padding included
 * \param frame frame to fill in; QbbIpv4::Read() has set its IPv4 fields, and IsRoce() holds
 * \return NONE, or the error
 */
QbbParseError Parse(const uint8_t* ip, uint32_t count, QbbFrame& frame);

} // namespace QbbRoceCodec

} // namespace ns3

#endif /* QBB_ROCE_CODEC_H */
