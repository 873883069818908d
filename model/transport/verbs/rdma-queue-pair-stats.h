/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_QUEUE_PAIR_STATS_H
#define RDMA_QUEUE_PAIR_STATS_H

#include "rdma-bit-rate.h"
#include "rdma-ps.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace ns3
{

/**
 * \ingroup rdma
 * Counters that every queue pair keeps, whatever its transport.
 */
struct RdmaQueuePairCounters
{
    // The counters of a loss-free connection come first and share a cache line.
    uint64_t packetsSent{0};     //!< request packets sent, including retransmissions
    uint64_t acksReceived{0};    //!< acknowledgements received
    uint64_t packetsAccepted{0}; //!< request packets executed or, with IRN, buffered
    uint64_t acksSent{0};        //!< acknowledgements sent
    uint64_t duplicates{0};      //!< duplicate packets received
    uint64_t outOfOrder{0};      //!< packets received before their turn
    uint64_t naksSent{0};        //!< NAKs and RNR NAKs sent
    uint64_t naksReceived{0};    //!< NAKs and RNR NAKs received
    uint64_t cnpsSent{0};        //!< congestion notification packets sent
    uint64_t cnpsReceived{0};    //!< congestion notification packets received
};

/**
 * \ingroup rdma
 * What the receiver of a packet stream has seen of packets that overtake each other. Packets are
 * counted by their numbers.
 */
struct RdmaReordering
{
    uint64_t distance{0}; //!< largest distance of a packet from the first missing one, in packets
    uint64_t held{0};     //!< most packets that waited for a missing one at a time
    uint64_t beyond{0};   //!< packets dropped because they came beyond the receiver's window

    /** \param other another stream \return the maxima and sums of both streams */
    RdmaReordering& operator+=(const RdmaReordering& other)
    {
        distance = std::max(distance, other.distance);
        held = std::max(held, other.held);
        beyond += other.beyond;
        return *this;
    }
};

/**
 * \ingroup rdma
 * Counters of a queue pair, including those of its transport.
 */
struct RdmaQueuePairStats : public RdmaQueuePairCounters
{
    uint64_t packetsRetransmitted{0};   //!< request packets retransmitted
    uint64_t timeouts{0};               //!< expiries of the retransmission timer
    uint64_t responsesSent{0};          //!< READ responses and atomic results sent
    uint64_t responsesRetransmitted{0}; //!< IRN: READ responses and atomic results retransmitted
    uint64_t responsesAccepted{0};      //!< READ responses and atomic results received and accepted
    uint64_t responseTimeouts{0}; //!< IRN: timeouts after which a missing response was requested
    RdmaReordering reordering;    //!< received packets that overtook each other

    /** \param other counters of another queue pair \return the sums of both */
    RdmaQueuePairStats& operator+=(const RdmaQueuePairStats& other)
    {
        packetsSent += other.packetsSent;
        packetsAccepted += other.packetsAccepted;
        duplicates += other.duplicates;
        outOfOrder += other.outOfOrder;
        acksSent += other.acksSent;
        naksSent += other.naksSent;
        acksReceived += other.acksReceived;
        naksReceived += other.naksReceived;
        cnpsSent += other.cnpsSent;
        cnpsReceived += other.cnpsReceived;
        packetsRetransmitted += other.packetsRetransmitted;
        timeouts += other.timeouts;
        responsesSent += other.responsesSent;
        responsesRetransmitted += other.responsesRetransmitted;
        responsesAccepted += other.responsesAccepted;
        responseTimeouts += other.responseTimeouts;
        reordering += other.reordering;
        return *this;
    }
};

static_assert(sizeof(RdmaQueuePairStats) == 19 * sizeof(uint64_t),
              "operator+= adds each of the counters");

/**
 * \ingroup rdma
 * Sample of a queue pair's state, for time series. A quantity that its congestion control does not
 * have, or does not know yet, has no value.
 */
struct RdmaQueuePairSample
{
    RdmaPs time{0};                      //!< time of the sample
    uint32_t qpn{0};                     //!< queue pair number at its NIC
    std::optional<RdmaBitRate> rate;     //!< sending rate on the line, in bit/s
    std::optional<double> targetRateBps; //!< rate that congestion control recovers to, in bit/s
    std::optional<uint64_t> windowBytes; //!< congestion window, in bytes on the line
    std::optional<double> alpha;         //!< congestion estimate, 0..1
    std::optional<RdmaPs> rtt;           //!< latest round-trip time, if measured
    uint64_t packetsInFlight{0};         //!< request packets sent and not acknowledged
    uint64_t bytesInFlight{0};           //!< bytes in flight, counted as full packets on the line
    uint64_t packetsAcknowledged{0};     //!< request packets acknowledged so far
};

} // namespace ns3

#endif /* RDMA_QUEUE_PAIR_STATS_H */
