/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_UP_DOWN_ROUTING_H
#define QBB_UP_DOWN_ROUTING_H

#include "qbb-shortest-routing.h"
#include "qbb-switch.h"

#include <ns3/node.h>
#include <ns3/ptr.h>

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Algorithm UpDown of QbbRouting: routes go up first, then down, and never up again.
 *
 * The heights of the switches define the upward direction. No two switches have equal heights.
 * Links that are down count as well, so that a failure does not change the heights.
 */
class QbbUpDownRouting
{
  public:
    /**
     * Computes the height of each switch.
     *
     * \param switches all switches, by index; they must outlive this object
     * \param switchOfNode index of each switch, by node id; all other nodes are hosts
     */
    QbbUpDownRouting(const std::vector<Ptr<QbbSwitch>>& switches,
                     const std::unordered_map<uint32_t, uint32_t>& switchOfNode);

    /**
     * Installs the routes to a leaf in the switches.
     *
     * \param leaf number of a leaf
     * \param targets indices of the leaf's switches, which deliver frames themselves
     * \param graph neighbours of each switch
     */
    void ComputeRoutesTo(uint32_t leaf,
                         const std::vector<uint32_t>& targets,
                         const QbbSwitchGraph& graph) const;

  private:
    const std::vector<Ptr<QbbSwitch>>& m_switches; //!< switches, by index
    std::vector<uint32_t> m_heights;               //!< height of each switch; 0 is the lowest
    std::vector<uint32_t> m_fromTop;               //!< indices of the switches, highest first
};

} // namespace ns3

#endif /* QBB_UP_DOWN_ROUTING_H */
