/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdma-topology-builders.h"

#include "rdma-text-file.h"
#include "rdma-topology-reader.h"
#include "rdma-units.h"

#include <cmath>
#include <stdexcept>

namespace ns3
{

namespace
{

constexpr uint32_t MAX_TIERS = 8;
constexpr uint32_t MAX_RADIX = 1024;
constexpr uint32_t MAX_FAT_TREE_RADIX = 128;
constexpr double RATIO_TOLERANCE = 1e-3;

const char* const FORMS =
    "fat-tree:K (even, 2 to 128), leaf-spine:LEAVESxHOSTSxSPINES (hosts per leaf), "
    "clos:TIERSxRADIX or clos:TIERSxRADIXxRATIO... (oversubscription of each tier below the top), "
    "dumbbell:N (hosts per side), star:N (2 hosts or more), parking-lot:N (2 switches or more with "
    "one sender each) or parking-lot:N1xN2... (senders on each switch), ring:N (3 switches "
    "or more with one host each) or ring:NxHOSTS, file:PATH";

[[noreturn]] void
FailForm(const std::string& what, const std::string& problem, const std::string& accepted)
{
    throw std::invalid_argument(what + ": " + problem + "; accepted: " + accepted);
}

void
CheckCount(const std::string& what, uint64_t value, uint64_t min, uint64_t max)
{
    if (value < min || value > max)
    {
        FailForm(what, std::to_string(value), std::to_string(min) + " to " + std::to_string(max));
    }
}

/// Adds up the nodes and links that a topology will have, before any is made.
class Size
{
  public:
    explicit Size(const std::string& what)
        : m_what(what)
    {
    }

    void AddNodes(uint64_t n)
    {
        m_nodes = Check(m_nodes + n, "nodes", RdmaTopology::MAX_NODES);
    }

    void AddLinks(uint64_t n)
    {
        m_links = Check(m_links + n, "links", RdmaTopology::MAX_LINKS);
    }

    /// \return a x b, at most MAX_NODES (each of both is)
    uint64_t Multiply(uint64_t a, uint64_t b) const
    {
        return Check(a * b, "nodes in a tier", RdmaTopology::MAX_NODES);
    }

  private:
    uint64_t Check(uint64_t n, const std::string& unit, uint64_t max) const
    {
        if (n > max)
        {
            FailForm(m_what,
                     std::to_string(n) + " " + unit + " or more",
                     "at most " + std::to_string(max));
        }
        return n;
    }

    std::string m_what;
    uint64_t m_nodes{0};
    uint64_t m_links{0};
};

/// Adds links of one set of rates.
class Linker
{
  public:
    Linker(RdmaTopology& topology, const RdmaTopologyRates& rates)
        : m_topology(topology),
          m_rates(rates)
    {
    }

    void LinkHost(uint32_t host, uint32_t node)
    {
        m_topology.AddLink(host, node, m_rates.hostRate, m_rates.delay, m_rates.errorRate);
    }

    void LinkSwitches(uint32_t a, uint32_t b)
    {
        m_topology.AddLink(a, b, m_rates.uplinkRate, m_rates.delay, m_rates.errorRate);
    }

