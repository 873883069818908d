/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_CLASS_FINDINGS_H
#define RDMA_CLASS_FINDINGS_H

#include "qbb-port-counters.h"
#include "rdma-class-forecast.h"
#include "rdma-fabric.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma-explain
 * Largest number of bytes among several ports, and the name of the port with that number.
 */
struct RdmaPeak
{
    uint64_t bytes{0}; //!< the largest number
    std::string port;  //!< name of the port; empty if all are 0
    uint64_t limit{0}; //!< most bytes that the port may have; 0: not known

    /**
     * Considers a port.
     *
     * \param other bytes of the port
     * \param name name of the port
     * \param most limit of the port; if it is above 0, ports are compared by their bytes as a share
     *        of their limits
     */
    void Raise(uint64_t other, const std::string& name, uint64_t most = 0);
};

/**
 * \ingroup rdma-explain
 * What happened at the ports of a kind.
 */
struct RdmaKindFindings
{
    RdmaPeak queue;    //!< longest egress queue
    RdmaPeak ingress;  //!< fullest ingress port; only for switches
    RdmaPeak headroom; //!< headroom of which most is in use; only for switches
    /// Room of the fullest ingress port while all other ports are idle
    std::optional<RdmaIngressRoom> room;
    uint64_t xoffSent{0};     //!< pauses and repeated pauses sent
    uint64_t xoffReceived{0}; //!< pauses and repeated pauses received
    uint32_t pausing{0};      //!< ports that sent pauses
    uint64_t marks{0};        //!< packets marked
    uint64_t drops{0};        //!< frames dropped
    /// Smallest lower bound of the dynamic XOFF threshold; 0: the threshold is not dynamic
    uint64_t lowestXoff{0};
};

/**
 * \ingroup rdma-explain
 * What happened to a traffic class during a run.
 */
struct RdmaClassFindings
{
    std::vector<RdmaKindFindings> kinds;           //!< by index of RdmaClassForecast::kinds
    std::string xoffAttribute;                     //!< attribute for XOFF; empty: none
    std::string sizeAttribute;                     //!< attribute for the memory; empty: none
    std::map<QbbDropReason, uint64_t> dropReasons; //!< drops of all classes by reason
};

/**
 * \ingroup rdma-explain
 * \param fabric a fabric after its run
 * \param forecast what was known of the class before the run
 * \return what happened to the class, in all processes that share the simulation
 */
RdmaClassFindings FindRdmaClass(const RdmaFabric& fabric, const RdmaClassForecast& forecast);

} // namespace ns3

#endif /* RDMA_CLASS_FINDINGS_H */
