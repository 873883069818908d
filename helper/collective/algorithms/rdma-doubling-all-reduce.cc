/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-collective.h"
#include "rdma-exchange-program.h"
#include "rdma-part-name.h"

namespace ns3
{

namespace
{

/** In step k, rank i exchanges the whole vector with the rank whose bit k differs. */
class RdmaDoublingProgram final : public RdmaExchangeProgram
{
  public:
    RdmaDoublingProgram(const RdmaCollectiveScope& scope,
                        const RdmaExchangeForm& form,
                        uint64_t bytes,
                        uint32_t steps)
        : RdmaExchangeProgram(scope, form, steps, steps),
          m_bytes(bytes)
    {
    }

  private:
    Transfer GetSend(uint64_t step) const override
    {
        return {GetScope().index ^ (1U << step), m_bytes};
    }

    Transfer GetReceive(uint64_t step) const override
    {
        return GetSend(step);
    }

    uint64_t m_bytes; //!< bytes of the vector
};

} // namespace

/**
 * \ingroup rdma-collective
 * All-reduce `all-reduce-recursive-doubling`: in log2 n steps, each rank exchanges the whole vector
 * with a rank at distance 1, 2, 4 and so on, and adds it (Thakur, Rabenseifner and Gropp,
 * "Optimization of Collective Communication Operations in MPICH", 2005, section 4.5).
 */
class RdmaDoublingAllReduce : public RdmaCollective
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::RdmaDoublingAllReduce")
                                .SetParent<RdmaCollective>()
                                .SetGroupName("Rdma")
                                .AddConstructor<RdmaDoublingAllReduce>();
        return tid;
    }

    Operation GetOperation() const override
    {
        return Operation::ALL_REDUCE;
    }

    void Prepare(uint32_t ranks, uint64_t bytes) override
    {
        RdmaCollective::Prepare(ranks, bytes);
        Check((ranks & (ranks - 1)) == 0, std::to_string(ranks) + " ranks", "a power of two");
    }

  protected:
    std::unique_ptr<RdmaRankProgram> MakeProgram(const RdmaCollectiveScope& scope,
                                                 uint64_t bytes) const override
    {
        return std::make_unique<RdmaDoublingProgram>(scope,
                                                     GetForm(),
                                                     bytes,
                                                     GetRdmaLog2(scope.count));
    }
};

NS_OBJECT_ENSURE_REGISTERED(RdmaDoublingAllReduce);

const RdmaPartName g_doublingAllReduceName("all-reduce-recursive-doubling",
                                           RdmaDoublingAllReduce::GetTypeId(),
                                           "",
                                           "all-reduce that exchanges whole vectors");

} // namespace ns3