  private:
    RdmaTopology& m_topology;
    RdmaTopologyRates m_rates;
};

void
AddHosts(RdmaTopology& topology, uint64_t n)
{
    for (uint64_t i = 0; i < n; ++i)
    {
        topology.AddHost("host-" + std::to_string(i));
    }
}

/**
 * A node of tier l is numbered by the digits a_h ... a_(l+1) (which child it and its ancestors are,
 * in base m) and then b_1 ... b_l (which parent it is, in base w): index = A x W_l + B, with W_l =
 * w_1 ... w_l. Two nodes of neighbouring tiers are linked if they agree in all digits that both
 * have.
 */
RdmaTopology
MakeXgft(const std::string& what,
         const std::vector<uint32_t>& children,
         const std::vector<uint32_t>& parents,
         const std::vector<std::string>& tierNames,
         const RdmaTopologyRates& rates)
{
    const std::size_t tiers = children.size();
    Size size(what);
    std::vector<uint64_t> above(tiers + 1, 1);  // product of children over the tiers above
    std::vector<uint64_t> inside(tiers + 1, 1); // product of parents up to the tier
    for (std::size_t tier = tiers; tier-- > 0;)
    {
        CheckCount(what + ": children in a tier", children[tier], 1, RdmaTopology::MAX_NODES);
        above[tier] = size.Multiply(above[tier + 1], children[tier]);
    }
    for (std::size_t tier = 0; tier < tiers; ++tier)
    {
        CheckCount(what + ": parents in a tier", parents[tier], 1, RdmaTopology::MAX_NODES);
        inside[tier + 1] = size.Multiply(inside[tier], parents[tier]);
    }
    std::vector<uint64_t> count(tiers + 1);
    for (std::size_t tier = 0; tier <= tiers; ++tier)
    {
        count[tier] = size.Multiply(above[tier], inside[tier]);
        size.AddNodes(count[tier]);
        if (tier < tiers)
        {
            size.AddLinks(count[tier] * parents[tier]);
        }
    }

    RdmaTopology topology;
    std::vector<uint64_t> first(tiers + 1, 0);
    AddHosts(topology, count[0]);
    for (std::size_t tier = 1; tier <= tiers; ++tier)
    {
        first[tier] = first[tier - 1] + count[tier - 1];
        for (uint64_t i = 0; i < count[tier]; ++i)
        {
            topology.AddSwitch(tierNames[tier - 1] + "-" + std::to_string(i));
        }
    }
    Linker linker(topology, rates);
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
                tier == 0 ? linker.LinkHost(down, up) : linker.LinkSwitches(down, up);
            }
        }
    }
    topology.Validate();
    return topology;
}

std::vector<std::string>
GetTierNames(std::size_t tiers)
{
    std::vector<std::string> names;
    for (std::size_t tier = 1; tier <= tiers; ++tier)
    {
        names.push_back("tier" + std::to_string(tier));
    }
    return names;
}

/// Splits the part of a text form behind the colon at each 'x'.
std::vector<std::string>
SplitNumbers(const std::string& text)
{
    std::vector<std::string> parts(1);
    for (const char c : text)
    {
        if (c == 'x')
        {
            parts.emplace_back();
        }
        else
        {
            parts.back() += c;
        }
    }
    return parts;
}

RdmaTopology
MakeFromNumbers(const std::string& kind,
                const std::vector<std::string>& parts,
                const RdmaTopologyRates& rates)
{
    const auto number = [&parts](std::size_t i) {
        return static_cast<uint32_t>(ParseRdmaInteger(parts[i], 0, RdmaTopology::MAX_NODES));
    };
    if (kind == "fat-tree" && parts.size() == 1)
    {
        return MakeRdmaFatTree(number(0), rates);
    }
    if (kind == "leaf-spine" && parts.size() == 3)
    {
        return MakeRdmaLeafSpine(number(0), number(1), number(2), rates);
    }
    if (kind == "clos" && parts.size() >= 2)
    {
        std::vector<double> ratios;
        for (std::size_t i = 2; i < parts.size(); ++i)
        {
            ratios.push_back(ParseRdmaReal(parts[i]));
        }
        return MakeRdmaClos(number(0), number(1), ratios, rates);
    }
    if (kind == "dumbbell" && parts.size() == 1)
    {
        return MakeRdmaDumbbell(number(0), rates);
    }
    if (kind == "star" && parts.size() == 1)
    {
        return MakeRdmaStar(number(0), rates);
    }
    if (kind == "parking-lot")
    {
        std::vector<uint32_t> senders;
        if (parts.size() == 1)
        {
            senders.assign(number(0), 1);
        }
        else
        {
            for (std::size_t i = 0; i < parts.size(); ++i)
            {
                senders.push_back(number(i));
            }
        }
        return MakeRdmaParkingLot(senders, rates);
    }
    if (kind == "ring" && (parts.size() == 1 || parts.size() == 2))
    {
        return MakeRdmaRing(number(0), parts.size() == 2 ? number(1) : 1, rates);
    }
    throw std::invalid_argument("no such form");
}

} // namespace

