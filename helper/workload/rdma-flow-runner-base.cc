/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-flow-runner-base.h"

#include "rdma-flow-dependencies.h"
#include "rdma-prefetch.h"
#include "rdma-refuse.h"
#include "rdma-run-end.h"
#include "rdma-shared-run.h"
#include "rdma-simulator-impl.h"
#include "rdma-units.h"

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
               },
               [this](uint32_t index) { Prefetch(index); })
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
RdmaFlowRunnerBase::Prefetch(uint64_t index) const
{
    RdmaPrefetchLines(&m_flows[index], 2);
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
    RefuseRdmaIf(!m_dependencies.empty() && m_window.end != RDMA_NEVER,
                 "flows that wait for others, with a window of counted flows; accepted: one of the "
                 "two");
    DoInstall();
    Append(flows);
}

void
RdmaFlowRunnerBase::SetDependencies(const std::vector<RdmaFlowDependency>& dependencies)
{
    NS_ABORT_MSG_IF(m_fabric, "rdma: SetDependencies() of a flow runner after Install()");
    m_dependencies = dependencies;
}

const RdmaFlowDependency*
RdmaFlowRunnerBase::GetDependency(uint64_t index) const
{
    const auto found = m_waits.find(static_cast<uint32_t>(index));
    return found == m_waits.end() ? nullptr : found->second.dependency.get();
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
    if (!m_dependencies.empty())
    {
        PrepareWaits();
    }
    for (uint64_t i = first; i < m_flows.size(); ++i)
    {
        NS_ABORT_MSG_IF(i > 0 && m_flows[i].flow.id == m_flows[i - 1].flow.id,
                        "rdma: two flows have the id " << m_flows[i].flow.id);
        Check(m_flows[i].flow);
    }
    DoAdd(first);
    for (uint64_t i = first; i < m_flows.size(); ++i)
    {
        m_flows[i].ideal = DoPrepare(i);
        const Ptr<Node> node = m_fabric->GetNode(DoGetStartNode(i));
        if (GetDependency(i))
        {
            m_starts.Expect(node);
        }
        else
        {
            m_starts.Add(node, static_cast<uint32_t>(i));
        }
    }
    PrepareNews();
    m_starts.Start();
}

/** Finds the flows that wait, whose starts are not known before the run. */
void
RdmaFlowRunnerBase::PrepareWaits()
{
    std::vector<RdmaFlow> flows;
    flows.reserve(m_flows.size());
    for (const Flow& entry : m_flows)
    {
        flows.push_back(entry.flow);
    }
    if (const auto fault = FindRdmaDependencyFault(flows, m_dependencies))
    {
        RefuseRdmaIf(true,
                     "flow ",
                     m_dependencies[fault->place].flow,
                     ": ",
                     fault->problem,
                     "; accepted: ",
                     fault->accepted);
    }
    for (RdmaFlowDependency& dependency : m_dependencies)
    {
        const uint32_t index = FindFlow(dependency.flow);
        Wait& wait = m_waits[index];
        wait.earliest = m_flows[index].flow.start;
        wait.left = static_cast<uint32_t>(dependency.after.size());
        wait.known.resize(wait.left);
        wait.dependency = std::make_shared<RdmaFlowDependency>(std::move(dependency));
    }
    m_dependencies.clear();
}

