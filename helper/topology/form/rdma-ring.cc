/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-ring.h"

#include "rdma-part-name.h"
#include "rdma-topology-draft.h"

#include <ns3/uinteger.h>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaRing);

namespace
{

/// Name under which programs take the class.
const RdmaPartName g_rdmaRingName("ring",
                                  RdmaRing::GetTypeId(),
                                  "",
                                  "switches in a ring, which can deadlock under PFC",
                                  {"Switches", "HostsPerSwitch?"});

} // namespace

TypeId
RdmaRing::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaRing")
            .SetParent<RdmaTopologyBuilder>()
            .SetGroupName("Rdma")
            .AddConstructor<RdmaRing>()
            .AddAttribute("Switches",
                          "Switches in the circle.",
                          UintegerValue(4),
                          MakeUintegerAccessor(&RdmaRing::m_switches),
                          MakeUintegerChecker<uint32_t>(3, RdmaTopology::MAX_NODES))
            .AddAttribute("HostsPerSwitch",
                          "Hosts on each switch.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&RdmaRing::m_hostsPerSwitch),
                          MakeUintegerChecker<uint32_t>(1, RdmaTopology::MAX_NODES));
    return tid;
}

RdmaTopology
RdmaRing::Build(const RdmaTopologyRates& rates) const
{
    return MakeRdmaRing(m_switches, m_hostsPerSwitch, rates);
}

RdmaTopology
MakeRdmaRing(uint32_t switches, uint32_t hostsPerSwitch, const RdmaTopologyRates& rates)
{
    RdmaTopologyDraft draft("ring", rates);
    draft.CheckCount("switches", switches, 3, RdmaTopology::MAX_NODES);
    draft.CheckCount("hosts on a switch", hostsPerSwitch, 1, RdmaTopology::MAX_NODES);
    draft.CountNodes(uint64_t{switches} * (hostsPerSwitch + uint64_t{1}));
    draft.AddHosts(uint64_t{switches} * hostsPerSwitch);
    const uint32_t first = draft.AddSwitches("ring", switches);
    for (uint32_t host = 0; host < first; ++host)
    {
        draft.LinkHost(host, first + host / hostsPerSwitch);
    }
    for (uint32_t i = 0; i < switches; ++i)
    {
        draft.LinkSwitches(first + i, first + (i + 1) % switches);
    }
    return draft.Finish();
}

} // namespace ns3
