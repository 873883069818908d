/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-star.h"

#include "rdma-part-name.h"
#include "rdma-topology-draft.h"

#include <ns3/uinteger.h>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaStar);

namespace
{

/// Name under which programs take the class.
const RdmaPartName g_rdmaStarName("star", RdmaStar::GetTypeId(), "", "one switch", {"Hosts"});

constexpr uint32_t MAX_STAR_HOSTS = RdmaTopology::MAX_NODES - 1; //!< the switch is a node too

} // namespace

TypeId
RdmaStar::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaStar")
                            .SetParent<RdmaTopologyBuilder>()
                            .SetGroupName("Rdma")
                            .AddConstructor<RdmaStar>()
                            .AddAttribute("Hosts",
                                          "Hosts on the switch.",
                                          UintegerValue(4),
                                          MakeUintegerAccessor(&RdmaStar::m_hosts),
                                          MakeUintegerChecker<uint32_t>(2, MAX_STAR_HOSTS));
    return tid;
}

RdmaTopology
RdmaStar::Build(const RdmaTopologyRates& rates) const
{
    return MakeRdmaStar(m_hosts, rates);
}

RdmaTopology
MakeRdmaStar(uint32_t hosts, const RdmaTopologyRates& rates)
{
    RdmaTopologyDraft draft("star", rates);
    draft.CheckCount("hosts", hosts, 2, MAX_STAR_HOSTS);
    draft.AddHosts(hosts);
    const uint32_t hub = draft.AddSwitch("hub");
    for (uint32_t host = 0; host < hub; ++host)
    {
        draft.LinkHost(host, hub);
    }
    return draft.Finish();
}

} // namespace ns3
