/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef ROCE_TRANSPORT_H
#define ROCE_TRANSPORT_H

#include "rdma-transport.h"

#include <ns3/nstime.h>

namespace ns3
{

/**
 * \ingroup rdma
 * The transport of commodity RoCE NICs. The receiver discards out-of-order packets and sends one
 * NAK for each gap. The sender goes back to the missing packet (go-back-N) or, like NICs before
 * 2015, to the beginning of the message (go-back-0; Guo et al., "RDMA over Commodity Ethernet at
 * Scale", section 4.1).
 *
 * The retransmission timer is off by default, which suits a lossless fabric. A lossy fabric needs
 * the timer, because loss of the last packet of a burst causes no gap and therefore no NAK.
 * RdmaFabricHelper turns the timer on where frames may get lost (RdmaTransport::GetTimeouts()).
 *
 * OutOfOrder makes the NIC one that stands paths that reorder, as NICs for adaptive routing do. Its
 * receiver takes the packets of a window in any order. Data of WRITEs and READs are in memory when
 * they arrive; SENDs, immediate data, atomics and all completions take effect in order. A gap is a
 * loss once it is older than ReorderTime, or once ReorderPackets packets lie beyond it. The NAK for
 * a lost gap is that of the InfiniBand specification, whose PSN is the first missing packet. Its
 * solicited event bit, which has no meaning in a NAK, is set, and the field of the MSN has the
 * number of missing packets in a row. A requester with OutOfOrder sends these packets alone again.
 * Each further gap has a report of its own as soon as it is a loss: an acknowledgement whose AETH
 * has the kind 0x40, which the specification reserves, with the first missing packet as its PSN and
 * the length in the field of the MSN. The report acknowledges nothing. A receiver that has seen
 * four repeated packets arrive asks again for a gap that stays open four times as long as the
 * slowest of them took. An acknowledgement with the bit has the number of packets that wait beyond
 * a gap in the field of the MSN. Other requesters ignore the bit and the reports, and go back N, so
 * that old and tolerant NICs work together. NICs of old need a timer for that, also where no frame
 * gets lost, since they discard packets that come early.
 */
class RoceTransport : public RdmaTransport
{
  public:
    /**
     * Packets that are retransmitted after a loss.
     */
    enum LossRecovery : uint8_t
    {
        GO_BACK_N, //!< go-back-N: retransmit everything from the lost packet on
        GO_BACK_0, //!< go-back-0: retransmit the whole message with the lost packet
    };

    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * Throws std::invalid_argument if AdaptiveRetransmission is on without a RetransmissionTimeout,
     * or if the timeout exceeds MaxRetransmissionTimeout.
     *
     * \param limits per-queue-pair overrides of the retry attributes
     * \return a new sender
     */
    std::unique_ptr<RdmaSender> MakeSender(const RdmaRetryLimits& limits) const override;
    std::unique_ptr<RdmaReceiver> MakeReceiver() const override;
    uint32_t GetAckInterval() const override;
    const RdmaPacketFormat& GetPacketFormat() const override;
    std::unique_ptr<RdmaRequester> MakeRequester(RdmaEndpoint& endpoint) const override;
    std::unique_ptr<RdmaResponder> MakeResponder(RdmaEndpoint& endpoint) const override;
    uint32_t GetRetryCount() const override;
    Timeouts GetTimeouts(const RdmaNetworkTimes& times) const override;
    void SetReordering(const RdmaNetworkTimes& times) override;
    RdmaGapLimits GetGapLimits() const override;
    std::string DescribeReordering() const override;

    bool TakesReorderingForLoss() const override
    {
        return !m_outOfOrder;
    }

  private:
    void CheckOutOfOrder() const;

    LossRecovery m_lossRecovery{GO_BACK_N}; //!< attribute LossRecovery
    bool m_adaptive{false};                 //!< attribute AdaptiveRetransmission
    Time m_timeout;                         //!< attribute RetransmissionTimeout
    Time m_maxTimeout;                      //!< attribute MaxRetransmissionTimeout
    uint32_t m_retryCount{7};               //!< attribute RetryCount
    uint32_t m_rnrRetry{7};                 //!< attribute RnrRetryCount
    uint32_t m_ackInterval{1};              //!< attribute AckInterval
    bool m_nakEachPacket{false};            //!< attribute NakEachPacket
    bool m_outOfOrder{false};               //!< attribute OutOfOrder
    uint32_t m_reorderWindow{4096};         //!< attribute ReorderWindow
    uint32_t m_reorderPackets{0};           //!< attribute ReorderPackets
    uint32_t m_reorderMargin{0};            //!< attribute ReorderMargin
    Time m_reorderTime;                     //!< attribute ReorderTime
    RdmaPs m_roundTrip{0};                  //!< RdmaNetworkTimes::roundTrip
    RdmaPs m_spread{0};                     //!< RdmaNetworkTimes::spread; 0: paths keep the order
};

} // namespace ns3

#endif /* ROCE_TRANSPORT_H */
