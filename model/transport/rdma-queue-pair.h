/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_QUEUE_PAIR_H
#define RDMA_QUEUE_PAIR_H

#include "qbb-frame.h"
#include "qbb-ring.h"
#include "qbb-time.h"
#include "rdma-completion-queue.h"
#include "rdma-transport.h"
#include "rdma-verbs.h"

#include <ns3/ipv4-address.h>
#include <ns3/object.h>
#include <ns3/traced-callback.h>

#include <memory>

namespace ns3
{

class RdmaNic;
class QbbNetDevice;

/**
 * \ingroup rdma
 * A message that has come in completely, in order.
 */
struct RdmaMessageArrival
{
    uint32_t qpn{0};   //!< the local QP
    uint64_t bytes{0}; //!< length of the message
    uint32_t msn{0};   //!< message sequence number after it, 24 bits
    int64_t timePs{0}; //!< arrival of its last byte, in picoseconds
};

/**
 * \ingroup rdma
 * What a queue pair has counted.
 */
struct RdmaQueuePairStats
{
    uint64_t packetsSent{0};          //!< request packets sent, those sent again included
    uint64_t packetsRetransmitted{0}; //!< request packets sent again
    uint64_t timeouts{0};             //!< times that the retransmission timer ran out
    uint64_t packetsAccepted{0};      //!< request packets that came in and were executed
    uint64_t duplicates{0};           //!< request packets that came in once more
    uint64_t outOfOrder{0};           //!< request packets that came in too early
    uint64_t acksSent{0};             //!< acknowledgements sent
    uint64_t naksSent{0};             //!< NAKs and RNR NAKs sent
    uint64_t acksReceived{0};         //!< acknowledgements received
    uint64_t naksReceived{0};         //!< NAKs and RNR NAKs received
    uint64_t cnpsSent{0};             //!< congestion notifications sent
    uint64_t cnpsReceived{0};         //!< congestion notifications received
};

/**
 * \ingroup rdma
 * A reliable-connection queue pair: work requests go in, completions come out.
 *
 * Life of one: RdmaNic::CreateQueuePair(), Connect() to its peer, PostReceive() and PostSend() any
 * number of times; messages are sent and completed in order. A completion goes to the send or
 * receive completion queue. When the transport gives up, the request at the head completes with its
 * error, all others with IBV_WC_WR_FLUSH_ERR, and the queue pair stays in state ERR.
 *
 * The requester and responder of the transport (RdmaTransport) decide which packet goes next and
 * what an arriving one means; here packets become frames and frames packets.
 */
class RdmaQueuePair : public Object
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
     * Connects the queue pair: RESET or INIT to RTS.
     *
     * \param remoteAddress the peer's IPv4 address
     * \param remoteQpn the peer's queue pair number
     * \param remotePsn the peer's initial PSN
     */
    void Connect(Ipv4Address remoteAddress, uint32_t remoteQpn, uint32_t remotePsn = 0);

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
     * Aborts with a message if the queue pair is not connected, or the message is longer than
     * RDMA_MAX_MESSAGE_BYTES. In state ERR the request is flushed at once.
     *
     * \param request what to do
     */
    void PostSend(const RdmaSendRequest& request);

    /** \param request room for a SEND, or the notice of a write with immediate, of the peer */
    void PostReceive(const RdmaReceiveRequest& request);

    /** \param queue gets completions of sends and writes */
    void SetSendCompletionQueue(Ptr<RdmaCompletionQueue> queue);
    /** \param queue gets completions of receives */
    void SetReceiveCompletionQueue(Ptr<RdmaCompletionQueue> queue);
    /** \return the queue of completions of sends and writes; made on first use */
    Ptr<RdmaCompletionQueue> GetSendCompletionQueue();
    /** \return the queue of completions of receives; made on first use */
    Ptr<RdmaCompletionQueue> GetReceiveCompletionQueue();

