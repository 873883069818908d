/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-dumbbell.h"

#include "rdma-part-name.h"
#include "rdma-topology-draft.h"

#include <ns3/uinteger.h>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaDumbbell);

namespace
{

/// Name under which programs take the class.
const RdmaPartName g_rdmaDumbbellName("dumbbell",
                                      RdmaDumbbell::GetTypeId(),
                                      "",
                                      "two switches with one link between them",
                                      {"HostsPerSide"});

constexpr uint32_t MAX_DUMBBELL_HOSTS = (RdmaTopology::MAX_NODES - 2) / 2; //!< on each side

} // namespace

TypeId
RdmaDumbbell::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaDumbbell")
                            .SetParent<RdmaTopologyBuilder>()
                            .SetGroupName("Rdma")
                            .AddConstructor<RdmaDumbbell>()
                            .AddAttribute("HostsPerSide",
                                          "Number of hosts at each of the two switches.",
                                          UintegerValue(2),
                                          MakeUintegerAccessor(&RdmaDumbbell::m_hostsPerSide),
                                          MakeUintegerChecker<uint32_t>(1, MAX_DUMBBELL_HOSTS));
    return tid;
}

RdmaTopology
RdmaDumbbell::Build(const RdmaTopologyRates& rates) const
{
    return MakeRdmaDumbbell(m_hostsPerSide, rates);
}

RdmaTopology
MakeRdmaDumbbell(uint32_t hostsPerSide, const RdmaTopologyRates& rates)
{
    RdmaTopologyDraft draft("dumbbell", rates);
    draft.CheckCount("hosts per side", hostsPerSide, 1, MAX_DUMBBELL_HOSTS);
    draft.AddHosts(uint64_t{2} * hostsPerSide);
    const uint32_t left = draft.AddSwitch("left");
    const uint32_t right = draft.AddSwitch("right");
    for (uint32_t host = 0; host < left; ++host)
    {
        draft.LinkHost(host, host < hostsPerSide ? left : right);
    }
    draft.LinkSwitches(left, right);
    return draft.Finish();
}

} // namespace ns3
