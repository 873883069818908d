/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_RELIABLE_SENDER_H
#define RDMA_RELIABLE_SENDER_H

#include "rdma-psn.h"
#include "rdma-retransmission-timer.h"
#include "rdma-transport.h"

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

    static constexpr uint8_t RNR_RETRY_FOREVER = 7; //!< value of rnrRetryCount without limit
};

/**
 * \ingroup rdma
 * Base class of the senders, independent of the loss recovery: counts packets posted, sent and
 * acknowledged, and handles the retransmission timer, retries and the wait after an RNR NAK.
 *
 * Source: InfiniBand Architecture Specification Vol. 1, 9.7.5 (reliable connections).
 */
class RdmaReliableSender : public RdmaSender
{
  public:
    void Extend(uint64_t packets) override;
    RdmaSenderEvent OnAck(int64_t packet, QbbPs now) override;
    RdmaSenderEvent OnRnrNak(int64_t expected, QbbPs wait, QbbPs now) override;
    RdmaSenderEvent OnTimeout(QbbPs now) override;
    uint64_t GetAcked() const override;
    uint64_t GetHighestSent() const override;
    QbbPs GetDeadline() const override;
    uint64_t GetRetransmissions() const override;
    uint64_t GetTimeouts() const override;

  protected:
    /** \param config window, timeouts and retry limits */
    explicit RdmaReliableSender(const RdmaSenderConfig& config);

    /** \return packets in flight: from the first unacknowledged one to the last one sent */
    virtual uint64_t GetInFlight() const = 0;

    /** Handles cumulative progress. \param from packets acknowledged before */
    virtual void Acknowledged(uint64_t from) = 0;

    /** Handles a retransmission timeout. */
    virtual void HandleTimeout() = 0;

    /** Handles an RNR NAK: schedules all packets that may be missing for retransmission. */
    virtual void HandleReceiverNotReady() = 0;

    /**
     * Moves the cumulative acknowledgement forward.
     *
     * \param arrived number of packets received in order from the first one
     * \param now current time
     * \return false if the acknowledgement brings no progress or names packets never sent
     */
    virtual bool Advance(int64_t arrived, QbbPs now);

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
    void RecordProgress(uint64_t arrived, QbbPs now);

    RdmaRetransmissionTimer m_timer; //!< retransmission timeout, or end of an RNR wait
    uint64_t m_end{0};               //!< number of packets posted
    uint64_t m_acked{0};             //!< cumulatively acknowledged packets
    uint64_t m_highest{0};           //!< one more than the highest packet number ever sent
    uint64_t m_retransmissions{0};   //!< retransmitted packets
    uint32_t m_window;               //!< most packets in flight, below RDMA_MAX_WINDOW
    bool m_rnrWait{false};           //!< transmission is suspended after an RNR NAK

  private:
    uint8_t m_rnrRetries{0}; //!< RNR NAKs in a row; not counted if there is no limit
    uint8_t m_rnrRetryCount; //!< limit of m_rnrRetries; RNR_RETRY_FOREVER: no limit
    uint32_t m_retries{0};   //!< retries in a row: timeouts, and NAKs that count as timeouts
    uint32_t m_retryCount;   //!< limit of m_retries
    uint64_t m_timeouts{0};  //!< retransmission timeouts
};

} // namespace ns3

#endif /* RDMA_RELIABLE_SENDER_H */
