/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef IRN_TRANSPORT_H
#define IRN_TRANSPORT_H

#include "irn-sender.h"

#include <ns3/nstime.h>

namespace ns3
{

/**
 * \ingroup rdma
 * The transport of IRN NICs: the receiver keeps what comes early and says so, the sender sends
 * again what is lost and nothing else, and never has more than a bandwidth-delay product in flight.
 *
 * Each mechanism can be turned off or swapped by itself, for the factor analysis of the paper.
 *
 * Source: Mittal et al., "Revisiting Network Support for RDMA", SIGCOMM 2018, sections 3 and 4.3.
 */
class IrnTransport : public RdmaTransport
{
  public:
    /**
     * How a lost packet is recovered.
     */
    enum LossRecovery : uint8_t
    {
        SACK,                   //!< selective retransmission by selective acknowledgements
        SELECTIVE_WITHOUT_SACK, //!< the same by cumulative ones alone
        GO_BACK_N,              //!< everything from the lost packet on
        GO_BACK_0,              //!< the whole message
    };

    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * Aborts with a message if the attributes contradict each other, or BdpFc is on and BdpCap
     * unknown.
     *
     * \param limits what the queue pair wants otherwise: its timeout takes the place of RtoLow and
     *        RtoHigh, and of a dynamic one
     * \return a sending half
     */
    std::unique_ptr<RdmaSender> MakeSender(const RdmaRetryLimits& limits) const override;
    std::unique_ptr<RdmaReceiver> MakeReceiver() const override;
    uint32_t GetAckInterval() const override;
    const RdmaPacketFormat& GetPacketFormat() const override;
    std::unique_ptr<RdmaRequester> MakeRequester(RdmaEndpoint& endpoint) const override;
    std::unique_ptr<RdmaResponder> MakeResponder(RdmaEndpoint& endpoint) const override;
    uint32_t GetRetryCount() const override;

    /**
     * \return picoseconds without a response to an outstanding READ or atomic after which the
     *         requester asks for the response; 0: never. Four times RtoHigh: by then a responder
     *         that lives has repeated its response.
     */
    QbbPs GetResponseTimeout() const;

  private:
    void CheckAttributes() const;

    LossRecovery m_lossRecovery{LossRecovery::SACK}; //!< attribute LossRecovery
    /// attribute RecoveryRules
    IrnSender::Rules m_recoveryRules{IrnSender::PUBLISHED_LOGIC};
    bool m_bdpFc{true};          //!< attribute BdpFc
    bool m_dynamicRto{false};    //!< attribute DynamicRto
    bool m_backOff{false};       //!< attribute BackOffOnLoss
    uint32_t m_bdpCap{0};        //!< attribute BdpCap
    uint32_t m_rtoLowPackets{3}; //!< attribute RtoLowPackets
    uint32_t m_retryCount{5000}; //!< attribute RetryCount
    uint32_t m_rnrRetry{7};      //!< attribute RnrRetryCount
    Time m_rtoLow;               //!< attribute RtoLow
    Time m_rtoHigh;              //!< attribute RtoHigh
    Time m_minRto;               //!< attribute MinRto
};

} // namespace ns3

#endif /* IRN_TRANSPORT_H */
