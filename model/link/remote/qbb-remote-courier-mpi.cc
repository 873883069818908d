/* SPDX-License-Identifier: GPL-2.0-only */

// CMake compiles this file if ns-3 has its module mpi.

#include "qbb-event-time.h"
#include "qbb-rank-border.h"
#include "qbb-remote-courier.h"
#include "qbb-time.h"
#include "rdma-ranks.h"

#include <ns3/callback.h>
#include <ns3/mpi-interface.h>
#include <ns3/mpi-receiver.h>
#include <ns3/node.h>
#include <ns3/simulator.h>

#include <algorithm>

namespace ns3
{

QbbRemoteCourier::QbbRemoteCourier(QbbRankBorder& border)
    : m_border(border)
{
}

void
QbbRemoteCourier::AddReceiver(Ptr<NetDevice> device)
{
    const uint32_t rank = device->GetNode()->GetSystemId();
    if (rank != RdmaRanks::GetRank())
    {
        m_devices[rank] = device;
        return;
    }
    const auto receiver = CreateObject<MpiReceiver>();
    receiver->SetReceiveCallback(Callback<void, Ptr<Packet>>([this](Ptr<Packet> message) {
        if (const auto bytes = m_messages.Take(*message))
        {
            m_border.Receive(*bytes);
        }
    }));
    device->AggregateObject(receiver);
}

QbbPs
QbbRemoteCourier::GetStep() const
{
    return std::max(1_ps, m_border.GetLookahead() / PARTS);
}

void
QbbRemoteCourier::Call()
{
    if (m_isCalled)
    {
        return;
    }
    m_isCalled = true;
    const QbbPs next = (QbbNow() / GetStep() + 1) * GetStep();
    Simulator::ScheduleWithContext(Simulator::NO_CONTEXT,
                                   QbbGetDelay(QbbEventTime(next, 0), QbbEventNow()),
                                   &QbbRemoteCourier::Send,
                                   this);
}

void
QbbRemoteCourier::Send()
{
    m_isCalled = false;
    const Time due = Simulator::Now() + QbbToTime(m_border.GetLookahead() - GetStep());
    for (const auto& [rank, device] : m_devices)
    {
        m_bytes.clear();
        m_border.Take(rank, m_bytes);
        for (const auto& message : MakeQbbRemoteMessages(m_bytes, RdmaRanks::GetRank()))
        {
            MpiInterface::SendPacket(message,
                                     due,
                                     device->GetNode()->GetId(),
                                     device->GetIfIndex());
        }
    }
}

} // namespace ns3
