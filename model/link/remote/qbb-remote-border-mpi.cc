/* SPDX-License-Identifier: GPL-2.0-only */

// CMake compiles this file if ns-3 has its module mpi.

#include "qbb-net-device.h"
#include "qbb-remote-border.h"
#include "qbb-remote-channel.h"
#include "rdma-event-time.h"
#include "rdma-ranks.h"
#include "rdma-simulator-impl.h"
#include "rdma-time.h"

#include <ns3/abort.h>
#include <ns3/callback.h>
#include <ns3/mpi-interface.h>
#include <ns3/mpi-receiver.h>
#include <ns3/node.h>
#include <ns3/packet.h>
#include <ns3/simulator.h>

#include <algorithm>
#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(QbbRemoteBorder);

TypeId
QbbRemoteBorder::GetTypeId()
{
    static TypeId tid = TypeId("ns3::QbbRemoteBorder")
                            .SetParent<QbbRankBorder>()
                            .SetGroupName("Rdma")
                            .AddConstructor<QbbRemoteBorder>();
    return tid;
}

QbbRemoteBorder&
QbbRemoteBorder::Get()
{
    const Ptr<SimulatorImpl> simulator = Simulator::GetImplementation();
    auto border = simulator->GetObject<QbbRemoteBorder>();
    if (!border)
    {
        border = CreateObject<QbbRemoteBorder>();
        border->m_batches.resize(RdmaRanks::GetNumber());
        if (!DynamicCast<RdmaSimulatorImpl>(simulator))
        {
            border->m_mail = RdmaRanks::MakeMail();
            border->m_early.resize(RdmaRanks::GetNumber());
        }
        simulator->AggregateObject(border);
    }
    return *border; // the simulator owns it
}

uint32_t
QbbRemoteBorder::AddCable(QbbRemoteChannel* cable)
{
    const RdmaPs delay = cable->GetDelayPs();
    NS_ABORT_MSG_IF(delay < 2_ps,
                    "rdma: a cable between two ranks has a delay of "
                        << delay << " ps; accepted: from 2 ps");
    m_delay = std::min(m_delay, delay);
    m_cables.push_back(cable);
    if (m_mail)
    {
        for (const std::size_t end : {0, 1})
        {
            AddReceiver(cable->GetLine(end).GetReceiver()->GetDevice());
        }
    }
    return static_cast<uint32_t>(m_cables.size() - 1);
}

RdmaPs
QbbRemoteBorder::GetLookahead() const
{
    return m_delay;
}

void
QbbRemoteBorder::Send(uint32_t rank, const QbbRemoteCrossing& crossing, const QbbFrame& frame)
{
    const RdmaPs delay = m_cables[crossing.cable]->GetLine(crossing.end).GetDelay();
    NS_ABORT_MSG_IF(delay < m_delay,
                    "rdma: the delay of a cable between two ranks has become "
                        << delay << " ps; accepted: from " << m_delay
                        << " ps, the shortest delay when the cables were attached");
    m_batches[rank].Add(crossing, frame);
    if (m_mail && !m_isScheduled)
    {
        ScheduleSending();
    }
}

RdmaPs
QbbRemoteBorder::Take(uint32_t rank, std::string& bytes)
{
    return m_batches[rank].MoveTo(bytes);
}

void
QbbRemoteBorder::Receive(std::string_view bytes)
{
    for (QbbRemoteBatchReader reader(bytes); !reader.IsAtEnd();)
    {
        const QbbRemoteCrossing crossing = reader.TakeCrossing();
        QbbRemoteChannel& channel = *m_cables.at(crossing.cable);
        QbbLine& line = channel.GetLine(crossing.end);
        auto frame = reader.TakeFrame(line.GetReceiver()->GetPool());
        if (channel.GetLastDown() >= crossing.sent)
        {
            line.Lose(*frame, channel.GetLastDown());
        }
        else
        {
            line.TakeOver(std::move(frame), crossing.arrival);
        }
    }
}

/** Adds a device that receives frames. ns-3's messages to a rank go to a device of the rank. */
void
QbbRemoteBorder::AddReceiver(Ptr<NetDevice> device)
{
    const uint32_t receiver = device->GetNode()->GetSystemId();
    if (receiver != RdmaRanks::GetRank())
    {
        m_devices[receiver] = device;
        return;
    }
    const auto mpi = CreateObject<MpiReceiver>();
    mpi->SetReceiveCallback(Callback<void, Ptr<Packet>>([this](Ptr<Packet> message) {
        uint32_t sender = 0;
        message->CopyData(reinterpret_cast<uint8_t*>(&sender), sizeof(sender));
        OnMessage(sender);
    }));
    device->AggregateObject(mpi);
}

/** Receives the mail of which a message of ns-3 tells. */
void
QbbRemoteBorder::OnMessage(uint32_t sender)
{
    if (m_early[sender] > 0)
    {
        --m_early[sender];
        return;
    }
    m_mail->Receive(sender, m_bytes);
    Receive(m_bytes);
}

void
QbbRemoteBorder::HandOver()
{
    if (!m_mail)
    {
        return;
    }
    SendAll();
    for (uint32_t rank = 0; rank < m_early.size(); ++rank)
    {
        if (rank != RdmaRanks::GetRank())
        {
            m_mail->Send(rank, ""); // the last mail; all others have bytes
        }
    }
    for (uint32_t rank = 0; rank < m_early.size(); ++rank)
    {
        if (rank == RdmaRanks::GetRank())
        {
            continue;
        }
        for (m_mail->Receive(rank, m_bytes); !m_bytes.empty(); m_mail->Receive(rank, m_bytes))
        {
            Receive(m_bytes);
            ++m_early[rank];
        }
    }
}

RdmaPs
QbbRemoteBorder::GetStep() const
{
    constexpr int64_t PARTS = 8; // of the shortest cable delay
    return m_mail ? std::max(1_ps, m_delay / PARTS) : 0_ps;
}

void
QbbRemoteBorder::ScheduleSending()
{
    m_isScheduled = true;
    const RdmaPs next = (RdmaNow() / GetStep() + 1) * GetStep();
    Simulator::ScheduleWithContext(Simulator::NO_CONTEXT,
                                   RdmaGetDelay(RdmaEventTime(next, 0), RdmaEventNow()),
                                   &QbbRemoteBorder::SendAll,
                                   this);
}

void
QbbRemoteBorder::SendAll()
{
    m_isScheduled = false;
    const Time due = Simulator::Now() + RdmaToTime(m_delay - GetStep());
    const uint32_t sender = RdmaRanks::GetRank();
    for (const auto& [rank, device] : m_devices)
    {
        m_bytes.clear();
        Take(rank, m_bytes);
        if (!m_bytes.empty())
        {
            m_mail->Send(rank, m_bytes);
            MpiInterface::SendPacket(
                Create<Packet>(reinterpret_cast<const uint8_t*>(&sender), sizeof(sender)),
                due,
                device->GetNode()->GetId(),
                device->GetIfIndex());
        }
    }
}

} // namespace ns3
