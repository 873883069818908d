/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-flow-runner-base.h"

#include "rdma-run-end.h"
#include "rdma-shared-run.h"

#include <ns3/abort.h>
#include <ns3/simulator.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaFlowRunnerBase);

TypeId
RdmaFlowRunnerBase::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaFlowRunnerBase").SetParent<Object>().SetGroupName("Rdma");
    return tid;
}

RdmaFlowRunnerBase::RdmaFlowRunnerBase()
    : m_starts([this](uint32_t index) { return m_flows[index].flow.start; },
               [this](uint32_t index) {
                   m_flows[index].started = true;
                   ++m_started;
                   DoStart(index);
               })
{
}

void
RdmaFlowRunnerBase::DoDispose()
{
    m_starts.Stop();
    m_flows.clear();
    m_fabric = nullptr;
    Object::DoDispose();
}

void
RdmaFlowRunnerBase::SetStopWhenDone(bool stop)
{
    m_stopWhenDone = stop;
}

void
RdmaFlowRunnerBase::Install(Ptr<RdmaFabric> fabric, const std::vector<RdmaFlow>& flows)
{
    NS_ABORT_MSG_IF(m_fabric, "rdma: the flow runner's Install() is called a second time");
    NS_ABORT_MSG_IF(!fabric,
                    "rdma: the flow runner's Install() without a fabric; accepted: a fabric of "
                    "RdmaFabricHelper::Install()");
    m_fabric = fabric;
    // Keep the runner alive until the simulation ends, because flows report to it until then.
    Simulator::ScheduleDestroy(&RdmaFlowRunnerBase::Dispose, Ptr<RdmaFlowRunnerBase>(this));
    DoInstall();
    Append(flows);
}

void
RdmaFlowRunnerBase::AddFlows(const std::vector<RdmaFlow>& flows)
{
    NS_ABORT_MSG_IF(!m_fabric, "rdma: AddFlows() of a flow runner before Install()");
    Append(flows);
}

void
RdmaFlowRunnerBase::SetWindow(const RdmaFlowWindow& window)
{
    NS_ABORT_MSG_IF(m_fabric, "rdma: SetWindow() of a flow runner after Install()");
    m_window = window;
}

void
RdmaFlowRunnerBase::Append(std::vector<RdmaFlow> flows)
{
    constexpr uint64_t MAX_FLOWS = std::numeric_limits<uint32_t>::max();
    NS_ABORT_MSG_IF(flows.size() + m_flows.size() > MAX_FLOWS,
                    "rdma: " << flows.size() + m_flows.size() << " flows; accepted: up to "
                             << MAX_FLOWS);
    const auto isLess = [](const RdmaFlow& a, const RdmaFlow& b) { return a.id < b.id; };
    if (!std::is_sorted(flows.begin(), flows.end(), isLess))
    {
        std::sort(flows.begin(), flows.end(), isLess);
    }
    const uint64_t first = m_flows.size();
    NS_ABORT_MSG_IF(first > 0 && !flows.empty() && flows.front().id < m_flows.back().flow.id,
                    "rdma: flow " << flows.front().id << " is added after flow "
                                  << m_flows.back().flow.id << "; accepted: ascending ids");
    for (const RdmaFlow& flow : flows)
    {
        m_flows.emplace_back();
        m_flows.back().flow = flow;
        m_counted += m_window.Contains(flow.start) ? 1 : 0;
    }
    DoAdd(first);
    for (uint64_t i = first; i < m_flows.size(); ++i)
    {
        NS_ABORT_MSG_IF(i > 0 && m_flows[i].flow.id == m_flows[i - 1].flow.id,
                        "rdma: two flows have the id " << m_flows[i].flow.id);
        Check(m_flows[i].flow);
        m_flows[i].ideal = DoPrepare(i);
        m_starts.Add(m_fabric->GetNode(DoGetStartNode(i)), static_cast<uint32_t>(i));
    }
    m_starts.Start();
}

void
RdmaFlowRunnerBase::Check(const RdmaFlow& flow) const
{
    NS_ABORT_MSG_IF(!m_fabric->GetTopology().IsHost(flow.srcHost) ||
                        !m_fabric->GetTopology().IsHost(flow.dstHost),
                    "rdma: flow " << flow.id << " from node " << flow.srcHost << " to node "
                                  << flow.dstHost << ": both must be hosts of the fabric");
    NS_ABORT_MSG_IF(flow.srcHost == flow.dstHost,
                    "rdma: flow " << flow.id << " goes from host " << flow.srcHost << " to itself");
    NS_ABORT_MSG_IF(flow.bytes == 0, "rdma: flow " << flow.id << " has 0 bytes; accepted: 1..");
    NS_ABORT_MSG_IF(flow.start < RdmaNow(),
                    "rdma: flow " << flow.id << " starts in the past, at " << flow.start
                                  << " ps; the simulation is at " << RdmaNow()
                                  << " ps, and Simulator::Destroy() begins a new one");
    NS_ABORT_MSG_IF(flow.priority > 7,
                    "rdma: flow " << flow.id << " has class " << flow.priority
                                  << "; accepted: 0..7");
}

void
RdmaFlowRunnerBase::FlowArrived(uint64_t index, RdmaPs time)
{
    m_flows[index].fct = time - m_flows[index].flow.start;
    if (m_fabric->GetTimers().IsReordering())
    {
        m_flows[index].reordering = DoGetReordering(index).value_or(RdmaFlowReordering());
    }
}

