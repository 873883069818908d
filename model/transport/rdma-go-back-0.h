/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_GO_BACK_0_H
#define RDMA_GO_BACK_0_H

#include "qbb-ring.h"
#include "rdma-go-back-n.h"

namespace ns3
{

/**
 * \ingroup rdma
 * Go-back-0: any loss sends the whole message again from its first packet.
 *
 * Only whole messages are acknowledged. Acknowledgements within a message still show that the
 * receiver lives: they restart the timer, begin the count of timeouts in a row anew and let the
 * window move on, until the sender goes back. So a message that is longer than the window or the
 * timeout can be sent, and a message that never gets through is a livelock, not an error.
 *
 * Source: Guo et al., "RDMA over Commodity Ethernet at Scale", section 4.1 (transport livelock).
 */
class RdmaGoBack0Sender : public RdmaGoBackNSender
{
  public:
    /** \param config limits and times */
    explicit RdmaGoBack0Sender(const RdmaSenderConfig& config);

    /**
     * Aborts with a message if there are RDMA_MAX_WINDOW or more: their PSNs could not be told
     * apart, for none is acknowledged before the last.
     *
     * \param packets of the next message
     */
    void Extend(uint64_t packets) override;
    bool CanSend() const override;

  protected:
    uint64_t GetInFlight() const override;
    bool Advance(int64_t arrived, QbbPs now) override;
    bool IsAwaited(int64_t expected) const override;
    void GoBack() override;

  private:
    QbbRing<uint64_t>
        m_ends;            //!< of each message that is not acknowledged, one past its last packet
    uint64_t m_arrived{0}; //!< what has arrived since it went back, from the first packet on
};

/**
 * \ingroup rdma
 * The receiving half: a gap asks for the first packet of the message, once, and all that has come
 * of it counts for nothing.
 */
class RdmaGoBack0Receiver : public RdmaReceiver
{
  public:
    RdmaReceiverVerdict Check(int64_t packet) override;
    void Accept(uint64_t packet, uint64_t packets, bool endsMessage) override;
    void Refuse() override;
    void Resume(uint64_t packet) override;
    uint64_t GetExpected() const override;
    uint64_t GetMissing() const override;

  private:
    uint64_t m_first{0};  //!< first packet of the present message
    uint64_t m_next{0};   //!< the next packet in order
    bool m_broken{false}; //!< the message is waited for from its first packet on
};

} // namespace ns3

#endif /* RDMA_GO_BACK_0_H */
