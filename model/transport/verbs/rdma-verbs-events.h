/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_VERBS_EVENTS_H
#define RDMA_VERBS_EVENTS_H

#include "rdma-message-arrival.h"
#include "rdma-verbs.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * Events that a packet engine reports to its queue pair.
 */
class RdmaVerbsEvents
{
  public:
    virtual ~RdmaVerbsEvents() = default;

    /**
     * \param completion of a send request
     * \param queued true if the completion also goes to the completion queue
     */
    virtual void OnSendCompletion(const RdmaWorkCompletion& completion, bool queued) = 0;

    /** \param completion of a receive request */
    virtual void OnReceiveCompletion(const RdmaWorkCompletion& completion) = 0;

    /** \param arrival a message of the peer that is complete */
    virtual void OnMessage(const RdmaMessageArrival& arrival) = 0;

    /**
     * The queue pair fails.
     *
     * \param status completion status of the request that caused the failure
     * \param packet number of a packet of that request
     */
    virtual void OnFailure(RdmaWcStatus status, uint64_t packet) = 0;
};

} // namespace ns3

#endif /* RDMA_VERBS_EVENTS_H */
