/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef ROCE_TRANSPORT_H
#define ROCE_TRANSPORT_H

#include "rdma-go-back-n.h"

#include <ns3/nstime.h>

namespace ns3
{

/**
 * \ingroup rdma
 * The transport of RoCE NICs as they are: the receiver discards what is out of order and asks once
 * for what is missing, the sender goes back to it.
 *
 * In a lossless fabric the retransmission timer can stay off, which is the default; a fabric that
 * may lose packets needs it, because the last packet of a burst leaves no gap behind.
 */
class RoceTransport : public RdmaTransport
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    std::unique_ptr<RdmaSender> MakeSender(const RdmaRetryLimits& limits) const override;
    std::unique_ptr<RdmaReceiver> MakeReceiver() const override;
    uint32_t GetAckInterval() const override;
    RdmaWireFormat GetWireFormat() const override;
    uint32_t GetRetryCount() const override;

  private:
    Time m_timeout;            //!< attribute RetransmissionTimeout
    uint32_t m_retryCount{7};  //!< attribute RetryCount
    uint32_t m_rnrRetry{7};    //!< attribute RnrRetryCount
    uint32_t m_ackInterval{1}; //!< attribute AckInterval
};

} // namespace ns3

#endif /* ROCE_TRANSPORT_H */
