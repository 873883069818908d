/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-queue-pair.h"

#include "qbb-net-device.h"
#include "qbb-wire.h"
#include "rdma-nic.h"
#include "rdma-psn.h"

#include <ns3/abort.h>
#include <ns3/boolean.h>
#include <ns3/log.h>
#include <ns3/node.h>
#include <ns3/trace-source-accessor.h>
#include <ns3/uinteger.h>

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaQueuePair");

NS_OBJECT_ENSURE_REGISTERED(RdmaQueuePair);

TypeId
RdmaQueuePair::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaQueuePair")
            .SetParent<Object>()
            .SetGroupName("Rdma")
            .AddConstructor<RdmaQueuePair>()
            .AddAttribute("PathMtu",
                          "Payload bytes of a full packet (path_mtu).",
                          UintegerValue(1024),
                          MakeUintegerAccessor(&RdmaQueuePair::m_pathMtu),
                          MakeUintegerChecker<uint32_t>(256, 4096))
            .AddAttribute("Dscp",
                          "DSCP of data and acknowledgements; gives them their class.",
                          UintegerValue(26),
                          MakeUintegerAccessor(&RdmaQueuePair::m_dscp),
                          MakeUintegerChecker<uint8_t>(0, 63))
            .AddAttribute("CnpDscp",
                          "DSCP of congestion notification packets.",
                          UintegerValue(48),
                          MakeUintegerAccessor(&RdmaQueuePair::m_cnpDscp),
                          MakeUintegerChecker<uint8_t>(0, 63))
            .AddAttribute("Ttl",
                          "Time to live of its packets.",
                          UintegerValue(64),
                          MakeUintegerAccessor(&RdmaQueuePair::m_ttl),
                          MakeUintegerChecker<uint8_t>(1))
            .AddAttribute("EcnCapable",
                          "Data packets carry ECT(0), so that switches may mark them.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&RdmaQueuePair::m_ecnCapable),
                          MakeBooleanChecker())
            .AddAttribute("InitialPsn",
                          "PSN of the first packet.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaQueuePair::m_initialPsn),
                          MakeUintegerChecker<uint32_t>(0, RDMA_PSN_SPACE - 1))
            .AddAttribute("MinRnrTimer",
                          "Code of the time that a requester waits after an RNR NAK of this side "
                          "(min_rnr_timer, IBA Vol. 1 table 45): 1 is 10 us, 31 is 491.52 ms, 0 is "
                          "655.36 ms.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&RdmaQueuePair::m_minRnrTimer),
                          MakeUintegerChecker<uint8_t>(0, 31))
            .AddTraceSource("MessageReceived",
                            "A message has come in completely",
                            MakeTraceSourceAccessor(&RdmaQueuePair::m_messageReceived),
                            "ns3::RdmaQueuePair::MessageCallback")
            .AddTraceSource("SendCompleted",
                            "A send request has ended, well or not",
                            MakeTraceSourceAccessor(&RdmaQueuePair::m_sendCompleted),
                            "ns3::RdmaCompletionQueue::CompletionTracedCallback");
    return tid;
}

RdmaQueuePair::RdmaQueuePair()
    : m_timer(this, QbbEventOrder::NIC_TIMER)
{
}

RdmaQueuePair::~RdmaQueuePair()
{
}

void
RdmaQueuePair::DoDispose()
{
    m_timer.Disarm();
    m_state = RdmaQpState::RESET;
    m_nic = nullptr;
    m_sends.Clear();
    m_receives.Clear();
    m_sendQueue = nullptr;
    m_receiveQueue = nullptr;
    Object::DoDispose();
}

void
RdmaQueuePair::Bind(RdmaNic* nic, uint32_t port, uint32_t qpn, Ptr<RdmaTransport> transport)
{
    m_nic = nic;
    m_port = port;
    m_qpn = qpn;
    m_requester = transport->MakeSender({});
    m_responder = transport->MakeReceiver();
    m_ackInterval = transport->GetAckInterval();
    m_state = RdmaQpState::INIT;
}

Ipv4Address
RdmaQueuePair::GetLocalAddress() const
{
    return m_nic->GetAddress(m_port);
}

Ptr<QbbNetDevice>
RdmaQueuePair::GetPort() const
{
    return m_nic->GetPort(m_port);
}

void
RdmaQueuePair::CheckPathMtu() const
{
    const auto port = GetPort();
    constexpr uint32_t HEADERS = QbbWire::IPV4_HEADER_BYTES + QbbWire::UDP_HEADER_BYTES +
                                 QbbWire::BTH_BYTES + 20 + QbbWire::ICRC_BYTES;
    NS_ABORT_MSG_IF(m_pathMtu + HEADERS > port->GetMtu(),
                    "rdma: path MTU " << m_pathMtu << " of a queue pair does not fit port MTU "
                                      << port->GetMtu() << "; set QbbNetDevice::Mtu to "
                                      << m_pathMtu + HEADERS << " or more (headers and ICRC take "
                                      << HEADERS << " bytes)");
}

void
RdmaQueuePair::SetPriority(uint8_t priority)
{
    const auto& classifier = GetPort()->GetClassifier();
    if (classifier.ClassifyDscp(m_dscp) == priority)
    {
        return;
    }
    for (uint8_t dscp = 0; dscp < 64; ++dscp)
    {
        if (classifier.ClassifyDscp(dscp) == priority)
        {
            m_dscp = dscp;
            return;
        }
    }
    NS_ABORT_MSG("rdma: no DSCP is mapped to class " << +priority);
}

