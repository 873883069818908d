/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-queue-pair.h"

#include "qbb-net-device.h"
#include "qbb-wire.h"
#include "rdma-fixed-type-id.h"
#include "rdma-psn.h"
#include "rdma-refuse.h"

#include <ns3/abort.h>
#include <ns3/boolean.h>
#include <ns3/log.h>
#include <ns3/trace-source-accessor.h>
#include <ns3/uinteger.h>

#include <optional>
#include <utility>
#include <vector>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaQueuePair");

NS_OBJECT_ENSURE_REGISTERED(RdmaQueuePair);

TypeId
RdmaQueuePair::GetTypeId()
{
    static TypeId tid =
        RdmaFixedTypeId<RdmaQueuePair>("ns3::RdmaQueuePair")
            .SetParent<Object>()
            .SetGroupName("Rdma")
            .AddConstructor<RdmaQueuePair>()
            .AddAttribute("PathMtu",
                          "Payload bytes of a full packet (path_mtu).",
                          UintegerValue(1024),
                          MakeField<&RdmaConnection::pathMtu>(),
                          MakeUintegerChecker<uint32_t>(256, 4096))
            .AddAttribute("Dscp",
                          "DSCP of data packets and acknowledgements. It determines their class.",
                          UintegerValue(26),
                          MakeUintegerAccessor(&RdmaQueuePair::m_dscp),
                          MakeUintegerChecker<uint8_t>(0, 63))
            .AddAttribute("CnpDscp",
                          "DSCP of congestion notification packets.",
                          UintegerValue(48),
                          MakeUintegerAccessor(&RdmaQueuePair::m_cnpDscp),
                          MakeUintegerChecker<uint8_t>(0, 63))
            .AddAttribute("Ttl",
                          "IPv4 time to live of the queue pair's packets.",
                          UintegerValue(64),
                          MakeUintegerAccessor(&RdmaQueuePair::m_ttl),
                          MakeUintegerChecker<uint8_t>(1))
            .AddAttribute("SourcePort",
                          "UDP source port of the queue pair's packets, the entropy of their path. "
                          "0: a dynamic port, from a hash of both QPNs.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaQueuePair::m_sourcePort),
                          MakeUintegerChecker<uint16_t>())
            .AddAttribute(
                "SymmetricSourcePort",
                "With SourcePort 0, how the port is derived. True: as rdma-core derives it "
                "(rdma_calc_flow_label() and rdma_flow_label_to_udp_sport()), so that both "
                "directions use one port. False: each side hashes the QPNs separately.",
                BooleanValue(false),
                MakeBooleanAccessor(&RdmaQueuePair::m_symmetricPort),
                MakeBooleanChecker())
            .AddAttribute("EcnCapable",
                          "Send data packets with ECT(0), so that switches may mark them.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&RdmaQueuePair::m_ecnCapable),
                          MakeBooleanChecker())
            .AddAttribute("InitialPsn",
                          "PSN of the queue pair's first packet.",
                          UintegerValue(0),
                          MakeField<&RdmaConnection::initialPsn>(),
                          MakeUintegerChecker<uint32_t>(0, RDMA_PSN_SPACE - 1))
            .AddLiveAttribute(
                "MinRnrTimer",
                "Code of the time that the peer waits after an RNR NAK from this side "
                "(min_rnr_timer, IBA Vol. 1 table 45): 1 is 10 us, 31 is 491.52 ms, 0 is "
                "655.36 ms.",
                UintegerValue(1),
                MakeField<&RdmaConnection::minRnrTimer>(),
                MakeUintegerChecker<uint8_t>(0, 31))
            .AddLiveAttribute("MaxRdAtomic",
                              "Largest number of outstanding READs and atomics of this side "
                              "(max_rd_atomic), at most the peer's MaxDestRdAtomic.",
                              UintegerValue(16),
                              MakeField<&RdmaConnection::maxRdAtomic>(),
                              MakeUintegerChecker<uint8_t>(1, 255))
            .AddLiveAttribute(
                "MaxDestRdAtomic",
                "Largest number of the peer's outstanding READs and atomics that this side accepts "
                "(max_dest_rd_atomic). A further one is refused as an invalid request.",
                UintegerValue(16),
                MakeField<&RdmaConnection::maxDestRdAtomic>(),
                MakeUintegerChecker<uint8_t>(1, 255))
            .AddTraceSource("MessageReceived",
                            "A message has been received completely",
                            MakeTraceSourceAccessor(&RdmaQueuePair::m_messageReceived),
                            "ns3::RdmaQueuePair::MessageCallback")
            .AddTraceSource("SendCompleted",
                            "A send request has completed, with success or an error",
                            MakeTraceSourceAccessor(&RdmaQueuePair::m_sendCompleted),
                            "ns3::RdmaCompletionQueue::CompletionTracedCallback")
            .AddTraceSource("State",
                            "The state of the queue pair has changed",
                            MakeTraceSourceAccessor(&RdmaQueuePair::m_stateChanged),
                            "ns3::RdmaQueuePair::StateCallback");
    return tid;
}

