/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FABRIC_SUMMARY_H
#define RDMA_FABRIC_SUMMARY_H

#include "rdma-fabric-totals.h"
#include "rdma-measured-summary.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ns3
{

/**
 * \ingroup rdma-flow-report
 * How a run was cut: the run ended before its last counted flow.
 */
struct RdmaRunCut
{
    /// "SIGINT", "SIGTERM", "deadlock", or "stop" for the option stop of RdmaFabricOptions
    std::string by;
    QbbPs at{0};           //!< simulated time at the end
    uint64_t left{0};      //!< number of counted flows that had not ended
    uint64_t flows{0};     //!< number of counted flows
    bool hasWindow{false}; //!< only the flows of a window are counted

    /**
     * \return a text such as "cut by SIGINT at 2360us: 14455 of 15085 flows unfinished", or "cut at
     *         2360us in a deadlock: ..."; "cut at 2360us: ..." for the option stop
     */
    std::string Describe() const;

    /** \return false for the option stop, which the user has set before the run */
    bool IsUnplanned() const
    {
        return by != "stop";
    }
};

/**
 * \ingroup rdma-flow-report
 * Summary of a run: the content of summary.json.
 *
 * Averages and percentiles cover the finished counted flows and have no value if none finished.
 * Without a window, all flows are counted.
 */
struct RdmaFabricSummary : RdmaFabricTotals
{
    uint64_t flowsTotal{0};            //!< total number of flows
    uint64_t flowsCompleted{0};        //!< number of finished flows
    std::optional<double> avgSlowdown; //!< mean of FCT over ideal FCT
    std::optional<double> p99Slowdown; //!< 99th percentile of FCT over ideal FCT
    std::optional<double> avgFctUs;    //!< mean FCT, us
    std::optional<double> p99FctUs;    //!< 99th percentile of the FCT, us
    uint64_t events{0};                //!< number of simulator events
    double simTimeUs{0.0};             //!< simulated time, us
    double cpuS{0.0};                  //!< CPU time of the run, s
    double peakRssMb{0.0};             //!< peak resident memory, MB
    std::string digest;                //!< digest of the flows from GetRdmaDigest()
    /// Counted flows of a run with a window; no value without a window
    std::optional<RdmaMeasuredSummary> measured;
    std::optional<RdmaRunCut> cut; //!< how the run was cut; no value: the run was not cut

    /** \return number of counted flows; without a window, number of all flows */
    uint64_t GetNCounted() const
    {
        return measured ? measured->flows : flowsTotal;
    }

    /** \return number of finished counted flows; without a window, number of all finished flows */
    uint64_t GetNCountedCompleted() const
    {
        return measured ? measured->completed : flowsCompleted;
    }

    /** \return how the run ended: "all counted flows ended", or RdmaRunCut::Describe() */
    std::string GetEnding() const;
};

} // namespace ns3

#endif /* RDMA_FABRIC_SUMMARY_H */
