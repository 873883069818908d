/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_ICRC_H
#define QBB_ICRC_H

#include <cstddef>
#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * The CRC-32 of Ethernet, and the invariant CRC (ICRC) of RoCEv2, which is based on CRC-32.
 */
namespace QbbIcrc
{

/**
 * \ingroup rdma
 * Computes the CRC-32 of IEEE 802.3 clause 3.2.9, reflected, with initial value and final
 * inversion.
 *
 * \param crc CRC of the preceding bytes, 0 if there are none
 * \param bytes bytes to add to the CRC
 * \param count number of bytes to add
 * \return CRC of the preceding and the added bytes
 */
uint32_t Crc32(uint32_t crc, const uint8_t* bytes, size_t count);

/**
 * \ingroup rdma
 * CRC-32 of zero bytes: equal to Crc32(), but in time logarithmic in the number of bytes.
 *
 * \param crc CRC of the preceding bytes, 0 if there are none
 * \param count number of zero bytes to add
 * \return CRC of the preceding bytes and the zeros
 */
uint32_t Crc32Zeros(uint32_t crc, uint32_t count);

/**
 * \ingroup rdma
 * The ICRC of a RoCEv2 packet over an IPv4 header without options.
 *
 * The ICRC covers eight bytes of ones (in place of InfiniBand's local route header), then the
 * packet from its IPv4 header to the end of its pad. All bits of the fields that routers may change
 * are replaced by ones: type of service, time to live, both checksums, and the FECN, BECN and
 * reserved bits of the BTH. Source: InfiniBand Architecture Specification Vol. 1, 7.8.1 and Annex
 * A17.3.
 *
 * \param ip first byte of the IPv4 header
 * \param count number of bytes at \p ip; at least 40 (IPv4, UDP and BTH)
 * \param zeros number of zero bytes after the bytes at \p ip (payload and pad)
 * \return the ICRC; the wire carries the ICRC least significant byte first
 */
uint32_t Compute(const uint8_t* ip, size_t count, uint32_t zeros);

} // namespace QbbIcrc

} // namespace ns3

#endif /* QBB_ICRC_H */
