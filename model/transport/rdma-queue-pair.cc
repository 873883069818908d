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
            .AddAttribute("SourcePort",
                          "UDP source port of its packets, the entropy of their path; 0 means one "
                          "of the dynamic ports, by a hash of both QPNs.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaQueuePair::m_sourcePort),
                          MakeUintegerChecker<uint16_t>())
            .AddAttribute("SymmetricSourcePort",
                          "With SourcePort 0: the port is rdma-core's (rdma_calc_flow_label() and "
                          "rdma_flow_label_to_udp_sport()), the same in both directions; false: "
                          "each side has its own.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RdmaQueuePair::m_symmetricPort),
                          MakeBooleanChecker())
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
            .AddAttribute("MaxRdAtomic",
                          "READs and atomics of this side that may be outstanding (max_rd_atomic); "
                          "the peer must take as many.",
                          UintegerValue(16),
                          MakeUintegerAccessor(&RdmaQueuePair::m_maxRdAtomic),
                          MakeUintegerChecker<uint8_t>(1, 255))
            .AddAttribute("MaxDestRdAtomic",
                          "READs and atomics of the peer that this side takes at a time "
                          "(max_dest_rd_atomic); one more is an invalid request.",
                          UintegerValue(16),
                          MakeUintegerAccessor(&RdmaQueuePair::m_maxDestRdAtomic),
                          MakeUintegerChecker<uint8_t>(1, 255))
            .AddTraceSource("MessageReceived",
                            "A message has come in completely",
                            MakeTraceSourceAccessor(&RdmaQueuePair::m_messageReceived),
                            "ns3::RdmaQueuePair::MessageCallback")
            .AddTraceSource("SendCompleted",
                            "A send request has ended, well or not",
                            MakeTraceSourceAccessor(&RdmaQueuePair::m_sendCompleted),
                            "ns3::RdmaCompletionQueue::CompletionTracedCallback")
            .AddTraceSource("State",
                            "The state has changed",
                            MakeTraceSourceAccessor(&RdmaQueuePair::m_stateChanged),
                            "ns3::RdmaQueuePair::StateCallback");
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
    m_responsesReady = false;
    m_nic = nullptr;
    m_sends.Clear();
    m_receives.Clear();
    m_reads.reset();
    m_responses.reset();
    m_pacer.reset();
    m_kept.reset();
    m_sendQueue = nullptr;
    m_receiveQueue = nullptr;
    m_sharedReceives = nullptr;
    m_transport = nullptr;
    Object::DoDispose();
}

void
RdmaQueuePair::Bind(RdmaNic* nic, uint32_t port, uint32_t qpn, Ptr<RdmaTransport> transport)
{
    m_nic = nic;
    m_port = port;
    m_qpn = qpn;
    m_transport = transport;
    m_ackInterval = transport->GetAckInterval();
    m_wireFormat = transport->GetWireFormat();
    MakeHalves();
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
RdmaQueuePair::PostSend(const RdmaSendRequest& request)
{
    NS_LOG_FUNCTION(this << request.id << request.length);
    NS_ABORT_MSG_IF(m_state != RdmaQpState::RTS && m_state != RdmaQpState::SQD &&
                        m_state != RdmaQpState::ERR,
                    "rdma: PostSend() on a queue pair in state " << GetRdmaQpStateName(m_state)
                                                                 << "; connect it first");
    NS_ABORT_MSG_IF(request.length > RDMA_MAX_MESSAGE_BYTES,
                    "rdma: a message of " << request.length << " bytes; accepted: 0.."
                                          << RDMA_MAX_MESSAGE_BYTES);
    SendEntry entry;
    entry.request = request;
    if (m_state == RdmaQpState::ERR)
    {
        Complete(entry, RdmaWcStatus::WR_FLUSH_ERR);
        return;
    }
    const bool isRead = IsRdmaRead(request.opcode);
    const bool isAtomic = isRead && request.opcode != RdmaWrOpcode::RDMA_READ;
    if (isAtomic)
    {
        entry.request.length = RDMA_ATOMIC_BYTES;
    }
    const uint64_t packets = GetRdmaPackets(entry.request.length, m_pathMtu);
    entry.packets = static_cast<uint32_t>(IsIrn() && isRead ? 1 : packets);
    entry.firstPacket = m_posted;
    if (isRead)
    {
        NS_ABORT_MSG_IF(!IsIrn() && packets >= RDMA_MAX_WINDOW,
                        "rdma: a READ of " << request.length << " bytes at path MTU " << m_pathMtu
                                           << "; accepted: below " << RDMA_MAX_WINDOW * m_pathMtu
                                           << ", for its responses take PSNs");
        entry.responses = static_cast<uint32_t>(packets);
        entry.firstResponse = IsIrn() ? m_responsesPosted : m_posted;
        entry.wqeSn = m_readSn++ & QbbWire::MASK24;
        m_responsesPosted += packets;
    }
    else if (request.opcode != RdmaWrOpcode::RDMA_WRITE)
    {
        entry.wqeSn = m_sendSn++ & QbbWire::MASK24;
    }
    m_posted += entry.packets;
    m_sends.Push(std::move(entry));
    ReleaseSends();
}

void
RdmaQueuePair::PostReceive(const RdmaReceiveRequest& request)
{
    NS_ABORT_MSG_IF(m_state == RdmaQpState::RESET, "rdma: PostReceive() on a queue pair in RESET");
    NS_ABORT_MSG_IF(m_sharedReceives,
                    "rdma: PostReceive() on a queue pair that has a shared receive queue; post to "
                    "that");
    m_receives.Push(RdmaReceiveRequest(request));
    if (m_state == RdmaQpState::ERR)
    {
        FlushReceives();
    }
}

void
RdmaQueuePair::SetSharedReceiveQueue(Ptr<RdmaSharedReceiveQueue> queue)
{
    NS_ABORT_MSG_IF(m_state != RdmaQpState::INIT || !m_receives.IsEmpty(),
                    "rdma: SetSharedReceiveQueue() on a queue pair in state "
                        << GetRdmaQpStateName(m_state) << " with " << m_receives.GetSize()
                        << " receive requests; accepted: INIT, without any");
    m_sharedReceives = queue;
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
    return m_sender->GetHighestSent() - m_sender->GetAcked();
}

uint64_t
RdmaQueuePair::GetPacketsAcknowledged() const
{
    return m_sender->GetAcked();
}

RdmaQueuePairStats
RdmaQueuePair::GetStats() const
{
    RdmaQueuePairStats stats;
    static_cast<RdmaQueuePairCounters&>(stats) = m_stats;
    stats.packetsRetransmitted = m_sender->GetRetransmissions();
    stats.timeouts = m_sender->GetTimeouts();
    if (m_reads)
    {
        stats.responsesAccepted = m_reads->accepted;
        stats.responseTimeouts = m_reads->timeouts;
    }
    if (m_responses)
    {
        stats.responsesSent = m_responses->sent;
    }
    if (m_responses && m_responses->sender)
    {
        stats.responsesRetransmitted = m_responses->sender->GetRetransmissions();
        stats.timeouts += m_responses->sender->GetTimeouts();
    }
    return stats;
}

} // namespace ns3
