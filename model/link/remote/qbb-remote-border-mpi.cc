/* SPDX-License-Identifier: GPL-2.0-only */

// CMake compiles this file if ns-3 has its module mpi.

#include "qbb-net-device.h"
#include "qbb-remote-border.h"
#include "qbb-remote-channel.h"
#include "qbb-time.h"
#include "rdma-ranks.h"
#include "rdma-simulator-impl.h"

#include <ns3/abort.h>
#include <ns3/node.h>
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
            border->m_courier = std::make_unique<QbbRemoteCourier>(*border);
        }
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
    m_delay = std::min(m_delay, delay);
    Cable& added = m_cables.emplace_back();
    added.channel = cable;
    for (const std::size_t end : {0, 1})
    {
        const Ptr<NetDevice> receiver = cable->GetLine(end).GetReceiver()->GetDevice();
        added.ranks[end] = receiver->GetNode()->GetSystemId();
        if (m_courier)
        {
            m_courier->AddReceiver(receiver);
        }
    }
    return static_cast<uint32_t>(m_cables.size() - 1);
}

QbbPs
QbbRemoteBorder::GetLookahead() const
{
    return m_delay;
}

void
QbbRemoteBorder::Send(uint32_t cable, std::size_t end, const QbbFrame& frame, QbbPs arrival)
{
    const Cable& way = m_cables[cable];
    const QbbLine& line = way.channel->GetLine(end);
    NS_ABORT_MSG_IF(line.GetDelay() < m_delay,
                    "rdma: the delay of a cable between two ranks has become "
                        << line.GetDelay() << " ps; accepted: from " << m_delay
                        << " ps, the shortest delay when the cables were attached");
    Batch& batch = m_batches[way.ranks[end]];
    batch.frames.Add({cable, static_cast<uint32_t>(end), QbbEventNow(), arrival}, frame);
    batch.earliest = std::min(batch.earliest, arrival);
    if (m_courier)
    {
        m_courier->Call();
    }
}

QbbPs
QbbRemoteBorder::Take(uint32_t rank, std::string& bytes)
{
    Batch& batch = m_batches[rank];
    batch.frames.MoveTo(bytes);
    return std::exchange(batch.earliest, QBB_NEVER);
}

void
QbbRemoteBorder::Receive(std::string_view bytes)
{
    for (QbbRemoteBatchReader reader(bytes); !reader.IsAtEnd();)
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
