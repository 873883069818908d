/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_DEADLOCK_H
#define QBB_DEADLOCK_H

#include "qbb-deadlock-check.h"
#include "qbb-ps.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * A PFC deadlock: buffers that wait for each other forever, or as long as hosts only repeat.
 */
struct QbbDeadlock
{
    QbbPs at{0}; //!< instant of detection
    /// The buffers stand still because other frames, which are repeats alone, keep memory in use
    bool whileHostsRepeat{false};
    std::vector<QbbBufferPoint> cycle; //!< each buffer waits for the next, the last for the first
    std::vector<QbbBufferPoint> stuck; //!< all stuck buffers, including the cycle; ascending
    /// Classes of sending ports, of switches and hosts, that the stuck buffers pause; ascending
    std::vector<QbbBufferPoint> blocked;
};

} // namespace ns3

#endif /* QBB_DEADLOCK_H */
