/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-client-meter.h"

#include "rdma-quantile.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

RdmaClientResult
RdmaClientMeter::GetResult(uint64_t messageBytes) const
{
    RdmaClientResult result;
    result.iterations = m_iterations;
    result.messageBytes = messageBytes;
    result.bytes = m_iterations * messageBytes;
    result.begin = m_begin;
    result.end = m_end;
    if (m_iterations > 0)
    {
        const double seconds = static_cast<double>(m_end - m_begin) / 1e12;
        result.bandwidthBps = static_cast<double>(result.bytes) * 8 / seconds;
        result.messagesPerSecond = static_cast<double>(m_iterations) / seconds;
    }
    if (!m_latencies.empty())
    {
        result.latency = GetLatency();
    }
    return result;
}

RdmaLatency
RdmaClientMeter::GetLatency() const
{
    std::vector<double> values;
    for (const QbbPs latency : m_latencies)
    {
        values.push_back(static_cast<double>(latency));
    }
    const auto count = static_cast<double>(values.size());
    RdmaLatency result;
    for (const double value : values)
    {
        result.meanPs += value / count;
    }
    double squares = 0;
    for (const double value : values)
    {
        squares += (value - result.meanPs) * (value - result.meanPs);
    }
    result.stdevPs = values.size() > 1 ? std::sqrt(squares / (count - 1)) : 0;
    const auto [min, max] = std::minmax_element(m_latencies.begin(), m_latencies.end());
    result.min = *min;
    result.max = *max;
    std::sort(values.begin(), values.end());
    result.medianPs = RdmaSortedQuantile(values, 0.5);
    result.p99Ps = RdmaSortedQuantile(values, 0.99);
    result.p999Ps = RdmaSortedQuantile(values, 0.999);
    return result;
}

} // namespace ns3
