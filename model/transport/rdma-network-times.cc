/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-network-times.h"

#include <algorithm>

namespace ns3
{

QbbPs
RdmaNetworkTimes::RoundUp(QbbPs time)
{
    const int64_t value = time.Get();
    int64_t step = 1;
    while (value / step >= 100)
    {
        step *= 10;
    }
    return QbbPs((value / step + 1) * step);
}

QbbPs
RdmaNetworkTimes::GetTimeout(uint32_t packets) const
{
    return std::max(LEAST, RoundUp(roundTrip + queue + int64_t{packets - 1} * packet));
}

QbbPs
RdmaNetworkTimes::GetLowTimeout() const
{
    return std::max(LEAST, RoundUp(roundTrip));
}

} // namespace ns3
