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
 * Buffers that wait for each other for ever.
 */
struct QbbDeadlock
{
    QbbPs at{0};                       //!< when it was found
    std::vector<QbbBufferPoint> cycle; //!< each waits for the next, the last for the first
    std::vector<QbbBufferPoint> stuck; //!< all that cannot move, the cycle included; ascending
};

} // namespace ns3

#endif /* QBB_DEADLOCK_H */
