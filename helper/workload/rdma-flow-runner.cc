/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-flow-runner.h"

#include "qbb-wire.h"
#include "rdma-for-each-index.h"
#include "rdma-ideal-fct.h"
#include "rdma-line-rate.h"
#include "rdma-prefetch.h"
#include "rdma-receive-buffer.h"
#include "rdma-shared-run.h"
#include "rdma-simulator-impl.h"
#include "rdma-time.h"
#include "rdma-units.h"

#include <ns3/abort.h>
#include <ns3/boolean.h>
#include <ns3/pointer.h>
#include <ns3/simulator.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaFlowRunner);

namespace
{

/// \return bytes of each message of a flow but the last, so that only one packet can be short
uint64_t
GetFlowMessageBytes(uint32_t mtu)
{
    return RDMA_MAX_MESSAGE_BYTES / mtu * mtu;
}

/// \return number of messages of a flow, below 2^30, because a flow has at most 2^60 bytes
uint32_t
CountFlowMessages(uint64_t bytes, uint32_t mtu)
{
    return static_cast<uint32_t>((bytes - 1) / GetFlowMessageBytes(mtu) + 1);
}

} // namespace

TypeId
RdmaFlowRunner::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaFlowRunner")
            .SetParent<RdmaFlowRunnerBase>()
            .SetGroupName("Rdma")
            .AddConstructor<RdmaFlowRunner>()
            .AddAttribute("KeepQueuePairs",
                          "True: queue pairs exist from Install() until the end of the simulation, "
                          "so that scripts can inspect them. False: queue pairs exist only while "
                          "their flow is active. Set it before Install().",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RdmaFlowRunner::m_keep),
                          MakeBooleanChecker())
            .AddAttribute("TimeWait",
                          "Longest lifetime of a receiving queue pair after the last byte of its "
                          "flow has arrived. A later retransmission recreates the queue pair.",
                          TimeValue(MilliSeconds(1)),
                          MakeTimeAccessor(&RdmaFlowRunner::m_timeWait),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("Plan",
                          "How flows use the NICs, ports and queue pairs of their hosts. Null: "
                          "the defaults of RdmaConnectionPlan. Set it before Install().",
                          PointerValue(),
                          MakePointerAccessor(&RdmaFlowRunner::m_plan),
                          MakePointerChecker<RdmaConnectionPlan>());
    return tid;
}

RdmaFlowRunner::RdmaFlowRunner()
    : m_receivers([this](uint32_t index) { return GetFlow(index).start; },
                  [this](uint32_t index) { MakeReceiver(index); },
                  [this](uint32_t index) { Prefetch(index); })
{
}

Ptr<RdmaFlowRunner>
RdmaFlowRunner::Make(Ptr<RdmaFabric> fabric, const std::vector<RdmaFlow>& flows, bool keep)
{
    auto runner = CreateObject<RdmaFlowRunner>();
    runner->SetAttribute("KeepQueuePairs", BooleanValue(keep));
    runner->Install(fabric, flows);
    return runner;
}

void
RdmaFlowRunner::DoDispose()
{
    m_receivers.Stop();
    for (Pair& pair : m_pairs)
    {
        for (const Ptr<RdmaQueuePair>& qp : {pair.sender, pair.receiver})
        {
            if (qp)
            {
                qp->SetUser(nullptr, 0);
            }
        }
    }
    m_pairs.clear();
    m_lanes.clear();
    m_hosts.clear();
    RdmaFlowRunnerBase::DoDispose();
}

void
RdmaFlowRunner::Prefetch(uint64_t index) const
{
    RdmaFlowRunnerBase::Prefetch(index);
    RdmaPrefetch(&m_pairs[index]);
}

void
RdmaFlowRunner::DoInstall()
{
    m_usesPlan = m_plan || GetFabric()->GetTopology().HasChoiceOfPorts();
    m_plan = m_plan ? m_plan : CreateObject<RdmaConnectionPlan>();
}

RdmaFlowHost&
RdmaFlowRunner::GetHostOf(uint32_t node)
{
    if (!m_hosts[node])
    {
        m_hosts[node] = std::make_unique<RdmaFlowHost>();
        m_hosts[node]->SetNic(GetFabric()->GetNic(node));
    }
    return *m_hosts[node];
}

RdmaFlowRunner::Ends
RdmaFlowRunner::GetEnds(uint64_t index) const
{
    if (m_usesPlan)
    {
        return m_ends[index];
    }
    return {GetFlow(index).srcHost, GetFlow(index).dstHost, 0, 0};
}

