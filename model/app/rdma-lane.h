/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_LANE_H
#define RDMA_LANE_H

#include "rdma-event-order.h"
#include "rdma-queue-pair-stats.h"
#include "rdma-verbs.h"

#include <ns3/ipv4-address.h>
#include <ns3/ptr.h>

#include <cstdint>
#include <optional>

namespace ns3
{

class RdmaNic;
class RdmaQueuePair;

/**
 * \ingroup rdma
 * One end of a lane (RdmaConnectionPlan): a port and the number of its queue pairs.
 */
struct RdmaLaneEnd
{
    uint32_t nic{0};        //!< number of the NIC in its host
    uint32_t port{0};       //!< number of the port at the NIC
    uint32_t qpn{0};        //!< queue pair number, which RdmaHostConnection reserves
    uint32_t initialPsn{0}; //!< PSN of the first packet of the lane in this direction
    Ipv4Address address;    //!< address of the port
};

/**
 * \ingroup rdma
 * Two ports that the lanes of a connection join: a port of the sending host, and a port of the
 * receiving host.
 */
struct RdmaLanePorts
{
    uint32_t sourceNic{0};       //!< number of the NIC in the source
    uint32_t sourcePort{0};      //!< number of the port at that NIC
    uint32_t destinationNic{0};  //!< number of the NIC in the destination
    uint32_t destinationPort{0}; //!< number of the port at that NIC
};

/**
 * \ingroup rdma
 * A queue pair at a port of the source and its peer at a port of the destination.
 */
struct RdmaLane
{
    RdmaLaneEnd source;      //!< end that sends messages
    RdmaLaneEnd destination; //!< end that receives messages
};

/**
 * \ingroup rdma
 * What happened on a lane.
 */
struct RdmaLaneResult
{
    RdmaQueuePairStats source;         //!< counters of the sending queue pairs
    RdmaQueuePairStats destination;    //!< counters of the receiving queue pairs
    uint64_t chunks{0};                //!< chunks acknowledged
    uint64_t bytes{0};                 //!< bytes of these chunks
    bool isDown{false};                //!< the port of the source is down
    std::optional<RdmaWcStatus> error; //!< why the lane is not used any more; empty: it is used
};

/**
 * \ingroup rdma
 * Immediate data of a part of a message: the number of the part modulo 2^31 (RDMA_PART_MASK), and
 * this mark of the last part of a message.
 */
constexpr uint32_t RDMA_LAST_PART = 1U << 31;
/// Bits of the number of a part, see RDMA_LAST_PART
constexpr uint32_t RDMA_PART_MASK = RDMA_LAST_PART - 1;

/**
 * \ingroup rdma
 * Order of the timers that destroy idle queue pairs of lanes among the events of one instant. Their
 * own order does not matter.
 */
constexpr uint32_t RDMA_LANE_EVENT_ORDER = RdmaEventOrder::Programs::At<8>();

/**
 * \ingroup rdma
 * Makes one end of a lane, in an event of the NIC's node.
 *
 * \param nic NIC of the end
 * \param local the end
 * \param remote the other end
 * \param priority traffic class of data and acknowledgements, 0..7
 * \param packets packets that earlier queue pairs of the end have sent
 * \param isPassive true: the end receives messages (RdmaQueuePair::SetPassive())
 * \return the connected queue pair
 */
Ptr<RdmaQueuePair> OpenRdmaLane(RdmaNic& nic,
                                const RdmaLaneEnd& local,
                                const RdmaLaneEnd& remote,
                                uint8_t priority,
                                uint64_t packets,
                                bool isPassive);

} // namespace ns3

#endif /* RDMA_LANE_H */
