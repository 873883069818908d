/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_SWITCH_GRAPH_H
#define QBB_SWITCH_GRAPH_H

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * One way from a switch to a neighbour switch.
 */
struct QbbSwitchEdge
{
    uint32_t to{0};   //!< index of the neighbour
    uint16_t port{0}; //!< over this port of the switch
};

/**
 * \ingroup rdma
 * The ways to neighbours of each switch of a fabric, by the switch's index. Parallel links count
 * each.
 */
using QbbSwitchGraph = std::vector<std::vector<QbbSwitchEdge>>;

} // namespace ns3

#endif /* QBB_SWITCH_GRAPH_H */
