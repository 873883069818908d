/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_CLIENT_RESULT_H
#define RDMA_CLIENT_RESULT_H

#include "qbb-ps.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * How long the iterations of an RdmaClient took, in picoseconds; the columns of perftest.
 */
struct RdmaLatency
{
    QbbPs min{0};       //!< shortest
    QbbPs max{0};       //!< longest
    double meanPs{0};   //!< average
    double stdevPs{0};  //!< standard deviation of the sample
    double medianPs{0}; //!< half are shorter
    double p99Ps{0};    //!< 99 of 100 are shorter
    double p999Ps{0};   //!< 999 of 1000 are shorter
};

/**
 * \ingroup rdma
 * \param latencies of one or more iterations, in picoseconds, in any order
 * \return their minimum, average and so on
 * \throws std::invalid_argument for no iteration
 */
RdmaLatency GetRdmaLatency(const std::vector<QbbPs>& latencies);

/**
 * \ingroup rdma
 * What an RdmaClient has measured.
 */
struct RdmaClientResult
{
    uint64_t iterations{0};      //!< complete, of all queue pairs together
    uint64_t messageBytes{0};    //!< length of a message
    uint64_t bytes{0};           //!< of all iterations, without answers
    QbbPs begin{0};              //!< the first message was posted
    QbbPs end{0};                //!< the last iteration was complete
    double bandwidthBps{0};      //!< bit/s: bytes in the time from begin to end
    double messagesPerSecond{0}; //!< iterations in the same time
    /// Of the iterations; nothing if none is complete, or if they were not kept.
    std::optional<RdmaLatency> latency;
    std::string status; //!< "done", or why not
};

} // namespace ns3

#endif /* RDMA_CLIENT_RESULT_H */
