/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef ROCE_TRANSPORT_H
#define ROCE_TRANSPORT_H

#include "rdma-transport.h"

#include <ns3/nstime.h>

namespace ns3
{

/**
 * \ingroup rdma
 * The transport of RoCE NICs as they are: the receiver discards what is out of order and asks once
 * for what is missing, the sender goes back to it, or, as NICs did before 2015, to the beginning of
 * the message (go-back-0; Guo et al., "RDMA over Commodity Ethernet at Scale", section 4.1).
 *
 * In a lossless fabric the retransmission timer can stay off, which is the default; a fabric that
 * may lose packets needs it, because the last packet of a burst leaves no gap behind.
 */
class RoceTransport : public RdmaTransport
{
  public:
    /**
     * How a lost packet is recovered.
     */
    enum LossRecovery : uint8_t
    {
        GO_BACK_N, //!< everything from the lost packet on
        GO_BACK_0, //!< the whole message
    };

    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * Aborts with a message if AdaptiveRetransmission has no timeout to adapt.
     *
     * \param limits what the queue pair wants otherwise
     * \return a sending half
     */
    std::unique_ptr<RdmaSender> MakeSender(const RdmaRetryLimits& limits) const override;
    std::unique_ptr<RdmaReceiver> MakeReceiver() const override;
    uint32_t GetAckInterval() const override;
    const RdmaPacketFormat& GetPacketFormat() const override;
    std::unique_ptr<RdmaRequester> MakeRequester(RdmaEndpoint& endpoint) const override;
    std::unique_ptr<RdmaResponder> MakeResponder(RdmaEndpoint& endpoint) const override;
    uint32_t GetRetryCount() const override;

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
