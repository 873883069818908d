/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_PORT_RESULT_H
#define RDMA_PORT_RESULT_H

#include "qbb-ps.h"
#include "rdma-fabric-port.h"

#include <cstdint>
#include <memory>

namespace ns3
{

class QbbPort;

/**
 * \ingroup rdma-flow-report
 * Counters of one port and priority since the beginning of the run: one row of ports.csv.
 */
struct RdmaPortResult
{
    /// The port; never null, by default GetRdmaNoPort()
    std::shared_ptr<const RdmaFabricPort> port{GetRdmaNoPort()};
    uint32_t priority{0};       //!< priority (traffic class), 0 to 7
    uint64_t txFrames{0};       //!< frames sent, without pause frames
    uint64_t txBytes{0};        //!< bytes sent
    uint64_t rxFrames{0};       //!< frames received, without pause frames
    uint64_t rxBytes{0};        //!< bytes received
    uint64_t drops{0};          //!< frames dropped
    uint64_t ecnMarks{0};       //!< frames marked with ECN CE
    uint64_t xoffSent{0};       //!< pauses and repeated pauses sent
    uint64_t xonSent{0};        //!< resumptions sent
    uint64_t xoffReceived{0};   //!< pauses and repeated pauses received
    uint64_t xonReceived{0};    //!< resumptions received
    QbbPs pausedTime{0};        //!< time during which sending was paused
    uint64_t peakQueueBytes{0}; //!< largest queue length in bytes
};

/**
 * \ingroup rdma-flow-report
 * \param port a port of a fabric
 * \param device the device of the port
 * \param priority priority (traffic class), 0 to 7
 * \return the counters of the port at this instant
 */
RdmaPortResult ReadRdmaPort(const std::shared_ptr<const RdmaFabricPort>& port,
                            const QbbPort& device,
                            uint8_t priority);

} // namespace ns3

#endif /* RDMA_PORT_RESULT_H */
