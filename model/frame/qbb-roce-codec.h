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
 * QbbFrameCodec's part for RoCEv2, from the IPv4 header to the ICRC.
 */
namespace QbbRoceCodec
{

/**
 * \ingroup rdma
 * \param frame a frame of type ROCE
 * \return bytes from IPv4 header to ICRC
 */
uint32_t SerializedSize(const QbbFrame& frame);

/**
 * \ingroup rdma
 * \param frame a frame of type ROCE
 * \param out room for SerializedSize() bytes
 */
void Serialize(const QbbFrame& frame, uint8_t* out);

/**
 * \ingroup rdma
 * \param frame a frame after QbbIpv4::Read()
 * \return true if it is UDP to RoCEv2's port
 */
bool IsRoce(const QbbFrame& frame);

/**
 * \ingroup rdma
 * Read a RoCEv2 packet into a frame.
 *
 * \param ip the bytes after the Ethernet header
 * \param count how many, padding included
 * \param frame the frame to fill in, after QbbIpv4::Read() and IsRoce()
 * \return NONE, or what is wrong
 */
QbbParseError Parse(const uint8_t* ip, uint32_t count, QbbFrame& frame);

} // namespace QbbRoceCodec

} // namespace ns3

#endif /* QBB_ROCE_CODEC_H */
