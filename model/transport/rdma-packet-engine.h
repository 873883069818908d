/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_PACKET_ENGINE_H
#define RDMA_PACKET_ENGINE_H

#include "qbb-frame.h"
#include "rdma-endpoint.h"
#include "rdma-entropy.h"
#include "rdma-event-order.h"
#include "rdma-notification-point.h"
#include "rdma-pace-heap.h"
#include "rdma-prefetch.h"
#include "rdma-reply-delays.h"
#include "rdma-requester.h"
#include "rdma-responder.h"
#include "rdma-time.h"
#include "rdma-timer.h"
#include "rdma-transport.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

class QbbNetDevice;
class RdmaCongestionControl;
class RdmaNic;
class RdmaQueuePair;

/**
 * \ingroup rdma
 * The packet-level part of a queue pair, as its NIC sees it. The NIC's scheduler takes packets to
 * send from the engine, and the NIC hands received packets to the engine. The engine joins
 * requester, responder, reaction point and notification point, owns the timer of requester and
 * responder, and reports completions and messages to the queue pair.
 */
class RdmaPacketEngine : public RdmaEndpoint
{
  public:
    /** Order of the engine's timer among the events of one instant. */
    static constexpr uint32_t EVENT_ORDER = RdmaEventOrder::Settling::At<0>();

    /** \param queuePair queue pair that the engine is a part of */
    explicit RdmaPacketEngine(RdmaQueuePair& queuePair);

    ~RdmaPacketEngine() override;

    /** \param qp a queue pair \return the packet engine of the queue pair */
    static RdmaPacketEngine& Of(RdmaQueuePair& qp);

    /** \param qp a queue pair \return the packet engine of the queue pair */
    static const RdmaPacketEngine& Of(const RdmaQueuePair& qp);

    /** \return the queue pair that the engine is a part of */
    const RdmaQueuePair& GetQueuePair() const
    {
        return m_queuePair;
    }

    // Life cycle of the queue pair

    /**
     * Attaches a new queue pair to a NIC and makes its requester and responder.
     *
     * \param nic the NIC
     * \param port index of the NIC's port
     * \param qpn the queue pair number
     * \param transport factory of the requester and the responder; the NIC keeps it
     */
    void Start(RdmaNic* nic, uint32_t port, uint32_t qpn, const RdmaTransport& transport);

    /**
     * Gives a queue pair in state RESET another number, as if it were new. The NIC and the
     * transport remain.
     *
     * \param port index of the NIC's port
     * \param qpn the queue pair number
     */
    void Restart(uint32_t port, uint32_t qpn);

    /**
     * \param now current time
     * \return true if the queue pair has received requests alone, each packet once and in order,
     *         and has nothing left to send. A new queue pair with RdmaQueuePair::ResumeResponder()
     *         then acts as this one would from now on.
     */
    bool IsAtRest(RdmaPs now) const;

    /** Detaches the queue pair from its NIC, which may be destroyed afterwards. */
    void Stop();

    /** Clears all state except the connection's settings; retry limits are cleared. */
    void Reset();

    /** \return the port that the queue pair sends through */
    QbbNetDevice& GetDevice() const;

    /**
     * Sends all further frames through a port. The caller sees to it that the NIC's scheduler does
     * not hold the queue pair as ready at its former port.
     *
     * \param port index of a port of the NIC with the address of the queue pair's port
     */
    void UsePort(uint32_t port);

    /** \return ports of the NIC that have one address with the queue pair's port, if several do */
    std::vector<uint32_t> GetBond() const;

    /** \param port index of a port of the NIC \return the port's device */
    QbbNetDevice& GetDeviceOf(uint32_t port) const;

    /**
     * Sends through the port of a bond that a flow takes.
     *
     * \param flowHash QbbFlowHash() of the queue pair's packets
     */
    void ChooseBondPort(uint32_t flowHash);

    /** \return id of the node on which the timer's events run */
    uint32_t GetNodeId() const;

    /**
     * Sets the headers of a queue pair that has got the address of its peer, and tells the NIC's
     * connection watcher.
     *
     * \param fields header fields common to all frames of the queue pair
     * \param cnpDscp DSCP of CNPs
     */
    void SetFrame(const QbbFrameHeaders& fields, uint8_t cnpDscp);

    /**
     * Says whether the network may lose packets of the queue pair, and applies the transport's
     * present timeouts. For RdmaNic::ConnectionWatcher. Aborts with a message if the queue pair has
     * sent a packet.
     *
     * \param mayLose true, the default: the timer of the transport runs. False: the timer is off,
     *        unless RdmaQueuePair::Modify() sets a timeout
     */
    void SetLossy(bool mayLose);

