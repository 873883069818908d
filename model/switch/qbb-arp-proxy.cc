/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-arp-proxy.h"

#include "qbb-frame-codec.h"
#include "qbb-port.h"
#include "qbb-wire.h"

#include <ns3/arp-header.h>
#include <ns3/assert.h>

#include <array>
#include <optional>

namespace ns3
{
namespace QbbArpProxy
{

namespace
{

/**
 * Validates an ARP packet before ns-3's ArpHeader parses it, because ArpHeader does not check the
 * length fields.
 *
 * \param packet payload of a frame with the EtherType of ARP
 * \return true if the packet is ARP for IPv4 over Ethernet (RFC 826) and long enough
 */
bool
IsArpForIpv4(const Packet& packet)
{
    constexpr std::array<uint8_t, 6> ETHERNET_AND_IPV4 = {0, 1, 8, 0, 6, 4};
    constexpr uint32_t ARP_BYTES = 28;
    std::array<uint8_t, 6> start{};
    return packet.GetSize() >= ARP_BYTES &&
           packet.CopyData(start.data(), start.size()) == start.size() &&
           start == ETHERNET_AND_IPV4;
}

} // namespace

void
Answer(QbbPort& port, const QbbFrame& frame, const QbbForwardingTable& routes)
{
    CheckQbbPacket();
    ArpHeader request;
    Ptr<Packet> sdu = QbbFrameCodec::ToSdu(frame);
    if (!IsArpForIpv4(*sdu) || sdu->RemoveHeader(request) == 0 || !request.IsRequest())
    {
        port.CountDrop(frame, QbbDropReason::UNEXPECTED);
        return;
    }
    const Ipv4Address target = request.GetDestinationIpv4Address();
    const QbbForwardingTable::Group* group = routes.Lookup(target.Get());
    const bool behindThisPort =
        group && group->size() == 1 && group->front() == port.GetPortNumber();
    if (!group || behindThisPort)
    {
        port.CountDrop(frame, QbbDropReason::NO_ROUTE);
        return;
    }
    ArpHeader reply;
    reply.SetReply(port.GetMac(),
                   target,
                   request.GetSourceHardwareAddress(),
                   request.GetSourceIpv4Address());
    Ptr<Packet> packet = Create<Packet>();
    packet->AddHeader(reply);
    auto made =
        QbbFrameCodec::FromSdu(packet,
                               QbbWire::ETHERTYPE_ARP,
                               port.GetMac(),
                               frame.srcMac,
                               frame.tagged ? std::optional<uint16_t>(frame.tci) : std::nullopt,
                               port.GetPool());
    NS_ASSERT(made.frame);
    made.frame->priority = frame.priority;
    made.frame->ingressPort = QbbPort::NO_PORT;
    port.Enqueue(std::move(made.frame));
}

} // namespace QbbArpProxy
} // namespace ns3
