/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_FRAME_VECTORS_H
#define QBB_FRAME_VECTORS_H

#include "qbb-frame-samples.h"
#include "qbb-frame.h"

#include <functional>
#include <ostream>
#include <string>

/**
 * \file
 * \ingroup rdma-tests
 * Common parts of the tables of frames and their bytes.
 */

namespace ns3
{

/**
 * \ingroup rdma-tests
 * Frames and their bytes.
 */
namespace QbbFrameVectors
{

/**
 * \ingroup rdma-tests
 * A frame and its bytes, worked out apart from the code.
 */
struct Vector
{
    std::string name;                    //!< for messages
    std::string hex;                     //!< the bytes
    std::function<void(QbbFrame&)> fill; //!< fills in a frame
};

/** Names the vector in test output. */
inline std::ostream&
operator<<(std::ostream& os, const Vector& vector)
{
    return os << vector.name;
}

/** The fields that the RoCE vectors share. */
inline void
Common(QbbFrame& frame, RdmaOpcode opcode)
{
    frame.dstMac = Mac48Address("02:00:00:00:00:0b");
    frame.srcMac = Mac48Address("02:00:00:00:00:0a");
    frame.dscp = 26;
    frame.ecn = 2;
    frame.ttl = 64;
    frame.srcIp = 0x0a000001;
    frame.dstIp = 0x0a000102;
    frame.srcPort = 0xc123;
    frame.opcode = static_cast<uint8_t>(opcode);
}

/// Ethernet header of the vectors without a tag.
inline const std::string ETHERNET = "02000000000b 02000000000a 0800";

/// Addresses of the IPv4 header and the UDP ports.
inline const std::string ADDRESSES = "0a000001 0a000102 c123 12b7";

} // namespace QbbFrameVectors

} // namespace ns3

#endif /* QBB_FRAME_VECTORS_H */
