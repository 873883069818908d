/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-part-name.h"
#include "rdma-placement.h"

#include <ns3/random-variable-stream.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <utility>

namespace ns3
{

/**
 * \ingroup rdma-workload
 * Placement `random`: jobs take the hosts in a random order, in which all orders are equally
 * likely. Blocks of Together hosts with neighbouring ids stay together.
 */
class RdmaRandomPlacement : public RdmaPlacement
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::RdmaRandomPlacement")
                .SetParent<RdmaPlacement>()
                .SetGroupName("Rdma")
                .AddConstructor<RdmaRandomPlacement>()
                .AddAttribute("Together",
                              "Hosts of a block. The order of the blocks is random, and the order "
                              "within a block is that of the ids.",
                              UintegerValue(1),
                              MakeUintegerAccessor(&RdmaRandomPlacement::m_together),
                              MakeUintegerChecker<uint32_t>(1, RdmaTopology::MAX_NODES));
        return tid;
    }

    int64_t AssignStreams(int64_t stream) override
    {
        m_order->SetStream(stream);
        return 1;
    }

  protected:
    std::vector<std::vector<uint32_t>> ChooseHosts(const RdmaTopology& topology,
                                                   const std::vector<RdmaJobSize>& jobs) override
    {
        const auto hosts = topology.GetHosts();
        std::vector<std::size_t> begins;
        for (std::size_t begin = 0; begin < hosts.size(); begin += m_together)
        {
            begins.push_back(begin);
        }
        for (std::size_t i = begins.size(); i-- > 1;)
        {
            std::swap(begins[i], begins[m_order->GetInteger(0, static_cast<uint32_t>(i))]);
        }
        std::vector<uint32_t> order;
        for (const std::size_t begin : begins)
        {
            const std::size_t end = std::min(begin + m_together, hosts.size());
            order.insert(order.end(),
                         hosts.begin() + static_cast<std::ptrdiff_t>(begin),
                         hosts.begin() + static_cast<std::ptrdiff_t>(end));
        }
        return Deal(jobs, order);
    }

  private:
    uint32_t m_together{1}; //!< attribute Together
    /// Random order of the blocks
    Ptr<UniformRandomVariable> m_order{CreateObject<UniformRandomVariable>()};
};

NS_OBJECT_ENSURE_REGISTERED(RdmaRandomPlacement);

const RdmaPartName g_rdmaRandomPlacementName("random",
                                             RdmaRandomPlacement::GetTypeId(),
                                             "",
                                             "jobs take hosts in random order",
                                             {"Hosts?"});

} // namespace ns3
