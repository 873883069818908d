/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_GO_BACK_0_H
#define RDMA_GO_BACK_0_H

#include "rdma-go-back-n.h"
#include "rdma-ring-buffer.h"

namespace ns3
{

/**
 * \ingroup rdma
 * Sender with go-back-0 loss recovery: any loss retransmits the whole message from its first
 * packet.
 *
 * Packets count as acknowledged only by whole messages. Acknowledgements within a message still
 * prove that the receiver is alive: until the sender goes back, they restart the timer, reset the
 * count of timeouts in a row and advance the window. A message may therefore exceed the window or
 * take longer than the timeout. A message that never gets through is a livelock, not an error.
 *
 * Source: Guo et al., "RDMA over Commodity Ethernet at Scale", section 4.1 (transport livelock).
 */
class RdmaGoBack0Sender : public RdmaGoBackNSender
{
  public:
    /** \param config window, timeouts and retry limits */
    explicit RdmaGoBack0Sender(const RdmaSenderConfig& config);

    /**
     * Appends a message. Throws std::invalid_argument if it has RDMA_MAX_WINDOW packets or more:
     * their PSNs would be ambiguous, because no packet is acknowledged before the last one.
     *
     * \param packets number of packets of the next message
     */
    void Extend(uint64_t packets) override;
    bool CanSend() const override;
    uint64_t GetArrived() const override;

  protected:
    uint64_t GetInFlight() const override;
    bool Advance(int64_t arrived, RdmaPs now) override;
    bool IsAwaited(int64_t expected) const override;
    void GoBack() override;

  private:
    /// one past the last packet, for each unacknowledged message
    RdmaRingBuffer<uint64_t> m_ends;
    /// packets received in order since the sender last went back, counted from the first packet
    uint64_t m_arrived{0};
};

/**
 * \ingroup rdma
 * Receiver with go-back-0 loss recovery: a gap voids all received packets of the message, and one
 * NAK requests the first packet of the message.
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
    uint64_t m_first{0};  //!< first packet of the current message
    uint64_t m_next{0};   //!< the next packet in order
    bool m_broken{false}; //!< the current message must restart from its first packet
};

} // namespace ns3

#endif /* RDMA_GO_BACK_0_H */
