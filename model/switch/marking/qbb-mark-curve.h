/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_MARK_CURVE_H
#define QBB_MARK_CURVE_H

#include "qbb-ecn-marker.h"

namespace ns3
{

/**
 * \ingroup rdma
 * Description of how a marker marks the packets of one queue by the queue's length, for reports.
 */
struct QbbMarkCurve
{
    QbbEcnThresholds thresholds; //!< marking probability by queue length
    bool atDeparture{false};     //!< the queue length that a packet leaves behind decides
    bool countsPacket{false};    //!< the packet itself counts as part of the queue
    bool perInput{false}; //!< input-queued: only packets of the packet's own ingress port count
};

} // namespace ns3

#endif /* QBB_MARK_CURVE_H */
