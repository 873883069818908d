/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_REQUESTER_H
#define RDMA_REQUESTER_H

#include "qbb-frame.h"
#include "rdma-connection.h"
#include "rdma-endpoint.h"
#include "rdma-prefetch.h"
#include "rdma-queue-pair-stats.h"
#include "rdma-ring-buffer.h"
#include "rdma-send-entry.h"
#include "rdma-transport.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>

namespace ns3
{

/**
 * \ingroup rdma
 * The requester of a queue pair: turns send requests into packets, and acknowledgements and
 * responses into completions.
 *
 * The base class implements the parts common to RoCE and IRN. Derived classes define the numbering
 * of READs and atomics, the packet format and the meaning of acknowledgements. The RdmaSender that
 * the transport makes decides which packet is sent next.
 *
 * A lost response to a READ or atomic is noticed on the requester's node, except for IRN's last
 * responses, whose loss only a timer shows, and differently repaired:
 *
 * - RoCE: RoceRequester expects responses in order. A response or an acknowledgement that comes
 *   before its turn shows the loss; without one, the retransmission timer expires. The requester
 *   then sends the READ request again, for the bytes from the missing response on, and the
 *   responder sends all responses from there on again.
 * - IRN: IrnRequester keeps the responses after the gap and sends a NAK that names the missing one.
 *   The responder's node sends the missing responses again, and with selective repeat no others.
 *   If the last responses are lost, no gap shows it: the responder's own timer expires and sends
 *   them again. If the responder stays silent, the requester's response timer sends a probe, which
 *   is a NAK for the missing response.
 *
 * The requester works on frame fields and picoseconds and depends on the NIC only through
 * RdmaEndpoint. A completion may call back into the queue pair and reset it, so functions check the
 * state again after each completion.
 */
class RdmaRequester
{
  public:
    /** \param endpoint endpoint of the queue pair; outlives the requester */
    explicit RdmaRequester(RdmaEndpoint& endpoint);

    virtual ~RdmaRequester();

    RdmaRequester(const RdmaRequester&) = delete;
    RdmaRequester& operator=(const RdmaRequester&) = delete;

    /** Fetches what each response needs beside this object into the CPU caches, ahead of use. */
    void PrefetchParts() const
    {
        RdmaPrefetchLines(m_sender.get(), 3);
        m_sends.PrefetchFront();
    }

    /** Clears all state: the queue pair goes to state RESET. */
    virtual void Reset();

    /**
     * Continues the numbers of earlier queue pairs, before a request is appended.
     * \param receives number of their requests that took a receive request of the peer
     */
    virtual void Resume(uint64_t /*receives*/)
    {
    }

    /**
     * Appends a request to the send queue.
     *
     * \param request the send request
     * \param now current time
     */
    void Post(const RdmaSendRequest& request, RdmaPs now);

    /** Completes a request as IBV_WC_WR_FLUSH_ERR. \param request request \param now current time
     */
    void Flush(const RdmaSendRequest& request, RdmaPs now);

    /** Starts all requests that may start, in order. \param now current time */
    void Release(RdmaPs now);

    /**
     * \return the sender of the request packets. The first call makes the sender, with the present
     *         timeouts of the transport and the queue pair: when the queue pair is connected, or
     *         if RdmaConnection::passive is set, when it has something to send
     */
    RdmaSender& GetSender()
    {
        if (!m_sender)
        {
            MakeSender();
        }
        return *m_sender;
    }

    /**
     * Makes a new sender with the present timeouts of the transport and the queue pair, for the
     * requests posted so far, in place of the sender that there is, if any. Aborts with a message
     * if a packet has been sent already.
     */
    void RenewSender();

    /** \return true if a request packet may be sent */
    bool CanSend() const
    {
        return (m_endpoint.connection.state == RdmaQpState::RTS ||
                m_endpoint.connection.state == RdmaQpState::SQD) &&
               m_sender && m_sender->CanSend() && m_sender->GetNext() < m_end &&
               (!m_endpoint.connection.reaction || m_endpoint.connection.reaction->HasRoom() ||
                MustRequestAck());
    }

    /**
     * Makes the next request packet, which counts as sent. To be called only if CanSend().
     *
     * \param frame a frame from RdmaEndpoint::NewFrame(), which becomes the packet
     * \param now current time
     */
    void FillNext(QbbFrame& frame, RdmaPs now);

    /** \return true if a probe for a missing response is to be sent, see MakeProbe() */
    bool HasProbe() const
    {
        return m_endpoint.connection.probeReady;
    }

    /** \return a packet that asks for a missing response; to be called only if HasProbe() */
    virtual QbbFramePtr MakeProbe()
    {
        return nullptr;
    }

