/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_SONIC_READER_H
#define RDMA_SONIC_READER_H

#include "qbb-buffer-plan.h"
#include "qbb-ecn-marker.h"
#include "rdma-bit-rate.h"
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
 * Configuration of a port in SONiC, by traffic class where applicable.
 */
struct RdmaSonicPort
{
    std::string name;                      //!< name of the port, for instance "Ethernet0"
    std::optional<RdmaBitRate> rate;       //!< speed from the table PORT
    std::array<uint8_t, 64> classOfDscp{}; //!< traffic class by DSCP, from DSCP_TO_TC_MAP
    std::array<uint8_t, 8> groupOfClass{}; //!< priority group by class, TC_TO_PRIORITY_GROUP_MAP
    uint8_t losslessMask{0}; //!< bit mask of lossless classes, from pfc_enable of PORT_QOS_MAP
    /// Bit mask of priority groups with the profile NULL, which buffermgrd computes
    uint8_t dynamicGroups{0};
    std::string scheduler; //!< value of the attribute Scheduler of the port
    /// Marking curve by class, from WRED_PROFILE
    std::array<std::optional<QbbEcnProfile>, 8> ecn{};
    std::optional<uint32_t> cableMetres; //!< cable length in metres, from CABLE_LENGTH
};

/**
 * \ingroup rdma
 * A line of pg_profile_lookup.ini: the profile of the lossless groups of ports with a speed and a
 * cable.
 */
struct RdmaSonicPgLine
{
    RdmaBitRate rate;   //!< speed
    uint32_t metres{0}; //!< length of the cable
    QbbBufferProfile
        profile; //!< the profile, with buffermgrd's name, in the pool of lossless groups
};

/**
 * \ingroup rdma
 * Contents of the files buffers.json, qos.json and pg_profile_lookup.ini.
 */
struct RdmaSonicConfig
{
    /// The files have the table BUFFER_POOL. Without it the buffers of switches stay as they are.
    bool hasBuffers{false};
    /// The files have the table PORT_QOS_MAP. Without it classes, PFC, weights and marking stay as
    /// they are.
    bool hasQos{false};
    /// Pools, profiles, groups and queues; ports in the order of the member ports. A pool without a
    /// size in the files has 0 bytes here.
    QbbBufferPlan plan;
    std::vector<RdmaSonicPort> ports; //!< ports in the order of the numbers in their names
    /// Index of the pool ingress_lossless_pool, in which buffermgrd makes lossless groups
    std::optional<uint32_t> losslessPool;
    double computedAlpha{0.125}; //!< alpha of lossless groups without a profile in the files
    std::string pgLookupName;    //!< name of pg_profile_lookup.ini; empty: none
    std::vector<RdmaSonicPgLine> pgLookup; //!< lines of pg_profile_lookup.ini
    std::vector<std::string> notes;        //!< contents of the files that need a remark
};

/**
 * \ingroup rdma
 * Name and content of a file.
 */
struct RdmaSonicFile
{
    std::string name; //!< name for messages; empty: there is no such file
    std::string text; //!< content
};

