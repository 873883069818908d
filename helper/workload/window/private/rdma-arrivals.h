/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_ARRIVALS_H
#define RDMA_ARRIVALS_H

#include "rdma-flow-runner-base.h"
#include "rdma-ps.h"
#include "rdma-topology.h"
#include "rdma-workload.h"

#include <ns3/ptr.h>
#include <ns3/simple-ref-count.h>

namespace ns3
{

/**
 * \ingroup rdma-workload
 * Arrivals that go on while the simulation runs: adds the flows of a workload with a window to a
 * runner, block by block, in events without a node. A block is generated at its beginning, so that
 * flows far in the future take no memory. The flows do not depend on the length of a block.
 */
class RdmaArrivals : public SimpleRefCount<RdmaArrivals>
{
  public:
    /// Default length of a block.
    static constexpr RdmaPs BLOCK = 100_us;

    /**
     * \param workload workload whose MakeFlows() has generated the flows of the runner
     * \param runner runner of the flows, installed
     * \param topology topology of the fabric
     * \param block length of a block
     */
    RdmaArrivals(Ptr<RdmaWorkload> workload,
                 Ptr<RdmaFlowRunnerBase> runner,
                 const RdmaTopology& topology,
                 RdmaPs block = BLOCK);

    /** Schedules the first block, at the end of the workload's window. */
    void Start();

  private:
    void OnBlock();
    void Schedule(RdmaPs at);

    Ptr<RdmaWorkload> m_workload;     //!< generates the flows
    Ptr<RdmaFlowRunnerBase> m_runner; //!< runner of the flows
    RdmaTopology m_topology;          //!< topology of the fabric
    RdmaPs m_block;                   //!< length of a block
};

} // namespace ns3

#endif /* RDMA_ARRIVALS_H */
