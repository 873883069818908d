/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RDMA_PLACED_WORKLOAD_H
#define RDMA_PLACED_WORKLOAD_H

#include "rdma-placement.h"
#include "rdma-workload.h"

namespace ns3
{

/**
 * \ingroup rdma-workload
 * A workload as one job that a placement puts on hosts. The workload generates flows for a small
 * topology: the job's hosts, numbered from 0, at one switch, each with as many links as its place
 * has NICs. RdmaPlacedWorkload then replaces the job's host numbers in the flows by the ids of the
 * fabric's hosts.
 */
class RdmaPlacedWorkload : public RdmaWorkload
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId();

    /**
     * Places the job.
     *
     * \param workload workload of the job
     * \param placement placement of the job
     * \param topology topology of the run
     * \throws exceptions of RdmaPlacement::Place()
     */
    RdmaPlacedWorkload(Ptr<RdmaWorkload> workload,
                       Ptr<RdmaPlacement> placement,
                       const RdmaTopology& topology);

    std::vector<RdmaFlow> MakeFlows(const RdmaTopology& topology) override;
    std::vector<RdmaFlowDependency> GetDependencies() const override;
    std::optional<RdmaFlowWindow> GetWindow() const override;
    std::vector<RdmaFlow> MakeMoreFlows(const RdmaTopology& topology, RdmaPs until) override;
    int64_t AssignStreams(int64_t stream) override;

  private:
    std::vector<RdmaFlow> Move(std::vector<RdmaFlow> flows) const;

    Ptr<RdmaWorkload> m_workload;  //!< workload of the job
    RdmaTopology m_job;            //!< what the workload sees
    std::vector<uint32_t> m_hosts; //!< ids of the hosts of the job
};

} // namespace ns3

#endif /* RDMA_PLACED_WORKLOAD_H */
