/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_SENDER_H
#define RDMA_SENDER_H

#include "rdma-gap-rule.h"
#include "rdma-ps.h"
#include "rdma-psn.h"
#include "rdma-retransmission-timer.h"
#include "rdma-verbs.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace ns3
{

/**
 * \ingroup rdma
 * Window, timeouts and retry limits of a sender.
 */
struct RdmaSenderConfig
{
    RdmaTimeouts timeouts;                //!< timeouts of the retransmission timer
    uint32_t window{RDMA_MAX_WINDOW - 1}; //!< most packets in flight, below RDMA_MAX_WINDOW
    /// timeouts in a row, without progress, before the QP fails; UINT32_MAX means no limit
    uint32_t retryCount{7};
    uint8_t rnrRetryCount{7}; //!< RNR NAKs in a row before the QP fails; 7: no limit
    RdmaGapLimits gap;        //!< when a gap is a loss, for senders that stand packets out of order

    static constexpr uint8_t RNR_RETRY_FOREVER = 7; //!< value of rnrRetryCount without limit
};

/**
 * \ingroup rdma
 * Consequence of an acknowledgement or a timeout for the sending queue pair.
 */
struct RdmaSenderEvent
{
    bool mayBegin{false};                       //!< CanSend() may have become true
    bool timedOut{false};                       //!< the retransmission timer has expired
    bool isOvertaking{false};                   //!< a NAK tells of no loss yet
    bool failed{false};                         //!< the QP fails with `status`
    RdmaWcStatus status{RdmaWcStatus::SUCCESS}; //!< reason of the failure
};

/**
 * \ingroup rdma
 * The sender of a reliable packet stream: decides which packet is sent next, tracks
 * acknowledgements, and times out. This class counts packets posted, sent and acknowledged, and
 * handles the retransmission timer, retries and the wait after an RNR NAK. A derived class is a
 * loss recovery: it decides which packets are sent again.
 *
 * The sender works on packet numbers (rdma-psn.h) and picoseconds, not on packets. Its user calls
 * Extend() for each message that may start, then CanSend(), GetNext() and Sent() whenever the port
 * has room, and OnAck(), OnNak(), OnRnrNak() and OnTimeout() when the event occurs. After each
 * event the user reads GetAcked() and GetDeadline().
 *
 * The requests of a queue pair form one stream, whose user is the RdmaRequester. With IRN, the
 * queue pair's responses to the peer's READs and atomics form a second stream in the same
 * direction, with a sender of its own, whose user is the RdmaResponder (IrnResponder).
 *
 * Source: InfiniBand Architecture Specification Vol. 1, 9.7.5 (reliable connections).
 */
class RdmaSender
{
  public:
    static constexpr RdmaPs NO_DEADLINE = RDMA_NEVER;                         //!< no deadline
    static constexpr int64_t NO_PACKET = std::numeric_limits<int64_t>::min(); //!< no packet

    virtual ~RdmaSender() = default;

    /** Appends a message to the stream. \param packets number of packets of the message */
    virtual void Extend(uint64_t packets);

    /** \return true if a packet may be sent now */
    virtual bool CanSend() const = 0;

    /** \return number of the next packet to send; to be called only if CanSend() */
    virtual uint64_t GetNext() const = 0;

    /**
     * Records that the transmission of packet GetNext() begins.
     *
     * \param packets packet numbers that the packet takes: 1, except for a READ request whose
     *        responses are numbered with the requests (IBA Vol. 1, 9.7.3.1)
     * \param now current time
     * \return true for a retransmission
     */
    virtual bool Sent(uint64_t packets, RdmaPs now) = 0;

    /**
     * Handles a cumulative acknowledgement.
     *
     * \param packet the last packet acknowledged; -1 and below: no packet has arrived
     * \param now current time
     * \return the consequence for the queue pair
     */
    virtual RdmaSenderEvent OnAck(int64_t packet, RdmaPs now);

    /**
     * Handles a NAK for a gap (PSN sequence error).
     *
     * \param expected the packet that the receiver expects; all earlier packets have arrived
     * \param selective a packet after the gap that the receiver has buffered: with IRN the packet
     *        that triggered the NAK, with RoCE the first one after the gap; or NO_PACKET
     * \param now current time
     * \return the consequence for the queue pair
     */
    virtual RdmaSenderEvent OnNak(int64_t expected, int64_t selective, RdmaPs now) = 0;

    /**
     * A NAK tells of a further packet that has arrived after the gap. Called before OnNak(), for
     * senders that stand packets out of order; others ignore the call.
     *
     * \param packet packet number
     */
    virtual void OnArrived(int64_t packet)
    {
    }

    /**
     * Handles an RNR NAK: the receiver had no receive request.
     *
     * \param expected the packet without receive request; all earlier packets have arrived
     * \param wait time to wait before the retransmission
     * \param now current time
     * \return the consequence for the queue pair
     */
    RdmaSenderEvent OnRnrNak(int64_t expected, RdmaPs wait, RdmaPs now);

    /** Handles the deadline. \param now current time \return the consequence for the queue pair */
    RdmaSenderEvent OnTimeout(RdmaPs now);

    /** \return number of cumulatively acknowledged packets */
    uint64_t GetAcked() const
    {
        return m_acked;
    }

    /**
     * \return number of packets that are acknowledged, including packets that the sender may have
     * to send again after a later loss (go-back-0); at least GetAcked(), the default
     */
    virtual uint64_t GetArrived() const
    {
        return GetAcked();
    }

    /** \return number of packets that the receiver has beyond the first missing one; 0, unless the
     *          sender stands packets out of order */
    uint32_t GetAhead() const
    {
        return m_ahead;
    }

    /**
     * \return GetArrived() and GetAhead() plus the number of packets in flight, by default
     * GetNext(): after going back, a sender has in flight what it has sent since
     */
    virtual uint64_t GetFlightEnd() const
    {
        return GetNext();
    }

    /**
     * \return end of the packets that a repeated READ request may ask for, where responses take
     *         packet numbers of the request stream; UINT64_MAX, the default: up to the last
     * response
     */
    virtual uint64_t GetRepeatEnd() const
    {
        return std::numeric_limits<uint64_t>::max();
    }

    /** \return one more than the highest packet number ever sent */
    uint64_t GetHighestSent() const
    {
        return m_highest;
    }

    /** \return time at which OnTimeout() is to be called, or NO_DEADLINE */
    RdmaPs GetDeadline() const
    {
        return std::min(m_timer.GetDeadline(), m_gapDeadline);
    }

    /** \return number of retransmitted packets */
    uint64_t GetRetransmissions() const
    {
        return m_retransmissions;
    }

    /** \return number of retransmission timeouts */
    uint64_t GetTimeouts() const
    {
        return m_timeouts;
    }

  protected:
    /** \param config window, timeouts and retry limits */
    explicit RdmaSender(const RdmaSenderConfig& config);

    /** \param other a sender that is not used afterwards */
    RdmaSender(RdmaSender&& other) = default;

    /** \param other a sender that is not used afterwards \return this sender */
    RdmaSender& operator=(RdmaSender&& other) = default;

    /** \return packets in flight: from the first unacknowledged one to the last one sent */
    virtual uint64_t GetInFlight() const = 0;

    /** Handles cumulative progress. \param from packets acknowledged before */
    virtual void Acknowledged(uint64_t from) = 0;

    /** Handles a retransmission timeout. */
    virtual void HandleTimeout() = 0;

    /** A gap may count as lost from now on, see m_gapDeadline. \param now current time */
    virtual void HandleGapDeadline(RdmaPs now)
    {
    }

    /** Handles an RNR NAK: schedules all packets that may be missing for retransmission. */
    virtual void HandleReceiverNotReady() = 0;

    /**
     * Moves the cumulative acknowledgement forward.
     *
     * \param arrived number of packets received in order from the first one
     * \param now current time
     * \return false if the acknowledgement brings no progress or names packets never sent
     */
    virtual bool Advance(int64_t arrived, RdmaPs now);

    /**
     * \param expected next packet that the receiver expects, from a NAK
     * \return true if the NAK is not outdated
     */
    virtual bool IsAwaited(int64_t expected) const;

    /** Counts a retry without progress. \return true if the count exceeds the retry limit */
    bool ExceedsRetryLimit();

    /**
     * The receiver accepts packets: restarts the timer and resets the retry count.
     *
     * \param arrived number of packets received in order from the first one
     * \param now current time
     */
    void RecordProgress(uint64_t arrived, RdmaPs now);

    RdmaRetransmissionTimer m_timer;  //!< retransmission timeout, or end of an RNR wait
    RdmaPs m_gapDeadline{RDMA_NEVER}; //!< time of the next HandleGapDeadline()
    uint64_t m_end{0};                //!< number of packets posted
    uint64_t m_acked{0};              //!< cumulatively acknowledged packets
    uint64_t m_highest{0};            //!< one more than the highest packet number ever sent
    uint64_t m_retransmissions{0};    //!< retransmitted packets
    uint32_t m_ahead{0};              //!< result of GetAhead()
    uint32_t m_window;                //!< most packets in flight, below RDMA_MAX_WINDOW
    bool m_rnrWait{false};            //!< transmission is suspended after an RNR NAK

  private:
    uint8_t m_rnrRetries{0}; //!< RNR NAKs in a row; not counted if there is no limit
    uint8_t m_rnrRetryCount; //!< limit of m_rnrRetries; RNR_RETRY_FOREVER: no limit
    uint32_t m_retries{0};   //!< retries in a row: timeouts, and NAKs that count as timeouts
    uint32_t m_retryCount;   //!< limit of m_retries
    uint64_t m_timeouts{0};  //!< retransmission timeouts
};

} // namespace ns3

#endif /* RDMA_SENDER_H */
