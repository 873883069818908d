/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RDMA_HTSIM_TOPOLOGY_H
#define RDMA_HTSIM_TOPOLOGY_H

#include "rdma-topology.h"

#include <string>

namespace ns3
{

/**
 * \ingroup rdma
 * \defgroup rdma-htsim-topology The .topo format
 *
 * The text format in which csg-htsim and uet-htsim describe a fat-tree of two or three tiers:
 *
 *     Nodes 32
 *     Tiers 2
 *     Podsize 32
 *     Tier 0
 *     Downlink_speed_Gbps 100
 *     Radix_Down 8
 *     Radix_Up 2
 *     Oversubscribed 4
 *     Downlink_Latency_ns 1000
 *     Switch_Latency_ns 0
 *     Tier 1
 *     ...
 *
 * A line is a key and a whole number. Keys are not case-sensitive. A number sign begins a comment,
 * at the start of a line or behind the number. Keys before the first line `Tier`, in any order:
 *
 * key     | meaning
 * ------- | -------
 * Nodes   | hosts
 * Tiers   | tiers of switches: 2 or 3
 * Podsize | hosts of a pod; with two tiers all hosts are one pod
 *
 * Tier 0 are the switches of the hosts, tier 1 the switches above, and tier 2 of three the core.
 * Keys of a tier, in any order:
 *
 * key                 | meaning
 * ------------------- | -------
 * Downlink_speed_Gbps | rate of each link to the tier below
 * Downlink_Latency_ns | propagation delay of each link to the tier below
 * Radix_Down          | ports of a switch to the tier below
 * Radix_Up            | ports of a switch to the tier above; not in the top tier
 * Oversubscribed      | bandwidth down over bandwidth up; default 1; not in the top tier
 * Bundle              | parallel links between a switch and each neighbour below; default 1
 * Switch_Latency_ns   | time that a frame takes through a switch; default 0
 *
 * The topology is the one that htsim builds: hosts first, then the switches of each tier
 * (`tor-0` ..., `agg-0` ..., `core-0` ...), and the links from the hosts up. An agg switch at
 * position p of its pod has links to the core switches p, p + a, p + 2 a and so on, where a is the
 * number of agg switches in a pod. With two tiers, each ToR switch has links to all agg switches.
 *
 * A switch of the module takes no time of its own. Each link of a switch has half of the switch's
 * latency in addition to its propagation delay, so that a path takes the time that it takes in
 * htsim: a frame passes two links of each switch on its path. A pause frame, which only goes over
 * one link, takes longer than in htsim.
 *
 * Refused are unknown and repeated keys, and numbers that contradict each other. Queue_Up and
 * Queue_Down, which htsim reads as well, are refused: a switch of the module shares one memory
 * among its ports.
 * @{
 */

/**
 * \param path path of a file
 * \param text content of the file
 * \return true if the file is of this format: its name ends with .topo, or its first line that is
 *         no comment begins with a letter
 */
bool IsRdmaHtsimTopology(const std::string& path, const std::string& text);

/**
 * Read a text.
 * \param text the content of a topology file
 * \param fileName the name for error messages
 * \return the topology, which has passed RdmaTopology::Validate()
 * \throws RdmaFileError for anything that is not exactly of this format
 */
RdmaTopology ParseRdmaHtsimTopology(const std::string& text, const std::string& fileName);

/** @} */

} // namespace ns3

#endif /* RDMA_HTSIM_TOPOLOGY_H */
