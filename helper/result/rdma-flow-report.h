/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RDMA_FLOW_REPORT_H
#define RDMA_FLOW_REPORT_H

#include "rdma-flow.h"
#include "rdma-port-result.h"
#include "rdma-ps.h"
#include "rdma-result-table.h"
#include "rdma-run-folder.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * \defgroup rdma-flow-report Results of a run
 *
 * Result files of a run: flows.csv, ports.csv, summary.json and run.json (RdmaRunFolder).
 */

/**
 * \ingroup rdma-flow-report
 * What the receiver of a flow has seen of packets that overtake each other.
 */
struct RdmaFlowReordering
{
    uint32_t early{0};    //!< packets that arrived before an earlier one
    uint32_t distance{0}; //!< RdmaReordering::distance
    uint32_t held{0};     //!< RdmaReordering::held
    uint32_t beyond{0};   //!< RdmaReordering::beyond
};

/**
 * \ingroup rdma-flow-report
 * Result of a flow: one row of flows.csv.
 */
struct RdmaFlowResult
{
    RdmaFlow flow; //!< the executed flow
    /// Time from posting to the last byte in the receiver's memory; empty: not completed
    std::optional<RdmaPs> fct;
    /// Time from posting to the completion at the sender; empty: no successful completion
    std::optional<RdmaPs> cqe;
    RdmaPs ideal{0}; //!< ideal flow completion time, positive; see rdma-ideal-fct.h
    uint64_t retransmittedPackets{0}; //!< packets retransmitted by the sender
    uint64_t timeouts{0};             //!< expiries of the sender's retransmission timer
    RdmaFlowReordering reordering;    //!< packets that overtook each other
    bool isCounted{true};             //!< averages and percentiles include the flow
    /// Flows whose ends the flow has waited for; null: none
    std::shared_ptr<const RdmaFlowDependency> dependency;
    RdmaPs earliest{0}; //!< with a dependency: start of the flow as the workload has it
    std::string status; //!< completion status, or the reason why the flow has not completed

    /// \return true if the receiver has all bytes and the sender has a successful completion
    bool IsCompleted() const
    {
        return fct.has_value() && cqe.has_value();
    }
};

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

    RdmaPs begin{0};                              //!< begin of the window
    RdmaPs end{0};                                //!< end of the window
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
std::string FormatRdmaMicroseconds(RdmaPs time);

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
                                            RdmaPs begin,
                                            RdmaPs end);

/**
 * \ingroup rdma-flow-report
 * How a run was cut: the run ended before its last counted flow.
 */
struct RdmaRunCut
{
    /// "SIGINT", "SIGTERM", "deadlock", or "stop" for the option stop of RdmaFabricOptions
    std::string by;
    RdmaPs at{0};           //!< simulated time at the end
    uint64_t left{0};       //!< number of counted flows that had not ended
    uint64_t flows{0};      //!< number of counted flows
    bool hasWindow{false};  //!< only the flows of a window are counted
    bool isSchedule{false}; //!< left and flows count ranks of jobs in place of flows

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

/**
 * \ingroup rdma-flow-report
 * \tparam Record RdmaPortResult or a type derived from it
 * \return the columns of every file with a row for a port and priority: the port, the counters of
 *         GetRdmaPortCounters(), time paused and greatest length of the queue
 */
template <typename Record>
std::vector<RdmaResultColumn<Record>>
MakeRdmaPortColumns()
{
    std::vector<RdmaResultColumn<Record>> columns{
        {"node", "", "node id", [](const Record& r) { return r.port->node; }},
        {"node_name",
         "",
         "name of the node",
         [](const Record& r) -> const std::string& { return r.port->nodeName; }},
        {"port",
         "",
         "number of the port at the node",
         [](const Record& r) { return r.port->number; }},
        {"port_name",
         "",
         "name of the port, from its node to the node at the other end; #2 and so on: parallel "
         "links",
         [](const Record& r) -> const std::string& { return r.port->name; }},
        {"priority", "", "priority (traffic class), 0 to 7", &RdmaPortResult::priority}};
    for (const RdmaPortCounter& counter : GetRdmaPortCounters())
    {
        columns.emplace_back(counter.name, counter.unit, counter.meaning, counter.value);
    }
    columns.emplace_back("paused_ns",
                         "ns",
                         "time for which the port was not allowed to send this priority",
                         &RdmaPortResult::pausedTime);
    columns.emplace_back(
        "peak_queue_bytes",
        "bytes",
        "greatest length of the queue of this priority, in the run or since the previous poll",
        &RdmaPortResult::peakQueueBytes);
    return columns;
}

/**
 * \ingroup rdma-flow-report
 * The columns of flows.csv and ports.csv and the keys of summary.json.
 *
 * rdma-flow-report.cc and GetRdmaPortCounters() define each column and key once. The result files,
 * doc/columns.rst and the column list of the Python package ns3_rdma are generated from these
 * definitions. Scripts can add columns to a run; see examples/own/rdma-own-column.cc:
 *
 *     RdmaFabricRun run(options);
 *     run.GetTables().flows.Add({"rate_gbps", "Gb/s", "bytes over FCT", getRate});
 */
struct RdmaResultTables
{
    /** Creates the tables with the columns of the module and without user-defined columns. */
    RdmaResultTables();

