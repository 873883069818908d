/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_RETRY_LIMITS_H
#define RDMA_RETRY_LIMITS_H

#include "qbb-ps.h"

#include <cstdint>
#include <optional>

namespace ns3
{

/**
 * \ingroup rdma
 * Per-queue-pair overrides of the transport's retry attributes (ibv_qp_attr: timeout, retry_cnt,
 * rnr_retry).
 */
struct RdmaRetryLimits
{
    std::optional<QbbPs> timeout;          //!< retransmission timeout; 0 turns the timer off
    std::optional<uint32_t> retryCount;    //!< timeouts in a row before the QP fails
    std::optional<uint32_t> rnrRetryCount; //!< RNR NAKs in a row before the QP fails; 7: no limit
};

} // namespace ns3

#endif /* RDMA_RETRY_LIMITS_H */
