/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_AETH_H
#define RDMA_AETH_H

#include "rdma-ps.h"

#include <array>
#include <cstdint>

/**
 * \file
 * \ingroup rdma
 * Syndrome of the ACK Extended Transport Header (AETH): ACK, RNR NAK or NAK (InfiniBand
 * Architecture Specification Vol. 1, 9.7.5.1.2, 9.7.5.2.8).
 */

namespace ns3
{

/**
 * \ingroup rdma
 * Fields, kinds and codes of the AETH syndrome.
 */
namespace RdmaAeth
{

constexpr uint8_t KIND_MASK = 0x60; //!< mask of the kind
constexpr uint8_t ACK = 0x00;       //!< kind: acknowledgement
constexpr uint8_t RNR_NAK = 0x20;   //!< kind: receiver not ready
/// kind, reserved in the specification: packets are missing, and the packet acknowledges nothing
/// (RoceTransport::OutOfOrder)
constexpr uint8_t GAP = 0x40;
constexpr uint8_t NAK = 0x60; //!< kind: negative acknowledgement
/// mask of the value: credits (ACK), timer (RNR NAK) or code (NAK)
constexpr uint8_t VALUE_MASK = 0x1f;
constexpr uint8_t NO_CREDITS = 0x1f;      //!< credits of an ACK without end-to-end flow control
constexpr uint8_t PSN_SEQUENCE_ERROR = 0; //!< NAK code: packets are missing
constexpr uint8_t INVALID_REQUEST = 1;    //!< NAK code: the request is malformed or not supported
/// NAK code: the request has no access to the memory it names
constexpr uint8_t REMOTE_ACCESS_ERROR = 2;
constexpr uint8_t OPERATION_ERROR = 3; //!< NAK code: the responder failed to execute the request

/// RNR timer codes in units of 10 us (IBA Vol. 1, table 45); code 0 is the longest.
constexpr std::array<uint32_t, 32> RNR_TIMER_10US = {
    65536, 1,    2,    3,    4,    6,     8,     12,    16,    24,   32,
    48,    64,   96,   128,  192,  256,   384,   512,   768,   1024, 1536,
    2048,  3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152};

/** \param code timer code 0..31 of an RNR NAK \return the time that the requester waits */
constexpr RdmaPs
RnrTimer(uint8_t code)
{
    return RNR_TIMER_10US[code & VALUE_MASK] * 10_us;
}

} // namespace RdmaAeth

} // namespace ns3

#endif /* RDMA_AETH_H */
