/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-flow-runner.h"

#include "qbb-wire.h"
#include "rdma-ideal-fct.h"

#include <ns3/abort.h>
#include <ns3/log.h>
#include <ns3/simulator.h>

#include <algorithm>
#include <numeric>
#include <sstream>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaFlowRunner");

NS_OBJECT_ENSURE_REGISTERED(RdmaFlowRunner);

TypeId
RdmaFlowRunner::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaFlowRunner")
                            .SetParent<Object>()
                            .SetGroupName("Rdma")
                            .AddConstructor<RdmaFlowRunner>();
    return tid;
}

RdmaFlowRunner::RdmaFlowRunner()
    : m_completions(CreateObject<RdmaCompletionQueue>()),
      m_timer(this, QbbEventOrder::APPLICATION)
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
    m_timer.Disarm();
    m_completions->SetCallback(RdmaCompletionQueue::CompletionCallback());
    m_flows.clear();
    m_byStart.clear();
    m_fabric = nullptr;
    Object::DoDispose();
}

void
RdmaFlowRunner::SetStopWhenDone(bool stop)
{
    m_stopWhenDone = stop;
}

void
RdmaFlowRunner::Install(Ptr<RdmaFabric> fabric, const std::vector<RdmaFlow>& flows)
{
    NS_ABORT_MSG_IF(m_fabric, "rdma: RdmaFlowRunner::Install() is called a second time");
    m_fabric = fabric;
    // Queue pairs call back until the end of the simulation, so the runner stays until then.
    Simulator::ScheduleDestroy(&RdmaFlowRunner::Dispose, Ptr<RdmaFlowRunner>(this));
    m_completions->SetCallback(MakeCallback(&RdmaFlowRunner::OnCompletion, this));
    m_flows.resize(flows.size());
    for (std::size_t i = 0; i < flows.size(); ++i)
    {
        m_flows[i].flow = flows[i];
    }
    std::sort(m_flows.begin(), m_flows.end(), [](const Flow& a, const Flow& b) {
        return a.flow.id < b.flow.id;
    });
    for (uint64_t i = 0; i < m_flows.size(); ++i)
    {
        NS_ABORT_MSG_IF(i > 0 && m_flows[i].flow.id == m_flows[i - 1].flow.id,
                        "rdma: two flows have the id " << m_flows[i].flow.id);
        Prepare(i);
    }
    m_byStart.resize(m_flows.size());
    std::iota(m_byStart.begin(), m_byStart.end(), 0);
    std::stable_sort(m_byStart.begin(), m_byStart.end(), [this](uint64_t a, uint64_t b) {
        return m_flows[a].flow.startPs < m_flows[b].flow.startPs;
    });
    if (!m_byStart.empty())
    {
        m_timer.Arm(m_flows[m_byStart.front()].flow.startPs);
    }
}

void
RdmaFlowRunner::Prepare(uint64_t index)
{
    Flow& entry = m_flows[index];
    const RdmaFlow& flow = entry.flow;
    NS_ABORT_MSG_IF(!m_fabric->GetTopology().IsHost(flow.srcHost) ||
                        !m_fabric->GetTopology().IsHost(flow.dstHost),
                    "rdma: flow " << flow.id << " from node " << flow.srcHost << " to node "
                                  << flow.dstHost << ": both must be hosts of the fabric");
    NS_ABORT_MSG_IF(flow.srcHost == flow.dstHost,
                    "rdma: flow " << flow.id << " goes from host " << flow.srcHost << " to itself");
    NS_ABORT_MSG_IF(flow.bytes == 0, "rdma: flow " << flow.id << " has 0 bytes; accepted: 1..");
    NS_ABORT_MSG_IF(flow.startPs < QbbNowPs(),
                    "rdma: flow " << flow.id << " starts in the past, at " << flow.startPs
                                  << " ps");
    NS_ABORT_MSG_IF(flow.priority > 7,
                    "rdma: flow " << flow.id << " has class " << flow.priority
                                  << "; accepted: 0..7");
    std::tie(entry.sender, entry.receiver) =
        m_fabric->Connect(flow.srcHost, flow.dstHost, static_cast<uint8_t>(flow.priority));
    entry.sender->SetSendCompletionQueue(m_completions);
    entry.receiver->TraceConnectWithoutContext(
        "MessageReceived",
        Callback<void, const RdmaMessageArrival&>(
            [this, index](const RdmaMessageArrival& arrival) { OnMessage(index, arrival); }));
    entry.idealPs = ComputeIdealPs(entry);
}

uint64_t
RdmaFlowRunner::GetMessageLimit(const Flow& flow) const
{
    // Whole packets, so that a long flow has one short packet at most.
    const uint32_t mtu = flow.sender->GetPathMtu();
    return RDMA_MAX_MESSAGE_BYTES / mtu * mtu;
}

