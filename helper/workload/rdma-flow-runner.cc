/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-flow-runner.h"

#include "qbb-time.h"
#include "qbb-wire.h"
#include "rdma-ideal-fct.h"

#include <ns3/abort.h>
#include <ns3/boolean.h>
#include <ns3/simulator.h>

#include <algorithm>
#include <limits>
#include <sstream>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaFlowRunner);

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
                          "Lifetime of a receiving queue pair after the last byte of its flow has "
                          "arrived. A later retransmission recreates the queue pair.",
                          TimeValue(MilliSeconds(1)),
                          MakeTimeAccessor(&RdmaFlowRunner::m_timeWait),
                          MakeTimeChecker(Time(0)));
    return tid;
}

RdmaFlowRunner::RdmaFlowRunner()
    : m_receivers([this](uint32_t index) { return GetFlow(index).start; },
                  [this](uint32_t index) { MakeReceiver(index); }),
      m_completions(CreateObject<RdmaCompletionQueue>())
{
}

RdmaFlowRunner::~RdmaFlowRunner()
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
    m_completions->SetCallback(RdmaCompletionQueue::CompletionCallback());
    m_receivers.Stop();
    m_pairs.clear();
    m_hosts.clear();
    RdmaFlowRunnerBase::DoDispose();
}

void
RdmaFlowRunner::DoInstall()
{
    m_completions->SetCallback(MakeCallback(&RdmaFlowRunner::OnCompletion, this));
    m_pairs.resize(GetNFlows());
    for (uint32_t i = 0; i < GetNFlows(); ++i)
    {
        for (const uint32_t host : {GetFlow(i).srcHost, GetFlow(i).dstHost})
        {
            m_hosts[host].flows.push_back(i);
        }
    }
    for (auto& [id, host] : m_hosts)
    {
        if (!GetFabric()->GetTopology().IsHost(id))
        {
            continue; // RdmaFlowRunnerBase reports the invalid flow
        }
        host.nic = GetFabric()->GetNic(id);
        host.firstQpn = host.nic->ReserveQueuePairNumbers(
            static_cast<uint32_t>(host.flows.size()),
            [this, hostId = id](uint32_t qpn) { return MakeLate(hostId, qpn); });
        for (std::size_t k = 0; k < host.flows.size(); ++k)
        {
            Pair& pair = m_pairs[host.flows[k]];
            const bool isSender = GetFlow(host.flows[k]).srcHost == id;
            (isSender ? pair.senderQpn : pair.receiverQpn) =
                host.firstQpn + static_cast<uint32_t>(k);
        }
    }
}

Ptr<RdmaQueuePair>
RdmaFlowRunner::GetPrototype(uint32_t host, uint8_t priority)
{
    Host& entry = m_hosts.at(host);
    Ptr<RdmaQueuePair>& prototype = entry.prototypes[priority];
    if (!prototype)
    {
        prototype = entry.nic->MakePrototype(entry.firstQpn);
        prototype->SetPriority(priority);
    }
    return prototype;
}

QbbPs
RdmaFlowRunner::DoPrepare(uint64_t index)
{
    const RdmaFlow& flow = GetFlow(index);
    const auto priority = static_cast<uint8_t>(flow.priority);
    // The prototype stands for the queue pair that does not exist yet: path, sizes and times agree.
    const auto sender = GetPrototype(flow.srcHost, priority);
    const auto receiver = GetPrototype(flow.dstHost, priority);
    NS_ABORT_MSG_IF(sender->GetPathMtu() != receiver->GetPathMtu() ||
                        &sender->GetTransport()->GetPacketFormat() !=
                            &receiver->GetTransport()->GetPacketFormat(),
                    "rdma: flow " << flow.id << " from host " << flow.srcHost << " to host "
                                  << flow.dstHost << ": path MTUs are " << sender->GetPathMtu()
                                  << " and " << receiver->GetPathMtu()
                                  << ", or the transports do not understand each other; accepted: "
                                     "the same");
    Host& host = m_hosts.at(flow.srcHost);
    RdmaPacketEngine::Of(*sender).Start(PeekPointer(host.nic),
                                        0,
                                        m_pairs[index].senderQpn,
                                        host.nic->GetTransport());
    sender->Connect(GetFabric()->GetAddress(flow.dstHost),
                    m_pairs[index].receiverQpn,
                    receiver->GetInitialPsn());
    const QbbPs ideal = ComputeIdeal(index, *sender);
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
        m_receivers.Start();
    }
    return ideal;
}