/** Decides which ports a flow uses, and makes its connection if it has several lanes. */
void
RdmaFlowRunner::ChooseEnds(uint64_t index)
{
    const RdmaFlow& flow = GetFlow(index);
    if (!m_usesPlan && flow.nic == RdmaFlow::ANY_NIC && flow.queuePairs == 0)
    {
        return;
    }
    if (!m_usesPlan)
    {
        // The earlier flows have the first ports.
        m_usesPlan = true;
        for (uint64_t i = 0; i < index; ++i)
        {
            m_ends.push_back({GetFlow(i).srcHost, GetFlow(i).dstHost, 0, 0});
        }
    }
    m_ends.resize(index + 1);
    std::vector<RdmaLanePorts> pairs;
    try
    {
        pairs = GetFabric()->FindPortPairs(flow.srcHost, flow.dstHost, *m_plan, flow.nic);
    }
    catch (const std::invalid_argument& error)
    {
        throw std::invalid_argument("flow " + std::to_string(flow.id) + ": " + error.what());
    }
    const uint32_t queuePairs = flow.queuePairs > 0 ? flow.queuePairs : m_plan->GetQueuePairs();
    const auto lanes = static_cast<uint32_t>(pairs.size()) * queuePairs;
    const bool isInTurn = m_plan->GetSpread() == RdmaConnectionPlan::IN_TURN;
    if (lanes > 1 && !isInTurn)
    {
        RdmaHostConnectionUser& user = *this;
        m_outstanding[flow.srcHost]; // events of several hosts may not make entries
        m_lanes[index].connection =
            std::make_unique<RdmaHostConnection>(*GetFabric()->GetHost(flow.srcHost),
                                                 *GetFabric()->GetHost(flow.dstHost),
                                                 pairs,
                                                 queuePairs,
                                                 *m_plan,
                                                 static_cast<uint8_t>(flow.priority & 7),
                                                 user,
                                                 index);
        return;
    }
    const uint32_t turn = isInTurn ? m_turns[{flow.srcHost, flow.dstHost}]++ : 0;
    const RdmaLanePorts& pair = pairs[turn % lanes % pairs.size()];
    const RdmaTopology& topology = GetFabric()->GetTopology();
    m_ends[index] = {topology.GetNics(flow.srcHost)[pair.sourceNic],
                     topology.GetNics(flow.dstHost)[pair.destinationNic],
                     static_cast<uint16_t>(pair.sourcePort),
                     static_cast<uint16_t>(pair.destinationPort)};
}

RdmaLanePorts
RdmaFlowRunner::GetPortPair(uint64_t index) const
{
    if (const RdmaHostConnection* connection = GetConnection(index))
    {
        const RdmaLane& lane = connection->GetLane(0);
        return {lane.source.nic, lane.source.port, lane.destination.nic, lane.destination.port};
    }
    const RdmaTopology& topology = GetFabric()->GetTopology();
    const auto findNic = [&topology](uint32_t node) {
        const std::vector<uint32_t> nics = topology.GetNics(topology.GetNode(node).host);
        return static_cast<uint32_t>(std::find(nics.begin(), nics.end(), node) - nics.begin());
    };
    const Ends ends = GetEnds(index);
    return {findNic(ends.sourceNode),
            ends.sourcePort,
            findNic(ends.destinationNode),
            ends.destinationPort};
}

const RdmaHostConnection*
RdmaFlowRunner::GetConnection(uint64_t index) const
{
    const auto found = m_lanes.find(index);
    return found == m_lanes.end() ? nullptr : found->second.connection.get();
}

uint32_t
RdmaFlowRunner::DoGetStartNode(uint64_t index) const
{
    // Software that uses several NICs runs on the first NIC of its host.
    return m_lanes.count(index) > 0 ? GetFlow(index).srcHost : GetEnds(index).sourceNode;
}

uint32_t
RdmaFlowRunner::DoGetArrivalNode(uint64_t index) const
{
    return m_lanes.count(index) > 0 ? GetFlow(index).dstHost : GetEnds(index).destinationNode;
}

