/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_RESPONDER_H
#define RDMA_RESPONDER_H

#include "qbb-frame.h"
#include "qbb-wire.h"
#include "rdma-connection.h"
#include "rdma-endpoint.h"
#include "rdma-queue-pair-stats.h"
#include "rdma-response.h"
#include "rdma-ring-buffer.h"
#include "rdma-shared-receive-queue.h"
#include "rdma-transport.h"

#include <ns3/ptr.h>

#include <cstdint>
#include <memory>

namespace ns3
{

/**
 * \ingroup rdma
 * The responder of a queue pair: assembles the peer's packets into messages, acknowledges packets,
 * and responds to READs and atomics.
 *
 * The base class implements the parts common to RoCE and IRN: receive requests, validation of READs
 * and atomics, and the execution of requests. Derived classes define which packets are accepted and
 * in what order responses are sent.
 *
 * The responder works on frame fields and picoseconds and depends on the NIC only through
 * RdmaEndpoint. A completion may call back into the queue pair and reset it, so functions check the
 * state again after each completion.
 */
class RdmaResponder
{
  public:
    /** \param endpoint endpoint of the queue pair; outlives the responder */
    explicit RdmaResponder(RdmaEndpoint& endpoint);

    virtual ~RdmaResponder();

    RdmaResponder(const RdmaResponder&) = delete;
    RdmaResponder& operator=(const RdmaResponder&) = delete;

    /** Clears all state except the shared receive queue: the queue pair goes to state RESET. */
    virtual void Reset();

    /** \param request buffer for a message of the peer \param now current time */
    void PostReceive(const RdmaReceiveRequest& request, RdmaPs now);

    /** \return number of posted receive requests */
    std::size_t GetReceives() const
    {
        return m_receives.GetSize();
    }

    /** \param queue source of receive requests; null: receive requests come from PostReceive() */
    void SetSharedReceiveQueue(Ptr<RdmaSharedReceiveQueue> queue);

    /** \return the shared receive queue, or null */
    const Ptr<RdmaSharedReceiveQueue>& GetSharedReceiveQueue() const
    {
        return m_sharedReceives;
    }

    /** \param receives number of receive requests that earlier queue pairs have completed */
    void Resume(uint64_t receives)
    {
        m_receiveSn = static_cast<uint32_t>(receives & QbbWire::MASK24);
    }

    /** \return the receiver of the peer's request packets */
    RdmaReceiver& GetReceiver()
    {
        return *m_receiver;
    }

    /** \return true if a response may be sent, see MakeFrame() */
    bool IsReady() const
    {
        const RdmaConnection& connection = m_endpoint.connection;
        return connection.responseReady && (!connection.responseWindowed || !connection.reaction ||
                                            connection.reaction->HasRoom());
    }

    /** \param now current time \return the next response; to be called only if IsReady() */
    virtual QbbFramePtr MakeFrame(RdmaPs now) = 0;

    /**
     * \param frame a received request, or a received acknowledgement of responses
     * \param info properties of the frame's opcode
     * \param now current time
     */
    virtual void Receive(const QbbFrame& frame, const RdmaOpcodeInfo& info, RdmaPs now) = 0;

    /** Handles the timer of responses, whose deadline has passed. \param now current time */
    virtual void OnTimer(RdmaPs now);

    /** Discards all unsent responses: the queue pair goes into state ERR. */
    virtual void End() = 0;

    /** Completes all receive requests in state ERR. \param now current time */
    void FlushReceives(RdmaPs now);

    /** \return counts of response packets sent and acknowledged; zero if never acknowledged */
    virtual RdmaStreamState GetStream() const;

    /** \param stats sums to which the responder's counters are added */
    virtual void AddTo(RdmaQueuePairStats& stats) const;

  protected:
    /** Fault found when a received request is validated. */
    enum class Fault : uint8_t
    {
        NONE,      //!< no fault
        NOT_READY, //!< no receive request is available
        NO_ACCESS, //!< the request has no access to the memory it names
        INVALID,   //!< the request is malformed or not allowed
        TOO_LONG,  //!< the message is longer than the receive request
    };

    /** \param opcode a BTH opcode \return the equivalent opcode of the reliable connection */
    static RdmaOpcode GetOperation(uint8_t opcode)
    {
        return static_cast<RdmaOpcode>(opcode & RDMA_OPERATION_MASK);
    }

    /** \param operation result of GetOperation() \return true for SENDs */
    static bool IsSend(RdmaOpcode operation)
    {
        return operation <= RdmaOpcode::SEND_ONLY_WITH_IMMEDIATE;
    }

    /** \param operation result of GetOperation() \return true for WRITEs */
    static bool IsWrite(RdmaOpcode operation)
    {
        return operation >= RdmaOpcode::RDMA_WRITE_FIRST &&
               operation <= RdmaOpcode::RDMA_WRITE_ONLY_WITH_IMMEDIATE;
    }

