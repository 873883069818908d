/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FABRIC_FAILURES_H
#define RDMA_FABRIC_FAILURES_H

#include "rdma-fabric.h"

#include <string>

namespace ns3
{

/**
 * \ingroup rdma
 * Installs pause storms: NICs that send pauses and nothing else.
 *
 * \param fabric a fabric whose links have PFC, before the simulation starts
 * \param storms HOST[:START[:STOP]], several with commas; may be empty
 * \throws std::invalid_argument with the wrong text and what is accepted
 */
void InstallRdmaStorms(const RdmaFabric& fabric, const std::string& storms);

/**
 * \ingroup rdma
 * Installs slow hosts, whose NICs have a receive buffer that drains at a rate (RdmaReceiveBuffer).
 *
 * \param fabric a fabric, before the simulation starts
 * \param receivers HOST:RATE[:BUFFER[:STALL_START:STALL_DURATION[:STALL_PERIOD]]], several with
 *        commas; may be empty
 * \throws std::invalid_argument with the wrong text and what is accepted
 */
void InstallRdmaSlowReceivers(const RdmaFabric& fabric, const std::string& receivers);

} // namespace ns3

#endif /* RDMA_FABRIC_FAILURES_H */
