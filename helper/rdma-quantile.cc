/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdma-quantile.h"

#include <algorithm>
#include <stdexcept>

namespace ns3
{

double
RdmaQuantile(std::vector<double> values, double fraction)
{
    if (values.empty() || !(fraction >= 0.0 && fraction <= 1.0))
    {
        throw std::invalid_argument(
            "quantile: accepted: one value or more, a fraction from 0 to 1");
    }
    std::sort(values.begin(), values.end());
    const double index = fraction * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(index);
    if (below + 1 == values.size())
    {
        return values.back();
    }
    const double part = index - static_cast<double>(below);
    // Each product is rounded in memory: a compiler may contract a product and a sum, and the last
    // digit of a result would depend on the processor.
    const volatile double lower = (1.0 - part) * values[below];
    const volatile double upper = part * values[below + 1];
    return lower + upper;
}

} // namespace ns3
