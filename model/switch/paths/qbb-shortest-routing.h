/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_SHORTEST_ROUTING_H
#define QBB_SHORTEST_ROUTING_H

#include "qbb-switch.h"

#include <ns3/ptr.h>

#include <array>
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

/**
 * \ingroup rdma
 * Algorithm ShortestPath of QbbRouting: all shortest paths, in hops.
 */
class QbbShortestRouting
{
  public:
    /**
     * A switch with hosts, or a set of switches that share hosts. Its number is its index in a list
     * of leaves.
     */
    struct Leaf
    {
        std::vector<uint32_t> switches; //!< indices of the switches, at least one
    };

    /** A link between two switches that went down or up. */
    struct LinkChange
    {
        std::array<uint32_t, 2> sw{};   //!< indices of the switches at the ends
        std::array<uint16_t, 2> port{}; //!< ports of the switches
        bool up{false};                 //!< true: the link went up
    };

    /** Number of hops between switches without a path. */
    static constexpr uint32_t UNREACHED = UINT32_MAX;

    /** \param switches all switches, by index; they must outlive this object */
    explicit QbbShortestRouting(const std::vector<Ptr<QbbSwitch>>& switches);

    /**
     * \param graph neighbours of each switch
     * \param from indices of the start switches
     * \return hops of each switch from the nearest start switch, or UNREACHED
     */
    static std::vector<uint32_t> GetHops(const QbbSwitchGraph& graph, std::vector<uint32_t> from);

    using Distances = std::vector<uint32_t>; //!< hops of each switch to a leaf, or UNREACHED

    /**
     * \param targets indices of a leaf's switches, which deliver frames themselves
     * \param graph neighbours of each switch
     * \return distances to the leaf
     */
    Distances GetDistances(const std::vector<uint32_t>& targets, const QbbSwitchGraph& graph) const;

    /**
     * Installs the routes to several leaves in a switch, and removes those without a path. A switch
     * uses all shortest paths to the nearest of a leaf's switches.
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

    /**
     * Changes the installed routes after a link went down or up. Routes to leaves whose shortest
     * paths do not use the link stay as they are.
     *
     * \param change the link
     * \param leaves all leaves, by number
     * \param without neighbours of each switch, without the link
     * \param now neighbours of each switch after the change
     */
    void ChangeLink(const LinkChange& change,
                    const std::vector<Leaf>& leaves,
                    const QbbSwitchGraph& without,
                    const QbbSwitchGraph& now) const;

  private:
    const std::vector<Ptr<QbbSwitch>>& m_switches; //!< switches, by index
};

} // namespace ns3

#endif /* QBB_SHORTEST_ROUTING_H */
