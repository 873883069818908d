/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_PSN_H
#define RDMA_PSN_H

#include <cstdint>

/**
 * \file
 * \ingroup rdma
 * 24-bit sequence numbers on the wire, 64-bit packet numbers inside.
 *
 * Packets of a QP are numbered 0, 1, 2, ... without end; on the wire goes (initial PSN + number)
 * modulo 2^24. The window of a QP is below half the PSN space (InfiniBand Architecture
 * Specification Vol. 1, 9.7.1), so that the number can be told from the PSN and any number nearby.
 */

namespace ns3
{

/**
 * \ingroup rdma
 * How many PSNs there are.
 */
constexpr uint32_t RDMA_PSN_SPACE = 1U << 24;

/**
 * \ingroup rdma
 * A QP never has this many packets on the way or more: half the PSN space.
 */
constexpr uint64_t RDMA_MAX_WINDOW = RDMA_PSN_SPACE / 2;

/**
 * \ingroup rdma
 * \param initialPsn the PSN of packet 0, 24 bits
 * \param packet a packet number
 * \return its PSN
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
