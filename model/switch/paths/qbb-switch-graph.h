/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_SWITCH_GRAPH_H
#define QBB_SWITCH_GRAPH_H

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * An edge from a switch to a neighbouring switch.
 */
struct QbbSwitchEdge
{
    uint32_t to{0};   //!< index of the neighbour
    uint16_t port{0}; //!< port of the switch that leads to the neighbour
};

/**
 * \ingroup rdma
 * Adjacency lists of a fabric: the edges from each switch to its neighbours, by index of the
 * switch. Parallel links are separate edges.
 */
using QbbSwitchGraph = std::vector<std::vector<QbbSwitchEdge>>;

} // namespace ns3

#endif /* QBB_SWITCH_GRAPH_H */