void
RdmaFlowRunner::DoAdd(uint64_t first)
{
    m_pairs.resize(GetNFlows());
    m_hosts.resize(GetFabric()->GetTopology().GetNNodes());
    m_tried.assign(m_hosts.size(), {});
    std::map<uint32_t, std::vector<uint32_t>> flowsOfHost;
    for (auto i = static_cast<uint32_t>(first); i < GetNFlows(); ++i)
    {
        ChooseEnds(i);
        if (m_lanes.count(i) == 0)
        {
            const Ends ends = GetEnds(i);
            flowsOfHost[ends.sourceNode].push_back(i);
            flowsOfHost[ends.destinationNode].push_back(i);
        }
    }
    for (const auto& [id, flows] : flowsOfHost)
    {
        RdmaFlowHost& host = GetHostOf(id);
        uint32_t qpn =
            host.Reserve(GetFabric()->GetNic(id), flows, [this, id = id](uint32_t number) {
                return MakeLate(id, number);
            });
        for (const uint32_t flow : flows)
        {
            const bool isSender = GetEnds(flow).sourceNode == id;
            (isSender ? m_pairs[flow].senderQpn : m_pairs[flow].receiverQpn) = qpn++;
        }
    }
}

/** Finds the paths of flows with one lane, on all threads. \param first the first of the flows */
void
RdmaFlowRunner::FindPaths(uint64_t first)
{
    constexpr uint64_t MOST = 4096; // flows at a time, whose paths take 0.5 MB
    const uint64_t count = std::min(GetNFlows() - first, MOST);
    std::vector<Ptr<QbbNetDevice>> ports(count);
    for (uint64_t i = 0; i < count; ++i)
    {
        if (m_lanes.count(first + i) > 0)
        {
            continue;
        }
        const Ends ends = GetEnds(first + i);
        const auto priority = static_cast<uint8_t>(GetFlow(first + i).priority);
        RdmaFlowHost& source = *m_hosts[ends.sourceNode];
        const Ipv4Address destination =
            GetFabric()->GetAddress(ends.destinationNode, 0, ends.destinationPort);
        Pair& pair = m_pairs[first + i];
        pair.flowHash = source.GetPrototype(priority, ends.sourcePort)
                            ->PredictFlowHash(pair.senderQpn, destination, pair.receiverQpn);
        const RdmaNic& nic = source.GetNic();
        ports[i] = nic.GetPort(nic.ChoosePort(ends.sourcePort, pair.flowHash));
    }
    m_paths.assign(count, {});
    m_firstPath = first;
    const RdmaFabric& fabric = *GetFabric();
    constexpr uint64_t BLOCK = 512; // flows of one call
    RdmaForEachIndex((count + BLOCK - 1) / BLOCK, RdmaSimulatorImpl::GetThreads(), [&](uint64_t k) {
        for (uint64_t i = k * BLOCK; i < std::min(count, (k + 1) * BLOCK); ++i)
        {
            if (ports[i])
            {
                const Ends ends = GetEnds(first + i);
                m_paths[i] =
                    fabric.GetPath(ports[i],
                                   fabric.GetAddress(ends.destinationNode, 0, ends.destinationPort),
                                   m_pairs[first + i].flowHash);
            }
        }
    });
}

RdmaPs
RdmaFlowRunner::DoPrepare(uint64_t index)
{
    if (m_lanes.count(index) > 0)
    {
        return PrepareLanes(index);
    }
    if (index >= m_firstPath + m_paths.size())
    {
        FindPaths(index);
    }
    const RdmaFlow& flow = GetFlow(index);
    const Ends ends = GetEnds(index);
    const auto priority = static_cast<uint8_t>(flow.priority);
    // The queue pair does not exist yet; the prototype has the same path, packet sizes and times.
    const RdmaQueuePair& sender =
        *m_hosts[ends.sourceNode]->GetPrototype(priority, ends.sourcePort);
    const RdmaQueuePair& receiver =
        *m_hosts[ends.destinationNode]->GetPrototype(priority, ends.destinationPort);
    PrepareAlike(index, sender, receiver);
    const Pair& pair = m_pairs[index];
    const auto path = std::move(m_paths[index - m_firstPath]);
    RdmaLane lane;
    lane.source.port = ends.sourcePort;
    lane.source.qpn = pair.senderQpn;
    lane.destination.qpn = pair.receiverQpn;
    lane.destination.initialPsn = receiver.GetInitialPsn();
    lane.destination.address = receiver.GetLocalAddress();
    ConnectPrototype(ends.sourceNode, priority, lane, path);
    const RdmaPs ideal = ComputeIdeal(GetFlow(index), sender, path);
    if (m_keep)
    {
        MakeSender(index);
        MakeReceiver(index);
    }
    else if (!GetDependency(index) && m_hosts[ends.destinationNode]->GetNic().GetEntropy())
    {
        // Queue pairs of a host draw random numbers in the order of the starts of their flows. The
        // start of a flow that waits for others is not known yet.
        m_receivers.Add(GetFabric()->GetNode(ends.destinationNode), static_cast<uint32_t>(index));
    }
    if (index + 1 == GetNFlows())
    {
        EndPreparation();
    }
    return ideal;
}

