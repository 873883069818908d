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
        const uint32_t id = node->GetId();
        m_hosts.resize(std::max<std::size_t>(m_hosts.size(), id + 1));
        if (!m_hosts[id])
        {
            m_hosts[id] = std::make_unique<Host>(*this, id);
        }
        m_hosts[id]->flows.push_back(index);
    }
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
