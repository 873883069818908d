/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-sonic-reader.h"

#include "rdma-sonic-ports.h"
#include "rdma-text-file.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

namespace
{

constexpr uint32_t CLASSES = 8;

QbbBufferPool
ReadSonicPool(const RdmaSonicEntry& entry)
{
    QbbBufferPool pool;
    pool.name = GetRdmaSonicName(entry.key);
    pool.egress = entry.GetWord("type") == "egress";
    entry.GetWord("mode");
    pool.bytes = entry.GetBytes("size");
    pool.headroomBytes = entry.GetBytes("xoff");
    entry.Require(!pool.egress || pool.headroomBytes == 0,
                  "xoff",
                  "an egress pool has no headroom; accepted: xoff in ingress pools");
    entry.NoteOthers();
    return pool;
}

QbbBufferProfile
ReadSonicProfile(const RdmaSonicEntry& entry, const std::vector<QbbBufferPool>& pools)
{
    QbbBufferProfile profile;
    profile.name = GetRdmaSonicName(entry.key);
    profile.pool = static_cast<uint32_t>(entry.Follow("pool").GetIndex());
    const QbbBufferPool& pool = pools[profile.pool];
    profile.reserveBytes = entry.GetBytes("size");
    profile.headroomBytes = entry.GetBytes("xoff");
    profile.xonBytes = entry.GetBytes("xon");
    profile.xonOffsetBytes = entry.GetBytes("xon_offset");
    if (pool.headroomBytes == 0 && profile.reserveBytes >= profile.headroomBytes)
    {
        profile.reserveBytes -= profile.headroomBytes;
    }
    entry.Require(pool.headroomBytes == 0 || profile.headroomBytes <= pool.headroomBytes,
                  "xoff",
                  std::to_string(profile.headroomBytes) +
                      " bytes; accepted: at most the xoff of its pool, " +
                      std::to_string(pool.headroomBytes));
    const bool dynamic = entry.Has("dynamic_th");
    entry.Require(dynamic != entry.Has("static_th"),
                  dynamic ? "static_th" : "",
                  std::string(dynamic ? "is there beside dynamic_th" : "has no threshold") +
                      "; accepted: either dynamic_th or static_th");
    constexpr int64_t NO_LIMIT = 7;
    constexpr int64_t NOTHING = -8;
    const int64_t power = dynamic ? entry.GetNumber("dynamic_th") : NO_LIMIT;
    if (power < NO_LIMIT)
    {
        profile.alpha = power == NOTHING ? 0 : std::ldexp(1.0, static_cast<int>(power));
    }
    else
    {
        profile.limitBytes = dynamic ? pool.bytes : entry.GetBytes("static_th");
    }
    entry.NoteOthers();
    return profile;
}

std::optional<QbbEcnProfile>
ReadSonicWred(const RdmaSonicEntry& entry)
{
    entry.NoteOthers();
    const std::string ecn = entry.GetWord("ecn");
    if (ecn != "ecn_all" && ecn.find("green") == std::string::npos)
    {
        entry.Require(!entry.Has("wred_green_enable") ||
                          entry.GetWord("wred_green_enable") == "false",
                      "ecn",
                      "\"" + ecn +
                          "\" with wred_green_enable drops green packets; accepted: ecn_green, "
                          "ecn_green_yellow, ecn_green_red or ecn_all, which mark them");
        return std::nullopt;
    }
    QbbEcnProfile profile;
    profile.kminBytes = entry.GetBytes("green_min_threshold");
    profile.kmaxBytes = entry.GetBytes("green_max_threshold");
    profile.pmax = static_cast<double>(entry.GetNumber("green_drop_probability")) / 100;
    entry.Require(profile.kminBytes <= profile.kmaxBytes,
                  "green_min_threshold",
                  std::to_string(profile.kminBytes) +
                      " bytes; accepted: at most green_max_threshold, " +
                      std::to_string(profile.kmaxBytes));
    return profile;
}

std::string
ReadSonicScheduler(const RdmaSonicEntry& entry)
{
    entry.NoteOthers();
    const bool strict = entry.GetWord("type") == "STRICT";
    return strict ? "strict" : std::to_string(entry.GetNumber("weight"));
}

/** Combines the tables into a configuration. */
class SonicReader
{
  public:
    explicit SonicReader(RdmaSonicTables& tables)
        : m_tables(tables)
    {
    }

    RdmaSonicConfig Read()
    {
        ReadPoolsAndProfiles();
        m_ports = ReadRdmaSonicPorts(m_tables);
        for (const char* table : {"BUFFER_PG", "BUFFER_QUEUE"})
        {
            ForEach(table,
                    [this](const RdmaSonicEntry& entry, RdmaSonicPortDraft& port, uint32_t i) {
                        SetProfile(entry, port, i);
                    });
        }
        ForEach("QUEUE", [](const RdmaSonicEntry& entry, RdmaSonicPortDraft& port, uint32_t i) {
            const uint8_t priority = port.classOfQueue[i];
            if (entry.Has("wred_profile"))
            {
                const auto ecn = ReadSonicWred(entry.Follow("wred_profile"));
                port.result.ecn[priority] = ecn ? ecn : port.result.ecn[priority];
            }
            if (entry.Has("scheduler"))
            {
                port.scheduler[priority] = ReadSonicScheduler(entry.Follow("scheduler"));
            }
        });
        for (auto& [key, port] : m_ports)
        {
            Finish(port);
        }
        m_config.notes = m_tables.GetNotes();
        return std::move(m_config);
    }

