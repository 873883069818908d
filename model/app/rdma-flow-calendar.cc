/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-flow-calendar.h"

#include "rdma-prefetch.h"
#include "rdma-shared-run.h"
#include "rdma-time.h"

#include <algorithm>
#include <utility>

namespace ns3
{

RdmaFlowCalendar::RdmaFlowCalendar(TimeOf timeOf, Handler handler, Fetcher fetcher)
    : m_timeOf(std::move(timeOf)),
      m_handler(std::move(handler)),
      m_fetcher(std::move(fetcher))
{
}

void
RdmaFlowCalendar::Add(Ptr<Node> node, uint32_t index)
{
    if (IsRdmaNodeLocal(*node))
    {
        Find(node->GetId()).flows.push_back(index);
    }
}

void
RdmaFlowCalendar::Expect(Ptr<Node> node)
{
    if (IsRdmaNodeLocal(*node))
    {
        Find(node->GetId());
    }
}

void
RdmaFlowCalendar::Insert(Ptr<Node> node, uint32_t index)
{
    m_hosts[node->GetId()]->Insert(index);
}

/** \return the flows of a host, made if there were none */
RdmaFlowCalendar::Host&
RdmaFlowCalendar::Find(uint32_t node)
{
    m_hosts.resize(std::max<std::size_t>(m_hosts.size(), node + 1));
    if (!m_hosts[node])
    {
        m_hosts[node] = std::make_unique<Host>(*this, node);
    }
    return *m_hosts[node];
}

void
RdmaFlowCalendar::Start()
{
    for (const auto& host : m_hosts)
    {
        if (host)
        {
            host->Start();
        }
    }
}

void
RdmaFlowCalendar::Stop()
{
    m_hosts.clear();
}

RdmaFlowCalendar::Host::Host(const RdmaFlowCalendar& ofCalendar, uint32_t ofNode)
    : calendar(ofCalendar),
      node(ofNode),
      timer(this)
{
}

void
RdmaFlowCalendar::Host::Start()
{
    flows.erase(flows.begin(), flows.begin() + static_cast<std::ptrdiff_t>(next));
    next = 0;
    const TimeOf& timeOf = calendar.m_timeOf;
    const auto isEarlier = [&timeOf](uint32_t a, uint32_t b) {
        return std::pair(timeOf(a), a) < std::pair(timeOf(b), b);
    };
    // Flows usually come in the order of their times, which a sort would take long to find.
    if (!std::is_sorted(flows.begin(), flows.end(), isEarlier))
    {
        std::sort(flows.begin(), flows.end(), isEarlier);
    }
    if (!flows.empty() && !timer.IsArmed())
    {
        timer.Arm(timeOf(flows.front()));
    }
}

void
RdmaFlowCalendar::Host::Insert(uint32_t index)
{
    const TimeOf& timeOf = calendar.m_timeOf;
    const auto isEarlier = [&timeOf](uint32_t a, uint32_t b) {
        return std::pair(timeOf(a), a) < std::pair(timeOf(b), b);
    };
    const auto begin = flows.begin() + static_cast<std::ptrdiff_t>(next);
    flows.insert(std::upper_bound(begin, flows.end(), index, isEarlier), index);
    timer.ArmNoLater(timeOf(flows[next]));
}

void
RdmaFlowCalendar::Host::OnTime()
{
    const RdmaPs now = RdmaNow();
    while (next < flows.size() && calendar.m_timeOf(flows[next]) <= now)
    {
        const uint32_t flow = flows[next++];
        if (calendar.m_fetcher && next < flows.size())
        {
            calendar.m_fetcher(flows[next]);
        }
        calendar.m_handler(flow);
    }
    if (next < flows.size())
    {
        timer.Arm(calendar.m_timeOf(flows[next]));
        return;
    }
    // The host's list of flows may be long and is not needed any further.
    flows = std::vector<uint32_t>();
    next = 0;
}

void
RdmaFlowCalendar::Host::PrefetchTimer(uint32_t step) const
{
    if (step == 2)
    {
        RdmaPrefetch(flows.data() + next);
    }
    else if (step == 3 && calendar.m_fetcher && next < flows.size())
    {
        calendar.m_fetcher(flows[next]);
    }
}

} // namespace ns3
