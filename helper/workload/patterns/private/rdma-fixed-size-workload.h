/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RDMA_FIXED_SIZE_WORKLOAD_H
#define RDMA_FIXED_SIZE_WORKLOAD_H

#include "rdma-generated-workload.h"

namespace ns3
{

/**
 * \ingroup rdma-workload
 * \brief Base class of workloads whose flows have equal sizes and nearly equal start times.
 */
class RdmaFixedSizeWorkload : public RdmaGeneratedWorkload
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId();

    int64_t AssignStreams(int64_t stream) override;

  protected:
    /**
     * \param src node id of the sender
     * \param dst node id of the receiver
     * \return a flow of the size Bytes with a random start between Start and Start + Jitter
     */
    RdmaFlow DrawFlow(uint32_t src, uint32_t dst);

  private:
    uint64_t m_bytes{1'000'000}; //!< value of the attribute Bytes
    Time m_jitter{0};            //!< value of the attribute Jitter
    /// Random start times
    Ptr<UniformRandomVariable> m_times{CreateObject<UniformRandomVariable>()};
};

} // namespace ns3

#endif /* RDMA_FIXED_SIZE_WORKLOAD_H */
