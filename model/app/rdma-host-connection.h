/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_HOST_CONNECTION_H
#define RDMA_HOST_CONNECTION_H

#include "rdma-connection-plan.h"
#include "rdma-connection-receiver.h"
#include "rdma-connection-sender.h"
#include "rdma-host-connection-user.h"
#include "rdma-host.h"
#include "rdma-lane.h"
#include "rdma-ps.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * A connection between two hosts over several NICs, ports and queue pairs, in one direction.
 *
 * Messages are RDMA WRITEs with immediate data, divided as RdmaConnectionPlan says; parts are never
 * longer than RDMA_MAX_MESSAGE_BYTES. The immediate data, 4 bytes in the last packet of each part,
 * has the number of the part (31 bits) and a mark of the last part of a message. Messages are
 * complete at the destination in the order of posting.
 *
 * If a port of the source goes down, RdmaNic::FailoverDelay later the parts that are not
 * acknowledged are posted again on other lanes. A lane whose queue pair fails, because the
 * transport's retries have found no answer, gives its parts to others at once and is not used any
 * more. The destination counts each part once, whichever lanes it has arrived on. A message fails
 * when no lane is left. Atomics are never posted again: they fail with their lane.
 *
 * The software of each host runs on the first NIC of the host. Events of that NIC's node assign
 * parts to lanes, and count what has arrived. Events of the other NICs' nodes post parts and report
 * completions, which takes RdmaHost::GetBusDelay() each way.
 *
 * Queue pairs are made when they are first used, and destroyed by Close(),
 * CloseDestinationAt() or RdmaConnectionPlan::IdleTimeout. A queue pair that is made again
 * continues the packet sequence numbers.
 *
 * The two halves share nothing but packets. A program whose nodes make the halves on first use,
 * each its own, can do without this class (RdmaPacketNetwork).
 */
class RdmaHostConnection
{
  public:
    /**
     * Makes a connection and reserves its queue pair numbers, before the run.
     *
     * \param source host that sends messages
     * \param destination host that receives messages
     * \param pairs ports that are joined by lanes, 1 or more
     * \param queuePairs number of lanes for each pair of ports, 1 or more. The first lanes join all
     *        pairs, the next lanes all pairs again, and so on
     * \param plan how messages spread over the lanes
     * \param priority traffic class of data and acknowledgements, 0..7
     * \param user is told of messages; outlives the connection's traffic
     * \param id the user's number for the connection
     */
    RdmaHostConnection(RdmaHost& source,
                       RdmaHost& destination,
                       const std::vector<RdmaLanePorts>& pairs,
                       uint32_t queuePairs,
                       const RdmaConnectionPlan& plan,
                       uint8_t priority,
                       RdmaHostConnectionUser& user,
                       uint64_t id);
    ~RdmaHostConnection();

    RdmaHostConnection(const RdmaHostConnection&) = delete;
    RdmaHostConnection& operator=(const RdmaHostConnection&) = delete;

    /** \return id of the node at the source whose events use the connection */
    uint32_t GetSourceNode() const
    {
        return m_sender->GetNodeId();
    }

    /** \return id of the node at the destination whose events use the connection */
    uint32_t GetDestinationNode() const
    {
        return m_receiver->GetNodeId();
    }

    /** \return number of lanes */
    uint32_t GetNLanes() const
    {
        return m_sender->GetNLanes();
    }

    /** \param lane number of a lane, from 0 \return the lane */
    const RdmaLane& GetLane(uint32_t lane) const
    {
        return m_sender->GetLane(lane);
    }

    /** \copydoc RdmaConnectionSender::Post() */
    uint64_t Post(uint64_t bytes,
                  uint64_t remoteAddress = 0,
                  uint32_t rKey = 0,
                  std::optional<uint32_t> lane = {})
    {
        return m_sender->Post(bytes, remoteAddress, rKey, lane);
    }

    /** \copydoc RdmaConnectionSender::PostAtomic() */
    uint64_t PostAtomic(RdmaWrOpcode opcode,
                        uint64_t remoteAddress,
                        uint64_t compareAdd,
                        uint64_t swap = 0,
                        uint32_t rKey = 0)
    {
        return m_sender->PostAtomic(opcode, remoteAddress, compareAdd, swap, rKey);
    }

    /** Destroys the sending queue pairs, in an event of GetSourceNode(). */
    void Close()
    {
        m_sender->Close();
    }

    /**
     * Destroys the receiving queue pairs at an instant, or later if they then have an
     * acknowledgement to send. To be called in an event of GetDestinationNode().
     *
     * \param at the instant
     */
    void CloseDestinationAt(RdmaPs at)
    {
        m_receiver->CloseAt(at);
    }

    /** \return parts that arrived again after they had been counted */
    uint64_t GetNDuplicates() const
    {
        return m_receiver->GetNDuplicates();
    }

    /** \return parts that were posted again on another lane */
    uint64_t GetNRepeated() const
    {
        return m_sender->GetNRepeated();
    }

    /** \param lane number of a lane \return what has happened on the lane, while all nodes rest */
    RdmaLaneResult GetResult(uint32_t lane) const;

    /** \return what the connection is waiting for, for reports, while all nodes rest */
    std::string Describe() const
    {
        return m_sender->Describe();
    }

  private:
    /// The receiver, for the NICs' late handlers, which outlive it; null once it is destroyed
    std::shared_ptr<RdmaConnectionReceiver*> m_late;
    std::unique_ptr<RdmaConnectionSender> m_sender;     //!< half at the source
    std::unique_ptr<RdmaConnectionReceiver> m_receiver; //!< half at the destination
};

} // namespace ns3

#endif /* RDMA_HOST_CONNECTION_H */
