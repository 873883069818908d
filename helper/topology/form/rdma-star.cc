/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-part-name.h"
#include "rdma-topology-builders.h"
#include "rdma-topology-draft.h"

namespace ns3
{

/** One switch, `star:16` (MakeRdmaStar()). */
class RdmaStar : public RdmaTopologyBuilder
{
  public:
    static constexpr uint32_t MAX_HOSTS = RdmaTopology::MAX_PORTS; //!< ports of the switch

    /** \return the object TypeId */
    static TypeId GetTypeId()
    {
        static TypeId tid = MakeFormType<RdmaStar>(
            "ns3::RdmaStar",
            {{"Hosts", "Hosts on the switch.", 4, &RdmaStar::m_hosts, 2, MAX_HOSTS}});
        return tid;
    }

    RdmaTopology Build(const RdmaTopologyRates& rates) const override
    {
        return MakeRdmaStar(m_hosts, rates);
    }

  private:
    uint32_t m_hosts{4}; //!< attribute Hosts
};

NS_OBJECT_ENSURE_REGISTERED(RdmaStar);

const RdmaPartName g_rdmaStarName("star", RdmaStar::GetTypeId(), "", "one switch", {"Hosts"});

RdmaTopology
MakeRdmaStar(uint32_t hosts, const RdmaTopologyRates& rates)
{
    RdmaTopologyDraft draft("star", rates);
    draft.CheckCount("hosts", hosts, 2, RdmaStar::MAX_HOSTS);
    draft.AddHosts(hosts);
    const uint32_t hub = draft.AddSwitch("hub");
    for (uint32_t host = 0; host < hub; ++host)
    {
        draft.LinkHost(host, hub);
    }
    return draft.Finish();
}

} // namespace ns3