/** The last one of the flows of DoAdd() is prepared. */
void
RdmaFlowRunner::EndPreparation()
{
    m_tried.clear();
    m_paths = {};
    m_receivers.Start();
}

/** Refuses queue pairs of a flow that do not understand each other. */
void
RdmaFlowRunner::PrepareAlike(uint64_t index,
                             const RdmaQueuePair& sender,
                             const RdmaQueuePair& receiver)
{
    const RdmaFlow& flow = GetFlow(index);
    NS_ABORT_MSG_IF(sender.GetPathMtu() != receiver.GetPathMtu() ||
                        &sender.GetTransport()->GetPacketFormat() !=
                            &receiver.GetTransport()->GetPacketFormat(),
                    "rdma: flow " << flow.id << " from host " << flow.srcHost << " to host "
                                  << flow.dstHost << ": path MTUs are " << sender.GetPathMtu()
                                  << " and " << receiver.GetPathMtu()
                                  << ", or the transports do not understand each other; accepted: "
                                     "the same");
}

/**
 * Checks the lanes of a flow.
 *
 * \return ideal completion time: chunks take the ports in proportion to the slowest links of their
 *         paths, and software of the hosts learns of what happens at other NICs after the delay of
 *         the bus
 */
RdmaPs
RdmaFlowRunner::PrepareLanes(uint64_t index)
{
    /* Lanes of one port share its rate. */
    struct Share
    {
        const RdmaQueuePair* sender;    //!< prototype of the sending queue pairs
        std::vector<RdmaIdealHop> path; //!< path of the port's first lane
        RdmaBitRate slowest;            //!< rate of the slowest link of the path
        RdmaPs onBus;                   //!< time of notes on the buses of both hosts
    };

    const RdmaFlow& flow = GetFlow(index);
    const RdmaHostConnection& connection = *m_lanes[index].connection;
    const auto priority = static_cast<uint8_t>(flow.priority);
    const RdmaTopology& topology = GetFabric()->GetTopology();
    std::map<std::pair<uint32_t, uint32_t>, Share> shares; // by NIC and port of the source
    double rates = 0;
    for (uint32_t i = 0; i < connection.GetNLanes(); ++i)
    {
        const RdmaLane& lane = connection.GetLane(i);
        const uint32_t node = topology.GetNics(flow.srcHost)[lane.source.nic];
        RdmaFlowHost& source = GetHostOf(node);
        RdmaFlowHost& destination = GetHostOf(topology.GetNics(flow.dstHost)[lane.destination.nic]);
        const RdmaQueuePair& sender = *source.GetPrototype(priority, lane.source.port);
        PrepareAlike(index, sender, *destination.GetPrototype(priority, lane.destination.port));
        const Ipv4Address address = lane.destination.address;
        const uint32_t flowHash =
            sender.PredictFlowHash(lane.source.qpn, address, lane.destination.qpn);
        if (i == 0)
        {
            m_pairs[index].flowHash = flowHash;
        }
        if (shares.count({lane.source.nic, lane.source.port}) > 0)
        {
            continue;
        }
        const RdmaNic& nic = source.GetNic();
        Share share{&sender,
                    GetFabric()->GetPath(nic.GetPort(nic.ChoosePort(lane.source.port, flowHash)),
                                         address,
                                         flowHash),
                    RDMA_MAX_RATE,
                    0_ps};
        ConnectPrototype(node, priority, lane, share.path);
        for (const RdmaIdealHop& hop : share.path)
        {
            share.slowest = std::min(share.slowest, hop.rate);
        }
        share.onBus +=
            lane.source.nic != 0 ? GetFabric()->GetHost(flow.srcHost)->GetBusDelay() : 0_ps;
        share.onBus +=
            lane.destination.nic != 0 ? GetFabric()->GetHost(flow.dstHost)->GetBusDelay() : 0_ps;
        rates += static_cast<double>(share.slowest.Get());
        shares.emplace(std::pair(lane.source.nic, lane.source.port), share);
    }
    const bool hasChunks = m_plan->GetSpread() == RdmaConnectionPlan::CHUNKS;
    const bool isDivided = hasChunks && flow.bytes > m_plan->GetChunkBytes();
    RdmaPs ideal{0};
    for (const auto& [place, share] : shares)
    {
        const double part =
            static_cast<double>(flow.bytes) * static_cast<double>(share.slowest.Get()) / rates;
        RdmaFlow carried = flow;
        carried.bytes = isDivided ? std::max(uint64_t{1}, static_cast<uint64_t>(part)) : flow.bytes;
        ideal = std::max(ideal, ComputeIdeal(carried, *share.sender, share.path) + share.onBus);
        if (!isDivided)
        {
            break; // the first port carries a flow that finds all ports idle
        }
    }
    if (index + 1 == GetNFlows())
    {
        EndPreparation();
    }
    return ideal;
}

