/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-path-selector.h"

#include "qbb-frame-codec.h"
#include "qbb-switch.h"
#include "qbb-wire.h"
#include "rdma-refuse.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(QbbPathSelector);

TypeId
QbbPathSelector::GetTypeId()
{
    static TypeId tid = TypeId("ns3::QbbPathSelector").SetParent<Object>().SetGroupName("Rdma");
    return tid;
}

std::optional<uint16_t>
QbbPathSelector::Predict(uint32_t, const QbbForwardingTable::Group&) const
{
    return std::nullopt;
}

bool
QbbPathSelector::MayReorder(RdmaPs) const
{
    return true;
}

void
QbbPathSelector::FrameArrives(QbbPort&, QbbFramePtr&)
{
}

void
QbbPathSelector::FrameJoins(QbbPort&, QbbFramePtr&)
{
}

void
QbbPathSelector::ForEachHeld(const std::function<void(const QbbFrame&, uint16_t)>&) const
{
}

void
QbbPathSelector::FrameDeparts(QbbPort&, QbbFrame&, RdmaPs)
{
}

uint32_t
QbbPathSelector::GetNodeId() const
{
    return m_switch->GetDevice(0).GetNodeId();
}

bool
QbbPathSelector::LeadsToSwitch(uint16_t port) const
{
    return m_switch->LeadsToSwitch(port);
}

void
QbbPathSelector::RefuseOtherNeighbours() const
{
    for (uint16_t port = 0; port < m_switch->GetNPorts(); ++port)
    {
        const QbbPort* peer = m_switch->GetDevice(port).GetPeer();
        const auto neighbour = peer ? dynamic_cast<const QbbSwitch*>(peer->GetSink()) : nullptr;
        if (!neighbour)
        {
            continue;
        }
        const auto other = neighbour->GetPathSelector();
        const std::string name = GetInstanceTypeId().GetName();
        const std::string otherName = other ? other->GetInstanceTypeId().GetName() : "none";
        RefuseRdmaIf(otherName != name,
                     "the switch of node ",
                     GetNodeId(),
                     " has the path selector ",
                     name,
                     ", and its neighbour of node ",
                     peer->GetNodeId(),
                     " has ",
                     otherName,
                     "; accepted: the same selector at all switches, since the switches add a "
                     "header for each other to frames");
    }
}

void
QbbPathSelector::RefuseSharedLeaves() const
{
    RefuseRdmaIf(m_switch->GetForwardingTable().HasSharedLeaves(),
                 GetInstanceTypeId().GetName(),
                 " knows one leaf for each host, and hosts of this fabric are bonded to several "
                 "leaves; accepted: a path selector that looks at the ports of a switch alone, or "
                 "hosts whose ports have addresses of their own");
}

QbbFramePtr
QbbPathSelector::MakeFrame(const QbbFrame& cause, bool isReply) const
{
    constexpr uint8_t TTL = 64;
    QbbFrameHeaders headers;
    headers.type = QbbFrameType::ROCE;
    headers.priority = cause.priority;
    headers.ingressPort = QbbPort::NO_PORT;
    headers.etherType = QbbWire::ETHERTYPE_IPV4;
    headers.tagged = cause.tagged;
    headers.tci = cause.tci;
    headers.ipv4 = true;
    headers.dscp = cause.dscp;
    headers.ecn = cause.ecn;
    headers.ttl = TTL;
    headers.protocol = QbbWire::IP_PROTOCOL_UDP;
    headers.srcIp = isReply ? cause.dstIp : cause.srcIp;
    headers.dstIp = isReply ? cause.srcIp : cause.dstIp;
    headers.srcPort = cause.srcPort;
    headers.dstPort = QbbWire::ROCE_UDP_PORT;
    headers.flowHash = QbbFlowHash(headers.srcIp,
                                   headers.dstIp,
                                   headers.protocol,
                                   headers.srcPort,
                                   headers.dstPort);
    headers.opcode = static_cast<uint8_t>(RdmaOpcode::CNP);
    QbbFramePtr frame = m_switch->GetDevice(0).GetPool().Allocate(headers);
    frame->size = QbbFrameCodec::SerializedSize(*frame) + QbbWire::FCS_BYTES;
    return frame;
}

} // namespace ns3
