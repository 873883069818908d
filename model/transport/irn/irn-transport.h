/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef IRN_TRANSPORT_H
#define IRN_TRANSPORT_H

#include "irn-sender.h"
#include "rdma-transport.h"

#include <ns3/nstime.h>

namespace ns3
{

/**
 * \ingroup rdma
 * The transport of IRN NICs. The receiver buffers out-of-order packets and reports them by NACKs.
 * The sender retransmits only lost packets and keeps at most a bandwidth-delay product in flight.
 *
 * Each mechanism can be turned off or replaced separately, for the factor analysis of the paper.
 *
 * Source: Mittal et al., "Revisiting Network Support for RDMA", SIGCOMM 2018, sections 3 and 4.3.
 */
class IrnTransport : public RdmaTransport
{
  public:
    /**
     * Loss recovery of IrnTransport: the packets that are retransmitted after a loss.
     */
    enum LossRecovery : uint8_t
    {
        SACK, //!< selective retransmission, based on selective acknowledgements
        /// selective retransmission based on cumulative acknowledgements only
        SELECTIVE_WITHOUT_SACK,
        GO_BACK_N, //!< go-back-N: retransmit everything from the lost packet on
        GO_BACK_0, //!< go-back-0: retransmit the whole message with the lost packet
    };

    /** Rule by which a sender tells that a packet is lost. */
    enum LossRule : uint8_t
    {
        AUTO, //!< GAP if the network may reorder packets, else SELECTIVE
        /// a packet is lost if a packet with a higher number is acknowledged selectively
        SELECTIVE,
        GAP, //!< a packet is lost by its age, see RdmaGapRule
    };

    /** Headers of the packets of WRITEs without immediate data. */
    enum WriteHeaders : uint8_t
    {
        IRN, //!< an RETH in each packet: the NIC places each packet in memory as it arrives
        ROCE //!< an RETH in the first packet alone: the NIC keeps packets that arrive early
    };

    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * Throws std::invalid_argument if the attributes contradict each other, or if BdpFc is on and
     * BdpCap is unknown.
     *
     * \param limits per-queue-pair overrides of the retry attributes; a timeout replaces RtoLow,
     *        RtoHigh and the dynamic timeout
     * \return a new sender
     */
    std::unique_ptr<RdmaSender> MakeSender(const RdmaRetryLimits& limits) const override;
    std::unique_ptr<RdmaReceiver> MakeReceiver() const override;
    uint32_t GetAckInterval() const override;
    const RdmaPacketFormat& GetPacketFormat() const override;
    std::unique_ptr<RdmaRequester> MakeRequester(RdmaEndpoint& endpoint) const override;
    std::unique_ptr<RdmaResponder> MakeResponder(RdmaEndpoint& endpoint) const override;
    uint32_t GetRetryCount() const override;

    uint32_t GetMaxInFlight() const override
    {
        return m_bdpFc ? m_bdpCap : RdmaTransport::GetMaxInFlight();
    }

    Timeouts GetTimeouts(const RdmaNetworkTimes& times) const override;

    bool WantsTimer() const override
    {
        return m_dynamicRto;
    }

    bool NeedsNetworkBdp() const override
    {
        return m_bdpFc && m_bdpCap == 0;
    }

    void SetNetworkBdp(uint32_t packets) override;

    /** \param times times of a network that may reorder packets: see LossRule::AUTO */
    void SetReordering(const RdmaNetworkTimes& times) override;

    bool TakesReorderingForLoss() const override
    {
        return m_lossRecovery != LossRecovery::SACK || m_lossRule == LossRule::SELECTIVE;
    }

    std::string DescribeReordering() const override;

    /** \return true if a packet is lost by its age, see LossRule */
    bool UsesGapRule() const;

    /**
     * \return time without a response to an outstanding READ or atomic after which the requester
     *         probes for the response; 0: never. The time is four times RtoHigh: by then, a live
     *         responder has retransmitted its response.
     */
    RdmaPs GetResponseTimeout() const;

  private:
    void CheckAttributes() const;
    void AdaptCap();
    RdmaPs GetReorderTime() const;

    LossRecovery m_lossRecovery{LossRecovery::SACK}; //!< attribute LossRecovery
    /// attribute RecoveryRules
    IrnSender::Rules m_recoveryRules{IrnSender::PUBLISHED_LOGIC};
    LossRule m_lossRule{LossRule::AUTO};            //!< attribute LossRule
    WriteHeaders m_writeHeaders{WriteHeaders::IRN}; //!< attribute WriteHeaders
    bool m_bdpFc{true};                             //!< attribute BdpFc
    bool m_dynamicRto{false};                       //!< attribute DynamicRto
    bool m_backOff{false};                          //!< attribute BackOffOnLoss
    uint32_t m_bdpCap{0};                           //!< attribute BdpCap
    uint32_t m_networkBdp{0};                       //!< result of SetNetworkBdp(); 0: none
    RdmaPs m_roundTrip{0};                          //!< RdmaNetworkTimes::roundTrip
    RdmaPs m_spread{0};           //!< twice RdmaNetworkTimes::spread; 0: paths keep the order
    uint32_t m_reorderPackets{0}; //!< attribute ReorderPackets
    uint32_t m_rtoLowPackets{3};  //!< attribute RtoLowPackets
    uint32_t m_retryCount{5000};  //!< attribute RetryCount
    uint32_t m_rnrRetry{7};       //!< attribute RnrRetryCount
    Time m_rtoLow;                //!< attribute RtoLow
    Time m_rtoHigh;               //!< attribute RtoHigh
    Time m_minRto;                //!< attribute MinRto
    uint32_t m_reorderMargin{0};  //!< attribute ReorderMargin
    Time m_reorderTime;           //!< attribute ReorderTime
};

} // namespace ns3

#endif /* IRN_TRANSPORT_H */
