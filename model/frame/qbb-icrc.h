/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_ICRC_H
#define QBB_ICRC_H

#include <cstddef>
#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * The CRC-32 of Ethernet, and RoCEv2's invariant CRC (ICRC) on top of it.
 */
namespace QbbIcrc
{

/**
 * \ingroup rdma
 * CRC-32 (IEEE 802.3 clause 3.2.9, reflected, initial value and final inversion included).
 *
 * \param crc the CRC of the bytes before these, 0 if there are none
 * \param bytes the bytes
 * \param count how many
 * \return the CRC of the bytes before and these
 */
uint32_t Crc32(uint32_t crc, const uint8_t* bytes, size_t count);

/**
 * \ingroup rdma
 * What Crc32() gives for zero bytes, in time that grows with the logarithm of their number.
 *
 * \param crc the CRC of the bytes before these, 0 if there are none
 * \param count how many zero bytes follow
 * \return the CRC of the bytes before and the zeros
 */
uint32_t Crc32Zeros(uint32_t crc, uint32_t count);

/**
 * \ingroup rdma
 * The ICRC of a RoCEv2 packet over an IPv4 header without options.
 *
 * It covers eight bytes of ones (in place of InfiniBand's local route header), then the packet from
 * its IPv4 header to the end of its pad, with the fields that routers may change set to ones: type
 * of service, time to live, both checksums, and the BTH's FECN, BECN and reserved bits. Source:
 * InfiniBand Architecture Specification Vol. 1, 7.8.1 and Annex A17.3.
 *
 * \param ip first byte of the IPv4 header
 * \param count bytes there, from the IPv4 header on; at least 40 (IPv4, UDP and BTH)
 * \param zeros zero bytes that follow them (payload and pad)
 * \return the ICRC; the wire carries it with its least significant byte first
 */
uint32_t Compute(const uint8_t* ip, size_t count, uint32_t zeros);

} // namespace QbbIcrc

} // namespace ns3

#endif /* QBB_ICRC_H */
