/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RDMA_TOPOLOGY_LINES_H
#define RDMA_TOPOLOGY_LINES_H

#include "rdma-topology.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

class RdmaLineReader;

/**
 * \ingroup rdma-topology-reader
 * Reads a line of different node ids. Without ids there is no line.
 *
 * \param lines reader of the file, which goes on to the line
 * \param nodes number of nodes of the file, 1 or more
 * \param count number of ids that the first line declares
 * \param what meaning of the ids, for messages: "switch"
 * \return the ids in the order of the line
 * \throws RdmaFileError for another number of ids, an id that is no node, and an id that is there
 *         twice
 */
std::vector<uint32_t> ReadRdmaTopologyIds(RdmaLineReader& lines,
                                          uint64_t nodes,
                                          uint64_t count,
                                          const std::string& what);

/**
 * \ingroup rdma-topology-reader
 * Reads the links that the first line declares, `node node rate delay error-rate`. Lines after them
 * are left out with a warning.
 *
 * \param lines reader of the file, which goes on to its end
 * \param nodes number of nodes of the file, 1 or more
 * \param count number of links that the first line declares
 * \return the links, with the node ids of the file
 * \throws RdmaFileError for a line that is no link, and where the file ends before the last link
 */
std::vector<RdmaTopologyLink> ReadRdmaTopologyLinks(RdmaLineReader& lines,
                                                    uint64_t nodes,
                                                    uint64_t count);

} // namespace ns3

#endif /* RDMA_TOPOLOGY_LINES_H */
