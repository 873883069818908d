/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdma-permutation-workload.h"

#include "rdma-part-name.h"

#include <numeric>
#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaPermutationWorkload);

namespace
{

/// Registers the short name `permutation` of the workload.
const RdmaPartName g_permutationName("permutation",
                                     RdmaPermutationWorkload::GetTypeId(),
                                     "",
                                     "each host sends to one host and receives from one");

} // namespace

TypeId
RdmaPermutationWorkload::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaPermutationWorkload")
                            .SetParent<RdmaFixedSizeWorkload>()
                            .SetGroupName("Rdma")
                            .AddConstructor<RdmaPermutationWorkload>();
    return tid;
}

int64_t
RdmaPermutationWorkload::AssignStreams(int64_t stream)
{
    m_choice->SetStream(stream + STREAM_PERMUTATION);
    return RdmaFixedSizeWorkload::AssignStreams(stream);
}

std::vector<RdmaFlow>
RdmaPermutationWorkload::Generate(const RdmaTopology& topology)
{
    const auto hosts = topology.GetHosts();
    std::vector<std::size_t> target(hosts.size());
    bool hasFixedPoint = true;
    // Shuffles with fixed points are rejected, so the remaining permutations are equally likely.
    // About one shuffle in e = 2.718 is accepted.
    while (hasFixedPoint)
    {
        std::iota(target.begin(), target.end(), std::size_t{0});
        hasFixedPoint = false;
        for (std::size_t i = hosts.size(); i-- > 0;)
        {
            std::swap(target[i], target[Draw(m_choice, i + 1)]);
            hasFixedPoint = hasFixedPoint || target[i] == i;
        }
    }
    std::vector<RdmaFlow> flows;
    for (std::size_t i = 0; i < hosts.size(); ++i)
    {
        flows.push_back(DrawFlow(hosts[i], hosts[target[i]]));
    }
    return flows;
}

} // namespace ns3
