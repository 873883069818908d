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
 * Limits and times of a sender.
 */
struct RdmaSenderConfig
{
    RdmaTimeouts timeouts;                //!< of the retransmission timer
    uint32_t window{RDMA_MAX_WINDOW - 1}; //!< most packets in flight, below RDMA_MAX_WINDOW
    uint32_t retryCount{7};               //!< timeouts in a row without progress before the QP
                                          //!< fails; UINT32_MAX means no limit
    uint8_t rnrRetryCount{7};             //!< RNR NAKs in a row before the QP fails; 7: no limit

    static constexpr uint8_t RNR_RETRY_FOREVER = 7; //!< the value without a limit
};

/**
 * \ingroup rdma
 * What the sending halves have in common, however they recover from loss: what is posted, sent and
 * acknowledged, the retransmission timer, retries, and the wait after an RNR NAK.
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
    /** \param config limits and times */
    explicit RdmaReliableSender(const RdmaSenderConfig& config);

    /** \return packets in flight: from the first not acknowledged to the last sent */
    virtual uint64_t GetInFlight() const = 0;

    /** The cumulative acknowledgement has moved on. \param from where it was before */
    virtual void Acknowledged(uint64_t from) = 0;

    /** The retransmission timer has run out. */
    virtual void RanOut() = 0;

    /** A packet was refused: when the wait is over, all that may be missing goes again. */
    virtual void Refused() = 0;

    /**
     * \param arrived packets that have arrived from the first on
     * \param now the instant
     * \return false if that is old news, or about packets that were never sent
     */
    virtual bool Advance(int64_t arrived, QbbPs now);

    /** \param expected a packet that the receiver waits for \return true if so does the sender */
    virtual bool IsAwaited(int64_t expected) const;

    /** What was sent again has not helped. \return true if that was once too often */
    bool IsOneRetryTooMany();

    /**
     * The receiver lives and takes packets: the timer and the count of retries begin anew.
     *
     * \param arrived packets that have arrived from the first on
     * \param now the instant
     */
    void Live(uint64_t arrived, QbbPs now);

    RdmaRetransmissionTimer m_timer; //!< timeout, or end of an RNR wait
    uint64_t m_end{0};               //!< packets posted
    uint64_t m_acked{0};             //!< packets acknowledged from the first on
    uint64_t m_highest{0};           //!< one more than the highest ever sent
    uint64_t m_retransmissions{0};   //!< packets sent again
    uint32_t m_window;               //!< most packets in flight, below RDMA_MAX_WINDOW
    bool m_rnrWait{false};           //!< waits because of an RNR NAK

  private:
    uint8_t m_rnrRetries{0}; //!< RNR NAKs in a row; not counted without a limit
    uint8_t m_rnrRetryCount; //!< limit of m_rnrRetries
    uint32_t m_retries{0};   //!< timeouts in a row, and NAKs that count as such
    uint32_t m_retryCount;   //!< limit of m_retries
    uint64_t m_timeouts{0};  //!< timeouts
};

} // namespace ns3

#endif /* RDMA_RELIABLE_SENDER_H */
