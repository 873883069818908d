/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_REQUESTER_H
#define RDMA_REQUESTER_H

#include "qbb-frame.h"
#include "qbb-ring.h"
#include "rdma-connection.h"
#include "rdma-endpoint.h"
#include "rdma-queue-pair-stats.h"
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
 * The requester of a queue pair: send requests become packets, acknowledgements and responses
 * become completions.
 *
 * The base class has what RoCE and IRN share. A transport's own class says how READs and atomics
 * are numbered, what its packets look like, and what its acknowledgements mean. Which packet goes
 * next is decided by the RdmaSender that the transport makes.
 *
 * Sees frames' fields and picoseconds; asks the rest of an RdmaEndpoint. A completion may call back
 * into the queue pair, and reset it: functions look at the state again after each completion.
 */
class RdmaRequester
{
  public:
    /** \param endpoint the queue pair, which outlives its requester */
    explicit RdmaRequester(RdmaEndpoint& endpoint);

    virtual ~RdmaRequester();

    RdmaRequester(const RdmaRequester&) = delete;
    RdmaRequester& operator=(const RdmaRequester&) = delete;

    /** Forgets everything, as a queue pair in RESET. */
    virtual void Reset();

    /**
     * Adds a request, which begins when its turn comes.
     *
     * \param request what to do
     * \param now the instant
     */
    void Post(const RdmaSendRequest& request, QbbPs now);

    /** Completes a request with IBV_WC_WR_FLUSH_ERR. \param request it \param now now */
    void Flush(const RdmaSendRequest& request, QbbPs now);

    /** Begins what may begin. \param now the instant */
    void Release(QbbPs now);

    /** \return true if a request packet may go out */
    bool CanSend() const
    {
        return (GetConnection().state == RdmaQpState::RTS ||
                GetConnection().state == RdmaQpState::SQD) &&
               m_sender->CanSend() && m_sender->GetNext() < m_end &&
               (!GetConnection().reaction || GetConnection().reaction->HasRoom());
    }

    /**
     * The next request packet is on its way; only if CanSend().
     *
     * \param frame RdmaEndpoint::NewFrame(), which becomes the packet
     * \param now the instant
     */
    void FillNext(QbbFrame& frame, QbbPs now);

    /** \return true if the requester asks for a response that is missing: MakeProbe() */
    bool HasProbe() const
    {
        return m_probe;
    }

    /** \return the packet that asks for a missing response; only if HasProbe() */
    virtual QbbFramePtr MakeProbe()
    {
        return nullptr;
    }

    /**
     * \param frame an acknowledgement or a response that came in
     * \param info what its opcode means
     * \param now the instant
     */
    virtual void Receive(const QbbFrame& frame, const RdmaOpcodeInfo& info, QbbPs now) = 0;

    /** \return when OnTimer() wants to be called, or RdmaSender::NO_DEADLINE */
    QbbPs GetDeadline() const
    {
        return std::min(m_sendDeadline, m_readDeadline);
    }

    /** The deadline has come. \param now the instant */
    void OnTimer(QbbPs now);

    /** Ends all requests' packets and timers: the queue pair goes into error. */
    virtual void End();

    /**
     * Completes all requests that are posted, in state ERR.
     *
     * \param status of the request that is to blame; of all others IBV_WC_WR_FLUSH_ERR
     * \param packet a packet of the request that is to blame
     * \param now the instant
     */
    void FlushAll(RdmaWcStatus status, uint64_t packet, QbbPs now);

    /** In SQD nothing begins that has not begun. \param drains the queue pair is in SQD */
    virtual void SetDraining(bool drains);

    /** \return packets that went and arrived */
    RdmaStreamState GetStream() const
    {
        return {m_sender->GetAcked(), m_sender->GetNext(), m_sender->GetHighestSent()};
    }

    /** \return packet numbers that were posted */
    uint64_t GetPosted() const
    {
        return m_posted;
    }

    /** \return requests that are posted and not complete */
    std::size_t GetOutstanding() const
    {
        return m_sends.GetSize();
    }

    /** \return READs and atomics that have begun and are not complete */
    uint32_t GetOutstandingReads() const
    {
        return m_outstandingReads;
    }

    /** \return true if a retransmission or an RNR wait has a deadline */
    bool HasRetransmissionTimer() const
    {
        return m_sendDeadline != RdmaSender::NO_DEADLINE;
    }

    /** \param stats get what the requester has counted */
    virtual void AddTo(RdmaQueuePairStats& stats) const;

