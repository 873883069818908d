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
 * Sample of a queue pair's state, for time series. A quantity that its congestion control does not
 * have, or does not know yet, has no value.
 */
struct RdmaQueuePairSample
{
    QbbPs time{0};                       //!< time of the sample
    uint32_t qpn{0};                     //!< queue pair number at its NIC
    std::optional<QbbBitRate> rate;      //!< sending rate on the line, in bit/s
    std::optional<double> targetRateBps; //!< rate that congestion control recovers to, in bit/s
    std::optional<uint64_t> windowBytes; //!< congestion window, in bytes on the line
    std::optional<double> alpha;         //!< congestion estimate, 0..1
    std::optional<QbbPs> rtt;            //!< latest round-trip time, if measured
    uint64_t packetsInFlight{0};         //!< request packets sent and not acknowledged
    uint64_t bytesInFlight{0};           //!< bytes in flight, counted as full packets on the line
    uint64_t packetsAcknowledged{0};     //!< request packets acknowledged so far
};

} // namespace ns3

#endif /* RDMA_QUEUE_PAIR_SAMPLE_H */
