/* SPDX-License-Identifier: GPL-2.0-only */

// CMake compiles this file if ns-3 has its module mpi.

#include "qbb-net-device.h"
#include "qbb-remote-border.h"
#include "qbb-remote-channel.h"
#include "rdma-ranks.h"
#include "rdma-shared-run.h"
#include "rdma-time.h"

#include <ns3/abort.h>
#include <ns3/node.h>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(QbbRemoteChannel);

TypeId
QbbRemoteChannel::GetTypeId()
{
    static TypeId tid = TypeId("ns3::QbbRemoteChannel")
                            .SetParent<QbbChannel>()
                            .SetGroupName("Rdma")
                            .AddConstructor<QbbRemoteChannel>();
    return tid;
}

QbbRemoteChannel::QbbRemoteChannel() = default;
QbbRemoteChannel::~QbbRemoteChannel() = default;

void
QbbRemoteChannel::Attach(QbbPort* port)
{
    QbbChannel::Attach(port);
    if (GetNDevices() == 2)
    {
        QbbRemoteBorder& border = QbbRemoteBorder::Get();
        const uint32_t cable = border.AddCable(this);
        Open(0, border, cable);
        Open(1, border, cable);
    }
}

Time
QbbRemoteChannel::GetLookAhead() const
{
    const QbbRemoteBorder* border = m_exits[0].border;
    return border ? RdmaToTime(GetDelayPs() - border->GetStep()) : GetDelay();
}

void
QbbRemoteChannel::Open(std::size_t end, QbbRemoteBorder& border, uint32_t cable)
{
    QbbLine& line = GetLine(end);
    m_exits[end].sender = GetPeer(line.GetReceiver());
    m_exits[end].isLocal = IsRdmaNodeLocal(*m_exits[end].sender->GetDevice()->GetNode());
    m_exits[end].border = &border;
    m_exits[end].cable = cable;
    m_exits[end].end = static_cast<uint32_t>(end);
    m_exits[end].receiver = line.GetReceiver()->GetDevice()->GetNode()->GetSystemId();
    SetExit(end, &m_exits[end]);
}

void
QbbRemoteChannel::Exit::Send(QbbFramePtr&& frame, RdmaPs arrival)
{
    if (!isLocal)
    {
        const Ptr<Node> node = sender->GetDevice()->GetNode();
        NS_ABORT_MSG("rdma: node " << node->GetId() << ", which belongs to rank "
                                   << node->GetSystemId() << ", sends a frame on rank "
                                   << RdmaRanks::GetRank()
                                   << "; accepted: work and events for nodes of the own rank "
                                      "(IsRdmaNodeLocal())");
    }
    border->Send(receiver, {cable, end, RdmaEventNow(), arrival}, *frame);
}

} // namespace ns3
