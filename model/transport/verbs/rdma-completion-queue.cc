/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-completion-queue.h"

#include "rdma-trace.h"

#include <ns3/abort.h>

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaCompletionQueue);

TypeId
RdmaCompletionQueue::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaCompletionQueue")
                            .SetParent<Object>()
                            .SetGroupName("Rdma")
                            .AddConstructor<RdmaCompletionQueue>();
    return tid;
}

void
RdmaCompletionQueue::DoDispose()
{
    m_queue.Clear();
    m_callback = CompletionCallback();
    m_notify = NotificationCallback();
    m_requested = RdmaNotification::NONE;
    Object::DoDispose();
}

void
RdmaCompletionQueue::SetCallback(CompletionCallback callback)
{
    m_callback = callback;
    while (!m_callback.IsNull() && !m_queue.IsEmpty())
    {
        const CompletionCallback first = m_callback; // copy: the callback may replace itself
        first(m_queue.Pop());
    }
}

std::vector<RdmaWorkCompletion>
RdmaCompletionQueue::Poll(uint32_t max)
{
    std::vector<RdmaWorkCompletion> taken;
    while (taken.size() < max && !m_queue.IsEmpty())
    {
        taken.push_back(m_queue.Pop());
    }
    return taken;
}

uint32_t
RdmaCompletionQueue::GetSize() const
{
    return static_cast<uint32_t>(m_queue.GetSize());
}

void
RdmaCompletionQueue::Add(const RdmaWorkCompletion& completion)
{
    if (m_callback.IsNull())
    {
        m_queue.Push(RdmaWorkCompletion(completion));
    }
    else
    {
        CheckQbbSink("the callback of a completion queue");
        const CompletionCallback callback = m_callback; // copy: the callback may replace itself
        callback(completion);
    }
    if (m_requested != RdmaNotification::NONE)
    {
        Notify(completion);
    }
}

void
RdmaCompletionQueue::SetNotificationCallback(NotificationCallback callback)
{
    m_notify = callback;
    if (m_notify.IsNull())
    {
        m_requested = RdmaNotification::NONE;
    }
}

void
RdmaCompletionQueue::RequestNotification(RdmaNotification which)
{
    NS_ABORT_MSG_IF(which != RdmaNotification::NONE && m_notify.IsNull(),
                    "rdma: RequestNotification() of a completion queue without a notification "
                    "callback; call SetNotificationCallback() first");
    m_requested = which == RdmaNotification::NONE ? which : std::max(m_requested, which);
}

void
RdmaCompletionQueue::Notify(const RdmaWorkCompletion& completion)
{
    if (m_requested == RdmaNotification::NEXT || completion.solicited ||
        completion.status != RdmaWcStatus::SUCCESS)
    {
        CheckQbbSink("the notification callback of a completion queue");
        m_requested = RdmaNotification::NONE;
        const NotificationCallback notify = m_notify; // copy: the callback may replace itself
        notify(Ptr<RdmaCompletionQueue>(this));
    }
}

} // namespace ns3
