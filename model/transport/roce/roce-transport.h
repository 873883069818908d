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

  private:
    LossRecovery m_lossRecovery{GO_BACK_N}; //!< attribute LossRecovery
    bool m_adaptive{false};                 //!< attribute AdaptiveRetransmission
    Time m_timeout;                         //!< attribute RetransmissionTimeout
    Time m_maxTimeout;                      //!< attribute MaxRetransmissionTimeout
    uint32_t m_retryCount{7};               //!< attribute RetryCount
    uint32_t m_rnrRetry{7};                 //!< attribute RnrRetryCount
    uint32_t m_ackInterval{1};              //!< attribute AckInterval
    bool m_nakEachPacket{false};            //!< attribute NakEachPacket
};

} // namespace ns3

#endif /* ROCE_TRANSPORT_H */
