/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-send-pipeline.h"

#include <algorithm>

namespace ns3
{

RdmaSendPipeline::RdmaSendPipeline(const RdmaSendTiming& timing)
    : m_timing(timing)
{
}

void
RdmaSendPipeline::Post(RdmaPs now)
{
    const uint64_t request = m_posted++;
    RdmaPs ready = now + m_timing.doorbell;
    // The place of WQE n becomes free when message n - P - 1 leaves.
    if (m_timing.fetch == RdmaPs(0) || request <= m_left + m_timing.prefetch)
    {
        // Only the message that left most recently may have an end after this instant.
        if (m_timing.fetch > RdmaPs(0) && request == m_left + m_timing.prefetch && m_left > 0)
        {
            ready = std::max(ready, m_lastLeft);
        }
        ready += m_timing.fetch;
        ++m_fetched;
    }
    m_waiting.Push(std::move(ready));
}

RdmaPs
RdmaSendPipeline::GetReady() const
{
    const uint64_t started = m_posted - m_waiting.GetSize();
    if (m_waiting.IsEmpty() || started >= m_fetched)
    {
        return RDMA_NEVER;
    }
    const RdmaPs fetched = m_waiting.Front();
    if (m_timing.gap == RdmaPs(0) || started == 0)
    {
        return fetched;
    }
    return m_left < started ? RDMA_NEVER : std::max(fetched, m_lastLeft + m_timing.gap);
}

void
RdmaSendPipeline::Wait(RdmaPs now)
{
    const RdmaPs ready = GetReady();
    if (ready > now && ready != RDMA_NEVER)
    {
        WakeAt(ready);
    }
}

bool
RdmaSendPipeline::MayStart(RdmaPs now)
{
    Wait(now);
    return GetReady() <= now;
}

void
RdmaSendPipeline::Start()
{
    m_waiting.DropFront();
}

void
RdmaSendPipeline::Leave(uint32_t bytes, RdmaPs now)
{
    m_lastLeft = now + GetLineTime(bytes);
    ++m_left;
    if (m_fetched < m_posted && m_fetched <= m_left + m_timing.prefetch)
    {
        RdmaPs& notice = m_waiting[m_fetched - (m_posted - m_waiting.GetSize())];
        notice = std::max(notice, m_lastLeft) + m_timing.fetch;
        ++m_fetched;
    }
    Wait(now);
}

void
RdmaSendPipeline::Reset()
{
    m_waiting.Clear();
    m_posted = 0;
    m_fetched = 0;
    m_left = 0;
}

} // namespace ns3
