/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_QUEUE_PAIR_USER_H
#define RDMA_QUEUE_PAIR_USER_H

#include "rdma-message-arrival.h"
#include "rdma-verbs.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * A user to whom a queue pair reports directly, without a completion queue or a trace source. The
 * calls come from events of the queue pair's node, on the thread that runs the node. The user may
 * therefore change only what belongs to the node.
 */
class RdmaQueuePairUser
{
  public:
    virtual ~RdmaQueuePairUser() = default;

    /**
     * A message is complete in the memory of the queue pair's host.
     *
     * \param id the user's number for the queue pair
     * \param arrival the message
     */
    virtual void MessageReceived(uint64_t id, const RdmaMessageArrival& arrival) = 0;

    /**
     * A signaled send request is complete, or a send request has failed.
     *
     * \param id the user's number for the queue pair
     * \param completion the completion, which does not enter the send completion queue
     */
    virtual void SendCompleted(uint64_t id, const RdmaWorkCompletion& completion) = 0;
};

} // namespace ns3

#endif /* RDMA_QUEUE_PAIR_USER_H */
