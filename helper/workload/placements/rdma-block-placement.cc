/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-part-name.h"
#include "rdma-placement.h"

#include <ns3/uinteger.h>

namespace ns3
{

/**
 * \ingroup rdma-workload
 * Placement `blocks`: each job takes the next hosts in the order of their ids. In the topologies of
 * the module, hosts of one leaf or unit have neighbouring ids.
 */
class RdmaBlockPlacement : public RdmaPlacement
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::RdmaBlockPlacement")
                .SetParent<RdmaPlacement>()
                .SetGroupName("Rdma")
                .AddConstructor<RdmaBlockPlacement>()
                .AddAttribute("First",
                              "Hosts of the topology before the first job.",
                              UintegerValue(0),
                              MakeUintegerAccessor(&RdmaBlockPlacement::m_first),
                              MakeUintegerChecker<uint32_t>(0, RdmaTopology::MAX_NODES))
                .AddAttribute("Align",
                              "Each job begins at a multiple of this number of hosts after First, "
                              "for instance at a unit.",
                              UintegerValue(1),
                              MakeUintegerAccessor(&RdmaBlockPlacement::m_align),
                              MakeUintegerChecker<uint32_t>(1, RdmaTopology::MAX_NODES));
        return tid;
    }

  protected:
    std::vector<std::vector<uint32_t>> ChooseHosts(const RdmaTopology& topology,
                                                   const std::vector<RdmaJobSize>& jobs) override
    {
        const auto hosts = topology.GetHosts();
        if (m_first >= hosts.size())
        {
            Refuse("First", std::to_string(m_first), "0 to " + std::to_string(hosts.size() - 1));
        }
        const std::size_t room = hosts.size() - m_first;
        std::vector<std::vector<uint32_t>> chosen;
        uint64_t next = 0; // after First
        for (const uint32_t size : GetSizes(jobs, room))
        {
            next = (next + m_align - 1) / m_align * m_align;
            if (next + size > room)
            {
                Refuse("Align",
                       std::to_string(m_align) + " leaves no room for job " +
                           std::to_string(chosen.size()),
                       "smaller jobs, or a smaller number");
            }
            const auto begin = hosts.begin() + static_cast<std::ptrdiff_t>(m_first + next);
            chosen.emplace_back(begin, begin + size);
            next += size;
        }
        return chosen;
    }

  private:
    uint32_t m_first{0}; //!< attribute First
    uint32_t m_align{1}; //!< attribute Align
};

NS_OBJECT_ENSURE_REGISTERED(RdmaBlockPlacement);

const RdmaPartName g_rdmaBlockPlacementName("blocks",
                                            RdmaBlockPlacement::GetTypeId(),
                                            "",
                                            "each job takes the next hosts",
                                            {"Hosts?"});

} // namespace ns3
