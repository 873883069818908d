/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_GRAPH_DIVISION_H
#define RDMA_GRAPH_DIVISION_H

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * A vertex of a graph to divide: nodes that stay in one group.
 */
struct RdmaGraphVertex
{
    uint64_t load{0};             //!< work of the nodes, in any unit
    bool isFirst{false};          //!< the nodes must be in group 0
    std::vector<uint32_t> cables; //!< for each cable to another vertex, the number of that vertex
};

/**
 * \ingroup rdma
 * Divides a graph into groups with about equal loads and few cables from one group to another.
 *
 * A group starts with the first vertex without a group. Group 0 starts with the vertices whose
 * isFirst is true, if there are any. The group then repeatedly adds the vertex with the largest
 * part of its cables in the group, until the group has its share of the load. In a Clos fabric, the
 * groups therefore follow racks and pods.
 *
 * \param vertices the vertices, at least as many as groups
 * \param groups number of groups, at least 1
 * \return number of the group of each vertex
 */
std::vector<uint32_t> DivideRdmaGraph(const std::vector<RdmaGraphVertex>& vertices,
                                      uint32_t groups);

} // namespace ns3

#endif /* RDMA_GRAPH_DIVISION_H */
