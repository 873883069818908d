/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RDMA_WORKLOAD_H
#define RDMA_WORKLOAD_H

#include "qbb-ps.h"
#include "rdma-flow-size-cdf.h"
#include "rdma-flow.h"
#include "rdma-topology.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * \defgroup rdma-workload Workloads
 *
 * Generators of flows. All random numbers come from ns-3's streams, so that a workload is a
 * function of its parameters, of RngSeedManager's seed and run, and of the stream number. Flow ids
 * count from 0 in the order of start times. All throw std::invalid_argument for a parameter out of
 * range.
 * @{
 */

/**
 * \brief What the generators can be told. Each one says which of these it reads.
 */
struct RdmaWorkloadOptions
{
    /// Time at which the workload begins.
    QbbPs start{0};
    /// Poisson: flows start from start to before start + duration.
    QbbPs duration{1_ms};
    /// Poisson: payload over the rate of a host's links, above 0.
    double load{0.5};
    /// Poisson: flow sizes, read by RdmaFlowSizeCdf::Make().
    std::string cdf{"websearch"};
    /// Incast and permutation: size of each flow, bytes.
    uint64_t bytes{1'000'000};
    /// Incast and permutation: start times are uniform from start to start + jitter.
    QbbPs jitter{0};
    /// Incast: node id of the receiver; -1 for a random host.
    int64_t receiver{-1};
    /// Priority of all flows, 0 to 7.
    uint32_t priority{3};
    /// Destination port of all flows, 0 to 65535.
    uint32_t dstPort{4791};
    /// First of the N_STREAMS random streams used, 0 or more. The default is far from the low
    /// numbers that models are usually given.
    int64_t stream{1'000'000};

    /// Number of random streams that a generator uses.
    static constexpr int64_t N_STREAMS = 4;
};

/**
 * Poisson arrivals: every host starts flows to other hosts, chosen uniformly, at exponential
 * intervals such that the payload it offers is options.load times the sum of the rates of its
 * links. Reads start, duration, load, cdf, priority, dstPort, stream.
 * \param topology at least two hosts
 * \param options the parameters
 * \return the flows, ascending by start time
 */
std::vector<RdmaFlow> MakeRdmaPoissonFlows(const RdmaTopology& topology,
                                           const RdmaWorkloadOptions& options);

/**
 * Incast: hosts chosen at random, each with one flow to the receiver.
 * Reads start, bytes, jitter, receiver, priority, dstPort, stream.
 * \param topology more than \p senders hosts
 * \param senders number of senders, 1 or more
 * \param options the parameters
 * \return the flows, ascending by start time, then by sender
 */
std::vector<RdmaFlow> MakeRdmaIncastFlows(const RdmaTopology& topology,
                                          uint32_t senders,
                                          const RdmaWorkloadOptions& options);

/**
 * Permutation: every host has one flow to another host and is the destination of one, by a random
 * permutation without fixed points, all such permutations being equally likely.
 * Reads start, bytes, jitter, priority, dstPort, stream.
 * \param topology at least two hosts
 * \param options the parameters
 * \return the flows, ascending by start time, then by sender
 */
std::vector<RdmaFlow> MakeRdmaPermutationFlows(const RdmaTopology& topology,
                                               const RdmaWorkloadOptions& options);

/**
 * Make the workload that a text names: "poisson", "incast:SENDERS", "permutation", or "file:PATH"
 * (ReadRdmaFlows(), which takes all from the file and leaves \p options unused).
 * \param text the text
 * \param topology the hosts
 * \param options the parameters
 * \return the flows
 * \throws std::invalid_argument for a text of no such form or a parameter out of range
 * \throws RdmaFileError for a file that cannot be read
 */
std::vector<RdmaFlow> MakeRdmaWorkload(const std::string& text,
                                       const RdmaTopology& topology,
                                       const RdmaWorkloadOptions& options);

/** @} */

} // namespace ns3

#endif /* RDMA_WORKLOAD_H */
