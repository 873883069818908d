/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef IRN_SPREAD_SENDER_H
#define IRN_SPREAD_SENDER_H

#include "rdma-packet-bitmap.h"
#include "rdma-ring-buffer.h"
#include "rdma-sender.h"

namespace ns3
{

/**
 * \ingroup rdma
 * The sender of IRN where the packets of a queue pair are spread over several paths and overtake
 * each other.
 *
 * Each NACK acknowledges a packet selectively, as for IrnSender. A packet that is not acknowledged
 * counts as lost by the RdmaGapRule alone: long after the acknowledgement of a packet that was sent
 * later, or after many such packets. Each lost packet is retransmitted before new packets.
 *
 * A retransmission counts as sent after all packets sent so far. The retransmission is lost once
 * the rule takes packets for lost that were sent first after the retransmission. The retransmission
 * timer remains for losses that nothing tells of: the last packets of a message, or
 * acknowledgements. A timeout retransmits the first packet without acknowledgement, and its
 * acknowledgement is evidence that all other packets are late.
 *
 * The window limits the packets in flight, which are those sent and neither acknowledged,
 * cumulatively or selectively, nor lost. A late packet therefore does not close the window. At most
 * RDMA_MAX_WINDOW packets follow the first packet without acknowledgement.
 *
 * An RNR NAK takes all packets without acknowledgement for lost, because the receiver silently
 * drops packets without a receive request.
 *
 * Source: the rule of RACK (RFC 8985, section 3.2), in which a packet is lost if a packet sent
 * later was delivered a reordering window ago, for IRN's acknowledgements (Mittal et al.,
 * "Revisiting Network Support for RDMA", section 3.1).
 */
class IrnSpreadSender : public RdmaSender
{
  public:
    /** \param config window, timeouts, retry limits and limits of gaps */
    explicit IrnSpreadSender(const RdmaSenderConfig& config);

    bool CanSend() const override;
    uint64_t GetNext() const override;
    bool Sent(uint64_t packets, RdmaPs now) override;
    RdmaSenderEvent OnAck(int64_t packet, RdmaPs now) override;
    RdmaSenderEvent OnNak(int64_t expected, int64_t selective, RdmaPs now) override;
    void OnArrived(int64_t packet) override;

    uint64_t GetFlightEnd() const override
    {
        return m_highest - m_lost.GetSize();
    }

  protected:
    uint64_t GetInFlight() const override;
    void Acknowledged(uint64_t from) override;
    void HandleTimeout() override;
    void HandleGapDeadline(RdmaPs now) override;
    void HandleReceiverNotReady() override;

  private:
    /** A retransmission without acknowledgement. */
    struct Repeat
    {
        uint64_t packet; //!< packet number
        uint64_t after;  //!< number of packets that had been sent first before the retransmission
    };

    bool IsDelivered(uint64_t packet) const;
    bool HasRoom() const;
    void Measure(int64_t arrived, RdmaPs now);
    void FindEvidence(uint64_t end, RdmaPs now);
    void Judge(RdmaPs now);
    void Lose(uint64_t end);
    void DropDelivered();
    void RestartTimer(RdmaPs now);

    RdmaPacketBitmap m_sacked;       //!< selectively acknowledged packets, from m_acked on
    RdmaRingBuffer<uint64_t> m_lost; //!< packets to be retransmitted, none of them delivered
    RdmaRingBuffer<Repeat>
        m_repeats;           //!< retransmissions without acknowledgement, in order of sending
    RdmaGapRule m_gaps;      //!< tells losses from overtakings
    RdmaGapLimits m_limits;  //!< when a gap is a loss
    uint64_t m_judged{0};    //!< all missing packets below this number have been lost once
    bool m_tellsLoss{false}; //!< a loss has been found that no event has told of
};

} // namespace ns3

#endif /* IRN_SPREAD_SENDER_H */
