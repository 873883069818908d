/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_QUEUE_PAIR_H
#define RDMA_QUEUE_PAIR_H

#include "rdma-completion-queue.h"
#include "rdma-packet-engine.h"
#include "rdma-prefetch.h"
#include "rdma-qp-attributes.h"
#include "rdma-queue-pair-stats.h"
#include "rdma-shared-receive-queue.h"
#include "rdma-trace.h"
#include "rdma-transport.h"
#include "rdma-verbs.h"

#include <ns3/ipv4-address.h>
#include <ns3/object.h>
#include <ns3/uinteger.h>

#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

namespace ns3
{

class QbbNetDevice;

/**
 * \ingroup rdma
 * A user to whom a queue pair reports directly, without a completion queue or a trace source. The
 * calls come from events of the queue pair's node, on the thread that runs the node. The user may
 * therefore change only what belongs to the node.
 */
class RdmaQueuePairUser
{
  public:
    virtual ~RdmaQueuePairUser() = default;

    /**
     * A message is complete in the memory of the queue pair's host.
     *
     * \param id the user's number for the queue pair
     * \param arrival the message
     */
    virtual void MessageReceived(uint64_t id, const RdmaMessageArrival& arrival) = 0;

    /**
     * A signaled send request is complete, or a send request has failed.
     *
     * \param id the user's number for the queue pair
     * \param completion the completion, which does not enter the send completion queue
     */
    virtual void SendCompleted(uint64_t id, const RdmaWorkCompletion& completion) = 0;

    /**
     * A receive request is complete, by a SEND or a WRITE with immediate data of the peer, or has
     * failed.
     *
     * \param id the user's number for the queue pair
     * \param completion the completion, which does not enter the receive completion queue
     */
    virtual void ReceiveCompleted(uint64_t id, const RdmaWorkCompletion& completion)
    {
    }
};

/**
 * \ingroup rdma
 * A reliable-connection queue pair: work requests go in, completions come out.
 *
 * Life cycle: RdmaNic::CreateQueuePair(); Connect() to the peer, or Modify() state by state;
 * PostReceive() and PostSend() any number of times. Messages are sent and completed in order. A
 * completion goes to the send or receive completion queue. When the transport gives up, or the peer
 * refuses a request, that request completes with its error and all others complete with
 * IBV_WC_WR_FLUSH_ERR. The queue pair stays in state ERR until Modify() resets it.
 *
 * The queue pair is the verbs object and its state machine. Its RdmaPacketEngine sends and receives
 * packets. An RdmaRequester turns requests into packets, and an RdmaResponder executes the packets
 * of the peer; the transport creates both. An RdmaReactionPoint limits transmission to the rate and
 * window of congestion control.
 *
 * The way of a WRITE from PostSend() to the first bit on the line:
 *
 * 1. RdmaQueuePair::PostSend() checks the request. RdmaRequester::Post() numbers its packets, as
 *    the transport's requester (RoceRequester, IrnRequester) says, and queues it as an
 *    RdmaSendEntry.
 * 2. RdmaRequester::Release() starts the queued requests that may start, in order. A request may
 *    have to wait for RdmaSendPipeline, if the NIC takes time for requests, for its fence, or for
 *    room among the outstanding READs. For each request that starts, Release() calls
 *    RdmaSender::Extend(): the sender, which is the transport's loss recovery (RdmaGoBackNSender,
 *    IrnSender), gets the numbers of the packets. Post() calls Release() at once; later calls
 *    follow when what a request waits for has come.
 * 3. If the sender has a packet to send, Release() calls RdmaPacketEngine::Activate(), which hands
 *    the queue pair to its NIC's RdmaSendScheduler. At the end of the instant the scheduler
 *    announces the class to the port (QbbPort::AnnounceSource()).
 * 4. When the line is free, the port's QbbEgressScheduler picks a class that has frames and is not
 *    paused, and QbbPort asks RdmaSendScheduler::NextFrame() for a frame of the class. The
 *    scheduler picks the next queue pair. RdmaPacer, in the queue pair's RdmaReactionPoint, decides
 *    on the earliest instant of its next packet; without congestion control there is no pacer.
 * 5. RdmaPacketEngine::MakeNextFrame() takes a frame from the NIC's pool, and
 *    RdmaRequester::FillNext() makes it the packet that RdmaSender names.
 * 6. QbbPort puts the frame on the QbbLine of its cable, or gives the frame to a QbbLineExit if the
 *    peer belongs to another thread or rank, which puts the frame on the line of the peer's side.
 *    The QbbLine hands the frame to the peer's port when the last bit arrives.
 */
class alignas(RDMA_CACHE_LINE) RdmaQueuePair : public Object
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaQueuePair();
    ~RdmaQueuePair() override;