    /**
     * Makes the reaction point of a queue pair that has got the address of its peer, if the NIC has
     * congestion control. Congestion control may ask for a telemetry record from each switch, or
     * for a byte of link utilisation; telemetry lengthens packets and therefore the round trip.
     *
     * Queries the NIC's path oracle, if the NIC has one. Without an oracle, the ports of the
     * network decide on RdmaIntFormat::AUTO.
     *
     * \throws std::invalid_argument if the path has too many switches for telemetry, if a full
     *         packet with telemetry exceeds the port's MTU, if the telemetry format has no code for
     *         the rate of a port, or if congestion control asks for both kinds of telemetry
     */
    void StartCongestionControl();

    /**
     * Moves the queue pair to state ERR and flushes its requests.
     *
     * \param status status of the failed request
     * \param packet number of a packet of the failed request
     */
    void Fail(RdmaWcStatus status, uint64_t packet) override;

    /** \return header fields common to all frames; before SetFrame(), the port's address only */
    const QbbFrameHeaders& GetFrame() const
    {
        return m_frame;
    }

    /** \return the requester; to be called only after Start() */
    RdmaRequester& GetRequester() const
    {
        m_usesRequester = true;
        return *m_requester;
    }

    /** \return the responder; to be called only after Start() */
    RdmaResponder& GetResponder() const
    {
        m_usesResponder = true;
        return *m_responder;
    }

    /** \return the NIC of the queue pair */
    RdmaNic* GetNic() const
    {
        return m_nic;
    }

    /** Rearms the timer with the earlier deadline of requester and responder. */
    void SyncTimer();

    /** \return bytes of a full packet on the line, without telemetry */
    uint32_t GetFullPacketBytes() const;

    /** \return bytes of preamble and inter-packet gap of a frame on the line */
    uint32_t GetLineOverheadBytes() const override;

    // Interface to the NIC's scheduler

    /** \return the queue pair number */
    uint32_t GetQpn() const
    {
        return connection.qpn;
    }

    /** \return index of the NIC's port */
    uint32_t GetPortIndex() const
    {
        return m_port;
    }

    /** \return traffic class of the packets that the queue pair sends */
    uint8_t GetPriority() const
    {
        return m_frame.priority;
    }

    /** \param now current time \return true if pacing does not allow a packet yet */
    bool MustWait(RdmaPs now) const
    {
        return connection.reaction && connection.reaction->GetPacer().MustWait(now);
    }

    /**
     * \param now current time, at which MustWait() was called before the latest packet, if any
     * \return result of MustWait()
     */
    bool StillWaits(RdmaPs now) const
    {
        return connection.reaction && connection.reaction->GetPacer().GetNext() > now;
    }

    /**
     * \param now current time
     * \return time at which to call MustWait() again, unless the pace changes before; valid only
     *         while MustWait() is true
     */
    RdmaPs GetWake(RdmaPs now) const
    {
        return connection.reaction->GetPacer().GetWake(now);
    }

    /** \return place of the queue pair in the RdmaPaceHeap, for use by the heap only */
    uint32_t& GetPacePlace()
    {
        return m_pacePlace;
    }

    /** \return true if a packet is ready to be sent, at once or when pacing allows it */
    bool CanSend() const
    {
        return HasAnswer() || m_requester->CanSend();
    }

    /** \return the next packet, which counts as sent; to be called only if CanSend() */
    QbbFramePtr MakeNextFrame();

    /** \param frame a received RoCE frame addressed to this queue pair */
    void ReceiveFrame(const QbbFrame& frame);

    /** Fetches what each packet needs of this object into the CPU caches. */
    void Prefetch() const
    {
        RdmaPrefetch(this);
        RdmaPrefetch(&connection.qpn);
        RdmaPrefetch(&m_nic);
        RdmaPrefetch(&m_frame);
    }

    /** Fetches the requester into the CPU caches. To be called some time after Prefetch(). */
    void PrefetchRequester() const
    {
        RdmaPrefetchLines(m_requester.get(), 2);
    }

    /** Fetches the responder into the CPU caches. To be called some time after Prefetch(). */
    void PrefetchResponder() const
    {
        RdmaPrefetchLines(m_responder.get(), 2);
    }

    /** \return true if the NIC's scheduler holds the queue pair */
    bool IsQueued() const
    {
        return m_queued;
    }

    /** \param queued true if the NIC's scheduler holds the queue pair */
    void SetQueued(bool queued)
    {
        m_queued = queued;
        if (!queued && connection.reaction)
        {
            connection.reaction->GetPacer().ForgetWait();
        }
    }