RdmaQueuePair::RdmaQueuePair()
    : m_engine(*this)
{
}

RdmaQueuePair::RdmaQueuePair(const RdmaQueuePair& pattern)
    : Object(pattern),
      m_engine(*this)
{
    CopyAttributes(pattern);
}

void
RdmaQueuePair::CopyAttributes(const RdmaQueuePair& pattern)
{
    m_dscp = pattern.m_dscp;
    m_cnpDscp = pattern.m_cnpDscp;
    m_ttl = pattern.m_ttl;
    m_sourcePort = pattern.m_sourcePort;
    m_symmetricPort = pattern.m_symmetricPort;
    m_ecnCapable = pattern.m_ecnCapable;
    const RdmaConnection& from = pattern.m_engine.connection;
    RdmaConnection& to = m_engine.connection;
    to.minRnrTimer = from.minRnrTimer;
    to.maxRdAtomic = from.maxRdAtomic;
    to.maxDestRdAtomic = from.maxDestRdAtomic;
    to.pathMtu = from.pathMtu;
    to.initialPsn = from.initialPsn;
}

RdmaQueuePair::~RdmaQueuePair() = default;

Ptr<RdmaQueuePair>
RdmaQueuePair::MakeAlike() const
{
    return GetInstanceTypeId() == GetTypeId() ? Ptr<RdmaQueuePair>(new RdmaQueuePair(*this), false)
                                              : nullptr;
}

bool
RdmaQueuePair::IsSpare() const
{
    return GetReferenceCount() == 1 && !m_isAggregated && !HasSinks() &&
           GetInstanceTypeId() == GetTypeId();
}

void
RdmaQueuePair::NotifyNewAggregate()
{
    m_isAggregated = true;
    Object::NotifyNewAggregate();
}

void
RdmaQueuePair::Renew(const RdmaQueuePair& pattern)
{
    CopyAttributes(pattern);
    SetUser(nullptr, 0);
    m_sendQueue = nullptr;
    m_receiveQueue = nullptr;
}

void
RdmaQueuePair::DoDispose()
{
    m_engine.Stop();
    m_sendQueue = nullptr;
    m_receiveQueue = nullptr;
    Object::DoDispose();
}

const QbbPort&
RdmaQueuePair::GetDevice() const
{
    return m_engine.GetDevice();
}

Ptr<QbbNetDevice>
RdmaQueuePair::GetPort() const
{
    return Ptr<QbbNetDevice>(&m_engine.GetDevice());
}

RdmaRateController*
RdmaQueuePair::GetRateController() const
{
    const auto& reaction = m_engine.connection.reaction;
    return reaction ? &reaction->GetPacer().GetController() : nullptr;
}

void
RdmaQueuePair::SetPassive()
{
    const RdmaQpState state = GetState();
    NS_ABORT_MSG_IF(state != RdmaQpState::RESET && state != RdmaQpState::INIT,
                    "rdma: SetPassive() on a queue pair in state " << GetRdmaQpStateName(state)
                                                                   << "; accepted: RESET, INIT");
    m_engine.connection.passive = true;
}

