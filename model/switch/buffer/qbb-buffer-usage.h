/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_BUFFER_USAGE_H
#define QBB_BUFFER_USAGE_H

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * Usage of one (ingress port, priority), in bytes.
 *
 * bytes = reservedBytes + sharedBytes + headroomBytes at every instant.
 */
struct QbbIngressUsage
{
    uint64_t bytes{0};         //!< bytes in the buffer
    uint64_t reservedBytes{0}; //!< bytes in the reserve
    uint64_t sharedBytes{0};   //!< bytes in the shared part
    uint64_t headroomBytes{0}; //!< bytes in headroom
    uint64_t headroomLimit{0}; //!< maximum headroom; 0 for a lossy class
    uint64_t threshold{0};     //!< current limit of shared bytes, above which XOFF or drops occur
    uint64_t peakBytes{0};     //!< greatest value of bytes in the run
    uint64_t peakHeadroomBytes{0}; //!< greatest value of headroomBytes in the run
    bool paused{false};            //!< the class is between XOFF and XON
};

/**
 * \ingroup rdma
 * Peaks of one (ingress port, priority), in bytes, as a reader of peaks reads them.
 */
struct QbbIngressPeaks
{
    uint64_t bytes{0};         //!< greatest value of QbbIngressUsage::bytes
    uint64_t headroomBytes{0}; //!< greatest value of QbbIngressUsage::headroomBytes
};

/**
 * \ingroup rdma
 * Usage of the whole buffer, in bytes.
 *
 * usedBytes = reservedBytes + sharedBytes + headroomBytes at every instant.
 */
struct QbbBufferUsage
{
    uint64_t sizeBytes{0};         //!< memory of the switch
    uint64_t usedBytes{0};         //!< bytes in use
    uint64_t peakUsedBytes{0};     //!< greatest value of usedBytes in the run
    uint64_t reservedSize{0};      //!< bytes set aside for reserves
    uint64_t reservedBytes{0};     //!< reserve bytes in use
    uint64_t sharedSize{0};        //!< size of the shared part
    uint64_t sharedBytes{0};       //!< shared bytes in use
    uint64_t headroomSize{0};      //!< bytes set aside for headroom
    uint64_t headroomBytes{0};     //!< headroom bytes in use
    uint64_t peakHeadroomBytes{0}; //!< greatest value of headroomBytes in the run
};

} // namespace ns3

#endif /* QBB_BUFFER_USAGE_H */