    /** \param at instant at which the last pause of the port ended; waiting until then is lost */
    void ForgetWaitBefore(RdmaPs at)
    {
        if (connection.reaction && connection.reaction->GetPacer().GetNext() < at)
        {
            connection.reaction->GetPacer().ForgetWait();
        }
    }

  private:
    // RdmaEndpoint
    QbbFramePtr NewFrame() override;
    void Send(QbbFramePtr frame) override;
    RdmaPs GetAnswerTime() const override;
    void Drop(const QbbFrame& frame, QbbDropReason reason) override;
    void Activate() override;
    void MakeReady() override;
    void SampleChanged() override;
    RdmaMemory& GetMemory() override;
    void CompleteSend(const RdmaWorkCompletion& completion, bool queued) override;
    void CompleteReceive(const RdmaWorkCompletion& completion) override;
    void MessageArrived(const RdmaMessageArrival& arrival) override;
    RdmaStreamState GetStreams() const override;
    void TimedOut(RdmaPs now) override;
    void BecomeActive() override;
    void PaceChanged(RdmaPs now) override;
    void WarnOfUnslowedResponses() override;
    bool MeasuresRtt() const override;

    /** \return true if the congestion window has room again for a queue pair that waited for room
     */
    bool MayResume() const;

    /** Fills in the path profile from the path oracle, if the NIC has one. */
    void QueryPathOracle(RdmaPathProfile& profile) const;

    /**
     * \param control congestion control of the queue pair
     * \param profile profile of the path, whose telemetry format the function may set
     * \return space for telemetry records in each packet
     */
    RdmaIntRoom PlanTelemetry(const RdmaCongestionControl& control, RdmaPathProfile& profile) const;

    /** \param trailer bytes of telemetry in each packet \param profile lengths to adapt */
    void AddTrailer(uint32_t trailer, RdmaPathProfile& profile) const;

    /** \param trailer bytes of telemetry \return bytes of an acknowledgement on the line */
    uint32_t GetAckBytes(uint32_t trailer) const;

    /** Gives a packet the source port that the chooser of entropies chooses. */
    void Spread(QbbFrame& frame, RdmaPs now);

    /** Tells the chooser of entropies what an acknowledgement says. */
    void LearnEntropy(const QbbFrame& frame, RdmaPs now);

    void OnTimer();
    void SendCnp();
    void Reply(RdmaReplyDelays::Kind kind, QbbFramePtr frame);

    /** \return true if a response, or a probe for a missing response, is ready to be sent */
    bool HasAnswer() const
    {
        return (connection.responseReady && m_responder->IsReady()) || connection.probeReady;
    }

    // Each packet needs the first two cache lines of the engine, which have most of the connection,
    // and the two lines that begin at the end of the connection. The rest of the connection and
    // the members behind m_frame are needed with congestion control, losses or timers only.

    RdmaNic* m_nic{nullptr};                    //!< NIC of the queue pair
    QbbNetDevice* m_device{nullptr};            //!< device of the NIC's port
    std::unique_ptr<RdmaRequester> m_requester; //!< requester, made by Start()
    std::unique_ptr<RdmaResponder> m_responder; //!< responder, made by Start()
    /// Chooser of source ports, made by SetFrame(); null: all packets have that of m_frame
    std::unique_ptr<RdmaEntropyChooser> m_chooser;
    uint16_t m_port{0}; //!< index of the NIC's port
    /// The requester may have state to be reset; false: Reset() does not touch the requester
    mutable bool m_usesRequester{false};
    mutable bool m_usesResponder{false};  //!< the responder may have state to be reset
    bool m_queued{false};                 //!< the NIC's scheduler holds the queue pair
    bool m_answerTurn{false};             //!< a response, if ready, goes before the next request
    bool m_isMarked{false};               //!< copy of m_marks.due
    bool m_isTimed{false};                //!< m_timer may be armed
    QbbFrameHeaders m_frame;              //!< header fields common to all frames
    RdmaQueuePair& m_queuePair;           //!< the queue pair; receives completions and messages
    RdmaNotificationPoint::Marks m_marks; //!< CE marks not yet reported by a CNP
    RdmaTimer<RdmaPacketEngine, &RdmaPacketEngine::OnTimer, EVENT_ORDER>
        m_timer;          //!< earlier deadline of requester and responder
    uint8_t m_cnpDscp{0}; //!< DSCP of CNPs
    uint32_t m_pacePlace{RdmaPaceHeap<RdmaPacketEngine>::NO_PLACE}; //!< place in the RdmaPaceHeap
};

} // namespace ns3

#endif /* RDMA_PACKET_ENGINE_H */
