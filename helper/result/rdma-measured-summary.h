/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_MEASURED_SUMMARY_H
#define RDMA_MEASURED_SUMMARY_H

#include "qbb-ps.h"
#include "rdma-flow-result.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma-flow-report
 * Counted flows that start in one of the equal parts of the window.
 */
struct RdmaMeasuredSlice
{
    uint64_t flows{0};                 //!< number of flows
    uint64_t completed{0};             //!< number of finished flows
    std::optional<double> avgFctUs;    //!< mean FCT, us
    std::optional<double> avgSlowdown; //!< mean of FCT over ideal FCT
};

/**
 * \ingroup rdma-flow-report
 * The counted flows of a run with a window (RdmaFlowWindow), and a check that the run was in a
 * steady state.
 *
 * The check fits a straight line to the average FCTs of the slices. The trend is the change of the
 * line over the window, as a fraction of the mean of the slices. Its interval follows from the
 * distances of the slices from the line, by Student's t with two degrees of freedom. The check
 * finds a trend if the interval does not contain 0, and no trend if the interval contains 0 and
 * reaches at most WIDEST_ERROR to either side. A wider interval leaves the question open.
 */
struct RdmaMeasuredSummary
{
    static constexpr std::size_t SLICES = 4; //!< number of slices
    /// Least number of finished flows in each slice for a verdict
    static constexpr uint64_t LEAST_FLOWS = 10;
    /// Largest fctTrendError for the verdict that there is no trend
    static constexpr double WIDEST_ERROR = 0.25;

    QbbPs begin{0};                               //!< begin of the window
    QbbPs end{0};                                 //!< end of the window
    uint64_t flows{0};                            //!< number of counted flows
    uint64_t completed{0};                        //!< number of finished counted flows
    std::array<RdmaMeasuredSlice, SLICES> slices; //!< parts of the window, by start of the flow
    std::optional<double> fctTrend;               //!< change of the average FCT over the window
    std::optional<double> fctTrendError;          //!< half of the 95% interval of fctTrend
    std::string verdict; //!< rising, falling, none, undecided or too few flows
};

/**
 * \ingroup rdma-flow-report
 * \param time a time
 * \return the time in microseconds with unit, as in "1.5us"
 */
std::string FormatRdmaMicroseconds(QbbPs time);

/**
 * \ingroup rdma-flow-report
 * Computes averages and trend of the counted flows.
 *
 * \param results results of the flows, in ascending order of id
 * \param begin begin of the window
 * \param end end of the window
 * \return summary of the counted flows
 */
RdmaMeasuredSummary MakeRdmaMeasuredSummary(const std::vector<RdmaFlowResult>& results,
                                            QbbPs begin,
                                            QbbPs end);

} // namespace ns3

#endif /* RDMA_MEASURED_SUMMARY_H */
