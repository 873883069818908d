/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_REACTION_PLAN_H
#define RDMA_REACTION_PLAN_H

#include "rdma-congestion-control.h"
#include "rdma-int-format.h"
#include "rdma-reaction-point.h"

#include <cstdint>
#include <memory>

namespace ns3
{

class RdmaEndpoint;
class RdmaQueuePair;

/**
 * \ingroup rdma
 * Congestion-control setup of a queue pair: determines the profile of its path and the telemetry
 * space of its packets, and makes a matching reaction point.
 *
 * Congestion control asks for a telemetry record from each switch, for a byte of link utilisation,
 * or for no telemetry. Telemetry lengthens packets and therefore the round trip.
 */
class RdmaReactionPlan
{
  public:
    /**
     * Queries the NIC's path oracle, if the NIC has one. Without an oracle, the ports of the
     * network decide on RdmaIntFormat::AUTO.
     *
     * \param qp a queue pair whose peer is known; outlives the plan
     * \param control congestion control; outlives the plan
     * \throws std::invalid_argument if the path has too many switches for telemetry, if a full
     *         packet with telemetry exceeds the port's MTU, if the telemetry format has no code for
     *         the rate of a port, or if congestion control asks for both kinds of telemetry
     */
    RdmaReactionPlan(const RdmaQueuePair& qp, const RdmaCongestionControl& control);

    /** \param endpoint the queue pair's endpoint \return a reaction point for the queue pair */
    std::unique_ptr<RdmaReactionPoint> MakeReactionPoint(RdmaEndpoint& endpoint) const;

  private:
    /** Fills in the path profile from the path oracle, if the NIC has one. */
    void AskOracle();

    /** \return bytes of telemetry in each packet; 0: no telemetry */
    uint32_t PlanTelemetry();

    /** \param trailer bytes of telemetry in each packet, at least 1 */
    void AddTrailer(uint32_t trailer);

    const RdmaQueuePair& m_qp;              //!< the queue pair to set up
    const RdmaCongestionControl& m_control; //!< congestion control of the queue pair
    RdmaPathProfile m_profile;              //!< path profile given to the rate controller
    RdmaIntRoom m_intRoom;                  //!< space for telemetry records in each packet
};

} // namespace ns3

#endif /* RDMA_REACTION_PLAN_H */
