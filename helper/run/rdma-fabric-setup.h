/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FABRIC_SETUP_H
#define RDMA_FABRIC_SETUP_H

#include "qbb-ps.h"
#include "rdma-fabric-helper.h"
#include "rdma-fabric-options.h"
#include "rdma-fabric.h"
#include "rdma-instrument.h"
#include "rdma-part.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/**
 * \file
 * \ingroup rdma
 * Applies the options of a run. All functions throw std::invalid_argument, which names an
 * option that is invalid or does not apply, or RdmaFileError for a file.
 */

namespace ns3
{

/**
 * \ingroup rdma
 * Configures the transport.
 *
 * \param helper builder of the fabric, which is configured
 * \param options options of the run
 * \param topology topology of the run
 */
void ConfigureRdmaTransport(RdmaFabricHelper& helper,
                            const RdmaFabricOptions& options,
                            const RdmaTopology& topology);

/**
 * \ingroup rdma
 * Refuses the option rto with the value 0 where a flow could then wait for ever.
 *
 * \param fabric the fabric, complete except for its flows
 * \param options options of the run
 * \param classes bit p set: flows use class p
 */
void CheckRdmaTimers(const RdmaFabric& fabric, const RdmaFabricOptions& options, uint8_t classes);

/**
 * \ingroup rdma
 * \param options options of the run
 * \return the RdmaTransport of the run, or RdmaTcpFlowRunner for ns-3's TCP, with its attributes
 */
RdmaPart MakeRdmaTransportPart(const RdmaFabricOptions& options);

/**
 * \ingroup rdma
 * Configures congestion control and ECN. RdmaFabricHelper makes the settings that the algorithm
 * needs.
 *
 * \param helper builder of the fabric, which is configured
 * \param options options of the run
 */
void ConfigureRdmaControl(RdmaFabricHelper& helper, const RdmaFabricOptions& options);

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

/**
 * \ingroup rdma
 * Configures the switches: classification, queueing, buffers, crossbar, markers and detectors.
 *
 * \param helper builder of the fabric, which is configured
 * \param options options of the run
 */
void ConfigureRdmaSwitch(RdmaFabricHelper& helper, const RdmaFabricOptions& options);

/**
 * \ingroup rdma
 * Completes the switches after they are built: applies the SONiC configuration, if one is given,
 * and checks that the memory of the switches suffices.
 *
 * \param fabric the fabric, before flows are installed
 * \param options options of the run
 */
void FinishRdmaSwitch(RdmaFabric& fabric, const RdmaFabricOptions& options);

/**
 * \ingroup rdma
 * Installs pause storms, slow receivers, and watchdogs of switches and NICs. RdmaFailureReport
 * reports what they did.
 *
 * \param fabric fabric of the run, before flows are installed
 * \param options options of the run
 */
void InstallRdmaFailures(const RdmaFabric& fabric, const RdmaFabricOptions& options);

/**
 * \ingroup rdma
 * Computes a timeout that is longer than detection and restoration of a pause storm. Flows that a
 * storm has stopped without loss then resume without retransmission.
 *
 * \param options options of the run
 * \return the timeout if watchdogs may drop frames of lossless classes; 0 otherwise
 */
QbbPs GetRdmaStormTimeout(const RdmaFabricOptions& options);

/**
 * \ingroup rdma
 * Makes the instruments of a run: the reports of failures and deadlocks, the instruments for which
 * single options stand, and the instruments named by the option instruments.
 *
 * \param options options of the run
 * \return the instruments, each with the option that names it
 */
std::vector<std::pair<std::string, Ptr<RdmaInstrument>>> MakeRdmaInstruments(
    const RdmaFabricOptions& options);

} // namespace ns3

#endif /* RDMA_FABRIC_SETUP_H */
