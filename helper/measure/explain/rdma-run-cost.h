/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_RUN_COST_H
#define RDMA_RUN_COST_H

#include "rdma-fabric.h"
#include "rdma-flow-runner.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma-explain
 * What a run will take, estimated before the run.
 */
struct RdmaRunCost
{
    uint64_t flows{0};         //!< flows that are installed
    uint64_t packets{0};       //!< packets that carry data
    uint64_t replies{0};       //!< acknowledgements, and expected notifications of congestion
    uint64_t packetHops{0};    //!< links that these frames cross, all together
    uint64_t presentBytes{0};  //!< most memory that the process has taken until now
    uint64_t queuePairs{0};    //!< most queue pairs at once, beyond those that exist
    uint64_t waitingFrames{0}; //!< most frames at once on lines and in queues
    uint64_t resultBytes{0};   //!< memory of the rows of results

    /** \return most memory that the process will take until its end */
    uint64_t GetPeakBytes() const;
};

/**
 * \ingroup rdma-explain
 * Estimates what the flows of a run will take.
 *
 * The number of packet-hops is exact for a run in which no packet is lost and all flows complete,
 * except for notifications of congestion, which are estimated, and for frames of PFC and repeated
 * acknowledgements, which are left out.
 *
 * The estimate of the memory follows each flow at the line rate of its sender. A flow waits at the
 * link of its path that has most flows for its rate. With congestion control, only what a sender
 * sends before the sender can react waits. The memory of instruments is left out.
 *
 * \param fabric the fabric
 * \param runner the flows, after RdmaFlowRunner::Install()
 * \return the estimate
 */
RdmaRunCost EstimateRdmaRunCost(const RdmaFabric& fabric, const RdmaFlowRunner& runner);

} // namespace ns3

#endif /* RDMA_RUN_COST_H */