Ptr<RdmaQueuePair>
RdmaFlowRunner::MakeEnd(uint64_t index, bool isSender)
{
    const RdmaFlow& flow = GetFlow(index);
    const Pair& pair = m_pairs[index];
    const uint32_t local = isSender ? flow.srcHost : flow.dstHost;
    const uint32_t remote = isSender ? flow.dstHost : flow.srcHost;
    const auto priority = static_cast<uint8_t>(flow.priority);
    auto qp =
        m_hosts.at(local).nic->CreateQueuePairAs(isSender ? pair.senderQpn : pair.receiverQpn);
    qp->SetPriority(priority);
    qp->Connect(GetFabric()->GetAddress(remote),
                isSender ? pair.receiverQpn : pair.senderQpn,
                m_hosts.at(remote).prototypes.at(priority)->GetInitialPsn());
    return qp;
}

void
RdmaFlowRunner::MakeSender(uint64_t index)
{
    Pair& pair = m_pairs[index];
    pair.sender = MakeEnd(index, true);
    pair.sender->SetSendCompletionQueue(m_completions);
}

void
RdmaFlowRunner::MakeReceiver(uint64_t index)
{
    Pair& pair = m_pairs[index];
    pair.receiver = MakeEnd(index, false);
    pair.receiver->TraceConnectWithoutContext(
        "MessageReceived",
        Callback<void, const RdmaMessageArrival&>(
            [this, index](const RdmaMessageArrival& arrival) { OnMessage(index, arrival); }));
}

Ptr<RdmaQueuePair>
RdmaFlowRunner::MakeLate(uint32_t host, uint32_t qpn)
{
    const Host& entry = m_hosts.at(host);
    const uint32_t index = entry.flows[qpn - entry.firstQpn];
    const RdmaFlow& flow = GetFlow(index);
    Pair& pair = m_pairs[index];
    const uint32_t mtu = entry.prototypes.begin()->second->GetPathMtu();
    if (pair.receiverQpn != qpn || flow.dstHost != host || pair.arrived < CountMessages(index, mtu))
    {
        return nullptr;
    }
    pair.receiver = MakeEnd(index, false);
    // Every message except the last one consists of full packets.
    pair.receiver->ResumeResponder((flow.bytes - 1) / mtu + 1, CountMessages(index, mtu));
    Depart(index);
    return pair.receiver;
}

void
RdmaFlowRunner::Depart(uint64_t index)
{
    const uint32_t id = GetFlow(index).dstHost;
    Host& host = m_hosts.at(id);
    host.departures.Push({QbbNow() + QbbToPs(m_timeWait), static_cast<uint32_t>(index)});
    if (host.departures.GetSize() == 1)
    {
        Simulator::Schedule(QbbToTime(QbbToPs(m_timeWait)), &RdmaFlowRunner::OnDeparture, this, id);
    }
}

void
RdmaFlowRunner::OnDeparture(uint32_t id)
{
    const auto found = m_hosts.find(id);
    if (found == m_hosts.end())
    {
        return;
    }
    Host& host = found->second;
    const QbbPs now = QbbNow();
    while (!host.departures.IsEmpty() && host.departures.Front().at <= now)
    {
        const uint32_t index = host.departures.Pop().index;
        Ptr<RdmaQueuePair>& receiver = m_pairs[index].receiver;
        if (RdmaPacketEngine::Of(*receiver).IsQueued())
        {
            // The response is still queued, possibly because the port is paused.
            constexpr QbbPs LEAST = 1_us;
            host.departures.Push({now + std::max(QbbToPs(m_timeWait), LEAST), index});
            continue;
        }
        host.nic->DestroyQueuePair(receiver);
        receiver = nullptr;
    }
    if (!host.departures.IsEmpty())
    {
        Simulator::Schedule(QbbToTime(host.departures.Front().at - now),
                            &RdmaFlowRunner::OnDeparture,
                            this,
                            id);
    }
}

uint64_t
RdmaFlowRunner::GetMessageLimit(uint32_t mtu)
{
    // A multiple of the MTU, so that a long flow has at most one short packet.
    return RDMA_MAX_MESSAGE_BYTES / mtu * mtu;
}

uint32_t
RdmaFlowRunner::CountMessages(uint64_t index, uint32_t mtu) const
{
    // The result is below 2^30, because a flow has at most 2^60 bytes.
    return static_cast<uint32_t>((GetFlow(index).bytes - 1) / GetMessageLimit(mtu) + 1);
}

