/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-queue-pair.h"

#include "qbb-net-device.h"
#include "qbb-wire.h"
#include "rdma-aeth.h"
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
    m_requester = transport->MakeRequester();
    m_responder = transport->MakeResponder();
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

// Requester

const RdmaQueuePair::SendEntry&
RdmaQueuePair::FindEntry(uint64_t packet)
{
    // Packets go out in order but for retransmissions, which begin near the oldest entry.
    if (m_cursor >= m_sends.GetSize() || packet < m_sends[m_cursor].firstPacket)
    {
        m_cursor = 0;
    }
    while (packet >= m_sends[m_cursor].firstPacket + m_sends[m_cursor].packets)
    {
        ++m_cursor;
    }
    return m_sends[m_cursor];
}

QbbFramePtr
RdmaQueuePair::MakeNextFrame()
{
    static constexpr RdmaOpcode OPCODES[4][4] = {
        // middle, first, last, only
        {RdmaOpcode::RDMA_WRITE_MIDDLE,
         RdmaOpcode::RDMA_WRITE_FIRST,
         RdmaOpcode::RDMA_WRITE_LAST,
         RdmaOpcode::RDMA_WRITE_ONLY},
        {RdmaOpcode::RDMA_WRITE_MIDDLE,
         RdmaOpcode::RDMA_WRITE_FIRST,
         RdmaOpcode::RDMA_WRITE_LAST_WITH_IMMEDIATE,
         RdmaOpcode::RDMA_WRITE_ONLY_WITH_IMMEDIATE},
        {RdmaOpcode::SEND_MIDDLE,
         RdmaOpcode::SEND_FIRST,
         RdmaOpcode::SEND_LAST,
         RdmaOpcode::SEND_ONLY},
        {RdmaOpcode::SEND_MIDDLE,
         RdmaOpcode::SEND_FIRST,
         RdmaOpcode::SEND_LAST_WITH_IMMEDIATE,
         RdmaOpcode::SEND_ONLY_WITH_IMMEDIATE},
    };
    const uint64_t packet = m_requester->GetNext();
    const SendEntry& entry = FindEntry(packet);
    const RdmaSendRequest& request = entry.request;
    const uint64_t index = packet - entry.firstPacket;
    const bool first = index == 0;
    const bool last = index + 1 == entry.packets;

    QbbFramePtr frame = m_nic->GetPool().Allocate(m_frame);
    const RdmaOpcode opcode =
        OPCODES[static_cast<std::size_t>(request.opcode)][(first ? 1 : 0) + (last ? 2 : 0)];
    const RdmaOpcodeInfo& info = GetRdmaOpcodeInfo(opcode);
    frame->opcode = static_cast<uint8_t>(opcode);
    frame->psn = RdmaToPsn(m_initialPsn, packet);
    frame->payload = last ? static_cast<uint32_t>(request.length - index * m_pathMtu) : m_pathMtu;
    frame->ackReq = last || (m_ackInterval == 1) || ((index + 1) % m_ackInterval == 0);
    frame->size = QbbWire::RoceFrameBytes(info, frame->payload, frame->tagged);
    if (info.reth)
    {
        frame->virtualAddress = request.remoteAddress;
        frame->rKey = request.rKey;
        frame->dmaLength = static_cast<uint32_t>(request.length);
    }
    if (last)
    {
        frame->immediate = info.immDt ? request.immediate : 0;
        frame->solicited = request.solicited;
    }
    m_requester->Sent(QbbNowPs());
    ++m_stats.packetsSent;
    SyncTimer();
    return frame;
}

void
RdmaQueuePair::ReceiveResponse(const QbbFrame& frame)
{
    const int64_t nowPs = QbbNowPs();
    const int64_t packet = RdmaFromPsn(m_initialPsn, frame.psn, m_requester->GetAcked());
    const uint8_t value = frame.syndrome & RdmaAeth::VALUE_MASK;
    switch (frame.syndrome & RdmaAeth::KIND_MASK)
    {
    case RdmaAeth::ACK:
        ++m_stats.acksReceived;
        Handle(m_requester->OnAck(packet, nowPs));
        break;
    case RdmaAeth::RNR_NAK:
        ++m_stats.naksReceived;
        Handle(m_requester->OnRnrNak(packet, RdmaAeth::RnrTimerPs(value), nowPs));
        break;
    case RdmaAeth::NAK:
        ++m_stats.naksReceived;
        if (value == RdmaAeth::PSN_SEQUENCE_ERROR)
        {
            Handle(m_requester->OnNak(packet, nowPs));
        }
        else
        {
            m_requester->OnAck(packet - 1, nowPs);
            CompleteAcknowledged();
            Fail(RdmaWcStatus::REM_INV_REQ_ERR);
        }
        break;
    default:
        GetPort()->CountDrop(frame, QbbDropReason::UNEXPECTED);
        break;
    }
}

void
RdmaQueuePair::OnTimer()
{
    if (m_state != RdmaQpState::RTS)
    {
        return;
    }
    const RdmaRequesterEvent event = m_requester->OnTimeout(QbbNowPs());
    if (event.failed)
    {
        Fail(event.status);
        return;
    }
    SyncTimer();
    if (event.mayBegin && m_requester->CanSend())
    {
        m_nic->Activate(this);
    }
}

