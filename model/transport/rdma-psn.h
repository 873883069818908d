/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_PSN_H
#define RDMA_PSN_H

#include <cstdint>

/**
 * \file
 * \ingroup rdma
 * Conversion between 24-bit packet sequence numbers (PSNs) on the wire and 64-bit packet numbers.
 *
 * Packets of a QP are numbered 0, 1, 2, ... without wrapping. The PSN of a packet is (initial PSN +
 * packet number) modulo 2^24. The window of a QP is below half the PSN space (InfiniBand
 * Architecture Specification Vol. 1, 9.7.1), so a PSN and any nearby packet number determine the
 * packet number.
 */

namespace ns3
{

/**
 * \ingroup rdma
 * Number of distinct PSNs.
 */
constexpr uint32_t RDMA_PSN_SPACE = 1U << 24;

/**
 * \ingroup rdma
 * Exclusive upper bound of the packets that a QP has in flight: half the PSN space.
 */
constexpr uint64_t RDMA_MAX_WINDOW = RDMA_PSN_SPACE / 2;

/**
 * \ingroup rdma
 * \param initialPsn the PSN of packet 0, 24 bits
 * \param packet a packet number
 * \return the PSN of the packet
 */
constexpr uint32_t
RdmaToPsn(uint32_t initialPsn, uint64_t packet)
{
    return static_cast<uint32_t>(initialPsn + packet) & (RDMA_PSN_SPACE - 1);
}

/**
 * \ingroup rdma
 * \param initialPsn the PSN of packet 0, 24 bits
 * \param psn a PSN from the wire, 24 bits
 * \param near a packet number less than half the PSN space away
 * \return the packet number; negative for a PSN before packet 0
 */
constexpr int64_t
RdmaFromPsn(uint32_t initialPsn, uint32_t psn, uint64_t near)
{
    const uint32_t difference = (psn - RdmaToPsn(initialPsn, near)) & (RDMA_PSN_SPACE - 1);
    const int64_t signedDifference = difference < RDMA_PSN_SPACE / 2
                                         ? int64_t{difference}
                                         : int64_t{difference} - int64_t{RDMA_PSN_SPACE};
    return static_cast<int64_t>(near) + signedDifference;
}

} // namespace ns3

#endif /* RDMA_PSN_H */
