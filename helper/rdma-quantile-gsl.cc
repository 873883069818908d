/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdma-quantile.h"

#include <algorithm>
#include <gsl/gsl_statistics_double.h>
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
    return gsl_stats_quantile_from_sorted_data(values.data(), 1, values.size(), fraction);
}

} // namespace ns3
