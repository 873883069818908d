/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FABRIC_TRANSPORT_H
#define RDMA_FABRIC_TRANSPORT_H

#include "qbb-ps.h"
#include "rdma-fabric-helper.h"
#include "rdma-fabric-run.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * Sets the transport up as the options have it.
 *
 * \param helper gets it
 * \param options a run
 * \throws std::invalid_argument naming the option that is wrong, or that means nothing for the
 *         transport
 */
void ConfigureRdmaTransport(RdmaFabricHelper& helper, const RdmaFabricOptions& options);

/**
 * \ingroup rdma
 * \param options a run
 * \return the option rto: retransmission timeout, RTO_high of IRN, smallest timeout of TCP; 0: none
 */
QbbPs GetRdmaTimeout(const RdmaFabricOptions& options);

/**
 * \ingroup rdma
 * \param options a run
 * \return the option retries; UINT32_MAX: unlimited
 */
uint32_t GetRdmaRetries(const RdmaFabricOptions& options);

} // namespace ns3

#endif /* RDMA_FABRIC_TRANSPORT_H */
