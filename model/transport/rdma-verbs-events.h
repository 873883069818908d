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
 * What a queue pair hears from its packet engine.
 */
class RdmaVerbsEvents
{
  public:
    virtual ~RdmaVerbsEvents() = default;

    /** \param completion of a send request \param queued it goes to the completion queue, too */
    virtual void OnSendCompletion(const RdmaWorkCompletion& completion, bool queued) = 0;

    /** \param completion of a receive request */
    virtual void OnReceiveCompletion(const RdmaWorkCompletion& completion) = 0;

    /** \param arrival a message of the peer is complete */
    virtual void OnMessage(const RdmaMessageArrival& arrival) = 0;

    /** \param status of the request to blame \param packet a packet of this request */
    virtual void OnFailure(RdmaWcStatus status, uint64_t packet) = 0;
};

} // namespace ns3

#endif /* RDMA_VERBS_EVENTS_H */
