/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_QUEUE_PAIR_H
#define RDMA_QUEUE_PAIR_H

#include "qbb-frame.h"
#include "qbb-ring.h"
#include "qbb-time.h"
#include "rdma-completion-queue.h"
#include "rdma-pace-heap.h"
#include "rdma-pacer.h"
#include "rdma-packet-heap.h"
#include "rdma-qp-attributes.h"
#include "rdma-queue-pair-sample.h"
#include "rdma-response.h"
#include "rdma-shared-receive-queue.h"
#include "rdma-transport.h"
#include "rdma-verbs.h"

#include <ns3/ipv4-address.h>
#include <ns3/object.h>
#include <ns3/traced-callback.h>

#include <limits>
#include <memory>
#include <vector>

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
 * What every queue pair counts.
 */
struct RdmaQueuePairCounters
{
    uint64_t packetsSent{0};     //!< request packets sent, those sent again included
    uint64_t packetsAccepted{0}; //!< request packets that came in and were executed
    uint64_t duplicates{0};      //!< packets that came in once more
    uint64_t outOfOrder{0};      //!< packets that came in too early
    uint64_t acksSent{0};        //!< acknowledgements sent
    uint64_t naksSent{0};        //!< NAKs and RNR NAKs sent
    uint64_t acksReceived{0};    //!< acknowledgements received
    uint64_t naksReceived{0};    //!< NAKs and RNR NAKs received
    uint64_t cnpsSent{0};        //!< congestion notifications sent
    uint64_t cnpsReceived{0};    //!< congestion notifications received
};

/**
 * \ingroup rdma
 * What a queue pair and its transport have counted.
 */