    /**
     * Creates a queue pair with equal attributes, without reading default values. Nothing but the
     * attributes is copied.
     *
     * \return the new queue pair; null if this object is of a derived class
     */
    Ptr<RdmaQueuePair> MakeAlike() const;

    /** Fetches all cache lines of the queue pair into the CPU caches, ahead of use. */
    void Prefetch() const
    {
        RdmaPrefetchLines(this, sizeof(RdmaQueuePair) / RDMA_CACHE_LINE);
    }

    /** \return true if MakeAlike() makes queue pairs like this one, and nobody else refers to it */
    bool IsSpare() const;

    /**
     * Makes a queue pair in state RESET, for which IsSpare() is true, like a new one: attributes
     * are those of the pattern, and user and completion queues are forgotten.
     *
     * \param pattern a queue pair with the attributes
     */
    void Renew(const RdmaQueuePair& pattern);

    /**
     * Changes the state and the given attributes (ibv_modify_qp). Accepted: RESET to INIT, INIT to
     * INIT or RTR, RTR to RTS, RTS to RTS or SQD, SQD to SQD or RTS, and any state to ERR or RESET.
     *
     * Aborts with a message for any other transition, if RTR lacks the peer's address or QPN, or if
     * an attribute does not belong to the transition (see RdmaQpAttributes).
     *
     * \param attributes the new state and the attributes to change
     */
    void Modify(const RdmaQpAttributes& attributes);

    /** Does what Modify() to state RESET does. */
    void Reset();

    /**
     * Connects the queue pair: INIT to RTR and RTS in one step.
     *
     * \param remoteAddress the peer's IPv4 address
     * \param remoteQpn the peer's queue pair number
     * \param remotePsn the peer's initial PSN
     */
    void Connect(Ipv4Address remoteAddress, uint32_t remoteQpn, uint32_t remotePsn = 0);

    /**
     * Tells a queue pair that it is going to receive, and may never send a request. To be called
     * before Connect() or Modify() to RTR; aborts with a message if the queue pair is connected.
     * Such a queue pair takes less time and memory: congestion control starts with the first
     * request, or with the first response to a READ. Until then GetRateController() returns null.
     * Connect() does not look for settings that congestion control refuses; the first request does.
     */
    void SetPassive();

    /**
     * Makes a connected queue pair continue as the responder of an earlier queue pair with the same
     * number, so that it answers retransmissions of the peer. To be called before a packet has been
     * received.
     *
     * \param packets number of request packets that the earlier queue pair executed
     * \param messages number of messages in these packets
     * \param receives number of these messages that took a receive request
     */
    void ResumeResponder(uint64_t packets, uint64_t messages, uint64_t receives = 0);

    /**
     * Makes a queue pair continue as the requester of earlier queue pairs with the same number,
     * whose requests are complete: their peer counts on. To be called before a request is posted.
     * Call SetInitialPsn() first, with the PSN behind the last packet of the earlier queue pairs.
     *
     * \param receives number of requests of the earlier queue pairs that took a receive request of
     *        the peer
     */
    void ResumeRequester(uint64_t receives);

