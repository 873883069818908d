/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdma-placed-workload.h"

#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaPlacedWorkload);

TypeId
RdmaPlacedWorkload::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaPlacedWorkload").SetParent<RdmaWorkload>().SetGroupName("Rdma");
    return tid;
}

RdmaPlacedWorkload::RdmaPlacedWorkload(Ptr<RdmaWorkload> workload,
                                       Ptr<RdmaPlacement> placement,
                                       const RdmaTopology& topology)
    : m_workload(workload),
      m_hosts(placement->Place(topology, {{placement->GetJobHosts(), 0}}).front().hosts)
{
    const auto links = topology.GetLinksByNode();
    for (std::size_t i = 0; i < m_hosts.size(); ++i)
    {
        m_job.AddHost();
    }
    const uint32_t hub = m_job.AddSwitch();
    for (uint32_t i = 0; i < m_hosts.size(); ++i)
    {
        for (const uint32_t nic : topology.GetNics(m_hosts[i]))
        {
            for (const uint32_t id : links[nic])
            {
                const RdmaTopologyLink& link = topology.GetLink(id);
                m_job.AddLink(i, hub, link.rate, link.delay, link.errorRate);
            }
        }
    }
}

std::vector<RdmaFlow>
RdmaPlacedWorkload::MakeFlows(const RdmaTopology& /* topology */)
{
    return Move(m_workload->MakeFlows(m_job));
}

std::vector<RdmaFlowDependency>
RdmaPlacedWorkload::GetDependencies() const
{
    return m_workload->GetDependencies();
}

std::optional<RdmaFlowWindow>
RdmaPlacedWorkload::GetWindow() const
{
    return m_workload->GetWindow();
}

std::vector<RdmaFlow>
RdmaPlacedWorkload::MakeMoreFlows(const RdmaTopology& /* topology */, RdmaPs until)
{
    return Move(m_workload->MakeMoreFlows(m_job, until));
}

int64_t
RdmaPlacedWorkload::AssignStreams(int64_t stream)
{
    return m_workload->AssignStreams(stream);
}

std::vector<RdmaFlow>
RdmaPlacedWorkload::Move(std::vector<RdmaFlow> flows) const
{
    for (RdmaFlow& flow : flows)
    {
        flow.srcHost = m_hosts.at(flow.srcHost);
        flow.dstHost = m_hosts.at(flow.dstHost);
    }
    return flows;
}

} // namespace ns3
