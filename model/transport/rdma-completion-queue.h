/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_COMPLETION_QUEUE_H
#define RDMA_COMPLETION_QUEUE_H

#include "qbb-ring.h"
#include "rdma-verbs.h"

#include <ns3/callback.h>
#include <ns3/object.h>

#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Where completions of any number of queue pairs arrive (ibv_cq): polled, or handed to a callback.
 */
class RdmaCompletionQueue : public Object
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * TracedCallback signature of completions.
     *
     * \param completion the completion
     */
    typedef void (*CompletionTracedCallback)(const RdmaWorkCompletion& completion);

    /** Called for each completion. */
    using CompletionCallback = Callback<void, const RdmaWorkCompletion&>;

    /**
     * \param callback gets the completions that are queued at once, in order, and every one from
     *        now on at the instant at which it happens, unqueued. A null callback goes back to
     *        polling.
     */
    void SetCallback(CompletionCallback callback);

    /** \param max most completions to take \return the oldest ones, taken out */
    std::vector<RdmaWorkCompletion> Poll(uint32_t max);

    /** \return completions that wait to be polled */
    uint32_t GetSize() const;

    /** \param completion a completion that happens now. Called by the queue pairs. */
    void Add(const RdmaWorkCompletion& completion);

  protected:
    void DoDispose() override;

  private:
    QbbRing<RdmaWorkCompletion> m_queue; //!< waiting to be polled
    CompletionCallback m_callback;       //!< gets them instead
};

} // namespace ns3

#endif /* RDMA_COMPLETION_QUEUE_H */