    /** \param operation result of GetOperation() \return true for atomics */
    static bool IsAtomic(RdmaOpcode operation)
    {
        return operation == RdmaOpcode::COMPARE_SWAP || operation == RdmaOpcode::FETCH_ADD;
    }

    /**
     * Sends an acknowledgement or NAK for a packet.
     *
     * \param syndrome AETH syndrome (RdmaAeth)
     * \param packet the packet that the AETH names
     * \param selective the received packet that triggers the acknowledgement
     * \param cause frame of the received packet, whose telemetry is echoed; null: no telemetry
     */
    virtual void SendAeth(uint8_t syndrome,
                          uint64_t packet,
                          int64_t selective,
                          const QbbFrame* cause) = 0;

    /** \param response a response, which is appended to the queue */
    virtual void Answer(RdmaResponse response) = 0;

    /**
     * Counts the peer's outstanding READs and atomics, for the limit MaxDestRdAtomic. A request
     * counts until its last response has been sent for the first time. A repeated request re-uses
     * the place of the original (IBA Vol. 1, 9.7.5.1), so it does not count again: once the
     * response has left, the peer may have received it and rightly sends its next request (9.4.4).
     *
     * \return number of READs and atomics whose responses have never been sent completely
     */
    virtual uint32_t CountUnanswered() const = 0;

    /**
     * Called after a request has been refused permanently and the NAK has been sent.
     *
     * \param fault reason of the refusal
     * \param packet number of the refused packet
     * \param now current time
     */
    virtual void Refused(Fault fault, uint64_t packet, RdmaPs now);

    /**
     * Acknowledges all packets that have arrived in order.
     *
     * \param selective number of the received packet
     * \param frame the received packet
     */
    void Acknowledge(int64_t selective, const QbbFrame& frame);

    /**
     * Sends a NAK of PSN sequence error for the first missing packet.
     *
     * \param selective number of the received packet
     * \param frame the received packet
     */
    void SendSequenceNak(int64_t selective, const QbbFrame& frame);

    /**
     * Refuses a request: with an RNR NAK if a receive request is missing, else with a NAK, after
     * which Refused() is called.
     *
     * \param fault the fault, not NONE
     * \param packet number of the refused packet
     * \param now current time
     */
    void Refuse(Fault fault, uint64_t packet, RdmaPs now);

    /**
     * Takes the queue pair into state ERR for a fault in the peer's request. If the message is too
     * long, the receive request completes with RdmaWcStatus::LOC_LEN_ERR before.
     *
     * \param fault the fault
     * \param now current time
     */
    void Fail(Fault fault, RdmaPs now);

    /**
     * \param frame a READ or atomic request
     * \return the fault in the request's address, length or rights, or NONE
     */
    Fault ValidateRead(const QbbFrame& frame) const;

    /**
     * Performs a request whose packets have all arrived: completes a receive request, tells of a
     * message, or queues the response to a READ or atomic.
     *
     * \param request the request
     * \param now current time
     */
    void Perform(const RdmaArrivedRequest& request, RdmaPs now);

    /**
     * Takes receive requests from the shared receive queue where the queue pair has too few.
     *
     * \param count number of receive requests needed
     * \return true if the queue pair has as many receive requests
     */
    bool HasReceives(uint32_t count);

    /**
     * Sets the opcode and the contents of a response packet.
     *
     * \param [out] frame the packet
     * \param response the response
     * \param index index of the packet in the response, from 0
     */
    void FillAnswer(QbbFrame& frame, const RdmaResponse& response, uint64_t index) const;

    /**
     * Sets the AETH of a response packet whose opcode has one.
     *
     * \param [in,out] frame the packet, whose opcode is set
     * \param response the response, whose MSN goes into the AETH
     */
    static void FillAeth(QbbFrame& frame, const RdmaResponse& response);

    RdmaEndpoint& m_endpoint;                      //!< endpoint of the queue pair
    std::unique_ptr<RdmaReceiver> m_receiver;      //!< receiver of the peer's request packets
    RdmaRingBuffer<RdmaReceiveRequest> m_receives; //!< posted receive requests

  private:
    void CompleteReceive(RdmaWcStatus status, const RdmaArrivedRequest& request, RdmaPs now);
    uint64_t PerformAtomic(const RdmaArrivedRequest& request);

    Ptr<RdmaSharedReceiveQueue> m_sharedReceives; //!< shared receive queue, or null

  protected:
    // Small fields come last so that small fields of a derived class share their word.
    uint32_t m_receiveSn{0}; //!< number of receive requests completed, 24 bits

  private:
    bool m_flushing{false}; //!< FlushReceives() is running
};

} // namespace ns3

#endif /* RDMA_RESPONDER_H */
