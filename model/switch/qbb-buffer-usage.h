/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_BUFFER_USAGE_H
#define QBB_BUFFER_USAGE_H

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * How one (ingress port, priority) stands. Bytes.
 *
 * bytes = reservedBytes + sharedBytes + headroomBytes at every instant.
 */
struct QbbIngressUsage
{
    uint32_t bytes{0};             //!< in the buffer
    uint32_t reservedBytes{0};     //!< of these, in its own reserve
    uint32_t sharedBytes{0};       //!< of these, in memory that everybody shares
    uint32_t headroomBytes{0};     //!< of these, in headroom
    uint32_t headroomLimit{0};     //!< most headroom that it may take; 0 for a lossy one
    uint64_t threshold{0};         //!< shared bytes at which it is paused, or drops, at present
    uint32_t peakBytes{0};         //!< highest bytes since ResetPeaks()
    uint32_t peakHeadroomBytes{0}; //!< highest headroomBytes since ResetPeaks()
    bool paused{false};            //!< XOFF was asked for, and XON not yet
};

/**
 * \ingroup rdma
 * How the whole buffer stands. Bytes.
 *
 * usedBytes = reservedBytes + sharedBytes + headroomBytes at every instant.
 */
struct QbbBufferUsage
{
    uint64_t sizeBytes{0};         //!< the chip's memory
    uint64_t usedBytes{0};         //!< frames in it
    uint64_t peakUsedBytes{0};     //!< highest usedBytes since ResetPeaks()
    uint64_t reservedSize{0};      //!< set apart for reserves
    uint64_t reservedBytes{0};     //!< in use of these
    uint64_t sharedSize{0};        //!< left to be shared
    uint64_t sharedBytes{0};       //!< in use of these
    uint64_t headroomSize{0};      //!< set apart for headroom
    uint64_t headroomBytes{0};     //!< in use of these
    uint64_t peakHeadroomBytes{0}; //!< highest headroomBytes since ResetPeaks()
};

} // namespace ns3

#endif /* QBB_BUFFER_USAGE_H */
