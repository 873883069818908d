/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_SONIC_READER_H
#define RDMA_SONIC_READER_H

#include "qbb-bit-rate.h"
#include "qbb-buffer-plan.h"
#include "qbb-ecn-marker.h"
#include "rdma-fabric.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * What a SONiC configuration says of a port, by traffic class where it matters.
 */
struct RdmaSonicPort
{
    std::string name;                                  //!< as in "Ethernet0"
    std::optional<QbbBitRate> rate;                    //!< speed of PORT
    std::array<uint8_t, 64> classOfDscp{};             //!< DSCP_TO_TC_MAP
    uint8_t losslessMask{0};                           //!< pfc_enable of PORT_QOS_MAP
    std::string scheduler;                             //!< attribute Scheduler of the port
    std::array<std::optional<QbbEcnProfile>, 8> ecn{}; //!< WRED_PROFILE; by class
    std::optional<double> cableMetres;                 //!< CABLE_LENGTH
};

/**
 * \ingroup rdma
 * What a pair of buffers.json and qos.json says.
 */
struct RdmaSonicConfig
{
    QbbBufferPlan plan;               //!< pools, profiles, groups and queues; ports as below
    std::vector<RdmaSonicPort> ports; //!< in the order of the numbers in their names
    std::vector<std::string> notes;   //!< what the files say and this module has no use for
};

/**
 * \ingroup rdma
 * Reads the buffer and quality-of-service part of a SONiC configuration.
 *
 * Tables: BUFFER_POOL, BUFFER_PROFILE, BUFFER_PG, BUFFER_QUEUE, CABLE_LENGTH, PORT (its
 * speeds), PORT_QOS_MAP, DSCP_TO_TC_MAP, TC_TO_QUEUE_MAP, TC_TO_PRIORITY_GROUP_MAP,
 * MAP_PFC_PRIORITY_TO_QUEUE, SCHEDULER, QUEUE and WRED_PROFILE, each in either file. Names of other
 * objects may stand alone ("AZURE") or in the old form ("[DSCP_TO_TC_MAP|AZURE]"). Other tables and
 * fields become notes.
 *
 * What is made of them:
 *
 * - A traffic class is a class here. TC_TO_QUEUE_MAP may renumber queues; two classes in one queue
 *   are refused. Several lossy classes may be in one priority group; a lossless one needs its own.
 * - A pool's size is what is shared; reserves (size of a profile) and headroom come on top, as far
 *   as the memory of the switch is concerned. With an xoff, the pool has that much headroom for all
 *   its groups (a shared headroom pool); without, each group has its profile's xoff, and a size
 * that includes it, as on Mellanox's switches, is reduced by it.
 * - dynamic_th n is an alpha of 2^n for -7..6; -8 is 0, and 7 or 8 are no limit but the pool's.
 * - A WRED profile that marks green packets (ecn_green, ecn_green_yellow, ecn_green_red, ecn_all)
 *   becomes a marking curve with the green thresholds, in bytes at any rate; one that marks none is
 *   refused if it drops (wred_green_enable).
 * - DWRR and WRR weights and STRICT become the port's scheduler; a queue without one is strict.
 *
 * \param buffers text of buffers.json
 * \param buffersName its name for messages
 * \param qos text of qos.json; the same text if one file has it all
 * \param qosName its name for messages; the same name if one file has it all
 * \return the configuration
 * \throws RdmaFileError naming the file, the line, the object and the field that is wrong
 */
RdmaSonicConfig ParseRdmaSonicConfig(const std::string& buffers,
                                     const std::string& buffersName,
                                     const std::string& qos,
                                     const std::string& qosName);

/**
 * \ingroup rdma
 * \param buffersPath buffers.json
 * \param qosPath qos.json; the same path if one file has it all
 * \return the configuration
 * \throws RdmaFileError naming what is wrong
 */
RdmaSonicConfig ReadRdmaSonicConfig(const std::string& buffersPath, const std::string& qosPath);

/**
 * \ingroup rdma
 * Gives all switches of a fabric a configuration: the first ports of the configuration, in the
 * order of their numbers, are the ports of each switch; the first of its speed, where the table
 * PORT has speeds. Hosts get the classes of the port that they
 * are at, and its lossless ones. Call it before the hosts' queue pairs are made.
 *
 * \param fabric the fabric
 * \param config the configuration
 * \param bufferBytes memory of each switch; 0: as much as the configuration divides
 * \return notes: links whose headroom is less than QbbPfcHeadroom computes, cables longer than
 *         CABLE_LENGTH says
 * \throws std::invalid_argument if a switch has more ports or needs more memory, or if both ends of
 *         a link are to be different
 */
std::vector<std::string> ApplyRdmaSonicConfig(RdmaFabric& fabric,
                                              const RdmaSonicConfig& config,
                                              uint64_t bufferBytes = 0);

} // namespace ns3

#endif /* RDMA_SONIC_READER_H */
