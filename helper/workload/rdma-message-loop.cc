/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-message-loop.h"

#include "rdma-completion-queue.h"
#include "rdma-shared-run.h"

#include <ns3/abort.h>

namespace ns3
{

uint64_t
RdmaMessageLoop::Pair::GetBytes() const
{
    return receiver->GetStats().packetsAccepted * receiver->GetPathMtu();
}

RdmaMessageLoop::RdmaMessageLoop(Ptr<RdmaFabric> fabric, uint64_t messageBytes, uint8_t priority)
    : m_fabric(fabric),
      m_messageBytes(messageBytes),
      m_priority(priority),
      m_completions(CreateObject<RdmaCompletionQueue>())
{
    NS_ABORT_MSG_IF(messageBytes == 0 || messageBytes > (uint64_t{1} << 31),
                    "rdma: messages of " << messageBytes << " bytes; accepted: 1 to 2^31");
    m_completions->SetCallback(RdmaCompletionQueue::CompletionCallback(
        [this](const RdmaWorkCompletion& completion) { OnCompletion(completion); }));
}

void
RdmaMessageLoop::SetOutstanding(uint32_t messages)
{
    NS_ABORT_MSG_IF(messages == 0, "rdma: 0 messages in progress; accepted: 1 and above");
    m_outstanding = messages;
}

void
RdmaMessageLoop::Add(uint32_t from, uint32_t to)
{
    const auto [sender, receiver] = m_fabric->Connect(from, to, m_priority);
    sender->SetSendCompletionQueue(m_completions);
    m_pairs.push_back({from, to, sender, receiver});
    if (!IsRdmaNodeLocal(*m_fabric->GetNode(from)))
    {
        return;
    }
    for (uint32_t i = 0; i < m_outstanding; ++i)
    {
        Post(m_pairs.size() - 1);
    }
}

void
RdmaMessageLoop::AddAllToAll()
{
    const auto hosts = m_fabric->GetTopology().GetHosts();
    for (std::size_t step = 1; step < hosts.size(); ++step)
    {
        for (std::size_t i = 0; i < hosts.size(); ++i)
        {
            Add(hosts[i], hosts[(i + step) % hosts.size()]);
        }
    }
}

void
RdmaMessageLoop::Post(uint64_t index)
{
    RdmaSendRequest request;
    request.id = index;
    request.length = m_messageBytes;
    m_pairs[index].sender->PostSend(request);
}

void
RdmaMessageLoop::OnCompletion(const RdmaWorkCompletion& completion)
{
    RdmaWcStatus& status = m_pairs[completion.id].status;
    if (completion.status == RdmaWcStatus::SUCCESS)
    {
        Post(completion.id);
    }
    else if (status == RdmaWcStatus::SUCCESS)
    {
        status = completion.status; // the messages in progress fail after this one
    }
}

} // namespace ns3
