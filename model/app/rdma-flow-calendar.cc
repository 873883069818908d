/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-flow-calendar.h"

#include "qbb-time.h"
#include "rdma-shared-run.h"

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
        m_hosts.try_emplace(node->GetId(), *this, node->GetId()).first->second.Add(index);
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

RdmaFlowCalendar::Host::Host(const RdmaFlowCalendar& calendar, uint32_t node)
    : m_calendar(calendar),
      m_node(node),
      m_timer(this)
{
}

QbbPs
RdmaFlowCalendar::Host::GetTime(std::size_t flow) const
{
    return m_calendar.m_timeOf(m_flows[flow]);
}

void
RdmaFlowCalendar::Host::Start()
{
    m_flows.erase(m_flows.begin(), m_flows.begin() + static_cast<std::ptrdiff_t>(m_next));
    m_next = 0;
    const TimeOf& timeOf = m_calendar.m_timeOf;
    std::sort(m_flows.begin(), m_flows.end(), [&timeOf](uint32_t a, uint32_t b) {
        return std::pair(timeOf(a), a) < std::pair(timeOf(b), b);
    });
    if (!m_flows.empty() && !m_timer.IsArmed())
    {
        m_timer.Arm(GetTime(0));
    }
}

void
RdmaFlowCalendar::Host::OnTime()
{
    const QbbPs now = QbbNow();
    while (m_next < m_flows.size() && GetTime(m_next) <= now)
    {
        m_calendar.m_handler(m_flows[m_next++]);
    }
    if (m_next < m_flows.size())
    {
        m_timer.Arm(GetTime(m_next));
        return;
    }
    // The host's list of flows may be long and is not needed any further.
    m_flows = std::vector<uint32_t>();
    m_next = 0;
}

} // namespace ns3
