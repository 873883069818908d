/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdma-htsim-topology.h"

#include "rdma-text-file.h"
#include "rdma-units.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <stdexcept>

namespace ns3
{

namespace
{

constexpr uint64_t MAX_HTSIM_GBPS = 8000;                     // RDMA_MAX_RATE
constexpr uint64_t MAX_HTSIM_LINK_NS = 900'000'000;           // with a switch: RDMA_MAX_DELAY
constexpr uint64_t MAX_HTSIM_SWITCH_NS = 100'000'000;         // half of it at each end of a link
constexpr uint64_t MAX_HTSIM_RATIO = RdmaTopology::MAX_PORTS; // Oversubscribed

/** A number of the file. */
struct HtsimNumber
{
    const char* key;                 //!< name of the number
    uint64_t min;                    //!< smallest accepted number
    uint64_t max;                    //!< largest accepted number
    std::optional<uint64_t> value{}; //!< the number; none: not given yet
    uint64_t line{0};                //!< line of the number
    bool hasDefault{false};          //!< the number may be left out
};

/** Keys of the file's head. */
enum HtsimHeadKey
{
    NODES,
    TIERS,
    PODSIZE
};

/** Keys of a tier. */
enum HtsimTierKey
{
    SPEED,
    LATENCY,
    RADIX_DOWN,
    RADIX_UP,
    OVERSUBSCRIBED,
    BUNDLE,
    SWITCH_LATENCY,
    N_TIER_KEYS
};

using HtsimHead = std::array<HtsimNumber, 3>;
using HtsimTier = std::array<HtsimNumber, N_TIER_KEYS>;

HtsimHead
MakeHtsimHead()
{
    return {{{"Nodes", 1, RdmaTopology::MAX_NODES},
             {"Tiers", 2, 3},
             {"Podsize", 1, RdmaTopology::MAX_NODES}}};
}

HtsimTier
MakeHtsimTier()
{
    constexpr uint64_t PORTS = RdmaTopology::MAX_PORTS;
    HtsimTier tier{{{"Downlink_speed_Gbps", 1, MAX_HTSIM_GBPS},
                    {"Downlink_Latency_ns", 1, MAX_HTSIM_LINK_NS},
                    {"Radix_Down", 1, PORTS},
                    {"Radix_Up", 1, PORTS},
                    {"Oversubscribed", 1, MAX_HTSIM_RATIO},
                    {"Bundle", 1, PORTS},
                    {"Switch_Latency_ns", 0, MAX_HTSIM_SWITCH_NS}}};
    for (const HtsimTierKey key : {OVERSUBSCRIBED, BUNDLE, SWITCH_LATENCY})
    {
        tier[key].hasDefault = true;
    }
    return tier;
}

std::string
ToLowerCase(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    return text;
}

/** Reads a file, and makes its topology. */
class HtsimReader
{
  public:
    HtsimReader(const std::string& text, const std::string& fileName)
        : m_lines(text, fileName, RdmaLineReader::Separator::BLANKS)
    {
    }

    RdmaTopology Read()
    {
        while (m_lines.Next())
        {
            const std::vector<std::string>& fields = m_lines.GetFields();
            if (fields.front().front() == '#')
            {
                continue;
            }
            if (fields.size() == 1 || (fields.size() > 2 && fields[2].front() != '#'))
            {
                m_lines.Fail(fields.front(),
                             std::to_string(fields.size()) + " fields",
                             "2: a key and a whole number");
            }
            ReadLine(ToLowerCase(fields.front()));
        }
        for (const HtsimNumber& number : m_head)
        {
            RequireNumber(number, "");
        }
        for (uint64_t tier = 0; tier < Get(TIERS); ++tier)
        {
            FinishTier(tier);
        }
        return Make();
    }

  private:
    void ReadLine(const std::string& key)
    {
        if (key == "tier")
        {
            RequireNumber(m_head[TIERS], "", "before the first line Tier");
            m_tier = m_lines.GetInteger(1, "Tier", 0, Get(TIERS) - 1);
            if (m_tierLines[*m_tier] > 0)
            {
                m_lines.Fail("Tier",
                             std::to_string(*m_tier) + " is in line " +
                                 std::to_string(m_tierLines[*m_tier]) + " already",
                             "each tier once");
            }
            m_tierLines[*m_tier] = m_lines.GetLine();
            return;
        }
        if (key == "queue_up" || key == "queue_down")
        {
            m_lines.Fail(m_lines.GetFields().front(),
                         "a limit for the queue of a port",
                         "no limits of queues; the option buffer sets the memory of a switch");
        }
        if (m_tier)
        {
            TakeNumber(m_tiers[*m_tier], key);
            return;
        }
        TakeNumber(m_head, key);
    }

