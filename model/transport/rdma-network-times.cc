/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-network-times.h"

#include <algorithm>

namespace ns3
{

RdmaPs
RdmaNetworkTimes::RoundUp(RdmaPs time)
{
    const int64_t value = time.Get();
    int64_t step = 1;
    while (value / step >= 100)
    {
        step *= 10;
    }
    return RdmaPs((value / step + 1) * step);
}

RdmaPs
RdmaNetworkTimes::GetTimeout(uint32_t packets) const
{
    return std::max(LEAST, RoundUp(roundTrip + queue + int64_t{packets - 1} * packet));
}

RdmaPs
RdmaNetworkTimes::GetLowTimeout() const
{
    return std::max(LEAST, RoundUp(roundTrip));
}

} // namespace ns3
