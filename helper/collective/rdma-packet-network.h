/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_PACKET_NETWORK_H
#define RDMA_PACKET_NETWORK_H

#include "rdma-connection-plan.h"
#include "rdma-lane.h"
#include "rdma-queue-pair.h"
#include "rdma-schedule-network.h"

#include <ns3/nstime.h>
#include <ns3/ptr.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

class RdmaFabric;
class RdmaQueueHistory;

/**
 * \ingroup rdma-collective
 * The network of a fabric: messages are RDMA WRITEs with immediate data, in packets.
 *
 * A rank is software of its NIC's node (RdmaSchedulePlace::nic). Two ranks that exchange messages
 * have a connection (RdmaConnectionSender, RdmaConnectionReceiver) in each direction, and another
 * one for each further traffic class. Ports of the same number are joined by QueuePairs lanes each,
 * as Plan says; if one NIC has fewer ports, the others are not used. Ports of a bond count as one.
 * The ranks must be on different NICs, because a message leaves the host.
 *
 * Queue pair numbers are reserved by Install(). The sender makes its half of a connection with the
 * first message, the receiver with the first packet. Queue pairs without traffic are destroyed
 * after the plan's IdleTimeout and made again when they are needed; congestion control then starts
 * anew.
 *
 * On the wire, a message has no more bytes than its `bytes`: the numbers that tell messages apart
 * are in the address of the RETH, which a schedule does not need otherwise. What a real library
 * adds is RdmaOperationSchedule::HeaderBytes. A message without bytes is one packet without
 * payload.
 */
class RdmaPacketNetwork : public RdmaScheduleNetwork
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId();

    RdmaPacketNetwork();
    ~RdmaPacketNetwork() override;

    /** \param fabric the fabric, to be set before Install() */
    void SetFabric(Ptr<RdmaFabric> fabric);

    void Install(RdmaScheduleNetworkUser& user,
                 const std::vector<RdmaSchedulePlace>& places) override;
    uint32_t GetNodeId(uint32_t rank) const override;
    bool IsLocal(uint32_t rank) const override;
    RdmaBitRate GetRate(uint32_t rank) const override;
    void Send(const RdmaScheduleMessage& message, uint64_t id) override;
    // The carrier is a rank of the sender's host.
    void Forward(uint32_t carrier, const RdmaScheduleMessage& message, uint64_t id) override;
    std::string DescribeWait(uint32_t rank) const override;
    void Share() override;

    /**
     * Says where the longest queue was that the message met, with the attribute QueuePeriod. On
     * paths by ECMP, the port is one of the message's own path. With other path selectors, and with
     * entropies, the message has many paths: the port is the NIC's or the last switch's.
     *
     * \param message a message that has arrived
     * \param from when the message was sent
     * \param until when the message was in memory
     * \return what follows "and", as in "met a queue of 30.000 us at leaf-2 to spine-0"; empty:
     *         the message met no queue that takes RdmaQueueHistory::LEAST_WAIT
     */
    std::string DescribeDelay(const RdmaScheduleMessage& message,
                              RdmaPs from,
                              RdmaPs until) const override;

    /** \return counters of all queue pairs, while all nodes rest */
    RdmaLaneResult GetTotals() const;

  protected:
    void DoDispose() override;

  private:
    /** Which connection: the parties, and the traffic class. */
    struct Key
    {
        uint32_t from{0};    //!< rank that sends
        uint32_t to{0};      //!< rank that receives
        uint32_t carrier{0}; //!< rank whose NIC sends
        uint8_t priority{0}; //!< traffic class
    };

    class Rank;
    class Outgoing;
    class Incoming;

    uint32_t GetNumber(const Key& key, bool isSender, uint32_t lane) const;
    std::vector<RdmaLane> MakeLanes(const Key& key) const;
    Ptr<RdmaQueuePair> OpenLate(uint32_t to, uint32_t qpn);
    Ptr<RdmaQueuePair> MakePrototype(const Key& key, const RdmaLane& lane) const;
    void CheckPath(uint32_t rank) const;

    Ptr<RdmaConnectionPlan> m_plan; //!< value of the attribute Plan
    uint8_t m_priority{3};          //!< value of the attribute Priority
    Time m_queuePeriod;             //!< value of the attribute QueuePeriod
    Ptr<RdmaFabric> m_fabric;       //!< the fabric
    /// Queues in time; null without QueuePeriod
    std::unique_ptr<RdmaQueueHistory> m_history;
    RdmaScheduleNetworkUser* m_user{nullptr};   //!< is told of messages
    uint32_t m_hostRanks{1};                    //!< most ranks of a host
    uint32_t m_lanes{1};                        //!< most lanes of a connection
    std::vector<std::unique_ptr<Rank>> m_ranks; //!< by number
};

} // namespace ns3

#endif /* RDMA_PACKET_NETWORK_H */
