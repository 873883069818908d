/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdma-quantile.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace ns3
{

double
RdmaQuantile(std::vector<double> values, double fraction)
{
    if (!values.empty() && fraction >= 0.0 && fraction <= 1.0)
    {
        // The quantile needs two neighbours of the sorted sample alone, in their places.
        const auto below = values.begin() + static_cast<std::ptrdiff_t>(
                                                fraction * static_cast<double>(values.size() - 1));
        std::nth_element(values.begin(), below, values.end());
        if (below + 1 != values.end())
        {
            std::iter_swap(below + 1, std::min_element(below + 1, values.end()));
        }
    }
    return RdmaSortedQuantile(values, fraction);
}

double
RdmaSortedQuantile(const std::vector<double>& values, double fraction)
{
    if (values.empty() || !(fraction >= 0.0 && fraction <= 1.0))
    {
        throw std::invalid_argument(
            "quantile: accepted: one value or more, a fraction from 0 to 1");
    }
    const double index = fraction * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(index);
    if (below + 1 == values.size())
    {
        return values.back();
    }
    const double part = index - static_cast<double>(below);
    // The volatile variables force rounding of each product. Otherwise a compiler may fuse a
    // product and the sum, and the last digit of the result depends on the processor.
    const volatile double lower = (1.0 - part) * values[below];
    const volatile double upper = part * values[below + 1];
    return lower + upper;
}

double
RdmaStudentT95(uint32_t degrees)
{
    if (degrees == 0)
    {
        throw std::invalid_argument("Student's t: accepted: one degree of freedom or more");
    }
    constexpr double FEW[] = {12.7062, 4.3027, 3.1824, 2.7764};
    if (degrees <= std::size(FEW))
    {
        return FEW[degrees - 1];
    }
    constexpr double Z = 1.959964;
    constexpr double Z2 = Z * Z;
    constexpr double TERMS[] = {
        Z,
        Z * (Z2 + 1) / 4,
        Z * ((5 * Z2 + 16) * Z2 + 3) / 96,
        Z * (((3 * Z2 + 19) * Z2 + 17) * Z2 - 15) / 384,
        Z * ((((79 * Z2 + 776) * Z2 + 1482) * Z2 - 1920) * Z2 - 945) / 92160,
    };
    double sum = 0;
    for (std::size_t i = std::size(TERMS); i-- > 0;)
    {
        sum = sum / degrees + TERMS[i];
    }
    return sum;
}

} // namespace ns3