void
RdmaQueuePair::Handle(const RdmaRequesterEvent& event)
{
    CompleteAcknowledged();
    if (event.failed)
    {
        Fail(event.status);
        return;
    }
    SyncTimer();
    if (event.mayBegin && CanSend())
    {
        m_nic->MakeReady(this);
    }
}

void
RdmaQueuePair::SyncTimer()
{
    const int64_t deadlinePs = m_requester->GetDeadlinePs();
    if (deadlinePs == RdmaRequester::NO_DEADLINE)
    {
        m_timer.Disarm();
    }
    else
    {
        m_timer.Arm(deadlinePs);
    }
}

void
RdmaQueuePair::CompleteAcknowledged()
{
    const uint64_t acked = m_requester->GetAcked();
    while (!m_sends.IsEmpty() && m_sends.Front().firstPacket + m_sends.Front().packets <= acked)
    {
        const SendEntry entry = m_sends.Pop();
        m_cursor -= m_cursor > 0;
        Complete(entry, RdmaWcStatus::SUCCESS);
    }
}

void
RdmaQueuePair::Complete(const SendEntry& entry, RdmaWcStatus status)
{
    RdmaWorkCompletion completion;
    completion.id = entry.request.id;
    completion.status = status;
    const bool isWrite = entry.request.opcode == RdmaWrOpcode::RDMA_WRITE ||
                         entry.request.opcode == RdmaWrOpcode::RDMA_WRITE_WITH_IMM;
    completion.opcode = isWrite ? RdmaWcOpcode::RDMA_WRITE : RdmaWcOpcode::SEND;
    completion.bytes = entry.request.length;
    completion.qpn = m_qpn;
    completion.timePs = QbbNowPs();
    m_sendCompleted(completion);
    if (entry.request.signaled || status != RdmaWcStatus::SUCCESS)
    {
        GetSendCompletionQueue()->Add(completion);
    }
}

void
RdmaQueuePair::Fail(RdmaWcStatus status)
{
    NS_LOG_FUNCTION(this << status);
    if (m_state == RdmaQpState::ERR)
    {
        return;
    }
    m_state = RdmaQpState::ERR;
    m_timer.Disarm();
    while (!m_sends.IsEmpty())
    {
        const SendEntry entry = m_sends.Pop();
        Complete(entry, status);
        status = RdmaWcStatus::WR_FLUSH_ERR;
    }
    FlushReceives();
}

// Responder

void
RdmaQueuePair::ReceiveFrame(const QbbFrame& frame)
{
    if (m_state != RdmaQpState::RTS || frame.srcIp != m_frame.dstIp ||
        frame.dstIp != m_frame.srcIp)
    {
        GetPort()->CountDrop(frame, QbbDropReason::NOT_FOR_US);
        return;
    }
    if (frame.opcode == static_cast<uint8_t>(RdmaOpcode::CNP))
    {
        ++m_stats.cnpsReceived;
        return;
    }
    if (GetRdmaOpcodeInfo(frame.opcode).request)
    {
        constexpr uint8_t CE = 3;
        if (frame.ecn == CE)
        {
            NotifyCongestion();
        }
        ReceiveRequest(frame);
    }
    else if (frame.opcode == static_cast<uint8_t>(RdmaOpcode::ACKNOWLEDGE))
    {
        ReceiveResponse(frame);
    }
    else
    {
        GetPort()->CountDrop(frame, QbbDropReason::UNEXPECTED);
    }
}

void
RdmaQueuePair::ReceiveRequest(const QbbFrame& frame)
{
    const int64_t packet = RdmaFromPsn(m_remotePsn, frame.psn, m_responder->GetExpected());
    switch (m_responder->OnPacket(packet))
    {
    case RdmaResponderVerdict::ACCEPT:
        if (Execute(frame) && frame.ackReq)
        {
            SendAeth(RdmaAeth::ACK | RdmaAeth::NO_CREDITS, m_responder->GetExpected() - 1);
        }
        break;
    case RdmaResponderVerdict::DUPLICATE:
        ++m_stats.duplicates;
        SendAeth(RdmaAeth::ACK | RdmaAeth::NO_CREDITS, m_responder->GetExpected() - 1);
        break;
    case RdmaResponderVerdict::GAP:
        ++m_stats.outOfOrder;
        SendAeth(RdmaAeth::NAK | RdmaAeth::PSN_SEQUENCE_ERROR, m_responder->GetExpected());
        break;
    case RdmaResponderVerdict::IGNORE:
        ++m_stats.outOfOrder;
        break;
    }
}

