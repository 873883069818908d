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
 * What a queue pair under congestion control is to have: the profile of its path, the telemetry
 * that its packets have room for, and a reaction point that goes with both.
 *
 * Congestion control asks for one telemetry record of each switch, or for a byte of utilisation, or
 * for neither. Packets are longer by as much, and so is the round trip.
 */
class RdmaReactionPlan
{
  public:
    /**
     * Asks the NIC's path oracle, if it has one. Aborts with a message if the path has too many
     * switches for telemetry, if a full packet with telemetry does not fit the port's MTU, or if
     * congestion control asks for both kinds of telemetry.
     *
     * \param qp the queue pair, whose peer is known; outlives the plan
     * \param control congestion control; outlives the plan
     */
    RdmaReactionPlan(const RdmaQueuePair& qp, const RdmaCongestionControl& control);

    /** \param endpoint the queue pair's endpoint \return a reaction point for it */
    std::unique_ptr<RdmaReactionPoint> MakeReactionPoint(RdmaEndpoint& endpoint) const;

  private:
    /** Asks the path oracle, if there is one, for what it knows of the path. */
    void AskOracle();

    /** \return bytes of telemetry in each packet; 0: none */
    uint32_t PlanTelemetry();

    /** \param trailer bytes of telemetry in each packet, 1 and above */
    void AddTrailer(uint32_t trailer);

    const RdmaQueuePair& m_qp;              //!< the queue pair
    const RdmaCongestionControl& m_control; //!< congestion control
    RdmaPathProfile m_profile;              //!< what its controller is told
    RdmaIntRoom m_intRoom;                  //!< for telemetry records
};

} // namespace ns3

#endif /* RDMA_REACTION_PLAN_H */
