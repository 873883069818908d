/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-sonic-ports.h"

#include "rdma-text-file.h"

namespace ns3
{

namespace
{

constexpr uint8_t SONIC_CLASSES = 8;

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
ReadSonicLossless(const RdmaSonicMap& queueOfClass,
                  const RdmaSonicEntry& entry,
                  const RdmaSonicEntry* global,
                  RdmaSonicPortDraft& port)
{
    RdmaSonicMap pausedQueue = queueOfClass;
    const RdmaSonicEntry* pauses = ReadSonicMap(port, global, "pfc_to_queue_map", pausedQueue);
    const std::string list = entry.GetText("pfc_enable");
    for (const std::string& text : SplitRdmaSonicText(list))
    {
        const auto priority = ParseRdmaSonicClass(text);
        entry.Require(priority.has_value(),
                      "pfc_enable",
                      QuoteRdmaText(list) + "; accepted: priorities 0 to 7 separated by commas");
        const uint8_t queue = queueOfClass[*priority];
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
    RdmaSonicMap queueOfClass{0, 1, 2, 3, 4, 5, 6, 7};
    ReadSonicMap(port, global, "dscp_to_tc_map", port.result.classOfDscp);
    const RdmaSonicEntry* queues = ReadSonicMap(port, global, "tc_to_queue_map", queueOfClass);
    ReadSonicMap(port, global, "tc_to_pg_map", port.groupOfClass);
    port.scheduler.fill("strict");
    port.classOfQueue.fill(SONIC_CLASSES);
    for (uint8_t i = 0; i < SONIC_CLASSES; ++i)
    {
        uint8_t& owner = port.classOfQueue[queueOfClass[i]];
        if (queues)
        {
            queues->Require(owner == SONIC_CLASSES,
                            std::to_string(i),
                            "class " + std::to_string(owner) + " is in queue " +
                                std::to_string(queueOfClass[i]) +
                                ", too; accepted: a queue for each class");
        }
        owner = i;
    }
    if (port.entry && port.entry->Has("pfc_enable"))
    {
        ReadSonicLossless(queueOfClass, *port.entry, global, port);
    }
}

/** \return length of a port's cable in metres */
double
ReadSonicMetres(const RdmaSonicEntry& entry, const std::string& port)
{
    const std::string text = entry.GetText(port);
    const auto metres = ParseRdmaSonicNumber<uint32_t>(text.substr(0, text.find('m')), 0, 1000);
    entry.Require(metres && text.find('m') + 1 == text.size(),
                  port,
                  QuoteRdmaText(text) + "; accepted: metres, as in \"40m\", up to 1000m");
    return *metres;
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
            const double metres = ReadSonicMetres(entry, name);
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

RdmaSonicPorts
ReadRdmaSonicPorts(RdmaSonicTables& tables)
{
    RdmaSonicPorts ports;
    const RdmaSonicEntry* global = nullptr;
    for (const char* table : {"PORT_QOS_MAP", "BUFFER_PG", "BUFFER_QUEUE", "QUEUE"})
    {
        for (const auto& [key, entry] : tables.Get(table))
        {
            for (const std::string& name : SplitRdmaSonicText(key.substr(0, key.find('|'))))
            {
                if (name != "global")
                {
                    ports[GetRdmaSonicPortKey(name)].result.name = GetRdmaSonicName(name);
                }
            }
        }
    }
    tables.Require(!ports.empty(), "PORT_QOS_MAP", "names no port; accepted: at least one");
    for (const auto& [key, entry] : tables.Get("PORT_QOS_MAP"))
    {
        entry.Require(key.find('|') == std::string::npos,
                      "",
                      QuoteRdmaText(key) + "; accepted: ports separated by commas, or global");
        for (const std::string& name : SplitRdmaSonicText(key))
        {
            const RdmaSonicEntry*& of =
                name == "global" ? global : ports.at(GetRdmaSonicPortKey(name)).entry;
            entry.Require(!of || name == "global",
                          "",
                          "port " + GetRdmaSonicName(name) +
                              " is there twice; accepted: each port once");
            of = &entry;
        }
        entry.NoteOthers();
    }
    for (auto& [key, port] : ports)
    {
        ReadSonicMaps(global, port);
    }
    ReadSonicCables(tables, ports);
    return ports;
}

} // namespace ns3
