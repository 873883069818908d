/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-collective.h"
#include "rdma-part-name.h"
#include "rdma-ring-program.h"

namespace ns3
{

/**
 * \ingroup rdma-collective
 * All-reduce `all-reduce-ring`: reduce-scatter, then all-gather, in a ring of the ranks in their
 * order. 2 (n - 1) steps of 1/n of the vector each (Patarasuk and Yuan, "Bandwidth optimal
 * all-reduce algorithms for clusters of workstations", 2009).
 */
class RdmaRingAllReduce : public RdmaCollective
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::RdmaRingAllReduce")
                                .SetParent<RdmaCollective>()
                                .SetGroupName("Rdma")
                                .AddConstructor<RdmaRingAllReduce>();
        return tid;
    }

    Operation GetOperation() const override
    {
        return Operation::ALL_REDUCE;
    }

  protected:
    std::unique_ptr<RdmaRankProgram> MakeProgram(const RdmaCollectiveScope& scope,
                                                 uint64_t bytes) const override
    {
        return std::make_unique<RdmaRingProgram>(scope,
                                                 GetForm(),
                                                 bytes,
                                                 RdmaRingProgram::Part::BOTH);
    }
};

NS_OBJECT_ENSURE_REGISTERED(RdmaRingAllReduce);

const RdmaPartName g_ringAllReduceName("all-reduce-ring",
                                       RdmaRingAllReduce::GetTypeId(),
                                       "",
                                       "all-reduce in a ring");

} // namespace ns3
