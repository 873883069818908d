/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RDMA_FLOW_REPORT_H
#define RDMA_FLOW_REPORT_H

#include "rdma-fabric-summary.h"
#include "rdma-fabric-totals.h"
#include "rdma-flow-result.h"
#include "rdma-port-result.h"
#include "rdma-result-tables.h"
#include "rdma-run-folder.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * \defgroup rdma-flow-report Results of a run
 *
 * Result files of a run: flows.csv, ports.csv, summary.json and run.json (RdmaRunFolder).
 * @{
 */

/**
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
 * Format summary.json: one JSON object, with null for a number without a value.
 * \param summary the summary
 * \param tables the columns, which become the keys of the object
 * \return the text
 * \throws std::invalid_argument for a number that is not finite
 */
std::string FormatRdmaSummaryJson(const RdmaFabricSummary& summary,
                                  const RdmaResultTables& tables = RdmaResultTables());

/**
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

/** @} */

} // namespace ns3

#endif /* RDMA_FLOW_REPORT_H */
