/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fixed-size-workload.h"
#include "rdma-part-name.h"

#include <numeric>
#include <utility>

namespace ns3
{

/**
 * \ingroup rdma-workload
 * Workload `permutation`: every host sends one flow to another host and receives one flow. The
 * permutation is uniformly random among all permutations without fixed points.
 */
class RdmaPermutationWorkload : public RdmaFixedSizeWorkload
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::RdmaPermutationWorkload")
                                .SetParent<RdmaFixedSizeWorkload>()
                                .SetGroupName("Rdma")
                                .AddConstructor<RdmaPermutationWorkload>();
        return tid;
    }

    int64_t AssignStreams(int64_t stream) override
    {
        m_choice->SetStream(stream + STREAM_PERMUTATION);
        return RdmaFixedSizeWorkload::AssignStreams(stream);
    }

  protected:
    std::vector<RdmaFlow> Generate(const RdmaTopology& topology) override
    {
        const auto hosts = topology.GetHosts();
        std::vector<std::size_t> target(hosts.size());
        bool hasFixedPoint = true;
        // Shuffles with fixed points are rejected, so the remaining permutations are equally
        // likely. About one shuffle in e = 2.718 is accepted.
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

  private:
    /// Random choice of destinations
    Ptr<UniformRandomVariable> m_choice{CreateObject<UniformRandomVariable>()};
};

NS_OBJECT_ENSURE_REGISTERED(RdmaPermutationWorkload);

const RdmaPartName g_permutationName("permutation",
                                     RdmaPermutationWorkload::GetTypeId(),
                                     "",
                                     "each host sends to one host and receives from one");

} // namespace ns3
