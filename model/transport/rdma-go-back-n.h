/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_GO_BACK_N_H
#define RDMA_GO_BACK_N_H

#include "rdma-psn.h"
#include "rdma-transport.h"

namespace ns3
{

/**
 * \ingroup rdma
 * Limits and times of a go-back-N requester.
 */
struct RdmaGoBackNConfig
{
    int64_t timeoutPs{0};      //!< retransmission timeout; 0 turns it off
    uint32_t retryCount{7};    //!< timeouts in a row without progress before the QP fails;
                               //!< UINT32_MAX means no limit
    uint32_t rnrRetryCount{7}; //!< RNR NAKs in a row before the QP fails; 7 means no limit
    static constexpr uint32_t RNR_RETRY_FOREVER = 7; //!< the value without a limit
};

/**
 * \ingroup rdma
 * Go-back-N, as RoCE NICs do: cumulative acknowledgements; a NAK or a timeout sends everything
 * again from the first packet that is missing.
 *
 * Source: InfiniBand Architecture Specification Vol. 1, 9.7.5 (reliable connections); Guo et al.,
 * "RDMA over Commodity Ethernet at Scale", section 4.1.
 */
class RdmaGoBackNSender : public RdmaSender
{
  public:
    /** \param config limits and times */
    explicit RdmaGoBackNSender(const RdmaGoBackNConfig& config);

    void Extend(uint64_t packets) override;
    bool CanSend() const override;
    uint64_t GetNext() const override;
    bool Sent(uint64_t packets, int64_t nowPs) override;
    RdmaSenderEvent OnAck(int64_t packet, int64_t nowPs) override;
    RdmaSenderEvent OnNak(int64_t expected, int64_t selective, int64_t nowPs) override;
    RdmaSenderEvent OnRnrNak(int64_t expected, int64_t waitPs, int64_t nowPs) override;
    RdmaSenderEvent OnTimeout(int64_t nowPs) override;
    uint64_t GetAcked() const override;
    uint64_t GetHighestSent() const override;
    int64_t GetDeadlinePs() const override;
    uint64_t GetRetransmissions() const override;
    uint64_t GetTimeouts() const override;

  private:
    bool Advance(int64_t acked, int64_t nowPs);
    void RestartTimer(int64_t nowPs);

    RdmaGoBackNConfig m_config;        //!< limits and times
    uint64_t m_end{0};                 //!< packets posted
    uint64_t m_acked{0};               //!< packets acknowledged from the first on
    uint64_t m_next{0};                //!< packet that goes next
    uint64_t m_highest{0};             //!< one more than the highest ever sent
    int64_t m_deadlinePs{NO_DEADLINE}; //!< timeout, or end of an RNR wait
    bool m_rnrWait{false};             //!< waits because of an RNR NAK
    uint32_t m_retries{0};             //!< timeouts in a row
    uint32_t m_rnrRetries{0};          //!< RNR NAKs in a row
    uint64_t m_retransmissions{0};     //!< packets sent again
    uint64_t m_timeouts{0};            //!< timeouts
};

/**
 * \ingroup rdma
 * Accepts packets in order only; the first packet after a gap asks for the missing one, and no
 * other until that has come (IBA Vol. 1, 9.7.5.2.8: a NAK is sent once for each gap).
 */
class RdmaGoBackNReceiver : public RdmaReceiver
{
  public:
    RdmaReceiverVerdict Check(int64_t packet) override;
    void Accept(uint64_t packet, uint64_t packets, bool endsMessage) override;
    void Refuse() override;
    uint64_t GetExpected() const override;
    uint64_t GetMissing() const override;

  private:
    uint64_t m_expected{0}; //!< the next packet in order
    bool m_nakSent{false};  //!< the requester knows of the gap
};

} // namespace ns3

#endif /* RDMA_GO_BACK_N_H */
