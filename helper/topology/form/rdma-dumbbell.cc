/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-part-name.h"
#include "rdma-topology-builders.h"
#include "rdma-topology-draft.h"

namespace ns3
{

/** Two switches joined by one link, `dumbbell:8` (MakeRdmaDumbbell()). */
class RdmaDumbbell : public RdmaTopologyBuilder
{
  public:
    static constexpr uint32_t MAX_HOSTS = RdmaTopology::MAX_PORTS - 1; //!< on each side

    /** \return the object TypeId */
    static TypeId GetTypeId()
    {
        static TypeId tid =
            MakeFormType<RdmaDumbbell>("ns3::RdmaDumbbell",
                                       {{"HostsPerSide",
                                         "Number of hosts at each of the two switches.",
                                         2,
                                         &RdmaDumbbell::m_hostsPerSide,
                                         1,
                                         MAX_HOSTS}});
        return tid;
    }

    RdmaTopology Build(const RdmaTopologyRates& rates) const override
    {
        return MakeRdmaDumbbell(m_hostsPerSide, rates);
    }

  private:
    uint32_t m_hostsPerSide{2}; //!< attribute HostsPerSide
};

NS_OBJECT_ENSURE_REGISTERED(RdmaDumbbell);

const RdmaPartName g_rdmaDumbbellName("dumbbell",
                                      RdmaDumbbell::GetTypeId(),
                                      "",
                                      "two switches with one link between them",
                                      {"HostsPerSide"});

RdmaTopology
MakeRdmaDumbbell(uint32_t hostsPerSide, const RdmaTopologyRates& rates)
{
    RdmaTopologyDraft draft("dumbbell", rates);
    draft.CheckCount("hosts per side", hostsPerSide, 1, RdmaDumbbell::MAX_HOSTS);
    draft.AddHosts(uint64_t{2} * hostsPerSide);
    const uint32_t left = draft.AddSwitch("left");
    const uint32_t right = draft.AddSwitch("right");
    for (uint32_t host = 0; host < left; ++host)
    {
        draft.LinkHost(host, host < hostsPerSide ? left : right);
    }
    draft.LinkSwitches(left, right);
    return draft.Finish();
}

} // namespace ns3
