/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_ENDPOINT_H
#define RDMA_ENDPOINT_H

#include "qbb-frame.h"
#include "qbb-port-counters.h"
#include "qbb-ps.h"
#include "rdma-connection.h"
#include "rdma-memory.h"
#include "rdma-message-arrival.h"
#include "rdma-verbs.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * How many packets of a queue pair went and arrived, requests and acknowledged responses together.
 */
struct RdmaStreamState
{
    uint64_t acked{0};       //!< packets that are acknowledged
    uint64_t next{0};        //!< packets before the one that goes next
    uint64_t highestSent{0}; //!< packets that have been sent at least once

    /** \param other another stream \return both together */
    RdmaStreamState operator+(const RdmaStreamState& other) const
    {
        return {acked + other.acked, next + other.next, highestSent + other.highestSent};
    }
};

/**
 * \ingroup rdma
 * What the requester, the responder and the reaction point of a queue pair ask of the queue pair
 * and its NIC. Unit tests have one of their own, without a simulator.
 */
class RdmaEndpoint
{
  public:
    virtual ~RdmaEndpoint() = default;

    /** \return what both halves share */
    RdmaConnection& GetConnection()
    {
        return m_connection;
    }

    /** \return what both halves share */
    const RdmaConnection& GetConnection() const
    {
        return m_connection;
    }

    /** \return a frame with all fields that the frames of the connection have in common */
    virtual QbbFramePtr NewFrame() = 0;

    /** \param frame joins the port's queue of its class at once */
    virtual void Send(QbbFramePtr frame) = 0;

    /** \param frame a frame that came in and is thrown away \param reason why */
    virtual void Drop(const QbbFrame& frame, QbbDropReason reason) = 0;

    /** A half has something to send from the end of this instant on. */
    virtual void Activate() = 0;

    /** A half has something to send now. */
    virtual void MakeReady() = 0;

    /** An acknowledgement, NAK, CNP or timeout may have changed the queue pair's sample. */
    virtual void SampleChanged() = 0;

    /**
     * \param key a key that the peer has given
     * \param address first byte
     * \param length bytes
     * \param access what is wanted
     * \return true if the peer may do that
     */
    virtual bool IsAllowed(uint32_t key,
                           uint64_t address,
                           uint64_t length,
                           const RdmaMemoryAccess& access) const = 0;

    /** \return the host's memory */
    virtual RdmaMemory& GetMemory() = 0;

    /**
     * A send request has ended. What this calls may change the state of the queue pair.
     *
     * \param completion how
     * \param queued it goes to the completion queue, and not to the trace alone
     */
    virtual void CompleteSend(const RdmaWorkCompletion& completion, bool queued) = 0;

    /**
     * A receive request has ended. What this calls may change the state of the queue pair.
     *
     * \param completion how
     */
    virtual void CompleteReceive(const RdmaWorkCompletion& completion) = 0;

    /** \param arrival a message of the peer is complete */
    virtual void MessageArrived(const RdmaMessageArrival& arrival) = 0;

    /**
     * Takes the queue pair into error.
     *
     * \param status of the request that is to blame
     * \param packet a packet of that request; all other requests are flushed
     */
    virtual void Fail(RdmaWcStatus status, uint64_t packet) = 0;

    /** \return requests and acknowledged responses of this side together */
    virtual RdmaStreamState GetStreams() const = 0;

    /** Requests were acknowledged under congestion control, which makes room for responses. */
    virtual void RoomMade() = 0;

    /** The pace that the reaction point sets may have changed. \param now the instant */
    virtual void PaceChanged(QbbPs now) = 0;

    /** Answers go out that congestion control hears nothing of. */
    virtual void WarnOfUnheardResponses() = 0;

    /** \return true if somebody wants round-trip times, whether or not congestion control does */
    virtual bool MeasuresRtt() const = 0;

    /** \return preamble and gap of a frame on the line, in bytes */
    virtual uint32_t GetLineOverheadBytes() const = 0;

    /**
     * \param opcode an acknowledgement
     * \param syndrome what the AETH says (RdmaAeth)
     * \param psn its PSN
     * \param selectivePsn IRN: PSN of the packet that caused it
     * \return the frame, which echoes a CE mark that was not echoed before
     */
    QbbFramePtr NewAeth(RdmaOpcode opcode, uint8_t syndrome, uint32_t psn, uint32_t selectivePsn);

    /**
     * Returns telemetry to the sender of a packet.
     *
     * \param cause the packet
     * \param frame its acknowledgement
     */
    static void Echo(const QbbFrame& cause, QbbFrame& frame);

    /** \param frame a frame \return bytes of telemetry behind its payload */
    static uint32_t GetTrailerBytes(const QbbFrame& frame);

  protected:
    RdmaConnection m_connection; //!< what both halves share
};

} // namespace ns3

#endif /* RDMA_ENDPOINT_H */
