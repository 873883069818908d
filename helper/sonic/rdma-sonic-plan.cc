/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-sonic-plan.h"

#include "qbb-shared-buffer.h"
#include "rdma-refuse.h"
#include "rdma-sonic-tables.h"
#include "rdma-units.h"

#include <algorithm>
#include <map>

namespace ns3
{

namespace
{

constexpr uint8_t PLAN_CLASSES = 8;

void
RequirePlan(bool isRight, const std::string& message)
{
    RefuseRdmaIf(!isRight, "SONiC configuration: " + message);
}

/** Makes the plan of a switch. */
class SonicPlanner
{
  public:
    SonicPlanner(const RdmaSonicConfig& config,
                 const std::vector<uint32_t>& which,
                 const std::vector<QbbPortProfile>& ports)
        : m_config(config),
          m_which(which),
          m_ports(ports)
    {
    }

    RdmaSonicPlan Make(uint64_t bufferBytes)
    {
        const auto& pools = m_config.plan.pools;
        RequirePlan(std::any_of(pools.begin(),
                                pools.end(),
                                [](const QbbBufferPool& pool) { return !pool.egress; }),
                    "BUFFER_POOL has no ingress pool with memory; accepted: at least one");
        m_result.plan = m_config.plan;
        m_result.plan.ports.clear();
        m_result.plan.groupOfClass =
            m_config.hasQos ? m_config.ports[m_which.front()].groupOfClass : GetDefaultGroups();
        for (std::size_t p = 0; p < m_which.size(); ++p)
        {
            AddPort(p);
        }
        SizePools(bufferBytes);
        m_result.neededBytes = GetGuaranteed();
        m_result.memoryBytes = bufferBytes ? bufferBytes : m_result.neededBytes;
        return std::move(m_result);
    }

  private:
    /** \return groups without a map in the files: 0 for lossy classes, i for the lossless class i
     */
    std::array<uint8_t, PLAN_CLASSES> GetDefaultGroups() const
    {
        std::array<uint8_t, PLAN_CLASSES> groups{};
        for (const QbbPortProfile& port : m_ports)
        {
            for (uint8_t i = 0; i < PLAN_CLASSES; ++i)
            {
                groups[i] = port.losslessMask >> i & 1 ? i : groups[i];
            }
        }
        return groups;
    }

    void AddPort(std::size_t p)
    {
        const RdmaSonicPort& port = m_config.ports[m_which[p]];
        QbbPortBufferPlan& plan = m_result.plan.ports.emplace_back(m_config.plan.ports[m_which[p]]);
        const auto& groupOfClass = m_result.plan.groupOfClass;
        RequirePlan(!m_config.hasQos || port.groupOfClass == groupOfClass,
                    "ports " + m_config.ports[m_which.front()].name + " and " + port.name +
                        " have different priority groups (tc_to_pg_map); accepted: equal ones for "
                        "the ports of a switch");
        uint8_t added = 0;
        for (uint8_t i = 0; i < PLAN_CLASSES; ++i)
        {
            int16_t& group = plan.groups[groupOfClass[i]];
            const bool isLossless = m_ports[p].losslessMask >> i & 1;
            const bool isDynamic = port.dynamicGroups >> groupOfClass[i] & 1;
            RequirePlan(
                !isLossless ||
                    std::count(groupOfClass.begin(), groupOfClass.end(), groupOfClass[i]) == 1,
                "class " + std::to_string(i) + " of " + port.name +
                    " is lossless and in priority group " + std::to_string(groupOfClass[i]) +
                    " with others; accepted: a group of its own for each lossless class");
            if (group == QbbPortBufferPlan::NONE && (isLossless || isDynamic))
            {
                group = AddProfile(port, m_ports[p].rate, i);
                added |= static_cast<uint8_t>(isLossless ? 1U << i : 0);
            }
        }
        m_result.added.push_back(added);
    }

    /** \return index of the profile that buffermgrd makes for the lossless groups of a port */
    int16_t AddProfile(const RdmaSonicPort& port, RdmaBitRate simulatedRate, uint8_t priority)
    {
        RequirePlan(m_config.losslessPool.has_value(),
                    "class " + std::to_string(priority) + " of " + port.name +
                        " is lossless and has no profile in BUFFER_PG, and there is no pool "
                        "ingress_lossless_pool in which buffermgrd would make one; accepted: an "
                        "entry of BUFFER_PG, or the pool");
        QbbBufferProfile profile;
        if (m_config.pgLookupName.empty())
        {
            profile.name = "computed";
            profile.pool = *m_config.losslessPool;
            profile.alpha = m_config.computedAlpha;
        }
        else
        {
            profile = FindLine(port, port.rate.value_or(simulatedRate)).profile;
            m_result.usesPgLookup = true;
        }
        const auto next = static_cast<int16_t>(m_result.plan.profiles.size());
        const auto [place, isNew] = m_added.try_emplace(profile.name, next);
        if (isNew)
        {
            m_result.plan.profiles.push_back(profile);
        }
        return place->second;
    }

