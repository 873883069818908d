/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-flow-calendar.h"

#include "qbb-time.h"

#include <ns3/simulator.h>

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
    m_hosts[node->GetId()].flows.push_back(index);
}

Time
RdmaFlowCalendar::GetDelay(const Host& host) const
{
    const QbbPs at = m_timeOf(host.flows[host.next]);
    return QbbGetDelay(QbbEventTime(at, EVENT_ORDER), QbbEventNow());
}

void
RdmaFlowCalendar::Start()
{
    for (auto& [node, host] : m_hosts)
    {
        host.flows.erase(host.flows.begin(),
                         host.flows.begin() + static_cast<std::ptrdiff_t>(host.next));
        host.next = 0;
        std::sort(host.flows.begin(), host.flows.end(), [this](uint32_t a, uint32_t b) {
            return std::pair(m_timeOf(a), a) < std::pair(m_timeOf(b), b);
        });
        if (host.scheduled || host.flows.empty())
        {
            continue;
        }
        host.scheduled = true;
        Simulator::ScheduleWithContext(node, GetDelay(host), &RdmaFlowCalendar::OnTime, this, node);
    }
}

void
RdmaFlowCalendar::Stop()
{
    m_hosts.clear();
}

void
RdmaFlowCalendar::OnTime(uint32_t node)
{
    const auto found = m_hosts.find(node);
    if (found == m_hosts.end())
    {
        return;
    }
    Host& host = found->second;
    const QbbPs now = QbbNow();
    while (host.next < host.flows.size() && m_timeOf(host.flows[host.next]) <= now)
    {
        m_handler(host.flows[host.next++]);
    }
    if (host.next < host.flows.size())
    {
        Simulator::Schedule(GetDelay(host), &RdmaFlowCalendar::OnTime, this, node);
        return;
    }
    // The host's list of flows may be long and is not needed any further.
    host = Host();
}

} // namespace ns3
