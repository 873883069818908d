/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_HOST_CONNECTION_H
#define RDMA_HOST_CONNECTION_H

#include "rdma-connection-plan.h"
#include "rdma-event-order.h"
#include "rdma-host.h"
#include "rdma-note-box.h"
#include "rdma-ps.h"
#include "rdma-queue-pair-stats.h"
#include "rdma-queue-pair.h"
#include "rdma-ring-buffer.h"
#include "rdma-timer.h"
#include "rdma-verbs.h"

#include <ns3/ipv4-address.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

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
 * A message that is complete at the destination of a connection.
 */
struct RdmaHostArrival
{
    uint64_t bytes{0};   //!< length of the message
    uint64_t address{0}; //!< address in the destination's memory
    RdmaPs time{0};      //!< time at which the software of the destination knows
};

/**
 * \ingroup rdma
 * User of connections between hosts.
 */
class RdmaHostConnectionUser
{
  public:
    virtual ~RdmaHostConnectionUser() = default;

    /**
     * A message is complete in the memory of the destination. The call comes from an event of the
     * connection's node at the destination (RdmaHostConnection::GetDestinationNode()).
     *
     * \param id the user's number for the connection
     * \param message number of the message, in the order of posting, from 0
     * \param arrival the message
     */
    virtual void MessageArrived(uint64_t id, uint64_t message, const RdmaHostArrival& arrival) = 0;

    /**
     * All chunks of a message are acknowledged, or no lane is left. The call comes from an event of
     * the connection's node at the source (RdmaHostConnection::GetSourceNode()).
     *
     * \param id the user's number for the connection
     * \param message number of the message, in the order of posting, from 0
     * \param status SUCCESS, or the error of the last lane
     * \param time time at which the software of the source knows
     */
    virtual void MessageSent(uint64_t id, uint64_t message, RdmaWcStatus status, RdmaPs time) = 0;
};

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
 * when no lane is left.
 *
 * The software of each host runs on the first NIC of the host. Events of that NIC's node assign
 * parts to lanes, and count what has arrived. Events of the other NICs' nodes post parts and report
 * completions, which takes RdmaHost::GetBusDelay() each way.
 *
 * Queue pairs are made when they are first used, and destroyed by Close(),
 * CloseDestinationAt() or RdmaConnectionPlan::IdleTimeout. A queue pair that is made again
 * continues the packet sequence numbers.
 */
