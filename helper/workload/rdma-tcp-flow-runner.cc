/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-tcp-flow-runner.h"

#include "qbb-wire.h"
#include "rdma-ideal-fct.h"
#include "rdma-tcp-port.h"
#include "rdma-tcp-shim.h"
#include "rdma-tcp-socket.h"

#include <ns3/abort.h>
#include <ns3/arp-cache.h>
#include <ns3/boolean.h>
#include <ns3/ipv4-interface.h>
#include <ns3/object-factory.h>
#include <ns3/simulator.h>
#include <ns3/tcp-congestion-ops.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <sstream>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaTcpFlowRunner);

namespace
{

constexpr uint32_t TCP_HEADER_BYTES = 20;
constexpr uint32_t MAX_TCP_PORT = 65535;
constexpr uint8_t NO_DSCP = 64;

/** \param classifier classifier of a port \return one DSCP for each traffic class */
std::array<uint8_t, 8>
GetDscps(const QbbClassifier& classifier)
{
    std::array<uint8_t, 8> dscps;
    dscps.fill(NO_DSCP);
    for (uint8_t dscp = NO_DSCP; dscp-- > 0;)
    {
        dscps[classifier.ClassifyDscp(dscp)] = dscp;
    }
    return dscps;
}

/** \param socket a new socket \param device its port \param local address \return success */
bool
BindSocket(RdmaTcpSocket& socket, Ptr<QbbNetDevice> device, const InetSocketAddress& local)
{
    // Bind() needs the device to detect an address that is in use; the second BindToNetDevice()
    // binds the endpoint, which only exists after Bind().
    socket.BindToNetDevice(device);
    if (socket.Bind(local) != 0)
    {
        return false;
    }
    socket.BindToNetDevice(device);
    return true;
}

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
            .AddAttribute("MinRto",
                          "Smallest retransmission timeout, and initial timeout of a connection "
                          "without a measured round-trip time; RTO_high of the IRN paper.",
                          TimeValue(MicroSeconds(320)),
                          MakeTimeAccessor(&RdmaTcpFlowRunner::m_minRto),
                          MakeTimeChecker(PicoSeconds(1)))
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
                          MakeTimeChecker(PicoSeconds(1)))
            .AddAttribute("UseEcn",
                          "Segments are ECN-capable, and senders reduce their rate after CE marks.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RdmaTcpFlowRunner::m_useEcn),
                          MakeBooleanChecker())
            .AddAttribute("Port",
                          "TCP port on which hosts accept connections; senders use higher ports.",
                          UintegerValue(50000),
                          MakeUintegerAccessor(&RdmaTcpFlowRunner::m_port),
                          MakeUintegerChecker<uint16_t>(1, MAX_TCP_PORT - 1));
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
RdmaTcpFlowRunner::DoInstall()
{
    // Check an instance, because not all TypeIds of ns-3 declare their parent.
    NS_ABORT_MSG_IF(
        !m_congestionControl.HasConstructor() ||
            !DynamicCast<TcpCongestionOps>(ObjectFactory(m_congestionControl.GetName()).Create()),
        "rdma: RdmaTcpFlowRunner::CongestionControl is "
            << m_congestionControl.GetName()
            << "; accepted: types of TcpCongestionOps, such as ns3::TcpCubic");
    NS_ABORT_MSG_IF(m_bufferSize < m_segmentSize,
                    "rdma: RdmaTcpFlowRunner::BufferSize is "
                        << m_bufferSize << " bytes; accepted: a segment, " << m_segmentSize
                        << " bytes, and more");
    m_shim = std::make_unique<RdmaTcpShim>(m_port);
    m_connections.resize(GetNFlows());
}

