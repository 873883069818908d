/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-collective.h"
#include "rdma-exchange-program.h"
#include "rdma-part-name.h"

namespace ns3
{

namespace
{

/** n (n - 1) / 2 steps, in each of which a rank passes one block on to the next rank. */
class RdmaRelayProgram final : public RdmaExchangeProgram
{
  public:
    RdmaRelayProgram(const RdmaCollectiveScope& scope, const RdmaExchangeForm& form, uint64_t bytes)
        : RdmaExchangeProgram(scope, form, uint64_t{scope.count} * (scope.count - 1) / 2, 0),
          m_block((bytes + scope.count - 1) / scope.count)
    {
    }

  private:
    Transfer GetSend(uint64_t /*step*/) const override
    {
        return {GetScope().GetNeighbour(1), m_block};
    }

    Transfer GetReceive(uint64_t /*step*/) const override
    {
        return {GetScope().GetNeighbour(-1), m_block};
    }

    uint64_t m_block; //!< bytes of a block
};

} // namespace

/**
 * \ingroup rdma-collective
 * All-to-all `all-to-all-ring`: blocks travel around a ring of the ranks; first the n - 1 blocks
 * that a rank sends, then the n - 2 blocks that go further than the next rank, and so on. For
 * networks whose ranks have links to their neighbours only. This is the ring all-to-all of
 * ASTRA-sim. All blocks have the size of the largest one.
 */
class RdmaRingAllToAll : public RdmaCollective
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::RdmaRingAllToAll")
                                .SetParent<RdmaCollective>()
                                .SetGroupName("Rdma")
                                .AddConstructor<RdmaRingAllToAll>();
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
        return std::make_unique<RdmaRelayProgram>(scope, GetForm(), bytes);
    }
};

NS_OBJECT_ENSURE_REGISTERED(RdmaRingAllToAll);

const RdmaPartName g_ringAllToAllName("all-to-all-ring",
                                      RdmaRingAllToAll::GetTypeId(),
                                      "",
                                      "all-to-all whose blocks travel around a ring");

} // namespace ns3
