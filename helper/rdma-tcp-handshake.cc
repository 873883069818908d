/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-tcp-handshake.h"

#include <ns3/ipv4-header.h>
#include <ns3/ipv4-interface.h>
#include <ns3/simulator.h>
#include <ns3/tcp-header.h>

namespace ns3
{

namespace
{

/** \param address of a host \param port of its socket \return both in one number */
uint64_t
MakeKey(Ipv4Address address, uint16_t port)
{
    return uint64_t{address.Get()} << 16 | port;
}

} // namespace

void
RdmaTcpHandshake::AddHost(Ptr<Node> node, Ipv4Address address)
{
    Host& host = m_hosts[address.Get()];
    host.node = node;
    host.tcp = node->GetObject<TcpL4Protocol>();
    host.ip = node->GetObject<Ipv4L3Protocol>();
    host.below = host.tcp->GetDownTarget();
    host.tcp->SetDownTarget(
        IpL4Protocol::DownTargetCallback([this, below = host.below](Ptr<Packet> packet,
                                                                    Ipv4Address source,
                                                                    Ipv4Address destination,
                                                                    uint8_t protocol,
                                                                    Ptr<Ipv4Route> route) {
            if (!m_clients.empty() && IsHandshake(*packet, source, destination))
            {
                // TCP changes its state after it has sent, so not before it returns.
                Simulator::ScheduleWithContext(m_hosts.at(destination.Get()).node->GetId(),
                                               Time(0),
                                               &RdmaTcpHandshake::Deliver,
                                               this,
                                               packet,
                                               source,
                                               destination);
                return;
            }
            below(packet, source, destination, protocol, route);
        }));
}

void
RdmaTcpHandshake::Begin(const InetSocketAddress& client)
{
    m_clients.insert(MakeKey(client.GetIpv4(), client.GetPort()));
}

void
RdmaTcpHandshake::End(const InetSocketAddress& client)
{
    m_clients.erase(MakeKey(client.GetIpv4(), client.GetPort()));
}

bool
RdmaTcpHandshake::IsHandshake(const Packet& packet,
                              Ipv4Address source,
                              Ipv4Address destination) const
{
    TcpHeader header;
    packet.PeekHeader(header);
    return m_clients.count(MakeKey(source, header.GetSourcePort())) ||
           m_clients.count(MakeKey(destination, header.GetDestinationPort()));
}

void
RdmaTcpHandshake::Deliver(Ptr<Packet> packet, Ipv4Address source, Ipv4Address destination)
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