/**
 * Connects the prototype of the sender as the flow's queue pair will be connected, so that all that
 * refuses the connection does so before the run. Flows of a NIC whose connections are alike need
 * one try.
 *
 * \param node node id of the sending NIC
 * \param priority traffic class of the flow
 * \param lane ends of the queue pair
 * \param path links from sender to receiver
 */
void
RdmaFlowRunner::ConnectPrototype(uint32_t node,
                                 uint8_t priority,
                                 const RdmaLane& lane,
                                 const std::vector<RdmaIdealHop>& path)
{
    RdmaFlowHost& source = *m_hosts[node];
    const Ptr<RdmaQueuePair> sender = source.GetPrototype(priority, lane.source.port);
    // The time of a packet of any length over the path tells paths apart as the delay does.
    RdmaPs delay{0};
    RdmaLineRate line;
    for (const RdmaIdealHop& hop : path)
    {
        line = line.GetBitRate() == hop.rate ? line : RdmaLineRate(hop.rate);
        delay += hop.delay + line.BytesToPs(sender->GetPathMtu());
    }
    if (!m_tried[node].insert({priority, path.size(), delay}).second)
    {
        return;
    }
    RdmaPacketEngine::Of(*sender).Start(&source.GetNic(),
                                        lane.source.port,
                                        lane.source.qpn,
                                        *source.GetNic().GetTransport());
    sender->Connect(lane.destination.address, lane.destination.qpn, lane.destination.initialPsn);
}

Ptr<RdmaQueuePair>
RdmaFlowRunner::MakeEnd(uint64_t index, bool isSender)
{
    const RdmaFlow& flow = GetFlow(index);
    const Pair& pair = m_pairs[index];
    const Ends ends = GetEnds(index);
    const uint32_t local = isSender ? ends.sourceNode : ends.destinationNode;
    const uint32_t remote = isSender ? ends.destinationNode : ends.sourceNode;
    const uint32_t localPort = isSender ? ends.sourcePort : ends.destinationPort;
    const uint32_t remotePort = isSender ? ends.destinationPort : ends.sourcePort;
    const auto priority = static_cast<uint8_t>(flow.priority);
    RdmaFlowHost& host = *m_hosts[local];
    host.GetNic().PrefetchSpare();
    host.FreeResting();
    auto qp =
        host.GetNic().CreateQueuePairAs(isSender ? pair.senderQpn : pair.receiverQpn, localPort);
    qp->SetPriority(priority);
    if (!isSender)
    {
        qp->SetPassive();
    }
    qp->Connect(GetFabric()->GetAddress(remote, 0, remotePort),
                isSender ? pair.receiverQpn : pair.senderQpn,
                m_hosts[remote]->GetPrototype(priority, remotePort)->GetInitialPsn());
    return qp;
}

void
RdmaFlowRunner::MakeSender(uint64_t index)
{
    m_pairs[index].sender = MakeEnd(index, true);
    m_pairs[index].sender->SetUser(this, index);
}

void
RdmaFlowRunner::MakeReceiver(uint64_t index)
{
    m_pairs[index].receiver = MakeEnd(index, false);
    m_pairs[index].receiver->SetUser(this, index);
}

Ptr<RdmaQueuePair>
RdmaFlowRunner::MakeLate(uint32_t host, uint32_t qpn)
{
    const uint32_t index = m_hosts[host]->GetFlow(qpn);
    Prefetch(index);
    const RdmaFlow& flow = GetFlow(index);
    Pair& pair = m_pairs[index];
    const Ends ends = GetEnds(index);
    const auto priority = static_cast<uint8_t>(flow.priority);
    const uint32_t mtu = m_hosts[host]->GetPrototype(priority, ends.destinationPort)->GetPathMtu();
    if (pair.receiverQpn != qpn || ends.destinationNode != host)
    {
        return nullptr;
    }
    if (pair.arrived == 0)
    {
        MakeReceiver(index);
        return pair.receiver;
    }
    if (pair.arrived < CountFlowMessages(flow.bytes, mtu))
    {
        return nullptr;
    }
    pair.receiver = MakeEnd(index, false);
    // Every message except the last one consists of full packets.
    pair.receiver->ResumeResponder((flow.bytes - 1) / mtu + 1, CountFlowMessages(flow.bytes, mtu));
    m_hosts[host]->DestroyAfter(RdmaToPs(m_timeWait), pair.receiver);
    return pair.receiver;
}

