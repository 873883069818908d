/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-gap-rule.h"

#include <algorithm>

namespace ns3
{

void
RdmaGapRule::Arrived(uint64_t end, RdmaPs now)
{
    if (end <= m_end)
    {
        return;
    }
    m_end = end;
    if (!m_evidence.IsEmpty() && m_evidence.Back().since == now)
    {
        m_evidence.Back().end = end;
        return;
    }
    m_evidence.Push({end, now});
}

void
RdmaGapRule::Overtaken(uint64_t number, RdmaPs now)
{
    std::size_t first = 0;
    for (std::size_t end = m_evidence.GetSize(); first < end;)
    {
        const std::size_t middle = (first + end) / 2;
        const bool isOlder = m_evidence[middle].end <= number;
        first = isOlder ? middle + 1 : first;
        end = isOlder ? end : middle;
    }
    if (first < m_evidence.GetSize())
    {
        m_lateness = std::max(m_lateness, now - m_evidence[first].since);
        m_overtaken = std::min(m_overtaken + 1, LEARNED);
    }
}

RdmaPs
RdmaGapRule::GetAge(const RdmaGapLimits& limits) const
{
    if (limits.margin == 0 || m_overtaken < LEARNED || m_mistook)
    {
        return limits.age;
    }
    return std::min(limits.age, std::max(limits.least, int64_t{limits.margin} * m_lateness));
}

void
RdmaGapRule::Complete(uint64_t number)
{
    while (!m_evidence.IsEmpty() && m_evidence.Front().end <= number)
    {
        m_evidence.DropFront();
    }
}

uint64_t
RdmaGapRule::GetLostEnd(const RdmaGapLimits& limits, RdmaPs now)
{
    while (GetDeadline(limits) <= now)
    {
        m_lostEnd = std::max(m_lostEnd, m_evidence.Front().end);
        m_evidence.DropFront();
    }
    if (limits.packets > 0 && m_end > limits.packets)
    {
        m_lostEnd = std::max(m_lostEnd, m_end - limits.packets);
    }
    return m_lostEnd;
}

RdmaPs
RdmaGapRule::GetDeadline(const RdmaGapLimits& limits) const
{
    return m_evidence.IsEmpty() || limits.age == RDMA_NEVER
               ? RDMA_NEVER
               : m_evidence.Front().since + GetAge(limits);
}

} // namespace ns3
