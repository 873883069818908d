/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdma-generated-workload.h"

#include "rdma-time.h"
#include "rdma-units.h"

#include <ns3/uinteger.h>

#include <algorithm>
#include <tuple>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaGeneratedWorkload);

TypeId
RdmaGeneratedWorkload::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaGeneratedWorkload")
                            .SetParent<RdmaWorkload>()
                            .SetGroupName("Rdma")
                            .AddAttribute("Start",
                                          "Time at which the workload begins.",
                                          TimeValue(Seconds(0)),
                                          MakeTimeAccessor(&RdmaGeneratedWorkload::m_start),
                                          MakeTimeChecker(Seconds(0)))
                            .AddAttribute("Priority",
                                          "Priority of all flows.",
                                          UintegerValue(3),
                                          MakeUintegerAccessor(&RdmaGeneratedWorkload::m_priority),
                                          MakeUintegerChecker<uint32_t>(0, 7))
                            .AddAttribute("DestinationPort",
                                          "Destination port of all flows.",
                                          UintegerValue(4791),
                                          MakeUintegerAccessor(&RdmaGeneratedWorkload::m_dstPort),
                                          MakeUintegerChecker<uint32_t>(0, 65535));
    return tid;
}

std::vector<RdmaFlow>
RdmaGeneratedWorkload::MakeFlows(const RdmaTopology& topology)
{
    const auto hosts = topology.GetHosts().size();
    if (hosts < 2)
    {
        Refuse("with a topology of", std::to_string(hosts) + " hosts", "2 or more");
    }
    m_nextId = 0;
    return Number(Generate(topology));
}

std::vector<RdmaFlow>
RdmaGeneratedWorkload::MakeMoreFlows(const RdmaTopology& topology, RdmaPs until)
{
    return Number(GenerateMore(topology, until));
}

std::vector<RdmaFlow>
RdmaGeneratedWorkload::GenerateMore(const RdmaTopology& /* topology */, RdmaPs /* until */)
{
    return {};
}

RdmaPs
RdmaGeneratedWorkload::GetStart() const
{
    return RdmaToPs(m_start);
}

std::vector<RdmaFlow>
RdmaGeneratedWorkload::Number(std::vector<RdmaFlow> flows)
{
    std::stable_sort(flows.begin(), flows.end(), [](const RdmaFlow& a, const RdmaFlow& b) {
        return std::tie(a.start, a.srcHost) < std::tie(b.start, b.srcHost);
    });
    for (auto& flow : flows)
    {
        flow.id = m_nextId++;
    }
    return flows;
}

RdmaFlow
RdmaGeneratedWorkload::MakeFlow(uint32_t src, uint32_t dst, uint64_t bytes, RdmaPs after) const
{
    RdmaFlow flow;
    flow.srcHost = src;
    flow.dstHost = dst;
    flow.priority = m_priority;
    flow.dstPort = m_dstPort;
    flow.bytes = bytes;
    flow.start = RdmaToPs(m_start) + after;
    return flow;
}

RdmaPs
RdmaGeneratedWorkload::CheckTime(const std::string& attribute, const Time& time, RdmaPs min) const
{
    const RdmaPs max = RDMA_MAX_TIME - RdmaToPs(m_start);
    const RdmaPs value = RdmaToPs(time);
    if (value < min || value > max)
    {
        Refuse(attribute,
               FormatRdmaTime(value),
               FormatRdmaTime(min) + " to " + FormatRdmaTime(max));
    }
    return value;
}

uint32_t
RdmaGeneratedWorkload::Draw(const Ptr<UniformRandomVariable>& variable, std::size_t n)
{
    return variable->GetInteger(0, static_cast<uint32_t>(n - 1));
}

} // namespace ns3
