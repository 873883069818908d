/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_MEASURED_COLUMNS_H
#define RDMA_MEASURED_COLUMNS_H

#include "rdma-result-tables.h"

namespace ns3
{

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
 * Adds the key of summary.json that a run without a window has if a signal or a deadlock has cut
 * the run. Rows of summary.json then need RdmaFabricSummary::cut.
 *
 * \param tables columns of the result files of a run
 */
void AddRdmaCutColumns(RdmaResultTables& tables);

} // namespace ns3

#endif /* RDMA_MEASURED_COLUMNS_H */