    template <typename Numbers>
    void TakeNumber(Numbers& numbers, const std::string& key)
    {
        std::string keys;
        for (HtsimNumber& number : numbers)
        {
            keys += std::string(number.key) + ", ";
            if (ToLowerCase(number.key) != key)
            {
                continue;
            }
            if (number.value)
            {
                m_lines.Fail(number.key,
                             "the key is in line " + std::to_string(number.line) + " already",
                             "each key once" + std::string(m_tier ? " in a tier" : ""));
            }
            number.value = m_lines.GetInteger(1, number.key, number.min, number.max);
            number.line = m_lines.GetLine();
            return;
        }
        m_lines.Fail(m_lines.GetFields().front(), "an unknown key", keys + "Tier");
    }

    void RequireNumber(const HtsimNumber& number,
                       const std::string& where,
                       const std::string& place = "")
    {
        if (!number.value)
        {
            m_lines.FailFile(number.key,
                             where + "the key is missing; accepted: " + std::to_string(number.min) +
                                 " to " + std::to_string(number.max) +
                                 (place.empty() ? "" : ", " + place));
        }
    }

    /** Gives the keys of a tier that may be left out their values, and refuses a missing key. */
    void FinishTier(uint64_t tier)
    {
        if (m_tierLines[tier] == 0)
        {
            m_lines.FailFile("Tier", "tier " + std::to_string(tier) + " is missing");
        }
        const bool isTop = tier + 1 == Get(TIERS);
        for (HtsimNumber& number : m_tiers[tier])
        {
            const auto key = static_cast<HtsimTierKey>(&number - m_tiers[tier].data());
            if (isTop && number.value && (key == RADIX_UP || key == OVERSUBSCRIBED))
            {
                Refuse(number, "the top tier has no links up", "tiers below the top");
            }
            if (!number.value && (number.hasDefault || (isTop && key == RADIX_UP)))
            {
                number.value = key == SWITCH_LATENCY ? 0 : 1;
            }
            RequireNumber(number, "tier " + std::to_string(tier) + ": ");
        }
    }

    /** Refuses a number that contradicts others. */
    [[noreturn]] void Refuse(const HtsimNumber& number,
                             const std::string& problem,
                             const std::string& accepted)
    {
        m_lines.FailFile("line " + std::to_string(number.line) + ", " + number.key,
                         (number.line > 0 ? std::to_string(*number.value) + ": " : "") + problem +
                             "; accepted: " + accepted);
    }

    void RequireMultiple(const HtsimNumber& number, uint64_t of, const std::string& what)
    {
        if (*number.value % of != 0)
        {
            Refuse(number,
                   "not a multiple of " + what + ", " + std::to_string(of),
                   "a multiple of " + std::to_string(of));
        }
    }

    void RequireValue(const HtsimNumber& number, uint64_t value, const std::string& why)
    {
        if (*number.value != value)
        {
            Refuse(number, why, std::to_string(value));
        }
    }

    uint64_t Get(HtsimHeadKey key) const
    {
        return *m_head[key].value;
    }

    uint64_t Get(std::size_t tier, HtsimTierKey key) const
    {
        return *m_tiers[tier][key].value;
    }

    /** Checks the numbers against each other. */
    void CheckShape()
    {
        const std::size_t tiers = Get(TIERS);
        RequireMultiple(m_head[NODES], Get(PODSIZE), "Podsize");
        if (tiers == 2)
        {
            RequireValue(m_head[PODSIZE], Get(NODES), "two tiers have one pod of all hosts");
        }
        RequireMultiple(m_head[PODSIZE], Get(0, RADIX_DOWN), "Radix_Down of tier 0");
        RequireValue(m_tiers[0][BUNDLE], 1, "a host has one link");
        for (std::size_t tier = 0; tier + 1 < tiers; ++tier)
        {
            const std::string name = std::to_string(tier);
            RequireMultiple(m_tiers[tier][RADIX_UP],
                            Get(tier + 1, BUNDLE),
                            "Bundle of tier " + std::to_string(tier + 1));
            const uint64_t down = Get(tier, RADIX_DOWN) * Get(tier, SPEED);
            const uint64_t up = Get(tier, RADIX_UP) * Get(tier + 1, SPEED);
            if (down != Get(tier, OVERSUBSCRIBED) * up)
            {
                const HtsimNumber& ratio = m_tiers[tier][OVERSUBSCRIBED];
                Refuse(ratio.line > 0 ? ratio : m_tiers[tier][RADIX_UP],
                       "a switch of tier " + name + " has " + std::to_string(down) +
                           " Gb/s down and " + std::to_string(up) + " Gb/s up",
                       "Oversubscribed times the Gb/s up equals the Gb/s down");
            }
        }
        const uint64_t pods = Get(NODES) / Get(PODSIZE);
        const uint64_t tors = Get(PODSIZE) / Get(0, RADIX_DOWN); // of a pod
        RequireValue(m_tiers[1][RADIX_DOWN],
                     tors * Get(1, BUNDLE),
                     "a switch of tier 1 has Bundle links to each of the " + std::to_string(tors) +
                         " ToR switches of its pod");
        if (tiers == 3)
        {
            RequireValue(m_tiers[2][RADIX_DOWN],
                         pods * Get(2, BUNDLE),
                         "a core switch has Bundle links to a switch in each of the " +
                             std::to_string(pods) + " pods");
        }
    }

