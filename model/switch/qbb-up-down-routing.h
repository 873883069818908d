/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_UP_DOWN_ROUTING_H
#define QBB_UP_DOWN_ROUTING_H

#include "qbb-switch-graph.h"
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
 * QbbRouting's algorithm UpDown: routes that go up first and then down, and never up again.
 *
 * The height of the switches says which way is up. No two switches are equally high. Links that are
 * down count as well, so that a failure does not change it.
 */
class QbbUpDownRouting
{
  public:
    /**
     * Finds out how high each switch is.
     *
     * \param switches all switches, which outlive the object, by index
     * \param switchOfNode the switches' indices by their nodes; all other nodes are hosts
     */
    QbbUpDownRouting(const std::vector<Ptr<QbbSwitch>>& switches,
                     const std::unordered_map<const Node*, uint32_t>& switchOfNode);

    /**
     * Puts the ways to a leaf into the switches.
     *
     * \param leaf number of a leaf
     * \param target its switch
     * \param graph the neighbours of each switch
     */
    void ComputeRoutesTo(uint32_t leaf, uint32_t target, const QbbSwitchGraph& graph) const;

  private:
    const std::vector<Ptr<QbbSwitch>>& m_switches; //!< by index
    std::vector<uint32_t> m_heights;               //!< of each switch, 0 is the lowest
    std::vector<uint32_t> m_fromTop;               //!< the switches, the highest first
};

} // namespace ns3

#endif /* QBB_UP_DOWN_ROUTING_H */