int64_t
RdmaFlowRunner::ComputeIdealPs(const Flow& flow) const
{
    const auto path = m_fabric->GetPath(flow.sender);
    NS_ABORT_MSG_IF(path.empty(),
                    "rdma: flow " << flow.flow.id << ": there is no path from host "
                                  << flow.flow.srcHost << " to host " << flow.flow.dstHost);
    const auto port = flow.sender->GetPort();
    const uint32_t headers =
        QbbWire::ROCE_BASE_BYTES + (flow.sender->IsTagged() ? QbbWire::VLAN_TAG_BYTES : 0);
    const uint32_t reth = GetRdmaOpcodeInfo(RdmaOpcode::RDMA_WRITE_FIRST).headerBytes;
    RdmaLineOverhead overhead;
    if (port->GetLineOverheadBytes() == 0)
    {
        overhead = {0, 0};
    }
    const auto frames =
        MakeRdmaIdealFrames(flow.flow.bytes, flow.sender->GetPathMtu(), headers, reth);
    int64_t idealPs = GetRdmaIdealFct(path, frames, overhead);
    // Each further message of a long flow costs one more RETH at the slowest link.
    const uint64_t further = (flow.flow.bytes - 1) / GetMessageLimit(flow);
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
RdmaFlowRunner::OnStart()
{
    const int64_t nowPs = QbbNowPs();
    while (m_nextStart < m_byStart.size() && m_flows[m_byStart[m_nextStart]].flow.startPs <= nowPs)
    {
        Post(m_byStart[m_nextStart++]);
    }
    if (m_nextStart < m_byStart.size())
    {
        m_timer.Arm(m_flows[m_byStart[m_nextStart]].flow.startPs);
    }
}

void
RdmaFlowRunner::Post(uint64_t index)
{
    Flow& entry = m_flows[index];
    entry.posted = true;
    const uint64_t limit = GetMessageLimit(entry);
    for (uint64_t at = 0; at < entry.flow.bytes && !entry.ended; at += limit)
    {
        RdmaSendRequest request;
        request.id = index;
        request.length = std::min(limit, entry.flow.bytes - at);
        request.remoteAddress = at;
        request.signaled = at + request.length == entry.flow.bytes;
        entry.sender->PostSend(request);
    }
}

void
RdmaFlowRunner::OnMessage(uint64_t index, const RdmaMessageArrival& arrival)
{
    Flow& entry = m_flows[index];
    entry.arrivedBytes += arrival.bytes;
    if (entry.arrivedBytes == entry.flow.bytes)
    {
        entry.fctPs = arrival.timePs - entry.flow.startPs;
    }
}

void
RdmaFlowRunner::OnCompletion(const RdmaWorkCompletion& completion)
{
    Flow& entry = m_flows[completion.id];
    if (entry.ended)
    {
        return; // what was flushed after the request that failed
    }
    entry.ended = true;
    entry.status = completion.status;
    ++m_ended;
    if (completion.status == RdmaWcStatus::SUCCESS)
    {
        ++m_completed;
        entry.cqePs = completion.timePs - entry.flow.startPs;
    }
    if (m_stopWhenDone && m_ended == m_flows.size())
    {
        Simulator::Stop();
    }
}

uint64_t
RdmaFlowRunner::GetNFlows() const
{
    return m_flows.size();
}

uint64_t
RdmaFlowRunner::GetNEnded() const
{
    return m_ended;
}

uint64_t
RdmaFlowRunner::GetNCompleted() const
{
    return m_completed;
}

Ptr<RdmaQueuePair>
RdmaFlowRunner::GetSender(uint64_t index) const
{
    return m_flows.at(index).sender;
}

std::vector<RdmaFlowResult>
RdmaFlowRunner::GetResults() const
{
    std::vector<RdmaFlowResult> results;
    results.reserve(m_flows.size());
    for (const Flow& entry : m_flows)
    {
        const RdmaQueuePairStats stats = entry.sender->GetStats();
        RdmaFlowResult result;
        result.flow = entry.flow;
        if (entry.fctPs >= 0)
        {
            result.fctPs = entry.fctPs;
        }
        if (entry.cqePs >= 0)
        {
            result.cqePs = entry.cqePs;
        }
        result.idealPs = entry.idealPs;
        result.retransmittedPackets = stats.packetsRetransmitted;
        result.timeouts = stats.timeouts;
        result.status = entry.ended ? GetRdmaWcStatusName(entry.status) : Describe(entry);
        results.push_back(result);
    }
    return results;
}

std::string
RdmaFlowRunner::Describe(const Flow& flow) const
{
    if (!flow.posted)
    {
        return "not started";
    }
    std::ostringstream text;
    const auto port = flow.sender->GetPort();
    const uint8_t priority = flow.sender->GetPriority();
    if (flow.fctPs >= 0)
    {
        text << "all bytes arrived; acknowledgement outstanding";
    }
    else if (!port->IsLinkUp())
    {
        text << "link of the sender is down";
    }
    else if (port->GetPauseReceiver().GetPaused() & (1U << priority))
    {
        text << "class " << +priority << " of the sender is paused";
    }
    else if (flow.sender->CanSend())
    {
        text << "sending";
    }
    else
    {
        text << "waits for acknowledgements";
        if (!flow.sender->HasRetransmissionTimer())
        {
            text << " without a retransmission timer";
        }
    }
    text << "; " << flow.sender->GetPacketsAcknowledged() << " of "
         << flow.sender->GetPacketsPosted() << " packets acknowledged";
    return text.str();
}

} // namespace ns3
