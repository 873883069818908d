/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FLOW_RESULT_H
#define RDMA_FLOW_RESULT_H

#include "qbb-ps.h"
#include "rdma-flow.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ns3
{

/**
 * \ingroup rdma-flow-report
 * Result of a flow: one row of flows.csv.
 */
struct RdmaFlowResult
{
    RdmaFlow flow; //!< the executed flow
    /// Time from posting to the last byte in the receiver's memory; empty: not completed
    std::optional<QbbPs> fct;
    /// Time from posting to the completion at the sender; empty: no successful completion
    std::optional<QbbPs> cqe;
    QbbPs ideal{0}; //!< ideal flow completion time, positive; see rdma-ideal-fct.h
    uint64_t retransmittedPackets{0}; //!< packets retransmitted by the sender
    uint64_t timeouts{0};             //!< expiries of the sender's retransmission timer
    bool isCounted{true};             //!< averages and percentiles include the flow
    std::string status; //!< completion status, or the reason why the flow has not completed

    /// \return true if the receiver has all bytes and the sender has a successful completion
    bool IsCompleted() const
    {
        return fct.has_value() && cqe.has_value();
    }
};

} // namespace ns3

#endif /* RDMA_FLOW_RESULT_H */
