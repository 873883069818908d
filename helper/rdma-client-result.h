/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_CLIENT_RESULT_H
#define RDMA_CLIENT_RESULT_H

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
    int64_t minPs{0};   //!< shortest
    int64_t maxPs{0};   //!< longest
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
RdmaLatency GetRdmaLatency(const std::vector<int64_t>& latencies);

/**
 * \ingroup rdma
 * What an RdmaClient has measured.
 */
struct RdmaClientResult
{
    uint64_t iterations{0};      //!< complete, of all queue pairs together
    uint64_t messageBytes{0};    //!< length of a message
    uint64_t bytes{0};           //!< of all iterations, without answers
    int64_t beginPs{0};          //!< the first message was posted
    int64_t endPs{0};            //!< the last iteration was complete
    double bandwidthBps{0};      //!< bit/s: bytes in the time from beginPs to endPs
    double messagesPerSecond{0}; //!< iterations in the same time
    /// Of the iterations; nothing if none is complete, or if they were not kept.
    std::optional<RdmaLatency> latency;
    std::string status; //!< "done", or why not
};

} // namespace ns3

#endif /* RDMA_CLIENT_RESULT_H */
