/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RDMA_TOPOLOGY_READER_H
#define RDMA_TOPOLOGY_READER_H

#include "rdma-topology.h"

#include <string>

namespace ns3
{

/**
 * \ingroup rdma
 * \defgroup rdma-topology-reader The topology.txt format
 *
 * The text format of the simulator that came with HPCC (Li et al., SIGCOMM 2019), which most public
 * traces use:
 *
 *     nodes switches links
 *     id of each switch
 *     node node rate delay error-rate        (one line for each link)
 *
 * Node ids run from 0 to nodes - 1; nodes that the second line does not name are hosts. Without
 * switches there is no second line. Fields are separated by blanks, empty lines are skipped. A rate
 * without a unit is in bit/s (ParseRdmaPlainRate()). A delay has a unit, and is rounded to a
 * picosecond with a warning. Lines after the declared links are left out with a warning, which says
 * how many of them look like links.
 *
 * Simulators that began with this format have other first lines:
 *
 *     nodes switches racks links                 (ns3-datacenter)
 *     nodes switches racks links host-rate rate  (Reverie in ns3-datacenter)
 *
 * Racks and rates of the first line have no meaning here, because each link has its own rate.
 *
 * A host with several links is a host of one NIC with as many ports. Each port has an address of
 * its own.
 * @{
 */

/**
 * Read a file.
 * \param path the file
 * \return the topology, which has passed RdmaTopology::Validate()
 * \throws RdmaFileError for anything that is not exactly of this format
 */
RdmaTopology ReadRdmaTopology(const std::string& path);

/**
 * Read a text.
 * \param text the content of a topology file
 * \param fileName the name for error messages
 * \return the topology, which has passed RdmaTopology::Validate()
 * \throws RdmaFileError for anything that is not exactly of this format
 */
RdmaTopology ParseRdmaTopology(const std::string& text, const std::string& fileName);

/**
 * \param topology a topology that passes RdmaTopology::Validate()
 * \return the topology as text; ParseRdmaTopology() restores all but the names of the nodes
 * \throws std::invalid_argument if the topology does not pass, or has a host of several NICs or a
 *         bonded NIC, which the format cannot say
 */
std::string FormatRdmaTopology(const RdmaTopology& topology);

/**
 * Write a file.
 * \param topology a topology that passes RdmaTopology::Validate()
 * \param path the file, overwritten if it exists
 * \throws std::invalid_argument as FormatRdmaTopology() does
 * \throws RdmaFileError if the file cannot be written
 */
void WriteRdmaTopology(const RdmaTopology& topology, const std::string& path);

/** @} */

} // namespace ns3

#endif /* RDMA_TOPOLOGY_READER_H */