void
RdmaQueuePair::PostSend(const RdmaSendRequest& request)
{
    NS_LOG_FUNCTION(this << request.id << request.length);
    const RdmaQpState state = GetState();
    NS_ABORT_MSG_IF(state != RdmaQpState::RTS && state != RdmaQpState::SQD &&
                        state != RdmaQpState::ERR,
                    "rdma: PostSend() on a queue pair in state " << GetRdmaQpStateName(state)
                                                                 << "; connect it first");
    NS_ABORT_MSG_IF(request.length > RDMA_MAX_MESSAGE_BYTES,
                    "rdma: a message of " << request.length << " bytes; accepted: 0.."
                                          << RDMA_MAX_MESSAGE_BYTES);
    if (state == RdmaQpState::ERR)
    {
        m_engine.GetRequester().Flush(request, RdmaNow());
        return;
    }
    m_engine.GetRequester().Post(request, RdmaNow());
    m_engine.SyncTimer();
}

void
RdmaQueuePair::PostReceive(const RdmaReceiveRequest& request)
{
    NS_ABORT_MSG_IF(GetState() == RdmaQpState::RESET,
                    "rdma: PostReceive() on a queue pair in RESET");
    NS_ABORT_MSG_IF(m_engine.GetResponder().GetSharedReceiveQueue(),
                    "rdma: PostReceive() on a queue pair that has a shared receive queue; post to "
                    "that");
    m_engine.GetResponder().PostReceive(request, RdmaNow());
}

void
RdmaQueuePair::ForEachQueue(const std::function<void(const Object& queue)>& visit) const
{
    for (const auto& queue : {m_sendQueue, m_receiveQueue})
    {
        if (queue)
        {
            visit(*queue);
        }
    }
    if (const auto& shared = m_engine.GetResponder().GetSharedReceiveQueue())
    {
        visit(*shared);
    }
}

void
RdmaQueuePair::SetSharedReceiveQueue(Ptr<RdmaSharedReceiveQueue> queue)
{
    NS_ABORT_MSG_IF(GetState() != RdmaQpState::INIT || m_engine.GetResponder().GetReceives() > 0,
                    "rdma: SetSharedReceiveQueue() on a queue pair in state "
                        << GetRdmaQpStateName(GetState()) << " with "
                        << m_engine.GetResponder().GetReceives()
                        << " receive requests; accepted: INIT, without any");
    m_engine.GetResponder().SetSharedReceiveQueue(queue);
}

RdmaQueuePairStats
RdmaQueuePair::GetStats() const
{
    RdmaQueuePairStats stats;
    static_cast<RdmaQueuePairCounters&>(stats) = m_engine.connection.counters;
    m_engine.GetRequester().AddTo(stats);
    m_engine.GetResponder().AddTo(stats);
    return stats;
}

void
RdmaQueuePair::SetState(RdmaQpState state)
{
    const RdmaQpState before = std::exchange(m_engine.connection.state, state);
    if (state != before)
    {
        NS_LOG_LOGIC("QP " << GetQpn() << " from " << GetRdmaQpStateName(before) << " to "
                           << GetRdmaQpStateName(state));
        m_stateChanged(before, state);
    }
}

void
RdmaQueuePair::Modify(const RdmaQpAttributes& attributes)
{
    NS_LOG_FUNCTION(this << GetRdmaQpStateName(attributes.state));
    const RdmaQpState from = GetState();
    const RdmaQpState to = attributes.state;
    attributes.Check(from);
    attributes.ApplyTo(m_engine.connection);
    if (to == RdmaQpState::RTR)
    {
        SetPeer(*attributes.remoteAddress, *attributes.remoteQpn);
    }
    if (attributes.HasRetryLimits())
    {
        m_engine.GetRequester().RenewSender(); // no request is posted in RTR
    }
    if (to == RdmaQpState::ERR)
    {
        m_engine.Fail(RdmaWcStatus::WR_FLUSH_ERR, 0);
        return;
    }
    if (to == RdmaQpState::RESET)
    {
        Reset();
        return;
    }
    if (to == RdmaQpState::SQD || from == RdmaQpState::SQD)
    {
        m_engine.GetRequester().SetDraining(to == RdmaQpState::SQD);
    }
    SetState(to);
    if (from == RdmaQpState::SQD && to == RdmaQpState::RTS)
    {
        m_engine.GetRequester().Release(RdmaNow());
        m_engine.SyncTimer();
    }
}