    /**
     * \param frame a received acknowledgement or response
     * \param info properties of the frame's opcode
     * \param now current time
     */
    virtual void Receive(const QbbFrame& frame, const RdmaOpcodeInfo& info, RdmaPs now) = 0;

    /** Handles the timers whose deadline has passed. \param now current time */
    void OnTimer(RdmaPs now);

    /** Stops all timers and outstanding READs: the queue pair goes into state ERR. */
    virtual void End();

    /**
     * Completes all posted requests in state ERR.
     *
     * \param status status of the failed request; all others complete as IBV_WC_WR_FLUSH_ERR
     * \param packet number of a packet of the failed request
     * \param now current time
     */
    void FlushAll(RdmaWcStatus status, uint64_t packet, RdmaPs now);

    /** In state SQD, no further message starts. \param drains true if the state is SQD */
    virtual void SetDraining(bool drains);

    /**
     * \return counts of request packets sent and acknowledged. A READ or atomic is one packet, also
     *         where its responses take packet numbers (RoCE)
     */
    RdmaStreamState GetStream() const
    {
        if (!m_sender)
        {
            return {};
        }
        if (m_postedOnLine != m_posted)
        {
            return {CountOnLine(m_sender->GetArrived() + m_sender->GetAhead()),
                    CountOnLine(m_sender->GetFlightEnd()),
                    m_sentOnLine};
        }
        return {m_sender->GetArrived() + m_sender->GetAhead(),
                m_sender->GetFlightEnd(),
                m_sender->GetHighestSent()};
    }

    /** \return number of request packets of posted requests; a READ or atomic is one packet */
    uint64_t GetPosted() const
    {
        return m_postedOnLine;
    }

    /** \return number of posted requests that are not complete */
    std::size_t GetOutstanding() const
    {
        return m_sends.GetSize();
    }

    /** \return number of READs and atomics started and not complete */
    uint32_t GetOutstandingReads() const
    {
        return m_outstandingReads;
    }

    /** \return true if a retransmission timer or an RNR wait is running */
    bool HasRetransmissionTimer() const
    {
        return m_endpoint.connection.sendDeadline != RdmaSender::NO_DEADLINE;
    }

    /** \param stats sums to which the requester's counters are added */
    virtual void AddTo(RdmaQueuePairStats& stats) const;

  protected:
    /// Value of m_end that sets no limit.
    static constexpr uint64_t NO_END = std::numeric_limits<uint64_t>::max();

    /**
     * Assigns packet and response numbers to a request.
     *
     * \param entry the request, whose first packet number is already set
     * \param packets number of packets that the payload takes
     */
    virtual void AssignNumbers(RdmaSendEntry& entry, uint64_t packets) = 0;

    /** \param entry a READ or atomic \return true if the PSN space has room for its packets */
    virtual bool MayStartRead(const RdmaSendEntry& entry) const = 0;

    /** Starts the READ or atomic at index m_released. \param now current time */
    virtual void StartRead(RdmaPs now) = 0;

    /**
     * Adds the transport's own header fields to a request packet.
     *
     * \param frame a request packet with all header fields of RoCE
     * \param entry the request
     * \param index index of the packet in the request
     */
    virtual void FinishPacket(QbbFrame& /*frame*/,
                              const RdmaSendEntry& /*entry*/,
                              uint64_t /*index*/) const
    {
    }

    /**
     * Detects lost responses by an acknowledgement of later packets.
     *
     * \param end an acknowledgement reports that all packets below this number have arrived
     * \param now current time
     * \return true if responses that precede the acknowledgement are missing and thus lost
     */
    virtual bool FindsLostResponses(int64_t /*end*/, RdmaPs /*now*/)
    {
        return false;
    }

    /** \param frame a NAK \return a packet after the gap that the receiver has, or NO_PACKET */
    virtual int64_t GetSelective(const QbbFrame& /*frame*/) const
    {
        return RdmaSender::NO_PACKET;
    }

    /**
     * \param frame an acknowledgement
     * \param packet the last packet that the acknowledgement covers
     * \param acked number of packets acknowledged before
     * \return the packet that triggered the acknowledgement
     */
    virtual int64_t GetCause(const QbbFrame& /*frame*/, int64_t packet, uint64_t /*acked*/) const
    {
        return packet;
    }

    /** \return true if packets count as acknowledged only after an outstanding response */
    virtual bool AwaitsResponse() const
    {
        return false;
    }

    /** \param entry request with all packets acknowledged \return true if all responses are in */
    virtual bool IsAnswered(const RdmaSendEntry& /*entry*/) const
    {
        return true;
    }

