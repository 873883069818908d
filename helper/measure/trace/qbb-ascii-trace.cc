/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-ascii-trace.h"

#include "qbb-frame-codec.h"
#include "qbb-wire.h"
#include "rdma-time.h"

#include <ns3/ipv4-address.h>

#include <iomanip>
#include <vector>

namespace ns3
{

namespace
{

constexpr uint8_t IP_PROTOCOL_ICMP = 1; //!< IPv4 protocol number of ICMP

void
WriteTag(std::ostream& os, uint16_t tci)
{
    os << " VLAN " << (tci & 0xfff) << " PCP " << (tci >> 13);
}

void
WriteIp(std::ostream& os, const QbbFrameFields& frame)
{
    os << Ipv4Address(frame.srcIp);
    if (frame.srcPort || frame.dstPort)
    {
        os << ":" << frame.srcPort;
    }
    os << " > " << Ipv4Address(frame.dstIp);
    if (frame.srcPort || frame.dstPort)
    {
        os << ":" << frame.dstPort;
    }
    if (frame.tagged)
    {
        WriteTag(os, frame.tci);
    }
    os << " DSCP " << +frame.dscp << " ECN " << +frame.ecn << " TTL " << +frame.ttl;
}

void
WriteRoce(std::ostream& os, const QbbFrameFields& frame)
{
    const RdmaOpcodeInfo& info = GetRdmaOpcodeInfo(frame.opcode);
    os << " " << GetRdmaOpcodeName(frame.opcode) << " QP " << frame.destQp << " PSN " << frame.psn;
    if (frame.ackReq)
    {
        os << " ack requested";
    }
    if (info.reth)
    {
        os << " message " << frame.dmaLength << " B";
    }
    if (info.aeth)
    {
        os << " syndrome 0x" << std::hex << +frame.syndrome << std::dec << " MSN " << frame.msn;
    }
    if (info.irnMessage)
    {
        os << " WQE " << frame.wqeSn << " offset " << frame.offset;
    }
    if (info.irnSelective)
    {
        os << " caused by PSN " << frame.selectivePsn;
    }
    if (info.payload)
    {
        os << " payload " << frame.payload << " B";
    }
}

void
WritePfc(std::ostream& os, const QbbFrameFields& frame)
{
    os << " PFC";
    for (uint8_t priority = 0; priority < 8; ++priority)
    {
        if (frame.classEnable & (1U << priority))
        {
            os << " class " << +priority << ": " << frame.quanta[priority] << " quanta";
        }
    }
}

void
WritePacket(std::ostream& os, const QbbFrameFields& frame)
{
    if (!frame.ipv4)
    {
        os << (frame.etherType == QbbWire::ETHERTYPE_ARP ? " ARP" : "") << " EtherType 0x"
           << std::hex << std::setfill('0') << std::setw(4) << frame.etherType << std::dec
           << std::setfill(' ');
        return;
    }
    switch (frame.protocol)
    {
    case IP_PROTOCOL_ICMP:
        os << " ICMP";
        break;
    case QbbWire::IP_PROTOCOL_TCP:
        os << " TCP";
        break;
    case QbbWire::IP_PROTOCOL_UDP:
        os << " UDP";
        break;
    default:
        os << " IP protocol " << +frame.protocol;
        break;
    }
}

} // namespace

void
QbbWriteFrame(std::ostream& os, const QbbFrameFields& frame)
{
    os << frame.size << " B ";
    if (frame.ipv4)
    {
        WriteIp(os, frame);
    }
    else
    {
        os << frame.srcMac << " > " << frame.dstMac;
        if (frame.tagged)
        {
            WriteTag(os, frame.tci);
        }
    }
    switch (frame.type)
    {
    case QbbFrameType::ROCE:
        WriteRoce(os, frame);
        break;
    case QbbFrameType::PFC:
        WritePfc(os, frame);
        break;
    case QbbFrameType::PAUSE:
        os << " PAUSE " << frame.quanta[0] << " quanta";
        break;
    case QbbFrameType::PACKET:
        WritePacket(os, frame);
        break;
    }
}

void
QbbAsciiTrace::Connect(Ptr<QbbNetDevice> port,
                       Ptr<OutputStreamWrapper> stream,
                       const std::string& context)
{
    auto trace = Create<QbbAsciiTrace>();
    trace->m_stream = stream;
    trace->m_context = context;
    port->TraceConnectWithoutContext("MacTx", MakeCallback(&QbbAsciiTrace::Enqueue, trace));
    port->TraceConnectWithoutContext("PhyTxBegin", MakeCallback(&QbbAsciiTrace::Dequeue, trace));
    port->TraceConnectWithoutContext("MacRx", MakeCallback(&QbbAsciiTrace::Receive, trace));
    // The source Drop also reports the drops of MacTxDrop, MacRxDrop and PhyRxDrop.
    port->TraceConnectWithoutContext("Drop", MakeCallback(&QbbAsciiTrace::Drop, trace));
}

void
QbbAsciiTrace::Enqueue(Ptr<const Packet> packet)
{
    Write('+', "MacTx", *packet) << "\n";
}

void
QbbAsciiTrace::Dequeue(Ptr<const Packet> packet)
{
    Write('-', "PhyTxBegin", *packet) << "\n";
}

void
QbbAsciiTrace::Receive(Ptr<const Packet> packet)
{
    Write('r', "MacRx", *packet) << "\n";
}

void
QbbAsciiTrace::Drop(Ptr<const Packet> packet, QbbDropReason reason)
{
    Write('d', "Drop", *packet) << " [" << reason << "]\n";
}

std::ostream&
QbbAsciiTrace::Write(char event, const char* source, const Packet& packet)
{
    constexpr RdmaPs SECOND = 1_s;
    constexpr int DECIMALS = 12;
    const RdmaPs now = RdmaNow();
    std::ostream& os = *m_stream->GetStream();
    os << event << " " << now / SECOND << "." << std::setfill('0') << std::setw(DECIMALS)
       << now % SECOND << std::setfill(' ') << " ";
    if (!m_context.empty())
    {
        os << m_context << source << " ";
    }
    std::vector<uint8_t> bytes(packet.GetSize());
    packet.CopyData(bytes.data(), packet.GetSize());
    const auto parsed = QbbFrameCodec::Parse(bytes.data(), bytes.size(), m_pool);
    if (parsed)
    {
        QbbWriteFrame(os, *parsed.frame);
    }
    else
    {
        os << bytes.size() + QbbWire::FCS_BYTES << " B not a frame: " << parsed.error;
    }
    return os;
}

} // namespace ns3