void
RdmaQueuePair::Connect(Ipv4Address remoteAddress, uint32_t remoteQpn, uint32_t remotePsn)
{
    NS_LOG_FUNCTION(this << remoteAddress << remoteQpn << remotePsn);
    NS_ABORT_MSG_IF(m_state != RdmaQpState::INIT,
                    "rdma: Connect() of a queue pair in state " << GetRdmaQpStateName(m_state)
                                                                << "; accepted: INIT");
    CheckPathMtu();
    const auto port = GetPort();
    NS_ABORT_MSG_IF(!port->GetPeer(), "rdma: Connect() of a queue pair whose port has no cable");
    m_remotePsn = remotePsn;

    m_frame.type = QbbFrameType::ROCE;
    m_frame.etherType = QbbWire::ETHERTYPE_IPV4;
    m_frame.srcMac = port->GetMac();
    m_frame.dstMac = port->GetPeer()->GetMac();
    m_frame.ipv4 = true;
    m_frame.dscp = m_dscp;
    m_frame.ecn = m_ecnCapable ? 2 : 0;
    m_frame.ttl = m_ttl;
    m_frame.protocol = QbbWire::IP_PROTOCOL_UDP;
    m_frame.srcIp = GetLocalAddress().Get();
    m_frame.dstIp = remoteAddress.Get();
    // As rdma-core's ibv_flow_label_to_udp_sport(): the dynamic ports, by a hash of both QPNs.
    m_frame.srcPort =
        static_cast<uint16_t>(0xc000 | (QbbFlowHash(m_qpn, remoteQpn, 0, 0, 0) & 0x3fff));
    m_frame.dstPort = QbbWire::ROCE_UDP_PORT;
    m_frame.destQp = remoteQpn;
    m_frame.flowHash = QbbFlowHash(m_frame.srcIp,
                                   m_frame.dstIp,
                                   m_frame.protocol,
                                   m_frame.srcPort,
                                   m_frame.dstPort);
    m_frame.priority = port->GetClassifier().ClassifyDscp(m_dscp);
    if (const auto tag = port->GetTag(m_frame.priority))
    {
        m_frame.tagged = true;
        m_frame.tci = *tag;
    }
    m_frame.priority = port->GetClassifier().Classify(m_frame);
    m_state = RdmaQpState::RTS;
}

void
RdmaQueuePair::ConnectPair(Ptr<RdmaQueuePair> a, Ptr<RdmaQueuePair> b)
{
    a->Connect(b->GetLocalAddress(), b->GetQpn(), b->GetInitialPsn());
    b->Connect(a->GetLocalAddress(), a->GetQpn(), a->GetInitialPsn());
}

void
RdmaQueuePair::PostSend(const RdmaSendRequest& request)
{
    NS_LOG_FUNCTION(this << request.id << request.length);
    NS_ABORT_MSG_IF(m_state != RdmaQpState::RTS && m_state != RdmaQpState::ERR,
                    "rdma: PostSend() on a queue pair in state " << GetRdmaQpStateName(m_state)
                                                                 << "; connect it first");
    NS_ABORT_MSG_IF(request.length > RDMA_MAX_MESSAGE_BYTES,
                    "rdma: a message of " << request.length << " bytes; accepted: 0.."
                                          << RDMA_MAX_MESSAGE_BYTES);
    SendEntry entry;
    entry.request = request;
    entry.firstPacket = m_posted;
    entry.packets = std::max<uint64_t>(1, (request.length + m_pathMtu - 1) / m_pathMtu);
    if (m_state == RdmaQpState::ERR)
    {
        Complete(entry, RdmaWcStatus::WR_FLUSH_ERR);
        return;
    }
    m_posted += entry.packets;
    m_requester->Extend(entry.packets);
    m_sends.Push(std::move(entry));
    if (m_requester->CanSend())
    {
        m_nic->Activate(this);
    }
}

void
RdmaQueuePair::PostReceive(const RdmaReceiveRequest& request)
{
    NS_ABORT_MSG_IF(m_state == RdmaQpState::RESET, "rdma: PostReceive() on a queue pair in RESET");
    m_receives.Push(RdmaReceiveRequest(request));
    if (m_state == RdmaQpState::ERR)
    {
        FlushReceives();
    }
}

void
RdmaQueuePair::SetSendCompletionQueue(Ptr<RdmaCompletionQueue> queue)
{
    m_sendQueue = queue;
}

void
RdmaQueuePair::SetReceiveCompletionQueue(Ptr<RdmaCompletionQueue> queue)
{
    m_receiveQueue = queue;
}

Ptr<RdmaCompletionQueue>
RdmaQueuePair::GetSendCompletionQueue()
{
    if (!m_sendQueue)
    {
        m_sendQueue = CreateObject<RdmaCompletionQueue>();
    }
    return m_sendQueue;
}

Ptr<RdmaCompletionQueue>
RdmaQueuePair::GetReceiveCompletionQueue()
{
    if (!m_receiveQueue)
    {
        m_receiveQueue = CreateObject<RdmaCompletionQueue>();
    }
    return m_receiveQueue;
}

uint64_t
RdmaQueuePair::GetPacketsInFlight() const
{
    return m_requester->GetHighestSent() - m_requester->GetAcked();
}

uint64_t
RdmaQueuePair::GetPacketsAcknowledged() const
{
    return m_requester->GetAcked();
}

RdmaQueuePairStats
RdmaQueuePair::GetStats() const
{
    RdmaQueuePairStats stats = m_stats;
    stats.packetsRetransmitted = m_requester->GetRetransmissions();
    stats.timeouts = m_requester->GetTimeouts();
    return stats;
}

} // namespace ns3
