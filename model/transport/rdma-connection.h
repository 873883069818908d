/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_CONNECTION_H
#define RDMA_CONNECTION_H

#include "rdma-queue-pair-stats.h"
#include "rdma-reaction-point.h"
#include "rdma-retry-limits.h"
#include "rdma-transport.h"
#include "rdma-verbs.h"

#include <ns3/ptr.h>

#include <cstdint>
#include <memory>

namespace ns3
{

/**
 * \ingroup rdma
 * What the requester and the responder of a queue pair share: its state, the settings of its
 * connection, and what they have counted.
 */
struct RdmaConnection
{
    RdmaQpState state{RdmaQpState::RESET}; //!< the queue pair's state
    bool ceSeen{false};                    //!< CE mark seen, not yet echoed in an acknowledgement
    uint8_t minRnrTimer{1};                //!< code of the wait after an RNR NAK of this side
    uint8_t maxRdAtomic{16};               //!< READs and atomics of this side at a time
    uint8_t maxDestRdAtomic{16};           //!< READs and atomics of the peer at a time
    uint32_t qpn{0};                       //!< the local queue pair number
    uint32_t pathMtu{1024};                //!< payload bytes of a full packet
    uint32_t initialPsn{0};                //!< PSN of this side's first packet
    uint32_t remotePsn{0};                 //!< PSN of the peer's first packet
    uint32_t msn{0};                       //!< messages of the peer that are completed, 24 bits
    uint32_t ackInterval{1};               //!< data packets to an acknowledgement that is asked for
    Ptr<const RdmaTransport> transport;    //!< made the halves
    std::unique_ptr<RdmaRetryLimits> limits;     //!< given to Modify(), if any were
    std::unique_ptr<RdmaReactionPoint> reaction; //!< with congestion control
    RdmaQueuePairCounters counters;              //!< since the queue pair was made or reset

    /** \return the limits, those that were not given empty */
    RdmaRetryLimits GetLimits() const
    {
        return limits ? *limits : RdmaRetryLimits();
    }
};

} // namespace ns3

#endif /* RDMA_CONNECTION_H */
