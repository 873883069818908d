/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-tcp-flow-runner.h"

#include "qbb-wire.h"
#include "rdma-fabric-network.h"
#include "rdma-part-name.h"
#include "rdma-refuse.h"
#include "rdma-tcp-host.h"
#include "rdma-tcp-shim.h"
#include "rdma-tcp-socket.h"
#include "rdma-time.h"
#include "rdma-warnings.h"

#include <ns3/abort.h>
#include <ns3/boolean.h>
#include <ns3/object-factory.h>
#include <ns3/rtt-estimator.h>
#include <ns3/simulator.h>
#include <ns3/tcp-congestion-ops.h>
#include <ns3/tcp-l4-protocol.h>
#include <ns3/tcp-recovery-ops.h>
#include <ns3/uinteger.h>

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaTcpFlowRunner);

namespace
{

/// Name of the class in program options.
const RdmaPartName g_iwarpName("iwarp",
                               RdmaTcpFlowRunner::GetTypeId(),
                               "",
                               "TCP of ns-3, under the verbs of iWARP");

} // namespace

TypeId
RdmaTcpFlowRunner::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaTcpFlowRunner")
            .SetParent<RdmaFlowRunnerBase>()
            .SetGroupName("Rdma")
            .AddConstructor<RdmaTcpFlowRunner>()
            .AddAttribute("CongestionControl",
                          "Congestion control of all connections, a TypeId of TcpCongestionOps.",
                          TypeIdValue(TcpNewReno::GetTypeId()),
                          MakeTypeIdAccessor(&RdmaTcpFlowRunner::m_congestionControl),
                          MakeTypeIdChecker())
            .AddAttribute("InitialCwnd",
                          "Congestion window of a new connection, in segments (RFC 6928).",
                          UintegerValue(10),
                          MakeUintegerAccessor(&RdmaTcpFlowRunner::m_initialCwnd),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("SegmentSize",
                          "Payload of a full segment in bytes.",
                          UintegerValue(1024),
                          MakeUintegerAccessor(&RdmaTcpFlowRunner::m_segmentSize),
                          MakeUintegerChecker<uint32_t>(1, 65495))
            .AddAttribute("BufferSize",
                          "Send and receive buffer of each connection in bytes, the upper limit of "
                          "the window.",
                          UintegerValue(4 << 20),
                          MakeUintegerAccessor(&RdmaTcpFlowRunner::m_bufferSize),
                          MakeUintegerChecker<uint32_t>(1, 1 << 30))
            .AddAttribute(
                "MinRto",
                "Smallest retransmission timeout, and initial timeout of a connection "
                "without a measured round-trip time. 0: longer than the longest round trip "
                "through one full queue of the network, and at least 100 us (RTO_high of the "
                "IRN paper).",
                TimeValue(Time(0)),
                MakeTimeAccessor(&RdmaTcpFlowRunner::m_minRto),
                MakeTimeChecker(Time(0)))
            .AddAttribute("DataRetries",
                          "Consecutive timeouts before a flow fails with IBV_WC_RETRY_EXC_ERR; "
                          "4294967295 means no limit.",
                          UintegerValue(7),
                          MakeUintegerAccessor(&RdmaTcpFlowRunner::m_dataRetries),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("DelAckCount",
                          "Number of segments per acknowledgement.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&RdmaTcpFlowRunner::m_delAckCount),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("DelAckTimeout",
                          "Longest delay of an acknowledgement that waits for further segments.",
                          TimeValue(MicroSeconds(50)),
                          MakeTimeAccessor(&RdmaTcpFlowRunner::m_delAckTimeout),
                          RdmaMakePositiveTimeChecker())
            .AddAttribute("UseEcn",
                          "Segments are ECN-capable, and senders reduce their rate after CE marks.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RdmaTcpFlowRunner::m_useEcn),
                          MakeBooleanChecker())
            .AddAttribute("Port",
                          "TCP port on which hosts accept connections; senders use higher ports.",
                          UintegerValue(50000),
                          MakeUintegerAccessor(&RdmaTcpFlowRunner::m_port),
                          MakeUintegerChecker<uint16_t>(1, RdmaTcpHost::MAX_PORT - 1));
    return tid;
}

RdmaTcpFlowRunner::RdmaTcpFlowRunner()
{
}

RdmaTcpFlowRunner::~RdmaTcpFlowRunner()
{
}

Ptr<RdmaTcpFlowRunner>
RdmaTcpFlowRunner::Make(Ptr<RdmaFabric> fabric, const std::vector<RdmaFlow>& flows)
{
    auto runner = CreateObject<RdmaTcpFlowRunner>();
    runner->Install(fabric, flows);
    return runner;
}

void
RdmaTcpFlowRunner::DoDispose()
{
    m_connections.clear();
    m_hosts.clear();
    m_shim.reset();
    RdmaFlowRunnerBase::DoDispose();
}

void
RdmaTcpFlowRunner::CheckAttributes() const
{
    // Check an instance, because not all TypeIds of ns-3 declare their parent.
    RefuseRdmaIf(
        !m_congestionControl.HasConstructor() ||
            !DynamicCast<TcpCongestionOps>(ObjectFactory(m_congestionControl.GetName()).Create()),
        "RdmaTcpFlowRunner::CongestionControl is ",
        m_congestionControl.GetName(),
        "; accepted: types of TcpCongestionOps, such as ns3::TcpCubic");
    RefuseRdmaIf(m_bufferSize < m_segmentSize,
                 "RdmaTcpFlowRunner::BufferSize is ",
                 m_bufferSize,
                 " bytes; accepted: a segment, ",
                 m_segmentSize,
                 " bytes, and more");
}

Ptr<RdmaTcpSocket>
RdmaTcpFlowRunner::MakeSocket(Ptr<Node> node) const
{
    const auto tcp = node->GetObject<TcpL4Protocol>();
    TypeIdValue rttType;
    TypeIdValue recoveryType;
    tcp->GetAttribute("RttEstimatorType", rttType);
    tcp->GetAttribute("RecoveryType", recoveryType);
    ObjectFactory rtt;
    ObjectFactory recovery;
    ObjectFactory congestion;
    rtt.SetTypeId(rttType.Get());
    rtt.Set("InitialEstimation", TimeValue(Time(0)));
    recovery.SetTypeId(recoveryType.Get());
    congestion.SetTypeId(m_congestionControl);

    auto socket = CreateObject<RdmaTcpSocket>();
    socket->SetNode(node);
    socket->SetTcp(tcp);
    socket->SetRtt(rtt.Create<RttEstimator>());
    socket->SetCongestionControlAlgorithm(congestion.Create<TcpCongestionOps>());
    socket->SetRecoveryAlgorithm(recovery.Create<TcpRecoveryOps>());
    socket->SetAttribute("SegmentSize", UintegerValue(m_segmentSize));
    socket->SetAttribute("InitialCwnd", UintegerValue(m_initialCwnd));
    socket->SetAttribute("SndBufSize", UintegerValue(m_bufferSize));
    socket->SetAttribute("RcvBufSize", UintegerValue(m_bufferSize));
    socket->SetAttribute("MinRto", TimeValue(m_minRto));
    // RFC 6298 bounds the variation term below by the clock granularity, 0 for a simulated clock.
    socket->SetAttribute("ClockGranularity", TimeValue(Time(0)));
    socket->SetAttribute("DataRetries", UintegerValue(m_dataRetries));
    socket->SetAttribute("DelAckCount", UintegerValue(m_delAckCount));
    socket->SetAttribute("DelAckTimeout", TimeValue(m_delAckTimeout));
    socket->SetAttribute("TcpNoDelay", BooleanValue(true));
    socket->SetAttribute("Timestamp", BooleanValue(false));
    socket->SetUseEcn(m_useEcn ? TcpSocketState::On : TcpSocketState::Off);
    return socket;
}

void
RdmaTcpFlowRunner::DoInstall()
{
    if (GetFabric()->GetTopology().HasChoiceOfPorts())
    {
        RdmaWarnOnce(GetRdmaWarnings(),
                     "rdma: note: flows over TCP use the first port of each host alone\n");
    }
    CheckAttributes();
    if (m_minRto.IsZero())
    {
        constexpr uint32_t HEADERS = QbbWire::MAC_HEADER_BYTES + QbbWire::IPV4_HEADER_BYTES +
                                     RdmaTcpHost::TCP_HEADER_BYTES + QbbWire::FCS_BYTES;
        RdmaNetworkTimes times = GetRdmaNetworkTimes(*GetFabric(),
                                                     ExamineRdmaNetwork(*GetFabric()),
                                                     0xff,
                                                     m_segmentSize + HEADERS,
                                                     std::max(HEADERS, QbbWire::MIN_FRAME_BYTES));
        times.roundTrip += RdmaToPs(m_delAckCount > 1 ? m_delAckTimeout : Time(0));
        m_minRto = RdmaToTime(times.GetTimeout());
    }
    m_shim = std::make_unique<RdmaTcpShim>(m_port);
}

void
RdmaTcpFlowRunner::DoAdd(uint64_t /* first */)
{
    m_connections.resize(GetNFlows());
}

RdmaTcpHost&
RdmaTcpFlowRunner::PrepareHost(uint32_t id)
{
    std::unique_ptr<RdmaTcpHost>& host = m_hosts[id];
    if (host)
    {
        return *host;
    }
    const auto node = GetFabric()->GetNode(id);
    const auto address = GetFabric()->GetAddress(id);
    const auto port = GetFabric()->GetNic(id)->GetPort(0);
    host = std::make_unique<RdmaTcpHost>(id, node, port, address, m_segmentSize);
    m_shim->AddHost(node, address, host->GetDscps());
    const auto accepted = MakeCallback(&RdmaTcpFlowRunner::OnAccept, this);
    NS_ABORT_MSG_IF(!host->Listen(MakeSocket(node), m_port, accepted),
                    "rdma: TCP port " << m_port << " of host " << id
                                      << " is taken; set RdmaTcpFlowRunner::Port");
    return *host;
}

RdmaPs
RdmaTcpFlowRunner::DoPrepare(uint64_t index)
{
    const RdmaFlow& flow = GetFlow(index);
    RefuseRdmaIf(
        flow.nic != RdmaFlow::ANY_NIC || flow.queuePairs > 0,
        "flow ",
        flow.id,
        " names a NIC or a number of queue pairs, and a flow over TCP has one connection at "
        "the first port of its host; accepted: flows without the columns nic and "
        "queue_pairs");
    RdmaTcpHost& destination = PrepareHost(flow.dstHost);
    RdmaTcpHost& source = PrepareHost(flow.srcHost);
    source.AddPeer(GetFabric()->GetAddress(flow.dstHost));
    destination.AddPeer(GetFabric()->GetAddress(flow.srcHost));
    NS_ABORT_MSG_IF(!source.HasDscp(flow.priority) || !destination.HasDscp(flow.priority),
                    "rdma: no DSCP is mapped to class " << flow.priority);
    // Assign TCP ports in the order of flow ids, so that paths are known before flows start.
    m_connections[index].port = source.NextPort(m_port);
    return ComputeIdeal(index);
}

InetSocketAddress
RdmaTcpFlowRunner::GetLocal(uint64_t index) const
{
    return {GetFabric()->GetAddress(GetFlow(index).srcHost), m_connections[index].port};
}

RdmaPs
RdmaTcpFlowRunner::ComputeIdeal(uint64_t index) const
{
    const RdmaFlow& flow = GetFlow(index);
    const auto port = GetFabric()->GetNic(flow.srcHost)->GetPort(0);
    const auto source = GetFabric()->GetAddress(flow.srcHost);
    const auto destination = GetFabric()->GetAddress(flow.dstHost);
    const auto path = GetFabric()->GetPath(port,
                                           destination,
                                           QbbFlowHash(source.Get(),
                                                       destination.Get(),
                                                       QbbWire::IP_PROTOCOL_TCP,
                                                       m_connections[index].port,
                                                       m_port));
    const uint32_t headers = QbbWire::MAC_HEADER_BYTES + QbbWire::IPV4_HEADER_BYTES +
                             RdmaTcpHost::TCP_HEADER_BYTES + QbbWire::FCS_BYTES +
                             (port->GetTag(0) ? QbbWire::VLAN_TAG_BYTES : 0);
    return GetIdeal(flow,
                    path,
                    MakeRdmaIdealFrames(flow.bytes, m_segmentSize, headers, 0, 0, 1),
                    *port);
}

void
RdmaTcpFlowRunner::DoStart(uint64_t index)
{
    const RdmaFlow& flow = GetFlow(index);
    const InetSocketAddress local = GetLocal(index);
    m_connections[index].sender = MakeSocket(GetFabric()->GetNode(flow.srcHost));
    RdmaTcpSocket& sender = *m_connections[index].sender;
    NS_ABORT_MSG_IF(!m_hosts.at(flow.srcHost)->Bind(sender, local.GetPort()),
                    "rdma: flow " << flow.id << ": TCP port " << local.GetPort() << " of host "
                                  << flow.srcHost << " is taken; a host can have "
                                  << RdmaTcpHost::MAX_PORT - m_port << " flows at once");
    sender.SetConnectCallback(
        Callback<void, Ptr<Socket>>([this, index](Ptr<Socket>) { OnConnect(index); }),
        Callback<void, Ptr<Socket>>([id = flow.id](Ptr<Socket>) {
            NS_ABORT_MSG("rdma: the connection of flow " << id << " was refused");
        }));
    sender.SetSendCallback(Callback<void, Ptr<Socket>, uint32_t>(
        [this, index](Ptr<Socket>, uint32_t space) { OnSpace(index, space); }));
    sender.SetCloseCallbacks(MakeNullCallback<void, Ptr<Socket>>(),
                             Callback<void, Ptr<Socket>>([this, index](Ptr<Socket>) {
                                 End(index, RdmaWcStatus::RETRY_EXC_ERR);
                             }));
    m_opening[MakeRdmaTcpKey(local.GetIpv4(), local.GetPort())] = index;
    m_shim->SetOpening(local, true);
    NS_ABORT_MSG_IF(
        sender.Connect(InetSocketAddress(GetFabric()->GetAddress(flow.dstHost), m_port)) != 0,
        "rdma: the stack of host " << flow.srcHost << " has no route to host " << flow.dstHost);
}

void
RdmaTcpFlowRunner::OnConnect(uint64_t index)
{
    const RdmaFlow& flow = GetFlow(index);
    const InetSocketAddress local = GetLocal(index);
    m_shim->SetOpening(local, false);
    m_opening.erase(MakeRdmaTcpKey(local.GetIpv4(), local.GetPort()));
    const auto priority = static_cast<uint8_t>(flow.priority);
    RdmaTcpSocket& sender = *m_connections[index].sender;
    RdmaTcpShim::SetClass(sender, priority);
    sender.SetHost(m_hosts.at(flow.srcHost).get(), priority);
}

void
RdmaTcpFlowRunner::OnAccept(Ptr<Socket> socket, const Address& from)
{
    const auto client = InetSocketAddress::ConvertFrom(from);
    const auto found = m_opening.find(MakeRdmaTcpKey(client.GetIpv4(), client.GetPort()));
    NS_ABORT_MSG_IF(found == m_opening.end(),
                    "rdma: " << client.GetIpv4() << " port " << client.GetPort()
                             << " connects to a port of RdmaTcpFlowRunner and is none of its "
                             << "flows; set RdmaTcpFlowRunner::Port");
    const uint64_t index = found->second;
    Connection& connection = m_connections[index];
    connection.receiver = DynamicCast<RdmaTcpSocket>(socket);
    RdmaTcpShim::SetClass(*socket, static_cast<uint8_t>(GetFlow(index).priority));
    socket->SetRecvCallback(
        Callback<void, Ptr<Socket>>([this, index](Ptr<Socket>) { OnData(index); }));
}

void
RdmaTcpFlowRunner::OnSpace(uint64_t index, uint32_t space)
{
    Connection& connection = m_connections[index];
    const uint64_t left = GetFlow(index).bytes - connection.written;
    if (left == 0)
    {
        if (space == m_bufferSize && !HasEnded(index))
        {
            End(index, RdmaWcStatus::SUCCESS);
        }
        return;
    }
    // Write full segments, so that only the last segment can be short.
    const uint32_t part =
        left <= space ? static_cast<uint32_t>(left) : space / m_segmentSize * m_segmentSize;
    if (part > 0)
    {
        connection.written += part;
        connection.sender->Send(Create<Packet>(part), 0);
    }
}

void
RdmaTcpFlowRunner::OnData(uint64_t index)
{
    Connection& connection = m_connections[index];
    while (const auto packet = connection.receiver->Recv(UINT32_MAX, 0))
    {
        connection.read += packet->GetSize();
    }
    if (connection.read == GetFlow(index).bytes)
    {
        FlowArrived(index, RdmaNow());
    }
}

void
RdmaTcpFlowRunner::End(uint64_t index, RdmaWcStatus status)
{
    // Defer the cleanup, because this call comes from within the sockets.
    Simulator::ScheduleNow(&RdmaTcpFlowRunner::Forget, this, index);
    FlowEnded(index, status, RdmaNow());
}

void
RdmaTcpFlowRunner::Forget(uint64_t index)
{
    KeepRetries(index);
    Connection& connection = m_connections[index];
    for (auto* socket : {&connection.sender, &connection.receiver})
    {
        (*socket)->Drop();
        *socket = nullptr;
    }
}

std::optional<RdmaFlowRetries>
RdmaTcpFlowRunner::DoGetRetries(uint64_t index) const
{
    const auto& sender = m_connections[index].sender;
    if (!sender)
    {
        return {};
    }
    return RdmaFlowRetries{sender->GetRetransmitted(), sender->GetTimeouts()};
}

std::string
RdmaTcpFlowRunner::DoDescribe(uint64_t index, bool arrived) const
{
    const RdmaFlow& flow = GetFlow(index);
    const RdmaTcpSocket& sender = *m_connections[index].sender;
    std::string text = DescribePort(*GetFabric()->GetNic(flow.srcHost)->GetPort(0),
                                    static_cast<uint8_t>(flow.priority));
    if (arrived)
    {
        text = "all bytes arrived; acknowledgement outstanding";
    }
    else if (text.empty())
    {
        text = "waits for acknowledgements of " + std::to_string(sender.GetBytesInFlight()) +
               " bytes in a window of " + std::to_string(sender.GetCongestionWindow());
    }
    const uint32_t unacknowledged = m_bufferSize - sender.GetTxAvailable();
    return text + "; " + std::to_string(m_connections[index].written - unacknowledged) + " of " +
           std::to_string(flow.bytes) + " bytes acknowledged";
}

} // namespace ns3