std::vector<Ptr<QbbNetDevice>>
RdmaFlowRunner::GetFlowPath(uint64_t index) const
{
    const RdmaFlow& flow = GetFlow(index);
    const uint32_t flowHash = m_pairs.at(index).flowHash;
    const auto follow = [this, flowHash](const RdmaNic& nic, uint32_t port, Ipv4Address to) {
        return GetFabric()->GetRouting()->GetPath(nic.GetPort(nic.ChoosePort(port, flowHash)),
                                                  to,
                                                  flowHash);
    };
    if (const RdmaHostConnection* connection = GetConnection(index))
    {
        const RdmaLane& first = connection->GetLane(0);
        const Ptr<RdmaNic> nic = GetFabric()->GetNic(flow.srcHost, first.source.nic);
        return follow(*nic, first.source.port, first.destination.address);
    }
    const Ends ends = GetEnds(index);
    return follow(*GetFabric()->GetNic(ends.sourceNode),
                  ends.sourcePort,
                  GetFabric()->GetAddress(ends.destinationNode, 0, ends.destinationPort));
}

RdmaPs
RdmaFlowRunner::ComputeIdeal(const RdmaFlow& flow,
                             const RdmaQueuePair& sender,
                             const std::vector<RdmaIdealHop>& path)
{
    // If packets in the middle of a message have no RETH, the first packet of each message is
    // longer by one RETH.
    const RdmaPacketFormat& format = sender.GetTransport()->GetPacketFormat();
    const RdmaOpcodeInfo& middle = GetRdmaOpcodeInfo(format.write);
    const uint32_t reth =
        middle.reth ? 0 : GetRdmaOpcodeInfo(RdmaOpcode::RDMA_WRITE_FIRST).headerBytes;
    const uint32_t headers = QbbWire::ROCE_BASE_BYTES + middle.headerBytes +
                             (sender.IsTagged() ? QbbWire::VLAN_TAG_BYTES : 0);
    const auto frames = MakeRdmaIdealFrames(flow.bytes, sender.GetPathMtu(), headers, reth);
    RdmaPs ideal = GetIdeal(flow, path, frames, sender.GetDevice());
    // Each additional message of a long flow adds one RETH at the slowest link.
    const uint64_t further = CountFlowMessages(flow.bytes, sender.GetPathMtu()) - 1;
    if (further)
    {
        RdmaBitRate slowest = path.front().rate;
        for (const auto& hop : path)
        {
            slowest = std::min(slowest, hop.rate);
        }
        ideal += RdmaLineRate(slowest).BytesToPs(further * reth);
    }
    return ideal;
}

void
RdmaFlowRunner::DoStart(uint64_t index)
{
    if (m_lanes.count(index) > 0)
    {
        StartLanes(index);
        return;
    }
    if (!m_keep)
    {
        MakeSender(index);
    }
    // Hold a reference: the flow may end and release the queue pair before everything is posted.
    const Ptr<RdmaQueuePair> sender = m_pairs[index].sender;
    const uint64_t bytes = GetFlow(index).bytes;
    const uint64_t limit = GetFlowMessageBytes(sender->GetPathMtu());
    for (uint64_t at = 0; at < bytes && !HasEnded(index); at += limit)
    {
        RdmaSendRequest request;
        request.id = index;
        request.length = std::min(limit, bytes - at);
        request.remoteAddress = at;
        request.signaled = at + request.length == bytes;
        sender->PostSend(request);
    }
}

void
RdmaFlowRunner::MessageReceived(uint64_t index, const RdmaMessageArrival& arrival)
{
    Pair& pair = m_pairs[index];
    ++pair.arrived;
    if (pair.arrived == CountFlowMessages(GetFlow(index).bytes, pair.receiver->GetPathMtu()))
    {
        FlowArrived(index, arrival.time);
        if (!m_keep)
        {
            m_hosts[GetEnds(index).destinationNode]->DestroyAfter(RdmaToPs(m_timeWait),
                                                                  pair.receiver);
        }
    }
}

