/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RDMA_QUANTILE_H
#define RDMA_QUANTILE_H

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Quantile of a sample: with i = fraction x (n - 1), the linear interpolation between the sorted
 * values at floor(i) and floor(i) + 1 (definition 7 of Hyndman and Fan, 1996, which GSL, R and
 * NumPy use).
 *
 * \param values one or more finite values, in any order
 * \param fraction 0 to 1; 0.99 for the 99th percentile
 * \return the quantile
 * \throws std::invalid_argument if there is no value or the fraction is out of range
 */
double RdmaQuantile(std::vector<double> values, double fraction);

/**
 * \ingroup rdma
 * Quantile of a sorted sample, defined as in RdmaQuantile().
 *
 * \param values one or more finite values, ascending
 * \param fraction 0 to 1; 0.99 for the 99th percentile
 * \return the quantile
 * \throws std::invalid_argument if there is no value or the fraction is out of range
 */
double RdmaSortedQuantile(const std::vector<double>& values, double fraction);

/**
 * \ingroup rdma
 * Quantile t of Student's distribution for 95% confidence intervals. The interval of the mean of n
 * normal values is the mean plus or minus t(n - 1) times its standard error.
 *
 * From 5 degrees of freedom on, the value is computed by the Cornish-Fisher series (Abramowitz and
 * Stegun, 26.7.5), whose error is at most 0.0004.
 *
 * \param degrees degrees of freedom, 1 and above
 * \return the 97.5% quantile of Student's distribution
 * \throws std::invalid_argument for 0 degrees of freedom
 */
double RdmaStudentT95(uint32_t degrees);

} // namespace ns3

#endif /* RDMA_QUANTILE_H */
