/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FABRIC_CONTROL_H
#define RDMA_FABRIC_CONTROL_H

#include "qbb-bit-rate.h"
#include "rdma-fabric-helper.h"
#include "rdma-fabric-run.h"

namespace ns3
{

/**
 * \ingroup rdma
 * Configures congestion control and ECN from the options cc and ecn, including the settings that
 * an algorithm requires: RCM sends a CNP for each mark, NIC-style DCQCN one CNP per 4 us, and DCTCP
 * marks by a step function. Defaults that the user set for RdmaNic::CnpInterval or QbbEcnMarker
 * take precedence.
 *
 * \param helper builder of the fabric, which is configured
 * \param options options of the run
 * \param topology topology of the run
 * \throws std::invalid_argument naming the invalid option
 */
void ConfigureRdmaControl(RdmaFabricHelper& helper,
                          const RdmaFabricOptions& options,
                          const RdmaTopology& topology);

/**
 * \ingroup rdma
 * DCTCP's marking threshold K: the bytes that a port sends during the longest round trip of the
 * topology.
 *
 * The paper requires K above C x RTT / 7 ("Data Center TCP", SIGCOMM 2010, section 3.4) plus room
 * for bursts. With K at that bound, two flows of rate-based RdmaDctcp leave 2% of a port idle in
 * this module; with a K seven times as large, they fill the port.
 *
 * \param topology a valid topology
 * \param payloadBytes payload of a full packet
 * \param rate line rate of a port
 * \return K in bytes
 */
uint64_t GetRdmaDctcpStep(const RdmaTopology& topology, uint32_t payloadBytes, QbbBitRate rate);

/**
 * \ingroup rdma
 * \param options options of the run
 * \return maximum size of the headers that congestion control adds to a packet, in bytes
 */
uint32_t GetRdmaControlBytes(const RdmaFabricOptions& options);

/**
 * \ingroup rdma
 * \param options options of the run
 * \return true if switches mark: the option ecn, or for auto the needs of congestion control
 */
bool IsRdmaEcnOn(const RdmaFabricOptions& options);

} // namespace ns3

#endif /* RDMA_FABRIC_CONTROL_H */