    /** \return the last line of pg_profile_lookup.ini for a port, as in buffermgrd */
    const RdmaSonicPgLine& FindLine(const RdmaSonicPort& port, RdmaBitRate rate) const
    {
        RequirePlan(port.cableMetres.has_value(),
                    m_config.pgLookupName + ": " + port.name +
                        " has no cable in CABLE_LENGTH; accepted: a length for each port with "
                        "lossless classes");
        const auto& lines = m_config.pgLookup;
        const auto line = std::find_if(lines.rbegin(), lines.rend(), [&](const auto& candidate) {
            return candidate.rate == rate && candidate.metres == *port.cableMetres;
        });
        RequirePlan(line != lines.rend(),
                    m_config.pgLookupName + ": there is no line for " + FormatRdmaRate(rate) +
                        " and " + std::to_string(*port.cableMetres) + "m, which port " + port.name +
                        " needs; accepted: " + ListLines(rate));
        return *line;
    }

    /** \return the cables of a speed, or all speeds if there are none */
    std::string ListLines(RdmaBitRate rate) const
    {
        std::vector<std::string> cables;
        std::vector<std::string> speeds;
        const auto add = [](std::vector<std::string>& words, const std::string& word) {
            if (std::find(words.begin(), words.end(), word) == words.end())
            {
                words.push_back(word);
            }
        };
        for (const RdmaSonicPgLine& line : m_config.pgLookup)
        {
            add(speeds, FormatRdmaRate(line.rate));
            if (line.rate == rate)
            {
                add(cables, std::to_string(line.metres) + "m");
            }
        }
        return cables.empty() ? "the speeds " + JoinRdmaSonicWords(speeds)
                              : "for this speed the cables " + JoinRdmaSonicWords(cables);
    }

    /** \return bytes of reserves, headroom and ingress pools */
    uint64_t GetGuaranteed() const
    {
        const auto buffer = CreateObject<QbbSharedBuffer>();
        buffer->SetPlan(m_result.plan);
        return buffer->GetGuaranteedBytes(m_ports);
    }

    /** Gives sizes to the pools without a size. */
    void SizePools(uint64_t bufferBytes)
    {
        std::vector<QbbBufferPool*> ingress;
        std::vector<QbbBufferPool*> egress;
        uint64_t largest = 0;
        for (QbbBufferPool& pool : m_result.plan.pools)
        {
            largest = std::max<uint64_t>(largest, pool.egress ? pool.bytes : 0);
            if (pool.bytes == 0)
            {
                (pool.egress ? egress : ingress).push_back(&pool);
                pool.bytes = 1; // a plan has no pool of 0 bytes
            }
        }
        if (!ingress.empty())
        {
            const uint64_t memory = bufferBytes ? bufferBytes : largest;
            RequirePlan(memory > 0,
                        "pool " + ingress.front()->name +
                            " has no size, and no egress pool has one; accepted: a size, or "
                            "--buffer=BYTES, the memory that the pools divide");
            const uint64_t taken = GetGuaranteed();
            RequirePlan(taken < memory,
                        "pool " + ingress.front()->name + " has no size, and reserves, headroom " +
                            "and other pools take " + std::to_string(taken) +
                            " bytes; accepted: a memory above that, and not " +
                            std::to_string(memory));
            const uint64_t part = (memory - taken) / ingress.size() + 1;
            for (QbbBufferPool* pool : ingress)
            {
                SetBytes(*pool, part);
            }
        }
        uint64_t shared = 0;
        for (const QbbBufferPool& pool : m_result.plan.pools)
        {
            shared += pool.egress ? 0 : pool.bytes;
        }
        for (QbbBufferPool* pool : egress)
        {
            SetBytes(*pool, ingress.empty() ? std::max<uint64_t>(shared, 1) : ingress[0]->bytes);
        }
    }

    static void SetBytes(QbbBufferPool& pool, uint64_t bytes)
    {
        RequirePlan(bytes <= QBB_MAX_BUFFER_BYTES,
                    "pool " + pool.name + " has no size and would have " + std::to_string(bytes) +
                        " bytes; accepted: at most " + std::to_string(QBB_MAX_BUFFER_BYTES));
        pool.bytes = bytes;
    }

    const RdmaSonicConfig& m_config;            //!< the configuration
    const std::vector<uint32_t>& m_which;       //!< indices of the ports in the configuration
    const std::vector<QbbPortProfile>& m_ports; //!< ports of the switch
    std::map<std::string, int16_t> m_added;     //!< profiles that were added, by name
    RdmaSonicPlan m_result;                     //!< resulting plan
};

} // namespace

RdmaSonicPlan
MakeRdmaSonicPlan(const RdmaSonicConfig& config,
                  const std::vector<uint32_t>& which,
                  const std::vector<QbbPortProfile>& ports,
                  uint64_t bufferBytes)
{
    return SonicPlanner(config, which, ports).Make(bufferBytes);
}

void
RdmaSonicPlaces::Add(const std::string& switchName,
                     const std::string& portName,
                     std::optional<uint8_t> priority)
{
    m_ports.emplace(switchName, portName);
    m_switches.insert(switchName);
    if (priority)
    {
        m_classes.insert(*priority);
    }
}

std::string
RdmaSonicPlaces::Describe() const
{
    std::vector<std::string> classes;
    for (const uint8_t priority : m_classes)
    {
        classes.push_back(std::to_string(priority));
    }
    std::string text;
    if (!classes.empty())
    {
        text = (classes.size() > 1 ? "classes " : "class ") + JoinRdmaSonicWords(classes) + " on ";
    }
    text += m_ports.size() > 1 ? std::to_string(m_ports.size()) + " ports of "
                               : "port " + m_ports.begin()->second + " of ";
    return text + (m_switches.size() > 1 ? std::to_string(m_switches.size()) + " switches"
                                         : "switch " + *m_switches.begin());
}

} // namespace ns3