/** Finds out which flow's end is told to whom, once it is known where flows start and end. */
void
RdmaFlowRunnerBase::PrepareNews()
{
    m_newsOfSenders.clear();
    m_newsOfReceivers.clear();
    for (const auto& [index, wait] : m_waits)
    {
        const RdmaFlow& flow = m_flows[index].flow;
        const uint32_t start = DoGetStartNode(index);
        for (uint32_t place = 0; place < wait.dependency->after.size(); ++place)
        {
            const uint32_t awaited = FindFlow(wait.dependency->after[place]);
            const RdmaFlow& before = m_flows[awaited].flow;
            const bool isSender = before.srcHost == flow.srcHost;
            const bool isRemote = !isSender && before.dstHost != flow.srcHost;
            const uint32_t end = isSender ? DoGetStartNode(awaited) : DoGetArrivalNode(awaited);
            (isSender ? m_newsOfSenders : m_newsOfReceivers)[awaited].push_back(
                {index, place, isRemote});
            if (isRemote)
            {
                const uint32_t from = m_fabric->GetNode(end)->GetSystemId();
                const uint32_t to = m_fabric->GetNode(start)->GetSystemId();
                RefuseRdmaIf(IsRdmaRunShared() && from != to,
                             "flow ",
                             flow.id,
                             " on rank ",
                             to,
                             " waits for flow ",
                             before.id,
                             ", whose receiver is on rank ",
                             from,
                             "; accepted: with one rank");
                RdmaSimulatorImpl::RequireOneThread("flows wait for flows of other hosts");
            }
            else if (end != start)
            {
                m_fabric->GetHost(flow.srcHost)->UseBus();
            }
        }
    }
}

/** \return position of a flow, which exists */
uint32_t
RdmaFlowRunnerBase::FindFlow(uint64_t id) const
{
    const auto found =
        std::lower_bound(m_flows.begin(), m_flows.end(), id, [](const Flow& entry, uint64_t value) {
            return entry.flow.id < value;
        });
    return static_cast<uint32_t>(found - m_flows.begin());
}

/**
 * Tells waiting flows that a flow has ended.
 *
 * \param list those who are to be told
 * \param index the flow
 * \param node id of the node in whose event the flow has ended
 */
void
RdmaFlowRunnerBase::Tell(const NewsList& list, uint64_t index, uint32_t node)
{
    const auto found = list.find(static_cast<uint32_t>(index));
    if (found == list.end())
    {
        return;
    }
    for (const News& news : found->second)
    {
        const uint32_t start = DoGetStartNode(news.index);
        const RdmaPs delay = GetDependency(news.index)->delay.value_or(0_ps);
        ++m_news;
        if (news.isRemote)
        {
            // Order 0: all news of an instant is known before flows start.
            const RdmaEventTime arrival(RdmaNow() + delay, 0);
            Simulator::ScheduleWithContext(m_fabric->GetNode(start)->GetId(),
                                           RdmaGetDelay(arrival, RdmaEventNow()),
                                           [this, news] { Learn(news.index, news.place, 0_ps); });
        }
        else if (node == start)
        {
            Learn(news.index, news.place, delay);
        }
        else
        {
            const RdmaTopology& topology = m_fabric->GetTopology();
            const uint32_t host = topology.GetNode(node).host;
            const std::vector<uint32_t> nics = topology.GetNics(host);
            const auto getNic = [&nics](uint32_t id) {
                return static_cast<uint32_t>(std::find(nics.begin(), nics.end(), id) -
                                             nics.begin());
            };
            RdmaNote note;
            note.receiver = this;
            note.place = news.place;
            note.numbers[0] = news.index;
            m_fabric->GetHost(host)->Send(getNic(node), getNic(start), note);
        }
    }
}

void
RdmaFlowRunnerBase::NoteArrived(const RdmaNote& note)
{
    const auto index = static_cast<uint32_t>(note.numbers[0]);
    Learn(index, note.place, GetDependency(index)->delay.value_or(0_ps));
}

/**
 * The sending node of a waiting flow learns that an awaited flow has ended.
 *
 * \param index the waiting flow
 * \param place place of the awaited flow among those that are awaited
 * \param delay time until the flow may start
 */
