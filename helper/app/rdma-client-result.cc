/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-client-result.h"

#include "rdma-quantile.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace ns3
{

RdmaLatency
GetRdmaLatency(const std::vector<QbbPs>& latencies)
{
    if (latencies.empty())
    {
        throw std::invalid_argument("the latency of no iteration; accepted: 1 iteration and more");
    }
    std::vector<double> values;
    values.reserve(latencies.size());
    for (const QbbPs latency : latencies)
    {
        values.push_back(static_cast<double>(latency));
    }
    const auto count = static_cast<double>(values.size());
    RdmaLatency result;
    const auto [min, max] = std::minmax_element(latencies.begin(), latencies.end());
    result.min = *min;
    result.max = *max;
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
    result.medianPs = RdmaQuantile(values, 0.5);
    result.p99Ps = RdmaQuantile(values, 0.99);
    result.p999Ps = RdmaQuantile(values, 0.999);
    return result;
}

} // namespace ns3
