/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-flow-runner.h"

#include "qbb-wire.h"
#include "rdma-ideal-fct.h"
#include "rdma-line-rate.h"
#include "rdma-receive-buffer.h"
#include "rdma-shared-run.h"
#include "rdma-time.h"

#include <ns3/abort.h>
#include <ns3/boolean.h>
#include <ns3/simulator.h>

#include <algorithm>
#include <map>
#include <numeric>
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
                          MakeTimeChecker(Time(0)));
    return tid;
}

RdmaFlowRunner::RdmaFlowRunner()
    : m_receivers([this](uint32_t index) { return GetFlow(index).start; },
                  [this](uint32_t index) { MakeReceiver(index); })
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
    m_hosts.clear();
    RdmaFlowRunnerBase::DoDispose();
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
        for (const uint32_t host : {GetFlow(i).srcHost, GetFlow(i).dstHost})
        {
            flowsOfHost[host].push_back(i);
        }
    }
    for (const auto& [id, flows] : flowsOfHost)
    {
        if (!GetFabric()->GetTopology().IsHost(id))
        {
            continue; // RdmaFlowRunnerBase reports the invalid flow
        }
        if (!m_hosts[id])
        {
            m_hosts[id] = std::make_unique<RdmaFlowHost>();
        }
        uint32_t qpn =
            m_hosts[id]->Reserve(GetFabric()->GetNic(id), flows, [this, id = id](uint32_t number) {
                return MakeLate(id, number);
            });
        for (const uint32_t flow : flows)
        {
            const bool isSender = GetFlow(flow).srcHost == id;
            (isSender ? m_pairs[flow].senderQpn : m_pairs[flow].receiverQpn) = qpn++;
        }
    }
}

RdmaPs
RdmaFlowRunner::DoPrepare(uint64_t index)
{
    const RdmaFlow& flow = GetFlow(index);
    const auto priority = static_cast<uint8_t>(flow.priority);
    // The queue pair does not exist yet; the prototype has the same path, packet sizes and times.
    const RdmaQueuePair& sender = *m_hosts[flow.srcHost]->GetPrototype(priority);
    const RdmaQueuePair& receiver = *m_hosts[flow.dstHost]->GetPrototype(priority);
    NS_ABORT_MSG_IF(sender.GetPathMtu() != receiver.GetPathMtu() ||
                        &sender.GetTransport()->GetPacketFormat() !=
                            &receiver.GetTransport()->GetPacketFormat(),
                    "rdma: flow " << flow.id << " from host " << flow.srcHost << " to host "
                                  << flow.dstHost << ": path MTUs are " << sender.GetPathMtu()
                                  << " and " << receiver.GetPathMtu()
                                  << ", or the transports do not understand each other; accepted: "
                                     "the same");
    Pair& pair = m_pairs[index];
    const Ipv4Address address = GetFabric()->GetAddress(flow.dstHost);
    pair.flowHash = sender.PredictFlowHash(pair.senderQpn, address, pair.receiverQpn);
    const auto path = GetFabric()->GetPath(sender.GetPort(), address, pair.flowHash);
    ConnectPrototype(index, path);
    const RdmaPs ideal = ComputeIdeal(index, sender, path);
    if (m_keep)
    {
        MakeSender(index);
        MakeReceiver(index);
    }
    else
    {
        m_receivers.Add(GetFabric()->GetNode(flow.dstHost), static_cast<uint32_t>(index));
    }
    if (index + 1 == GetNFlows())
    {
        m_tried.clear();
        m_receivers.Start();
    }
    return ideal;
}

/**
 * Connects the prototype of the sender as the flow's queue pair will be connected, so that all that
 * refuses the connection does so before the run. Flows of a host whose connections are alike need
 * one try.
 *
 * \param path links from sender to receiver
 */
