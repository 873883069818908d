/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_ENDPOINT_H
#define RDMA_ENDPOINT_H

#include "qbb-frame.h"
#include "qbb-port-counters.h"
#include "rdma-connection.h"
#include "rdma-memory.h"
#include "rdma-ps.h"
#include "rdma-verbs.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * Counts of packets sent and acknowledged in a packet stream of a queue pair.
 */
struct RdmaStreamState
{
    uint64_t acked{0};       //!< cumulatively acknowledged packets
    uint64_t next{0};        //!< number of the next packet to send
    uint64_t highestSent{0}; //!< one more than the highest packet number ever sent

    /** \param other another stream \return the sum of both streams */
    RdmaStreamState operator+(const RdmaStreamState& other) const
    {
        return {acked + other.acked, next + other.next, highestSent + other.highestSent};
    }
};

/**
 * \ingroup rdma
 * \param frame a frame
 * \return bytes of telemetry after the frame's payload
 */
uint32_t GetRdmaTrailerBytes(const QbbFrame& frame);

/**
 * \ingroup rdma
 * Sets the UDP source port of a packet, and the flow hash, which depends on the port.
 *
 * \param frame the packet
 * \param port the UDP source port
 */
void SetRdmaSourcePort(QbbFrame& frame, uint16_t port);

/**
 * \ingroup rdma
 * Interface through which the requester, the responder and the reaction point use their queue pair
 * and its NIC. Unit tests implement the interface without a simulator.
 */
class RdmaEndpoint
{
  public:
    virtual ~RdmaEndpoint() = default;

    /** \return a new frame with the header fields common to all frames of the connection */
    virtual QbbFramePtr NewFrame() = 0;

    /**
     * Sends an acknowledgement or NAK: to the port's queue of its class, at once or after the
     * NIC's turnaround.
     *
     * \param frame the acknowledgement
     */
    virtual void Send(QbbFramePtr frame) = 0;

    /**
     * \return time from which the response to a request that arrives at this instant may be sent;
     *         0: the NIC has no turnaround
     */
    virtual RdmaPs GetAnswerTime() const = 0;

    /** Counts and traces a drop. \param frame a discarded frame \param reason drop reason */
    virtual void Drop(const QbbFrame& frame, QbbDropReason reason) = 0;

    /** Requester or responder has a packet to send, from the end of the current instant on. */
    virtual void Activate() = 0;

    /** Requester or responder has a packet to send now. */
    virtual void MakeReady() = 0;

    /** An acknowledgement, NAK, CNP or timeout may have changed the queue pair's sample. */
    virtual void SampleChanged() = 0;

    /** \return the host's memory, which decides whether a peer may access an address */
    virtual RdmaMemory& GetMemory() = 0;

    /**
     * Completes a send request. Callbacks may change the state of the queue pair.
     *
     * \param completion the work completion
     * \param queued true: the completion enters the completion queue; false: it is only traced
     */
    virtual void CompleteSend(const RdmaWorkCompletion& completion, bool queued) = 0;

    /**
     * Completes a receive request. Callbacks may change the state of the queue pair.
     *
     * \param completion the work completion
     */
    virtual void CompleteReceive(const RdmaWorkCompletion& completion) = 0;

    /** Reports a complete message. \param arrival arrival of a message from the peer */
    virtual void MessageArrived(const RdmaMessageArrival& arrival) = 0;

    /**
     * Moves the queue pair to state ERR and flushes its requests.
     *
     * \param status status of the failed request
     * \param packet number of a packet of the failed request
     */
    virtual void Fail(RdmaWcStatus status, uint64_t packet) = 0;

    /** \return packet counts of local requests and acknowledged local responses together */
    virtual RdmaStreamState GetStreams() const = 0;

    /** A retransmission timer has expired. \param now current time */
    virtual void TimedOut(RdmaPs now)
    {
    }

    /**
     * Ends RdmaConnection::passive: congestion control starts. To be called before the queue pair
     * gets a request or a response to send.
     */
    virtual void BecomeActive() = 0;

    /** The pace that the reaction point sets may have changed. \param now current time */
    virtual void PaceChanged(RdmaPs now) = 0;

    /**
     * Warns on standard error that congestion control does not slow READ responses over RoCE, which
     * are not acknowledged. The warning appears once for each algorithm and process, and not for
     * algorithms driven by CNPs.
     */
    virtual void WarnOfUnslowedResponses() = 0;

    /** \return true if round-trip times are wanted regardless of congestion control */
    virtual bool MeasuresRtt() const = 0;

    /** \return bytes of preamble and inter-packet gap of a frame on the line */
    virtual uint32_t GetLineOverheadBytes() const = 0;

    /**
     * \param opcode opcode of an acknowledgement
     * \param syndrome AETH syndrome (RdmaAeth)
     * \param psn PSN of the acknowledgement
     * \param selectivePsn IRN: PSN of the packet that triggered the acknowledgement
     * \return the acknowledgement frame, which echoes a CE mark not yet echoed, and the source port
     *         of the latest packet received if the connection echoes ports
     */
    QbbFramePtr NewAeth(RdmaOpcode opcode, uint8_t syndrome, uint32_t psn, uint32_t selectivePsn);

    /**
     * Sends an acknowledgement or NAK of IRN.
     *
     * \param opcode IRN_ACKNOWLEDGE or IRN_READ_ACKNOWLEDGE
     * \param syndrome AETH syndrome (RdmaAeth)
     * \param packet number of the peer's packet that the AETH names
     * \param selective number of the peer's packet that triggers the acknowledgement
     * \param cause frame of that packet, whose telemetry is echoed; null: no telemetry
     * \param arrived bit i: packet `selective` - 1 - i has arrived, too
     */
    void SendIrnAeth(RdmaOpcode opcode,
                     uint8_t syndrome,
                     uint64_t packet,
                     int64_t selective,
                     const QbbFrame* cause,
                     uint8_t arrived = 0);

    /**
     * Copies the telemetry of a packet into its acknowledgement.
     *
     * \param cause the packet
     * \param frame the acknowledgement
     */
    static void Echo(const QbbFrame& cause, QbbFrame& frame);

    RdmaConnection connection; //!< state shared by requester and responder
};

} // namespace ns3

#endif /* RDMA_ENDPOINT_H */
