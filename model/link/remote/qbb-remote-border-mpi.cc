/* SPDX-License-Identifier: GPL-2.0-only */

// CMake takes this file where ns-3 has its module mpi.

#include "qbb-net-device.h"
#include "qbb-remote-border.h"
#include "qbb-remote-channel.h"
#include "qbb-time.h"
#include "rdma-ranks.h"

#include <ns3/abort.h>
#include <ns3/mpi-interface.h>
#include <ns3/node.h>
#include <ns3/simulator-impl.h>
#include <ns3/simulator.h>

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(QbbRemoteBorder);

TypeId
QbbRemoteBorder::GetTypeId()
{
    static TypeId tid = TypeId("ns3::QbbRemoteBorder")
                            .SetParent<Object>()
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
        simulator->AggregateObject(border);
    }
    return *border; // the simulator owns it
}

uint32_t
QbbRemoteBorder::AddCable(QbbRemoteChannel* cable)
{
    const QbbPs delay = cable->GetDelayPs();
    NS_ABORT_MSG_IF(delay < 2_ps,
                    "rdma: a cable between two ranks has a delay of "
                        << delay << " ps; accepted: from 2 ps");
    if (m_cables.empty() || delay < m_delay)
    {
        m_delay = delay;
        m_step = std::max(1_ps, delay / PARTS);
    }
    Cable& added = m_cables.emplace_back();
    added.channel = cable;
    for (const std::size_t end : {0, 1})
    {
        const Ptr<NetDevice> receiver = cable->GetLine(end).GetReceiver()->GetDevice();
        added.batches[end] = &m_batches[receiver->GetNode()->GetSystemId()];
        added.batches[end]->receiver = receiver;
    }
    return static_cast<uint32_t>(m_cables.size() - 1);
}

void
QbbRemoteBorder::Send(uint32_t cable, std::size_t end, const QbbFrame& frame, QbbPs arrival)
{
    QbbLine& line = m_cables[cable].channel->GetLine(end);
    NS_ABORT_MSG_IF(line.GetDelay() < m_delay,
                    "rdma: the delay of a cable between two ranks has become "
                        << line.GetDelay() << " ps; accepted: from " << m_delay
                        << " ps, the shortest delay when the cables were attached");
    m_cables[cable].batches[end]->frames.Add(
        {cable, static_cast<uint32_t>(end), QbbEventNow(), arrival},
        frame);
    if (!m_isDue)
    {
        m_isDue = true;
        const QbbPs next = (QbbNow() / m_step + 1) * m_step;
        Simulator::ScheduleWithContext(Simulator::NO_CONTEXT,
                                       QbbGetDelay(QbbEventTime(next, 0), QbbEventNow()),
                                       &QbbRemoteBorder::Flush,
                                       this);
    }
}

void
QbbRemoteBorder::Flush()
{
    m_isDue = false;
    const Time due = Simulator::Now() + QbbToTime(m_delay - m_step);
    for (auto& [rank, batch] : m_batches)
    {
        if (batch.frames.IsEmpty())
        {
            continue;
        }
        for (const auto& message : MakeQbbRemoteMessages(batch.frames.Take(), RdmaRanks::GetRank()))
        {
            MpiInterface::SendPacket(message,
                                     due,
                                     batch.receiver->GetNode()->GetId(),
                                     batch.receiver->GetIfIndex());
        }
    }
}

void
QbbRemoteBorder::Receive(Ptr<Packet> message)
{
    const auto bytes = m_messages.Take(*message);
    if (!bytes)
    {
        return;
    }
    for (QbbRemoteBatchReader reader(*bytes); !reader.IsAtEnd();)
    {
        const QbbRemoteCrossing crossing = reader.TakeCrossing();
        QbbRemoteChannel& channel = *m_cables.at(crossing.cable).channel;
        QbbLine& line = channel.GetLine(crossing.end);
        auto frame = reader.TakeFrame(line.GetReceiver()->GetPool());
        if (channel.GetLastDown() >= crossing.sent)
        {
            line.Lose(*frame);
        }
        else
        {
            line.TakeOver(std::move(frame), crossing.arrival);
        }
    }
}

} // namespace ns3
