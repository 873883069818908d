/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-client-connection.h"

#include "qbb-net-device.h"
#include "qbb-time.h"

namespace ns3
{

void
RdmaClientConnection::Connect(RdmaServer& server, Ipv4Address address, uint64_t id)
{
    RdmaConnectionRequest request;
    request.queuePair = GetQueuePair();
    request.address = address;
    request.opcode = m_plan.GetOpcode();
    request.bytes = m_plan.GetMessageBytes();
    request.priority = m_plan.GetPriority();
    if (m_plan.IsAnswered())
    {
        RdmaMemoryAccess access;
        access.remoteWrite = true;
        request.answer = true;
        request.answerBytes = m_plan.GetAnswerBytes();
        // Payload is virtual, so all answers may be written to the same address.
        request.answerKey = Register(0, request.answerBytes, access);
        const bool receives = request.opcode != RdmaWrOpcode::RDMA_WRITE;
        for (uint32_t i = 0; receives && i < m_plan.GetDepth(); ++i)
        {
            PostReceive(id);
        }
    }
    m_remote = server.Accept(request);
}

void
RdmaClientConnection::PostReceive(uint64_t id)
{
    GetQueuePair()->PostReceive({id, m_plan.GetAnswerBytes()});
}

void
RdmaClientConnection::Advance()
{
    const QbbPs now = QbbNow();
    while (!m_stopped && m_begun - m_done < m_plan.GetDepth() && m_plan.HasNext(m_begun))
    {
        if (now < m_next)
        {
            m_timer.Arm(m_next);
            return;
        }
        m_next = now + QbbToPs(m_plan.GetInterval());
        Post();
    }
}

void
RdmaClientConnection::Post()
{
    RdmaSendRequest request;
    request.id = m_begun;
    request.opcode = m_plan.GetOpcode();
    request.signaled = !m_plan.IsAnswered();
    request.length = m_plan.GetMessageBytes();
    request.remoteAddress = m_remote.address;
    request.rKey = m_remote.key;
    // An atomic counts up a word that begins at 0.
    const bool swaps = request.opcode == RdmaWrOpcode::ATOMIC_CMP_AND_SWP;
    request.compareAdd = swaps ? m_begun : 1;
    request.swap = swaps ? m_begun + 1 : 0;
    ++m_begun;
    m_begins.Push(QbbNow());
    GetQueuePair()->PostSend(request);
}

RdmaIteration
RdmaClientConnection::Finish()
{
    RdmaIteration iteration;
    iteration.qpn = GetQueuePair()->GetQpn();
    iteration.number = m_done++;
    iteration.begin = m_begins.Pop();
    iteration.end = QbbNow();
    iteration.latency = iteration.end - iteration.begin;
    if (m_plan.IsPingPong() && m_plan.IsAnswered())
    {
        iteration.latency /= 2;
    }
    return iteration;
}

uint32_t
RdmaClientConnection::GetNodeId() const
{
    return GetQueuePair()->GetPort()->GetNodeId();
}

void
RdmaClientConnection::Stop()
{
    m_stopped = true;
    m_timer.Disarm();
}

} // namespace ns3