  private:
    void ReadPoolsAndProfiles()
    {
        for (const auto& [name, entry] : m_tables.Get("BUFFER_POOL"))
        {
            m_config.plan.pools.push_back(ReadSonicPool(entry));
        }
        m_tables.Require(!m_config.plan.pools.empty(),
                         "BUFFER_POOL",
                         "is missing; accepted: at least one pool");
        for (const auto& [name, entry] : m_tables.Get("BUFFER_PROFILE"))
        {
            m_config.plan.profiles.push_back(ReadSonicProfile(entry, m_config.plan.pools));
        }
    }

    /** Calls `use` with each port and number of keys such as "Ethernet0,Ethernet4|3-4". */
    template <typename F>
    void ForEach(const std::string& table, F use)
    {
        for (const auto& [key, entry] : m_tables.Get(table))
        {
            const auto bar = key.find('|');
            const std::string range = bar == std::string::npos ? "" : key.substr(bar + 1);
            const auto dash = range.find('-');
            const auto first = ParseRdmaSonicClass(range.substr(0, dash));
            const auto last =
                dash == std::string::npos ? first : ParseRdmaSonicClass(range.substr(dash + 1));
            const auto names = SplitRdmaSonicText(key.substr(0, bar));
            entry.Require(first && last && *first <= *last &&
                              std::count(names.begin(), names.end(), "global") == 0,
                          "",
                          QuoteRdmaText(key) +
                              "; accepted: PORTS|NUMBER or PORTS|FIRST-LAST, 0 to 7");
            for (const std::string& name : names)
            {
                for (uint32_t number = *first; number <= *last; ++number)
                {
                    use(entry, m_ports.at(GetRdmaSonicPortKey(name)), number);
                }
            }
            entry.NoteOthers();
        }
    }

    void SetProfile(const RdmaSonicEntry& entry, RdmaSonicPortDraft& port, uint32_t i)
    {
        const bool isQueue = entry.table == "BUFFER_QUEUE";
        const RdmaSonicEntry& target = entry.Follow("profile");
        const auto which = static_cast<int16_t>(target.GetIndex());
        const QbbBufferPool& pool = m_config.plan.pools[m_config.plan.profiles[which].pool];
        entry.Require(
            pool.egress == isQueue,
            "profile",
            QuoteRdmaText(target.key) + " is in pool " + pool.name + "; accepted: " +
                (isQueue ? "a profile in an egress pool" : "a profile in an ingress pool"));
        int16_t& mine = isQueue ? port.plan.queues[port.classOfQueue[i]] : port.plan.groups[i];
        entry.Require(mine == QbbPortBufferPlan::NONE,
                      "",
                      "number " + std::to_string(i) + " of " + port.result.name +
                          " has a profile already; accepted: one profile");
        mine = which;
    }

    /** Checks a port, the first port first, and adds the port to the result. */
    void Finish(RdmaSonicPortDraft& port)
    {
        if (m_config.ports.empty())
        {
            m_config.plan.groupOfClass = port.groupOfClass;
        }
        const bool isSame = port.groupOfClass == m_config.plan.groupOfClass;
        m_tables.Require(isSame || port.entry,
                         "PORT_QOS_MAP",
                         "has nothing for " + port.result.name +
                             "; accepted: an object for each port");
        for (uint8_t i = 0; i < CLASSES; ++i)
        {
            port.result.scheduler += (i == 0 ? "" : ",") + port.scheduler[i];
        }
        if (port.entry)
        {
            const std::string first = m_config.ports.empty() ? "" : m_config.ports[0].name;
            port.entry->Require(isSame,
                                "tc_to_pg_map",
                                "other groups than those of " + first +
                                    "; accepted: the same for all ports");
            CheckLossless(port);
        }
        m_config.plan.ports.push_back(port.plan);
        m_config.ports.push_back(port.result);
    }

    static void CheckLossless(const RdmaSonicPortDraft& port)
    {
        for (uint8_t i = 0; i < CLASSES; ++i)
        {
            const bool isLossless = port.result.losslessMask >> i & 1;
            const uint8_t group = port.groupOfClass[i];
            const auto members =
                std::count(port.groupOfClass.begin(), port.groupOfClass.end(), group);
            const std::string name =
                "class " + std::to_string(i) + " is in priority group " + std::to_string(group);
            port.entry->Require(
                !isLossless || members == 1,
                "pfc_enable",
                name +
                    " with others; accepted: a priority group of its own for each lossless class");
            port.entry->Require(
                !isLossless || port.plan.groups[group] != QbbPortBufferPlan::NONE,
                "pfc_enable",
                name + ", which has no profile; accepted: an entry of BUFFER_PG for it");
        }
    }

    RdmaSonicTables& m_tables; //!< tables of both files
    RdmaSonicPorts m_ports;    //!< ports while the files are read
    RdmaSonicConfig m_config;  //!< resulting configuration
};

} // namespace

RdmaSonicConfig
ParseRdmaSonicConfig(const std::string& buffers,
                     const std::string& buffersName,
                     const std::string& qos,
                     const std::string& qosName)
{
    RdmaSonicTables tables;
    tables.AddFile(buffers, buffersName);
    if (buffersName != qosName)
    {
        tables.AddFile(qos, qosName);
    }
    return SonicReader(tables).Read();
}

RdmaSonicConfig
ReadRdmaSonicConfig(const std::string& buffersPath, const std::string& qosPath)
{
    return ParseRdmaSonicConfig(ReadRdmaFile(buffersPath),
                                buffersPath,
                                ReadRdmaFile(qosPath),
                                qosPath);
}

} // namespace ns3