    RdmaResultTable<RdmaFlowResult> flows;      //!< columns of flows.csv
    RdmaResultTable<RdmaPortResult> ports;      //!< columns of ports.csv
    RdmaResultTable<RdmaFabricSummary> summary; //!< keys of summary.json

    /**
     * \return a JSON object that describes the columns of all files: the keys flows, ports, summary
     *         and the option of each file of MakeRdmaFileTable() have a list of objects, one per
     * line, with name, unit, type (integer, number, text), optional (true: the field may be empty
     * or null), subject (network, run) and meaning
     */
    std::string Describe() const;
};

/**
 * \ingroup rdma-flow-report
 * Adds the columns and keys that only runs with a window of counted flows have. Rows of
 * summary.json then need RdmaFabricSummary::measured.
 *
 * \param tables columns of the result files of a run
 */
void AddRdmaMeasuredColumns(RdmaResultTables& tables);

/**
 * \ingroup rdma-flow-report
 * Adds the columns of flows.csv that only runs with paths that reorder packets have.
 *
 * \param tables columns of the result files of a run
 */
void AddRdmaReorderingColumns(RdmaResultTables& tables);

/**
 * \ingroup rdma-flow-report
 * Adds the columns of flows.csv in which flows state their NICs, queue pairs, and the flows for
 * which they wait, if a flow does. With these columns the file repeats the flows as they were.
 *
 * \param tables columns of the result files of a run
 * \param results the flows of the run
 */
void AddRdmaStatedColumns(RdmaResultTables& tables, const std::vector<RdmaFlowResult>& results);

/**
 * \ingroup rdma-flow-report
 * Adds the columns of ports.csv that only runs with a host of several NICs have.
 *
 * \param tables columns of the result files of a run
 */
void AddRdmaNicColumns(RdmaResultTables& tables);

/**
 * \ingroup rdma-flow-report
 * Adds the key of summary.json that a run without a window has if a signal or a deadlock has cut
 * the run. Rows of summary.json then need RdmaFabricSummary::cut.
 *
 * \param tables columns of the result files of a run
 */
void AddRdmaCutColumns(RdmaResultTables& tables);

/**
 * \ingroup rdma-flow-report
 * Format flows.csv: a header, then one line for each flow in ascending order of id. Times are in ns
 * with three decimals; ratios have six decimals. An unfinished flow has empty fields fct_ns, cqe_ns
 * and slowdown, and its status explains why.
 * \param results the flows in any order
 * \param tables the columns
 * \return the text
 * \throws std::invalid_argument if an id is not unique, an ideal FCT is not positive, a time is
 *         negative, a flow has no status, or a number in a user-defined column is not finite
 */
std::string FormatRdmaFlowsCsv(const std::vector<RdmaFlowResult>& results,
                               const RdmaResultTables& tables = RdmaResultTables());

/**
 * \ingroup rdma-flow-report
 * Format ports.csv: a header, then one line for each row in ascending order of node, port and
 * priority.
 * \param rows the rows in any order
 * \param tables the columns
 * \return the text
 * \throws std::invalid_argument if two rows have the same node, port and priority, a time is
 *         negative, or a number in a user-defined column is not finite
 */
std::string FormatRdmaPortsCsv(const std::vector<RdmaPortResult>& rows,
                               const RdmaResultTables& tables = RdmaResultTables());

/**
 * \ingroup rdma-flow-report
 * Format summary.json: one JSON object, with null for a number without a value.
 * \param summary the summary
 * \param tables the columns, which become the keys of the object
 * \return the text
 * \throws std::invalid_argument for a number that is not finite
 */
std::string FormatRdmaSummaryJson(const RdmaFabricSummary& summary,
                                  const RdmaResultTables& tables = RdmaResultTables());

/**
 * \ingroup rdma-flow-report
 * Compute the digest of a run: SHA-256 (FIPS 180-4) of flows.csv in 64 hexadecimal digits, equal to
 * the output of "sha256sum flows.csv". User-defined columns are part of the file.
 * \param results the flows in any order
 * \param tables the columns
 * \return the digest
 * \throws std::invalid_argument under the conditions of FormatRdmaFlowsCsv()
 */
std::string GetRdmaDigest(const std::vector<RdmaFlowResult>& results,
                          const RdmaResultTables& tables = RdmaResultTables());

/**
 * \ingroup rdma-flow-report
 * Make a summary of the simulated network: numbers of flows, means, percentiles (linear
 * interpolation between the two nearest sorted values, as in RdmaQuantile()), the digest, and the
 * totals of the fabric. The members for the cost of the run, such as cpuS, are 0.
 * \param results the flows in any order
 * \param totals return value of RdmaFabric::GetTotals()
 * \param tables the columns that the digest covers
 * \return the summary
 * \throws std::invalid_argument under the conditions of FormatRdmaFlowsCsv()
 */
RdmaFabricSummary MakeRdmaSummary(const std::vector<RdmaFlowResult>& results,
                                  const RdmaFabricTotals& totals = RdmaFabricTotals(),
                                  const RdmaResultTables& tables = RdmaResultTables());

/**
 * \ingroup rdma-flow-report
 * Write flows.csv, ports.csv, summary.json and run.json, in this order.
 * \param folder folder of the run, taken before the run so that older results are gone
 * \param results the rows of flows.csv
 * \param ports the rows of ports.csv
 * \param summary the content of summary.json
 * \param tables the columns
 * \throws RdmaFileError if a file cannot be written
 * \throws std::invalid_argument under the conditions of the Format functions, before files are
 *         written
 */
void WriteRdmaReport(RdmaRunFolder& folder,
                     const std::vector<RdmaFlowResult>& results,
                     const std::vector<RdmaPortResult>& ports,
                     const RdmaFabricSummary& summary,
                     const RdmaResultTables& tables = RdmaResultTables());

/**
 * \ingroup rdma-flow-report
 * Write flows.csv, ports.csv, summary.json and run.json, in this order.
 * \param directory output directory, which is created with its parents if it does not exist
 * \param results the rows of flows.csv
 * \param ports the rows of ports.csv
 * \param summary the content of summary.json
 * \param tables the columns
 * \throws RdmaFileError if the directory cannot be created, a file cannot be written, or a run
 *         writes to the directory
 * \throws std::invalid_argument under the conditions of the Format functions, before files are
 *         written
 */
void WriteRdmaReport(const std::string& directory,
                     const std::vector<RdmaFlowResult>& results,
                     const std::vector<RdmaPortResult>& ports,
                     const RdmaFabricSummary& summary,
                     const RdmaResultTables& tables = RdmaResultTables());

} // namespace ns3

#endif /* RDMA_FLOW_REPORT_H */
