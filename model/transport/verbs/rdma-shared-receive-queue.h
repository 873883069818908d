/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_SHARED_RECEIVE_QUEUE_H
#define RDMA_SHARED_RECEIVE_QUEUE_H

#include "rdma-ring-buffer.h"
#include "rdma-trace.h"
#include "rdma-verbs.h"

#include <ns3/object.h>

namespace ns3
{

/**
 * \ingroup rdma
 * Shared receive queue (ibv_srq): receive requests for any number of queue pairs. A queue pair that
 * needs a request takes the oldest one.
 *
 * RdmaQueuePair::SetSharedReceiveQueue() attaches a queue pair.
 */
class RdmaSharedReceiveQueue : public Object
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    /** \param request consumed by the next SEND or WRITE with immediate of any peer */
    void PostReceive(const RdmaReceiveRequest& request);

    /** \return number of waiting receive requests */
    uint32_t GetSize() const;

    /**
     * Arms the limit. The trace LimitReached fires once, as soon as a request is taken and fewer
     * requests than the limit remain (IBV_EVENT_SRQ_LIMIT_REACHED).
     *
     * \param limit number of requests; 0 disarms the limit
     */
    void SetLimit(uint32_t limit);

    /** \return the armed limit in requests; 0 if none is armed */
    uint32_t GetLimit() const;

    /**
     * Takes the oldest request out of the queue, which must not be empty. Called by the queue
     * pairs.
     *
     * \return the request
     */
    RdmaReceiveRequest Take();

    /**
     * TracedCallback signature of LimitReached.
     *
     * \param size number of receive requests left in the queue
     */
    typedef void (*LimitCallback)(uint32_t size);

  private:
    RdmaRingBuffer<RdmaReceiveRequest> m_requests; //!< waiting requests, oldest first
    uint32_t m_limit{0};                           //!< limit armed by SetLimit(); 0: none
    RdmaTrace<uint32_t> m_limitReached;            //!< trace LimitReached
};

} // namespace ns3

#endif /* RDMA_SHARED_RECEIVE_QUEUE_H */
