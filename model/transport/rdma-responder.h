/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_RESPONDER_H
#define RDMA_RESPONDER_H

#include "qbb-frame.h"
#include "qbb-ring.h"
#include "rdma-connection.h"
#include "rdma-endpoint.h"
#include "rdma-queue-pair-stats.h"
#include "rdma-response.h"
#include "rdma-shared-receive-queue.h"
#include "rdma-transport.h"

#include <ns3/ptr.h>

#include <cstdint>
#include <memory>

namespace ns3
{

/**
 * \ingroup rdma
 * The responder of a queue pair: the peer's packets become messages and are acknowledged, its READs
 * and atomics are answered.
 *
 * The base class has what RoCE and IRN share: receive requests, checks of READs and atomics, and
 * what the execution of a request means. A transport's own class says which packets are accepted,
 * and in what order answers go out.
 *
 * Sees frames' fields and picoseconds; asks the rest of an RdmaEndpoint. A completion may call back
 * into the queue pair, and reset it: functions look at the state again after each completion.
 */
class RdmaResponder
{
  public:
    /** \param endpoint the queue pair, which outlives its responder */
    explicit RdmaResponder(RdmaEndpoint& endpoint);

    virtual ~RdmaResponder();

    RdmaResponder(const RdmaResponder&) = delete;
    RdmaResponder& operator=(const RdmaResponder&) = delete;

    /** Forgets everything but the shared receive queue, as a queue pair in RESET. */
    virtual void Reset();

    /** \param request room for a message of the peer \param now the instant */
    void PostReceive(const RdmaReceiveRequest& request, QbbPs now);

    /** \return receive requests that are posted */
    std::size_t GetReceives() const
    {
        return m_receives.GetSize();
    }

    /** \param queue where receive requests come from; null: PostReceive() */
    void SetSharedReceiveQueue(Ptr<RdmaSharedReceiveQueue> queue);

    /** \return where receive requests come from, or null */
    const Ptr<RdmaSharedReceiveQueue>& GetSharedReceiveQueue() const
    {
        return m_sharedReceives;
    }

    /** \param packets request packets that were executed before, by another responder */
    void ResumeAt(uint64_t packets);

    /** \return true if an answer may go out: MakeFrame() */
    bool IsReady() const
    {
        return m_ready;
    }

    /** \param now the instant \return the next answer, on its way now; only if IsReady() */
    virtual QbbFramePtr MakeFrame(QbbPs now) = 0;

    /**
     * \param frame a request, or an acknowledgement of answers, that came in
     * \param info what its opcode means
     * \param now the instant
     */
    virtual void Receive(const QbbFrame& frame, const RdmaOpcodeInfo& info, QbbPs now) = 0;

    /** Congestion control may have room for answers now. */
    virtual void Release();

    /** \return when OnTimer() wants to be called, or RdmaSender::NO_DEADLINE */
    QbbPs GetDeadline() const
    {
        return m_deadline;
    }

    /** The deadline has come. \param now the instant */
    virtual void OnTimer(QbbPs now);

    /** Takes back what is not said yet: the queue pair goes into error. */
    virtual void End() = 0;

    /** Completes all receive requests, in state ERR. \param now the instant */
    void FlushReceives(QbbPs now);

    /** \return acknowledged answers that went and arrived */
    virtual RdmaStreamState GetStream() const;

    /** \param stats get what the responder has counted */
    virtual void AddTo(RdmaQueuePairStats& stats) const;

  protected:
    /** What is wrong with a request that has come in. */
    enum class Fault : uint8_t
    {
        NONE,      //!< nothing
        NOT_READY, //!< there is no receive request for it
        NO_ACCESS, //!< it has no right to that memory
        INVALID,   //!< it makes no sense
        TOO_LONG,  //!< it is longer than the receive request
    };

    /** \param opcode a BTH opcode \return its operation, as an opcode of the reliable connection */
    static RdmaOpcode GetOperation(uint8_t opcode)
    {
        return static_cast<RdmaOpcode>(opcode & RDMA_OPERATION_MASK);
    }

    /** \param operation GetOperation() \return true for SENDs */
    static bool IsSend(RdmaOpcode operation)
    {
        return operation <= RdmaOpcode::SEND_ONLY_WITH_IMMEDIATE;
    }

    /** \param operation GetOperation() \return true for WRITEs */
    static bool IsWrite(RdmaOpcode operation)
    {
        return operation >= RdmaOpcode::RDMA_WRITE_FIRST &&
               operation <= RdmaOpcode::RDMA_WRITE_ONLY_WITH_IMMEDIATE;
    }

    /** \param operation GetOperation() \return true for atomics */
    static bool IsAtomic(RdmaOpcode operation)
    {
        return operation == RdmaOpcode::COMPARE_SWAP || operation == RdmaOpcode::FETCH_ADD;
    }

    /**
     * Acknowledges, or refuses, a packet.
     *
     * \param syndrome what the AETH says (RdmaAeth)
     * \param packet the packet that the AETH names
     * \param selective the packet that came in
     * \param cause its frame, whose telemetry goes back; null: none goes back
     */
    virtual void SendAeth(uint8_t syndrome,
                          uint64_t packet,
                          int64_t selective,
                          const QbbFrame* cause) = 0;

    /** \param response goes out when its turn comes */
    virtual void Answer(RdmaResponse response) = 0;

    /** \return READs and atomics of the peer whose answers have not all gone out */
    virtual uint32_t CountUnanswered() const = 0;

    /**
     * A request was refused for good, and the peer has been told.
     *
     * \param fault why
     * \param packet its packet
     * \param now the instant
     */
    virtual void Refused(Fault fault, uint64_t packet, QbbPs now);

    void Acknowledge(int64_t selective, const QbbFrame& frame);
    void TellGap(int64_t selective, const QbbFrame& frame);
    void Refuse(Fault fault, uint64_t packet, QbbPs now);
    void Fail(Fault fault, QbbPs now);
    Fault JudgeRead(const QbbFrame& frame) const;
    void Perform(const RdmaArrivedRequest& request, QbbPs now);
    bool HasReceives(uint32_t count);
    void FillAnswer(QbbFrame& frame, const RdmaResponse& response, uint64_t index) const;
    static void FillAeth(QbbFrame& frame, const RdmaResponse& response);

    /** \return what it shares with the requester */
    RdmaConnection& GetConnection() const
    {
        return m_endpoint.GetConnection();
    }

    RdmaEndpoint& m_endpoint;                  //!< the queue pair
    std::unique_ptr<RdmaReceiver> m_receiver;  //!< of the peer's requests
    QbbRing<RdmaReceiveRequest> m_receives;    //!< receive requests
    uint64_t m_answersSent{0};                 //!< READ responses and atomic results sent
    QbbPs m_deadline{RdmaSender::NO_DEADLINE}; //!< OnTimer()

  private:
    void CompleteReceive(RdmaWcStatus status, const RdmaArrivedRequest& request, QbbPs now);
    uint64_t PerformAtomic(const RdmaArrivedRequest& request);

    Ptr<RdmaSharedReceiveQueue> m_sharedReceives; //!< where receive requests come from, if any

  protected:
    // These small fields come last: the first small fields of a derived class fill up their word.
    uint32_t m_receiveSn{0}; //!< receive requests completed, 24 bits
    bool m_ready{false};     //!< an answer may go out

  private:
    bool m_flushing{false}; //!< receive requests are being flushed
};

} // namespace ns3

#endif /* RDMA_RESPONDER_H */
