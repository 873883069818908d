/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-part-name.h"
#include "rdma-topology-builders.h"
#include "rdma-topology-draft.h"

namespace ns3
{

/** Two tiers of switches, `leaf-spine:4x16x4` (MakeRdmaLeafSpine()). */
class RdmaLeafSpine : public RdmaTopologyBuilder
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId()
    {
        static TypeId tid = MakeFormType<RdmaLeafSpine>(
            "ns3::RdmaLeafSpine",
            {{"Leaves", "Leaf switches.", 4, &RdmaLeafSpine::m_leaves},
             {"HostsPerLeaf", "Hosts on each leaf.", 16, &RdmaLeafSpine::m_hostsPerLeaf},
             {"Spines", "Spine switches.", 4, &RdmaLeafSpine::m_spines}});
        return tid;
    }

    RdmaTopology Build(const RdmaTopologyRates& rates) const override
    {
        return MakeRdmaLeafSpine(m_leaves, m_hostsPerLeaf, m_spines, rates);
    }

  private:
    uint32_t m_leaves{4};        //!< attribute Leaves
    uint32_t m_hostsPerLeaf{16}; //!< attribute HostsPerLeaf
    uint32_t m_spines{4};        //!< attribute Spines
};

NS_OBJECT_ENSURE_REGISTERED(RdmaLeafSpine);

const RdmaPartName g_rdmaLeafSpineName("leaf-spine",
                                       RdmaLeafSpine::GetTypeId(),
                                       "",
                                       "two tiers, with one link from each leaf to each spine",
                                       {"Leaves", "HostsPerLeaf", "Spines"});

RdmaTopology
MakeRdmaLeafSpine(uint32_t leaves,
                  uint32_t hostsPerLeaf,
                  uint32_t spines,
                  const RdmaTopologyRates& rates)
{
    const RdmaTopologyDraft draft("leaf-spine", rates);
    draft.CheckCount("leaves", leaves);
    draft.CheckCount("hosts per leaf", hostsPerLeaf);
    draft.CheckCount("spines", spines);
    return MakeRdmaXgft("leaf-spine",
                        {"leaf", "spine"},
                        {hostsPerLeaf, leaves},
                        {1, spines},
                        rates);
}

} // namespace ns3