RdmaTopology
MakeRdmaFatTree(uint32_t k, const RdmaTopologyRates& rates)
{
    if (k < 2 || k > MAX_FAT_TREE_RADIX || k % 2 != 0)
    {
        FailForm("fat-tree: k",
                 std::to_string(k),
                 "an even number from 2 to " + std::to_string(MAX_FAT_TREE_RADIX));
    }
    return MakeXgft("fat-tree",
                    {k / 2, k / 2, k},
                    {1, k / 2, k / 2},
                    {"edge", "agg", "core"},
                    rates);
}

RdmaTopology
MakeRdmaLeafSpine(uint32_t leaves,
                  uint32_t hostsPerLeaf,
                  uint32_t spines,
                  const RdmaTopologyRates& rates)
{
    CheckCount("leaf-spine: leaves", leaves, 1, RdmaTopology::MAX_NODES);
    CheckCount("leaf-spine: hosts per leaf", hostsPerLeaf, 1, RdmaTopology::MAX_NODES);
    CheckCount("leaf-spine: spines", spines, 1, RdmaTopology::MAX_NODES);
    return MakeXgft("leaf-spine", {hostsPerLeaf, leaves}, {1, spines}, {"leaf", "spine"}, rates);
}

RdmaTopology
MakeRdmaClos(uint32_t tiers,
             uint32_t radix,
             const std::vector<double>& oversubscription,
             const RdmaTopologyRates& rates)
{
    CheckCount("clos: tiers", tiers, 1, MAX_TIERS);
    CheckCount("clos: radix", radix, 2, MAX_RADIX);
    if (!oversubscription.empty() && oversubscription.size() != tiers - 1)
    {
        FailForm("clos: oversubscription",
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
        if (!(ratio > 0.0) || !(std::abs(down - whole) <= RATIO_TOLERANCE) || whole < 1 ||
            whole > radix - 1)
        {
            FailForm(
                "clos: oversubscription of tier " + std::to_string(tier + 1),
                FormatRdmaReal(ratio) + " does not divide the " + std::to_string(radix) +
                    " ports of a switch",
                "a ratio of ports down to ports up, both whole numbers whose sum is the radix");
        }
        children.push_back(static_cast<uint32_t>(whole));
        parents.push_back(radix - children.back());
    }
    children.push_back(radix);
    return MakeXgft("clos", children, parents, GetTierNames(tiers), rates);
}

RdmaTopology
MakeRdmaXgft(const std::vector<uint32_t>& children,
             const std::vector<uint32_t>& parents,
             const RdmaTopologyRates& rates)
{
    CheckCount("xgft: tiers", children.size(), 1, MAX_TIERS);
    CheckCount("xgft: entries for parents", parents.size(), children.size(), children.size());
    return MakeXgft("xgft", children, parents, GetTierNames(children.size()), rates);
}

RdmaTopology
MakeRdmaDumbbell(uint32_t hostsPerSide, const RdmaTopologyRates& rates)
{
    CheckCount("dumbbell: hosts per side", hostsPerSide, 1, (RdmaTopology::MAX_NODES - 2) / 2);
    RdmaTopology topology;
    AddHosts(topology, uint64_t{2} * hostsPerSide);
    const uint32_t left = topology.AddSwitch("left");
    const uint32_t right = topology.AddSwitch("right");
    Linker linker(topology, rates);
    for (uint32_t host = 0; host < left; ++host)
    {
        linker.LinkHost(host, host < hostsPerSide ? left : right);
    }
    linker.LinkSwitches(left, right);
    topology.Validate();
    return topology;
}

RdmaTopology
MakeRdmaStar(uint32_t hosts, const RdmaTopologyRates& rates)
{
    CheckCount("star: hosts", hosts, 2, RdmaTopology::MAX_NODES - 1);
    RdmaTopology topology;
    AddHosts(topology, hosts);
    const uint32_t hub = topology.AddSwitch("hub");
    Linker linker(topology, rates);
    for (uint32_t host = 0; host < hub; ++host)
    {
        linker.LinkHost(host, hub);
    }
    topology.Validate();
    return topology;
}

RdmaTopology
MakeRdmaParkingLot(const std::vector<uint32_t>& senders, const RdmaTopologyRates& rates)
{
    CheckCount("parking-lot: switches", senders.size(), 2, RdmaTopology::MAX_NODES);
    Size size("parking-lot");
    size.AddNodes(senders.size() + 1);
    for (const uint32_t n : senders)
    {
        CheckCount("parking-lot: senders on a switch", n, 1, RdmaTopology::MAX_NODES);
        size.AddNodes(n);
    }
    RdmaTopology topology;
    std::vector<uint32_t> place; // of each host in the chain
    for (uint32_t i = 0; i < senders.size(); ++i)
    {
        place.insert(place.end(), senders[i], i);
    }
    place.push_back(static_cast<uint32_t>(senders.size() - 1)); // the receiver
    AddHosts(topology, place.size());
    const auto first = static_cast<uint32_t>(place.size());
    for (uint32_t i = 0; i < senders.size(); ++i)
    {
        topology.AddSwitch("chain-" + std::to_string(i));
    }
    Linker linker(topology, rates);
    for (uint32_t host = 0; host < first; ++host)
    {
        linker.LinkHost(host, first + place[host]);
    }
    for (uint32_t i = 1; i < senders.size(); ++i)
    {
        linker.LinkSwitches(first + i - 1, first + i);
    }
    topology.Validate();
    return topology;
}

RdmaTopology
MakeRdmaRing(uint32_t switches, uint32_t hostsPerSwitch, const RdmaTopologyRates& rates)
{
    CheckCount("ring: switches", switches, 3, RdmaTopology::MAX_NODES);
    CheckCount("ring: hosts on a switch", hostsPerSwitch, 1, RdmaTopology::MAX_NODES);
    Size size("ring");
    size.AddNodes(uint64_t{switches} * (hostsPerSwitch + uint64_t{1}));
    RdmaTopology topology;
    AddHosts(topology, uint64_t{switches} * hostsPerSwitch);
    const uint32_t first = switches * hostsPerSwitch;
    for (uint32_t i = 0; i < switches; ++i)
    {
        topology.AddSwitch("ring-" + std::to_string(i));
    }
    Linker linker(topology, rates);
    for (uint32_t host = 0; host < first; ++host)
    {
        linker.LinkHost(host, first + host / hostsPerSwitch);
    }
    for (uint32_t i = 0; i < switches; ++i)
    {
        linker.LinkSwitches(first + i, first + (i + 1) % switches);
    }
    topology.Validate();
    return topology;
}

RdmaTopology
MakeRdmaTopology(const std::string& text, const RdmaTopologyRates& rates)
{
    const std::size_t colon = text.find(':');
    const std::string kind = text.substr(0, colon);
    const std::string rest = colon == std::string::npos ? std::string() : text.substr(colon + 1);
    if (kind == "file" && !rest.empty())
    {
        return ReadRdmaTopology(rest);
    }
    try
    {
        return MakeFromNumbers(kind, SplitNumbers(rest), rates);
    }
    catch (const std::invalid_argument& e)
    {
        throw std::invalid_argument("topology " + QuoteRdmaText(text) + ": " + e.what() +
                                    "; forms: " + FORMS);
    }
}

} // namespace ns3
