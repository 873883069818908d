/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_COMPLETION_TARGETS_H
#define RDMA_COMPLETION_TARGETS_H

#include "rdma-completion-queue.h"
#include "rdma-message-arrival.h"
#include "rdma-queue-pair-user.h"
#include "rdma-verbs.h"

#include <ns3/object.h>
#include <ns3/ptr.h>

#include <cstdint>
#include <functional>

namespace ns3
{

/**
 * \ingroup rdma
 * Receivers of a queue pair's completions: completion queues, which are created on first use, or a
 * user who gets messages and the completions of send requests directly.
 */
class RdmaCompletionTargets
{
  public:
    /**
     * Reports messages and completions of send requests to a user. The completions do not enter the
     * queue of send requests.
     *
     * \param user the user
     * \param id the user's number for the queue pair
     */
    void SetUser(RdmaQueuePairUser* user, uint64_t id)
    {
        m_user = user;
        m_userId = id;
    }

    /** \param queue receives the completions of send requests */
    void SetSendQueue(Ptr<RdmaCompletionQueue> queue)
    {
        m_sendQueue = queue;
    }

    /** \param queue receives the completions of receive requests */
    void SetReceiveQueue(Ptr<RdmaCompletionQueue> queue)
    {
        m_receiveQueue = queue;
    }

    /** \return the completion queue of send requests */
    Ptr<RdmaCompletionQueue> GetSendQueue()
    {
        return GetOrCreate(m_sendQueue);
    }

    /** \return the completion queue of receive requests */
    Ptr<RdmaCompletionQueue> GetReceiveQueue()
    {
        return GetOrCreate(m_receiveQueue);
    }

    /** \return true if a completion queue has a callback */
    bool HasCallback() const
    {
        return (m_sendQueue && m_sendQueue->HasCallback()) ||
               (m_receiveQueue && m_receiveQueue->HasCallback());
    }

    /** \param visit called with each completion queue that exists */
    void ForEachQueue(const std::function<void(const Object& queue)>& visit) const
    {
        for (const auto& queue : {m_sendQueue, m_receiveQueue})
        {
            if (queue)
            {
                visit(*queue);
            }
        }
    }

    /** \param completion completion of a send request */
    void SendCompleted(const RdmaWorkCompletion& completion)
    {
        if (m_user)
        {
            m_user->SendCompleted(m_userId, completion);
            return;
        }
        GetSendQueue()->Add(completion);
    }

    /** \param completion completion of a receive request */
    void ReceiveCompleted(const RdmaWorkCompletion& completion)
    {
        GetReceiveQueue()->Add(completion);
    }

    /** \param arrival a message that has been received completely */
    void MessageReceived(const RdmaMessageArrival& arrival)
    {
        if (m_user)
        {
            m_user->MessageReceived(m_userId, arrival);
        }
    }

    /** Releases the completion queues. */
    void Clear()
    {
        m_sendQueue = nullptr;
        m_receiveQueue = nullptr;
    }

  private:
    static const Ptr<RdmaCompletionQueue>& GetOrCreate(Ptr<RdmaCompletionQueue>& queue)
    {
        if (!queue)
        {
            queue = CreateObject<RdmaCompletionQueue>();
        }
        return queue;
    }

    RdmaQueuePairUser* m_user{nullptr};      //!< user of SetUser(), or null
    uint64_t m_userId{0};                    //!< the user's number for the queue pair
    Ptr<RdmaCompletionQueue> m_sendQueue;    //!< completions of send requests; may be null
    Ptr<RdmaCompletionQueue> m_receiveQueue; //!< completions of receive requests; may be null
};

} // namespace ns3

#endif /* RDMA_COMPLETION_TARGETS_H */
