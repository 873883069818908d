/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-collective.h"
#include "rdma-part-name.h"
#include "rdma-ring-program.h"

namespace ns3
{

/**
 * \ingroup rdma-collective
 * Reduce-scatter `reduce-scatter-ring`: in n - 1 steps, each rank sends 1/n of the vector to the
 * next rank, which adds its own part. The size of a call is that of the vector of each rank.
 */
class RdmaRingReduceScatter : public RdmaCollective
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::RdmaRingReduceScatter")
                                .SetParent<RdmaCollective>()
                                .SetGroupName("Rdma")
                                .AddConstructor<RdmaRingReduceScatter>();
        return tid;
    }

    Operation GetOperation() const override
    {
        return Operation::REDUCE_SCATTER;
    }

  protected:
    std::unique_ptr<RdmaRankProgram> MakeProgram(const RdmaCollectiveScope& scope,
                                                 uint64_t bytes) const override
    {
        return std::make_unique<RdmaRingProgram>(scope,
                                                 GetForm(),
                                                 bytes,
                                                 RdmaRingProgram::Part::REDUCE_SCATTER);
    }
};

NS_OBJECT_ENSURE_REGISTERED(RdmaRingReduceScatter);

const RdmaPartName g_ringReduceScatterName("reduce-scatter-ring",
                                           RdmaRingReduceScatter::GetTypeId(),
                                           "",
                                           "reduce-scatter in a ring");

} // namespace ns3
