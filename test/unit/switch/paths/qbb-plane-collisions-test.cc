/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-wire.h"
#include "rdma-fabric-helper.h"
#include "rdma-fabric.h"
#include "rdma-test-dual-tor.h"

#include <ns3/simulator.h>

#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * Flows that share a link by chance: one plane of dual-ToR, where hashes choose the leaf at both
 * ends, and two planes, where the sender's port fixes both leaves. The expected shares follow from
 * balls thrown into bins.
 */

namespace ns3
{
namespace
{

/** Two pairs of leaves, where each host of the first pair has two flows to one of the second. */
struct PlaneSizes
{
    uint32_t hosts{0};  //!< hosts on a pair, each with two ports
    uint32_t spines{0}; //!< uplinks of a leaf
};

/**
 * \param sizes sizes
 * \return two planes: the first leaves of both pairs below spines of their own, and so the second
 *         ones
 */
RdmaTopology
MakeTwoPlanes(const PlaneSizes& sizes)
{
    RdmaTopology topology;
    for (uint32_t i = 0; i < 2 * sizes.hosts; ++i)
    {
        topology.AddHost();
    }
    const uint32_t leaf = 2 * sizes.hosts;
    for (uint32_t i = 0; i < 4 + 2 * sizes.spines; ++i)
    {
        topology.AddSwitch();
    }
    for (uint32_t plane = 0; plane < 2; ++plane)
    {
        for (uint32_t host = 0; host < 2 * sizes.hosts; ++host)
        {
            topology.AddLink(host, leaf + 2 * (host / sizes.hosts) + plane, 100_gbps, 1_us);
        }
        for (uint32_t spine = 0; spine < sizes.spines; ++spine)
        {
            for (const uint32_t pair : {0, 1})
            {
                topology.AddLink(leaf + 2 * pair + plane,
                                 leaf + 4 + plane * sizes.spines + spine,
                                 100_gbps,
                                 1_us);
            }
        }
    }
    return topology;
}

/**
 * \param topology one plane whose hosts are bonded, or two planes
 * \param sizes sizes
 * \param rounds how often all flows choose new UDP source ports
 * \return share of the flows that share a link, at least one, with another flow
 */
double
GetShare(const RdmaTopology& topology, const PlaneSizes& sizes, uint32_t rounds)
{
    RdmaFabricHelper helper;
    const auto fabric = helper.Install(topology);
    std::mt19937 random(1);
    uint64_t shared = 0;
    for (uint32_t round = 0; round < rounds; ++round)
    {
        std::vector<std::vector<const QbbPort*>> paths;
        std::map<const QbbPort*, uint32_t> flows;
        for (uint32_t i = 0; i < 2 * sizes.hosts; ++i)
        {
            const uint32_t host = i / 2;
            const auto nic = fabric->GetNic(host);
            const bool isBonded = nic->IsBonded(0);
            // Two ports with addresses of their own have a flow each.
            const uint32_t port = isBonded ? 0 : i % 2;
            const Ipv4Address to = fabric->GetAddress(sizes.hosts + host, 0, port);
            const uint32_t hash = QbbFlowHash(nic->GetAddress(port).Get(),
                                              to.Get(),
                                              QbbWire::IP_PROTOCOL_UDP,
                                              static_cast<uint16_t>(0xc000 | random() % 0x4000),
                                              QbbWire::ROCE_UDP_PORT);
            paths.push_back(
                fabric->GetRouting()->FollowPath(nic->GetDevice(nic->ChoosePort(port, hash)),
                                                 to,
                                                 hash));
            EXPECT_EQ(paths.back().size(), 4U);
            for (const QbbPort* hop : paths.back())
            {
                ++flows[hop];
            }
        }
        for (const auto& path : paths)
        {
            for (const QbbPort* hop : path)
            {
                if (flows[hop] > 1)
                {
                    ++shared;
                    break;
                }
            }
        }
    }
    Simulator::Destroy();
    return static_cast<double>(shared) / (2.0 * sizes.hosts * rounds);
}

TEST(QbbPlaneCollisions, AreThoseOfBallsInBins)
{
    for (const PlaneSizes& sizes :
         {PlaneSizes{4, 8}, PlaneSizes{8, 16}, PlaneSizes{16, 16}, PlaneSizes{8, 32}})
    {
        SCOPED_TRACE(std::to_string(sizes.hosts) + " hosts, " + std::to_string(sizes.spines));
        constexpr uint32_t ROUNDS = 1000;
        const double one = GetShare(MakeTestDualTor(sizes.hosts, 2, sizes.spines), sizes, ROUNDS);
        const double two = GetShare(MakeTwoPlanes(sizes), sizes, ROUNDS);
        // One plane: a flow of another host shares a link if both have the same spine (1 of S) and
        // not both leaves differ (3 of 4). The second flow of the host shares none only if both of
        // its leaves differ (1 of 4): those are also the host's ports.
        const double spines = sizes.spines;
        const double oneByRule = 1 - std::pow(1 - 3 / (4 * spines), 2 * sizes.hosts - 2) / 4;
        // Two planes: the other hosts' flows of the plane choose one spine of S each, and a spine
        // has one way on. The second flow of the host is in the other plane.
        const double twoByRule = 1 - std::pow(1 - 1 / spines, sizes.hosts - 1);
        EXPECT_NEAR(one, oneByRule, 0.05 * oneByRule);
        EXPECT_NEAR(two, twoByRule, 0.05 * twoByRule);
        const std::string name = std::to_string(sizes.hosts) + "x" + std::to_string(sizes.spines);
        RecordProperty("one-" + name, std::to_string(one) + " " + std::to_string(oneByRule));
        RecordProperty("two-" + name, std::to_string(two) + " " + std::to_string(twoByRule));
    }
}

} // namespace
} // namespace ns3