void
RdmaFlowRunnerBase::FlowEnded(uint64_t index, RdmaWcStatus status, RdmaPs time)
{
    Flow& entry = m_flows[index];
    entry.ended = true;
    entry.status = status;
    ++m_ended;
    if (status == RdmaWcStatus::SUCCESS)
    {
        ++m_completed;
        entry.cqe = time - entry.flow.start;
    }
    if (!m_window.Contains(entry.flow.start))
    {
        return;
    }
    const int64_t now = RdmaNow().Get();
    int64_t last = m_lastEndPs;
    while (last < now && !m_lastEndPs.compare_exchange_weak(last, now))
    {
    }
    // With several threads, the last sender to increment the count need not be the last to end. In
    // a shared run, this process does not know the flows of the others.
    if (++m_countedEnded == m_counted && m_stopWhenDone && !IsRdmaRunShared())
    {
        StopRdmaRunAt(GetRdmaRunEnd(RdmaPs(m_lastEndPs)));
    }
}

RdmaPs
RdmaFlowRunnerBase::GetNextStart() const
{
    RdmaPs next = RDMA_NEVER;
    for (uint64_t i = 0; i < m_flows.size(); ++i)
    {
        if (!m_flows[i].started && IsRdmaNodeLocal(*m_fabric->GetNode(DoGetStartNode(i))))
        {
            next = std::min(next, m_flows[i].flow.start);
        }
    }
    return next;
}

void
RdmaFlowRunnerBase::ShareArrivals()
{
    // The receiver's process knows when a flow has arrived, and the sender's everything else.
    struct Arrival
    {
        uint64_t index;
        RdmaPs fct;
        RdmaFlowReordering reordering;
    };

    std::vector<Arrival> arrivals;
    for (uint64_t i = 0; i < m_flows.size(); ++i)
    {
        if (m_flows[i].fct >= 0_ps)
        {
            arrivals.push_back({i, m_flows[i].fct, m_flows[i].reordering});
        }
        else if (const auto reordering = DoGetReordering(i); reordering && reordering->early > 0)
        {
            arrivals.push_back({i, m_flows[i].fct, *reordering});
        }
    }
    for (const Arrival& arrival : ShareRdmaValues(arrivals))
    {
        m_flows[arrival.index].fct = arrival.fct;
        m_flows[arrival.index].reordering = arrival.reordering;
    }
    DoShare();
}

void
RdmaFlowRunnerBase::KeepRetries(uint64_t index)
{
    m_flows[index].retries = DoGetRetries(index).value();
}

RdmaPs
RdmaFlowRunnerBase::GetIdeal(const RdmaFlow& flow,
                             const std::vector<RdmaIdealHop>& path,
                             const RdmaIdealFrames& frames,
                             const QbbPort& port)
{
    if (path.empty())
    {
        throw std::invalid_argument("flow " + std::to_string(flow.id) + ": no path from host " +
                                    std::to_string(flow.srcHost) + " to host " +
                                    std::to_string(flow.dstHost) +
                                    "; accepted: hosts with ports that switches or a cable join");
    }
    const bool counted = port.GetLineOverheadBytes() > 0;
    try
    {
        return GetRdmaIdealFct(path, frames, counted ? RdmaLineOverhead() : RdmaLineOverhead{0, 0});
    }
    catch (const std::invalid_argument& error)
    {
        throw std::invalid_argument("flow " + std::to_string(flow.id) + " of " +
                                    std::to_string(flow.bytes) + " bytes from host " +
                                    std::to_string(flow.srcHost) + " to host " +
                                    std::to_string(flow.dstHost) + ": " + error.what());
    }
}

std::vector<RdmaFlowResult>
RdmaFlowRunnerBase::GetResults() const
{
    std::vector<RdmaFlowResult> results;
    results.reserve(m_flows.size());
    for (uint64_t i = 0; i < m_flows.size(); ++i)
    {
        const Flow& entry = m_flows[i];
        RdmaFlowResult result;
        result.flow = entry.flow;
        result.isCounted = m_window.Contains(entry.flow.start);
        if (entry.flow.start >= m_window.end && !entry.started)
        {
            continue;
        }
        if (entry.fct >= 0_ps)
        {
            result.fct = entry.fct;
        }
        if (entry.cqe >= 0_ps)
        {
            result.cqe = entry.cqe;
        }
        result.ideal = entry.ideal;
        result.status = entry.ended     ? GetRdmaWcStatusName(entry.status)
                        : entry.started ? DoDescribe(i, entry.fct >= 0_ps)
                                        : "not started";
        const RdmaFlowRetries retries = DoGetRetries(i).value_or(entry.retries);
        result.retransmittedPackets = retries.packets;
        result.timeouts = retries.timeouts;
        result.reordering =
            entry.fct >= 0_ps ? entry.reordering : DoGetReordering(i).value_or(entry.reordering);
        results.push_back(result);
    }
    return results;
}

std::string
RdmaFlowRunnerBase::DescribePort(const QbbPort& port, uint8_t priority)
{
    if (!port.IsUp())
    {
        return "link of the sender is down";
    }
    if (port.GetFlowControl().GetPauseReceiver().GetPaused() & (1U << priority))
    {
        return "class " + std::to_string(priority) + " of the sender is paused";
    }
    return "";
}

} // namespace ns3
