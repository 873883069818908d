/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FINDINGS_TEXT_H
#define RDMA_FINDINGS_TEXT_H

#include "rdma-class-findings.h"
#include "rdma-class-forecast.h"
#include "rdma-first-events.h"

#include <ostream>

namespace ns3
{

/**
 * \ingroup rdma-explain
 * Prints what happened and why: marks, pauses and drops, the occupancy of each kind of port next to
 * the thresholds, and the attributes to change.
 *
 * \param os output stream
 * \param forecast what was known before the run
 * \param findings what happened
 * \param first first events of the run
 */
void PrintRdmaClassFindings(std::ostream& os,
                            const RdmaClassForecast& forecast,
                            const RdmaClassFindings& findings,
                            const RdmaFirstEventTable& first);

} // namespace ns3

#endif /* RDMA_FINDINGS_TEXT_H */