bool
RdmaQueuePair::Execute(const QbbFrame& frame)
{
    const RdmaOpcodeInfo& info = GetRdmaOpcodeInfo(frame.opcode);
    const bool isSend = frame.opcode <= static_cast<uint8_t>(RdmaOpcode::SEND_ONLY_WITH_IMMEDIATE);
    const bool isWrite =
        frame.opcode >= static_cast<uint8_t>(RdmaOpcode::RDMA_WRITE_FIRST) &&
        frame.opcode <= static_cast<uint8_t>(RdmaOpcode::RDMA_WRITE_ONLY_WITH_IMMEDIATE);
    if ((!isSend && !isWrite) || info.first == m_inMessage)
    {
        SendAeth(RdmaAeth::NAK | RdmaAeth::INVALID_REQUEST, m_responder->GetExpected() - 1);
        Fail(RdmaWcStatus::REM_INV_REQ_ERR);
        return false;
    }
    // A SEND takes a receive request at its first packet, a write with immediate at its last.
    const bool needsReceive = (isSend && info.first) || (isWrite && info.immDt);
    if (needsReceive && m_receives.IsEmpty())
    {
        SendAeth(RdmaAeth::RNR_NAK | m_minRnrTimer, m_responder->GetExpected() - 1);
        m_responder->Refuse();
        return false;
    }
    m_messageBytes = (info.first ? 0 : m_messageBytes) + frame.payload;
    m_inMessage = !info.last;
    if (isSend && m_messageBytes > m_receives.Front().length)
    {
        SendAeth(RdmaAeth::NAK | RdmaAeth::INVALID_REQUEST, m_responder->GetExpected() - 1);
        CompleteReceive(RdmaWcStatus::LOC_LEN_ERR, m_messageBytes, nullptr);
        Fail(RdmaWcStatus::LOC_LEN_ERR);
        return false;
    }
    ++m_stats.packetsAccepted;
    if (info.last)
    {
        m_msn = (m_msn + 1) & QbbWire::MASK24;
        m_messageReceived({m_qpn, m_messageBytes, m_msn, QbbNowPs()});
        if (isSend || info.immDt)
        {
            CompleteReceive(RdmaWcStatus::SUCCESS, m_messageBytes, &frame);
        }
    }
    return true;
}

void
RdmaQueuePair::CompleteReceive(RdmaWcStatus status, uint64_t bytes, const QbbFrame* frame)
{
    RdmaWorkCompletion completion;
    completion.id = m_receives.Pop().id;
    completion.status = status;
    completion.opcode = RdmaWcOpcode::RECV;
    completion.bytes = bytes;
    if (frame)
    {
        const RdmaOpcodeInfo& info = GetRdmaOpcodeInfo(frame->opcode);
        if (frame->opcode >= static_cast<uint8_t>(RdmaOpcode::RDMA_WRITE_FIRST))
        {
            completion.opcode = RdmaWcOpcode::RECV_RDMA_WITH_IMM;
        }
        completion.hasImmediate = info.immDt;
        completion.immediate = info.immDt ? frame->immediate : 0;
    }
    completion.qpn = m_qpn;
    completion.timePs = QbbNowPs();
    GetReceiveCompletionQueue()->Add(completion);
}

void
RdmaQueuePair::FlushReceives()
{
    while (!m_receives.IsEmpty())
    {
        CompleteReceive(RdmaWcStatus::WR_FLUSH_ERR, 0, nullptr);
    }
}

void
RdmaQueuePair::SendAeth(uint8_t syndrome, uint64_t packet)
{
    QbbFramePtr frame = m_nic->GetPool().Allocate(m_frame);
    frame->ecn = 0;
    frame->opcode = static_cast<uint8_t>(RdmaOpcode::ACKNOWLEDGE);
    frame->psn = RdmaToPsn(m_remotePsn, packet);
    frame->syndrome = syndrome;
    frame->msn = m_msn;
    frame->size =
        QbbWire::RoceFrameBytes(GetRdmaOpcodeInfo(RdmaOpcode::ACKNOWLEDGE), 0, frame->tagged);
    ++((syndrome & RdmaAeth::KIND_MASK) == RdmaAeth::ACK ? m_stats.acksSent : m_stats.naksSent);
    QbbNetDevice& port = m_nic->GetDevice(m_port);
    port.Enqueue(std::move(frame), port.GetArrivalFs());
}

void
RdmaQueuePair::NotifyCongestion()
{
    const int64_t nowPs = QbbNowPs();
    const int64_t intervalPs = m_nic->GetCnpIntervalPs();
    if (intervalPs == 0 || nowPs < m_nextCnpPs)
    {
        return;
    }
    m_nextCnpPs = nowPs + intervalPs;
    QbbNetDevice& port = m_nic->GetDevice(m_port);
    QbbFramePtr frame = m_nic->GetPool().Allocate(m_frame);
    frame->ecn = 0;
    frame->dscp = m_cnpDscp;
    frame->opcode = static_cast<uint8_t>(RdmaOpcode::CNP);
    frame->becn = true;
    frame->size = QbbWire::RoceFrameBytes(GetRdmaOpcodeInfo(RdmaOpcode::CNP), 0, frame->tagged);
    frame->priority = port.GetClassifier().ClassifyDscp(m_cnpDscp);
    if (frame->tagged)
    {
        frame->tci = *port.GetTag(frame->priority);
    }
    frame->priority = port.GetClassifier().Classify(*frame);
    ++m_stats.cnpsSent;
    port.Enqueue(std::move(frame), port.GetArrivalFs());
}

// Accessors

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
