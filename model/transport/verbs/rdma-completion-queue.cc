/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-completion-queue.h"

#include "qbb-trace.h"

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
}

} // namespace ns3
