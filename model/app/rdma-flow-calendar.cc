/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-flow-calendar.h"

#include "rdma-shared-run.h"
#include "rdma-time.h"

#include <algorithm>
#include <utility>

namespace ns3
{

RdmaFlowCalendar::RdmaFlowCalendar(TimeOf timeOf, Handler handler)
    : m_timeOf(std::move(timeOf)),
      m_handler(std::move(handler))
{
}

void
RdmaFlowCalendar::Add(Ptr<Node> node, uint32_t index)
{
    if (IsRdmaNodeLocal(*node))
    {
        Host& host = m_hosts.try_emplace(node->GetId(), *this, node->GetId()).first->second;
        host.flows.push_back(index);
    }
}

void
RdmaFlowCalendar::Start()
{
    for (auto& [node, host] : m_hosts)
    {
        host.Start();
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
    std::sort(flows.begin(), flows.end(), [&timeOf](uint32_t a, uint32_t b) {
        return std::pair(timeOf(a), a) < std::pair(timeOf(b), b);
    });
    if (!flows.empty() && !timer.IsArmed())
    {
        timer.Arm(timeOf(flows.front()));
    }
}

void
RdmaFlowCalendar::Host::OnTime()
{
    const RdmaPs now = RdmaNow();
    while (next < flows.size() && calendar.m_timeOf(flows[next]) <= now)
    {
        calendar.m_handler(flows[next++]);
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

} // namespace ns3
