/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-flow-runner.h"

#include "qbb-wire.h"
#include "rdma-ideal-fct.h"

#include <ns3/abort.h>

#include <algorithm>
#include <sstream>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaFlowRunner);

TypeId
RdmaFlowRunner::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaFlowRunner")
                            .SetParent<RdmaFlowRunnerBase>()
                            .SetGroupName("Rdma")
                            .AddConstructor<RdmaFlowRunner>();
    return tid;
}

RdmaFlowRunner::RdmaFlowRunner()
    : m_completions(CreateObject<RdmaCompletionQueue>())
{
}

RdmaFlowRunner::~RdmaFlowRunner()
{
}

Ptr<RdmaFlowRunner>
RdmaFlowRunner::Make(Ptr<RdmaFabric> fabric, const std::vector<RdmaFlow>& flows)
{
    auto runner = CreateObject<RdmaFlowRunner>();
    runner->Install(fabric, flows);
    return runner;
}

void
RdmaFlowRunner::DoDispose()
{
    m_completions->SetCallback(RdmaCompletionQueue::CompletionCallback());
    m_pairs.clear();
    RdmaFlowRunnerBase::DoDispose();
}

void
RdmaFlowRunner::DoInstall()
{
    m_completions->SetCallback(MakeCallback(&RdmaFlowRunner::OnCompletion, this));
    m_pairs.resize(GetNFlows());
}

int64_t
RdmaFlowRunner::DoPrepare(uint64_t index)
{
    Pair& pair = m_pairs[index];
    const RdmaFlow& flow = GetFlow(index);
    std::tie(pair.sender, pair.receiver) =
        GetFabric()->Connect(flow.srcHost, flow.dstHost, static_cast<uint8_t>(flow.priority));
    pair.sender->SetSendCompletionQueue(m_completions);
    pair.receiver->TraceConnectWithoutContext(
        "MessageReceived",
        Callback<void, const RdmaMessageArrival&>(
            [this, index](const RdmaMessageArrival& arrival) { OnMessage(index, arrival); }));
    return ComputeIdealPs(index);
}

uint64_t
RdmaFlowRunner::GetMessageLimit(uint64_t index) const
{
    // Whole packets, so that a long flow has one short packet at most.
    const uint32_t mtu = m_pairs[index].sender->GetPathMtu();
    return RDMA_MAX_MESSAGE_BYTES / mtu * mtu;
}

int64_t
RdmaFlowRunner::ComputeIdealPs(uint64_t index) const
{
    const RdmaFlow& flow = GetFlow(index);
    const RdmaQueuePair& sender = *m_pairs[index].sender;
    const auto path = GetFabric()->GetPath(m_pairs[index].sender);
    NS_ABORT_MSG_IF(path.empty(),
                    "rdma: flow " << flow.id << ": there is no path from host " << flow.srcHost
                                  << " to host " << flow.dstHost);
    // All of IRN's packets have a RETH, else the first of a message.
    const bool isIrn = sender.GetWireFormat() == RdmaWireFormat::IRN;
    const uint32_t write = GetRdmaOpcodeInfo(RdmaOpcode::RDMA_WRITE_FIRST).headerBytes;
    const uint32_t reth = isIrn ? 0 : write;
    const uint32_t headers = QbbWire::ROCE_BASE_BYTES + (isIrn ? write : 0) +
                             (sender.IsTagged() ? QbbWire::VLAN_TAG_BYTES : 0);
    RdmaLineOverhead overhead;
    if (sender.GetPort()->GetLineOverheadBytes() == 0)
    {
        overhead = {0, 0};
    }
    const auto frames = MakeRdmaIdealFrames(flow.bytes, sender.GetPathMtu(), headers, reth);
    int64_t idealPs = GetRdmaIdealFct(path, frames, overhead);
    // Each further message of a long flow costs one more RETH at the slowest link.
    const uint64_t further = (flow.bytes - 1) / GetMessageLimit(index);
    if (further)
    {
        uint64_t slowest = path.front().rateBps;
        for (const auto& hop : path)
        {
            slowest = std::min(slowest, hop.rateBps);
        }
        idealPs += QbbLineRate(slowest).BytesToPs(further * reth);
    }
    return idealPs;
}

void
RdmaFlowRunner::DoStart(uint64_t index)
{
    const uint64_t bytes = GetFlow(index).bytes;
    const uint64_t limit = GetMessageLimit(index);
    for (uint64_t at = 0; at < bytes && !HasEnded(index); at += limit)
    {
        RdmaSendRequest request;
        request.id = index;
        request.length = std::min(limit, bytes - at);
        request.remoteAddress = at;
        request.signaled = at + request.length == bytes;
        m_pairs[index].sender->PostSend(request);
    }
}

void
RdmaFlowRunner::OnMessage(uint64_t index, const RdmaMessageArrival& arrival)
{
    Pair& pair = m_pairs[index];
    pair.arrivedBytes += arrival.bytes;
    if (pair.arrivedBytes == GetFlow(index).bytes)
    {
        FlowArrived(index, arrival.timePs);
    }
}

void
RdmaFlowRunner::OnCompletion(const RdmaWorkCompletion& completion)
{
    // After a request that failed, the others are flushed.
    if (!HasEnded(completion.id))
    {
        FlowEnded(completion.id, completion.status, completion.timePs);
    }
}

Ptr<RdmaQueuePair>
RdmaFlowRunner::GetSender(uint64_t index) const
{
    return m_pairs.at(index).sender;
}

void
RdmaFlowRunner::DoAddResult(uint64_t index, RdmaFlowResult& result) const
{
    const RdmaQueuePairStats stats = m_pairs[index].sender->GetStats();
    result.retransmittedPackets = stats.packetsRetransmitted;
    result.timeouts = stats.timeouts;
}

std::string
RdmaFlowRunner::DoDescribe(uint64_t index, bool arrived) const
{
    const RdmaQueuePair& sender = *m_pairs[index].sender;
    std::ostringstream text;
    const std::string port = DescribePort(*sender.GetPort(), sender.GetPriority());
    if (arrived)
    {
        text << "all bytes arrived; acknowledgement outstanding" << (port.empty() ? "" : "; ")
             << port;
    }
    else if (!port.empty())
    {
        text << port;
    }
    else if (sender.CanSend())
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
