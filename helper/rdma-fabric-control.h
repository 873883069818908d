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
 * Sets congestion control and ECN up as the options cc and ecn have it, with what belongs to the
 * algorithm: RCM a CNP for each mark, DCQCN of the NICs one in 4 us, DCTCP a step of marks.
 * Defaults that the user gave to RdmaNic::CnpInterval or QbbEcnMarker stay.
 *
 * \param helper gets it
 * \param options a run
 * \param topology its topology
 * \throws std::invalid_argument naming the option that is wrong
 */
void ConfigureRdmaControl(RdmaFabricHelper& helper,
                          const RdmaFabricOptions& options,
                          const RdmaTopology& topology);

/**
 * \ingroup rdma
 * DCTCP's marking threshold K: what the port sends in the longest round trip of the topology.
 *
 * The paper asks for K above C x RTT / 7 ("Data Center TCP", SIGCOMM 2010, section 3.4) and for
 * room for bursts. At that bound two flows of RdmaDctcp as a rate leave 2% of a port idle here;
 * with seven times as much they fill it.
 *
 * \param topology a valid topology
 * \param payloadBytes of a full packet
 * \param rate of a port
 * \return K in bytes
 */
uint64_t GetRdmaDctcpStep(const RdmaTopology& topology, uint32_t payloadBytes, QbbBitRate rate);

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
