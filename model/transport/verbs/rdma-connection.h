/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_CONNECTION_H
#define RDMA_CONNECTION_H

#include "rdma-ps.h"
#include "rdma-queue-pair-stats.h"
#include "rdma-reaction-point.h"
#include "rdma-send-pipeline.h"
#include "rdma-transport.h"
#include "rdma-verbs.h"

#include <algorithm>
#include <cstdint>
#include <memory>

namespace ns3
{

/**
 * \ingroup rdma
 * State that the requester and the responder of a queue pair share: QP state, connection settings
 * and counters.
 */
struct RdmaConnection
{
    // Members stand in the order of their use, see RdmaPacketEngine.

    RdmaQpState state{RdmaQpState::RESET}; //!< state of the queue pair
    bool ceSeen{false};                    //!< CE mark seen, not yet echoed in an acknowledgement
    bool probeReady{false};                //!< the requester has a probe to send: see RdmaRequester
    bool responseReady{false};    //!< the responder has a response to send: see RdmaResponder
    bool responseWindowed{false}; //!< responses take room of the congestion window
    uint8_t minRnrTimer{1};       //!< code of the time that the peer waits after an RNR NAK
    uint8_t maxRdAtomic{16};      //!< limit of outstanding READs and atomics of this side
    uint8_t maxDestRdAtomic{16};  //!< limit of outstanding READs and atomics of the peer
    /// Reaction point; null without congestion control
    std::unique_ptr<RdmaReactionPoint> reaction;
    RdmaPs responseDeadline{RDMA_NEVER}; //!< time of the next RdmaResponder::OnTimer()

    uint32_t qpn{0};                 //!< the local queue pair number
    uint32_t pathMtu{1024};          //!< payload bytes of a full packet
    uint32_t initialPsn{0};          //!< PSN of this side's first packet
    uint32_t remotePsn{0};           //!< PSN of the peer's first packet
    uint32_t msn{0};                 //!< completed messages of the peer, 24 bits
    uint32_t ackInterval{1};         //!< data packets per requested acknowledgement
    RdmaPs sendDeadline{RDMA_NEVER}; //!< deadline of the requester's send timer
    RdmaQueuePairCounters counters;  //!< counters since creation or the last reset

    const RdmaTransport* transport{
        nullptr}; //!< creator of requester and responder; the NIC keeps it
    /// Retry limits set by Modify(); null: the transport's limits
    std::unique_ptr<RdmaRetryLimits> limits;
    bool timerOff{false}; //!< the network loses no packet, so that no timer is needed
    /// The queue pair has sent nothing but acknowledgements, and its reaction point is not made yet
    bool passive{false};
    /// UDP source port of the latest packet received, which acknowledgements repeat, or before the
    /// first packet that of the queue pair; 0: acknowledgements have the port of the queue pair
    uint16_t echoPort{0};
    RdmaPs readDeadline{RDMA_NEVER}; //!< deadline of the requester's timer of READs and atomics
    /// Times that send requests take in the NIC; null: requests start at once
    std::unique_ptr<RdmaSendPipeline> pipeline;

    /** \return time at which RdmaRequester::OnTimer() is to be called, or RDMA_NEVER */
    RdmaPs GetRequestDeadline() const
    {
        return std::min(sendDeadline, readDeadline);
    }

    /** \return the retry limits set by Modify(), and a timeout of 0 if timerOff is set and Modify()
     *          set no timeout; a limit that was not set has no value */
    RdmaRetryLimits GetLimits() const
    {
        RdmaRetryLimits values = limits ? *limits : RdmaRetryLimits();
        if (timerOff && !values.timeout)
        {
            values.timeout = RdmaPs(0);
        }
        return values;
    }
};

} // namespace ns3

#endif /* RDMA_CONNECTION_H */
