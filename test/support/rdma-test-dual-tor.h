/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TEST_DUAL_TOR_H
#define RDMA_TEST_DUAL_TOR_H

#include "rdma-time.h"
#include "rdma-topology.h"

#include <cstdint>

/**
 * \file
 * \ingroup rdma-tests
 * A fabric whose hosts are bonded to two leaves each.
 */

namespace ns3
{

/**
 * \ingroup rdma-tests
 * Hosts on two leaves each, pairs of leaves below spines.
 *
 * \param hosts hosts on each pair
 * \param pairs pairs of leaves
 * \param spines spines
 * \param areCabled true: the leaves of a pair have a link
 * \param isCrossed true: the second leaf has its ports to the hosts in the opposite order
 * \return the topology, 100 Gb/s and 1 us for each link: hosts, leaves, spines; of each pair, the
 *         links of the first leaf to its hosts come before those of the second, and the links of
 *         spines last
 */
inline RdmaTopology
MakeTestDualTor(uint32_t hosts,
                uint32_t pairs,
                uint32_t spines,
                bool areCabled = false,
                bool isCrossed = false)
{
    RdmaTopology topology;
    for (uint32_t i = 0; i < hosts * pairs; ++i)
    {
        topology.SetBonded(topology.AddHost());
    }
    const uint32_t leaf = hosts * pairs;
    for (uint32_t i = 0; i < 2 * pairs + spines; ++i)
    {
        topology.AddSwitch();
    }
    for (uint32_t pair = 0; pair < pairs; ++pair)
    {
        for (uint32_t i = 0; i < hosts; ++i)
        {
            topology.AddLink(pair * hosts + i, leaf + 2 * pair, 100_gbps, 1_us);
        }
        for (uint32_t i = 0; i < hosts; ++i)
        {
            const uint32_t host = isCrossed ? hosts - 1 - i : i;
            topology.AddLink(pair * hosts + host, leaf + 2 * pair + 1, 100_gbps, 1_us);
        }
    }
    for (uint32_t i = 0; i < 2 * pairs; ++i)
    {
        for (uint32_t spine = 0; spine < spines; ++spine)
        {
            topology.AddLink(leaf + i, leaf + 2 * pairs + spine, 100_gbps, 1_us);
        }
    }
    for (uint32_t pair = 0; areCabled && pair < pairs; ++pair)
    {
        topology.AddLink(leaf + 2 * pair, leaf + 2 * pair + 1, 100_gbps, 1_us);
    }
    return topology;
}

} // namespace ns3

#endif /* RDMA_TEST_DUAL_TOR_H */