    /**
     * Connects two queue pairs with each other.
     *
     * \param a the first queue pair
     * \param b the second queue pair
     */
    static void ConnectPair(Ptr<RdmaQueuePair> a, Ptr<RdmaQueuePair> b);

    /**
     * Posts a send request. The request begins at this instant if nothing delays it.
     *
     * A READ or atomic waits while MaxRdAtomic READs and atomics are outstanding, and all later
     * requests wait behind it.
     *
     * Aborts with a message if the queue pair is not connected, the message is longer than
     * RDMA_MAX_MESSAGE_BYTES, or a READ with RoCE needs 2^23 packets or more (half the PSN space).
     * In state ERR the request is flushed at once.
     *
     * \param request the send request
     */
    void PostSend(const RdmaSendRequest& request);

    /**
     * Posts a receive request. In state ERR it is flushed at once.
     *
     * Aborts with a message if the queue pair has a shared receive queue, or is in RESET.
     *
     * \param request consumed by the peer's next SEND or WRITE with immediate
     */
    void PostReceive(const RdmaReceiveRequest& request);

    /**
     * Takes receive requests from a shared queue. To be called before the first PostReceive() and
     * Connect().
     *
     * \param queue the shared receive queue
     */
    void SetSharedReceiveQueue(Ptr<RdmaSharedReceiveQueue> queue);

    /**
     * Reports messages and completions to a user directly. The completions do not enter completion
     * queues.
     *
     * \param user the user, which outlives the queue pair's traffic
     * \param id the user's number for the queue pair
     */
    void SetUser(RdmaQueuePairUser* user, uint64_t id)
    {
        m_user = user;
        m_userId = id;
    }

    /** \return true if a trace source has a sink */
    bool HasSinks() const;

    /** \return true if a completion queue has a callback */
    bool HasCallbacks() const
    {
        return (m_sendQueue && m_sendQueue->HasCallback()) ||
               (m_receiveQueue && m_receiveQueue->HasCallback());
    }

    /** \param visit called with each completion queue and with the shared receive queue */
    void ForEachQueue(const std::function<void(const Object& queue)>& visit) const;

    /** \param queue receives the completions of send requests */
    void SetSendCompletionQueue(Ptr<RdmaCompletionQueue> queue)
    {
        m_sendQueue = queue;
    }

    /** \param queue receives the completions of receive requests */
    void SetReceiveCompletionQueue(Ptr<RdmaCompletionQueue> queue)
    {
        m_receiveQueue = queue;
    }

    /** \return the completion queue of send requests; created on first use */
    Ptr<RdmaCompletionQueue> GetSendCompletionQueue()
    {
        return GetOrCreate(m_sendQueue);
    }

    /** \return the completion queue of receive requests; created on first use */
    Ptr<RdmaCompletionQueue> GetReceiveCompletionQueue()
    {
        return GetOrCreate(m_receiveQueue);
    }

    /** \return the state of the queue pair */
    RdmaQpState GetState() const
    {
        return m_engine.connection.state;
    }

    /** \return the queue pair's current state, for time series */
    RdmaQueuePairSample GetSample() const;

    /** \return the congestion controller, or null without congestion control */
    RdmaRateController* GetRateController() const;

    /**
     * Selects a class in place of a DSCP: the attribute Dscp becomes the lowest DSCP that the
     * port's table maps to the class, unless Dscp maps to the class already. To be called before
     * Connect(). Aborts with a message if the table maps no DSCP to the class.
     *
     * \param priority class of data and acknowledgements, 0..7
     */
    void SetPriority(uint8_t priority);

    /** \return the queue pair number */
    uint32_t GetQpn() const
    {
        return m_engine.connection.qpn;
    }

    /** \return the local IPv4 address */
    Ipv4Address GetLocalAddress() const
    {
        return Ipv4Address(m_engine.GetFrame().srcIp);
    }

