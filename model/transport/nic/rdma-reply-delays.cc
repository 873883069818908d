/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-reply-delays.h"

#include "qbb-port.h"

#include <algorithm>
#include <utility>

namespace ns3
{

RdmaReplyDelays::RdmaReplyDelays()
    : m_timer(this)
{
}

void
RdmaReplyDelays::SetDelay(Kind kind, RdmaPs delay)
{
    Line& line = m_lines[kind];
    line.delay = delay;
    line.delays = delay > 0_ps || !line.waiting.IsEmpty();
}

void
RdmaReplyDelays::Send(Kind kind, const RdmaPacketEngine* sender, QbbPort& port, QbbFramePtr&& frame)
{
    Line& line = m_lines[kind];
    Reply reply;
    reply.due = RdmaNow() + line.delay;
    if (!line.waiting.IsEmpty())
    {
        // Replies keep their order even if the delay has become shorter.
        reply.due = std::max(reply.due, line.waiting.Back().due);
    }
    reply.sender = sender;
    reply.port = &port;
    reply.frame = std::move(frame);
    m_timer.ArmNoLater(reply.due);
    line.waiting.Push(std::move(reply));
}

uint32_t
RdmaReplyDelays::GetNodeId() const
{
    return m_lines[m_lines[CNP].waiting.IsEmpty() ? ACK : CNP].waiting.Front().port->GetNodeId();
}

void
RdmaReplyDelays::OnTimer()
{
    const RdmaPs now = RdmaNow();
    for (Line& line : m_lines)
    {
        // A trace sink of the port may reset a queue pair, which calls Forget().
        while (!line.waiting.IsEmpty() && line.waiting.Front().due <= now)
        {
            Reply reply = line.waiting.Pop();
            reply.port->Enqueue(std::move(reply.frame));
        }
        line.delays = line.delay > 0_ps || !line.waiting.IsEmpty();
        if (!line.waiting.IsEmpty())
        {
            m_timer.ArmNoLater(line.waiting.Front().due);
        }
    }
}

void
RdmaReplyDelays::Forget(const RdmaPacketEngine* sender)
{
    for (Line& line : m_lines)
    {
        for (std::size_t left = line.waiting.GetSize(); left > 0; --left)
        {
            Reply reply = line.waiting.Pop();
            if (reply.sender != sender)
            {
                line.waiting.Push(std::move(reply));
            }
        }
    }
}

void
RdmaReplyDelays::Clear()
{
    m_timer.Disarm();
    for (Line& line : m_lines)
    {
        line.waiting.Clear();
    }
}

} // namespace ns3