class RdmaHostConnection final : private RdmaNoteReceiver,
                                 private RdmaQueuePairUser,
                                 private RdmaPortListener
{
  public:
    /** Order of the connection's own timers among the events of one instant. */
    static constexpr uint32_t EVENT_ORDER = RdmaEventOrder::Programs::At<8>();

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
    ~RdmaHostConnection() override;

    RdmaHostConnection(const RdmaHostConnection&) = delete;
    RdmaHostConnection& operator=(const RdmaHostConnection&) = delete;

    /** \return id of the node at the source whose events use the connection */
    uint32_t GetSourceNode() const;

    /** \return id of the node at the destination whose events use the connection */
    uint32_t GetDestinationNode() const;

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

    /**
     * Posts a message, in an event of GetSourceNode().
     *
     * \param bytes length of the message, 1 or more
     * \param remoteAddress address in the destination's memory
     * \param rKey key of the destination's memory
     * \param lane lane that carries the message with InTurn and Outstanding, if the lane is
     *        usable; no value: the plan decides
     * \return number of the message, from 0
     */
    uint64_t Post(uint64_t bytes,
                  uint64_t remoteAddress = 0,
                  uint32_t rKey = 0,
                  std::optional<uint32_t> lane = {});

    /** Destroys the sending queue pairs, in an event of GetSourceNode(). */
    void Close();

    /**
     * Destroys the receiving queue pairs at an instant, or later if they then have an
     * acknowledgement to send. To be called in an event of GetDestinationNode().
     *
     * \param at the instant
     */
    void CloseDestinationAt(RdmaPs at);

    /** \return parts that arrived again after they had been counted */
    uint64_t GetNDuplicates() const
    {
        return m_duplicates;
    }

    /** \return parts that were posted again on another lane */
    uint64_t GetNRepeated() const
    {
        return m_repeated;
    }

    /** \param lane number of a lane \return what has happened on the lane, while all nodes rest */
    RdmaLaneResult GetResult(uint32_t lane) const;

    /** \return what the connection is waiting for, for reports, while all nodes rest */
    std::string Describe() const;

    /** \return id of the node on which a timer fires that an event without a node has set */
    uint32_t GetNodeId() const
    {
        return GetSourceNode();
    }

  private:
    /** Meaning of a note. */
    enum Kind : uint32_t
    {
        POST,              //!< to a NIC of the source: post a part
        DONE,              //!< to the source: the oldest part of a lane is acknowledged
        FAILED,            //!< to the source: the queue pair of a lane has failed
        PORT,              //!< to the source: the port of a lane is down or up
        CLOSE_SOURCE,      //!< to a NIC of the source: destroy the queue pair of a lane
        ARRIVED,           //!< to the destination: a part has arrived
        OPENED,            //!< to the destination: a queue pair exists
        CLOSE_DESTINATION, //!< to a NIC of the destination: destroy the queue pair of a lane
    };

    /** A message that is not complete at the source. */
    struct Message
    {
        uint64_t bytes{0};         //!< length
        uint64_t partBytes{0};     //!< longest part
        uint64_t cut{0};           //!< bytes in parts so far
        uint64_t parts{0};         //!< parts that are not acknowledged
        uint64_t remoteAddress{0}; //!< address in the destination's memory
        uint32_t rKey{0};          //!< key of the destination's memory
    };

    /** A part of a message that is not acknowledged, or is still posted on a lane. */
    struct Part
    {
        uint64_t message{0};       //!< number of the message
        uint64_t bytes{0};         //!< length
        uint64_t remoteAddress{0}; //!< address in the destination's memory
        uint32_t rKey{0};          //!< key of the destination's memory
        uint32_t copies{0};        //!< lanes on which the part is posted
        bool isLast{false};        //!< last part of the message
        bool isDone{false};        //!< acknowledged
    };

    /** What the source knows of a lane. */
    struct Book
    {
        std::deque<uint64_t> posted;       //!< parts that are posted, in order
        std::deque<uint64_t> messages;     //!< messages to be cut for this lane
        uint64_t outstanding{0};           //!< bytes assigned and not acknowledged
        uint64_t chunks{0};                //!< parts acknowledged
        uint64_t bytes{0};                 //!< bytes of these parts
        bool isOpen{false};                //!< a queue pair exists at the source
        bool isDown{false};                //!< the port is down
        std::optional<RdmaWcStatus> error; //!< why the lane is not used any more
    };

    /** A queue pair at the source. Only events of its node use it. */
    struct Sender
    {
        Ptr<RdmaQueuePair> queuePair; //!< the queue pair, or null
        uint64_t packets{0};          //!< packets posted by all queue pairs of the lane
        RdmaQueuePairStats past;      //!< counters of destroyed queue pairs
        bool hasFailed{false};        //!< the queue pair has failed
    };

    /** A queue pair at the destination. Only events of its node use it. */
    struct Receiver
    {
        Ptr<RdmaQueuePair> queuePair; //!< the queue pair, or null
        uint64_t packets{0};          //!< packets of complete parts
        uint64_t packetsBefore{0};    //!< those of them before the queue pair was made
        uint64_t parts{0};            //!< complete parts
        uint32_t immediate{0};        //!< immediate data of the latest part
        RdmaQueuePairStats past;      //!< counters of destroyed queue pairs
    };

    /** A part that has arrived before an earlier one, or the gap for that one. */
    struct Early
    {
        uint64_t bytes{0};      //!< length
        uint64_t address{0};    //!< address of the first byte
        bool hasArrived{false}; //!< the part has arrived
        bool isLast{false};     //!< last part of its message
    };

    // RdmaNoteReceiver, RdmaQueuePairUser, RdmaPortListener
    void NoteArrived(const RdmaNote& note) override;
    void MessageReceived(uint64_t id, const RdmaMessageArrival& arrival) override;
    void SendCompleted(uint64_t id, const RdmaWorkCompletion& completion) override;
    void ReceiveCompleted(uint64_t id, const RdmaWorkCompletion& completion) override;
    void PortChanged(uint32_t nic, uint32_t port, bool up) override;

    // Events of the source's node
    bool HasLane() const;
    uint32_t ChooseLane() const;
    bool IsUsable(const Book& book) const;
    void Assign(uint64_t message, std::optional<uint32_t> wanted = {});
    void Pump();
    bool PostNext(uint32_t lane);
    void PostPart(uint32_t lane, uint64_t number);
    uint64_t GetPartBytes(uint64_t bytes) const;
    uint64_t Cut(uint64_t message);
    Part& GetPart(uint64_t number);
    void FreeParts();
    void OnDone(uint32_t lane);
    void Reclaim(uint32_t lane);
    void GiveMessages(uint32_t lane);
    void OnFailed(uint32_t lane, RdmaWcStatus status);
    void OnPort(uint32_t lane, bool up);
    void FailAll(RdmaWcStatus status);
    void CompleteMessages();
    void CloseLane(uint32_t lane);
    void OnSourceIdle();
    void TellSource(uint32_t lane, const RdmaNote& note);

    // Events of the nodes of the source's NICs
    bool HasPort(uint32_t lane) const;
    void PostAtNic(uint32_t lane, const RdmaNote& note);
    void OpenSender(uint32_t lane);
    void CloseSender(uint32_t lane);

    // Events of the nodes of the destination's NICs
    Ptr<RdmaQueuePair> MakeReceiver(uint32_t lane);
    void CloseReceiver(uint32_t lane, bool isEnd);

    // Events of the destination's node
    void OnArrived(uint32_t immediate, uint64_t bytes, uint64_t address);
    void OnOpened(uint32_t lane);
    void OnDestinationIdle();

    RdmaNote MakeNote(Kind kind, uint32_t lane);
    Ptr<RdmaQueuePair> MakeQueuePair(RdmaHost& host,
                                     const RdmaLaneEnd& local,
                                     const RdmaLaneEnd& remote,
                                     uint64_t packets);

    /// This object, for the NICs' late handlers, which outlive it; null once it is destroyed
    std::shared_ptr<RdmaHostConnection*> m_self;
    RdmaHost& m_source;                  //!< host that sends messages
    RdmaHost& m_destination;             //!< host that receives messages
    std::vector<RdmaLane> m_lanes;       //!< the lanes
    RdmaConnectionPlan::Spread m_spread; //!< how messages spread over the lanes
    uint64_t m_partBytes;                //!< longest part
    uint32_t m_depth;                    //!< most parts posted on a lane
    RdmaPs m_idleTimeout;                //!< time until unused queue pairs are destroyed; 0: never
    uint8_t m_priority;                  //!< traffic class
    RdmaHostConnectionUser& m_user;      //!< is told of messages
    uint64_t m_id;                       //!< the user's number for the connection

    // State of the source's node
    std::vector<Book> m_books;      //!< lanes as the source knows them
    std::deque<Message> m_messages; //!< messages that are not complete, in order
    uint64_t m_firstMessage{0};     //!< number of the first of them
    uint64_t m_nextCut{0};          //!< CHUNKS: first message that may have bytes to be cut
    std::deque<Part> m_parts;       //!< parts, in order
    uint64_t m_firstPart{0};        //!< number of the first of them
    std::deque<uint64_t> m_again;   //!< parts to be posted again
    uint64_t m_repeated{0};         //!< parts that were posted again
    uint32_t m_latestLane{0};       //!< lane that got the latest part or message
    RdmaTimer<RdmaHostConnection, &RdmaHostConnection::OnSourceIdle, EVENT_ORDER>
        m_sourceIdle; //!< destroys sending queue pairs

    // State of the nodes of NICs
    std::vector<Sender> m_senders;     //!< sending queue pairs by lane
    std::vector<Receiver> m_receivers; //!< receiving queue pairs by lane

    // State of the destination's node
    std::deque<Early> m_early;         //!< parts from m_nextPart on
    uint64_t m_nextPart{0};            //!< first part that has not arrived
    uint64_t m_arrivedMessages{0};     //!< complete messages
    uint64_t m_arrivedAddress{0};      //!< address of the message that is not complete
    uint64_t m_arrivedBytes{0};        //!< bytes of the message that is not complete
    uint64_t m_duplicates{0};          //!< parts that arrived again
    std::vector<bool> m_isReceiving;   //!< lanes with a receiving queue pair
    std::optional<RdmaPs> m_closeWait; //!< time of CloseDestinationAt() from its call on
    RdmaTimer<RdmaHostConnection, &RdmaHostConnection::OnDestinationIdle, EVENT_ORDER>
        m_destinationIdle; //!< destroys receiving queue pairs
};

} // namespace ns3

#endif /* RDMA_HOST_CONNECTION_H */
