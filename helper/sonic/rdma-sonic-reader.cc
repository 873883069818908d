/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-sonic-reader.h"

#include "qbb-egress-scheduler.h"
#include "rdma-file-error.h"
#include "rdma-sonic-tables.h"
#include "rdma-text-file.h"
#include "rdma-units.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace ns3
{

namespace
{

constexpr uint32_t CLASSES = 8;
constexpr uint32_t DSCPS = 64;

/** Reads a configuration from both files. */
class Reader
{
  public:
    Reader(const std::string& buffers,
           const std::string& buffersName,
           const std::string& qos,
           const std::string& qosName)
    {
        m_tables.AddFile(buffers, buffersName);
        if (buffersName != qosName)
        {
            m_tables.AddFile(qos, qosName);
        }
    }

    RdmaSonicConfig Read()
    {
        ReadPools();
        ReadProfiles();
        FindPorts();
        for (const std::string& port : m_portNames)
        {
            ReadPort(port);
        }
        ReadGroupsOrQueues("BUFFER_PG", true);
        ReadGroupsOrQueues("BUFFER_QUEUE", false);
        ReadQueueTable();
        ReadCables();
        ReadSpeeds();
        Assemble();
        m_config.notes = m_tables.GetNotes();
        return std::move(m_config);
    }

  private:
    /** Data of a port during reading, by group and queue numbers of the files. */
    struct Port
    {
        QbbPortBufferPlan byNumber; //!< buffer plan by group and queue numbers of the files
        std::array<uint8_t, CLASSES> queueOfClass{}; //!< queue by class, from TC_TO_QUEUE_MAP
        /// Group by class, from TC_TO_PRIORITY_GROUP_MAP
        std::array<uint8_t, CLASSES> groupOfClass{};
        std::array<std::string, CLASSES> schedulerOfQueue;     //!< "strict" or a weight, by queue
        std::array<std::optional<QbbEcnProfile>, CLASSES> ecn; //!< marking curve by queue
        RdmaSonicEntry entry; //!< entry of PORT_QOS_MAP for the port
        RdmaSonicPort result; //!< resulting configuration of the port
    };

    void ReadPools()
    {
        for (const auto& [name, entry] : m_tables.Get("BUFFER_POOL"))
        {
            QbbBufferPool pool;
            pool.name = GetRdmaSonicName(name);
            pool.egress = entry.GetChoice("type", {"ingress", "egress"}) == "egress";
            entry.GetChoice("mode", {"static", "dynamic"});
            pool.bytes = static_cast<uint32_t>(entry.GetInteger("size", 1, RDMA_SONIC_MAX_BYTES));
            pool.headroomBytes = entry.GetBytes("xoff", 0);
            if (pool.egress && pool.headroomBytes)
            {
                entry.Fail("xoff", "an egress pool has no headroom", "xoff in ingress pools");
            }
            m_tables.NoteOthers(entry, {"type", "mode", "size", "xoff"});
            m_poolIndex[name] = static_cast<uint32_t>(m_config.plan.pools.size());
            m_config.plan.pools.push_back(pool);
        }
        if (m_config.plan.pools.empty())
        {
            throw RdmaFileError(m_tables.GetFileNames(),
                                0,
                                "BUFFER_POOL",
                                "is missing",
                                "at least one pool");
        }
    }

    void ReadProfiles()
    {
        for (const auto& [name, entry] : m_tables.Get("BUFFER_PROFILE"))
        {
            QbbBufferProfile profile;
            profile.name = GetRdmaSonicName(name);
            m_tables.Follow(entry, "pool", "BUFFER_POOL");
            profile.pool = m_poolIndex.at(entry.GetReference("pool", "BUFFER_POOL"));
            const QbbBufferPool& of = m_config.plan.pools[profile.pool];
            profile.reserveBytes =
                static_cast<uint32_t>(entry.GetInteger("size", 0, RDMA_SONIC_MAX_BYTES));
            profile.headroomBytes = entry.GetBytes("xoff", 0);
            profile.xonBytes = entry.GetBytes("xon", 0);
            profile.xonOffsetBytes = entry.GetBytes("xon_offset", 0);
            if (of.headroomBytes == 0 && profile.reserveBytes >= profile.headroomBytes)
            {
                profile.reserveBytes -= profile.headroomBytes;
            }
            if (of.headroomBytes > 0 && profile.headroomBytes > of.headroomBytes)
            {
                entry.Fail("xoff",
                           std::to_string(profile.headroomBytes) + " bytes",
                           "at most the xoff of its pool, " + std::to_string(of.headroomBytes));
            }
            const bool dynamic = entry.Has("dynamic_th");
            if (dynamic == entry.Has("static_th"))
            {
                entry.Fail(dynamic ? "static_th" : "",
                           dynamic ? "is there beside dynamic_th" : "has no threshold",
                           "either dynamic_th or static_th");
            }
            constexpr int64_t NO_LIMIT = 7;
            constexpr int64_t NOTHING = -8;
            const int64_t power = dynamic ? entry.GetInteger("dynamic_th", NOTHING, 8) : NO_LIMIT;
            if (power < NO_LIMIT)
            {
                profile.alpha = power == NOTHING ? 0 : std::ldexp(1.0, static_cast<int>(power));
            }
            else
            {
                profile.limitBytes = dynamic ? of.bytes : entry.GetBytes("static_th", 0);
            }
            m_tables.NoteOthers(
                entry,
                {"pool", "size", "xoff", "xon", "xon_offset", "dynamic_th", "static_th"});
            m_profileIndex[name] = static_cast<int16_t>(m_config.plan.profiles.size());
            m_config.plan.profiles.push_back(profile);
        }
    }

    /** Collects all ports in table keys such as "Ethernet0" and "Ethernet0,Ethernet4|3-4". */
    void FindPorts()
    {
        std::set<std::string, RdmaSonicPortOrder> names;
        for (const char* table : {"PORT_QOS_MAP", "BUFFER_PG", "BUFFER_QUEUE", "QUEUE"})
        {
            for (const auto& [key, entry] : m_tables.Get(table))
            {
                for (const std::string& name :
                     SplitRdmaSonicText(key.substr(0, key.find('|')), ','))
                {
                    if (name != "global")
                    {
                        names.insert(name);
                    }
                }
            }
        }
        if (names.empty())
        {
            throw RdmaFileError(m_tables.GetFileNames(),
                                0,
                                "PORT_QOS_MAP",
                                "names no port",
                                "at least one");
        }
        for (const std::string& name : names)
        {
            m_portIndex[name] = m_portNames.size();
            m_portNames.push_back(name);
        }
        m_ports.resize(m_portNames.size());
        for (const auto& [key, entry] : m_tables.Get("PORT_QOS_MAP"))
        {
            for (const std::string& name : SplitRdmaSonicText(key, ','))
            {
                if (name == "global")
                {
                    m_global = entry;
                    continue;
                }
                Port& port = m_ports[m_portIndex[name]];
                if (port.entry.value)
                {
                    entry.Fail("",
                               "port " + GetRdmaSonicName(name) + " is there twice",
                               "each port once");
                }
                port.entry = entry;
            }
            m_tables.NoteOthers(entry,
                                {"dscp_to_tc_map",
                                 "tc_to_queue_map",
                                 "tc_to_pg_map",
                                 "pfc_to_queue_map",
                                 "pfc_enable"});
        }
    }

    /**
     * \param port entry of a port in PORT_QOS_MAP; the entry "global" replaces a missing field
     * \param field field of the entry that refers to a map
     * \param tableName table that contains the map
     * \param values values by key, updated for keys in the map
     * \return the entry of the map, or null if the field is missing
     */
    template <std::size_t N>
    const RdmaSonicEntry* ReadMap(const RdmaSonicEntry& port,
                                  const std::string& field,
                                  const std::string& tableName,
                                  std::array<uint8_t, N>& values)
    {
        const RdmaSonicEntry& from = port.value && port.Has(field) ? port : m_global;
        if (!from.Has(field))
        {
            return nullptr;
        }
        const RdmaSonicEntry& map = m_tables.Follow(from, field, tableName);
        for (const auto& [key, value] : map.value->members)
        {
            const uint32_t index = GetRdmaSonicIndex(key, N);
            if (index == N)
            {
                map.Fail(key, "is no key of this table", "0 to " + std::to_string(N - 1));
            }
            values[index] = static_cast<uint8_t>(map.GetInteger(key, 0, CLASSES - 1));
        }
        return &map;
    }

    void ReadPort(const std::string& name)
    {
        Port& port = m_ports[m_portIndex[name]];
        const RdmaSonicEntry& entry = port.entry;
        port.result.name = GetRdmaSonicName(name);
        port.schedulerOfQueue.fill("strict");
        // Defaults of SAI without a map: class 0 for every DSCP, group 0 for every class. Queue
        // numbers equal class numbers, as in SONiC's default maps.
        for (uint8_t i = 0; i < CLASSES; ++i)
        {
            port.queueOfClass[i] = i;
        }
        ReadMap(entry, "dscp_to_tc_map", "DSCP_TO_TC_MAP", port.result.classOfDscp);
        const RdmaSonicEntry* queues =
            ReadMap(entry, "tc_to_queue_map", "TC_TO_QUEUE_MAP", port.queueOfClass);
        ReadMap(entry, "tc_to_pg_map", "TC_TO_PRIORITY_GROUP_MAP", port.groupOfClass);
        std::array<uint8_t, CLASSES> classOfQueue{};
        classOfQueue.fill(CLASSES);
        for (uint8_t i = 0; i < CLASSES; ++i)
        {
            uint8_t& owner = classOfQueue[port.queueOfClass[i]];
            if (queues && owner != CLASSES)
            {
                queues->Fail(std::to_string(i),
                             "class " + std::to_string(owner) + " is in queue " +
                                 std::to_string(port.queueOfClass[i]) + ", too",
                             "a queue for each class");
            }
            owner = i;
        }
        if (!entry.value || !entry.Has("pfc_enable"))
        {
            return;
        }
        std::array<uint8_t, CLASSES> pausedQueue = port.queueOfClass;
        const RdmaSonicEntry* pauses =
            ReadMap(entry, "pfc_to_queue_map", "MAP_PFC_PRIORITY_TO_QUEUE", pausedQueue);
        for (const std::string& text : SplitRdmaSonicText(entry.GetText("pfc_enable"), ','))
        {
            const uint32_t priority = GetRdmaSonicIndex(text, CLASSES);
            if (priority == CLASSES)
            {
                entry.Fail("pfc_enable",
                           QuoteRdmaText(entry.GetText("pfc_enable")),
                           "priorities 0 to 7 separated by commas");
            }
            if (pausedQueue[priority] != port.queueOfClass[priority])
            {
                (pauses ? *pauses : entry)
                    .Fail(pauses ? text : "pfc_enable",
                          "a pause of priority " + text + " stops queue " +
                              std::to_string(pausedQueue[priority]) + ", but class " + text +
                              " is in queue " + std::to_string(port.queueOfClass[priority]),
                          "the queue of the class of that number");
            }
            port.result.losslessMask |= static_cast<uint8_t>(1U << priority);
        }
    }

    /** Calls `use` with each port and number of a key such as "Ethernet0,Ethernet4|3-4". */
    template <typename F>
    void ForEach(const std::string& key, const RdmaSonicEntry& entry, F use)
    {
        const auto bar = key.find('|');
        const std::string range = bar == std::string::npos ? "" : key.substr(bar + 1);
        const auto dash = range.find('-');
        const uint32_t first = GetRdmaSonicIndex(range.substr(0, dash), CLASSES);
        const uint32_t last =
            dash == std::string::npos ? first : GetRdmaSonicIndex(range.substr(dash + 1), CLASSES);
        if (first > last || last == CLASSES)
        {
            entry.Fail("", QuoteRdmaText(key), "PORTS|NUMBER or PORTS|FIRST-LAST, 0 to 7");
        }
        for (const std::string& name : SplitRdmaSonicText(key.substr(0, bar), ','))
        {
            for (uint32_t number = first; number <= last; ++number)
            {
                use(m_ports[m_portIndex.at(name)], number);
            }
        }
    }

    void ReadGroupsOrQueues(const std::string& tableName, bool groups)
    {
        for (const auto& [key, entry] : m_tables.Get(tableName))
        {
            const std::string name = entry.GetReference("profile", "BUFFER_PROFILE");
            m_tables.Follow(entry, "profile", "BUFFER_PROFILE");
            const int16_t which = m_profileIndex.at(name);
            const auto& profile = m_config.plan.profiles[which];
            if (m_config.plan.pools[profile.pool].egress == groups)
            {
                entry.Fail("profile",
                           QuoteRdmaText(name) + " is in pool " +
                               m_config.plan.pools[profile.pool].name,
                           groups ? "a profile in an ingress pool" : "a profile in an egress pool");
            }
            ForEach(key, entry, [&, which, &of = entry](Port& port, uint32_t i) {
                int16_t& mine = (groups ? port.byNumber.groups : port.byNumber.queues)[i];
                if (mine != QbbPortBufferPlan::NONE)
                {
                    of.Fail("",
                            "number " + std::to_string(i) + " of " + port.result.name +
                                " has a profile already",
                            "one profile");
                }
                mine = which;
            });
            m_tables.NoteOthers(entry, {"profile"});
        }
    }

    void ReadQueueTable()
    {
        for (const auto& [key, entry] : m_tables.Get("QUEUE"))
        {
            const std::optional<QbbEcnProfile> ecn =
                entry.Has("wred_profile") ? m_tables.ReadWred(entry) : std::nullopt;
            const std::string scheduler =
                entry.Has("scheduler") ? m_tables.ReadScheduler(entry) : "";
            ForEach(key, entry, [&](Port& port, uint32_t i) {
                port.ecn[i] = ecn ? ecn : port.ecn[i];
                port.schedulerOfQueue[i] = scheduler.empty() ? port.schedulerOfQueue[i] : scheduler;
            });
            m_tables.NoteOthers(entry, {"wred_profile", "scheduler"});
        }
    }

    void ReadCables()
    {
        for (const auto& [key, entry] : m_tables.Get("CABLE_LENGTH"))
        {
            for (const auto& [name, value] : entry.value->members)
            {
                const std::string text = entry.GetText(name);
                const std::string metres = text.substr(0, text.size() - (text.empty() ? 0 : 1));
                const uint32_t length = GetRdmaSonicIndex(metres, 1000);
                const bool whole = !text.empty() && text.back() == 'm' && length < 1000;
                if (!whole && !(text == "1000m"))
                {
                    entry.Fail(name, QuoteRdmaText(text), "metres, as in \"40m\", up to 1000m");
                }
                const auto found = m_portIndex.find(name);
                if (found != m_portIndex.end())
                {
                    m_ports[found->second].result.cableMetres = whole ? length : 1000;
                }
            }
        }
    }

    void ReadSpeeds()
    {
        for (const auto& [name, entry] : m_tables.Get("PORT"))
        {
            const auto found = m_portIndex.find(name);
            if (found != m_portIndex.end() && entry.Has("speed"))
            {
                m_ports[found->second].result.rate =
                    entry.GetInteger("speed", 1, 8'000'000) * 1_mbps;
            }
        }
    }

    void Assemble()
    {
        m_config.plan.groupOfClass = m_ports[0].groupOfClass;
        for (Port& port : m_ports)
        {
            const bool other = port.groupOfClass != m_config.plan.groupOfClass;
            if (other && !port.entry.value)
            {
                throw RdmaFileError(m_tables.GetFileNames(),
                                    0,
                                    "PORT_QOS_MAP",
                                    "has nothing for " + port.result.name,
                                    "an object for each port");
            }
            if (other)
            {
                port.entry.Fail("tc_to_pg_map",
                                "other groups than those of " + m_ports[0].result.name,
                                "the same for all ports");
            }
            QbbPortBufferPlan plan;
            plan.groups = port.byNumber.groups;
            std::string scheduler;
            for (uint8_t i = 0; i < CLASSES; ++i)
            {
                const uint8_t queue = port.queueOfClass[i];
                plan.queues[i] = port.byNumber.queues[queue];
                port.result.ecn[i] = port.ecn[queue];
                scheduler += (i == 0 ? "" : ",") + port.schedulerOfQueue[queue];
            }
            port.result.scheduler = scheduler;
            CheckLossless(port);
            m_config.plan.ports.push_back(plan);
            m_config.ports.push_back(port.result);
        }
    }

    void CheckLossless(const Port& port)
    {
        for (uint8_t i = 0; i < CLASSES; ++i)
        {
            if (!(port.result.losslessMask >> i & 1))
            {
                continue;
            }
            const uint8_t group = port.groupOfClass[i];
            const auto members =
                std::count(port.groupOfClass.begin(), port.groupOfClass.end(), group);
            const std::string name =
                "class " + std::to_string(i) + " is in priority group " + std::to_string(group);
            if (members > 1)
            {
                port.entry.Fail("pfc_enable",
                                name + " with others",
                                "a priority group of its own for each lossless class");
            }
            if (port.byNumber.groups[group] == QbbPortBufferPlan::NONE)
            {
                port.entry.Fail("pfc_enable",
                                name + ", which has no profile",
                                "an entry of BUFFER_PG for it");
            }
        }
    }

    RdmaSonicTables m_tables;                       //!< tables of both files
    std::map<std::string, uint32_t> m_poolIndex;    //!< index of a pool by name
    std::map<std::string, int16_t> m_profileIndex;  //!< index of a profile by name
    std::map<std::string, std::size_t> m_portIndex; //!< index of a port by name
    std::vector<std::string> m_portNames;           //!< port names in order of their numbers
    std::vector<Port> m_ports;                      //!< ports in order of their numbers
    RdmaSonicEntry m_global;                        //!< the object PORT_QOS_MAP|global
    RdmaSonicConfig m_config;                       //!< resulting configuration
};

} // namespace

RdmaSonicConfig
ParseRdmaSonicConfig(const std::string& buffers,
                     const std::string& buffersName,
                     const std::string& qos,
                     const std::string& qosName)
{
    return Reader(buffers, buffersName, qos, qosName).Read();
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