/**
 * \ingroup rdma
 * Reads the buffer and quality-of-service part of a SONiC configuration.
 *
 * The reader supports the tables BUFFER_POOL, BUFFER_PROFILE, BUFFER_PG, BUFFER_QUEUE,
 * CABLE_LENGTH, DEFAULT_LOSSLESS_BUFFER_PARAMETER, PORT (speeds only), PORT_QOS_MAP,
 * DSCP_TO_TC_MAP, TC_TO_QUEUE_MAP, TC_TO_PRIORITY_GROUP_MAP, MAP_PFC_PRIORITY_TO_QUEUE, SCHEDULER,
 * QUEUE and WRED_PROFILE, each in either file. References to objects may be plain ("AZURE") or in
 * the old form
 * ("[DSCP_TO_TC_MAP|AZURE]"). Other tables and fields become notes. If a name occurs again in a
 * table or an object, the last value counts, as in SONiC, and a note says so.
 *
 * Interpretation of the tables:
 *
 * - A traffic class 0 to 7 of SONiC is a class of the module, and each has a queue of its own.
 *   TC_TO_QUEUE_MAP may renumber queues. Lossy classes that share a queue in the files each have a
 *   queue with its settings here, with a note; a lossless class must not share its queue. A class
 *   above 7 is the class 0 to 7 with its queue and priority group. Several lossy classes may share
 * a priority group; a lossless class needs a separate group.
 * - The ports are those of PORT_QOS_MAP, or without this table those of BUFFER_PG and BUFFER_QUEUE.
 *   Keys of a chassis ("card|chip|Ethernet0|3") apply to the port of that name.
 * - The size of a pool is the shared memory; reserves (size of a profile) and headroom need
 *   additional memory of the switch. A pool with an xoff has that much headroom for all its groups
 *   (a shared headroom pool). Otherwise each group has the xoff of its profile as headroom, and a
 *   size that includes the xoff, as on Mellanox's switches, is reduced by the xoff. A pool of type
 *   "both" is an ingress pool and an egress pool of its size. A pool of size 0 gives no memory to
 *   the users of its profiles. ApplyRdmaSonicConfig() chooses the size of a pool without a size.
 * - A profile without an xoff, or with an xoff of 0, gives no headroom.
 * - A lossless class whose priority group has no profile, or the profile NULL, has the profile that
 *   buffermgrd makes at run time: that of pg_profile_lookup.ini for the speed and the cable of the
 *   port, or, without this file, one with the computed headroom (QbbPfcHeadroom).
 * - dynamic_th n is an alpha of 2^n for n = -7..6; -8 is an alpha of 0; with 7 or 8, only the pool
 *   limits the queue.
 * - A WRED profile that marks green packets (ecn_green, ecn_green_yellow, ecn_green_red, ecn_all)
 *   becomes a marking curve with the green thresholds, in bytes at any rate. It marks whether
 *   wred_green_enable is true or not, as SAI describes ECN; there are chips that mark only if it is
 *   true, so a note names such profiles. Early drops are not modelled: a profile that drops green
 *   packets (wred_green_enable) without marking them becomes a note.
 * - DWRR and WRR weights and STRICT become the scheduler of the port; a queue without a scheduler
 *   is strict.
 *
 * \param buffers buffers.json, config_db.json, or none
 * \param qos qos.json, or none; the same file as \p buffers if their names are equal
 * \param pgLookup pg_profile_lookup.ini, or none
 * \return the configuration
 * \throws RdmaFileError naming file, line, object and field of the error
 */
RdmaSonicConfig ParseRdmaSonicConfig(const RdmaSonicFile& buffers,
                                     const RdmaSonicFile& qos = {},
                                     const RdmaSonicFile& pgLookup = {});

/**
 * \ingroup rdma
 * \param buffersPath path of buffers.json or config_db.json; empty: none
 * \param qosPath path of qos.json; empty: none; may be equal to \p buffersPath
 * \param pgLookupPath path of pg_profile_lookup.ini; empty: none
 * \return the configuration
 * \throws RdmaFileError naming file, line, object and field of the error
 */
RdmaSonicConfig ReadRdmaSonicConfig(const std::string& buffersPath,
                                    const std::string& qosPath = "",
                                    const std::string& pgLookupPath = "");

/**
 * \ingroup rdma
 * Applies a configuration to all switches of a fabric. Each port of a switch gets the first unused
 * port of the configuration in the order of port numbers; if the table PORT has speeds, only ports
 * of the same speed match. Hosts get the DSCP map and the lossless classes of their switch port.
 * Call the function before queue pairs of hosts are created.
 *
 * A configuration without PORT_QOS_MAP leaves classes, PFC, weights and marking as they are; its
 * priority group 0 is for the lossy classes, and group i for the lossless class i. A configuration
 * without BUFFER_POOL leaves the buffers as they are.
 *
 * Pools without a size get what reserves, headroom and the other ingress pools leave of the memory:
 * ingress pools equal parts of the rest, egress pools as much as one of them or, if there is none,
 * as much as all ingress pools.
 *
 * \param fabric the fabric
 * \param config the configuration
 * \param bufferBytes memory of each switch in bytes; 0: the sum that the configuration requires, or
 *        the largest egress pool if an ingress pool has no size
 * \return notes, one for each fact: groups that the module had to complete, links with less
 * headroom than QbbPfcHeadroom computes, cables longer than CABLE_LENGTH \throws
 * std::invalid_argument if a switch has more ports than the configuration, if the configuration
 * needs more than \p bufferBytes, if pg_profile_lookup.ini has no line for a port, or if the ends
 * of a link differ in lossless classes
 */
std::vector<std::string> ApplyRdmaSonicConfig(RdmaFabric& fabric,
                                              const RdmaSonicConfig& config,
                                              uint64_t bufferBytes = 0);

} // namespace ns3

#endif /* RDMA_SONIC_READER_H */
