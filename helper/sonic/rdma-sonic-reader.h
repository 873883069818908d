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
 * Configuration of a port in SONiC, by traffic class where applicable.
 */
struct RdmaSonicPort
{
    std::string name;                      //!< name of the port, for instance "Ethernet0"
    std::optional<QbbBitRate> rate;        //!< speed from the table PORT
    std::array<uint8_t, 64> classOfDscp{}; //!< traffic class by DSCP, from DSCP_TO_TC_MAP
    uint8_t losslessMask{0}; //!< bit mask of lossless classes, from pfc_enable of PORT_QOS_MAP
    std::string scheduler;   //!< value of the attribute Scheduler of the port
    /// Marking curve by class, from WRED_PROFILE
    std::array<std::optional<QbbEcnProfile>, 8> ecn{};
    std::optional<double> cableMetres; //!< cable length in metres, from CABLE_LENGTH
};

/**
 * \ingroup rdma
 * Contents of a pair of files buffers.json and qos.json.
 */
struct RdmaSonicConfig
{
    /// Pools, profiles, groups and queues; ports in the order of the member ports
    QbbBufferPlan plan;
    std::vector<RdmaSonicPort> ports; //!< ports in the order of the numbers in their names
    std::vector<std::string> notes;   //!< contents of the files that this module ignores
};

/**
 * \ingroup rdma
 * Reads the buffer and quality-of-service part of a SONiC configuration.
 *
 * The reader supports the tables BUFFER_POOL, BUFFER_PROFILE, BUFFER_PG, BUFFER_QUEUE,
 * CABLE_LENGTH, PORT (speeds only), PORT_QOS_MAP, DSCP_TO_TC_MAP, TC_TO_QUEUE_MAP,
 * TC_TO_PRIORITY_GROUP_MAP, MAP_PFC_PRIORITY_TO_QUEUE, SCHEDULER, QUEUE and WRED_PROFILE, each in
 * either file. References to objects may be plain ("AZURE") or in the old form
 * ("[DSCP_TO_TC_MAP|AZURE]"). Other tables and fields become notes.
 *
 * Interpretation of the tables:
 *
 * - A traffic class of SONiC is a class of the module. TC_TO_QUEUE_MAP may renumber queues; two
 *   classes in one queue are rejected. Several lossy classes may share a priority group; a lossless
 *   class needs a separate group.
 * - The size of a pool is the shared memory; reserves (size of a profile) and headroom need
 *   additional memory of the switch. A pool with an xoff has that much headroom for all its groups
 *   (a shared headroom pool). Otherwise each group has the xoff of its profile as headroom, and a
 *   size that includes the xoff, as on Mellanox's switches, is reduced by the xoff.
 * - dynamic_th n is an alpha of 2^n for n = -7..6; -8 is an alpha of 0; with 7 or 8, only the pool
 *   limits the queue.
 * - A WRED profile that marks green packets (ecn_green, ecn_green_yellow, ecn_green_red, ecn_all)
 *   becomes a marking curve with the green thresholds, in bytes at any rate. A profile that drops
 *   green packets (wred_green_enable) without marking them is rejected.
 * - DWRR and WRR weights and STRICT become the scheduler of the port; a queue without a scheduler
 *   is strict.
 *
 * \param buffers text of buffers.json
 * \param buffersName name of buffers.json for messages
 * \param qos text of qos.json; equal to \p buffers if one file contains everything
 * \param qosName name of qos.json for messages; equal to \p buffersName if one file contains
 *        everything
 * \return the configuration
 * \throws RdmaFileError naming file, line, object and field of the error
 */
RdmaSonicConfig ParseRdmaSonicConfig(const std::string& buffers,
                                     const std::string& buffersName,
                                     const std::string& qos,
                                     const std::string& qosName);

/**
 * \ingroup rdma
 * \param buffersPath path of buffers.json
 * \param qosPath path of qos.json; equal to \p buffersPath if one file contains everything
 * \return the configuration
 * \throws RdmaFileError naming file, line, object and field of the error
 */
RdmaSonicConfig ReadRdmaSonicConfig(const std::string& buffersPath, const std::string& qosPath);

/**
 * \ingroup rdma
 * Applies a configuration to all switches of a fabric. Each port of a switch gets the first unused
 * port of the configuration in the order of port numbers; if the table PORT has speeds, only ports
 * of the same speed match. Hosts get the DSCP map and the lossless classes of their switch port.
 * Call the function before queue pairs of hosts are created.
 *
 * \param fabric the fabric
 * \param config the configuration
 * \param bufferBytes memory of each switch in bytes; 0: the sum that the configuration requires
 * \return notes about links with less headroom than QbbPfcHeadroom computes, and about cables
 *         longer than CABLE_LENGTH
 * \throws std::invalid_argument if a switch has more ports than the configuration, if the
 *         configuration needs more than \p bufferBytes, or if the ends of a link differ in lossless
 *         classes
 */
std::vector<std::string> ApplyRdmaSonicConfig(RdmaFabric& fabric,
                                              const RdmaSonicConfig& config,
                                              uint64_t bufferBytes = 0);

} // namespace ns3

#endif /* RDMA_SONIC_READER_H */
