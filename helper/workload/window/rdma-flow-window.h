/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FLOW_WINDOW_H
#define RDMA_FLOW_WINDOW_H

#include "qbb-ps.h"

namespace ns3
{

/**
 * \ingroup rdma
 * An interval of time. The flows that start in the interval are the counted flows of a run.
 * Averages and percentiles cover only counted flows. By default all flows are counted.
 */
struct RdmaFlowWindow
{
    QbbPs begin{0};       //!< first instant of the interval
    QbbPs end{QBB_NEVER}; //!< end of the interval, which does not belong to the interval

    /** \param time an instant \return true if the instant lies in the interval */
    constexpr bool Contains(QbbPs time) const
    {
        return begin <= time && time < end;
    }
};

} // namespace ns3

#endif /* RDMA_FLOW_WINDOW_H */
