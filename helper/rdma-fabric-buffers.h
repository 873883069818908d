/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FABRIC_BUFFERS_H
#define RDMA_FABRIC_BUFFERS_H

#include "rdma-fabric-helper.h"
#include "rdma-fabric-run.h"

namespace ns3
{

/**
 * \ingroup rdma
 * Sets the switches' memory and what ports trust up, as the options buffer, bufferPreset,
 * classAlphas and trust have it.
 *
 * \param helper gets it
 * \param options a run
 * \throws std::invalid_argument naming the option that is wrong
 */
void ConfigureRdmaBuffers(RdmaFabricHelper& helper, const RdmaFabricOptions& options);

/**
 * \ingroup rdma
 * Sets up what ports trust, as the option trust has it; a part of ConfigureRdmaBuffers().
 *
 * \param helper gets it
 * \param options a run
 * \throws std::invalid_argument if the option is wrong
 */
void ConfigureRdmaTrust(RdmaFabricHelper& helper, const RdmaFabricOptions& options);

/**
 * \ingroup rdma
 * Ends what ConfigureRdmaBuffers() began, once the switches are there: applies the SONiC
 * configuration, if there is one, and checks that the memory suffices.
 *
 * \param fabric the fabric, before its flows
 * \param options a run
 * \throws std::invalid_argument or RdmaFileError naming what is wrong
 */
void FinishRdmaBuffers(RdmaFabric& fabric, const RdmaFabricOptions& options);

} // namespace ns3

#endif /* RDMA_FABRIC_BUFFERS_H */
