/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FABRIC_TOTALS_H
#define RDMA_FABRIC_TOTALS_H

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * Counters summed over all ports of a fabric, and the length of its longest queue.
 */
struct RdmaFabricTotals
{
    uint64_t packetHops{0};     //!< frames sent, counted once per link
    uint64_t drops{0};          //!< frames dropped for any reason
    uint64_t pauseFrames{0};    //!< pause frames sent
    uint64_t ecnMarks{0};       //!< frames marked CE
    uint64_t peakQueueBytes{0}; //!< largest length of any class queue at a switch port, in bytes
};

} // namespace ns3

#endif /* RDMA_FABRIC_TOTALS_H */