void
RdmaFlowRunner::ConnectPrototype(uint64_t index, const std::vector<RdmaIdealHop>& path)
{
    const RdmaFlow& flow = GetFlow(index);
    RdmaFlowHost& source = *m_hosts[flow.srcHost];
    const auto priority = static_cast<uint8_t>(flow.priority);
    const Ptr<RdmaQueuePair> sender = source.GetPrototype(priority);
    // The time of a packet of any length over the path tells paths apart as the delay does.
    RdmaPs delay{0};
    for (const RdmaIdealHop& hop : path)
    {
        delay += hop.delay + RdmaLineRate(hop.rate).BytesToPs(sender->GetPathMtu());
    }
    if (!m_tried[flow.srcHost].insert({flow.priority, path.size(), delay}).second)
    {
        return;
    }
    RdmaPacketEngine::Of(*sender).Start(&source.GetNic(),
                                        0,
                                        m_pairs[index].senderQpn,
                                        *source.GetNic().GetTransport());
    sender->Connect(GetFabric()->GetAddress(flow.dstHost),
                    m_pairs[index].receiverQpn,
                    m_hosts[flow.dstHost]->GetPrototype(priority)->GetInitialPsn());
}

Ptr<RdmaQueuePair>
RdmaFlowRunner::MakeEnd(uint64_t index, bool isSender)
{
    const RdmaFlow& flow = GetFlow(index);
    const Pair& pair = m_pairs[index];
    const uint32_t local = isSender ? flow.srcHost : flow.dstHost;
    const uint32_t remote = isSender ? flow.dstHost : flow.srcHost;
    const auto priority = static_cast<uint8_t>(flow.priority);
    RdmaFlowHost& host = *m_hosts[local];
    host.FreeResting();
    auto qp = host.GetNic().CreateQueuePairAs(isSender ? pair.senderQpn : pair.receiverQpn);
    qp->SetPriority(priority);
    qp->Connect(GetFabric()->GetAddress(remote),
                isSender ? pair.receiverQpn : pair.senderQpn,
                m_hosts[remote]->GetPrototype(priority)->GetInitialPsn());
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
    const RdmaFlow& flow = GetFlow(index);
    Pair& pair = m_pairs[index];
    const auto priority = static_cast<uint8_t>(flow.priority);
    const uint32_t mtu = m_hosts[host]->GetPrototype(priority)->GetPathMtu();
    if (pair.receiverQpn != qpn || flow.dstHost != host ||
        pair.arrived < CountFlowMessages(flow.bytes, mtu))
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
    return GetFabric()->GetRouting()->GetPath(GetFabric()->GetNic(flow.srcHost)->GetPort(0),
                                              GetFabric()->GetAddress(flow.dstHost),
                                              m_pairs.at(index).flowHash);
}

RdmaPs
RdmaFlowRunner::ComputeIdeal(uint64_t index,
                             const RdmaQueuePair& sender,
                             const std::vector<RdmaIdealHop>& path) const
{
    const RdmaFlow& flow = GetFlow(index);
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
            m_hosts[GetFlow(index).dstHost]->DestroyAfter(RdmaToPs(m_timeWait), pair.receiver);
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
        m_hosts[GetFlow(index).srcHost]->GetNic().DestroyQueuePair(sender);
        sender = nullptr;
    }
}

std::optional<RdmaFlowRetries>
RdmaFlowRunner::DoGetRetries(uint64_t index) const
{
    if (!m_pairs[index].sender)
    {
        return {};
    }
    const RdmaQueuePairStats stats = m_pairs[index].sender->GetStats();
    return RdmaFlowRetries{stats.packetsRetransmitted, stats.timeouts};
}

std::optional<RdmaFlowReordering>
RdmaFlowRunner::DoGetReordering(uint64_t index) const
{
    const Ptr<RdmaQueuePair>& receiver = m_pairs[index].receiver;
    if (!receiver)
    {
        return {};
    }
    const RdmaQueuePairStats stats = receiver->GetStats();
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
    const RdmaFlow& flow = GetFlow(index);
    const Pair& pair = m_pairs[index];
    return m_traffic && m_traffic->drops > 0 &&
           m_traffic->receivers.count(
               {GetFabric()->GetAddress(flow.dstHost).Get(), pair.receiverQpn}) == 0 &&
           m_traffic->receivers.count(
               {GetFabric()->GetAddress(flow.srcHost).Get(), pair.senderQpn}) == 0;
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
