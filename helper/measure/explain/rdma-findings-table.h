/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FINDINGS_TABLE_H
#define RDMA_FINDINGS_TABLE_H

#include "rdma-class-findings.h"
#include "rdma-class-forecast.h"

#include <ostream>

namespace ns3
{

/**
 * \ingroup rdma-explain
 * Prints, for each kind of port, the occupancy next to the thresholds, and the numbers of pauses,
 * marks and drops.
 *
 * \param os output stream
 * \param forecast what was known before the run
 * \param findings what happened
 */
void PrintRdmaFindingsTable(std::ostream& os,
                            const RdmaClassForecast& forecast,
                            const RdmaClassFindings& findings);

} // namespace ns3

#endif /* RDMA_FINDINGS_TABLE_H */
