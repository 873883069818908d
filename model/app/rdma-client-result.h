/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_CLIENT_RESULT_H
#define RDMA_CLIENT_RESULT_H

#include "qbb-ps.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ns3
{

/**
 * \ingroup rdma
 * A complete iteration of an RdmaClient.
 */
struct RdmaIteration
{
    uint32_t qpn{0};    //!< number of the client's queue pair
    uint64_t number{0}; //!< iteration number on the queue pair, from 0
    QbbPs begin{0};     //!< time at which the message was posted
    QbbPs end{0};       //!< time of the completion or answer
    QbbPs latency{0};   //!< end - begin; half of that for ping-pong with SENDs and WRITEs
};

/**
 * \ingroup rdma
 * Latency statistics over the iterations of an RdmaClient, in picoseconds: the columns of perftest.
 */
struct RdmaLatency
{
    QbbPs min{0};       //!< minimum latency
    QbbPs max{0};       //!< maximum latency
    double meanPs{0};   //!< mean latency in picoseconds
    double stdevPs{0};  //!< sample standard deviation of the latency in picoseconds
    double medianPs{0}; //!< median latency in picoseconds
    double p99Ps{0};    //!< 99th percentile of the latency in picoseconds
    double p999Ps{0};   //!< 99.9th percentile of the latency in picoseconds
};

/**
 * \ingroup rdma
 * Measurements of an RdmaClient.
 */
struct RdmaClientResult
{
    uint64_t iterations{0};      //!< complete iterations of all queue pairs together
    uint64_t messageBytes{0};    //!< bytes per message
    uint64_t bytes{0};           //!< bytes of all complete iterations, without answers
    QbbPs begin{0};              //!< time at which the first message was posted
    QbbPs end{0};                //!< time at which the last iteration was complete
    double bandwidthBps{0};      //!< bandwidth in bit/s: bytes between begin and end
    double messagesPerSecond{0}; //!< iterations per second between begin and end
    /// Latency statistics; no value if no iteration is complete or latencies were not kept.
    std::optional<RdmaLatency> latency;
    std::string status; //!< "done", or the reason why the client is not done
};

} // namespace ns3

#endif /* RDMA_CLIENT_RESULT_H */