void
RdmaQueuePair::Reset()
{
    m_engine.Reset();
    SetState(RdmaQpState::RESET);
}

void
RdmaQueuePair::SetPriority(uint8_t priority)
{
    NS_ABORT_MSG_IF(GetFixed(),
                    "rdma: SetPriority() of a queue pair in state "
                        << GetRdmaQpStateName(GetState()) << "; accepted: " << GetFixed());
    const auto& classifier = GetPort()->GetClassifier();
    if (classifier.ClassifyDscp(m_dscp) == priority)
    {
        return;
    }
    const std::optional<uint8_t> dscp = classifier.FindDscp(priority);
    NS_ABORT_MSG_IF(!dscp, "rdma: no DSCP is mapped to class " << +priority);
    m_dscp = *dscp;
}

void
RdmaQueuePair::SetInitialPsn(uint32_t psn)
{
    NS_ABORT_MSG_IF(GetFixed(),
                    "rdma: SetInitialPsn() of a queue pair in state "
                        << GetRdmaQpStateName(GetState()) << "; accepted: " << GetFixed());
    NS_ABORT_MSG_IF(psn >= RDMA_PSN_SPACE,
                    "rdma: SetInitialPsn() to " << psn << "; accepted: 0.." << RDMA_PSN_SPACE - 1);
    m_engine.connection.initialPsn = psn;
}

void
RdmaQueuePair::Connect(Ipv4Address remoteAddress, uint32_t remoteQpn, uint32_t remotePsn)
{
    NS_LOG_FUNCTION(this << remoteAddress << remoteQpn << remotePsn);
    NS_ABORT_MSG_IF(GetState() != RdmaQpState::INIT,
                    "rdma: Connect() of a queue pair in state " << GetRdmaQpStateName(GetState())
                                                                << "; accepted: INIT");
    RdmaQpAttributes attributes;
    attributes.state = RdmaQpState::RTR;
    attributes.remoteAddress = remoteAddress;
    attributes.remoteQpn = remoteQpn;
    attributes.remotePsn = remotePsn;
    Modify(attributes);
    attributes = RdmaQpAttributes();
    attributes.state = RdmaQpState::RTS;
    Modify(attributes);
}

uint16_t
RdmaQueuePair::ChooseSourcePort(uint32_t qpn, uint32_t remoteQpn) const
{
    if (m_sourcePort > 0)
    {
        return m_sourcePort;
    }
    constexpr uint32_t DYNAMIC = 0xc000; // lowest dynamic port
    uint64_t entropy = QbbFlowHash(qpn, remoteQpn, 0, 0, 0);
    if (m_symmetricPort)
    {
        // rdma-core folds the product of both QPNs into a flow label of 20 bits. The port takes the
        // label's 14 low bits, XORed with its 6 high bits.
        entropy = uint64_t{qpn} * remoteQpn;
        entropy ^= entropy >> 20;
        entropy ^= entropy >> 40;
        entropy ^= (entropy & 0xfc000) >> 14;
    }
    return static_cast<uint16_t>(DYNAMIC | (entropy & 0x3fff));
}

uint32_t
RdmaQueuePair::PredictFlowHash(uint32_t qpn, Ipv4Address remoteAddress, uint32_t remoteQpn) const
{
    return QbbFlowHash(m_engine.GetFrame().srcIp,
                       remoteAddress.Get(),
                       QbbWire::IP_PROTOCOL_UDP,
                       ChooseSourcePort(qpn, remoteQpn),
                       QbbWire::ROCE_UDP_PORT);
}

