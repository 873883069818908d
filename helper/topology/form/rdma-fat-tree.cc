/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-part-name.h"
#include "rdma-topology-builders.h"
#include "rdma-topology-draft.h"

namespace ns3
{

/** Three-tier fat-tree of K-port switches, `fat-tree:K` (MakeRdmaFatTree()). */
class RdmaFatTree : public RdmaTopologyBuilder
{
  public:
    static constexpr uint32_t MAX_K = 128; //!< 524288 hosts

    /** \return the object TypeId */
    static TypeId GetTypeId()
    {
        static TypeId tid = MakeFormType<RdmaFatTree>(
            "ns3::RdmaFatTree",
            {{"K", "Ports of a switch, an even number.", 4, &RdmaFatTree::m_k, 2, MAX_K}});
        return tid;
    }

    RdmaTopology Build(const RdmaTopologyRates& rates) const override
    {
        return MakeRdmaFatTree(m_k, rates);
    }

  private:
    uint32_t m_k{4}; //!< attribute K
};

NS_OBJECT_ENSURE_REGISTERED(RdmaFatTree);

const RdmaPartName g_rdmaFatTreeName("fat-tree",
                                     RdmaFatTree::GetTypeId(),
                                     "",
                                     "three tiers of switches with K ports, K even",
                                     {"K"});

RdmaTopology
MakeRdmaFatTree(uint32_t k, const RdmaTopologyRates& rates)
{
    if (k < 2 || k > RdmaFatTree::MAX_K || k % 2 != 0)
    {
        RdmaTopologyDraft("fat-tree", rates)
            .Refuse("k",
                    std::to_string(k),
                    "an even number from 2 to " + std::to_string(RdmaFatTree::MAX_K));
    }
    return MakeRdmaXgft("fat-tree",
                        {"edge", "agg", "core"},
                        {k / 2, k / 2, k},
                        {1, k / 2, k / 2},
                        rates);
}

} // namespace ns3
