/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-collective.h"
#include "rdma-pairwise-program.h"
#include "rdma-part-name.h"

namespace ns3
{

/**
 * \ingroup rdma-collective
 * All-to-all `all-to-all`: each rank sends 1/n of its vector to each other rank, to the rank behind
 * it first. With Steps=Blocking, this is the pairwise exchange of MPI libraries: a send waits until
 * the message of the step before has arrived. With Steps=Pipelined, sends do not wait for receives,
 * and Depth=0 posts all of them at once.
 */
class RdmaPairwiseAllToAll : public RdmaCollective
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::RdmaPairwiseAllToAll")
                                .SetParent<RdmaCollective>()
                                .SetGroupName("Rdma")
                                .AddConstructor<RdmaPairwiseAllToAll>();
        return tid;
    }

    Operation GetOperation() const override
    {
        return Operation::ALL_TO_ALL;
    }

  protected:
    std::unique_ptr<RdmaRankProgram> MakeProgram(const RdmaCollectiveScope& scope,
                                                 uint64_t bytes) const override
    {
        const uint32_t count = scope.count;
        return std::make_unique<RdmaPairwiseProgram>(
            scope,
            GetForm(),
            [bytes, count](uint32_t /*from*/, uint32_t to) {
                return GetRdmaShare(bytes, count, to);
            });
    }
};

NS_OBJECT_ENSURE_REGISTERED(RdmaPairwiseAllToAll);

const RdmaPartName g_pairwiseAllToAllName("all-to-all",
                                          RdmaPairwiseAllToAll::GetTypeId(),
                                          "",
                                          "all-to-all between all pairs");

} // namespace ns3
