/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_SEED_STATISTICS_H
#define RDMA_SEED_STATISTICS_H

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma-flow-report
 * One number of summary.json over the runs of several seeds: a row of seeds.csv.
 */
struct RdmaSeedStatistic
{
    std::string metric;             //!< key of summary.json
    std::string unit;               //!< unit of the number; empty: no unit
    uint64_t seeds{0};              //!< number of runs in which the number has a value
    std::optional<double> mean;     //!< mean over these runs; no value without runs
    std::optional<double> error;    //!< half of the 95% interval of the mean; needs two runs
    std::optional<double> least;    //!< smallest value of the number
    std::optional<double> greatest; //!< largest value of the number
};

/**
 * \ingroup rdma-flow-report
 * The 95% interval of the mean assumes independent normal values: the mean plus or minus
 * RdmaStudentT95(n - 1) times the standard error, with the sample variance (divisor n - 1).
 *
 * \param metric key of summary.json
 * \param unit unit of the number; empty: no unit
 * \param values values of the runs in the order of the seeds, without missing values
 * \return the statistics of the values
 */
RdmaSeedStatistic MakeRdmaSeedStatistic(const std::string& metric,
                                        const std::string& unit,
                                        const std::vector<double>& values);

/**
 * \ingroup rdma-flow-report
 * \param rows the rows of the file in order
 * \return text of seeds.csv: a header, then one line for each row
 * \throws std::invalid_argument for a number that is not finite
 */
std::string FormatRdmaSeedsCsv(const std::vector<RdmaSeedStatistic>& rows);

/**
 * \ingroup rdma-flow-report
 * Prints a table with a line for each row. Numbers have three decimals, a missing number is "-".
 *
 * \param os output stream
 * \param title title of the first column
 * \param rows the rows of the table in order
 */
void PrintRdmaSeedStatistics(std::ostream& os,
                             const std::string& title,
                             const std::vector<RdmaSeedStatistic>& rows);

} // namespace ns3

#endif /* RDMA_SEED_STATISTICS_H */
