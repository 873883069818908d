/* SPDX-License-Identifier: GPL-2.0-only */

#include "irn-response-stream.h"

#include "rdma-send-times.h"

#include <utility>

namespace ns3
{

IrnResponseStream::IrnResponseStream(std::unique_ptr<RdmaSender> sender)
    : m_sender(std::move(sender))
{
}

void
IrnResponseStream::Push(RdmaResponse response)
{
    response.first = m_next;
    m_next += response.packets;
    if (m_held == 0 && response.due == 0_ps)
    {
        m_sender->Extend(response.packets);
    }
    else
    {
        ++m_held;
    }
    m_queue.Push(std::move(response));
}

void
IrnResponseStream::Release(QbbPs now)
{
    while (GetDue() <= now)
    {
        m_sender->Extend(m_queue[m_queue.GetSize() - m_held].packets);
        --m_held;
    }
}

int64_t
IrnResponseStream::OnAck(int64_t packet, int64_t selective, QbbPs now)
{
    m_sender->OnAck(packet, now);
    return selective;
}

int64_t
IrnResponseStream::OnNak(int64_t expected, int64_t selective, QbbPs now)
{
    const bool isProbe = selective <= expected;
    m_sender->OnNak(expected, isProbe ? RdmaSender::NO_PACKET : selective, now);
    return isProbe ? RdmaSendTimes::NO_PACKET : selective;
}

void
IrnResponseStream::DropAcknowledged()
{
    while (!m_queue.IsEmpty() &&
           m_queue.Front().first + m_queue.Front().packets <= m_sender->GetAcked())
    {
        m_queue.Pop();
        m_cursor -= m_cursor > 0;
    }
}

uint32_t
IrnResponseStream::CountUnsent() const
{
    uint32_t count = 0;
    for (std::size_t i = 0; i < m_queue.GetSize(); ++i)
    {
        const RdmaResponse& response = m_queue[i];
        count += response.first + response.packets > m_sender->GetHighestSent();
    }
    return count;
}

} // namespace ns3
