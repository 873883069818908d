/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FABRIC_BUFFERS_H
#define RDMA_FABRIC_BUFFERS_H

#include "rdma-fabric-helper.h"
#include "rdma-fabric-run.h"

namespace ns3
{

/**
 * \ingroup rdma
 * Configures switch buffers and packet classification from the options buffer, bufferPreset,
 * classAlphas and trust.
 *
 * \param helper builder of the fabric, which is configured
 * \param options options of the run
 * \throws std::invalid_argument naming the invalid option
 */
void ConfigureRdmaBuffers(RdmaFabricHelper& helper, const RdmaFabricOptions& options);

/**
 * \ingroup rdma
 * Configures packet classification at ports from the option trust. ConfigureRdmaBuffers() calls
 * this function.
 *
 * \param helper builder of the fabric, which is configured
 * \param options options of the run
 * \throws std::invalid_argument for an invalid value of trust
 */
void ConfigureRdmaTrust(RdmaFabricHelper& helper, const RdmaFabricOptions& options);

/**
 * \ingroup rdma
 * Completes the buffer configuration after the switches are built: applies the SONiC
 * configuration, if one is given, and checks that the memory of the switches suffices.
 *
 * \param fabric the fabric, before flows are installed
 * \param options options of the run
 * \throws std::invalid_argument or RdmaFileError naming the option or file and the error
 */
void FinishRdmaBuffers(RdmaFabric& fabric, const RdmaFabricOptions& options);

} // namespace ns3

#endif /* RDMA_FABRIC_BUFFERS_H */
