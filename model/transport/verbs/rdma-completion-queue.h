/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_COMPLETION_QUEUE_H
#define RDMA_COMPLETION_QUEUE_H

#include "rdma-ring-buffer.h"
#include "rdma-verbs.h"

#include <ns3/callback.h>
#include <ns3/object.h>
#include <ns3/ptr.h>

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Completions of which a completion queue notifies its user (the argument `solicited_only` of
 * ibv_req_notify_cq()).
 */
enum class RdmaNotification : uint8_t
{
    NONE,      //!< none
    SOLICITED, //!< the next solicited or unsuccessful completion
    NEXT,      //!< the next completion
};

/**
 * \ingroup rdma
 * Completion queue (ibv_cq) for any number of queue pairs. Completions are polled or handed to a
 * callback.
 *
 * A user who polls can ask to be notified, as with rdma-core's completion channel:
 *
 *     queue->SetNotificationCallback(MakeCallback(&OnNotification)); // ibv_create_comp_channel()
 *     queue->RequestNotification(RdmaNotification::SOLICITED);       // ibv_req_notify_cq()
 *
 * The callback is called at the instant of the next solicited completion. The callback polls, and
 * calls RequestNotification() again for a further notification.
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

    /** Callback that is notified of a completion in the queue. */
    using NotificationCallback = Callback<void, Ptr<RdmaCompletionQueue>>;

    /** \param callback called for each notification; null: no notification can be requested */
    void SetNotificationCallback(NotificationCallback callback);

    /**
     * Requests one notification (ibv_req_notify_cq()). Only completions from now on count. A
     * completion is solicited if it is the receive completion of a request that was posted with
     * RdmaSendRequest::solicited, or if its status is not SUCCESS. A request for NEXT replaces one
     * for SOLICITED, and not the other way round (IBA Vol. 1, 11.4.2.2).
     *
     * Aborts with a message if the queue has no notification callback.
     *
     * \param which completions to be notified of; NONE withdraws the request
     */
    void RequestNotification(RdmaNotification which);

    /** \return the notification that is requested and has not come */
    RdmaNotification GetRequestedNotification() const
    {
        return m_requested;
    }

    /** \return true if a callback receives completions or notifications */
    bool HasCallback() const
    {
        return !m_callback.IsNull() || !m_notify.IsNull();
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
    void Notify(const RdmaWorkCompletion& completion);

    RdmaRingBuffer<RdmaWorkCompletion> m_queue; //!< completions waiting to be polled
    CompletionCallback m_callback;              //!< receives completions in place of the queue
    NotificationCallback m_notify;              //!< is notified of a completion
    RdmaNotification m_requested{RdmaNotification::NONE}; //!< requested notification
};

} // namespace ns3

#endif /* RDMA_COMPLETION_QUEUE_H */
