/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-shared-receive-queue.h"

#include <ns3/trace-source-accessor.h>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaSharedReceiveQueue);

TypeId
RdmaSharedReceiveQueue::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaSharedReceiveQueue")
            .SetParent<Object>()
            .SetGroupName("Rdma")
            .AddConstructor<RdmaSharedReceiveQueue>()
            .AddTraceSource("LimitReached",
                            "The number of waiting receive requests has fallen below the limit set "
                            "by SetLimit()",
                            MakeTraceSourceAccessor(&RdmaSharedReceiveQueue::m_limitReached),
                            "ns3::RdmaSharedReceiveQueue::LimitCallback");
    return tid;
}

void
RdmaSharedReceiveQueue::PostReceive(const RdmaReceiveRequest& request)
{
    m_requests.Push(RdmaReceiveRequest(request));
}

uint32_t
RdmaSharedReceiveQueue::GetSize() const
{
    return static_cast<uint32_t>(m_requests.GetSize());
}

void
RdmaSharedReceiveQueue::SetLimit(uint32_t limit)
{
    m_limit = limit;
}

uint32_t
RdmaSharedReceiveQueue::GetLimit() const
{
    return m_limit;
}

RdmaReceiveRequest
RdmaSharedReceiveQueue::Take()
{
    const RdmaReceiveRequest request = m_requests.Pop();
    if (m_requests.GetSize() < m_limit)
    {
        m_limit = 0;
        m_limitReached(GetSize());
    }
    return request;
}

} // namespace ns3
