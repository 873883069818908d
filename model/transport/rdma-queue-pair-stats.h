/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_QUEUE_PAIR_STATS_H
#define RDMA_QUEUE_PAIR_STATS_H

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * What every queue pair counts.
 */
struct RdmaQueuePairCounters
{
    uint64_t packetsSent{0};     //!< request packets sent, those sent again included
    uint64_t packetsAccepted{0}; //!< request packets that came in and were executed
    uint64_t duplicates{0};      //!< packets that came in once more
    uint64_t outOfOrder{0};      //!< packets that came in too early
    uint64_t acksSent{0};        //!< acknowledgements sent
    uint64_t naksSent{0};        //!< NAKs and RNR NAKs sent
    uint64_t acksReceived{0};    //!< acknowledgements received
    uint64_t naksReceived{0};    //!< NAKs and RNR NAKs received
    uint64_t cnpsSent{0};        //!< congestion notifications sent
    uint64_t cnpsReceived{0};    //!< congestion notifications received
};

/**
 * \ingroup rdma
 * What a queue pair and its transport have counted.
 */
struct RdmaQueuePairStats : public RdmaQueuePairCounters
{
    uint64_t packetsRetransmitted{0};   //!< request packets sent again
    uint64_t timeouts{0};               //!< times that a retransmission timer ran out
    uint64_t responsesSent{0};          //!< READ responses and atomic results sent
    uint64_t responsesRetransmitted{0}; //!< IRN: READ responses and atomic results sent again
    uint64_t responsesAccepted{0}; //!< READ responses and atomic results that came in and counted
    uint64_t responseTimeouts{0};  //!< IRN: times that a missing response was asked for
};

} // namespace ns3

#endif /* RDMA_QUEUE_PAIR_STATS_H */
