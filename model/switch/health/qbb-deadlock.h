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
 * A PFC deadlock: buffers that wait for each other forever.
 */
struct QbbDeadlock
{
    QbbPs at{0};                       //!< instant of detection
    std::vector<QbbBufferPoint> cycle; //!< each buffer waits for the next, the last for the first
    std::vector<QbbBufferPoint> stuck; //!< all stuck buffers, including the cycle; ascending
    /// Classes of sending ports, of switches and hosts, that the stuck buffers pause; ascending
    std::vector<QbbBufferPoint> blocked;
};

} // namespace ns3

#endif /* QBB_DEADLOCK_H */
