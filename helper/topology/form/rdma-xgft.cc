/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-attribute-text.h"
#include "rdma-topology-builders.h"
#include "rdma-topology-draft.h"
#include "rdma-units.h"

#include <ns3/string.h>

namespace ns3
{

namespace
{

constexpr uint32_t MAX_XGFT_TIERS = 8;

/** \param text attribute Children or Parents \return the numbers \throws std::invalid_argument */
std::vector<uint32_t>
ReadXgftTiers(const std::string& text)
{
    return ParseRdmaIntegers(text, 1, RdmaTopology::MAX_NODES);
}

/** Sizes of the tiers of an XGFT, from the hosts (tier 0) up. */
struct XgftTiers
{
    std::vector<uint64_t> count;  //!< nodes
    std::vector<uint64_t> inside; //!< w_1 x ... x w_tier
};

/**
 * \param draft the draft, which counts the nodes and links
 * \param children m_i
 * \param parents w_i
 * \return the sizes, each at most RdmaTopology::MAX_NODES
 * \throws std::invalid_argument for a parameter out of range
 */
XgftTiers
CountXgft(RdmaTopologyDraft& draft,
          const std::vector<uint32_t>& children,
          const std::vector<uint32_t>& parents)
{
    const std::size_t tiers = children.size();
    XgftTiers sizes{std::vector<uint64_t>(tiers + 1), std::vector<uint64_t>(tiers + 1, 1)};
    std::vector<uint64_t> above(tiers + 1, 1); // product of children over the tiers above
    for (std::size_t tier = tiers; tier-- > 0;)
    {
        draft.CheckCount("children in a tier", children[tier]);
        above[tier] = draft.Multiply(above[tier + 1], children[tier]);
    }
    for (std::size_t tier = 0; tier < tiers; ++tier)
    {
        draft.CheckCount("parents in a tier", parents[tier]);
        sizes.inside[tier + 1] = draft.Multiply(sizes.inside[tier], parents[tier]);
    }
    for (std::size_t tier = 0; tier <= tiers; ++tier)
    {
        sizes.count[tier] = draft.Multiply(above[tier], sizes.inside[tier]);
        draft.CountNodes(sizes.count[tier]);
        if (tier < tiers)
        {
            draft.CountLinks(sizes.count[tier] * parents[tier]);
            draft.CheckPorts(children[tier] + (tier + 1 < tiers ? uint64_t{parents[tier + 1]} : 0));
        }
    }
    return sizes;
}

} // namespace

/** Extended generalised fat-tree, `ns3::RdmaXgft[Children=16x4x5|Parents=1x4x4]` (MakeRdmaXgft()).
 */
class RdmaXgft : public RdmaTopologyBuilder
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId()
    {
        // Each attribute needs its own checker: ns-3 identifies the values to set by the checker.
        const auto makeChecker = [] {
            return MakeRdmaTextChecker([](const std::string& text) { ReadXgftTiers(text); },
                                       "a number for each tier, as in 16x4x5");
        };
        static TypeId tid =
            MakeFormType<RdmaXgft>("ns3::RdmaXgft")
                .AddAttribute(
                    "Children",
                    "Nodes of the tier below each switch, for each tier from the hosts up, as "
                    "in 16x4x5.",
                    StringValue("4x4"),
                    MakeStringAccessor(&RdmaXgft::m_children),
                    makeChecker())
                .AddAttribute(
                    "Parents",
                    "Switches above each node of the tier below, for each tier from the hosts "
                    "up, as in 1x4x4.",
                    StringValue("1x4"),
                    MakeStringAccessor(&RdmaXgft::m_parents),
                    makeChecker());
        return tid;
    }

    RdmaTopology Build(const RdmaTopologyRates& rates) const override
    {
        return MakeRdmaXgft(ReadXgftTiers(m_children), ReadXgftTiers(m_parents), rates);
    }

  private:
    std::string m_children{"4x4"}; //!< attribute Children
    std::string m_parents{"1x4"};  //!< attribute Parents
};

NS_OBJECT_ENSURE_REGISTERED(RdmaXgft);

RdmaTopology
MakeRdmaXgft(const std::vector<uint32_t>& children,
             const std::vector<uint32_t>& parents,
             const RdmaTopologyRates& rates)
{
    return MakeRdmaXgft("xgft", {}, children, parents, rates);
}

/*
 * A node of tier l is numbered by the digits a_h ... a_(l+1) (which child it and its ancestors are,
 * in base m) and then b_1 ... b_l (which parent it is, in base w): index = A x W_l + B, with W_l =
 * w_1 ... w_l. Two nodes of neighbouring tiers are linked if they agree in all digits that both
 * have.
 */
RdmaTopology
MakeRdmaXgft(const std::string& form,
             const std::vector<std::string>& tierNames,
             const std::vector<uint32_t>& children,
             const std::vector<uint32_t>& parents,
             const RdmaTopologyRates& rates)
{
    RdmaTopologyDraft draft(form, rates);
    const std::size_t tiers = children.size();
    draft.CheckCount("tiers", tiers, 1, MAX_XGFT_TIERS);
    draft.CheckCount("entries for parents", parents.size(), tiers, tiers);
    const auto [count, inside] = CountXgft(draft, children, parents);

    std::vector<uint64_t> first(tiers + 1, 0);
    draft.AddHosts(count[0]);
    for (std::size_t tier = 1; tier <= tiers; ++tier)
    {
        first[tier] = draft.AddSwitches(tierNames.empty() ? "tier" + std::to_string(tier)
                                                          : tierNames[tier - 1],
                                        count[tier]);
    }
    for (std::size_t tier = 0; tier < tiers; ++tier)
    {
        for (uint64_t i = 0; i < count[tier]; ++i)
        {
            const uint64_t a = i / inside[tier] / children[tier];
            const uint64_t b = i % inside[tier];
            for (uint32_t digit = 0; digit < parents[tier]; ++digit)
            {
                const uint64_t parent = a * inside[tier + 1] + b * parents[tier] + digit;
                const auto down = static_cast<uint32_t>(first[tier] + i);
                const auto up = static_cast<uint32_t>(first[tier + 1] + parent);
                tier == 0 ? draft.LinkHost(down, up) : draft.LinkSwitches(down, up);
            }
        }
    }
    return draft.Finish();
}

} // namespace ns3
