/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-connection-end.h"

#include <algorithm>

namespace ns3
{

RdmaConnectionEnd::RdmaConnectionEnd(const Setup& setup)
    : m_memory(setup.nic.GetMemory()),
      m_queuePair(setup.nic.CreateQueuePair(setup.port)),
      m_message(setup.message)
{
    m_queuePair->SetSendCompletionQueue(setup.sent);
    m_queuePair->SetReceiveCompletionQueue(setup.received);
    m_queuePair->TraceConnectWithoutContext("MessageReceived", m_message);
    if (setup.priority < 8)
    {
        m_queuePair->SetPriority(setup.priority);
    }
}

RdmaConnectionEnd::~RdmaConnectionEnd()
{
    m_queuePair->TraceDisconnectWithoutContext("MessageReceived", m_message);
}

uint32_t
RdmaConnectionEnd::Register(uint64_t address, uint64_t bytes, const RdmaMemoryAccess& access)
{
    m_key = m_memory.Register(address, std::max<uint64_t>(1, bytes), access);
    return m_key;
}

void
RdmaConnectionEnd::Close()
{
    if (!m_open)
    {
        return;
    }
    m_open = false;
    RdmaQpAttributes attributes;
    attributes.state = RdmaQpState::ERR;
    m_queuePair->Modify(attributes);
    if (m_key != RdmaMemory::NO_KEY)
    {
        m_memory.Deregister(m_key);
    }
}

} // namespace ns3
