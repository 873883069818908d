/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-leaf-spine.h"

#include "rdma-part-name.h"
#include "rdma-topology-draft.h"
#include "rdma-xgft.h"

#include <ns3/uinteger.h>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaLeafSpine);

namespace
{

/// Name under which programs take the class.
const RdmaPartName g_rdmaLeafSpineName("leaf-spine",
                                       RdmaLeafSpine::GetTypeId(),
                                       "",
                                       "two tiers, with one link from each leaf to each spine",
                                       {"Leaves", "HostsPerLeaf", "Spines"});

} // namespace

TypeId
RdmaLeafSpine::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaLeafSpine")
            .SetParent<RdmaTopologyBuilder>()
            .SetGroupName("Rdma")
            .AddConstructor<RdmaLeafSpine>()
            .AddAttribute("Leaves",
                          "Leaf switches.",
                          UintegerValue(4),
                          MakeUintegerAccessor(&RdmaLeafSpine::m_leaves),
                          MakeUintegerChecker<uint32_t>(1, RdmaTopology::MAX_NODES))
            .AddAttribute("HostsPerLeaf",
                          "Hosts on each leaf.",
                          UintegerValue(16),
                          MakeUintegerAccessor(&RdmaLeafSpine::m_hostsPerLeaf),
                          MakeUintegerChecker<uint32_t>(1, RdmaTopology::MAX_NODES))
            .AddAttribute("Spines",
                          "Spine switches.",
                          UintegerValue(4),
                          MakeUintegerAccessor(&RdmaLeafSpine::m_spines),
                          MakeUintegerChecker<uint32_t>(1, RdmaTopology::MAX_NODES));
    return tid;
}

RdmaTopology
RdmaLeafSpine::Build(const RdmaTopologyRates& rates) const
{
    return MakeRdmaLeafSpine(m_leaves, m_hostsPerLeaf, m_spines, rates);
}

RdmaTopology
MakeRdmaLeafSpine(uint32_t leaves,
                  uint32_t hostsPerLeaf,
                  uint32_t spines,
                  const RdmaTopologyRates& rates)
{
    const RdmaTopologyDraft draft("leaf-spine", rates);
    draft.CheckCount("leaves", leaves, 1, RdmaTopology::MAX_NODES);
    draft.CheckCount("hosts per leaf", hostsPerLeaf, 1, RdmaTopology::MAX_NODES);
    draft.CheckCount("spines", spines, 1, RdmaTopology::MAX_NODES);
    return MakeRdmaXgft("leaf-spine",
                        {"leaf", "spine"},
                        {hostsPerLeaf, leaves},
                        {1, spines},
                        rates);
}

} // namespace ns3