    /** \return the peer's IPv4 address; set by Connect() */
    Ipv4Address GetRemoteAddress() const
    {
        return Ipv4Address(m_engine.GetFrame().dstIp);
    }

    /** \return the transport that the queue pair was created with */
    const RdmaTransport* GetTransport() const
    {
        return m_engine.connection.transport;
    }

    /** \return the peer's queue pair number; set by Connect() */
    uint32_t GetRemoteQpn() const
    {
        return m_engine.GetFrame().destQp;
    }

    /**
     * \return the port that the queue pair sends through. In a bond (RdmaNic): known once the queue
     *         pair is connected, and another one after a port has gone down or up
     */
    Ptr<QbbNetDevice> GetPort() const;

    /** \return the port that the queue pair sends through, without a reference to the device */
    const QbbPort& GetDevice() const;

    /**
     * Sets the attribute InitialPsn. Events of nodes may call this function on several threads.
     * They must not call SetAttribute(): all objects of a class share the description of an
     * attribute, and ns-3 counts the references to a description without a lock.
     *
     * This function must be called before Connect() or Modify() to RTR. A later call ends the
     * program with a message.
     *
     * \param psn PSN of the queue pair's first packet, 0..2^24-1. A larger number ends the program
     *        with a message.
     */
    void SetInitialPsn(uint32_t psn);

    /** \return PSN of the queue pair's first packet */
    uint32_t GetInitialPsn() const
    {
        return m_engine.connection.initialPsn;
    }

    /** \return number of READs and atomics that have begun and are not complete */
    uint32_t GetOutstandingReads() const
    {
        return m_engine.GetRequester().GetOutstandingReads();
    }

    /** \return number of send requests that are posted and not complete */
    uint32_t GetOutstandingSends() const
    {
        return static_cast<uint32_t>(m_engine.GetRequester().GetOutstanding());
    }

    /** \return number of request packets sent and not acknowledged */
    uint64_t GetPacketsInFlight() const
    {
        const RdmaStreamState stream = m_engine.GetRequester().GetStream();
        return stream.highestSent - stream.acked;
    }

    /** \return number of request packets acknowledged */
    uint64_t GetPacketsAcknowledged() const
    {
        return m_engine.GetRequester().GetStream().acked;
    }

    /** \return true if the queue pair's frames carry an 802.1Q tag; set by Connect() */
    bool IsTagged() const
    {
        return m_engine.GetFrame().tagged;
    }

    /** \return counters since the queue pair was created or reset */
    RdmaQueuePairStats GetStats() const;

    /**
     * Throws std::invalid_argument if a full packet without telemetry exceeds the MTU of a port.
     *
     * \param port a port on the path of the queue pair
     */
    void CheckPathMtu(const QbbPort& port) const;

    /**
     * \return null while the attributes of the packets' headers may change, else when they may
     *         (RdmaFixedTypeId)
     */
    const char* GetFixed() const;

    /** \return payload bytes of a full packet */
    uint32_t GetPathMtu() const
    {
        return m_engine.connection.pathMtu;
    }

    /** \return UDP source port, the entropy of this connection's path */
    uint16_t GetSourcePort() const
    {
        return m_engine.GetFrame().srcPort;
    }

    /** \return QbbFlowHash() of the packets that this side sends; set by Connect() */
    uint32_t GetFlowHash() const
    {
        return m_engine.GetFrame().flowHash;
    }

    /**
     * \param qpn number of a queue pair with the attributes and the port of this one
     * \param remoteAddress IPv4 address of that queue pair's peer
     * \param remoteQpn the peer's queue pair number
     * \return GetFlowHash() of that queue pair once it is connected
     */
    uint32_t PredictFlowHash(uint32_t qpn, Ipv4Address remoteAddress, uint32_t remoteQpn) const;

    /**
     * TracedCallback signature of MessageReceived.
     *
     * \param arrival the received message
     */
    typedef void (*MessageCallback)(const RdmaMessageArrival& arrival);

