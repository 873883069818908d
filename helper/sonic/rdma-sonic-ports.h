/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_SONIC_PORTS_H
#define RDMA_SONIC_PORTS_H

#include "rdma-sonic-reader.h"
#include "rdma-sonic-tables.h"

#include <array>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace ns3
{

/// Numbers of queues or priority groups by traffic class. SONiC has 16 traffic classes.
using RdmaSonicMap = std::array<uint8_t, 16>;

/**
 * \ingroup rdma
 * A port while the files are read.
 */
struct RdmaSonicPortDraft
{
    const RdmaSonicEntry* entry{nullptr};  //!< entry of PORT_QOS_MAP
    std::array<uint8_t, 64> tcOfDscp{};    //!< DSCP_TO_TC_MAP
    RdmaSonicMap queueOfTc{};              //!< TC_TO_QUEUE_MAP
    RdmaSonicMap groupOfTc{};              //!< TC_TO_PRIORITY_GROUP_MAP
    const RdmaSonicEntry* queues{nullptr}; //!< entry of TC_TO_QUEUE_MAP
    std::array<std::string, 8> scheduler;  //!< "strict" or a weight, by class
    RdmaSonicPort result;                  //!< resulting configuration
    QbbPortBufferPlan plan;                //!< resulting buffer plan
};

/// Prefix, number and name of a port: orders names by their numbers.
using RdmaSonicPortKey = std::tuple<std::string, uint64_t, std::string>;

/// Ports in the order of the numbers in their names.
using RdmaSonicPorts = std::map<RdmaSonicPortKey, RdmaSonicPortDraft>;

/**
 * \ingroup rdma
 * \param name name of a port
 * \return a key that sorts "Ethernet4" before "Ethernet12"
 */
RdmaSonicPortKey GetRdmaSonicPortKey(const std::string& name);

/**
 * \ingroup rdma
 * \param text a text
 * \return the number of a class, priority, group or queue; empty if the text is no such number
 */
std::optional<uint32_t> ParseRdmaSonicClass(const std::string& text);

/**
 * \ingroup rdma
 * \param text a length, as in "40m"
 * \return the metres, at most 200 000 000; empty if the text is no such length
 */
std::optional<uint32_t> ParseRdmaSonicMetres(const std::string& text);

/**
 * \ingroup rdma
 * Key of a table about queues or priority groups, such as "Ethernet0,Ethernet4|3-4", or
 * "card1|Asic0|Ethernet0|3" in a chassis.
 */
struct RdmaSonicQueueKey
{
    std::string card;               //!< line card and chip; empty if the key does not name them
    std::vector<std::string> ports; //!< names of ports
    std::string numbers;            //!< "NUMBER" or "FIRST-LAST"
};

/**
 * \ingroup rdma
 * \param key key of BUFFER_PG, BUFFER_QUEUE or QUEUE
 * \return the parts of the key
 */
RdmaSonicQueueKey ParseRdmaSonicQueueKey(const std::string& key);

/**
 * \ingroup rdma
 * Finds the ports and reads their maps, lossless classes, cables and speeds. The ports are those of
 * PORT_QOS_MAP or, without this table, those of BUFFER_PG and BUFFER_QUEUE.
 *
 * \param tables tables of all files
 * \return the ports
 * \throws RdmaFileError naming file, line, object and field of an error
 */
RdmaSonicPorts ReadRdmaSonicPorts(RdmaSonicTables& tables);

} // namespace ns3

#endif /* RDMA_SONIC_PORTS_H */
