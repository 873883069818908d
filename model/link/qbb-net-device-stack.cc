/* SPDX-License-Identifier: GPL-2.0-only */

/**
 * \file
 * \ingroup rdma
 * QbbNetDevice as a device of ns-3's own stack: packets that it sends and gets.
 */

#include "qbb-frame-codec.h"
#include "qbb-net-device.h"

#include <ns3/ethernet-header.h>
#include <ns3/log.h>
#include <ns3/node.h>
#include <ns3/socket.h>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("QbbNetDeviceStack");

void
QbbNetDevice::DeliverToStack(const QbbFrame& frame)
{
    PacketType type = PACKET_OTHERHOST;
    if (frame.dstMac == m_address)
    {
        type = PACKET_HOST;
    }
    else if (frame.dstMac.IsBroadcast())
    {
        type = PACKET_BROADCAST;
    }
    else if (frame.dstMac.IsGroup())
    {
        type = PACKET_MULTICAST;
    }
    if (!m_promiscReceive.IsNull())
    {
        m_promiscReceive(this,
                         QbbFrameCodec::ToSdu(frame),
                         frame.etherType,
                         frame.srcMac,
                         frame.dstMac,
                         type);
    }
    if (type == PACKET_OTHERHOST)
    {
        FireTrace(m_macRxDrop, frame);
        CountDrop(frame, QbbDropReason::NOT_FOR_US);
    }
    else if (!m_receive.IsNull())
    {
        m_receive(this, QbbFrameCodec::ToSdu(frame), frame.etherType, frame.srcMac);
    }
    else
    {
        FireTrace(m_macRxDrop, frame);
        CountDrop(frame, QbbDropReason::UNEXPECTED);
    }
}

bool
QbbNetDevice::Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber)
{
    return SendFrom(packet, m_address, dest, protocolNumber);
}

bool
QbbNetDevice::SendFrom(Ptr<Packet> packet,
                       const Address& source,
                       const Address& dest,
                       uint16_t protocolNumber)
{
    NS_LOG_FUNCTION(this << packet << source << dest << protocolNumber);
    // With tags the socket's priority (SO_PRIORITY) becomes the PCP.
    SocketPriorityTag priorityTag;
    const bool hasPriority = packet->PeekPacketTag(priorityTag);
    auto result = QbbFrameCodec::FromSdu(packet,
                                         protocolNumber,
                                         Mac48Address::ConvertFrom(source),
                                         Mac48Address::ConvertFrom(dest),
                                         GetTag(hasPriority ? priorityTag.GetPriority() & 7 : 0),
                                         m_pool);
    if (!result.frame)
    {
        NS_LOG_WARN(
            "a packet of ns-3's stack is not a valid frame: " << QbbParseErrorName(result.error));
        ++m_counters.dropsByReason[static_cast<std::size_t>(QbbDropReason::MALFORMED)];
        if (!m_macTxDrop.IsEmpty() || !m_drop.IsEmpty())
        {
            EthernetHeader header(false);
            header.SetSource(Mac48Address::ConvertFrom(source));
            header.SetDestination(Mac48Address::ConvertFrom(dest));
            header.SetLengthType(protocolNumber);
            Ptr<Packet> dropped = packet->Copy();
            dropped->AddHeader(header);
            m_macTxDrop(dropped);
            m_drop(dropped, QbbDropReason::MALFORMED);
        }
        return false;
    }
    QbbFrame& frame = *result.frame;
    frame.priority = m_classifier.Classify(frame);
    frame.ingressPort = NO_PORT;
    QbbDropReason reason = QbbDropReason::COUNT;
    if (packet->GetSize() > m_mtu)
    {
        reason = QbbDropReason::TOO_LONG;
    }
    else if (!m_up)
    {
        reason = QbbDropReason::LINK_DOWN;
    }
    else if (m_queueBytes[frame.priority] + frame.size > m_maxStackQueueBytes)
    {
        reason = QbbDropReason::STACK_QUEUE;
    }
    if (reason != QbbDropReason::COUNT)
    {
        FireTrace(m_macTx, frame);
        FireTrace(m_macTxDrop, frame);
        CountDrop(frame, reason);
        return false;
    }
    Enqueue(std::move(result.frame));
    return true;
}

} // namespace ns3
