/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_GO_BACK_N_H
#define RDMA_GO_BACK_N_H

#include "rdma-sender.h"
#include "rdma-transport.h"

#include <limits>

namespace ns3
{

/**
 * \ingroup rdma
 * Reaction of a sender's window to a loss.
 */
enum class RdmaBackOff : uint8_t
{
    NONE, //!< the window stays
    LOSS, //!< halve the window, then grow it by a packet for each window acknowledged
};

/**
 * \ingroup rdma
 * Sender with go-back-N loss recovery, as in RoCE NICs: acknowledgements are cumulative, and a NAK
 * or a timeout retransmits everything from the first missing packet on.
 *
 * Retransmissions of one packet are limited: repeated NAKs for the packet count against retry_cnt,
 * as timeouts do. The first NAK for a packet reports the loss and does not count. A receiver that
 * sends a NAK for each packet after the gap may send one more NAK for each packet sent by then;
 * these NAKs do not count. The next NAK reports that the retransmission was lost and counts; then
 * the allowance for packets after the gap is renewed. Progress resets the count.
 *
 * With RdmaBackOff::LOSS, each timeout and each NAK that triggers going back reduces the window to
 * half of the window or half of the outstanding packets, whichever is less, but at least one
 * packet.
 *
 * Source: InfiniBand Architecture Specification Vol. 1, 9.7.5 (reliable connections); Guo et al.,
 * "RDMA over Commodity Ethernet at Scale", section 4.1; for the back-off Mittal et al., "Revisiting
 * Network Support for RDMA", section 4.3.
 */
class RdmaGoBackNSender : public RdmaSender
{
  public:
    /** \param config window, timeouts, retry limits \param backOff reaction to a loss */
    explicit RdmaGoBackNSender(const RdmaSenderConfig& config,
                               RdmaBackOff backOff = RdmaBackOff::NONE);

    bool CanSend() const override;
    uint64_t GetNext() const override;
    bool Sent(uint64_t packets, RdmaPs now) override;
    RdmaSenderEvent OnNak(int64_t expected, int64_t selective, RdmaPs now) override;

    /** \return current window in packets */
    uint64_t GetWindow() const
    {
        return m_present;
    }

  protected:
    uint64_t GetInFlight() const override;
    void Acknowledged(uint64_t from) override;
    void HandleTimeout() override;
    void HandleReceiverNotReady() override;

    /** Makes the first unacknowledged packet the next one to send. */
    virtual void GoBack();

    uint64_t m_next{0}; //!< next packet to send

  private:
    /** Value of m_nakOf before the first NAK. */
    static constexpr uint64_t NO_NAK = std::numeric_limits<uint64_t>::max();

    bool IsLostAgain();
    void ShrinkWindow();

    uint64_t m_nakOf{NO_NAK}; //!< packet requested by the latest NAK
    /// further NAKs for packet m_nakOf that packets in flight may trigger
    uint32_t m_naksToCome{0};
    uint32_t m_present;    //!< current window in packets
    uint32_t m_credit{0};  //!< acknowledged packets not yet turned into window growth
    RdmaBackOff m_backOff; //!< reaction of the window to a loss
};

/**
 * \ingroup rdma
 * Receiver with go-back-N loss recovery: accepts packets in order only. By default, one NAK is sent
 * for each gap (IBA Vol. 1, 9.7.5.2.8), for the first packet after the gap. Optionally, every
 * packet after the gap triggers a NAK until the gap is closed: loss of the retransmitted packet is
 * then repaired without a timeout.
 */
class RdmaGoBackNReceiver : public RdmaReceiver
{
  public:
    /** \param nakEachPacket true: every packet after a gap triggers a NAK */
    explicit RdmaGoBackNReceiver(bool nakEachPacket = false);

    RdmaReceiverVerdict Check(int64_t packet) override;
    void Accept(uint64_t packet, uint64_t packets, bool endsMessage) override;
    void Refuse() override;
    void Resume(uint64_t packet) override;
    uint64_t GetExpected() const override;

  private:
    uint64_t m_expected{0}; //!< the next packet in order
    bool m_nakSent{false};  //!< a NAK was sent for the current gap
    bool m_refused{false};  //!< an RNR NAK was sent for the expected packet
    bool m_nakEachPacket;   //!< every packet after a gap triggers a NAK
};

} // namespace ns3

#endif /* RDMA_GO_BACK_N_H */
