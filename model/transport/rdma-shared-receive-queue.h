/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_SHARED_RECEIVE_QUEUE_H
#define RDMA_SHARED_RECEIVE_QUEUE_H

#include "qbb-ring.h"
#include "rdma-verbs.h"

#include <ns3/object.h>
#include <ns3/traced-callback.h>

namespace ns3
{

/**
 * \ingroup rdma
 * Receive requests for any number of queue pairs (ibv_srq): whoever of them needs one takes the
 * oldest.
 *
 * A queue pair uses it after RdmaQueuePair::SetSharedReceiveQueue().
 */
class RdmaSharedReceiveQueue : public Object
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    /** \param request room for a SEND, or the notice of a write with immediate, of any peer */
    void PostReceive(const RdmaReceiveRequest& request);

    /** \return requests that wait */
    uint32_t GetSize() const;

    /**
     * Arms the limit: the next time that fewer requests than this wait, the trace LimitReached
     * fires, once (IBV_EVENT_SRQ_LIMIT_REACHED).
     *
     * \param limit requests; 0 disarms
     */
    void SetLimit(uint32_t limit);

    /** \return the limit; 0 after it was reached */
    uint32_t GetLimit() const;

    /** \return the oldest request, taken out; there must be one. Called by the queue pairs. */
    RdmaReceiveRequest Take();

    /**
     * TracedCallback signature of LimitReached.
     *
     * \param size requests that wait
     */
    typedef void (*LimitCallback)(uint32_t size);

  private:
    QbbRing<RdmaReceiveRequest> m_requests;  //!< waiting, in order
    uint32_t m_limit{0};                     //!< SetLimit()
    TracedCallback<uint32_t> m_limitReached; //!< trace LimitReached
};

} // namespace ns3

#endif /* RDMA_SHARED_RECEIVE_QUEUE_H */
