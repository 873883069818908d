/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_SONIC_PORTS_H
#define RDMA_SONIC_PORTS_H

#include "rdma-sonic-reader.h"
#include "rdma-sonic-tables.h"

#include <array>
#include <map>
#include <string>
#include <tuple>

namespace ns3
{

using RdmaSonicMap = std::array<uint8_t, 8>; //!< numbers of classes, queues or groups

/**
 * \ingroup rdma
 * A port while the files are read.
 */
struct RdmaSonicPortDraft
{
    const RdmaSonicEntry* entry{nullptr}; //!< entry of PORT_QOS_MAP
    RdmaSonicMap classOfQueue{};          //!< inverse of TC_TO_QUEUE_MAP
    RdmaSonicMap groupOfClass{};          //!< TC_TO_PRIORITY_GROUP_MAP
    std::array<std::string, 8> scheduler; //!< "strict" or a weight, by class
    RdmaSonicPort result;                 //!< resulting configuration
    QbbPortBufferPlan plan;               //!< resulting buffer plan
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
 * Finds the ports in table keys such as "Ethernet0" and "Ethernet0,Ethernet4|3-4", and reads their
 * maps, lossless classes, cables and speeds.
 *
 * \param tables tables of all files
 * \return the ports
 * \throws RdmaFileError naming file, line, object and field of an error
 */
RdmaSonicPorts ReadRdmaSonicPorts(RdmaSonicTables& tables);

} // namespace ns3

#endif /* RDMA_SONIC_PORTS_H */
