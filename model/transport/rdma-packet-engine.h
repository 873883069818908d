/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_PACKET_ENGINE_H
#define RDMA_PACKET_ENGINE_H

#include "qbb-event-order.h"
#include "qbb-frame.h"
#include "qbb-time.h"
#include "qbb-timer.h"
#include "rdma-endpoint.h"
#include "rdma-notification-point.h"
#include "rdma-pace-heap.h"
#include "rdma-queue-pair-sample.h"
#include "rdma-requester.h"
#include "rdma-responder.h"
#include "rdma-transport.h"
#include "rdma-verbs-events.h"

#include <cstdint>
#include <memory>

namespace ns3
{

class RdmaNic;
class RdmaQueuePair;

/**
 * \ingroup rdma
 * A queue pair as its NIC sees it: sends its packets when its turn comes, and takes those that come
 * in for it. Joins requester, responder, reaction point and notification point, and has their
 * timer.
 */
class RdmaPacketEngine : public RdmaEndpoint
{
  public:
    /** When at an instant a deadline of its halves has passed. */
    static constexpr uint32_t EVENT_ORDER = QbbEventOrder::Settling::At<0>();

    /** \param events hears of completions and failures; outlives the engine */
    explicit RdmaPacketEngine(RdmaVerbsEvents& events);

    ~RdmaPacketEngine() override;

    /** \param qp a queue pair \return its engine */
    static RdmaPacketEngine& Of(RdmaQueuePair& qp);

    /** \param qp a queue pair \return its engine */
    static const RdmaPacketEngine& Of(const RdmaQueuePair& qp);

    // Life of the queue pair

    /**
     * A new queue pair gets its place at a NIC: makes requester and responder.
     *
     * \param nic the NIC
     * \param port index of the NIC's port
     * \param qpn the queue pair number
     * \param transport makes them
     */
    void Start(RdmaNic* nic, uint32_t port, uint32_t qpn, Ptr<const RdmaTransport> transport);

    /** Leaves the NIC, which may be gone from now on. */
    void Stop();

    /** Forgets everything but the connection's settings. */
    void Reset();

    /** Ends both halves: the queue pair goes into error. */
    void End();

    /**
     * \param fields that all frames have in common
     * \param cnpDscp DSCP of CNPs
     */
    void SetFrame(const QbbFrameHeaders& fields, uint8_t cnpDscp);

    /** \return the fields that all frames have in common */
    const QbbFrameHeaders& GetFrame() const
    {
        return m_frame;
    }

    /** \return its requester; only after Start() */
    RdmaRequester& GetRequester() const
    {
        return *m_requester;
    }

    /** \return its responder; only after Start() */
    RdmaResponder& GetResponder() const
    {
        return *m_responder;
    }

    /** \return the NIC */
    RdmaNic* GetNic() const
    {
        return m_nic;
    }

    /** A half may have another deadline than before. */
    void SyncTimer();

    /** \return how the queue pair stands now */
    RdmaQueuePairSample GetSample() const;

    /** Aborts with a message if a full packet without telemetry does not fit the port's MTU. */
    void CheckPathMtu() const;

    /** \return a full packet on the line, without telemetry, in bytes */
    uint32_t GetFullPacketBytes() const;

    /** \param trailer bytes of telemetry \return an acknowledgement on the line, in bytes */
    uint32_t GetAckBytes(uint32_t trailer) const;

    /** \return preamble and gap of a frame on the line, in bytes */
    uint32_t GetLineOverheadBytes() const override;

    // Its turn among the NIC's queue pairs

    /** \return the queue pair number */
    uint32_t GetQpn() const
    {
        return m_connection.qpn;
    }

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

    /** \param now the instant \return true if its pace does not allow a packet yet */
    bool MustWait(QbbPs now) const
    {
        return m_connection.reaction && m_connection.reaction->GetPacer().MustWait(now);
    }

    /**
     * \param now the instant
     * \return when to ask MustWait() again if nothing comes in; only if it is true
     */
    QbbPs GetWake(QbbPs now) const
    {
        return m_connection.reaction->GetPacer().GetWake(now);
    }

    /** \return its place among those that wait for their pace: RdmaPaceHeap's own */
    uint32_t& GetPacePlace()
    {
        return m_pacePlace;
    }

    /** \return true if it has a packet that may go out, now or when its pace allows it */
    bool CanSend() const
    {
        return HasAnswer() || m_requester->CanSend();
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

  private:
    // RdmaEndpoint
    QbbFramePtr NewFrame() override;
    void Send(QbbFramePtr frame) override;
    void Drop(const QbbFrame& frame, QbbDropReason reason) override;
    void Activate() override;
    void MakeReady() override;
    void SampleChanged() override;
    bool IsAllowed(uint32_t key,
                   uint64_t address,
                   uint64_t length,
                   const RdmaMemoryAccess& access) const override;
    RdmaMemory& GetMemory() override;
    void CompleteSend(const RdmaWorkCompletion& completion, bool queued) override;
    void CompleteReceive(const RdmaWorkCompletion& completion) override;
    void MessageArrived(const RdmaMessageArrival& arrival) override;
    void Fail(RdmaWcStatus status, uint64_t packet) override;
    RdmaStreamState GetStreams() const override;
    void RoomMade() override;
    void PaceChanged(QbbPs now) override;
    void WarnOfUnheardResponses() override;
    bool MeasuresRtt() const override;

    void OnTimer();
    void SendCnp();

    /** \return true if an answer, or the requester's question for one, may go out */
    bool HasAnswer() const
    {
        return m_responder->IsReady() || m_requester->HasProbe();
    }

    RdmaVerbsEvents& m_events;                  //!< the queue pair
    RdmaNic* m_nic{nullptr};                    //!< the NIC
    uint32_t m_port{0};                         //!< index of the NIC's port
    uint8_t m_cnpDscp{0};                       //!< DSCP of CNPs
    bool m_queued{false};                       //!< in the NIC's list of ready queue pairs
    bool m_answerTurn{false};                   //!< the next packet is an answer, if there is one
    std::unique_ptr<RdmaRequester> m_requester; //!< made by Start()
    std::unique_ptr<RdmaResponder> m_responder; //!< made by Start()
    QbbFrameHeaders m_frame;                    //!< what all frames have in common
    RdmaNotificationPoint::Marks m_marks;       //!< CE marks that no CNP has told of
    QbbTimer<RdmaPacketEngine, &RdmaPacketEngine::OnTimer, EVENT_ORDER>
        m_timer;                                                    //!< the halves' deadlines
    uint32_t m_pacePlace{RdmaPaceHeap<RdmaPacketEngine>::NO_PLACE}; //!< GetPacePlace()
};

} // namespace ns3

#endif /* RDMA_PACKET_ENGINE_H */
