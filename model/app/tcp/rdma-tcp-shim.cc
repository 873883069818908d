/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-tcp-shim.h"

#include <ns3/ipv4-header.h>
#include <ns3/ipv4-interface.h>
#include <ns3/simulator.h>
#include <ns3/tcp-header.h>

namespace ns3
{

namespace
{

/// Flag in a socket's priority, above the class: packets get the DSCP of the class. Only this file
/// sees such priorities, because ns-3 removes them from packets before they reach the port.
constexpr uint8_t HAS_CLASS = 0x80;

/// Bits of the ECN field in the type of service.
constexpr uint8_t ECN_MASK = 3;

} // namespace

RdmaTcpShim::RdmaTcpShim(uint16_t port)
    : m_port(port)
{
}

void
RdmaTcpShim::AddHost(Ptr<Node> node, Ipv4Address address, const std::array<uint8_t, 8>& dscps)
{
    Host& host = m_hosts[address.Get()];
    host.node = node;
    host.tcp = node->GetObject<TcpL4Protocol>();
    host.ip = node->GetObject<Ipv4L3Protocol>();
    host.below = host.tcp->GetDownTarget();
    host.dscps = dscps;
    // The reference stays valid: an unordered map does not move its values.
    host.tcp->SetDownTarget(IpL4Protocol::DownTargetCallback(
        [this, &host](auto&&... packet) { SendDown(host, packet...); }));
}

void
RdmaTcpShim::SetClass(Socket& socket, uint8_t priority)
{
    socket.SetPriority(HAS_CLASS | priority);
}

void
RdmaTcpShim::SendDown(const Host& host,
                      Ptr<Packet> packet,
                      Ipv4Address source,
                      Ipv4Address destination,
                      uint8_t protocol,
                      Ptr<Ipv4Route> route)
{
    if (!m_clients.empty() && IsHandshake(*packet, source, destination))
    {
        // TCP changes its state only after sending, so the peer receives in a later event.
        Simulator::ScheduleWithContext(m_hosts.at(destination.Get()).node->GetId(),
                                       Time(0),
                                       &RdmaTcpShim::Deliver,
                                       this,
                                       packet,
                                       source,
                                       destination);
        return;
    }
    SocketPriorityTag priority;
    if (packet->PeekPacketTag(priority) && (priority.GetPriority() & HAS_CLASS))
    {
        SocketIpTosTag tos;
        const uint8_t ecn = packet->RemovePacketTag(tos) ? tos.GetTos() & ECN_MASK : 0;
        tos.SetTos(static_cast<uint8_t>(host.dscps[priority.GetPriority() & 7] << 2 | ecn));
        packet->AddPacketTag(tos);
    }
    else if (IsReset(*packet))
    {
        return;
    }
    host.below(packet, source, destination, protocol, route);
}

void
RdmaTcpShim::SetOpening(const InetSocketAddress& client, bool opening)
{
    const uint64_t key = MakeRdmaTcpKey(client.GetIpv4(), client.GetPort());
    if (opening)
    {
        m_clients.insert(key);
    }
    else
    {
        m_clients.erase(key);
    }
}

bool
RdmaTcpShim::IsHandshake(const Packet& packet, Ipv4Address source, Ipv4Address destination) const
{
    TcpHeader header;
    packet.PeekHeader(header);
    return m_clients.count(MakeRdmaTcpKey(source, header.GetSourcePort())) ||
           m_clients.count(MakeRdmaTcpKey(destination, header.GetDestinationPort()));
}

bool
RdmaTcpShim::IsReset(const Packet& packet) const
{
    TcpHeader header;
    packet.PeekHeader(header);
    return (header.GetFlags() & TcpHeader::RST) && header.GetDestinationPort() == m_port;
}

void
RdmaTcpShim::Deliver(Ptr<Packet> packet, Ipv4Address source, Ipv4Address destination)
{
    const Host& host = m_hosts.at(destination.Get());
    packet->RemoveAllPacketTags();
    Ipv4Header header;
    header.SetSource(source);
    header.SetDestination(destination);
    header.SetProtocol(static_cast<uint8_t>(host.tcp->GetProtocolNumber()));
    header.SetPayloadSize(static_cast<uint16_t>(packet->GetSize()));
    const auto interface = host.ip->GetInterfaceForAddress(destination);
    host.tcp->Receive(packet, header, host.ip->GetInterface(static_cast<uint32_t>(interface)));
}

} // namespace ns3
