/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FABRIC_CONTROL_H
#define RDMA_FABRIC_CONTROL_H

#include "rdma-fabric-helper.h"
#include "rdma-fabric-run.h"

namespace ns3
{

/**
 * \ingroup rdma
 * Sets congestion control and ECN up as the options cc and ecn have it.
 *
 * \param helper gets it
 * \param options a run
 * \throws std::invalid_argument naming the option that is wrong
 */
void ConfigureRdmaControl(RdmaFabricHelper& helper, const RdmaFabricOptions& options);

/**
 * \ingroup rdma
 * \param options a run
 * \return bytes that a packet's headers may take beside what the transport needs
 */
uint32_t GetRdmaControlBytes(const RdmaFabricOptions& options);

/**
 * \ingroup rdma
 * \param options a run
 * \return true if switches mark: the option ecn, or with auto what congestion control needs
 */
bool IsRdmaEcnOn(const RdmaFabricOptions& options);

} // namespace ns3

#endif /* RDMA_FABRIC_CONTROL_H */
