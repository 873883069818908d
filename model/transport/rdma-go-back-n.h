/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_GO_BACK_N_H
#define RDMA_GO_BACK_N_H

#include "rdma-reliable-sender.h"

namespace ns3
{

/**
 * \ingroup rdma
 * Go-back-N, as RoCE NICs do: cumulative acknowledgements; a NAK or a timeout sends everything
 * again from the first packet that is missing.
 *
 * Source: InfiniBand Architecture Specification Vol. 1, 9.7.5 (reliable connections); Guo et al.,
 * "RDMA over Commodity Ethernet at Scale", section 4.1.
 */
class RdmaGoBackNSender : public RdmaReliableSender
{
  public:
    /** \param config limits and times */
    explicit RdmaGoBackNSender(const RdmaSenderConfig& config);

    bool CanSend() const override;
    uint64_t GetNext() const override;
    bool Sent(uint64_t packets, int64_t nowPs) override;
    RdmaSenderEvent OnNak(int64_t expected, int64_t selective, int64_t nowPs) override;

  protected:
    uint64_t GetInFlight() const override;
    void Acknowledged(uint64_t from) override;
    void RanOut() override;
    void Refused() override;

  private:
    uint64_t m_next{0}; //!< packet that goes next
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