    /** Called when the oldest request leaves the send queue. */
    virtual void OldestRequestCompleted()
    {
    }

    /**
     * Defers the failure of a request until earlier requests are complete.
     *
     * \param refused the packet that the peer has refused
     * \param status completion status of the failed request
     * \return true if the failure waits for responses to earlier requests
     */
    virtual bool DeferFailure(uint64_t /*refused*/, RdmaWcStatus /*status*/)
    {
        return false;
    }

    /** Called when the send timer has expired and packets may be retransmitted. */
    virtual void SendTimerExpired()
    {
    }

    /** Handles the response timeout of READs and atomics. \param now current time */
    virtual void OnReadTimer(RdmaPs /*now*/)
    {
    }

    /**
     * Handles a received ACK, NAK or RNR NAK of requests.
     *
     * \param frame a frame with an AETH
     * \param now current time
     */
    void ReceiveAcknowledgement(const QbbFrame& frame, RdmaPs now);

    /**
     * Completes acknowledged requests and updates the send timer. A failed sender takes the queue
     * pair into state ERR.
     *
     * \param event what the sender reports of an acknowledgement or a timeout
     * \param now current time
     */
    void Handle(const RdmaSenderEvent& event, RdmaPs now);

    /**
     * Completes the requests before a packet, which the peer has implicitly acknowledged, and takes
     * the queue pair into state ERR.
     *
     * \param status status of the request that has the packet
     * \param packet packet number of the request that fails
     * \param now current time
     */
    void FailInOrder(RdmaWcStatus status, uint64_t packet, RdmaPs now);

    /**
     * \param entry a READ or atomic
     * \param response number of a response packet of the request
     * \param frame a received response packet
     * \return true if the frame has the kind and the payload length of this response packet
     */
    bool IsAnswer(const RdmaSendEntry& entry, uint64_t response, const QbbFrame& frame) const;

    /**
     * \param oldest index in m_sends of the oldest outstanding READ or atomic
     * \param response number of a response packet
     * \return the outstanding READ or atomic that the response belongs to; null: none
     */
    RdmaSendEntry* FindRead(std::size_t oldest, uint64_t response);

    // Members stand in the order of their use.

    RdmaEndpoint& m_endpoint; //!< endpoint of the queue pair
    /// Sender of the request packets; null until GetSender() makes it
    std::unique_ptr<RdmaSender> m_sender;
    RdmaRingBuffer<RdmaSendEntry>
        m_sends;            //!< send queue: requests posted and not complete, in order
    uint64_t m_end{NO_END}; //!< packets from this number on are not sent
    uint32_t m_released{0}; //!< number of requests in m_sends that have started

  private:
    uint32_t m_cursor{0};       //!< index in m_sends of the request sent most recently
    uint64_t m_firstEnd{0};     //!< RdmaSendEntry::GetEnd() of the first request, if there is one
    uint64_t m_sentOnLine{0};   //!< packets sent, without retransmissions; a READ or atomic is one
    uint64_t m_postedOnLine{0}; //!< packets of posted requests, counted in the same way
    uint64_t m_askedEnd{0};     //!< packet number after the latest packet that asked for an answer

  protected:
    uint64_t m_posted{0};           //!< packet numbers assigned to posted requests
    uint32_t m_outstandingReads{0}; //!< READs and atomics started and not complete

  private:
    /**
     * With an acknowledgement interval above 1, the packets in flight may all be packets that ask
     * for no acknowledgement. A full window would then never open again, so one more packet, which
     * asks, may be sent. This happens when the window has shrunk since the packets were sent.
     *
     * \return true if no packet in flight has asked for an acknowledgement
     */
    bool MustRequestAck() const
    {
        return m_endpoint.connection.ackInterval > 1 && m_askedEnd <= m_sender->GetArrived();
    }

    void MakeSender();
    void RequestAck(QbbFrame& frame, uint64_t packet, uint64_t end);
    void LimitRead(QbbFrame& frame, uint64_t packet, uint64_t& packets) const;
    uint64_t CountOnLine(uint64_t packet) const;
    const RdmaSendEntry& FindEntry(uint64_t packet);
    uint64_t GetBegunEnd() const;
    void ReceiveNak(const QbbFrame& frame, uint8_t code, int64_t packet, RdmaPs now);
    void OnSendTimer(RdmaPs now);
    void SyncTimer();
    void CompleteAcknowledged(RdmaPs now);
    void FailRefused(RdmaWcStatus status, uint64_t packet);
    void Complete(const RdmaSendEntry& entry, RdmaWcStatus status, RdmaPs now);
};

} // namespace ns3

#endif /* RDMA_REQUESTER_H */
