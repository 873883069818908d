/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fat-tree.h"

#include "rdma-part-name.h"
#include "rdma-topology-draft.h"
#include "rdma-xgft.h"

#include <ns3/uinteger.h>

#include <string>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaFatTree);

namespace
{

/// Name under which programs take the class.
const RdmaPartName g_rdmaFatTreeName("fat-tree",
                                     RdmaFatTree::GetTypeId(),
                                     "",
                                     "three tiers of switches with K ports, K even",
                                     {"K"});

constexpr uint32_t MAX_FAT_TREE_K = 128; //!< 524288 hosts

} // namespace

TypeId
RdmaFatTree::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaFatTree")
                            .SetParent<RdmaTopologyBuilder>()
                            .SetGroupName("Rdma")
                            .AddConstructor<RdmaFatTree>()
                            .AddAttribute("K",
                                          "Ports of a switch, an even number.",
                                          UintegerValue(4),
                                          MakeUintegerAccessor(&RdmaFatTree::m_k),
                                          MakeUintegerChecker<uint32_t>(2, MAX_FAT_TREE_K));
    return tid;
}

RdmaTopology
RdmaFatTree::Build(const RdmaTopologyRates& rates) const
{
    return MakeRdmaFatTree(m_k, rates);
}

RdmaTopology
MakeRdmaFatTree(uint32_t k, const RdmaTopologyRates& rates)
{
    if (k < 2 || k > MAX_FAT_TREE_K || k % 2 != 0)
    {
        RdmaTopologyDraft("fat-tree", rates)
            .Refuse("k",
                    std::to_string(k),
                    "an even number from 2 to " + std::to_string(MAX_FAT_TREE_K));
    }
    return MakeRdmaXgft("fat-tree",
                        {"edge", "agg", "core"},
                        {k / 2, k / 2, k},
                        {1, k / 2, k / 2},
                        rates);
}

} // namespace ns3
