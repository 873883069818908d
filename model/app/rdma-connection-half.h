/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_CONNECTION_HALF_H
#define RDMA_CONNECTION_HALF_H

#include "rdma-connection-plan.h"
#include "rdma-host-connection-user.h"
#include "rdma-host.h"
#include "rdma-lane.h"
#include "rdma-note-box.h"
#include "rdma-ps.h"
#include "rdma-queue-pair.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * What a half of a connection between hosts is made of.
 */
struct RdmaConnectionTerms
{
    RdmaHost& host;                 //!< host of the half
    uint32_t home;                  //!< number of the NIC on which the software runs
    std::vector<RdmaLane> lanes;    //!< 1 or more, with reserved numbers; equal at both halves
    const RdmaConnectionPlan& plan; //!< how messages spread over the lanes
    uint8_t priority;               //!< traffic class of data and acknowledgements, 0..7
    RdmaHostConnectionUser& user;   //!< is told of messages; outlives the connection's traffic
    uint64_t id;                    //!< the user's number for the connection
};

/**
 * \ingroup rdma
 * What the sending and the receiving half of a connection between hosts have in common; see
 * RdmaHostConnection for the rules.
 *
 * The software of the connection runs on one NIC of the host, its home. A lane at another NIC needs
 * RdmaHost::UseBus() before the run, a sending lane at the home RdmaHost::WatchPorts().
 */
class RdmaConnectionHalf : protected RdmaNoteReceiver, protected RdmaQueuePairUser
{
  public:
    RdmaConnectionHalf(const RdmaConnectionHalf&) = delete;
    RdmaConnectionHalf& operator=(const RdmaConnectionHalf&) = delete;

    /** \return id of the home's node, whose events use the half */
    uint32_t GetNodeId() const
    {
        return m_host.GetNic(m_home).GetNodeId();
    }

    /** \return number of lanes */
    uint32_t GetNLanes() const
    {
        return static_cast<uint32_t>(m_lanes.size());
    }

    /** \param lane number of a lane, from 0 \return the lane */
    const RdmaLane& GetLane(uint32_t lane) const
    {
        return m_lanes[lane];
    }

  protected:
    /** \param terms what the half is made of */
    explicit RdmaConnectionHalf(RdmaConnectionTerms&& terms);
    ~RdmaConnectionHalf() override = default;

    /** \param kind meaning of a note \param lane number of a lane \return a note to this half */
    RdmaNote MakeNote(uint32_t kind, uint32_t lane);

    RdmaHost& m_host;               //!< host of the half
    uint32_t m_home;                //!< number of the NIC on which the software runs
    std::vector<RdmaLane> m_lanes;  //!< the lanes
    uint8_t m_priority;             //!< traffic class
    uint32_t m_depth;               //!< most parts posted on a lane
    RdmaPs m_idleTimeout;           //!< time until unused queue pairs are destroyed; 0: never
    RdmaHostConnectionUser& m_user; //!< is told of messages
    uint64_t m_id;                  //!< the user's number for the connection
};

} // namespace ns3

#endif /* RDMA_CONNECTION_HALF_H */
