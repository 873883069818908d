/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RDMA_FLOW_READER_H
#define RDMA_FLOW_READER_H

#include "rdma-flow.h"
#include "rdma-topology.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * \defgroup rdma-flow-reader Flow files
 *
 * Two formats, told apart by the first line.
 *
 * The flow.txt of the simulator that came with HPCC (Li et al., SIGCOMM 2019), fields separated by
 * blanks; flow ids count the lines from 0, start times are decimal seconds of any number of digits
 * down to 1 ps:
 *
 *     number-of-flows
 *     source destination priority destination-port bytes start-time
 *
 * CSV with a header line that names the columns, in any order: id, src, dst, bytes, start_ns, and,
 * if wanted, priority (3 otherwise) and dst_port (4791 otherwise). Start times have up to three
 * decimals.
 *
 * In both, empty lines are skipped and flows may come in any order of time.
 * @{
 */

/**
 * Read a file.
 * \param path the file
 * \param topology the hosts that may be named
 * \return the flows in the order of the file
 * \throws RdmaFileError for anything that is not exactly of one of the formats, an unknown host, a
 * flow from a host to itself, a number out of the ranges of RdmaFlow, an id that appears twice
 */
std::vector<RdmaFlow> ReadRdmaFlows(const std::string& path, const RdmaTopology& topology);

/**
 * Read a text.
 * \param text the content of a flow file
 * \param fileName the name for error messages
 * \param topology the hosts that may be named
 * \return the flows in the order of the text
 * \throws RdmaFileError as ReadRdmaFlows() does
 */
std::vector<RdmaFlow> ParseRdmaFlows(const std::string& text,
                                     const std::string& fileName,
                                     const RdmaTopology& topology);

/** @} */

} // namespace ns3

#endif /* RDMA_FLOW_READER_H */
