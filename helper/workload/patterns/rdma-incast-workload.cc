/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fixed-size-workload.h"
#include "rdma-part-name.h"

#include <ns3/integer.h>
#include <ns3/uinteger.h>

#include <algorithm>

namespace ns3
{

/**
 * \ingroup rdma-workload
 * Workload `incast:SENDERS`: randomly chosen hosts send one flow each to one receiver.
 */
class RdmaIncastWorkload : public RdmaFixedSizeWorkload
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId()
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

    int64_t AssignStreams(int64_t stream) override
    {
        m_choice->SetStream(stream + STREAM_HOST);
        return RdmaFixedSizeWorkload::AssignStreams(stream);
    }

  protected:
    std::vector<RdmaFlow> Generate(const RdmaTopology& topology) override
    {
        auto hosts = topology.GetHosts();
        if (m_senders >= hosts.size())
        {
            Refuse("Senders",
                   std::to_string(m_senders),
                   "1 to " + std::to_string(hosts.size() - 1) + " (all hosts but the receiver)");
        }
        const auto receiver = ChooseReceiver(hosts);
        const uint32_t dst = *receiver;
        hosts.erase(receiver);
        std::vector<RdmaFlow> flows;
        for (uint32_t i = 0; i < m_senders; ++i)
        {
            std::swap(hosts[i], hosts[i + Draw(m_choice, hosts.size() - i)]);
            flows.push_back(DrawFlow(hosts[i], dst));
        }
        return flows;
    }

  private:
    /** \param hosts node ids of the hosts \return the receiver */
    std::vector<uint32_t>::const_iterator ChooseReceiver(const std::vector<uint32_t>& hosts) const
    {
        if (m_receiver < 0)
        {
            return hosts.begin() + Draw(m_choice, hosts.size());
        }
        const auto found = std::find(hosts.begin(), hosts.end(), m_receiver);
        if (found == hosts.end())
        {
            Refuse("Receiver",
                   std::to_string(m_receiver),
                   "the node id of a host, or -1 for a random one");
        }
        return found;
    }

    uint32_t m_senders{1};  //!< value of the attribute Senders
    int64_t m_receiver{-1}; //!< value of the attribute Receiver
    /// Random choice of hosts
    Ptr<UniformRandomVariable> m_choice{CreateObject<UniformRandomVariable>()};
};

NS_OBJECT_ENSURE_REGISTERED(RdmaIncastWorkload);

const RdmaPartName g_incastName("incast",
                                RdmaIncastWorkload::GetTypeId(),
                                "",
                                "random hosts send to one receiver at the same time",
                                {"Senders"});

} // namespace ns3
