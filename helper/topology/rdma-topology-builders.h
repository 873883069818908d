/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TOPOLOGY_BUILDERS_H
#define RDMA_TOPOLOGY_BUILDERS_H

#include "rdma-topology-builder.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * \defgroup rdma-topology-forms Forms of topologies
 *
 * A function for each topology form of the module, for scripts. All functions throw
 * std::invalid_argument for a parameter out of range.
 * @{
 */

/**
 * One switch.
 *
 * \param hosts number of hosts, 2 to 65535
 * \param rates the links; uplinkRate is not used
 * \return the topology
 */
RdmaTopology MakeRdmaStar(uint32_t hosts, const RdmaTopologyRates& rates = RdmaTopologyRates());

/**
 * Two switches joined by one link of uplinkRate.
 *
 * \param hostsPerSide hosts on each switch, 1 to 65534: ids 0 to hostsPerSide - 1 on one side, the
 *        next hostsPerSide ids on the other
 * \param rates the links
 * \return the topology
 */
RdmaTopology MakeRdmaDumbbell(uint32_t hostsPerSide,
                              const RdmaTopologyRates& rates = RdmaTopologyRates());

/**
 * Switches in a ring, each with some hosts. With four or more switches, shortest paths over two
 * hops run in both directions, and the lossless buffers of the ring depend on each other cyclically
 * (CheckQbbDeadlock()). PFC can then deadlock.
 *
 * \param switches number of switches, 3 or more
 * \param hostsPerSwitch hosts on each switch, 1 to 65533
 * \param rates the links
 * \return the topology; host i is on switch i / hostsPerSwitch
 */
RdmaTopology MakeRdmaRing(uint32_t switches,
                          uint32_t hostsPerSwitch = 1,
                          const RdmaTopologyRates& rates = RdmaTopologyRates());

/**
 * A chain of switches in which all hosts send to one receiver on the last switch. Flows that join
 * the chain near the receiver get more bandwidth than flows that join far from the receiver.
 *
 * \param senders number of sending hosts on each switch, from the far end of the chain to the
 *        receiver's switch; at least two switches; {3, 1} is the network of two switches with the
 *        senders A, B, C on the first, and D and the receiver on the second
 * \param rates the links
 * \return the topology; the receiver is the host with the highest id, the senders have lower ids in
 *         the order of the chain
 */
RdmaTopology MakeRdmaParkingLot(const std::vector<uint32_t>& senders,
                                const RdmaTopologyRates& rates = RdmaTopologyRates());

/**
 * Two tiers: every leaf has one link to every spine.
 *
 * \param leaves number of leaf switches, 1 or more
 * \param hostsPerLeaf hosts on each leaf, 1 or more
 * \param spines number of spine switches, 1 or more
 * \param rates the links
 * \return the topology
 */
RdmaTopology MakeRdmaLeafSpine(uint32_t leaves,
                               uint32_t hostsPerLeaf,
                               uint32_t spines,
                               const RdmaTopologyRates& rates = RdmaTopologyRates());

/**
 * Three-tier fat-tree of k-port switches (Al-Fares et al., SIGCOMM 2008): k pods of k/2 edge and
 * k/2 aggregation switches, (k/2)^2 core switches, k^3/4 hosts. k = 6: 54 hosts, 45 switches.
 *
 * \param k ports of a switch, even, 2 to 128
 * \param rates the links
 * \return the topology
 */
RdmaTopology MakeRdmaFatTree(uint32_t k, const RdmaTopologyRates& rates = RdmaTopologyRates());

/**
 * Folded Clos network of equal switches. A switch of tier i below the top has d_i ports down and
 * u_i up with d_i + u_i = radix and d_i / u_i = oversubscription[i]; a switch of the top tier has
 * all its ports down. With tiers = 3 and no oversubscription this is the fat-tree, with tiers = 1 a
 * star.
 *
 * Oversubscription counts ports. In bandwidth, the oversubscription of the first tier is
 * oversubscription[0] x hostRate / uplinkRate.
 *
 * \param tiers tiers of switches, 1 to 8
 * \param radix ports of a switch, 2 to 1024
 * \param oversubscription ports down over ports up, for each tier below the top, from the hosts up,
 *        such that radix x ratio / (1 + ratio) is within 0.001 of a whole number from 1 to radix -
 *        1; empty for 1 everywhere
 * \param rates the links
 * \return the topology
 */
RdmaTopology MakeRdmaClos(uint32_t tiers,
                          uint32_t radix,
                          const std::vector<double>& oversubscription = {},
                          const RdmaTopologyRates& rates = RdmaTopologyRates());

/**
 * Three-tier Clos network of pods. A pod has leaves and spines, and each of its leaves has a link
 * to each of its spines. Spine i of every pod has links to the same core switches, and two spines
 * of a pod have no core switch in common. Each core switch has one link to every pod.
 *
 * The ratios are of bandwidth: a leaf has hostsPerLeaf x hostRate / (leafRatio x uplinkRate) spines
 * above it, and a spine leavesPerPod / spineRatio core switches. Both numbers must be whole, within
 * 0.001. Unlike MakeRdmaClos(), the number of pods and the sizes of the switches are free.
 *
 * \param pods number of pods, 1 or more
 * \param leavesPerPod leaf switches of a pod, 1 or more
 * \param hostsPerLeaf hosts on each leaf, 1 or more
 * \param leafRatio oversubscription of a leaf, bit/s down over bit/s up, 0.001 to 1000
 * \param spineRatio oversubscription of a spine, bit/s down over bit/s up, 0.001 to 1000
 * \param rates the links
 * \return the topology
 */
RdmaTopology MakeRdmaPods(uint32_t pods,
                          uint32_t leavesPerPod,
                          uint32_t hostsPerLeaf,
                          double leafRatio = 1,
                          double spineRatio = 1,
                          const RdmaTopologyRates& rates = RdmaTopologyRates());

/**
 * Size of a fabric of rails (MakeRdmaRails()).
 */
struct RdmaRailSize
{
    uint32_t units{2};        //!< scalable units, 1 or more
    uint32_t hostsPerUnit{4}; //!< hosts of a unit, 1 or more
    uint32_t nics{2};         //!< NICs of a host, 1 to 64
    /// Spines of each plane, or of each rail of each plane without crossRails; 0: none, for one
    /// unit without crossRails
    uint32_t spines{2};
    uint32_t rails{0};        //!< a number that divides nics; 0: as many as nics
    uint32_t planes{1};       //!< separate networks of leaves and spines, 1 to 16
    uint32_t leavesPerNic{1}; //!< leaves of a NIC in each plane, 1 or 2
    bool bonded{false};       //!< all ports of a NIC have one address; needs two ports or more
    bool crossRails{true};    //!< each spine has links to the leaves of all rails of its plane
};

/**
 * Hosts with several NICs in scalable units, and two tiers of switches. NIC k of each host of a
 * unit has its port on the leaf of rail k modulo the number of rails, so that a host has one NIC on
 * each rail if there are as many rails as NICs. Each leaf has one link to every spine of its plane.
 *
 * With two leaves per NIC (dual ToR), a rail of a unit is a pair of leaves, and a NIC has a port on
 * both. With several planes, each NIC has such ports in each plane, and no path leads from a plane
 * to another. Without crossRails, a spine has links to the leaves of its rail alone: hosts reach
 * each other by NICs of one rail ("rail-only": Wang et al., Hot Interconnects 2024).
 *
 * Ports of a NIC: leaf 0 of plane 0, leaf 1 of plane 0, leaf 0 of plane 1 and so on. Switches have
 * the names leaf-UNIT-RAIL and spine-NUMBER; with two leaves per NIC, leaf-UNIT-RAIL-0 and
 * leaf-UNIT-RAIL-1; with several planes, p0-leaf-UNIT-RAIL and p0-spine-NUMBER; without crossRails,
 * spine-RAIL-NUMBER. The rate hostRate is the rate of each port.
 *
 * \param size size of the fabric
 * \param rates the links
 * \return the topology
 */
RdmaTopology MakeRdmaRails(const RdmaRailSize& size,
                           const RdmaTopologyRates& rates = RdmaTopologyRates());

/**
 * Extended generalised fat-tree XGFT(h; m_1..m_h; w_1..w_h) (Oehring et al., IPPS 1995), of which
 * the fat-tree, leaf-spine and Clos forms are special cases.
 *
 * \param children m_i: nodes of tier i - 1 below each switch of tier i (tier 0: the hosts); 1 to 8
 *        entries
 * \param parents w_i: switches of tier i above each node of tier i - 1; as many entries as children
 * \param rates the links
 * \return the topology
 */
RdmaTopology MakeRdmaXgft(const std::vector<uint32_t>& children,
                          const std::vector<uint32_t>& parents,
                          const RdmaTopologyRates& rates = RdmaTopologyRates());

/**
 * Makes a topology of a named form that is a special case of an XGFT.
 *
 * \param form name of the form, for messages
 * \param tierNames prefixes of the switches' names, from the hosts up; empty: tier1, tier2, ...
 * \param children m_i, as for an XGFT without a name
 * \param parents w_i, as for an XGFT without a name
 * \param rates the links
 * \return the topology
 */
RdmaTopology MakeRdmaXgft(const std::string& form,
                          const std::vector<std::string>& tierNames,
                          const std::vector<uint32_t>& children,
                          const std::vector<uint32_t>& parents,
                          const RdmaTopologyRates& rates);

/** @} */

} // namespace ns3

#endif /* RDMA_TOPOLOGY_BUILDERS_H */
