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
 * Readers of two file formats, which are distinguished by the first line.
 *
 * The first format is the flow.txt of the simulator published with HPCC (Li et al., SIGCOMM 2019).
 * Blanks separate the fields. Flow ids number the flows from 0. Start times are in seconds:
 *
 *     number-of-flows
 *     source destination priority destination-port bytes start-time
 *
 * The second format is CSV with a header line that names the columns in any order: id, src, dst,
 * bytes, start_ns, and optionally priority (default 3), dst_port (default 4791), nic and
 * queue_pairs (RdmaFlow; an empty field leaves the choice to RdmaConnectionPlan), after and
 * delay_ns (RdmaFlowDependency). Times are in ns. The ids in a field of after have a + between
 * them; an empty field stands for a flow that does not wait. Fields may stand in quotation marks
 * (RFC 4180). The results in a flows.csv of this module are left out with a note, so that its flows
 * can be repeated. The column earliest_ns of such a file takes the place of start_ns where it is
 * not empty, because start_ns of flows that have waited is a result.
 *
 * In both formats, empty lines are skipped and flows may appear in any order of start time. Numbers
 * are read as rdma-units.h describes. Start times are rounded to a picosecond. A warning says how
 * many were rounded, how many lines follow the declared flows, or that there is no flow. A note
 * says if a file looks like one of the simulator of DCQCN (2015), which has other columns.
 * @{
 */

/** Content of a flow file. */
struct RdmaFlowList
{
    std::vector<RdmaFlow> flows;                  //!< the flows in the order of the file
    std::vector<RdmaFlowDependency> dependencies; //!< those that wait for others, in this order
};

/**
 * Reads a flow file.
 * \param path the file
 * \param topology topology with the hosts of the flows
 * \return the flows
 * \throws RdmaFileError if the file does not follow either format exactly, names an unknown host,
 * has a flow from a host to itself, a number out of the ranges of RdmaFlow, a duplicate id, or more
 * bytes than the links of the sender carry in RDMA_MAX_TIME, or if flows wait for each other as
 * FindRdmaDependencyFault() refuses
 */
RdmaFlowList ReadRdmaFlows(const std::string& path, const RdmaTopology& topology);

/**
 * Parses the content of a flow file as ReadRdmaFlows() does.
 * \param text the content of a flow file
 * \param fileName file name for error messages
 * \param topology topology with the hosts of the flows
 * \return the flows in the order of the text
 */
RdmaFlowList ParseRdmaFlows(const std::string& text,
                            const std::string& fileName,
                            const RdmaTopology& topology);

/** @} */

} // namespace ns3

#endif /* RDMA_FLOW_READER_H */