void
RdmaFlowRunner::SendCompleted(uint64_t index, const RdmaWorkCompletion& completion)
{
    // After a failed request, the remaining requests of the flow complete with a flush error.
    if (HasEnded(index))
    {
        return;
    }
    FlowEnded(index, completion.status, completion.time);
    if (!m_keep)
    {
        KeepRetries(index);
        Ptr<RdmaQueuePair>& sender = m_pairs[index].sender;
        m_hosts[GetEnds(index).sourceNode]->GetNic().DestroyQueuePair(sender);
        sender = nullptr;
    }
}

void
RdmaFlowRunner::StartLanes(uint64_t index)
{
    const RdmaFlow& flow = GetFlow(index);
    Lanes& lanes = m_lanes.find(index)->second;
    if (m_plan->GetSpread() == RdmaConnectionPlan::OUTSTANDING)
    {
        // The hosts of the map exist since DoAdd(); events of the sender alone use its entry.
        auto& bytes = m_outstanding.find(flow.srcHost)->second;
        const auto getBytes = [&](uint32_t lane) -> uint64_t& {
            const RdmaLaneEnd& end = lanes.connection->GetLane(lane).source;
            return bytes[{end.nic, end.port}];
        };
        for (uint32_t lane = 1; lane < lanes.connection->GetNLanes(); ++lane)
        {
            lanes.chosen = getBytes(lane) < getBytes(lanes.chosen) ? lane : lanes.chosen;
        }
        getBytes(lanes.chosen) += flow.bytes;
    }
    lanes.connection->Post(flow.bytes, 0, 0, lanes.chosen);
}

void
RdmaFlowRunner::MessageArrived(uint64_t index, uint64_t, const RdmaHostArrival& arrival)
{
    FlowArrived(index, arrival.time);
    if (!m_keep)
    {
        const RdmaPs end = arrival.time + RdmaToPs(m_timeWait);
        m_lanes.find(index)->second.connection->CloseDestinationAt(end);
    }
}

void
RdmaFlowRunner::MessageSent(uint64_t index, uint64_t, RdmaWcStatus status, RdmaPs time)
{
    const RdmaFlow& flow = GetFlow(index);
    Lanes& lanes = m_lanes.find(index)->second;
    if (m_plan->GetSpread() == RdmaConnectionPlan::OUTSTANDING)
    {
        const RdmaLaneEnd& end = lanes.connection->GetLane(lanes.chosen).source;
        m_outstanding.find(flow.srcHost)->second[{end.nic, end.port}] -= flow.bytes;
    }
    if (!m_keep)
    {
        lanes.connection->Close();
    }
    FlowEnded(index, status, time);
}

std::optional<RdmaFlowRetries>
RdmaFlowRunner::DoGetRetries(uint64_t index) const
{
    if (const RdmaHostConnection* connection = GetConnection(index))
    {
        RdmaFlowRetries retries;
        for (uint32_t lane = 0; lane < connection->GetNLanes(); ++lane)
        {
            const RdmaQueuePairStats stats = connection->GetResult(lane).source;
            retries.packets += stats.packetsRetransmitted;
            retries.timeouts += stats.timeouts;
        }
        return retries;
    }
    if (!m_pairs[index].sender)
    {
        return {};
    }
    // RdmaQueuePair::GetStats() would also read the responder, which no packet has brought into the
    // CPU caches.
    RdmaQueuePairStats stats;
    RdmaPacketEngine::Of(*m_pairs[index].sender).GetRequester().AddTo(stats);
    return RdmaFlowRetries{stats.packetsRetransmitted, stats.timeouts};
}

std::optional<RdmaFlowReordering>
RdmaFlowRunner::DoGetReordering(uint64_t index) const
{
    const RdmaHostConnection* connection = GetConnection(index);
    const Ptr<RdmaQueuePair>& receiver = m_pairs[index].receiver;
    if (!receiver && !connection)
    {
        return {};
    }
    RdmaQueuePairStats stats;
    for (uint32_t lane = 0; connection && lane < connection->GetNLanes(); ++lane)
    {
        stats += connection->GetResult(lane).destination;
    }
    if (receiver)
    {
        stats += receiver->GetStats();
    }
    return RdmaFlowReordering{static_cast<uint32_t>(stats.outOfOrder),
                              static_cast<uint32_t>(stats.reordering.distance),
                              static_cast<uint32_t>(stats.reordering.held),
                              static_cast<uint32_t>(stats.reordering.beyond)};
}