    /**
     * TracedCallback signature of State.
     *
     * \param before the previous state
     * \param after the new state
     */
    typedef void (*StateCallback)(RdmaQpState before, RdmaQpState after);

  protected:
    void DoDispose() override;
    void NotifyNewAggregate() override;

  private:
    friend class RdmaPacketEngine; // reports completions, messages and failures

    void SendCompleted(const RdmaWorkCompletion& completion, bool queued);
    void ReceiveCompleted(const RdmaWorkCompletion& completion);
    void MessageArrived(const RdmaMessageArrival& arrival);

    /** \param queue a completion queue, created if it is null \return the queue */
    static const Ptr<RdmaCompletionQueue>& GetOrCreate(Ptr<RdmaCompletionQueue>& queue);

    /** \tparam field a member of RdmaConnection \param value its new value */
    template <auto field>
    void Set(std::decay_t<decltype(std::declval<RdmaConnection>().*field)> value)
    {
        m_engine.connection.*field = value;
    }

    /** \tparam field a member of RdmaConnection \return its value */
    template <auto field>
    std::decay_t<decltype(std::declval<RdmaConnection>().*field)> Get() const
    {
        return m_engine.connection.*field;
    }

    /** \tparam field a member of RdmaConnection \return accessor of its attribute */
    template <auto field>
    static Ptr<const AttributeAccessor> MakeField()
    {
        return MakeUintegerAccessor(&RdmaQueuePair::Set<field>, &RdmaQueuePair::Get<field>);
    }

    RdmaQueuePair(const RdmaQueuePair& pattern); // for MakeAlike()

    void SetState(RdmaQpState state);
    void SetPeer(Ipv4Address remoteAddress, uint32_t remoteQpn);

    /** Refuses a port without a cable or with a link that is too narrow. \param port the port */
    void CheckLink(const QbbPort& port) const;

    /** Sets class and tag by the tables of a port. \param headers headers \param port the port */
    static void SetClass(QbbFrameHeaders& headers, QbbPort& port);

    /** Refuses ports of a bond that differ. \param first a port \param other another port */
    void CheckBond(QbbPort& first, QbbPort& other) const;

    void CopyAttributes(const RdmaQueuePair& pattern);

    /**
     * \param qpn number of a queue pair with the attributes of this one
     * \param remoteQpn the peer's queue pair number
     * \return UDP source port of the packets
     */
    uint16_t ChooseSourcePort(uint32_t qpn, uint32_t remoteQpn) const;

    RdmaPacketEngine m_engine; //!< sends and receives the queue pair's packets

    uint8_t m_dscp{26};          //!< attribute Dscp
    uint8_t m_cnpDscp{48};       //!< attribute CnpDscp
    uint8_t m_ttl{64};           //!< attribute Ttl
    uint16_t m_sourcePort{0};    //!< attribute SourcePort
    bool m_symmetricPort{false}; //!< attribute SymmetricSourcePort
    bool m_ecnCapable{true};     //!< attribute EcnCapable
    bool m_isAggregated{false};  //!< another object is aggregated to the queue pair

    RdmaQueuePairUser* m_user{nullptr};      //!< user of SetUser(), or null
    uint64_t m_userId{0};                    //!< the user's number for the queue pair
    Ptr<RdmaCompletionQueue> m_sendQueue;    //!< completions of send requests; may be null
    Ptr<RdmaCompletionQueue> m_receiveQueue; //!< completions of receive requests; may be null

    RdmaTrace<const RdmaMessageArrival&> m_messageReceived; //!< trace MessageReceived
    RdmaTrace<const RdmaWorkCompletion&> m_sendCompleted;   //!< trace SendCompleted
    RdmaTrace<RdmaQpState, RdmaQpState> m_stateChanged;     //!< trace State
};

} // namespace ns3

#endif /* RDMA_QUEUE_PAIR_H */
