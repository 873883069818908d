/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-part-name.h"
#include "rdma-placement.h"

#include <algorithm>
#include <map>

namespace ns3
{

/**
 * \ingroup rdma-workload
 * Placement `spread`: neighbouring hosts of a job are on different leaves, as far as possible. The
 * order takes the first host of each leaf, then the second host of each leaf, and so on. The leaf
 * of a host is the switch at the first port of its first NIC.
 */
class RdmaSpreadPlacement : public RdmaPlacement
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::RdmaSpreadPlacement")
                                .SetParent<RdmaPlacement>()
                                .SetGroupName("Rdma")
                                .AddConstructor<RdmaSpreadPlacement>();
        return tid;
    }

  protected:
    std::vector<std::vector<uint32_t>> ChooseHosts(const RdmaTopology& topology,
                                                   const std::vector<RdmaJobSize>& jobs) override
    {
        const auto links = topology.GetLinksByNode();
        std::map<uint32_t, std::size_t> seen;      // hosts of each leaf so far
        std::vector<std::vector<uint32_t>> rounds; // hosts of all leaves, by place on the leaf
        for (const uint32_t host : topology.GetHosts())
        {
            const RdmaTopologyLink& link = topology.GetLink(links[host].front());
            const std::size_t place = seen[link.a == host ? link.b : link.a]++;
            rounds.resize(std::max(rounds.size(), place + 1));
            rounds[place].push_back(host);
        }
        std::vector<uint32_t> order;
        for (const auto& round : rounds)
        {
            order.insert(order.end(), round.begin(), round.end());
        }
        return Deal(jobs, order);
    }
};

NS_OBJECT_ENSURE_REGISTERED(RdmaSpreadPlacement);

const RdmaPartName g_rdmaSpreadPlacementName("spread",
                                             RdmaSpreadPlacement::GetTypeId(),
                                             "",
                                             "neighbours in a job are on different leaves",
                                             {"Hosts?"});

} // namespace ns3
