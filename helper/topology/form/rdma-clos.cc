/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-attribute-text.h"
#include "rdma-part-name.h"
#include "rdma-topology-builders.h"
#include "rdma-topology-draft.h"
#include "rdma-units.h"

#include <ns3/string.h>

#include <cmath>

namespace ns3
{

namespace
{

constexpr uint32_t MAX_CLOS_TIERS = 8;
constexpr uint32_t MAX_CLOS_RADIX = 1024;
constexpr double CLOS_RATIO_TOLERANCE = 1e-3;

/** \param text attribute Ratios \return the ratios \throws std::invalid_argument for other texts */
std::vector<double>
ReadClosRatios(const std::string& text)
{
    return text == "none" ? std::vector<double>() : ParseRdmaReals(text);
}

} // namespace

/** Folded Clos network of equal switches, `clos:3x8` or `clos:3x8x3x1` (MakeRdmaClos()). */
class RdmaClos : public RdmaTopologyBuilder
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId()
    {
        static TypeId tid =
            MakeFormType<RdmaClos>(
                "ns3::RdmaClos",
                {{"Tiers", "Tiers of switches.", 3, &RdmaClos::m_tiers, 1, MAX_CLOS_TIERS},
                 {"Radix", "Ports of a switch.", 4, &RdmaClos::m_radix, 2, MAX_CLOS_RADIX}})
                .AddAttribute(
                    "Ratios",
                    "Oversubscription of each tier below the top, from the hosts up: ports "
                    "down over ports up, as in 3x1; none: 1 for each.",
                    StringValue("none"),
                    MakeStringAccessor(&RdmaClos::m_ratios),
                    MakeRdmaTextChecker(
                        [](const std::string& text) { ReadClosRatios(text); },
                        "none, or a ratio for each tier below the top, as in 3x1.5"));
        return tid;
    }

    RdmaTopology Build(const RdmaTopologyRates& rates) const override
    {
        return MakeRdmaClos(m_tiers, m_radix, ReadClosRatios(m_ratios), rates);
    }

  private:
    uint32_t m_tiers{3};          //!< attribute Tiers
    uint32_t m_radix{4};          //!< attribute Radix
    std::string m_ratios{"none"}; //!< attribute Ratios
};

NS_OBJECT_ENSURE_REGISTERED(RdmaClos);

const RdmaPartName g_rdmaClosName("clos",
                                  RdmaClos::GetTypeId(),
                                  "",
                                  "folded Clos network, oversubscribed if wanted",
                                  {"Tiers", "Radix", "Ratios*"});

RdmaTopology
MakeRdmaClos(uint32_t tiers,
             uint32_t radix,
             const std::vector<double>& oversubscription,
             const RdmaTopologyRates& rates)
{
    const RdmaTopologyDraft draft("clos", rates);
    draft.CheckCount("tiers", tiers, 1, MAX_CLOS_TIERS);
    draft.CheckCount("radix", radix, 2, MAX_CLOS_RADIX);
    if (!oversubscription.empty() && oversubscription.size() != tiers - 1)
    {
        draft.Refuse("oversubscription",
                     std::to_string(oversubscription.size()) + " ratios",
                     "none, or " + std::to_string(tiers - 1) + ", one for each tier below the top");
    }
    std::vector<uint32_t> children;
    std::vector<uint32_t> parents{1};
    for (uint32_t tier = 0; tier + 1 < tiers; ++tier)
    {
        const double ratio = oversubscription.empty() ? 1.0 : oversubscription[tier];
        const double down = radix * (ratio / (1.0 + ratio));
        const double whole = std::round(down);
        if (!(ratio > 0.0) || !(std::abs(down - whole) <= CLOS_RATIO_TOLERANCE) || whole < 1 ||
            whole > radix - 1)
        {
            draft.Refuse(
                "oversubscription of tier " + std::to_string(tier + 1),
                FormatRdmaReal(ratio) + " does not divide the " + std::to_string(radix) +
                    " ports of a switch",
                "a ratio of ports down to ports up, both whole numbers whose sum is the radix");
        }
        children.push_back(static_cast<uint32_t>(whole));
        parents.push_back(radix - children.back());
    }
    children.push_back(radix);
    return MakeRdmaXgft("clos", {}, children, parents, rates);
}

} // namespace ns3
