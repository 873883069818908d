/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_QUEUE_PAIR_H
#define RDMA_QUEUE_PAIR_H

#include "rdma-completion-queue.h"
#include "rdma-message-arrival.h"
#include "rdma-packet-engine.h"
#include "rdma-qp-attributes.h"
#include "rdma-queue-pair-sample.h"
#include "rdma-queue-pair-stats.h"
#include "rdma-shared-receive-queue.h"
#include "rdma-transport.h"
#include "rdma-verbs.h"

#include <ns3/ipv4-address.h>
#include <ns3/object.h>
#include <ns3/traced-callback.h>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace ns3
{

class RdmaNic;
class QbbNetDevice;

/**
 * \ingroup rdma
 * A reliable-connection queue pair: work requests go in, completions come out.
 *
 * Life of one: RdmaNic::CreateQueuePair(), Connect() to its peer (or Modify(), state by state),
 * PostReceive() and PostSend() any number of times; messages are sent and completed in order. A
 * completion goes to the send or receive completion queue. When the transport gives up, or the peer
 * refuses a request, that request completes with its error, all others with IBV_WC_WR_FLUSH_ERR,
 * and the queue pair stays in state ERR until Modify() takes it to RESET.
 *
 * The queue pair is the verbs object and its state machine. Its RdmaPacketEngine sends and receives
 * packets: an RdmaRequester makes them of requests, an RdmaResponder executes those of the peer,
 * both made by the transport, and an RdmaReactionPoint holds them to what congestion control
 * allows.
 */
class RdmaQueuePair : public Object, private RdmaVerbsEvents
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
     * Changes the state, and with it what the attributes name (ibv_modify_qp). Accepted: RESET to
     * INIT, INIT to INIT or RTR, RTR to RTS, RTS to RTS or SQD, SQD to SQD or RTS, and any state to
     * ERR or RESET.
     *
     * Aborts with a message for any other transition, if RTR comes without the peer's address and
     * QPN, or if an attribute does not belong to the transition (see RdmaQpAttributes).
     *
     * \param attributes the new state, and what else changes
     */
    void Modify(const RdmaQpAttributes& attributes);

    /**
     * Connects the queue pair: INIT to RTR and RTS in one step.
     *
     * \param remoteAddress the peer's IPv4 address
     * \param remoteQpn the peer's queue pair number
     * \param remotePsn the peer's initial PSN
     */
    void Connect(Ipv4Address remoteAddress, uint32_t remoteQpn, uint32_t remotePsn = 0);

    /**
     * Has a connected queue pair go on as the responder that an earlier one with its number was at
     * its end, so that it answers what the peer repeats. Before anything has come in.
     *
     * \param packets request packets that the earlier one executed
     * \param messages messages that these were
     */
    void ResumeResponder(uint64_t packets, uint64_t messages);

    /**
     * Connects two queue pairs with each other.
     *
     * \param a one
     * \param b the other
     */
    static void ConnectPair(Ptr<RdmaQueuePair> a, Ptr<RdmaQueuePair> b);

    /**
     * Posts a request. It begins at this instant if its turn comes.
     *
     * A READ or atomic waits until fewer than MaxRdAtomic of them are outstanding, and everything
     * behind it waits with it.
     *
     * Aborts with a message if the queue pair is not connected, the message is longer than
     * RDMA_MAX_MESSAGE_BYTES, or a READ with RoCE needs 2^23 packets or more (half the PSN space).
     * In state ERR the request is flushed at once.
     *
     * \param request what to do
     */
    void PostSend(const RdmaSendRequest& request);

    /**
     * Aborts with a message if the queue pair has a shared receive queue, or is in RESET. In state
     * ERR the request is flushed at once.
     *
     * \param request room for a SEND, or the notice of a write with immediate, of the peer
     */
    void PostReceive(const RdmaReceiveRequest& request);

    /**
     * Receive requests come from a shared queue. Before the first PostReceive() and Connect().
     *
     * \param queue the shared receive queue
     */
    void SetSharedReceiveQueue(Ptr<RdmaSharedReceiveQueue> queue);

    /** \param queue gets completions of sends and writes */
    void SetSendCompletionQueue(Ptr<RdmaCompletionQueue> queue)
    {
        m_sendQueue = queue;
    }

    /** \param queue gets completions of receives */
    void SetReceiveCompletionQueue(Ptr<RdmaCompletionQueue> queue)
    {
        m_receiveQueue = queue;
    }

    /** \return the queue of completions of sends and writes; made on first use */
    Ptr<RdmaCompletionQueue> GetSendCompletionQueue();
    /** \return the queue of completions of receives; made on first use */
    Ptr<RdmaCompletionQueue> GetReceiveCompletionQueue();

    /** \return the state */
    RdmaQpState GetState() const
    {
        return m_engine.GetConnection().state;
    }

    /** \return how it stands now, for time series */
    RdmaQueuePairSample GetSample() const
    {
        return m_engine.GetSample();
    }

    /** \return the congestion controller, or null without congestion control */
    RdmaRateController* GetRateController() const;

    /**
     * Chooses a class in place of a DSCP: the attribute Dscp becomes the lowest DSCP that the
     * port's table maps to it, unless Dscp is of that class already. Before Connect(). Aborts with
     * a message if the table has none.
     *
     * \param priority class of data and acknowledgements, 0..7
     */
    void SetPriority(uint8_t priority);

    /** \return the queue pair number */
    uint32_t GetQpn() const
    {
        return m_engine.GetQpn();
    }

    /** \return the local IPv4 address */
    Ipv4Address GetLocalAddress() const;

    /** \return the peer's IPv4 address; set by Connect() */
    Ipv4Address GetRemoteAddress() const
    {
        return Ipv4Address(m_engine.GetFrame().dstIp);
    }

    /** \return the transport that it was made with */
    Ptr<const RdmaTransport> GetTransport() const
    {
        return m_engine.GetConnection().transport;
    }

    /** \return the peer's queue pair number; set by Connect() */
    uint32_t GetRemoteQpn() const
    {
        return m_engine.GetFrame().destQp;
    }

    /** \return the port that it sends through */
    Ptr<QbbNetDevice> GetPort() const;

    /** \return the PSN of the first packet */
    uint32_t GetInitialPsn() const
    {
        return m_engine.GetConnection().initialPsn;
    }

    /** \return READs and atomics that have begun and are not complete */
    uint32_t GetOutstandingReads() const
    {
        return m_engine.GetRequester().GetOutstandingReads();
    }

    /** \return requests that are posted and not complete */
    uint32_t GetOutstandingSends() const
    {
        return static_cast<uint32_t>(m_engine.GetRequester().GetOutstanding());
    }

    /** \return request packets that are sent and not acknowledged */
    uint64_t GetPacketsInFlight() const
    {
        const RdmaStreamState stream = m_engine.GetRequester().GetStream();
        return stream.highestSent - stream.acked;
    }

    /** \return request packets that are acknowledged */
    uint64_t GetPacketsAcknowledged() const
    {
        return m_engine.GetRequester().GetStream().acked;
    }

    /** \return request packets that were posted */
    uint64_t GetPacketsPosted() const
    {
        return m_engine.GetRequester().GetPosted();
    }

    /** \return true if a deadline is set: a retransmission timeout, or the end of an RNR wait */
    bool HasRetransmissionTimer() const
    {
        return m_engine.GetRequester().HasRetransmissionTimer();
    }

    /** \return true if its frames carry an 802.1Q tag; set by Connect() */
    bool IsTagged() const
    {
        return m_engine.GetFrame().tagged;
    }

    /** \return counters, since the queue pair was made or reset */
    RdmaQueuePairStats GetStats() const;

    /** \return payload bytes of a full packet */
    uint32_t GetPathMtu() const
    {
        return m_engine.GetConnection().pathMtu;
    }

    /** \return UDP source port: the entropy of this connection's path */
    uint16_t GetSourcePort() const
    {
        return m_engine.GetFrame().srcPort;
    }

    /** \return QbbFlowHash() of the packets that it sends; set by Connect() */
    uint32_t GetFlowHash() const
    {
        return m_engine.GetFrame().flowHash;
    }

    /**
     * TracedCallback signature of MessageReceived.
     *
     * \param arrival the message
     */
    typedef void (*MessageCallback)(const RdmaMessageArrival& arrival);

    /**
     * TracedCallback signature of State.
     *
     * \param before the state until now
     * \param after the state from now on
     */
    typedef void (*StateCallback)(RdmaQpState before, RdmaQpState after);

  protected:
    void DoDispose() override;

  private:
    friend class RdmaPacketEngine; // Of()

    // RdmaVerbsEvents
    void OnSendCompletion(const RdmaWorkCompletion& completion, bool queued) override;
    void OnReceiveCompletion(const RdmaWorkCompletion& completion) override;
    void OnMessage(const RdmaMessageArrival& arrival) override;
    void OnFailure(RdmaWcStatus status, uint64_t packet) override;

    /** \return what both halves share */
    RdmaConnection& GetConnection()
    {
        return m_engine.GetConnection();
    }

    /** \tparam field a setting of the connection \param value of it */
    template <auto field>
    void Set(std::decay_t<decltype(std::declval<RdmaConnection>().*field)> value)
    {
        GetConnection().*field = value;
    }

    /** \tparam field a setting of the connection \return its value */
    template <auto field>
    std::decay_t<decltype(std::declval<RdmaConnection>().*field)> Get() const
    {
        return m_engine.GetConnection().*field;
    }

    void SetState(RdmaQpState state);
    void Address(Ipv4Address remoteAddress, uint32_t remoteQpn);

    RdmaPacketEngine m_engine; //!< sends and receives its packets

    uint8_t m_dscp{26};          //!< attribute Dscp
    uint8_t m_cnpDscp{48};       //!< attribute CnpDscp
    uint8_t m_ttl{64};           //!< attribute Ttl
    uint16_t m_sourcePort{0};    //!< attribute SourcePort
    bool m_symmetricPort{false}; //!< attribute SymmetricSourcePort
    bool m_ecnCapable{true};     //!< attribute EcnCapable

    Ptr<RdmaCompletionQueue> m_sendQueue;    //!< completions of sends
    Ptr<RdmaCompletionQueue> m_receiveQueue; //!< completions of receives

    TracedCallback<const RdmaMessageArrival&> m_messageReceived; //!< trace MessageReceived
    TracedCallback<const RdmaWorkCompletion&> m_sendCompleted;   //!< trace SendCompleted
    TracedCallback<RdmaQpState, RdmaQpState> m_stateChanged;     //!< trace State
};

} // namespace ns3

#endif /* RDMA_QUEUE_PAIR_H */
