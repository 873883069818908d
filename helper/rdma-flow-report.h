/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RDMA_FLOW_REPORT_H
#define RDMA_FLOW_REPORT_H

#include "qbb-ps.h"
#include "rdma-flow.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * \defgroup rdma-flow-report Results of a run
 *
 * What a run leaves behind: flows.csv, ports.csv and summary.json.
 * @{
 */

/**
 * \brief What became of a flow: one row of flows.csv.
 */
struct RdmaFlowResult
{
    RdmaFlow flow;            //!< the flow
    std::optional<QbbPs> fct; //!< posting to last byte in the receiver's memory; none: never
    std::optional<QbbPs> cqe; //!< posting to the sender's completion; none: no success
    QbbPs ideal{0};           //!< ideal FCT, positive; see rdma-ideal-fct.h
    uint64_t retransmittedPackets{0}; //!< packets that the sender sent again
    uint64_t timeouts{0};             //!< expiries of the sender's retransmission timer
    std::string status;               //!< status of the completion, or why there is none

    /// \return whether the flow finished: the receiver has all bytes and the sender knows
    bool IsCompleted() const
    {
        return fct.has_value() && cqe.has_value();
    }
};

/**
 * \brief Counters of one priority of one port: one row of ports.csv.
 */
struct RdmaPortResult
{
    uint32_t node{0};           //!< node id
    uint32_t port{0};           //!< port number at the node
    uint32_t priority{0};       //!< priority, 0 to 7
    uint64_t bytes{0};          //!< bytes sent
    uint64_t pausesSent{0};     //!< pause frames sent that name this priority, resumes included
    uint64_t pausesReceived{0}; //!< the same, received
    QbbPs pausedTime{0};        //!< time for which sending was paused
    uint64_t drops{0};          //!< frames dropped
    uint64_t marks{0};          //!< frames marked with ECN CE
    uint64_t peakQueueBytes{0}; //!< most bytes that were ever queued
};

/**
 * \brief A run in one row: the content of summary.json.
 *
 * Averages and percentiles are over the flows that finished; they have no value if none did.
 */
struct RdmaFabricSummary
{
    uint64_t flowsTotal{0};            //!< number of flows
    uint64_t flowsCompleted{0};        //!< number of flows that finished
    std::optional<double> avgSlowdown; //!< mean of FCT over ideal FCT
    std::optional<double> p99Slowdown; //!< 99th percentile of FCT over ideal FCT
    std::optional<double> avgFctUs;    //!< mean FCT, us
    std::optional<double> p99FctUs;    //!< 99th percentile of the FCT, us
    uint64_t drops{0};                 //!< frames dropped anywhere
    uint64_t pauseFrames{0};           //!< pause frames sent
    uint64_t ecnMarks{0};              //!< frames marked with ECN CE
    uint64_t peakQueueBytes{0};        //!< the longest queue of a class at a switch port
    uint64_t packetHops{0};            //!< frames sent, counted at each link
    uint64_t events{0};                //!< simulator events
    double simTimeUs{0.0};             //!< simulated time, us
    double cpuS{0.0};                  //!< CPU time of the run, s
    double peakRssMb{0.0};             //!< peak resident memory, MB
    std::string digest;                //!< GetRdmaDigest() of the flows
};

/**
 * The text of flows.csv: a header, then one line for each flow, ascending by id. Columns: id, src,
 * dst, bytes, start_ns, fct_ns, cqe_ns, ideal_fct_ns, slowdown, retransmitted_packets, timeouts,
 * status. Times are in ns with the picoseconds as three decimals; the slowdown, fct_ns /
 * ideal_fct_ns, is rounded to six decimals; a flow that did not finish has empty fct_ns, cqe_ns and
 * slowdown, and its status says why.
 * \param results the flows in any order
 * \return the text
 * \throws std::invalid_argument if an id appears twice, or an ideal FCT is not
 *        positive, or a time is
 *         negative, or a flow has no status
 */
std::string FormatRdmaFlowsCsv(const std::vector<RdmaFlowResult>& results);

/**
 * The text of ports.csv: a header, then one line for each row, ascending by node, port and
 * priority. Columns: node, port, priority, bytes, pauses_sent, pauses_received, paused_ns, drops,
 * marks, peak_queue_bytes.
 * \param rows the rows in any order
 * \return the text
 * \throws std::invalid_argument if two rows have the same node, port and priority,
 *        or a time is negative
 */
std::string FormatRdmaPortsCsv(const std::vector<RdmaPortResult>& rows);

/**
 * The text of summary.json: one object with flows_total, flows_completed, avg_slowdown,
 * p99_slowdown, avg_fct_us, p99_fct_us, drops, pause_frames, ecn_marks,
 * peak_queue_bytes, packet_hops, events,
 * sim_time_us, cpu_s, peak_rss_mb, digest; null for a number that has no value.
 * \param summary the summary
 * \return the text
 * \throws std::invalid_argument for a number that is not finite
 */
std::string FormatRdmaSummaryJson(const RdmaFabricSummary& summary);

/**
 * The digest of a run: SHA-256 (FIPS 180-4) over the bytes of flows.csv, in 64 hexadecimal digits,
 * as "sha256sum flows.csv" prints it.
 * \param results the flows in any order
 * \return the digest
 * \throws std::invalid_argument as FormatRdmaFlowsCsv() does
 */
std::string GetRdmaDigest(const std::vector<RdmaFlowResult>& results);

/**
 * Fill in what the flows say: totals, means, percentiles (linear interpolation between the two
 * nearest of the sorted values, as RdmaQuantile() does) and the digest. The other fields are left
 * as a new summary has them.
 * \param results the flows in any order
 * \return the summary
 * \throws std::invalid_argument as FormatRdmaFlowsCsv() does
 */
RdmaFabricSummary MakeRdmaSummary(const std::vector<RdmaFlowResult>& results);

/**
 * Write flows.csv, ports.csv and summary.json.
 * \param directory where; made if it does not exist, with its parents
 * \param results the rows of flows.csv
 * \param ports the rows of ports.csv
 * \param summary the content of summary.json
 * \throws RdmaFileError if the directory cannot be made or a file cannot be written
 * \throws std::invalid_argument as the Format functions do, before anything is written
 */
void WriteRdmaReport(const std::string& directory,
                     const std::vector<RdmaFlowResult>& results,
                     const std::vector<RdmaPortResult>& ports,
                     const RdmaFabricSummary& summary);

/** @} */

} // namespace ns3

#endif /* RDMA_FLOW_REPORT_H */
