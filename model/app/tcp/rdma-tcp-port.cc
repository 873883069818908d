/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-tcp-port.h"

#include "rdma-tcp-socket.h"

namespace ns3
{

RdmaTcpPort::RdmaTcpPort(Ptr<QbbNetDevice> device)
    : m_device(device),
      m_sink(*device->GetSink()),
      m_kick(this)
{
    m_device->SetSink(this);
}

bool
RdmaTcpPort::HasRoom(uint8_t priority) const
{
    return m_device->GetQueues().GetFrames(priority) == 0 && m_device->IsLinkUp();
}

bool
RdmaTcpPort::MaySend(RdmaTcpSocket& socket)
{
    const uint8_t priority = socket.GetClass();
    auto& waiting = m_waiting[priority];
    if (HasRoom(priority) && (waiting.empty() || m_turn == &socket))
    {
        return true;
    }
    if (!socket.IsWaiting())
    {
        socket.SetWaiting(true);
        waiting.emplace_back(&socket);
    }
    return false;
}

uint32_t
RdmaTcpPort::GetNodeId() const
{
    return m_device->GetNodeId();
}

void
RdmaTcpPort::OnKick()
{
    for (uint8_t priority = 0; priority < m_waiting.size(); ++priority)
    {
        auto& waiting = m_waiting[priority];
        while (!waiting.empty() && HasRoom(priority))
        {
            const Ptr<RdmaTcpSocket> socket = waiting.front();
            waiting.pop_front();
            socket->SetWaiting(false);
            m_turn = PeekPointer(socket);
            socket->Resume();
            m_turn = nullptr;
        }
    }
}

void
RdmaTcpPort::ReceiveFrame(QbbPort& port, QbbFramePtr&& frame)
{
    m_sink.ReceiveFrame(port, std::move(frame));
}

void
RdmaTcpPort::FrameDeparts(QbbPort& port, QbbFrame& frame, QbbPs start)
{
    m_sink.FrameDeparts(port, frame, start);
    if (!frame.IsMacControl())
    {
        RoomMade(frame.priority);
    }
}

void
RdmaTcpPort::FrameGone(QbbPort& port, const QbbFrame& frame)
{
    m_sink.FrameGone(port, frame);
    RoomMade(frame.priority);
}

void
RdmaTcpPort::RoomMade(uint8_t priority)
{
    if (!m_waiting[priority].empty())
    {
        // The port is still processing the frame, so the next socket resumes in a separate event.
        m_kick.Arm(QbbNow());
    }
}

void
RdmaTcpPort::LinkChanged(QbbPort& port)
{
    m_sink.LinkChanged(port);
    m_kick.Arm(QbbNow());
}

} // namespace ns3