void
RdmaFlowRunnerBase::Learn(uint32_t index, uint32_t place, RdmaPs delay)
{
    --m_news;
    Wait& wait = m_waits.find(index)->second;
    wait.known[place] = true;
    wait.ready = std::max(wait.ready, RdmaNow() + delay);
    if (--wait.left > 0)
    {
        return;
    }
    RdmaFlow& flow = m_flows[index].flow;
    flow.start = std::max(wait.earliest, wait.ready);
    NS_ABORT_MSG_IF(flow.start > RDMA_MAX_TIME,
                    "rdma: flow " << flow.id << " would start after the latest time, "
                                  << FormatRdmaTime(RDMA_MAX_TIME));
    m_starts.Insert(m_fabric->GetNode(DoGetStartNode(index)), index);
}

/** \return for which flow a flow waits that has not started; empty: for its time */
std::string
RdmaFlowRunnerBase::DescribeWait(const Wait& wait) const
{
    const auto unknown = std::find(wait.known.begin(), wait.known.end(), false);
    return unknown == wait.known.end()
               ? ""
               : "; waits for flow " +
                     std::to_string(wait.dependency->after[unknown - wait.known.begin()]);
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
    m_flows[index].arrived = time;
    if (m_fabric->GetTimers().IsReordering())
    {
        m_flows[index].reordering = DoGetReordering(index).value_or(RdmaFlowReordering());
    }
    if (!m_newsOfReceivers.empty())
    {
        Tell(m_newsOfReceivers, index, DoGetArrivalNode(index));
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
        if (!m_newsOfSenders.empty())
        {
            Tell(m_newsOfSenders, index, DoGetStartNode(index));
        }
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
        const auto wait = m_waits.find(static_cast<uint32_t>(i));
        const bool isKnown = wait == m_waits.end() || wait->second.left == 0;
        if (isKnown && !m_flows[i].started &&
            IsRdmaNodeLocal(*m_fabric->GetNode(DoGetStartNode(i))))
        {
            next = std::min(next, m_flows[i].flow.start);
        }
    }
    return next;
}

void
RdmaFlowRunnerBase::Share()
{
    // The receiver's process knows when a flow has arrived, and the sender's everything else.
    struct Arrival
    {
        uint64_t index;
        RdmaPs arrived;
        RdmaFlowReordering reordering;
    };

    std::vector<Arrival> arrivals;
    for (uint64_t i = 0; i < m_flows.size(); ++i)
    {
        if (m_flows[i].arrived >= 0_ps)
        {
            arrivals.push_back({i, m_flows[i].arrived, m_flows[i].reordering});
        }
        else if (const auto reordering = DoGetReordering(i); reordering && reordering->early > 0)
        {
            arrivals.push_back({i, m_flows[i].arrived, *reordering});
        }
    }
    for (const Arrival& arrival : ShareRdmaValues(arrivals))
    {
        m_flows[arrival.index].arrived = arrival.arrived;
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
        if (entry.flow.start >= m_window.end && !entry.started)
        {
            continue;
        }
        RdmaFlowResult& result = results.emplace_back();
        result.flow = entry.flow;
        result.isCounted = m_window.Contains(entry.flow.start);
        if (entry.arrived >= 0_ps)
        {
            result.fct = entry.arrived - entry.flow.start;
        }
        if (entry.cqe >= 0_ps)
        {
            result.cqe = entry.cqe;
        }
        result.ideal = entry.ideal;
        result.status = entry.ended     ? GetRdmaWcStatusName(entry.status)
                        : entry.started ? DoDescribe(i, entry.arrived >= 0_ps)
                                        : "not started";
        if (const auto found = m_waits.find(static_cast<uint32_t>(i)); found != m_waits.end())
        {
            result.dependency = found->second.dependency;
            result.earliest = found->second.earliest;
            result.status += entry.started ? "" : DescribeWait(found->second);
        }
        const RdmaFlowRetries retries = DoGetRetries(i).value_or(entry.retries);
        result.retransmittedPackets = retries.packets;
        result.timeouts = retries.timeouts;
        result.reordering = entry.arrived >= 0_ps ? entry.reordering
                                                  : DoGetReordering(i).value_or(entry.reordering);
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
