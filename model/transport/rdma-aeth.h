/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_AETH_H
#define RDMA_AETH_H

#include "qbb-ps.h"

#include <array>
#include <cstdint>

/**
 * \file
 * \ingroup rdma
 * The AETH syndrome: ACK, RNR NAK or NAK (InfiniBand Architecture Specification Vol. 1, 9.7.5.1.2,
 * 9.7.5.2.8).
 */

namespace ns3
{

/**
 * \ingroup rdma
 * The AETH syndrome.
 */
namespace RdmaAeth
{

constexpr uint8_t KIND_MASK = 0x60;        //!< the bits that tell the kinds apart
constexpr uint8_t ACK = 0x00;              //!< kind: acknowledgement
constexpr uint8_t RNR_NAK = 0x20;          //!< kind: receiver not ready
constexpr uint8_t NAK = 0x60;              //!< kind: negative acknowledgement
constexpr uint8_t VALUE_MASK = 0x1f;       //!< credits, timer or code
constexpr uint8_t NO_CREDITS = 0x1f;       //!< ACK: end-to-end credits are not in use
constexpr uint8_t PSN_SEQUENCE_ERROR = 0;  //!< NAK: packets are missing
constexpr uint8_t INVALID_REQUEST = 1;     //!< NAK: the request makes no sense
constexpr uint8_t REMOTE_ACCESS_ERROR = 2; //!< NAK: no right to that memory
constexpr uint8_t OPERATION_ERROR = 3;     //!< NAK: the responder failed

/// RNR timer codes in units of 10 us (table 45); code 0 is the longest.
constexpr std::array<uint32_t, 32> RNR_TIMER_10US = {
    65536, 1,    2,    3,    4,    6,     8,     12,    16,    24,   32,
    48,    64,   96,   128,  192,  256,   384,   512,   768,   1024, 1536,
    2048,  3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152};

/** \param code timer code 0..31 of an RNR NAK \return the time */
constexpr QbbPs
RnrTimer(uint8_t code)
{
    return RNR_TIMER_10US[code & VALUE_MASK] * 10_us;
}

} // namespace RdmaAeth

} // namespace ns3

#endif /* RDMA_AETH_H */