void
RdmaQueuePair::SetPeer(Ipv4Address remoteAddress, uint32_t remoteQpn)
{
    QbbFrameHeaders headers;
    headers.type = QbbFrameType::ROCE;
    headers.etherType = QbbWire::ETHERTYPE_IPV4;
    headers.ipv4 = true;
    headers.dscp = m_dscp;
    headers.ecn = m_ecnCapable ? 2 : 0;
    headers.ttl = m_ttl;
    headers.protocol = QbbWire::IP_PROTOCOL_UDP;
    headers.srcIp = GetLocalAddress().Get();
    headers.dstIp = remoteAddress.Get();
    headers.srcPort = ChooseSourcePort(GetQpn(), remoteQpn);
    headers.dstPort = QbbWire::ROCE_UDP_PORT;
    headers.destQp = remoteQpn;
    headers.flowHash = QbbFlowHash(headers.srcIp,
                                   headers.dstIp,
                                   headers.protocol,
                                   headers.srcPort,
                                   headers.dstPort);
    CheckLink(m_engine.GetDevice());
    if (const std::vector<uint32_t> bond = m_engine.GetBond(); !bond.empty())
    {
        for (const uint32_t port : bond)
        {
            CheckLink(m_engine.GetDeviceOf(port));
            CheckBond(m_engine.GetDevice(), m_engine.GetDeviceOf(port));
        }
        m_engine.ChooseBondPort(headers.flowHash);
    }
    QbbPort& port = m_engine.GetDevice();
    headers.srcMac = port.GetMac();
    headers.dstMac = port.GetPeer()->GetMac();
    SetClass(headers, port);
    m_engine.SetFrame(headers, m_cnpDscp);
    m_engine.StartCongestionControl();
}

void
RdmaQueuePair::CheckLink(const QbbPort& port) const
{
    NS_ABORT_MSG_IF(!port.GetPeer(), "rdma: Connect() of a queue pair whose port has no cable");
    CheckPathMtu(port);
    CheckPathMtu(*port.GetPeer());
}

void
RdmaQueuePair::SetClass(QbbFrameHeaders& headers, QbbPort& port)
{
    const QbbClassifier& classifier = port.GetClassifier();
    headers.priority = classifier.ClassifyDscp(headers.dscp);
    if (const auto tag = port.GetTag(headers.priority))
    {
        headers.tagged = true;
        headers.tci = *tag;
    }
    headers.priority = classifier.Classify(headers);
}

void
RdmaQueuePair::CheckBond(QbbPort& first, QbbPort& other) const
{
    bool areAlike = first.GetLineRate().GetBitRate() == other.GetLineRate().GetBitRate() &&
                    first.GetLineOverheadBytes() == other.GetLineOverheadBytes();
    for (const uint8_t dscp : {m_dscp, m_cnpDscp})
    {
        QbbFrameHeaders a;
        a.ipv4 = true;
        a.dscp = dscp;
        QbbFrameHeaders b = a;
        SetClass(a, first);
        SetClass(b, other);
        areAlike = areAlike && a.priority == b.priority && a.tagged == b.tagged && a.tci == b.tci;
    }
    RefuseRdmaIf(!areAlike,
                 "ports ",
                 first.GetDeviceIndex(),
                 " and ",
                 other.GetDeviceIndex(),
                 " of node ",
                 first.GetNodeId(),
                 " are a bond and differ in rate, LineOverhead, class or tag of packets; accepted: "
                 "ports that are set alike");
}

void
RdmaQueuePair::CheckPathMtu(const QbbPort& port) const
{
    const RdmaPacketFormat& format = GetTransport()->GetPacketFormat();
    const uint32_t headers = QbbWire::IPV4_HEADER_BYTES + QbbWire::UDP_HEADER_BYTES +
                             QbbWire::BTH_BYTES + format.extensionBytes + QbbWire::ICRC_BYTES;
    RefuseRdmaIf(GetPathMtu() + headers > port.GetPacketMtu(),
                 "path MTU ",
                 GetPathMtu(),
                 " of a queue pair does not fit port ",
                 port.GetDeviceIndex(),
                 " of node ",
                 port.GetNodeId(),
                 ", which has port MTU ",
                 port.GetPacketMtu(),
                 "; set QbbNetDevice::Mtu to ",
                 GetPathMtu() + headers,
                 " or more (headers and ICRC take ",
                 headers,
                 " bytes)");
}

