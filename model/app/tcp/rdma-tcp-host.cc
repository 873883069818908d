/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-tcp-host.h"

#include "qbb-wire.h"
#include "rdma-refuse.h"

#include <ns3/arp-cache.h>
#include <ns3/ipv4-interface.h>
#include <ns3/ipv4-l3-protocol.h>
#include <ns3/tcp-l4-protocol.h>

namespace ns3
{

RdmaTcpHost::RdmaTcpHost(uint32_t id,
                         Ptr<Node> node,
                         Ptr<QbbNetDevice> device,
                         Ipv4Address address,
                         uint32_t segmentSize)
    : m_node(node),
      m_device(device),
      m_address(address),
      m_sink(*device->GetSink()),
      m_kick(this)
{
    RefuseRdmaIf(!node->GetObject<Ipv4L3Protocol>() || !node->GetObject<TcpL4Protocol>(),
                 "host ",
                 id,
                 " has no Internet stack for TCP; call ",
                 "RdmaFabricHelper::SetInternetStack(true)");
    RefuseRdmaIf(device->GetTrust() != QbbClassifier::TRUST_DSCP,
                 "host ",
                 id,
                 " has QbbNetDevice::Trust=Pcp; accepted for flows over ",
                 "TCP: Dscp, because ns-3's stack does not choose the PCP");
    const uint32_t mtu = segmentSize + TCP_HEADER_BYTES + QbbWire::IPV4_HEADER_BYTES;
    RefuseRdmaIf(mtu > device->GetMtu(),
                 "segments of ",
                 segmentSize,
                 " bytes do not fit port MTU ",
                 device->GetMtu(),
                 " of host ",
                 id,
                 "; set QbbNetDevice::Mtu to ",
                 mtu,
                 " or more");
    device->SetSink(this);
    m_dscps.fill(NO_DSCP);
    for (uint8_t dscp = NO_DSCP; dscp-- > 0;)
    {
        m_dscps[device->GetClassifier().ClassifyDscp(dscp)] = dscp;
    }
    // ns-3 flushes the ARP cache of a port when the state of its link changes.
    device->AddLinkChangeCallback(Callback<void>([this]() {
        for (const auto& peer : m_peers)
        {
            Resolve(peer);
        }
    }));
}

void
RdmaTcpHost::AddPeer(Ipv4Address peer)
{
    if (m_peers.insert(peer).second)
    {
        Resolve(peer);
    }
}

void
RdmaTcpHost::Resolve(Ipv4Address peer) const
{
    const auto ip = m_node->GetObject<Ipv4L3Protocol>();
    const auto interface = static_cast<uint32_t>(ip->GetInterfaceForDevice(m_device));
    const auto cache = ip->GetInterface(interface)->GetArpCache();
    if (!cache->Lookup(peer))
    {
        ArpCache::Entry* entry = cache->Add(peer);
        entry->SetMacAddress(m_device->GetPeer()->GetMac());
        entry->MarkPermanent();
    }
}

bool
RdmaTcpHost::Bind(RdmaTcpSocket& socket, uint16_t port) const
{
    // Bind() needs the device to detect an address that is in use; the second BindToNetDevice()
    // binds the endpoint, which only exists after Bind().
    socket.BindToNetDevice(m_device);
    if (socket.Bind(InetSocketAddress(m_address, port)) != 0)
    {
        return false;
    }
    socket.BindToNetDevice(m_device);
    return true;
}

bool
RdmaTcpHost::Listen(Ptr<RdmaTcpSocket> socket,
                    uint16_t port,
                    Callback<void, Ptr<Socket>, const Address&> accepted)
{
    m_listener = socket;
    if (!Bind(*socket, port))
    {
        return false;
    }
    socket->Listen();
    socket->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(), accepted);
    return true;
}

uint16_t
RdmaTcpHost::NextPort(uint16_t listening)
{
    return static_cast<uint16_t>(listening + 1 + m_nPorts++ % (MAX_PORT - listening));
}

bool
RdmaTcpHost::HasRoom(uint8_t priority) const
{
    return m_device->GetQueues().GetFrames(priority) == 0 && m_device->IsLinkUp();
}

bool
RdmaTcpHost::MaySend(RdmaTcpSocket& socket)
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
RdmaTcpHost::GetNodeId() const
{
    return m_device->GetNodeId();
}

void
RdmaTcpHost::OnKick()
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
RdmaTcpHost::ReceiveFrame(QbbPort& port, QbbFramePtr&& frame)
{
    m_sink.ReceiveFrame(port, std::move(frame));
}

void
RdmaTcpHost::FrameDeparts(QbbPort& port, QbbFrame& frame, RdmaPs start)
{
    m_sink.FrameDeparts(port, frame, start);
    if (!frame.IsMacControl())
    {
        RoomMade(frame.priority);
    }
}

void
RdmaTcpHost::FrameGone(QbbPort& port, const QbbFrame& frame)
{
    m_sink.FrameGone(port, frame);
    RoomMade(frame.priority);
}

void
RdmaTcpHost::RoomMade(uint8_t priority)
{
    if (!m_waiting[priority].empty())
    {
        // The port is still processing the frame, so the next socket resumes in a separate event.
        m_kick.Arm(RdmaNow());
    }
}

void
RdmaTcpHost::LinkChanged(QbbPort& port)
{
    m_sink.LinkChanged(port);
    m_kick.Arm(RdmaNow());
}

} // namespace ns3
