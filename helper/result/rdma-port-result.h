/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_PORT_RESULT_H
#define RDMA_PORT_RESULT_H

#include "qbb-ps.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma-flow-report
 * Counters of one port and priority: one row of ports.csv.
 */
struct RdmaPortResult
{
    uint32_t node{0};           //!< node id of the port
    uint32_t port{0};           //!< number of the port at its node
    uint32_t priority{0};       //!< priority (traffic class), 0 to 7
    uint64_t bytes{0};          //!< bytes sent
    uint64_t pausesSent{0};     //!< pause frames sent for this priority, including resumptions
    uint64_t pausesReceived{0}; //!< pause frames received for this priority, including resumptions
    QbbPs pausedTime{0};        //!< time during which sending was paused
    uint64_t drops{0};          //!< frames dropped
    uint64_t marks{0};          //!< frames marked with ECN CE
    uint64_t peakQueueBytes{0}; //!< largest queue length in bytes
};

} // namespace ns3

#endif /* RDMA_PORT_RESULT_H */
