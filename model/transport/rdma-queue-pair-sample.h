/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_QUEUE_PAIR_SAMPLE_H
#define RDMA_QUEUE_PAIR_SAMPLE_H

#include "qbb-bit-rate.h"
#include "qbb-ps.h"

#include <cstdint>
#include <optional>

namespace ns3
{

/**
 * \ingroup rdma
 * How a queue pair stands at an instant, for time series. What its congestion control does not
 * have, or does not know yet, has no value.
 */
struct RdmaQueuePairSample
{
    QbbPs time{0};                       //!< the instant
    uint32_t qpn{0};                     //!< the queue pair's number at its NIC
    std::optional<QbbBitRate> rate;      //!< rate of its packets on the line, in bit/s
    std::optional<double> targetRateBps; //!< rate that it is returning to, in bit/s
    std::optional<uint64_t> windowBytes; //!< bytes on the line that may be in flight
    std::optional<double> alpha;         //!< estimate of congestion, 0..1
    std::optional<QbbPs> rtt;            //!< the latest round trip, if they are measured
    uint64_t packetsInFlight{0};         //!< request packets sent and not acknowledged
    uint64_t bytesInFlight{0};           //!< the same as windows count: full packets on the line
    uint64_t packetsAcknowledged{0};     //!< request packets acknowledged since the beginning
};

} // namespace ns3

#endif /* RDMA_QUEUE_PAIR_SAMPLE_H */