RdmaQueuePairSample
RdmaQueuePair::GetSample() const
{
    RdmaReactionPoint* const reaction = m_engine.connection.reaction.get();
    RdmaQueuePairSample sample;
    sample.time = RdmaNow();
    sample.qpn = GetQpn();
    sample.packetsInFlight = GetPacketsInFlight();
    sample.bytesInFlight =
        sample.packetsInFlight *
        (reaction ? reaction->GetPacer().GetPacketBytes() : m_engine.GetFullPacketBytes());
    sample.packetsAcknowledged = GetPacketsAcknowledged();
    if (reaction)
    {
        reaction->FillSample(sample);
    }
    return sample;
}

const char*
RdmaQueuePair::GetFixed() const
{
    return GetState() == RdmaQpState::RESET || GetState() == RdmaQpState::INIT
               ? nullptr
               : "before the queue pair is connected";
}

bool
RdmaQueuePair::HasSinks() const
{
    return !m_messageReceived.IsEmpty() || !m_sendCompleted.IsEmpty() || !m_stateChanged.IsEmpty();
}

void
RdmaQueuePair::ResumeResponder(uint64_t packets, uint64_t messages, uint64_t receives)
{
    NS_ABORT_MSG_IF(
        GetState() != RdmaQpState::RTS || m_engine.connection.counters.packetsAccepted > 0,
        "rdma: ResumeResponder() of a queue pair in state "
            << GetRdmaQpStateName(GetState()) << " that has executed "
            << m_engine.connection.counters.packetsAccepted << " packets; accepted: RTS, and none");
    m_engine.GetResponder().GetReceiver().Resume(packets);
    m_engine.GetResponder().Resume(receives);
    m_engine.connection.msn = static_cast<uint32_t>(messages & QbbWire::MASK24);
}

void
RdmaQueuePair::ResumeRequester(uint64_t receives)
{
    m_engine.GetRequester().Resume(receives);
}

void
RdmaQueuePair::ConnectPair(Ptr<RdmaQueuePair> a, Ptr<RdmaQueuePair> b)
{
    NS_ABORT_MSG_IF(a->GetPathMtu() != b->GetPathMtu() || &a->GetTransport()->GetPacketFormat() !=
                                                              &b->GetTransport()->GetPacketFormat(),
                    "rdma: two queue pairs to be connected have path MTUs "
                        << a->GetPathMtu() << " and " << b->GetPathMtu()
                        << ", or transports that do not understand each other; accepted: the same");
    a->Connect(b->GetLocalAddress(), b->GetQpn(), b->GetInitialPsn());
    b->Connect(a->GetLocalAddress(), a->GetQpn(), a->GetInitialPsn());
}

const Ptr<RdmaCompletionQueue>&
RdmaQueuePair::GetOrCreate(Ptr<RdmaCompletionQueue>& queue)
{
    if (!queue)
    {
        queue = CreateObject<RdmaCompletionQueue>();
    }
    return queue;
}

void
RdmaQueuePair::SendCompleted(const RdmaWorkCompletion& completion, bool queued)
{
    m_sendCompleted(completion);
    if (!queued)
    {
        return;
    }
    if (m_user)
    {
        m_user->SendCompleted(m_userId, completion);
        return;
    }
    GetOrCreate(m_sendQueue)->Add(completion);
}

void
RdmaQueuePair::ReceiveCompleted(const RdmaWorkCompletion& completion)
{
    if (m_user)
    {
        m_user->ReceiveCompleted(m_userId, completion);
        return;
    }
    GetOrCreate(m_receiveQueue)->Add(completion);
}

void
RdmaQueuePair::MessageArrived(const RdmaMessageArrival& arrival)
{
    m_messageReceived(arrival);
    if (m_user)
    {
        m_user->MessageReceived(m_userId, arrival);
    }
}

} // namespace ns3
