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
 * Completion queue (ibv_cq) for any number of queue pairs. Completions are polled or handed to a
 * callback.
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

    /** Callback that receives each completion. */
    using CompletionCallback = Callback<void, const RdmaWorkCompletion&>;

    /**
     * Sets the callback for completions. Completions in the queue are handed to it at once, in
     * order. Later completions are handed to it when they occur and are not queued.
     *
     * \param callback receives the completions; a null callback returns to polling
     */
    void SetCallback(CompletionCallback callback);

    /** \return true if a callback receives the completions */
    bool HasCallback() const
    {
        return !m_callback.IsNull();
    }

    /**
     * \param max largest number of completions to take
     * \return the oldest completions, removed from the queue
     */
    std::vector<RdmaWorkCompletion> Poll(uint32_t max);

    /** \return number of completions that wait to be polled */
    uint32_t GetSize() const;

    /**
     * Adds a completion. Called by the queue pairs.
     *
     * \param completion a completion that occurs at this instant
     */
    void Add(const RdmaWorkCompletion& completion);

  protected:
    void DoDispose() override;

  private:
    QbbRing<RdmaWorkCompletion> m_queue; //!< completions waiting to be polled
    CompletionCallback m_callback;       //!< receives completions in place of the queue
};

} // namespace ns3

#endif /* RDMA_COMPLETION_QUEUE_H */
