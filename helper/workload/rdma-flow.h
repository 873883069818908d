/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FLOW_H
#define RDMA_FLOW_H

#include "rdma-ps.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * One message from a host to another, as listed in a workload. Hosts may have several NICs.
 */
struct RdmaFlow
{
    /// The flow uses the NICs that RdmaConnectionPlan names.
    static constexpr uint16_t ANY_NIC = UINT16_MAX;

    uint64_t id{0};         //!< flow number, unique in the workload
    uint32_t srcHost{0};    //!< node id of the sender in the topology
    uint32_t dstHost{0};    //!< node id of the receiver in the topology
    uint16_t priority{3};   //!< class, 0 to 7
    uint16_t dstPort{4791}; //!< destination port in the workload, 0 to 65535
    uint16_t nic{ANY_NIC};  //!< the only NIC of both hosts that the flow uses, or ANY_NIC
    uint16_t queuePairs{0}; //!< queue pairs for each pair of ports; 0: RdmaConnectionPlan decides
    uint64_t bytes{0};      //!< message size in bytes, 1 to RDMA_MAX_FLOW_BYTES
    RdmaPs start{0};        //!< time at which the message is posted, 0 to RDMA_MAX_TIME

    /// \param other another flow \return true if all fields are equal
    bool operator==(const RdmaFlow& other) const
    {
        return id == other.id && srcHost == other.srcHost && dstHost == other.dstHost &&
               priority == other.priority && dstPort == other.dstPort && nic == other.nic &&
               queuePairs == other.queuePairs && bytes == other.bytes && start == other.start;
    }
};

static_assert(sizeof(RdmaFlow) == 40, "a workload has millions of flows");

/**
 * \ingroup rdma
 * A flow that starts after other flows have ended, and not before its RdmaFlow::start.
 *
 * The sender of the waiting flow has to learn of the end. It does so without a message if it is the
 * sender of the awaited flow, which then ends with the last acknowledgement, or its receiver, for
 * which the flow ends with the last byte. News of any other flow takes the stated delay from the
 * receiver of the awaited flow to the sender of the waiting one.
 *
 * A flow that waits for a flow that fails does not start.
 */
struct RdmaFlowDependency
{
    uint64_t flow{0};              //!< id of the waiting flow
    std::vector<uint64_t> after;   //!< ids of the awaited flows, one or more, each once
    std::optional<RdmaPs> delay{}; //!< time from the last end to the start; no value: 0
};

/**
 * \ingroup rdma
 * An interval of time. The flows that start in the interval are the counted flows of a run.
 * Averages and percentiles cover only counted flows. By default all flows are counted.
 */
struct RdmaFlowWindow
{
    RdmaPs begin{0};        //!< first instant of the interval
    RdmaPs end{RDMA_NEVER}; //!< end of the interval, which does not belong to the interval

    /** \param time an instant \return true if the instant lies in the interval */
    constexpr bool Contains(RdmaPs time) const
    {
        return begin <= time && time < end;
    }
};

} // namespace ns3

#endif /* RDMA_FLOW_H */
