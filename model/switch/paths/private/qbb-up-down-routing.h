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

    /** Hops of each switch to a leaf, or QbbShortestRouting::UNREACHED. */
    struct Distances
    {
        std::vector<uint32_t> downhill; //!< hops over downward links only
        std::vector<uint32_t> hops;     //!< hops of the routes
    };

    /**
     * \param targets indices of a leaf's switches, which deliver frames themselves
     * \param graph neighbours of each switch
     * \return distances to the leaf
     */
    Distances GetDistances(const std::vector<uint32_t>& targets, const QbbSwitchGraph& graph) const;

    /**
     * Installs the routes to several leaves in a switch.
     *
     * \param at index of the switch
     * \param first number of the first leaf
     * \param distances distances to each of the leaves
     * \param graph neighbours of each switch
     */
    void SetRoutes(uint32_t at,
                   uint32_t first,
                   const std::vector<Distances>& distances,
                   const QbbSwitchGraph& graph) const;

  private:
    const std::vector<Ptr<QbbSwitch>>& m_switches; //!< switches, by index
    std::vector<uint32_t> m_heights;               //!< height of each switch; 0 is the lowest
    std::vector<uint32_t> m_fromTop;               //!< indices of the switches, highest first
};

} // namespace ns3

#endif /* QBB_UP_DOWN_ROUTING_H */
