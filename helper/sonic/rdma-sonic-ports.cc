/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-sonic-ports.h"

#include "rdma-text-file.h"

#include <algorithm>
#include <set>

namespace ns3
{

namespace
{

constexpr uint8_t SONIC_CLASSES = 8;
constexpr uint32_t SONIC_MAX_METRES = 200'000'000; // one second, as in GetRdmaCableDelay()

/**
 * \param port a port
 * \param global entry "global" of PORT_QOS_MAP, which replaces a missing field, or null
 * \param field field of PORT_QOS_MAP that refers to a map
 * \param values values by key, updated for keys in the map
 * \return the map, or null if the field is missing
 */
template <std::size_t N>
const RdmaSonicEntry*
ReadSonicMap(const RdmaSonicPortDraft& port,
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
ReadSonicLossless(const RdmaSonicEntry* global, RdmaSonicPortDraft& port)
{
    const RdmaSonicEntry& entry = *port.entry;
    RdmaSonicMap pausedQueue = port.queueOfTc;
    const RdmaSonicEntry* pauses = ReadSonicMap(port, global, "pfc_to_queue_map", pausedQueue);
    const std::string list = entry.GetText("pfc_enable");
    for (const std::string& text : SplitRdmaSonicText(list))
    {
        const auto priority = ParseRdmaSonicClass(text);
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
ReadSonicMaps(const RdmaSonicEntry* global, RdmaSonicPortDraft& port)
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
GetSonicUsedClasses(const RdmaSonicPorts& ports)
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
CheckSonicQueues(RdmaSonicTables& tables, const RdmaSonicPortDraft& port, uint32_t used)
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
FindSonicClass(const RdmaSonicPorts& ports, const RdmaSonicPortDraft& port, uint8_t tc)
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
ReadSonicCables(RdmaSonicTables& tables, RdmaSonicPorts& ports)
{
    const auto find = [&ports](const std::string& name) {
        const auto port = ports.find(GetRdmaSonicPortKey(name));
        return port == ports.end() ? nullptr : &port->second.result;
    };
    for (const auto& [key, entry] : tables.Get("CABLE_LENGTH"))
    {
        for (const auto& [name, value] : entry.value.members)
        {
            const std::string text = entry.GetText(name);
            const auto metres = ParseRdmaSonicMetres(text);
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

} // namespace

RdmaSonicPortKey
GetRdmaSonicPortKey(const std::string& name)
{
    const auto digits = name.find_last_not_of("0123456789") + 1;
    const auto number = ParseRdmaSonicNumber<uint64_t>(name.substr(digits), 0, UINT64_MAX);
    return {name.substr(0, digits), number.value_or(0), name};
}

std::optional<uint32_t>
ParseRdmaSonicClass(const std::string& text)
{
    return ParseRdmaSonicNumber<uint32_t>(text, 0, SONIC_CLASSES - 1);
}

std::optional<uint32_t>
ParseRdmaSonicMetres(const std::string& text)
{
    if (text.empty() || text.back() != 'm')
    {
        return std::nullopt;
    }
    return ParseRdmaSonicNumber<uint32_t>(text.substr(0, text.size() - 1), 0, SONIC_MAX_METRES);
}

RdmaSonicQueueKey
ParseRdmaSonicQueueKey(const std::string& key)
{
    RdmaSonicQueueKey parts;
    const auto last = key.rfind('|');
    const std::string places = key.substr(0, last);
    const auto bar = places.rfind('|');
    parts.numbers = last == std::string::npos ? "" : key.substr(last + 1);
    parts.card = bar == std::string::npos ? "" : places.substr(0, bar);
    parts.ports = SplitRdmaSonicText(bar == std::string::npos ? places : places.substr(bar + 1));
    return parts;
}

namespace
{

/** Adds the ports of PORT_QOS_MAP. \return the entry "global", or null */
const RdmaSonicEntry*
AddSonicQosPorts(RdmaSonicTables& tables, RdmaSonicPorts& ports)
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
            RdmaSonicPortDraft& port = ports[GetRdmaSonicPortKey(name)];
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
AddSonicBufferPorts(RdmaSonicTables& tables, RdmaSonicPorts& ports)
{
    const bool isKnown = !ports.empty();
    RdmaSonicPorts others;
    std::set<std::string> cards;
    for (const char* table : {"BUFFER_PG", "BUFFER_QUEUE"})
    {
        for (const auto& [key, entry] : tables.Get(table))
        {
            const RdmaSonicQueueKey parts = ParseRdmaSonicQueueKey(key);
            if (!parts.card.empty())
            {
                cards.insert(parts.card);
                continue;
            }
            for (const std::string& name : parts.ports)
            {
                const RdmaSonicPortKey place = GetRdmaSonicPortKey(name);
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

} // namespace

RdmaSonicPorts
ReadRdmaSonicPorts(RdmaSonicTables& tables)
{
    RdmaSonicPorts ports;
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

} // namespace ns3
