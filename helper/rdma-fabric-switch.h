/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FABRIC_SWITCH_H
#define RDMA_FABRIC_SWITCH_H

#include "rdma-fabric-helper.h"
#include "rdma-fabric-run.h"

namespace ns3
{

/**
 * \ingroup rdma
 * Sets up the switches: queueing, buffers, crossbar and congestion detectors.
 *
 * \param helper makes the fabric
 * \param options a run
 * \throws std::invalid_argument for a value of an option that is not accepted
 */
void ConfigureRdmaSwitch(RdmaFabricHelper& helper, const RdmaFabricOptions& options);

/**
 * \ingroup rdma
 * Ends what ConfigureRdmaSwitch() began, once the switches are there, and looks whether their
 * buffers suffice.
 *
 * \param fabric the fabric, before its flows
 * \param options a run
 * \throws std::invalid_argument or RdmaFileError naming what is wrong
 */
void FinishRdmaSwitch(RdmaFabric& fabric, const RdmaFabricOptions& options);

/**
 * \ingroup rdma
 * \param options a run
 * \return true if switches mark by the curve of QbbEcnMarker, false if by a QbbCongestionDetector
 */
bool IsRdmaMarkingCurve(const RdmaFabricOptions& options);

} // namespace ns3

#endif /* RDMA_FABRIC_SWITCH_H */
