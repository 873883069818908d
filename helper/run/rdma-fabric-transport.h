/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FABRIC_TRANSPORT_H
#define RDMA_FABRIC_TRANSPORT_H

#include "qbb-ps.h"
#include "rdma-fabric-helper.h"
#include "rdma-fabric-run.h"
#include "rdma-part.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * Configures the transport from the options.
 *
 * \param helper builder of the fabric, which is configured
 * \param options options of the run
 * \throws std::invalid_argument naming an option that is invalid or does not apply to the
 *         transport
 */
void ConfigureRdmaTransport(RdmaFabricHelper& helper, const RdmaFabricOptions& options);

/**
 * \ingroup rdma
 * \param options options of the run
 * \return the transport named by the option transport; no part: ns-3's TCP
 * \throws std::invalid_argument for an unknown transport
 */
RdmaPart ParseRdmaTransport(const RdmaFabricOptions& options);

/**
 * \ingroup rdma
 * \param options options of the run
 * \return value of the option rto: retransmission timeout, RTO_high of IRN, or smallest timeout of
 *         TCP; 0: none
 */
QbbPs GetRdmaTimeout(const RdmaFabricOptions& options);

/**
 * \ingroup rdma
 * \param options options of the run
 * \return value of the option retries; UINT32_MAX: unlimited
 */
uint32_t GetRdmaRetries(const RdmaFabricOptions& options);

} // namespace ns3

#endif /* RDMA_FABRIC_TRANSPORT_H */
