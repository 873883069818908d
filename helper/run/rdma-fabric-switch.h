/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FABRIC_SWITCH_H
#define RDMA_FABRIC_SWITCH_H

#include "rdma-fabric-helper.h"
#include "rdma-fabric-run.h"

namespace ns3
{

/**
 * \ingroup rdma
 * Configures the switches: queueing, buffers, crossbar and congestion detectors.
 *
 * \param helper builder of the fabric, which is configured
 * \param options options of the run
 * \throws std::invalid_argument for an invalid value of an option
 */
void ConfigureRdmaSwitch(RdmaFabricHelper& helper, const RdmaFabricOptions& options);

/**
 * \ingroup rdma
 * Completes the configuration of the switches after they are built, and checks that their buffers
 * suffice.
 *
 * \param fabric the fabric, before flows are installed
 * \param options options of the run
 * \throws std::invalid_argument or RdmaFileError naming the option or file and the error
 */
void FinishRdmaSwitch(RdmaFabric& fabric, const RdmaFabricOptions& options);

/**
 * \ingroup rdma
 * \param options options of the run
 * \return true if QbbEcnMarker does the ECN marking, false if a QbbCongestionDetector does
 */
bool IsRdmaMarkingCurve(const RdmaFabricOptions& options);

} // namespace ns3

#endif /* RDMA_FABRIC_SWITCH_H */
