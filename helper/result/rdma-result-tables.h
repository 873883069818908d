/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_RESULT_TABLES_H
#define RDMA_RESULT_TABLES_H

#include "rdma-fabric-summary.h"
#include "rdma-flow-result.h"
#include "rdma-port-result.h"
#include "rdma-result-table.h"

#include <string>

namespace ns3
{

/**
 * \ingroup rdma-flow-report
 * The columns of flows.csv and ports.csv and the keys of summary.json.
 *
 * rdma-result-tables.cc defines each column and key once. The result files, doc/columns.rst and the
 * column list of the Python package ns3_rdma are generated from these definitions. Scripts can add
 * columns to a run; see examples/own/rdma-own-column.cc:
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
     *         and the option of each RdmaFileTable have a list of objects, one per line, with name,
     *         unit, type (integer, number, text), optional (true: the field may be empty or null),
     *         subject (network, run) and meaning
     */
    std::string Describe() const;
};

} // namespace ns3

#endif /* RDMA_RESULT_TABLES_H */
