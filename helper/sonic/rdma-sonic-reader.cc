/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-sonic-reader.h"

#include "rdma-sonic-tables.h"
#include "rdma-text-file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace ns3
{

namespace
{

/// Numbers of queues or priority groups by traffic class. SONiC has 16 traffic classes.
using SonicMap = std::array<uint8_t, 16>;

/**
 * A port while the files are read.
 */
struct SonicPortDraft
{
    const RdmaSonicEntry* entry{nullptr};  //!< entry of PORT_QOS_MAP
    std::array<uint8_t, 64> tcOfDscp{};    //!< DSCP_TO_TC_MAP
    SonicMap queueOfTc{};                  //!< TC_TO_QUEUE_MAP
    SonicMap groupOfTc{};                  //!< TC_TO_PRIORITY_GROUP_MAP
    const RdmaSonicEntry* queues{nullptr}; //!< entry of TC_TO_QUEUE_MAP
    std::array<std::string, 8> scheduler;  //!< "strict" or a weight, by class
    RdmaSonicPort result;                  //!< resulting configuration
    QbbPortBufferPlan plan;                //!< resulting buffer plan
};

/// Prefix, number and name of a port: orders names by their numbers.
using SonicPortKey = std::tuple<std::string, uint64_t, std::string>;

/// Ports in the order of the numbers in their names.
using SonicPorts = std::map<SonicPortKey, SonicPortDraft>;

/**
 * Key of a table about queues or priority groups, such as "Ethernet0,Ethernet4|3-4", or
 * "card1|Asic0|Ethernet0|3" in a chassis.
 */
struct SonicQueueKey
{
    std::string card;               //!< line card and chip; empty if the key does not name them
    std::vector<std::string> ports; //!< names of ports
    std::string numbers;            //!< "NUMBER" or "FIRST-LAST"
};

constexpr uint32_t SONIC_CLASSES = 8;
constexpr uint32_t SONIC_MAX_METRES = 200'000'000; // one second, as in GetRdmaCableDelay()

/**
 * \param name name of a port
 * \return a key that sorts "Ethernet4" before "Ethernet12"
 */
SonicPortKey
GetSonicPortKey(const std::string& name)
{
    const auto digits = name.find_last_not_of("0123456789") + 1;
    const auto number = ParseRdmaSonicNumber<uint64_t>(name.substr(digits), 0, UINT64_MAX);
    return {name.substr(0, digits), number.value_or(0), name};
}

/**
 * \param text a text
 * \return the number of a class, priority, group or queue; empty if the text is no such number
 */
std::optional<uint32_t>
ParseSonicClass(const std::string& text)
{
    return ParseRdmaSonicNumber<uint32_t>(text, 0, SONIC_CLASSES - 1);
}

/**
 * \param text a length, as in "40m"
 * \return the metres, at most 200 000 000; empty if the text is no such length
 */
std::optional<uint32_t>
ParseSonicMetres(const std::string& text)
{
    if (text.empty() || text.back() != 'm')
    {
        return std::nullopt;
    }
    return ParseRdmaSonicNumber<uint32_t>(text.substr(0, text.size() - 1), 0, SONIC_MAX_METRES);
}

/**
 * \param key key of BUFFER_PG, BUFFER_QUEUE or QUEUE
 * \return the parts of the key
 */
SonicQueueKey
ParseSonicQueueKey(const std::string& key)
{
    SonicQueueKey parts;
    const auto last = key.rfind('|');
    const std::string places = key.substr(0, last);
    const auto bar = places.rfind('|');
    parts.numbers = last == std::string::npos ? "" : key.substr(last + 1);
    parts.card = bar == std::string::npos ? "" : places.substr(0, bar);
    parts.ports = SplitRdmaSonicText(bar == std::string::npos ? places : places.substr(bar + 1));
    return parts;
}

/**
 * \param port a port
 * \param global entry "global" of PORT_QOS_MAP, which replaces a missing field, or null
 * \param field field of PORT_QOS_MAP that refers to a map
 * \param values values by key, updated for keys in the map
 * \return the map, or null if the field is missing
 */
template <std::size_t N>
const RdmaSonicEntry*
ReadSonicMap(const SonicPortDraft& port,
             const RdmaSonicEntry* global,
             const std::string& field,
             std::array<uint8_t, N>& values)
{
    const RdmaSonicEntry* from = port.entry && port.entry->Has(field) ? port.entry : global;
    if (!from || !from->Has(field))
    {
        return nullptr;
    }
    const RdmaSonicEntry& map = from->Follow(field);
    for (const auto& [key, value] : map.value.members)
    {
        const auto index = ParseRdmaSonicNumber<uint32_t>(key, 0, N - 1);
        map.Require(index.has_value(),
                    key,
                    "is no key of this table; accepted: 0 to " + std::to_string(N - 1));
        values[*index] = static_cast<uint8_t>(map.GetNumber(key));
    }
    return &map;
}

void
ReadSonicLossless(const RdmaSonicEntry* global, SonicPortDraft& port)
{
    const RdmaSonicEntry& entry = *port.entry;
    SonicMap pausedQueue = port.queueOfTc;
    const RdmaSonicEntry* pauses = ReadSonicMap(port, global, "pfc_to_queue_map", pausedQueue);
    const std::string list = entry.GetText("pfc_enable");
    for (const std::string& text : SplitRdmaSonicText(list))
    {
        const auto priority = ParseSonicClass(text);
        entry.Require(priority.has_value(),
                      "pfc_enable",
                      QuoteRdmaText(list) + "; accepted: priorities 0 to 7 separated by commas");
        const uint8_t queue = port.queueOfTc[*priority];
        if (pauses)
        {
            pauses->Require(pausedQueue[*priority] == queue,
                            text,
                            "a pause of priority " + text + " stops queue " +
                                std::to_string(pausedQueue[*priority]) + ", but class " + text +
                                " is in queue " + std::to_string(queue) +
                                "; accepted: the queue of class " + text);
        }
        port.result.losslessMask |= static_cast<uint8_t>(1U << *priority);
    }
}

void
ReadSonicMaps(const RdmaSonicEntry* global, SonicPortDraft& port)
{
    // Defaults of SAI without a map: class 0 for every DSCP, group 0 for every class. Queue
    // numbers equal class numbers, as in SONiC's default maps.
    port.queueOfTc = {0, 1, 2, 3, 4, 5, 6, 7};
    ReadSonicMap(port, global, "dscp_to_tc_map", port.tcOfDscp);
    port.queues = ReadSonicMap(port, global, "tc_to_queue_map", port.queueOfTc);
    ReadSonicMap(port, global, "tc_to_pg_map", port.groupOfTc);
    std::copy_n(port.groupOfTc.begin(), SONIC_CLASSES, port.result.groupOfClass.begin());
    if (port.entry && port.entry->Has("pfc_enable"))
    {
        ReadSonicLossless(global, port);
    }
}

/** \return traffic classes to which the ports map a DSCP, as a bit mask */
uint32_t
GetSonicUsedClasses(const SonicPorts& ports)
{
    uint32_t used = 0;
    for (const auto& [key, port] : ports)
    {
        for (const uint8_t tc : port.tcOfDscp)
        {
            used |= 1U << tc;
        }
    }
    return used;
}

/**
 * The module has a queue for each class. Notes the classes that share a queue in the files.
 *
 * \param used traffic classes of frames, as a bit mask
 */
void
CheckSonicQueues(RdmaSonicTables& tables, const SonicPortDraft& port, uint32_t used)
{
    for (uint8_t queue = 0; port.queues && queue < SONIC_CLASSES; ++queue)
    {
        std::vector<std::string> classes;
        uint8_t lossless = 0;
        for (uint8_t i = 0; i < SONIC_CLASSES; ++i)
        {
            const bool isLossless = port.result.losslessMask >> i & 1;
            if (port.queueOfTc[i] == queue && (isLossless || used >> i & 1))
            {
                classes.push_back(std::to_string(i));
                lossless += isLossless ? 1 : 0;
            }
        }
        if (classes.size() < 2)
        {
            continue;
        }
        const std::string shared =
            "classes " + JoinRdmaSonicWords(classes) + " share queue " + std::to_string(queue);
        port.queues->Require(lossless == 0,
                             "",
                             shared + ", and at least one is lossless at " + port.result.name +
                                 "; accepted: a queue of its own for each lossless class");
        tables.AddNote(GetRdmaSonicName("TC_TO_QUEUE_MAP|" + port.queues->key) + ": " + shared +
                       "; here each has a queue of its own with the settings of queue " +
                       std::to_string(queue));
    }
}

/**
 * \return class 0 to 7 of a traffic class; above 7, the class with the queue of the traffic class
 * at every port and with the priority group at this port
 */
uint8_t
FindSonicClass(const SonicPorts& ports, const SonicPortDraft& port, uint8_t tc)
{
    if (tc < SONIC_CLASSES)
    {
        return tc;
    }
    for (uint8_t i = 0; i < SONIC_CLASSES; ++i)
    {
        if (port.groupOfTc[i] == port.groupOfTc[tc] &&
            std::all_of(ports.begin(), ports.end(), [i, tc](const auto& other) {
                return other.second.queueOfTc[i] == other.second.queueOfTc[tc];
            }))
        {
            return i;
        }
    }
    const RdmaSonicEntry& map = port.queues ? *port.queues : *port.entry;
    map.Require(false,
                std::to_string(tc),
                "no class has the queue and the priority group of traffic class " +
                    std::to_string(tc) + " at " + port.result.name +
                    "; accepted: above 7, those of a class 0 to 7");
    return 0;
}

/** Reads the lengths of cables and the speeds of ports. */
void
ReadSonicCables(RdmaSonicTables& tables, SonicPorts& ports)
{
    const auto find = [&ports](const std::string& name) {
        const auto port = ports.find(GetSonicPortKey(name));
        return port == ports.end() ? nullptr : &port->second.result;
    };
    for (const auto& [key, entry] : tables.Get("CABLE_LENGTH"))
    {
        for (const auto& [name, value] : entry.value.members)
        {
            const std::string text = entry.GetText(name);
            const auto metres = ParseSonicMetres(text);
            entry.Require(metres.has_value(),
                          name,
                          QuoteRdmaText(text) + "; accepted: metres, as in \"40m\", up to " +
                              std::to_string(SONIC_MAX_METRES) + "m");
            if (RdmaSonicPort* port = find(name))
            {
                port->cableMetres = metres;
            }
        }
    }
    for (const auto& [name, entry] : tables.Get("PORT"))
    {
        RdmaSonicPort* port = find(name);
        if (port && entry.Has("speed"))
        {
            port->rate = entry.GetNumber("speed") * 1_mbps;
        }
    }
}

/** Adds the ports of PORT_QOS_MAP. \return the entry "global", or null */
const RdmaSonicEntry*
AddSonicQosPorts(RdmaSonicTables& tables, SonicPorts& ports)
{
    const RdmaSonicEntry* global = nullptr;
    for (const auto& [key, entry] : tables.Get("PORT_QOS_MAP"))
    {
        entry.Require(key.find('|') == std::string::npos,
                      "",
                      QuoteRdmaText(key) + "; accepted: ports separated by commas, or global");
        entry.NoteOthers();
        for (const std::string& name : SplitRdmaSonicText(key))
        {
            if (name == "global")
            {
                global = &entry;
                continue;
            }
            SonicPortDraft& port = ports[GetSonicPortKey(name)];
            entry.Require(!port.entry,
                          "",
                          "port " + GetRdmaSonicName(name) +
                              " is there twice; accepted: each port once");
            port.entry = &entry;
            port.result.name = GetRdmaSonicName(name);
        }
    }
    tables.Require(!ports.empty(), "PORT_QOS_MAP", "names no port; accepted: at least one");
    return global;
}

/** Adds the ports of the buffer tables if there are no ports yet; otherwise notes other ports. */
void
AddSonicBufferPorts(RdmaSonicTables& tables, SonicPorts& ports)
{
    const bool isKnown = !ports.empty();
    SonicPorts others;
    std::set<std::string> cards;
    for (const char* table : {"BUFFER_PG", "BUFFER_QUEUE"})
    {
        for (const auto& [key, entry] : tables.Get(table))
        {
            const SonicQueueKey parts = ParseSonicQueueKey(key);
            if (!parts.card.empty())
            {
                cards.insert(parts.card);
                continue;
            }
            for (const std::string& name : parts.ports)
            {
                const SonicPortKey place = GetSonicPortKey(name);
                if (!ports.count(place))
                {
                    others[place].result.name = GetRdmaSonicName(name);
                }
            }
        }
    }
    if (!isKnown)
    {
        ports = others;
        tables.Require(!ports.empty(), "BUFFER_PG", "names no port; accepted: at least one");
    }
    else if (!others.empty())
    {
        const std::string count = std::to_string(others.size());
        tables.AddNote("BUFFER_PG and BUFFER_QUEUE name " + count +
                       (others.size() > 1 ? " ports" : " port") +
                       " without an entry in PORT_QOS_MAP, from " +
                       others.begin()->second.result.name + " on; left out");
    }
    if (!cards.empty())
    {
        tables.AddNote("the tables of queues name " + std::to_string(cards.size()) +
                       " line cards or chips, as " + GetRdmaSonicName(*cards.begin()) +
                       "; a port has the queues that stand under its name for any of them");
    }
}

/**
 * Finds the ports and reads their maps, lossless classes, cables and speeds. The ports are those of
 * PORT_QOS_MAP or, without this table, those of BUFFER_PG and BUFFER_QUEUE.
 *
 * \param tables tables of all files
 * \return the ports
 * \throws RdmaFileError naming file, line, object and field of an error
 */
SonicPorts
ReadSonicPorts(RdmaSonicTables& tables)
{
    SonicPorts ports;
    const RdmaSonicEntry* global = nullptr;
    if (tables.Has("PORT_QOS_MAP"))
    {
        global = AddSonicQosPorts(tables, ports);
    }
    if (tables.Has("BUFFER_POOL"))
    {
        AddSonicBufferPorts(tables, ports);
    }
    for (auto& [key, port] : ports)
    {
        ReadSonicMaps(global, port);
        port.scheduler.fill("strict");
    }
    const uint32_t used = GetSonicUsedClasses(ports);
    for (auto& [key, port] : ports)
    {
        CheckSonicQueues(tables, port, used);
        for (std::size_t dscp = 0; dscp < port.tcOfDscp.size(); ++dscp)
        {
            port.result.classOfDscp[dscp] = FindSonicClass(ports, port, port.tcOfDscp[dscp]);
        }
    }
    ReadSonicCables(tables, ports);
    return ports;
}

/** Indices in a plan of a pool or a profile. */
struct SonicIndices
{
    int16_t ingress{QbbPortBufferPlan::NONE}; //!< index for priority groups, or NONE
    int16_t egress{QbbPortBufferPlan::NONE};  //!< index for queues, or NONE
    bool isEmpty{false};                      //!< the pool has 0 bytes
};

/** Subtracts the headroom from a reserve that includes it: without a headroom pool. */
void
SplitSonicReserve(QbbBufferProfile& profile, const QbbBufferPool& pool)
{
    const auto headroom = profile.headroomBytes.value_or(0);
    if (pool.headroomBytes == 0 && profile.reserveBytes >= headroom)
    {
        profile.reserveBytes -= headroom;
    }
}

/** Sets the threshold of a profile to a value of dynamic_th. */
void
SetSonicPower(QbbBufferProfile& profile, int64_t power, const QbbBufferPool& pool)
{
    constexpr int64_t NO_LIMIT = 7;
    constexpr int64_t NOTHING = -8;
    if (power < NO_LIMIT)
    {
        profile.alpha = power == NOTHING ? 0 : std::ldexp(1.0, static_cast<int>(power));
    }
    else
    {
        profile.limitBytes = pool.bytes ? pool.bytes : QBB_MAX_BUFFER_BYTES;
    }
}

QbbBufferPool
ReadSonicPool(const RdmaSonicEntry& entry)
{
    QbbBufferPool pool;
    pool.name = GetRdmaSonicName(entry.key);
    pool.egress = entry.GetWord("type") == "egress";
    entry.GetWord("mode");
    if (entry.Has("size"))
    {
        pool.bytes = entry.GetBytes("size");
    }
    pool.headroomBytes = entry.GetBytes("xoff");
    if (pool.egress && pool.headroomBytes > 0)
    {
        pool.headroomBytes = 0; // queues have no headroom
        entry.AddNote("the xoff of an egress pool is not used");
    }
    entry.NoteOthers();
    return pool;
}

/** \param pool a pool of the profile */
QbbBufferProfile
ReadSonicProfile(const RdmaSonicEntry& entry, const QbbBufferPool& pool, int16_t poolIndex)
{
    QbbBufferProfile profile;
    profile.name = GetRdmaSonicName(entry.key);
    profile.pool = static_cast<uint32_t>(poolIndex);
    profile.reserveBytes = entry.GetBytes("size");
    profile.headroomBytes = entry.GetBytes("xoff");
    profile.xonBytes = entry.GetBytes("xon");
    profile.xonOffsetBytes = entry.GetBytes("xon_offset");
    SplitSonicReserve(profile, pool);
    entry.Require(pool.egress || pool.headroomBytes == 0 ||
                      *profile.headroomBytes <= pool.headroomBytes,
                  "xoff",
                  std::to_string(*profile.headroomBytes) +
                      " bytes; accepted: at most the xoff of its pool, " +
                      std::to_string(pool.headroomBytes));
    const bool dynamic = entry.Has("dynamic_th");
    entry.Require(dynamic != entry.Has("static_th"),
                  dynamic ? "static_th" : "",
                  std::string(dynamic ? "is there beside dynamic_th" : "has no threshold") +
                      "; accepted: either dynamic_th or static_th");
    if (dynamic)
    {
        SetSonicPower(profile, entry.GetNumber("dynamic_th"), pool);
    }
    else
    {
        profile.limitBytes = entry.GetBytes("static_th");
    }
    return profile;
}

std::optional<QbbEcnProfile>
ReadSonicWred(const RdmaSonicEntry& entry)
{
    entry.NoteOthers();
    const std::string ecn = entry.Has("ecn") ? entry.GetWord("ecn") : "ecn_none"; // as in SAI
    const bool dropsGreen =
        entry.Has("wred_green_enable") && entry.GetWord("wred_green_enable") == "true";
    if (ecn != "ecn_all" && ecn.find("green") == std::string::npos)
    {
        if (dropsGreen)
        {
            entry.AddNote(ecn + " with wred_green_enable drops green packets early; here the queue "
                                "drops them only at its limit");
        }
        return std::nullopt;
    }
    if (!dropsGreen)
    {
        entry.AddNote(ecn + " without wred_green_enable marks here, as SAI describes; there are "
                            "chips that then do not mark");
    }
    QbbEcnProfile profile;
    profile.kminBytes = entry.GetBytes("green_min_threshold");
    profile.kmaxBytes = entry.GetBytes("green_max_threshold");
    entry.Require(profile.kminBytes <= profile.kmaxBytes,
                  "green_min_threshold",
                  std::to_string(profile.kminBytes) +
                      " bytes; accepted: at most green_max_threshold, " +
                      std::to_string(profile.kmaxBytes));
    const int64_t percent = entry.GetNumber("green_drop_probability");
    profile.pmax = static_cast<double>(percent) / 100;
    if (percent == 0)
    {
        profile.kminBytes = profile.kmaxBytes; // no marks up to the maximum, and all above
        profile.pmax = 1;
    }
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

    RdmaSonicConfig Read(const RdmaSonicFile& pgLookup)
    {
        m_config.hasBuffers = m_tables.Has("BUFFER_POOL");
        m_config.hasQos = m_tables.Has("PORT_QOS_MAP");
        m_tables.Require(m_config.hasBuffers || m_config.hasQos,
                         "",
                         "neither BUFFER_POOL nor PORT_QOS_MAP is there; accepted: tables of SONiC "
                         "with one of them");
        ReadPoolsAndProfiles();
        ReadPgLookup(pgLookup);
        m_ports = ReadSonicPorts(m_tables);
        ReadGroupsAndQueues();
        for (auto& [key, port] : m_ports)
        {
            Finish(port);
        }
        m_config.plan.groupOfClass = m_config.ports.front().groupOfClass;
        m_config.notes = m_tables.GetNotes();
        return std::move(m_config);
    }

  private:
    void ReadPoolsAndProfiles()
    {
        QbbBufferPlan& plan = m_config.plan;
        const auto add = [](auto& list, auto item) {
            list.push_back(item);
            return static_cast<int16_t>(list.size() - 1);
        };
        for (const auto& [key, entry] : m_tables.Get("BUFFER_POOL"))
        {
            QbbBufferPool pool = ReadSonicPool(entry);
            SonicIndices& at = m_poolIndices[key];
            at.isEmpty = entry.Has("size") && pool.bytes == 0;
            if (at.isEmpty)
            {
                continue;
            }
            if (!pool.egress)
            {
                at.ingress = add(plan.pools, pool);
            }
            if (pool.egress || entry.GetWord("type") == "both")
            {
                pool.egress = true;
                pool.headroomBytes = 0;
                at.egress = add(plan.pools, pool);
            }
            if (key == "ingress_lossless_pool" && at.ingress != QbbPortBufferPlan::NONE)
            {
                m_config.losslessPool = at.ingress;
                m_isLosslessPoolStatic = entry.GetWord("mode") == "static";
            }
        }
        for (const auto& [key, entry] : m_tables.Get("BUFFER_PROFILE"))
        {
            const SonicIndices pools = m_poolIndices[entry.Follow("pool").key];
            SonicIndices& at = m_profileIndices[key];
            at.isEmpty = pools.isEmpty;
            if (pools.ingress != QbbPortBufferPlan::NONE)
            {
                at.ingress = add(plan.profiles,
                                 ReadSonicProfile(entry, plan.pools[pools.ingress], pools.ingress));
            }
            if (pools.egress != QbbPortBufferPlan::NONE)
            {
                at.egress = add(plan.profiles,
                                ReadSonicProfile(entry, plan.pools[pools.egress], pools.egress));
            }
            entry.NoteOthers();
        }
        constexpr std::size_t MAX = std::numeric_limits<int16_t>::max() / 2;
        m_tables.Require(plan.pools.size() <= MAX && plan.profiles.size() <= MAX,
                         "BUFFER_PROFILE",
                         "there are more than " + std::to_string(MAX) +
                             " pools or profiles; accepted: fewer");
        for (const auto& [key, entry] : m_tables.Get("DEFAULT_LOSSLESS_BUFFER_PARAMETER"))
        {
            QbbBufferProfile profile;
            profile.alpha = QBB_MAX_ALPHA; // of a threshold that does not limit
            SetSonicPower(profile, entry.GetNumber("default_dynamic_th"), QbbBufferPool());
            m_config.computedAlpha = *profile.alpha;
            entry.NoteOthers();
        }
    }

    /** Reads the lines SPEED CABLE SIZE XON XOFF THRESHOLD [XON_OFFSET] that buffermgrd reads. */
    void ReadPgLookup(const RdmaSonicFile& file)
    {
        if (file.name.empty())
        {
            return;
        }
        m_tables.Require(m_config.losslessPool.has_value(),
                         "BUFFER_POOL",
                         "there is no ingress pool ingress_lossless_pool with a size; accepted: "
                         "with " +
                             file.name + " the pool in which buffermgrd makes its profiles");
        m_config.pgLookupName = file.name;
        const QbbBufferPool& pool = m_config.plan.pools[*m_config.losslessPool];
        RdmaLineReader lines(file.text, file.name, RdmaLineReader::Separator::BLANKS);
        while (lines.Next())
        {
            if (lines.GetFields().at(0).front() == '#')
            {
                continue;
            }
            if (lines.GetFields().size() != 6)
            {
                lines.RequireFields(
                    7,
                    "speed cable size xon xoff threshold, and if wanted xon_offset");
            }
            m_config.pgLookup.push_back(ReadPgLine(lines, pool));
        }
        if (m_config.pgLookup.empty())
        {
            lines.FailFile("", "there is no line with speed, cable and profile");
        }
    }

    RdmaSonicPgLine ReadPgLine(const RdmaLineReader& lines, const QbbBufferPool& pool) const
    {
        RdmaSonicPgLine line;
        const auto getBytes = [&lines](std::size_t field, const char* name) {
            return lines.GetInteger(field, name, 0, QBB_MAX_BUFFER_BYTES);
        };
        const uint64_t speed = lines.GetInteger(0, "speed", 1, 8'000'000);
        line.rate = speed * 1_mbps;
        const std::string cable = lines.GetFields().at(1);
        const auto metres = ParseSonicMetres(cable);
        if (!metres)
        {
            lines.Fail("cable", QuoteRdmaText(cable), "metres, as in \"40m\"");
        }
        line.metres = *metres;
        QbbBufferProfile& profile = line.profile;
        profile.name = "pg_lossless_" + std::to_string(speed) + "_" + cable + "_profile";
        profile.pool = *m_config.losslessPool;
        profile.reserveBytes = getBytes(2, "size");
        profile.xonBytes = getBytes(3, "xon");
        profile.headroomBytes = getBytes(4, "xoff");
        SplitSonicReserve(profile, pool);
        if (m_isLosslessPoolStatic)
        {
            profile.limitBytes = getBytes(5, "threshold");
        }
        else
        {
            const auto power = ParseRdmaSonicNumber<int64_t>(lines.GetFields().at(5), -8, 8);
            if (!power)
            {
                lines.Fail("threshold",
                           QuoteRdmaText(lines.GetFields().at(5)),
                           "a whole number, -8 to 8");
            }
            SetSonicPower(profile, *power, pool);
        }
        if (lines.GetFields().size() == 7)
        {
            profile.xonOffsetBytes = getBytes(6, "xon_offset");
        }
        // buffermgrd keeps a profile of that name that the files already have.
        const auto own = m_profileIndices.find(profile.name);
        if (own != m_profileIndices.end() && own->second.ingress != QbbPortBufferPlan::NONE)
        {
            profile = m_config.plan.profiles[own->second.ingress];
        }
        return line;
    }

    void ReadGroupsAndQueues()
    {
        for (const char* table : {"BUFFER_PG", "BUFFER_QUEUE"})
        {
            if (m_config.hasBuffers)
            {
                ForEach(table,
                        [this](const RdmaSonicEntry& entry, SonicPortDraft& port, uint8_t i) {
                            SetProfile(entry, port, i);
                        });
            }
        }
        if (m_config.hasQos)
        {
            ForEach("QUEUE", [](const RdmaSonicEntry& entry, SonicPortDraft& port, uint8_t queue) {
                SetQueue(entry, port, queue);
            });
        }
    }

    /** Calls `use` with each port and number of keys such as "Ethernet0,Ethernet4|3-4". */
    template <typename F>
    void ForEach(const std::string& table, F use)
    {
        for (const auto& [key, entry] : m_tables.Get(table))
        {
            const SonicQueueKey parts = ParseSonicQueueKey(key);
            const auto dash = parts.numbers.find('-');
            const auto first = ParseSonicClass(parts.numbers.substr(0, dash));
            const auto last =
                dash == std::string::npos ? first : ParseSonicClass(parts.numbers.substr(dash + 1));
            entry.Require(first && last && *first <= *last &&
                              std::count(parts.ports.begin(), parts.ports.end(), "global") == 0,
                          "",
                          QuoteRdmaText(key) +
                              "; accepted: PORTS|NUMBER or PORTS|FIRST-LAST, 0 to 7");
            for (const std::string& name : parts.ports)
            {
                const auto port = m_ports.find(GetSonicPortKey(name));
                for (uint32_t number = *first; port != m_ports.end() && number <= *last; ++number)
                {
                    use(entry, port->second, static_cast<uint8_t>(number));
                }
            }
            entry.NoteOthers();
        }
    }

    static void SetQueue(const RdmaSonicEntry& entry, SonicPortDraft& port, uint8_t queue)
    {
        for (uint8_t i = 0; i < SONIC_CLASSES; ++i)
        {
            if (port.queueOfTc[i] != queue)
            {
                continue;
            }
            if (entry.Has("wred_profile"))
            {
                const auto ecn = ReadSonicWred(entry.Follow("wred_profile"));
                port.result.ecn[i] = ecn ? ecn : port.result.ecn[i];
            }
            if (entry.Has("scheduler"))
            {
                port.scheduler[i] = ReadSonicScheduler(entry.Follow("scheduler"));
            }
        }
    }

    void SetProfile(const RdmaSonicEntry& entry, SonicPortDraft& port, uint8_t i)
    {
        const bool isQueue = entry.table == "BUFFER_QUEUE";
        if (!isQueue && entry.GetText("profile") == "NULL" &&
            !m_tables.Get("BUFFER_PROFILE").count("NULL"))
        {
            RequireFirst(port.plan.groups[i] == QbbPortBufferPlan::NONE, entry, port, i);
            port.result.dynamicGroups |= static_cast<uint8_t>(1U << i);
            return;
        }
        const RdmaSonicEntry& target = entry.Follow("profile");
        const SonicIndices indices = m_profileIndices[target.key];
        const int16_t which = isQueue ? indices.egress : indices.ingress;
        entry.Require(
            indices.isEmpty || which != QbbPortBufferPlan::NONE,
            "profile",
            QuoteRdmaText(target.key) + " is in pool " +
                GetRdmaSonicName(target.Follow("pool").key) + "; accepted: " +
                (isQueue ? "a profile in an egress pool" : "a profile in an ingress pool"));
        if (!isQueue)
        {
            CheckMemory(entry, port, i, indices.isEmpty);
            RequireFirst(!(port.result.dynamicGroups >> i & 1) &&
                             IsFree(port.plan.groups[i], which),
                         entry,
                         port,
                         i);
            port.plan.groups[i] = which;
            return;
        }
        for (uint8_t priority = 0; priority < SONIC_CLASSES; ++priority)
        {
            if (port.queueOfTc[priority] == i)
            {
                RequireFirst(IsFree(port.plan.queues[priority], which), entry, port, i);
                port.plan.queues[priority] = which;
            }
        }
    }

    /** \return true if a group or queue has no profile yet, or the profile \p which */
    static bool IsFree(int16_t profile, int16_t which)
    {
        return profile == QbbPortBufferPlan::NONE || profile == which;
    }

    static void RequireFirst(bool isFirst,
                             const RdmaSonicEntry& entry,
                             const SonicPortDraft& port,
                             uint8_t i)
    {
        entry.Require(isFirst,
                      "",
                      "number " + std::to_string(i) + " of " + port.result.name +
                          " has a profile already; accepted: one profile");
    }

    /** Rejects a profile of a pool of 0 bytes for a lossless class. */
    static void CheckMemory(const RdmaSonicEntry& entry,
                            const SonicPortDraft& port,
                            uint8_t group,
                            bool isEmpty)
    {
        for (uint8_t i = 0; i < SONIC_CLASSES; ++i)
        {
            const bool isUsed = port.groupOfTc[i] == group && port.result.losslessMask >> i & 1;
            entry.Require(!isEmpty || !isUsed,
                          "profile",
                          "its pool has 0 bytes, and class " + std::to_string(i) + " of " +
                              port.result.name +
                              " is lossless; accepted: a pool with memory for a lossless class");
        }
    }

    /** Checks a port and adds the port to the result. */
    void Finish(SonicPortDraft& port)
    {
        for (uint8_t i = 0; i < SONIC_CLASSES; ++i)
        {
            port.result.scheduler += (i == 0 ? "" : ",") + port.scheduler[i];
        }
        if (port.entry)
        {
            CheckLossless(port);
        }
        m_config.plan.ports.push_back(port.plan);
        m_config.ports.push_back(port.result);
    }

    static void CheckLossless(const SonicPortDraft& port)
    {
        const auto& groups = port.result.groupOfClass;
        for (uint8_t i = 0; i < SONIC_CLASSES; ++i)
        {
            const bool isLossless = port.result.losslessMask >> i & 1;
            port.entry->Require(
                !isLossless || std::count(groups.begin(), groups.end(), groups[i]) == 1,
                "pfc_enable",
                "class " + std::to_string(i) + " is in priority group " +
                    std::to_string(groups[i]) +
                    " with others; accepted: a priority group of its own for each lossless class");
        }
    }

    RdmaSonicTables& m_tables;                            //!< tables of both files
    std::map<std::string, SonicIndices> m_poolIndices;    //!< indices of pools, by name
    std::map<std::string, SonicIndices> m_profileIndices; //!< indices of profiles, by name
    bool m_isLosslessPoolStatic{false};                   //!< mode of the pool of lossless groups
    SonicPorts m_ports;                                   //!< ports while the files are read
    RdmaSonicConfig m_config;                             //!< resulting configuration
};

} // namespace

RdmaSonicConfig
ParseRdmaSonicConfig(const RdmaSonicFile& buffers,
                     const RdmaSonicFile& qos,
                     const RdmaSonicFile& pgLookup)
{
    RdmaSonicTables tables;
    if (!buffers.name.empty())
    {
        tables.AddFile(buffers.text, buffers.name);
    }
    if (!qos.name.empty() && qos.name != buffers.name)
    {
        tables.AddFile(qos.text, qos.name);
    }
    return SonicReader(tables).Read(pgLookup);
}

RdmaSonicConfig
ReadRdmaSonicConfig(const std::string& buffersPath,
                    const std::string& qosPath,
                    const std::string& pgLookupPath)
{
    const auto read = [](const std::string& path) {
        return path.empty() ? RdmaSonicFile() : RdmaSonicFile{path, ReadRdmaFile(path)};
    };
    return ParseRdmaSonicConfig(read(buffersPath), read(qosPath), read(pgLookupPath));
}

} // namespace ns3
