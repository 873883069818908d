/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdma-incast-workload.h"

#include "rdma-part-name.h"

#include <ns3/integer.h>
#include <ns3/uinteger.h>

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaIncastWorkload);

namespace
{

/// Registers the short name `incast` of the workload.
const RdmaPartName g_incastName("incast",
                                RdmaIncastWorkload::GetTypeId(),
                                "",
                                "random hosts send to one receiver at the same time",
                                {"Senders"});

} // namespace

TypeId
RdmaIncastWorkload::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaIncastWorkload")
            .SetParent<RdmaFixedSizeWorkload>()
            .SetGroupName("Rdma")
            .AddConstructor<RdmaIncastWorkload>()
            .AddAttribute("Senders",
                          "Number of senders, below the number of hosts.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&RdmaIncastWorkload::m_senders),
                          MakeUintegerChecker<uint32_t>(1, RdmaTopology::MAX_NODES))
            .AddAttribute("Receiver",
                          "Node id of the receiver; -1: a random host.",
                          IntegerValue(-1),
                          MakeIntegerAccessor(&RdmaIncastWorkload::m_receiver),
                          MakeIntegerChecker<int64_t>(-1, RdmaTopology::MAX_NODES - 1));
    return tid;
}

int64_t
RdmaIncastWorkload::AssignStreams(int64_t stream)
{
    m_choice->SetStream(stream + STREAM_HOST);
    return RdmaFixedSizeWorkload::AssignStreams(stream);
}

std::size_t
RdmaIncastWorkload::ChooseReceiver(const std::vector<uint32_t>& hosts) const
{
    if (m_receiver < 0)
    {
        return Draw(m_choice, hosts.size());
    }
    const auto found = std::find(hosts.begin(), hosts.end(), m_receiver);
    if (found == hosts.end())
    {
        Refuse("Receiver",
               std::to_string(m_receiver),
               "the node id of a host, or -1 for a random one");
    }
    return found - hosts.begin();
}

std::vector<RdmaFlow>
RdmaIncastWorkload::Generate(const RdmaTopology& topology)
{
    auto hosts = topology.GetHosts();
    if (m_senders >= hosts.size())
    {
        Refuse("Senders",
               std::to_string(m_senders),
               "1 to " + std::to_string(hosts.size() - 1) + " (all hosts but the receiver)");
    }
    const std::size_t receiver = ChooseReceiver(hosts);
    const uint32_t dst = hosts[receiver];
    hosts.erase(hosts.begin() + static_cast<std::ptrdiff_t>(receiver));
    std::vector<RdmaFlow> flows;
    for (uint32_t i = 0; i < m_senders; ++i)
    {
        std::swap(hosts[i], hosts[i + Draw(m_choice, hosts.size() - i)]);
        flows.push_back(DrawFlow(hosts[i], dst));
    }
    return flows;
}

} // namespace ns3