RdmaTcpFlowRunner::Host&
RdmaTcpFlowRunner::PrepareHost(uint32_t host)
{
    Host& entry = m_hosts[host];
    if (entry.listener)
    {
        return entry;
    }
    const auto node = GetFabric()->GetNode(host);
    NS_ABORT_MSG_IF(!node->GetObject<Ipv4L3Protocol>() || !node->GetObject<TcpL4Protocol>(),
                    "rdma: host " << host << " has no Internet stack for TCP; call "
                                  << "RdmaFabricHelper::SetInternetStack(true)");
    const auto address = GetFabric()->GetAddress(host);
    const auto port = GetFabric()->GetNic(host)->GetPort(0);
    NS_ABORT_MSG_IF(port->GetTrust() != QbbClassifier::TRUST_DSCP,
                    "rdma: host " << host
                                  << " has QbbNetDevice::Trust=Pcp; accepted for flows over "
                                  << "TCP: Dscp, because ns-3's stack does not choose the PCP");
    const uint32_t mtu = m_segmentSize + TCP_HEADER_BYTES + QbbWire::IPV4_HEADER_BYTES;
    NS_ABORT_MSG_IF(mtu > port->GetMtu(),
                    "rdma: segments of " << m_segmentSize << " bytes do not fit port MTU "
                                         << port->GetMtu() << " of host " << host
                                         << "; set QbbNetDevice::Mtu to " << mtu << " or more");
    entry.port = std::make_unique<RdmaTcpPort>(port);
    entry.dscps = GetDscps(port->GetClassifier());
    m_shim->AddHost(node, address, entry.dscps);
    // ns-3 flushes the ARP cache of a port when the state of its link changes.
    port->AddLinkChangeCallback(Callback<void>([this, host]() {
        for (const uint32_t peer : m_hosts.at(host).peers)
        {
            Resolve(host, Ipv4Address(peer));
        }
    }));
    entry.listener = MakeSocket(host);
    NS_ABORT_MSG_IF(!BindSocket(*entry.listener, port, InetSocketAddress(address, m_port)),
                    "rdma: TCP port " << m_port << " of host " << host
                                      << " is taken; set RdmaTcpFlowRunner::Port");
    entry.listener->Listen();
    entry.listener->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                      MakeCallback(&RdmaTcpFlowRunner::OnAccept, this));
    return entry;
}

void
RdmaTcpFlowRunner::AddPeer(uint32_t host, uint32_t peer)
{
    auto& peers = m_hosts.at(host).peers;
    const auto address = GetFabric()->GetAddress(peer);
    if (peers.insert(address.Get()).second)
    {
        Resolve(host, address);
    }
}

void
RdmaTcpFlowRunner::Resolve(uint32_t host, Ipv4Address destination)
{
    const auto port = GetFabric()->GetNic(host)->GetPort(0);
    const auto ip = GetFabric()->GetNode(host)->GetObject<Ipv4L3Protocol>();
    const auto interface = ip->GetInterfaceForDevice(port);
    const auto cache = ip->GetInterface(static_cast<uint32_t>(interface))->GetArpCache();
    if (!cache->Lookup(destination))
    {
        ArpCache::Entry* entry = cache->Add(destination);
        entry->SetMacAddress(port->GetPeer()->GetMac());
        entry->MarkPermanent();
    }
}

Ptr<RdmaTcpSocket>
RdmaTcpFlowRunner::MakeSocket(uint32_t host) const
{
    auto socket = RdmaTcpSocket::Make(GetFabric()->GetNode(host), m_congestionControl);
    socket->SetAttribute("SegmentSize", UintegerValue(m_segmentSize));
    socket->SetAttribute("InitialCwnd", UintegerValue(m_initialCwnd));
    socket->SetAttribute("SndBufSize", UintegerValue(m_bufferSize));
    socket->SetAttribute("RcvBufSize", UintegerValue(m_bufferSize));
    socket->SetAttribute("MinRto", TimeValue(m_minRto));
    // RFC 6298 adds the clock granularity to the timeout, which is zero for a simulated clock.
    socket->SetAttribute("ClockGranularity", TimeValue(Time(0)));
    socket->SetAttribute("DataRetries", UintegerValue(m_dataRetries));
    socket->SetAttribute("DelAckCount", UintegerValue(m_delAckCount));
    socket->SetAttribute("DelAckTimeout", TimeValue(m_delAckTimeout));
    socket->SetAttribute("TcpNoDelay", BooleanValue(true));
    socket->SetAttribute("Timestamp", BooleanValue(false));
    socket->SetUseEcn(m_useEcn ? TcpSocketState::On : TcpSocketState::Off);
    return socket;
}

QbbPs
RdmaTcpFlowRunner::DoPrepare(uint64_t index)
{
    const RdmaFlow& flow = GetFlow(index);
    Connection& connection = m_connections[index];
    const Host& destination = PrepareHost(flow.dstHost);
    Host& source = PrepareHost(flow.srcHost);
    AddPeer(flow.srcHost, flow.dstHost);
    AddPeer(flow.dstHost, flow.srcHost);
    NS_ABORT_MSG_IF(source.dscps[flow.priority] == NO_DSCP ||
                        destination.dscps[flow.priority] == NO_DSCP,
                    "rdma: no DSCP is mapped to class " << flow.priority);
    // Assign TCP ports in the order of flow ids, so that paths are known before flows start.
    connection.port = static_cast<uint16_t>(m_port + 1 + source.flows++ % (MAX_TCP_PORT - m_port));
    return ComputeIdeal(index);
}

