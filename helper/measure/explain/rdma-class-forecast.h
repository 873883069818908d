/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_CLASS_FORECAST_H
#define RDMA_CLASS_FORECAST_H

#include "rdma-fabric.h"
#include "rdma-flow-runner.h"
#include "rdma-incast-forecast.h"
#include "rdma-incast-trial.h"
#include "rdma-port-kinds.h"
#include "rdma-run-incast.h"

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma-explain
 * What is known of a traffic class before a run.
 */
struct RdmaClassForecast
{
    uint8_t priority{0};             //!< the class, 0..7
    RdmaSenderProfile senders;       //!< the hosts
    std::vector<RdmaPortKind> kinds; //!< ports by kind
    /// Room of an ingress port while all other ports are idle, by kind, at the switch with the
    /// least memory; no value for hosts
    std::vector<std::optional<RdmaIngressRoom>> rooms;
    /// RdmaIngressRoom::holdsBytes of the ports, by kind
    std::vector<RdmaRange> holds;
    /// RdmaIngressRoom::xonBytes of the ports, by kind
    std::vector<RdmaRange> xons;
    std::vector<RdmaIncastForecast> incasts; //!< by kinds of egress and ingress ports
    std::vector<RdmaRunIncast> ofRun;        //!< largest incasts of the run; empty without flows
};

/**
 * \ingroup rdma-explain
 * \param fabric a fabric
 * \param port a port of a switch
 * \param priority class, 0..7
 * \param frameBytes size of every frame
 * \return room of the port while all other ports are idle; no value if the buffer manager cannot
 *         be copied
 */
std::optional<RdmaIngressRoom> FindRdmaIngressRoom(const RdmaFabric& fabric,
                                                   const RdmaFabricPort& port,
                                                   uint8_t priority,
                                                   uint32_t frameBytes);

/**
 * \ingroup rdma-explain
 * \param fabric a fabric
 * \param priority class, 0..7
 * \param senders the hosts
 * \param runner the flows of the run; null: none are known
 * \return what is known of the class before the run
 */
RdmaClassForecast ForecastRdmaClass(const RdmaFabric& fabric,
                                    uint8_t priority,
                                    const RdmaSenderProfile& senders,
                                    const RdmaFlowRunner* runner);

/**
 * \ingroup rdma-explain
 * Prints a table of the kinds of ports, and for each pair of kinds which incast first marks, pauses
 * and drops, and whether congestion control or PFC acts first.
 *
 * \param os output stream
 * \param forecast what is known of the class
 */
void PrintRdmaClassForecast(std::ostream& os, const RdmaClassForecast& forecast);

/**
 * \ingroup rdma-explain
 * Prints rows in columns that are as wide as their longest entry. The first column is left-aligned.
 *
 * \param os output stream
 * \param rows the rows, all with the same number of entries
 */
void PrintRdmaColumns(std::ostream& os, const std::vector<std::vector<std::string>>& rows);

/**
 * \ingroup rdma-explain
 * \param time a time
 * \return the time in us with two decimals, as in "12.34 us"
 */
std::string FormatRdmaMoment(QbbPs time);

} // namespace ns3

#endif /* RDMA_CLASS_FORECAST_H */
