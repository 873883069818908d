/* SPDX-License-Identifier: GPL-2.0-only */

// CMake takes this file where ns-3 has its module mpi.

#include "qbb-net-device.h"
#include "qbb-remote-channel.h"
#include "qbb-time.h"
#include "rdma-ranks.h"

#include <ns3/abort.h>
#include <ns3/mpi-interface.h>
#include <ns3/mpi-receiver.h>
#include <ns3/node.h>

#include <utility>

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
        Open(0);
        Open(1);
    }
}

void
QbbRemoteChannel::Open(std::size_t end)
{
    QbbLine& line = GetLine(end);
    QbbPort* const receiver = line.GetReceiver();
    m_exits[end].sender = GetPeer(receiver);
    line.SetExit(&m_exits[end]);
    const Ptr<NetDevice> device = receiver->GetDevice();
    if (RdmaRanks::IsLocal(*device->GetNode()))
    {
        const auto messages = CreateObject<MpiReceiver>();
        // The device owns the receiver of messages, and the channel outlives the device's use of
        // it.
        messages->SetReceiveCallback(Callback<void, Ptr<Packet>>(
            [this, end](Ptr<Packet> message) { Receive(end, message); }));
        device->AggregateObject(messages);
    }
}

void
QbbRemoteChannel::Exit::Send(QbbLine& line, QbbFrame& frame, QbbPs arrival)
{
    const Ptr<Node> node = sender->GetDevice()->GetNode();
    NS_ABORT_MSG_IF(!RdmaRanks::IsLocal(*node),
                    "rdma: node " << node->GetId() << ", which belongs to rank "
                                  << node->GetSystemId() << ", sends a frame on rank "
                                  << RdmaRanks::GetRank()
                                  << "; accepted: work and events for nodes of the own rank "
                                     "(RdmaRanks::IsLocal())");
    const Ptr<NetDevice> receiver = line.GetReceiver()->GetDevice();
    const Time due = Simulator::Now() + QbbToTime(line.GetDelay());
    for (const Ptr<Packet>& message : MakeQbbRemoteMessages(frame, arrival))
    {
        MpiInterface::SendPacket(message,
                                 due,
                                 receiver->GetNode()->GetId(),
                                 receiver->GetIfIndex());
    }
}

void
QbbRemoteChannel::Receive(std::size_t end, Ptr<Packet> message)
{
    QbbLine& line = GetLine(end);
    if (!line.GetReceiver())
    {
        return; // the receiver has been disposed of
    }
    auto taken = m_frames[end].Take(*message, line.GetReceiver()->GetPool());
    if (!taken)
    {
        return;
    }
    auto& [frame, arrival] = *taken;
    const QbbEventTime sent =
        QbbEventTime::FromFs(QbbEventNow().GetFs() - line.GetDelay().Get() * QBB_FS_PER_PS);
    if (GetLastDown() >= sent)
    {
        line.Lose(*frame);
        return;
    }
    line.TakeOver(std::move(frame), arrival);
}

} // namespace ns3
