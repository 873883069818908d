/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-part-name.h"
#include "rdma-topology-builders.h"
#include "rdma-topology-draft.h"

namespace ns3
{

/** Switches in a ring, `ring:5` or `ring:3x4` (MakeRdmaRing()). */
class RdmaRing : public RdmaTopologyBuilder
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId()
    {
        static TypeId tid = MakeFormType<RdmaRing>(
            "ns3::RdmaRing",
            {{"Switches", "Switches in the circle.", 4, &RdmaRing::m_switches, 3},
             {"HostsPerSwitch", "Hosts on each switch.", 1, &RdmaRing::m_hostsPerSwitch}});
        return tid;
    }

    RdmaTopology Build(const RdmaTopologyRates& rates) const override
    {
        return MakeRdmaRing(m_switches, m_hostsPerSwitch, rates);
    }

  private:
    uint32_t m_switches{4};       //!< attribute Switches
    uint32_t m_hostsPerSwitch{1}; //!< attribute HostsPerSwitch
};

NS_OBJECT_ENSURE_REGISTERED(RdmaRing);

const RdmaPartName g_rdmaRingName("ring",
                                  RdmaRing::GetTypeId(),
                                  "",
                                  "switches in a ring, which can deadlock under PFC",
                                  {"Switches", "HostsPerSwitch?"});

RdmaTopology
MakeRdmaRing(uint32_t switches, uint32_t hostsPerSwitch, const RdmaTopologyRates& rates)
{
    RdmaTopologyDraft draft("ring", rates);
    draft.CheckCount("switches", switches, 3, RdmaTopology::MAX_NODES);
    draft.CheckCount("hosts on a switch", hostsPerSwitch);
    draft.CountNodes(uint64_t{switches} * (hostsPerSwitch + uint64_t{1}));
    draft.CheckPorts(uint64_t{hostsPerSwitch} + 2);
    draft.AddHosts(uint64_t{switches} * hostsPerSwitch);
    const uint32_t first = draft.AddSwitches("ring", switches);
    for (uint32_t host = 0; host < first; ++host)
    {
        draft.LinkHost(host, first + host / hostsPerSwitch);
    }
    for (uint32_t i = 0; i < switches; ++i)
    {
        draft.LinkSwitches(first + i, first + (i + 1) % switches);
    }
    return draft.Finish();
}

} // namespace ns3