    /** \return links between a tier and the tier below */
    RdmaTopologyLink GetLink(std::size_t tier) const
    {
        RdmaTopologyLink link;
        link.rate = Get(tier, SPEED) * 1_gbps;
        const uint64_t twice = 2 * Get(tier, LATENCY) + Get(tier, SWITCH_LATENCY) +
                               (tier > 0 ? Get(tier - 1, SWITCH_LATENCY) : 0);
        link.delay = static_cast<int64_t>(twice) * 500_ps;
        return link;
    }

    RdmaTopology Make()
    {
        CheckShape();
        const std::size_t tiers = Get(TIERS);
        const uint64_t hosts = Get(NODES);
        const uint64_t pods = hosts / Get(PODSIZE);
        const uint64_t tors = hosts / Get(0, RADIX_DOWN);
        const uint64_t torsOfPod = tors / pods;
        const uint64_t aggsOfPod = Get(0, RADIX_UP) / Get(1, BUNDLE);
        const uint64_t aggs = aggsOfPod * pods;
        const uint64_t cores = tiers == 3 ? aggsOfPod * (Get(1, RADIX_UP) / Get(2, BUNDLE)) : 0;
        const uint64_t nodes = hosts + tors + aggs + cores;
        const uint64_t links =
            hosts + tors * Get(0, RADIX_UP) + (tiers == 3 ? aggs * Get(1, RADIX_UP) : 0);
        if (nodes > RdmaTopology::MAX_NODES || links > RdmaTopology::MAX_LINKS)
        {
            m_lines.FailFile("Nodes",
                             std::to_string(nodes) + " nodes and " + std::to_string(links) +
                                 " links; accepted: up to " +
                                 std::to_string(RdmaTopology::MAX_NODES) + " nodes and " +
                                 std::to_string(RdmaTopology::MAX_LINKS) + " links");
        }
        RdmaTopology topology;
        for (uint64_t i = 0; i < hosts; ++i)
        {
            topology.AddHost();
        }
        const auto addSwitches = [&topology](const std::string& name, uint64_t count) {
            for (uint64_t i = 0; i < count; ++i)
            {
                topology.AddSwitch(name + "-" + std::to_string(i));
            }
        };
        addSwitches("tor", tors);
        addSwitches("agg", aggs);
        addSwitches("core", cores);
        const auto addLinks = [&](std::size_t tier, uint64_t below, uint64_t above) {
            const RdmaTopologyLink link = GetLink(tier);
            for (uint64_t i = 0; i < Get(tier, BUNDLE); ++i)
            {
                topology.AddLink(static_cast<uint32_t>(below),
                                 static_cast<uint32_t>(above),
                                 link.rate,
                                 link.delay);
            }
        };
        for (uint64_t host = 0; host < hosts; ++host)
        {
            addLinks(0, host, hosts + host / Get(0, RADIX_DOWN));
        }
        for (uint64_t tor = 0; tor < tors; ++tor)
        {
            for (uint64_t i = 0; i < aggsOfPod; ++i)
            {
                addLinks(1, hosts + tor, hosts + tors + tor / torsOfPod * aggsOfPod + i);
            }
        }
        for (uint64_t agg = 0; tiers == 3 && agg < aggs; ++agg)
        {
            for (uint64_t core = agg % aggsOfPod; core < cores; core += aggsOfPod)
            {
                addLinks(2, hosts + tors + agg, hosts + tors + aggs + core);
            }
        }
        try
        {
            topology.Validate();
        }
        catch (const std::invalid_argument& e)
        {
            m_lines.FailFile("", e.what());
        }
        return topology;
    }

    RdmaLineReader m_lines;
    HtsimHead m_head{MakeHtsimHead()};
    std::array<HtsimTier, 3> m_tiers{MakeHtsimTier(), MakeHtsimTier(), MakeHtsimTier()};
    std::array<uint64_t, 3> m_tierLines{}; //!< lines of `Tier`, by tier; 0: none yet
    std::optional<uint64_t> m_tier;        //!< tier of the current lines; none: the file's head
};

} // namespace

bool
IsRdmaHtsimTopology(const std::string& path, const std::string& text)
{
    const std::string ending = ".topo";
    if (path.size() >= ending.size() &&
        path.compare(path.size() - ending.size(), ending.size(), ending) == 0)
    {
        return true;
    }
    RdmaLineReader lines(text, path, RdmaLineReader::Separator::BLANKS);
    while (lines.Next())
    {
        const char first = lines.GetFields().front().front();
        if (first != '#')
        {
            return std::isalpha(static_cast<unsigned char>(first)) != 0;
        }
    }
    return false;
}

RdmaTopology
ParseRdmaHtsimTopology(const std::string& text, const std::string& fileName)
{
    return HtsimReader(text, fileName).Read();
}

} // namespace ns3
