/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdma-placement.h"

#include "rdma-compat.h"

#include <ns3/abort.h>
#include <ns3/enum.h>
#include <ns3/uinteger.h>

#include <set>
#include <stdexcept>
#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaPlacement);

TypeId
RdmaPlacement::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaPlacement")
            .SetParent<Object>()
            .SetGroupName("Rdma")
            .AddAttribute("Hosts",
                          "Hosts of the job of rdma-fabric; 0: all hosts of the topology, or those "
                          "of the file.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaPlacement::m_jobHosts),
                          MakeUintegerChecker<uint32_t>(0, RdmaTopology::MAX_NODES))
            .AddAttribute("RankOrder",
                          "Order of the ranks of a job: ByHost fills one host after the other, "
                          "ByNic goes round the hosts.",
                          EnumValue(BY_HOST),
                          RdmaMakeEnumAccessor<RankOrder>(&RdmaPlacement::m_rankOrder),
                          MakeEnumChecker(BY_HOST, "ByHost", BY_NIC, "ByNic"));
    return tid;
}

std::vector<RdmaJobPlace>
RdmaPlacement::Place(const RdmaTopology& topology, const std::vector<RdmaJobSize>& jobs)
{
    std::vector<RdmaJobPlace> places;
    for (auto& hosts : ChooseHosts(topology, jobs))
    {
        places.push_back({std::move(hosts), {}});
    }
    NS_ABORT_MSG_IF(places.size() != jobs.size(),
                    "rdma: " << GetInstanceTypeId().GetName() << " places " << places.size()
                             << " jobs of " << jobs.size());
    for (uint32_t job = 0; job < jobs.size(); ++job)
    {
        const std::vector<uint32_t>& hosts = places[job].hosts;
        const std::string name = "for job " + std::to_string(job);
        std::set<uint32_t> seen;
        for (const uint32_t host : hosts)
        {
            if (!topology.IsHost(host) || !seen.insert(host).second)
            {
                Refuse(name,
                       "host " + std::to_string(host),
                       "ids of different hosts of the topology");
            }
        }
        const uint32_t ranks = jobs[job].ranks;
        if (hosts.empty() || ranks % hosts.size() != 0)
        {
            Refuse(name,
                   std::to_string(ranks) + " ranks on " + std::to_string(hosts.size()) + " hosts",
                   "1 host or more, and a multiple of their number");
        }
        if (ranks > 0)
        {
            places[job].ranks = ChooseRanks(topology, job, hosts, ranks);
        }
    }
    return places;
}

int64_t
RdmaPlacement::AssignStreams(int64_t /* stream */)
{
    return 0;
}

std::vector<RdmaRankPlace>
RdmaPlacement::ChooseRanks(const RdmaTopology& topology,
                           uint32_t /* job */,
                           const std::vector<uint32_t>& hosts,
                           uint32_t ranks) const
{
    const auto n = static_cast<uint32_t>(hosts.size());
    const uint32_t perHost = ranks / n;
    std::vector<RdmaRankPlace> places;
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        const uint32_t host = hosts[m_rankOrder == BY_HOST ? rank / perHost : rank % n];
        const uint64_t local = m_rankOrder == BY_HOST ? rank % perHost : rank / n;
        const uint64_t nics = topology.GetNics(host).size();
        places.push_back({host, static_cast<uint32_t>(local * nics / perHost)});
    }
    return places;
}

std::vector<uint32_t>
RdmaPlacement::GetSizes(const std::vector<RdmaJobSize>& jobs, std::size_t most) const
{
    std::vector<uint32_t> sizes;
    uint64_t sum = 0;
    for (const RdmaJobSize& job : jobs)
    {
        const bool takesAll = job.hosts == 0 && jobs.size() == 1;
        sizes.push_back(takesAll ? static_cast<uint32_t>(most) : job.hosts);
        sum += sizes.back();
        if (sizes.back() == 0)
        {
            Refuse("for a job", "0 hosts", "1 host or more");
        }
    }
    if (sum > most)
    {
        Refuse("for " + std::to_string(jobs.size()) + (jobs.size() == 1 ? " job" : " jobs"),
               std::to_string(sum) + " hosts",
               "at most " + std::to_string(most) + ", which the placement has");
    }
    return sizes;
}

std::vector<std::vector<uint32_t>>
RdmaPlacement::Deal(const std::vector<RdmaJobSize>& jobs, const std::vector<uint32_t>& hosts) const
{
    std::vector<std::vector<uint32_t>> dealt;
    auto next = hosts.begin();
    for (const uint32_t size : GetSizes(jobs, hosts.size()))
    {
        dealt.emplace_back(next, next + size);
        next += size;
    }
    return dealt;
}

void
RdmaPlacement::Refuse(const std::string& attribute,
                      const std::string& value,
                      const std::string& accepted) const
{
    throw std::invalid_argument(GetInstanceTypeId().GetName() + ": " + attribute + " " + value +
                                "; accepted: " + accepted);
}

Ptr<RdmaPlacement>
MakeRdmaPlacement(const std::string& text)
{
    const auto placement =
        RdmaPart::Parse(text, RdmaPlacement::GetTypeId()).Create<RdmaPlacement>();
    placement->AssignStreams(RdmaPlacement::FIRST_STREAM);
    return placement;
}

} // namespace ns3