/** \return the packets on their way to queue pairs of local hosts and switches */
RdmaFlowRunner::Traffic
RdmaFlowRunner::FindTraffic() const
{
    const RdmaTopology& topology = GetFabric()->GetTopology();
    Traffic traffic;
    traffic.events = Simulator::GetEventCount();
    traffic.drops = GetFabric()->GetTotals().drops;
    const auto add = [&traffic](const QbbFrame& frame) {
        if (frame.type == QbbFrameType::ROCE)
        {
            traffic.receivers.insert({frame.dstIp, frame.destQp});
        }
    };
    for (uint32_t link = 0; link < topology.GetNLinks(); ++link)
    {
        for (const uint32_t node : {topology.GetLink(link).a, topology.GetLink(link).b})
        {
            const Ptr<QbbNetDevice> device = GetFabric()->GetDevice(link, node);
            GetFabric()->GetChannel(link)->GetLineFrom(PeekPointer(device)).ForEachFrame(add);
            for (uint8_t priority = 0; priority < 8; ++priority)
            {
                const QbbEgressQueues& queues = device->GetQueues();
                for (std::size_t i = 0; i < queues.GetFramesHere(priority); ++i)
                {
                    add(queues.GetFrame(priority, i));
                }
            }
            if (const auto buffer = device->GetObject<RdmaReceiveBuffer>())
            {
                buffer->ForEachFrame(add);
            }
        }
    }
    for (const uint32_t sw : topology.GetSwitches())
    {
        if (const auto* inputs = GetFabric()->GetSwitch(sw)->GetInputQueueing())
        {
            inputs->GetQueues().ForEachFrame(
                [&add](const QbbFrame& frame, uint16_t) { add(frame); });
        }
    }
    return traffic;
}

void
RdmaFlowRunner::DoShare()
{
    Traffic own = FindTraffic();
    const std::vector<uint64_t> drops = ShareRdmaValues(std::vector<uint64_t>{own.drops});
    own.drops = std::accumulate(drops.begin(), drops.end(), uint64_t{0});
    const std::vector<Address> receivers(own.receivers.begin(), own.receivers.end());
    for (const Address& receiver : ShareRdmaValues(receivers))
    {
        own.receivers.insert(receiver);
    }
    m_traffic = own;
}

/** \return true if a packet of a flow was lost and no packet of the flow is on its way */
bool
RdmaFlowRunner::IsLost(uint64_t index) const
{
    // The processes of a shared run look together, in DoShare().
    if (!IsRdmaRunShared() && (!m_traffic || m_traffic->events != Simulator::GetEventCount()))
    {
        m_traffic = FindTraffic();
    }
    const Pair& pair = m_pairs[index];
    return m_traffic && m_traffic->drops > 0 &&
           m_traffic->receivers.count({pair.sender->GetRemoteAddress().Get(), pair.receiverQpn}) ==
               0 &&
           m_traffic->receivers.count({pair.sender->GetLocalAddress().Get(), pair.senderQpn}) == 0;
}

/** \return why a sender whose port may send has no packet to send */
std::string
RdmaFlowRunner::DescribeWait(uint64_t index) const
{
    const RdmaQueuePair& sender = *m_pairs[index].sender;
    const RdmaRequester& requester = RdmaPacketEngine::Of(sender).GetRequester();
    if (IsLost(index))
    {
        return requester.HasRetransmissionTimer()
                   ? "packets lost; waits for the retransmission timer"
                   : "packets lost; there is no retransmission timer";
    }
    const bool sentAll = requester.GetStream().next >= requester.GetPosted();
    const std::string what = sentAll ? "all packets sent" : "window full";
    return what + "; " + std::to_string(sender.GetPacketsInFlight()) + " in flight";
}

std::string
RdmaFlowRunner::DoDescribe(uint64_t index, bool arrived) const
{
    if (const RdmaHostConnection* connection = GetConnection(index))
    {
        return (arrived ? "all bytes arrived; " : "") + connection->Describe();
    }
    const RdmaQueuePair& sender = *m_pairs[index].sender;
    const RdmaPacketEngine& engine = RdmaPacketEngine::Of(sender);
    std::string text = DescribePort(*sender.GetPort(), engine.GetPriority());
    if (arrived)
    {
        text = "all bytes arrived; acknowledgement outstanding" + (text.empty() ? "" : "; " + text);
    }
    else if (text.empty())
    {
        text = engine.CanSend() ? "sending" : DescribeWait(index);
    }
    return text + "; " + std::to_string(sender.GetPacketsAcknowledged()) + " of " +
           std::to_string(engine.GetRequester().GetPosted()) + " packets acknowledged";
}

} // namespace ns3