  protected:
    /// All packets may be sent.
    static constexpr uint64_t NO_END = std::numeric_limits<uint64_t>::max();

    /**
     * Gives a request its numbers.
     *
     * \param entry the request; its first packet is known
     * \param packets how many packets its payload takes
     */
    virtual void Number(RdmaSendEntry& entry, uint64_t packets) = 0;

    /** \param entry a READ or atomic \return true if it need not wait for packet numbers */
    virtual bool MayBeginRead(const RdmaSendEntry& entry) const = 0;

    /** The READ or atomic at m_released begins. \param now the instant */
    virtual void ReadBegins(QbbPs now) = 0;

    /**
     * \param frame a packet with all that RoCE's packets have
     * \param entry its request
     * \param index of the packet in the request
     */
    virtual void FinishPacket(QbbFrame& /*frame*/,
                              const RdmaSendEntry& /*entry*/,
                              uint64_t /*index*/) const
    {
    }

    /**
     * \param end an acknowledgement says that everything below has arrived
     * \param now the instant
     * \return true if the acknowledgement has overtaken responses, which are lost
     */
    virtual bool OverlooksResponses(int64_t /*end*/, QbbPs /*now*/)
    {
        return false;
    }

    /** \param frame a NAK \return the packet behind the gap that caused it, if it is kept */
    virtual int64_t GetSelective(const QbbFrame& /*frame*/) const
    {
        return RdmaSender::NO_PACKET;
    }

    /**
     * \param frame an acknowledgement
     * \param packet the last packet that it acknowledges
     * \param acked packets that were acknowledged before
     * \return the packet that caused it
     */
    virtual int64_t GetCause(const QbbFrame& /*frame*/, int64_t packet, uint64_t /*acked*/) const
    {
        return packet;
    }

    /** \return true if a response must come before more packets count as acknowledged */
    virtual bool AwaitsResponse() const
    {
        return false;
    }

    /** \param entry a request whose packets are acknowledged \return true if it is complete */
    virtual bool IsAnswered(const RdmaSendEntry& /*entry*/) const
    {
        return true;
    }

    /** The oldest request leaves the queue. */
    virtual void EntryLeaves()
    {
    }

    /**
     * \param refused the packet that the peer has refused
     * \param status how its request fails
     * \return true if that has to wait for responses to requests before it
     */
    virtual bool Postpones(uint64_t /*refused*/, RdmaWcStatus /*status*/)
    {
        return false;
    }

    /** Packets are sent again, because of the timer. */
    virtual void GoesBack()
    {
    }

    /** No response has come for long. \param now the instant */
    virtual void OnReadTimer(QbbPs /*now*/)
    {
    }

    void ReceiveAcknowledgement(const QbbFrame& frame, QbbPs now);
    void Handle(const RdmaSenderEvent& event, QbbPs now);
    bool IsAnswer(const RdmaSendEntry& entry, uint64_t response, const QbbFrame& frame) const;

    /** \return what it shares with the responder */
    RdmaConnection& GetConnection() const
    {
        return m_endpoint.GetConnection();
    }

    RdmaEndpoint& m_endpoint;                      //!< the queue pair
    std::unique_ptr<RdmaSender> m_sender;          //!< of the requests
    QbbRing<RdmaSendEntry> m_sends;                //!< posted and not complete, in order
    uint64_t m_posted{0};                          //!< packet numbers posted
    uint64_t m_end{NO_END};                        //!< no packet from this one on is sent
    QbbPs m_readDeadline{RdmaSender::NO_DEADLINE}; //!< OnReadTimer()
    uint32_t m_released{0};                        //!< how many of m_sends may send
    uint32_t m_outstandingReads{0};                //!< READs and atomics that have begun
    bool m_probe{false};                           //!< HasProbe()

  private:
    const RdmaSendEntry& FindEntry(uint64_t packet);
    uint64_t GetBegunEnd() const;
    void ReceiveNak(const QbbFrame& frame, uint8_t code, int64_t packet, QbbPs now);
    void OnSendTimer(QbbPs now);
    void SyncTimer();
    void CompleteAcknowledged(QbbPs now);
    void Complete(const RdmaSendEntry& entry, RdmaWcStatus status, QbbPs now);

    uint32_t m_cursor{0};                          //!< the entry of m_sends that sends now
    QbbPs m_sendDeadline{RdmaSender::NO_DEADLINE}; //!< OnSendTimer()
};

} // namespace ns3

#endif /* RDMA_REQUESTER_H */
