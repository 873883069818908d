/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RDMA_QUANTILE_H
#define RDMA_QUANTILE_H

#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Quantile of a sample: with i = fraction x (n - 1), the linear interpolation between the sorted
 * values at floor(i) and floor(i) + 1 (definition 7 of Hyndman and Fan, 1996; the one of GSL, R and
 * NumPy).
 *
 * GSL computes it if the build found GSL, an implementation of the module's own otherwise.
 * \param values one or more finite values, in any order
 * \param fraction 0 to 1; 0.99 for the 99th percentile
 * \return the quantile
 * \throws std::invalid_argument for no value or a fraction out of range
 */
double RdmaQuantile(std::vector<double> values, double fraction);

} // namespace ns3

#endif /* RDMA_QUANTILE_H */