struct RdmaQueuePairStats : public RdmaQueuePairCounters
{
    uint64_t packetsRetransmitted{0};   //!< request packets sent again
    uint64_t timeouts{0};               //!< times that a retransmission timer ran out
    uint64_t responsesSent{0};          //!< READ responses and atomic results sent
    uint64_t responsesRetransmitted{0}; //!< of these, IRN's that were sent again
    uint64_t responsesAccepted{0}; //!< READ responses and atomic results that came in and counted
    uint64_t responseTimeouts{0};  //!< IRN: times that a missing response was asked for
};

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
 * Which packet goes next and what an arriving one means is decided by the halves of packet streams
 * that the transport makes (RdmaTransport); here packets become frames and frames packets: states
 * in rdma-queue-pair-states.cc, requests in rdma-queue-pair-requester.cc, the answers to READs and
 * atomics in rdma-queue-pair-reads.cc; what the peer asks for in rdma-queue-pair-responder.cc and
 * rdma-queue-pair-irn.cc, and the answers to that in rdma-queue-pair-responses.cc; congestion
 * control in rdma-queue-pair-pacing.cc.
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

    /** \return how it stands now, for time series */
    RdmaQueuePairSample GetSample() const;

    /** \return the congestion controller, or null without congestion control */
    RdmaRateController* GetRateController() const
    {
        return m_pacer ? &m_pacer->GetController() : nullptr;
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

    /** \return the packet formats of its transport */
    RdmaWireFormat GetWireFormat() const
    {
        return m_wireFormat;
    }

    /** \return the peer's queue pair number; set by Connect() */
    uint32_t GetRemoteQpn() const
    {
        return m_frame.destQp;
    }

    /** \return the port that it sends through */
    Ptr<QbbNetDevice> GetPort() const;

    /** \return the PSN of the first packet */
    uint32_t GetInitialPsn() const
    {
        return m_initialPsn;
    }

    /** \return READs and atomics that have begun and are not complete */
    uint32_t GetOutstandingReads() const
    {
        return m_outstandingReads;
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

    /** \return counters, since the queue pair was made or reset */
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

    /**
     * TracedCallback signature of State.
     *
     * \param before the state until now
     * \param after the state from now on
     */
    typedef void (*StateCallback)(RdmaQpState before, RdmaQpState after);

    // For RdmaNic

    /**
     * \param nic the NIC
     * \param port index of the NIC's port
     * \param qpn the queue pair number
     * \param transport makes the halves of its packet streams
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

    /** \param nowPs the instant \return true if its pace does not allow a packet yet */
    bool MustWait(int64_t nowPs) const
    {
        return m_pacer && m_pacer->MustWait(nowPs);
    }

    /**
     * \param nowPs the instant
     * \return when to ask MustWait() again if nothing comes in; only if it is true
     */
    int64_t GetWakePs(int64_t nowPs) const
    {
        return m_pacer->GetWakePs(nowPs);
    }

    /** \return its place among those that wait for their pace: RdmaPaceHeap's own */
    uint32_t& GetPacePlace()
    {
        return m_pacePlace;
    }

    /** \return true if it has a packet that may go out, now or when its pace allows it */
    bool CanSend() const
    {
        return m_responsesReady || CanSendRequest();
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
    /// No READ or atomic is outstanding.
    static constexpr uint64_t NO_BARRIER = std::numeric_limits<uint64_t>::max();

    /// All packets may be sent.
    static constexpr uint64_t NO_END = std::numeric_limits<uint64_t>::max();

    /** A request that is posted. */
    struct SendEntry
    {
        RdmaSendRequest request;   //!< what to do
        uint64_t firstPacket{0};   //!< number of its first packet
        uint64_t firstResponse{0}; //!< READ, atomic: number of its first response
        uint64_t original{0};      //!< atomics: the word as it was before
        uint32_t packets{0};       //!< how many numbers it takes
        uint32_t responses{0};     //!< READ, atomic: how many responses it has
        uint32_t wqeSn{0};         //!< IRN: sequence number among those of its kind, 24 bits
    };

    /** What is wrong with a request that has come in. */
    enum class Fault : uint8_t
    {
        NONE,      //!< nothing
        NOT_READY, //!< there is no receive request for it
        NO_ACCESS, //!< it has no right to that memory
        INVALID,   //!< it makes no sense
        TOO_LONG,  //!< it is longer than the receive request
    };

    void OnTimer();
    void OnReadTimer();
    void OnResponseTimer();

    /** What a queue pair with READs or atomics of its own has beside. */
    struct Reads
    {
        explicit Reads(RdmaQueuePair* qp);

        std::size_t cursor{0};                  //!< place in m_sends of the oldest outstanding one
        uint32_t retries{0};                    //!< IRN: times asked for responses in a row
        bool told{false};                       //!< RoCE: the missing response was asked for
        bool probe{false};                      //!< IRN: ask for the response that is missing
        uint64_t accepted{0};                   //!< responses that came in and counted
        uint64_t timeouts{0};                   //!< IRN: times that a response was asked for
        uint64_t refused{NO_END};               //!< IRN: this request packet was refused, and
        RdmaWcStatus refusal{};                 //!< fails so when all before it is complete
        std::unique_ptr<RdmaReceiver> receiver; //!< IRN: of the responses
        QbbTimer<RdmaQueuePair, &RdmaQueuePair::OnReadTimer> timer; //!< IRN: no response comes
    };

    /** What a queue pair that answers READs or atomics has beside. */
    struct Responses
    {
        explicit Responses(RdmaQueuePair* qp);

        QbbRing<RdmaResponse> queue; //!< in order; RoCE: to be sent, IRN: not acknowledged
        QbbRing<RdmaResponse> done;  //!< RoCE: atomics that have been executed, for repetition
        std::size_t cursor{0};       //!< IRN: place of the one that is sent at present
        uint64_t next{0};            //!< IRN: number of the next response
        uint64_t sent{0};            //!< responses sent
        Fault fault{Fault::NONE};    //!< IRN: the QP fails when `queue` is empty
        uint64_t refused{0};         //!< IRN: because of this packet
        std::unique_ptr<RdmaSender> sender;                             //!< IRN: of the responses
        QbbTimer<RdmaQueuePair, &RdmaQueuePair::OnResponseTimer> timer; //!< IRN: read timeout
    };

    // states (rdma-queue-pair-states.cc)
    void SetState(RdmaQpState state);
    void MakeHalves();

    RdmaRetryLimits GetLimits() const
    {
        return m_limits ? *m_limits : RdmaRetryLimits();
    }

    uint16_t MakeSourcePort(uint32_t remoteQpn) const;
    void Address(Ipv4Address remoteAddress, uint32_t remoteQpn);
    void Reset();
    void CheckPathMtu() const;
    void MakePacer();
    uint32_t GetFullPacketBytes() const;
    uint32_t GetAckBytes(uint32_t trailer) const;

    bool IsIrn() const
    {
        return m_wireFormat == RdmaWireFormat::IRN;
    }

    // requests of this side (rdma-queue-pair-requester.cc)
    bool CanSendRequest() const
    {
        return (m_state == RdmaQpState::RTS || m_state == RdmaQpState::SQD) &&
               m_sender->CanSend() && m_sender->GetNext() < m_sendEnd && (!m_pacer || HasRoom());
    }

    bool HasRoom() const;

    void ReleaseSends();
    uint64_t GetBegunEnd() const;
    const SendEntry& FindEntry(uint64_t packet);
    QbbFramePtr MakeRequestFrame();
    void CheckPace(int64_t nowPs);
    RdmaAckSample MakeRequestSample(const QbbFrame& frame,
                                    int64_t packet,
                                    uint64_t ackedBefore,
                                    int64_t nowPs) const;
    RdmaAckSample MakeSample(const QbbFrame& frame,
                             int64_t rttPs,
                             uint64_t ackedPackets,
                             int64_t nowPs) const;
    void TellOfResponses(const QbbFrame& frame, int64_t cause, uint64_t ackedBefore, bool isNak);
    void FillReadRequest(QbbFrame& frame, const SendEntry& entry, uint64_t index) const;
    void FillIrnRequest(QbbFrame& frame, const SendEntry& entry, uint64_t index) const;
    void ReceiveAcknowledgement(const QbbFrame& frame);
    void ReceiveNak(uint8_t code, int64_t packet, int64_t selective, const QbbFrame& frame);
    void Handle(const RdmaSenderEvent& event);
    void SyncTimer();
    void CompleteAcknowledged();
    bool IsComplete(const SendEntry& entry) const;
    bool IsRefused(const SendEntry& entry) const;
    void Complete(const SendEntry& entry, RdmaWcStatus status);
    void Fail(RdmaWcStatus status, uint64_t packet);

    // answers to READs and atomics of this side (rdma-queue-pair-reads.cc)
    void BeginRead();
    void EndReads();
    void MissResponse();
    void ReceiveReadResponse(const QbbFrame& frame);
    void AcceptResponse(SendEntry& entry, const QbbFrame& frame);
    void ReceiveIrnResponse(const QbbFrame& frame);
    SendEntry* FindRead(uint64_t response);
    bool IsAnswer(const SendEntry& entry, uint64_t response, const QbbFrame& frame) const;
    void WatchReads();
    void SendReadAcknowledge(uint8_t syndrome,
                             uint64_t packet,
                             int64_t selective,
                             const QbbFrame& cause);
    QbbFramePtr MakeProbe();

    // requests of the peer (rdma-queue-pair-responder.cc)
    void ReceiveRequest(const QbbFrame& frame);
    Fault Judge(const QbbFrame& frame);
    Fault JudgeRead(const QbbFrame& frame) const;
    void Execute(const QbbFrame& frame);
    void Perform(const RdmaArrivedRequest& request);
    void Refuse(Fault fault, uint64_t packet);
    void FailResponder(Fault fault);
    bool HasReceives(uint32_t count);
    void CompleteReceive(RdmaWcStatus status, const RdmaArrivedRequest& request);
    void FlushReceives();
    void SendAeth(uint8_t syndrome,
                  uint64_t packet,
                  int64_t selective,
                  const QbbFrame* cause = nullptr);
    static void Echo(const QbbFrame& cause, QbbFrame& frame);
    static uint32_t GetTrailerBytes(const QbbFrame& frame);
    void NotifyCongestion();

    // the same with IRN (rdma-queue-pair-irn.cc)
    void ReceiveIrnRequest(const QbbFrame& frame);
    Fault JudgeIrn(const QbbFrame& frame);
    void Keep(const RdmaArrivedRequest& request);
    void PerformKept();

    // answers to READs and atomics of the peer (rdma-queue-pair-responses.cc)
    void Answer(RdmaResponse response);
    void RepeatAnswer(const QbbFrame& frame, uint64_t packet);
    uint64_t PerformAtomic(const RdmaArrivedRequest& request);
    uint32_t CountUnanswered() const;
    QbbFramePtr MakeResponseFrame();
    QbbFramePtr MakeIrnResponseFrame();
    void PaceResponse(const QbbFrame& frame);
    void PaceIrnResponse(const QbbFrame& frame, uint64_t response, bool again);
    QbbFramePtr MakeAeth(RdmaOpcode opcode, uint8_t syndrome, uint32_t psn, uint32_t selectivePsn);
    void FillResponse(QbbFrame& frame, const RdmaResponse& response, uint64_t index) const;
    void ReceiveReadAcknowledge(const QbbFrame& frame);
    void EndResponses();
    void SyncResponses();
    void ReleaseResponses();

    // what every packet touches
    RdmaNic* m_nic{nullptr};                           //!< owner
    RdmaQpState m_state{RdmaQpState::RESET};           //!< state
    RdmaWireFormat m_wireFormat{RdmaWireFormat::ROCE}; //!< of the transport
    bool m_queued{false};                              //!< in the NIC's list of ready queue pairs
    bool m_responsesReady{false};                      //!< a response may go out
    bool m_responseTurn{false};               //!< the next packet is a response, if there is one
    bool m_ceSeen{false};                     //!< a packet came in marked CE, not yet told
    bool m_cnpDue{false};                     //!< and since the last CNP
    bool m_inMessage{false};                  //!< responder, RoCE: between FIRST and LAST
    bool m_inSend{false};                     //!< responder, RoCE: the present message is a SEND
    uint32_t m_pathMtu{1024};                 //!< attribute PathMtu
    uint32_t m_ackInterval{1};                //!< of the transport
    uint32_t m_initialPsn{0};                 //!< attribute InitialPsn
    uint32_t m_remotePsn{0};                  //!< PSN of the peer's first packet
    uint32_t m_outstandingReads{0};           //!< READs and atomics that have begun
    std::unique_ptr<RdmaSender> m_sender;     //!< of the requests
    std::unique_ptr<RdmaReceiver> m_receiver; //!< of the peer's requests
    std::unique_ptr<RdmaPacer> m_pacer;       //!< with congestion control
    QbbRing<SendEntry> m_sends;               //!< posted and not complete, in order
    std::size_t m_cursor{0};                  //!< the entry that sends at present
    std::size_t m_released{0};                //!< how many of m_sends may send
    uint64_t m_barrier{NO_BARRIER};           //!< RoCE: the response that comes next
    uint64_t m_sendEnd{NO_END};               //!< SQD: no packet from this one on is sent
    QbbFrameFields m_frame;                   //!< what all frames have in common
    QbbTimer<RdmaQueuePair, &RdmaQueuePair::OnTimer> m_timer; //!< the sender's deadline

    QbbRing<RdmaReceiveRequest> m_receives; //!< receive requests
    uint64_t m_messageBytes{0};             //!< responder, RoCE: bytes of the present message
    uint64_t m_messageLength{0};            //!< responder, RoCE: what its RETH announced
    uint64_t m_posted{0};                   //!< packet numbers posted
    uint64_t m_responsesPosted{0};          //!< IRN: response numbers posted
    int64_t m_nextCnpPs{0};                 //!< no notification before this instant
    uint32_t m_msn{0};                      //!< responder: messages completed, 24 bits
    uint32_t m_sendSn{0};                   //!< IRN: SENDs and WRITEs with immediate posted
    uint32_t m_readSn{0};                   //!< IRN: READs and atomics posted
    uint32_t m_receiveSn{0};                //!< IRN: receive requests completed
    uint32_t m_qpn{0};                      //!< queue pair number
    uint32_t m_port{0};                     //!< index of the NIC's port
    uint32_t m_pacePlace{RdmaPaceHeap<RdmaQueuePair>::NO_PLACE}; //!< waits there for its pace
    uint8_t m_dscp{26};                                          //!< attribute Dscp
    uint8_t m_cnpDscp{48};                                       //!< attribute CnpDscp
    uint8_t m_ttl{64};                                           //!< attribute Ttl
    uint16_t m_sourcePort{0};                                    //!< attribute SourcePort
    bool m_symmetricPort{false};                                 //!< attribute SymmetricSourcePort
    uint8_t m_minRnrTimer{1};                                    //!< attribute MinRnrTimer
    uint8_t m_maxRdAtomic{16};                                   //!< attribute MaxRdAtomic
    uint8_t m_maxDestRdAtomic{16};                               //!< attribute MaxDestRdAtomic
    bool m_ecnCapable{true};                                     //!< attribute EcnCapable
    bool m_flushing{false};                       //!< receive requests are being flushed
    std::unique_ptr<RdmaRetryLimits> m_limits;    //!< given to Modify(), if any were
    Ptr<RdmaTransport> m_transport;               //!< makes the halves
    Ptr<RdmaSharedReceiveQueue> m_sharedReceives; //!< where receive requests come from, if any
    Ptr<RdmaCompletionQueue> m_sendQueue;         //!< completions of sends
    Ptr<RdmaCompletionQueue> m_receiveQueue;      //!< completions of receives
    std::unique_ptr<Reads> m_reads;               //!< made with the first READ or atomic
    std::unique_ptr<Responses> m_responses;       //!< made with the peer's first READ or atomic
    /// IRN: last packets that came early; made with the first
    std::unique_ptr<RdmaPacketHeap<RdmaArrivedRequest>> m_kept;
    RdmaQueuePairCounters m_stats; //!< counters

    TracedCallback<const RdmaMessageArrival&> m_messageReceived; //!< trace MessageReceived
    TracedCallback<const RdmaWorkCompletion&> m_sendCompleted;   //!< trace SendCompleted
    TracedCallback<RdmaQpState, RdmaQpState> m_stateChanged;     //!< trace State
};

} // namespace ns3

#endif /* RDMA_QUEUE_PAIR_H */