QbbPs
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
    NS_ABORT_MSG_IF(path.empty(),
                    "rdma: flow " << flow.id << ": there is no path from host " << flow.srcHost
                                  << " to host " << flow.dstHost);
    RdmaLineOverhead overhead;
    if (port->GetLineOverheadBytes() == 0)
    {
        overhead = {0, 0};
    }
    const uint32_t headers = QbbWire::MAC_HEADER_BYTES + QbbWire::IPV4_HEADER_BYTES +
                             TCP_HEADER_BYTES + QbbWire::FCS_BYTES +
                             (port->GetTag(0) ? QbbWire::VLAN_TAG_BYTES : 0);
    RdmaIdealFrames frames = MakeRdmaIdealFrames(flow.bytes, m_segmentSize, headers, 0, 0, 1);
    return GetRdmaIdealFct(path, frames, overhead);
}

void
RdmaTcpFlowRunner::DoStart(uint64_t index)
{
    const RdmaFlow& flow = GetFlow(index);
    Connection& connection = m_connections[index];
    const auto address = GetFabric()->GetAddress(flow.srcHost);
    const InetSocketAddress local(address, connection.port);
    connection.sender = MakeSocket(flow.srcHost);
    RdmaTcpSocket& sender = *connection.sender;
    NS_ABORT_MSG_IF(!BindSocket(sender, GetFabric()->GetNic(flow.srcHost)->GetPort(0), local),
                    "rdma: flow " << flow.id << ": TCP port " << connection.port << " of host "
                                  << flow.srcHost << " is taken; a host can have "
                                  << MAX_TCP_PORT - m_port << " flows at once");
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
    m_opening[MakeRdmaTcpKey(address, connection.port)] = index;
    m_shim->Begin(local);
    NS_ABORT_MSG_IF(
        sender.Connect(InetSocketAddress(GetFabric()->GetAddress(flow.dstHost), m_port)) != 0,
        "rdma: the stack of host " << flow.srcHost << " has no route to host " << flow.dstHost);
}

void
RdmaTcpFlowRunner::OnConnect(uint64_t index)
{
    const uint32_t host = GetFlow(index).srcHost;
    const Connection& connection = m_connections[index];
    const InetSocketAddress local(GetFabric()->GetAddress(host), connection.port);
    m_shim->End(local);
    m_opening.erase(MakeRdmaTcpKey(local.GetIpv4(), local.GetPort()));
    const auto priority = static_cast<uint8_t>(GetFlow(index).priority);
    RdmaTcpShim::SetClass(*connection.sender, priority);
    connection.sender->SetPort(m_hosts.at(host).port.get(), priority);
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
        FlowArrived(index, QbbNow());
    }
}

void
RdmaTcpFlowRunner::End(uint64_t index, RdmaWcStatus status)
{
    // Defer the cleanup, because this call comes from within the sockets.
    Simulator::ScheduleNow(&RdmaTcpFlowRunner::Forget, this, index);
    FlowEnded(index, status, QbbNow());
}

void
RdmaTcpFlowRunner::Forget(uint64_t index)
{
    Connection& connection = m_connections[index];
    connection.retransmitted = connection.sender->GetRetransmitted();
    connection.timeouts = connection.sender->GetTimeouts();
    for (auto* socket : {&connection.sender, &connection.receiver})
    {
        (*socket)->Drop();
        *socket = nullptr;
    }
}

void
RdmaTcpFlowRunner::DoAddResult(uint64_t index, RdmaFlowResult& result) const
{
    const Connection& connection = m_connections[index];
    result.retransmittedPackets =
        connection.sender ? connection.sender->GetRetransmitted() : connection.retransmitted;
    result.timeouts = connection.sender ? connection.sender->GetTimeouts() : connection.timeouts;
}

std::string
RdmaTcpFlowRunner::DoDescribe(uint64_t index, bool arrived) const
{
    const RdmaFlow& flow = GetFlow(index);
    const Connection& connection = m_connections[index];
    const auto& port = *GetFabric()->GetNic(flow.srcHost)->GetPort(0);
    std::ostringstream text;
    const std::string stopped = DescribePort(port, static_cast<uint8_t>(flow.priority));
    if (arrived)
    {
        text << "all bytes arrived; acknowledgement outstanding";
    }
    else if (!stopped.empty())
    {
        text << stopped;
    }
    else
    {
        text << "waits for acknowledgements of " << connection.sender->GetBytesInFlight()
             << " bytes in a window of " << connection.sender->GetCongestionWindow();
    }
    const uint32_t unacknowledged = m_bufferSize - connection.sender->GetTxAvailable();
    text << "; " << connection.written - unacknowledged << " of " << flow.bytes
         << " bytes acknowledged";
    return text.str();
}

} // namespace ns3
