/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-collective.h"
#include "rdma-part-name.h"
#include "rdma-ring-program.h"

namespace ns3
{

/**
 * \ingroup rdma-collective
 * All-gather `all-gather-ring`: in n - 1 steps, each rank sends what it has received last to the
 * next rank. The size of a call is that of the whole vector, of which each rank puts in 1/n.
 */
class RdmaRingAllGather : public RdmaCollective
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::RdmaRingAllGather")
                                .SetParent<RdmaCollective>()
                                .SetGroupName("Rdma")
                                .AddConstructor<RdmaRingAllGather>();
        return tid;
    }

    Operation GetOperation() const override
    {
        return Operation::ALL_GATHER;
    }

  protected:
    std::unique_ptr<RdmaRankProgram> MakeProgram(const RdmaCollectiveScope& scope,
                                                 uint64_t bytes) const override
    {
        return std::make_unique<RdmaRingProgram>(scope,
                                                 GetForm(),
                                                 bytes,
                                                 RdmaRingProgram::Part::ALL_GATHER);
    }
};

NS_OBJECT_ENSURE_REGISTERED(RdmaRingAllGather);

const RdmaPartName g_ringAllGatherName("all-gather-ring",
                                       RdmaRingAllGather::GetTypeId(),
                                       "",
                                       "all-gather in a ring");

} // namespace ns3
