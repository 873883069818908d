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
 * values at floor(i) and floor(i) + 1 (definition 7 of Hyndman and Fan, 1996; the one of GSL, R and
 * NumPy).
 *
 * \param values one or more finite values, in any order
 * \param fraction 0 to 1; 0.99 for the 99th percentile
 * \return the quantile
 * \throws std::invalid_argument for no value or a fraction out of range
 */
double RdmaQuantile(std::vector<double> values, double fraction);

/**
 * \ingroup rdma
 * As RdmaQuantile(), of a sample that is sorted already.
 *
 * \param values one or more finite values, ascending
 * \param fraction 0 to 1
 * \return the quantile
 * \throws std::invalid_argument for no value or a fraction out of range
 */
double RdmaSortedQuantile(const std::vector<double>& values, double fraction);

/**
 * \ingroup rdma
 * Student's t for confidence intervals of 95%: the mean of n normal values, plus or minus this with
 * n - 1 degrees of freedom times its standard error.
 *
 * From 5 degrees of freedom on it is the Cornish-Fisher series (Abramowitz and Stegun, 26.7.5),
 * which is right to 0.0004.
 * \param degrees degrees of freedom, 1 and above
 * \return the 97.5% quantile of Student's distribution
 * \throws std::invalid_argument for 0
 */
double RdmaStudentT95(uint32_t degrees);

} // namespace ns3

#endif /* RDMA_QUANTILE_H */
