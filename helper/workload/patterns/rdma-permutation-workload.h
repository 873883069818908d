/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RDMA_PERMUTATION_WORKLOAD_H
#define RDMA_PERMUTATION_WORKLOAD_H

#include "rdma-fixed-size-workload.h"

namespace ns3
{

/**
 * \ingroup rdma-workload
 * \brief Workload `permutation`: every host sends one flow to another host and receives one flow.
 * The permutation is uniformly random among all permutations without fixed points.
 */
class RdmaPermutationWorkload : public RdmaFixedSizeWorkload
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    int64_t AssignStreams(int64_t stream) override;

  protected:
    std::vector<RdmaFlow> Generate(const RdmaTopology& topology) override;

  private:
    /// Random choice of destinations
    Ptr<UniformRandomVariable> m_choice{CreateObject<UniformRandomVariable>()};
};

} // namespace ns3

#endif /* RDMA_PERMUTATION_WORKLOAD_H */