    /** \return the state */
    RdmaQpState GetState() const
    {
        return m_state;
    }

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
        return m_qpn;
    }

    /** \return the local IPv4 address */
    Ipv4Address GetLocalAddress() const;

    /** \return the peer's IPv4 address; set by Connect() */
    Ipv4Address GetRemoteAddress() const
    {
        return Ipv4Address(m_frame.dstIp);
    }

    /** \return the port that it sends through */
    Ptr<QbbNetDevice> GetPort() const;

    /** \return the PSN of the first packet */
    uint32_t GetInitialPsn() const
    {
        return m_initialPsn;
    }

    /** \return requests that are posted and not complete */
    uint32_t GetOutstandingSends() const
    {
        return static_cast<uint32_t>(m_sends.GetSize());
    }

    /** \return request packets that are sent and not acknowledged */
    uint64_t GetPacketsInFlight() const;

    /** \return request packets that are acknowledged */
    uint64_t GetPacketsAcknowledged() const;

    /** \return request packets that were posted */
    uint64_t GetPacketsPosted() const
    {
        return m_posted;
    }

    /** \return true if a deadline is set: a retransmission timeout, or the end of an RNR wait */
    bool HasRetransmissionTimer() const
    {
        return m_timer.IsArmed();
    }

    /** \return true if its frames carry an 802.1Q tag; set by Connect() */
    bool IsTagged() const
    {
        return m_frame.tagged;
    }

    /** \return counters */
    RdmaQueuePairStats GetStats() const;

    /** \return payload bytes of a full packet */
    uint32_t GetPathMtu() const
    {
        return m_pathMtu;
    }

    /** \return UDP source port: the entropy of this connection's path */
    uint16_t GetSourcePort() const
    {
        return m_frame.srcPort;
    }

    /** \return QbbFlowHash() of the packets that it sends; set by Connect() */
    uint32_t GetFlowHash() const
    {
        return m_frame.flowHash;
    }

    /**
     * TracedCallback signature of MessageReceived.
     *
     * \param arrival the message
     */
    typedef void (*MessageCallback)(const RdmaMessageArrival& arrival);

    // For RdmaNic

    /**
     * \param nic the NIC
     * \param port index of the NIC's port
     * \param qpn the queue pair number
     * \param transport makes requester and responder
     */
    void Bind(RdmaNic* nic, uint32_t port, uint32_t qpn, Ptr<RdmaTransport> transport);

    /** \return index of the NIC's port */
    uint32_t GetPortIndex() const
    {
        return m_port;
    }

    /** \return class of the packets that it sends */
    uint8_t GetPriority() const
    {
        return m_frame.priority;
    }

    /** \return true if it has a packet that may go out */
    bool CanSend() const
    {
        return m_state == RdmaQpState::RTS && m_requester->CanSend();
    }

    /** \return the next packet, which is now on its way; only if CanSend() */
    QbbFramePtr MakeNextFrame();

    /** \param frame a RoCE frame for this queue pair */
    void ReceiveFrame(const QbbFrame& frame);

    /** \return true if it stands in the NIC's list of ready queue pairs */
    bool IsQueued() const
    {
        return m_queued;
    }

    /** \param queued it stands in the NIC's list of ready queue pairs */
    void SetQueued(bool queued)
    {
        m_queued = queued;
    }

  protected:
    void DoDispose() override;

  private:
    /** A request that is posted. */
    struct SendEntry
    {
        RdmaSendRequest request; //!< what to do
        uint64_t firstPacket{0}; //!< its first packet
        uint64_t packets{0};     //!< how many it has
    };

    void OnTimer();
    void SyncTimer();
    void Handle(const RdmaSenderEvent& event);
    void CompleteAcknowledged();
    void Fail(RdmaWcStatus status);
    void FlushReceives();
    void Complete(const SendEntry& entry, RdmaWcStatus status);
    void CompleteReceive(RdmaWcStatus status, uint64_t bytes, const QbbFrame* frame);
    const SendEntry& FindEntry(uint64_t packet);
    void ReceiveRequest(const QbbFrame& frame);
    void ReceiveResponse(const QbbFrame& frame);
    bool Execute(const QbbFrame& frame);
    void SendAeth(uint8_t syndrome, uint64_t packet);
    void NotifyCongestion();
    void CheckPathMtu() const;

    // what every packet touches
    RdmaNic* m_nic{nullptr};                   //!< owner
    RdmaQpState m_state{RdmaQpState::RESET};   //!< state
    bool m_queued{false};                      //!< in the NIC's list of ready queue pairs
    bool m_inMessage{false};                   //!< responder: between FIRST and LAST
    uint32_t m_pathMtu{1024};                  //!< attribute PathMtu
    uint32_t m_ackInterval{1};                 //!< of the transport
    uint32_t m_initialPsn{0};                  //!< attribute InitialPsn
    uint32_t m_remotePsn{0};                   //!< PSN of the peer's first packet
    std::unique_ptr<RdmaSender> m_requester;   //!< sending half
    std::unique_ptr<RdmaReceiver> m_responder; //!< receiving half
    QbbRing<SendEntry> m_sends;                //!< posted and not complete, in order
    std::size_t m_cursor{0};                   //!< the entry that sends at present
    QbbFrameFields m_frame;                    //!< what all frames have in common
    QbbTimer<RdmaQueuePair, &RdmaQueuePair::OnTimer> m_timer; //!< the requester's deadline

    QbbRing<RdmaReceiveRequest> m_receives;  //!< posted receives
    uint64_t m_messageBytes{0};              //!< responder: bytes of the present message
    uint32_t m_msn{0};                       //!< responder: messages completed, 24 bits
    uint64_t m_posted{0};                    //!< packets posted
    int64_t m_nextCnpPs{0};                  //!< no notification before this instant
    uint32_t m_qpn{0};                       //!< queue pair number
    uint32_t m_port{0};                      //!< index of the NIC's port
    uint8_t m_dscp{26};                      //!< attribute Dscp
    uint8_t m_cnpDscp{48};                   //!< attribute CnpDscp
    uint8_t m_ttl{64};                       //!< attribute Ttl
    uint8_t m_minRnrTimer{1};                //!< attribute MinRnrTimer
    bool m_ecnCapable{true};                 //!< attribute EcnCapable
    Ptr<RdmaCompletionQueue> m_sendQueue;    //!< completions of sends
    Ptr<RdmaCompletionQueue> m_receiveQueue; //!< completions of receives
    RdmaQueuePairStats m_stats;              //!< counters but those of the requester

    TracedCallback<const RdmaMessageArrival&> m_messageReceived; //!< trace MessageReceived
    TracedCallback<const RdmaWorkCompletion&> m_sendCompleted;   //!< trace SendCompleted
};

} // namespace ns3

#endif /* RDMA_QUEUE_PAIR_H */
