/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-part-name.h"
#include "rdma-topology-builders.h"
#include "rdma-topology-draft.h"
#include "rdma-units.h"

#include <ns3/double.h>

#include <cmath>

namespace ns3
{

/** Three-tier Clos network of pods, `pods:4x8x16` or `pods:4x8x16x1x4` (MakeRdmaPods()). */
class RdmaPods : public RdmaTopologyBuilder
{
  public:
    static constexpr double MIN_RATIO = 1e-3; //!< of LeafRatio and SpineRatio
    static constexpr double MAX_RATIO = 1e3;  //!< of LeafRatio and SpineRatio

    /** \return the object TypeId */
    static TypeId GetTypeId()
    {
        static TypeId tid =
            MakeFormType<RdmaPods>(
                "ns3::RdmaPods",
                {{"Pods", "Pods, each with leaves and spines of its own.", 4, &RdmaPods::m_pods},
                 {"LeavesPerPod", "Leaf switches of a pod.", 4, &RdmaPods::m_leaves},
                 {"HostsPerLeaf", "Hosts on each leaf.", 4, &RdmaPods::m_hosts}})
                .AddAttribute("LeafRatio",
                              "Oversubscription of a leaf: bit/s of its links to hosts over bit/s "
                              "of its links to spines.",
                              DoubleValue(1),
                              MakeDoubleAccessor(&RdmaPods::m_leafRatio),
                              MakeDoubleChecker<double>(MIN_RATIO, MAX_RATIO))
                .AddAttribute(
                    "SpineRatio",
                    "Oversubscription of a spine: bit/s of its links to leaves over bit/s "
                    "of its links to core switches.",
                    DoubleValue(1),
                    MakeDoubleAccessor(&RdmaPods::m_spineRatio),
                    MakeDoubleChecker<double>(MIN_RATIO, MAX_RATIO));
        return tid;
    }

    RdmaTopology Build(const RdmaTopologyRates& rates) const override
    {
        return MakeRdmaPods(m_pods, m_leaves, m_hosts, m_leafRatio, m_spineRatio, rates);
    }

  private:
    uint32_t m_pods{4};     //!< attribute Pods
    uint32_t m_leaves{4};   //!< attribute LeavesPerPod
    uint32_t m_hosts{4};    //!< attribute HostsPerLeaf
    double m_leafRatio{1};  //!< attribute LeafRatio
    double m_spineRatio{1}; //!< attribute SpineRatio
};

NS_OBJECT_ENSURE_REGISTERED(RdmaPods);

const RdmaPartName g_rdmaPodsName(
    "pods",
    RdmaPods::GetTypeId(),
    "",
    "three tiers with pods, oversubscribed by bandwidth if wanted",
    {"Pods", "LeavesPerPod", "HostsPerLeaf", "LeafRatio?", "SpineRatio"});

namespace
{

/**
 * \param draft the draft, for messages
 * \param what name of the ratio
 * \param down bit/s of the links down, in units of the rate of a link up
 * \param ratio oversubscription
 * \return number of links up
 * \throws std::invalid_argument if the number is not whole
 */
uint32_t
CountPodUplinks(const RdmaTopologyDraft& draft, const std::string& what, double down, double ratio)
{
    constexpr double TOLERANCE = 1e-3;
    const double up = down / ratio;
    const double whole = std::round(up);
    if (!(ratio >= RdmaPods::MIN_RATIO && ratio <= RdmaPods::MAX_RATIO) || whole < 1 ||
        !(std::abs(up - whole) <= TOLERANCE) || whole > RdmaTopology::MAX_PORTS)
    {
        draft.Refuse(what,
                     FormatRdmaReal(ratio) + " takes " + FormatRdmaReal(up) + " links up",
                     "a ratio of bit/s down to bit/s up that takes a whole number of links, 1 to " +
                         std::to_string(RdmaTopology::MAX_PORTS));
    }
    return static_cast<uint32_t>(whole);
}

} // namespace

RdmaTopology
MakeRdmaPods(uint32_t pods,
             uint32_t leavesPerPod,
             uint32_t hostsPerLeaf,
             double leafRatio,
             double spineRatio,
             const RdmaTopologyRates& rates)
{
    const RdmaTopologyDraft draft("pods", rates);
    draft.CheckCount("pods", pods);
    draft.CheckCount("leaves per pod", leavesPerPod);
    draft.CheckCount("hosts per leaf", hostsPerLeaf);
    if (rates.uplinkRate == 0_bps)
    {
        draft.Refuse("uplink rate", "0 bit/s", "1bps to " + FormatRdmaRate(RDMA_MAX_RATE));
    }
    const double relative =
        static_cast<double>(rates.hostRate) / static_cast<double>(rates.uplinkRate);
    const uint32_t spines =
        CountPodUplinks(draft, "leaf ratio", hostsPerLeaf * relative, leafRatio);
    const uint32_t cores = CountPodUplinks(draft, "spine ratio", leavesPerPod, spineRatio);
    return MakeRdmaXgft("pods",
                        {"leaf", "spine", "core"},
                        {hostsPerLeaf, leavesPerPod, pods},
                        {1, spines, cores},
                        rates);
}

} // namespace ns3
