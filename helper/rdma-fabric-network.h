/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FABRIC_NETWORK_H
#define RDMA_FABRIC_NETWORK_H

#include "rdma-network-times.h"
#include "rdma-ps.h"

#include <array>
#include <cstdint>
#include <string>

namespace ns3
{

class RdmaFabric;

/**
 * \ingroup rdma
 * What the network of a fabric does to frames of a traffic class.
 */
struct RdmaClassNetwork
{
    /// Why frames of the class may get lost, for messages; empty: no frame can get lost
    std::string loss;
    RdmaPs queueTime{0}; //!< longest time that a port takes to send its largest queue
    RdmaPs stormTime{0}; //!< time that PFC watchdogs take, if nothing else loses frames
};

/**
 * \ingroup rdma
 * Examines which frames the network of a fabric may lose, and how long its queues can become. The
 * present settings of devices and switches count.
 *
 * Frames of a class may get lost if
 *
 * - a port has an error model that can lose frames,
 * - a port does not pause the class (QbbNetDevice::FlowControl, QbbNetDevice::PfcClasses),
 * - a port of a switch has less headroom than QbbPfcHeadroom computes, or shares a pool of headroom
 *   that is too small for all ports at once,
 * - a PFC watchdog of a switch drops or forwards frames of lossless classes,
 * - a planned failure takes a link down or makes it lossy (RdmaFabric::InstallFailures()), or slows
 *   one direction alone, so that pauses take longer than the headroom allows for.
 *
 * Ports that a planned failure slows have the slowest rate. Links that a script takes down by
 * itself, and receivers that take frames too slowly, are not foreseen.
 *
 * \param fabric a fabric
 * \return properties of each class
 */
std::array<RdmaClassNetwork, 8> ExamineRdmaNetwork(const RdmaFabric& fabric);

/**
 * \ingroup rdma
 * \param fabric a fabric
 * \param network properties of its classes
 * \param classes bit p set: class p counts
 * \param packetBytes frame bytes of a full packet
 * \param ackBytes frame bytes of an acknowledgement
 * \return the times from which retransmission timeouts of the classes follow
 */
RdmaNetworkTimes GetRdmaNetworkTimes(const RdmaFabric& fabric,
                                     const std::array<RdmaClassNetwork, 8>& network,
                                     uint8_t classes,
                                     uint32_t packetBytes,
                                     uint32_t ackBytes);

} // namespace ns3

#endif /* RDMA_FABRIC_NETWORK_H */