QbbPs
RdmaFlowRunner::ComputeIdeal(uint64_t index, const RdmaQueuePair& sender) const
{
    const RdmaFlow& flow = GetFlow(index);
    const auto path = GetFabric()->GetPath(Ptr<const RdmaQueuePair>(&sender));
    NS_ABORT_MSG_IF(path.empty(),
                    "rdma: flow " << flow.id << ": there is no path from host " << flow.srcHost
                                  << " to host " << flow.dstHost);
    // Each packet has the headers of a packet in the middle of a message. With RoCE, only the first
    // packet also has a RETH; with IRN, every packet has a RETH.
    const RdmaPacketFormat& format = sender.GetTransport()->GetPacketFormat();
    const RdmaOpcodeInfo& middle = GetRdmaOpcodeInfo(format.write);
    const uint32_t reth =
        middle.reth ? 0 : GetRdmaOpcodeInfo(RdmaOpcode::RDMA_WRITE_FIRST).headerBytes;
    const uint32_t headers = QbbWire::ROCE_BASE_BYTES + middle.headerBytes +
                             (sender.IsTagged() ? QbbWire::VLAN_TAG_BYTES : 0);
    RdmaLineOverhead overhead;
    if (sender.GetPort()->GetLineOverheadBytes() == 0)
    {
        overhead = {0, 0};
    }
    const auto frames = MakeRdmaIdealFrames(flow.bytes, sender.GetPathMtu(), headers, reth);
    QbbPs ideal = GetRdmaIdealFct(path, frames, overhead);
    // Each additional message of a long flow adds one RETH at the slowest link.
    const uint64_t further = CountMessages(index, sender.GetPathMtu()) - 1;
    if (further)
    {
        QbbBitRate slowest = path.front().rate;
        for (const auto& hop : path)
        {
            slowest = std::min(slowest, hop.rate);
        }
        ideal += QbbLineRate(slowest).BytesToPs(further * reth);
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
    const uint64_t limit = GetMessageLimit(sender->GetPathMtu());
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
RdmaFlowRunner::OnMessage(uint64_t index, const RdmaMessageArrival& arrival)
{
    Pair& pair = m_pairs[index];
    ++pair.arrived;
    if (pair.arrived == CountMessages(index, pair.receiver->GetPathMtu()))
    {
        FlowArrived(index, arrival.time);
        if (!m_keep)
        {
            Depart(index);
        }
    }
}

void
RdmaFlowRunner::OnCompletion(const RdmaWorkCompletion& completion)
{
    // After a failed request, the remaining requests of the flow complete with a flush error.
    const uint64_t index = completion.id;
    if (HasEnded(index))
    {
        return;
    }
    FlowEnded(index, completion.status, completion.time);
    if (!m_keep)
    {
        Pair& pair = m_pairs[index];
        const RdmaQueuePairStats stats = pair.sender->GetStats();
        pair.retransmitted = stats.packetsRetransmitted;
        NS_ABORT_MSG_IF(stats.timeouts > std::numeric_limits<uint32_t>::max(),
                        "rdma: flow " << GetFlow(index).id << " had " << stats.timeouts
                                      << " timeouts");
        pair.timeouts = static_cast<uint32_t>(stats.timeouts);
        m_hosts.at(GetFlow(index).srcHost).nic->DestroyQueuePair(pair.sender);
        pair.sender = nullptr;
    }
}

Ptr<RdmaQueuePair>
RdmaFlowRunner::GetSender(uint64_t index) const
{
    return m_pairs.at(index).sender;
}

Ptr<RdmaQueuePair>
RdmaFlowRunner::GetReceiver(uint64_t index) const
{
    return m_pairs.at(index).receiver;
}

void
RdmaFlowRunner::DoAddResult(uint64_t index, RdmaFlowResult& result) const
{
    const Pair& pair = m_pairs[index];
    result.retransmittedPackets = pair.retransmitted;
    result.timeouts = pair.timeouts;
    if (pair.sender)
    {
        const RdmaQueuePairStats stats = pair.sender->GetStats();
        result.retransmittedPackets = stats.packetsRetransmitted;
        result.timeouts = stats.timeouts;
    }
}

std::string
RdmaFlowRunner::DoDescribe(uint64_t index, bool arrived) const
{
    const RdmaQueuePair& sender = *m_pairs[index].sender;
    std::ostringstream text;
    const std::string port =
        DescribePort(*sender.GetPort(), RdmaPacketEngine::Of(sender).GetPriority());
    if (arrived)
    {
        text << "all bytes arrived; acknowledgement outstanding" << (port.empty() ? "" : "; ")
             << port;
    }
    else if (!port.empty())
    {
        text << port;
    }
    else if (RdmaPacketEngine::Of(sender).CanSend())
    {
        text << "sending";
    }
    else
    {
        text << "waits for acknowledgements";
        if (!sender.HasRetransmissionTimer())
        {
            text << " without a retransmission timer";
        }
    }
    text << "; " << sender.GetPacketsAcknowledged() << " of " << sender.GetPacketsPosted()
         << " packets acknowledged";
    return text.str();
}

} // namespace ns3
