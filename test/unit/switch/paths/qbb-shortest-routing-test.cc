/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-shortest-routing.h"
#include "rdma-fabric-helper.h"
#include "rdma-topology-builders.h"

#include <ns3/simulator-impl.h>
#include <ns3/simulator.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <gtest/gtest.h>
#include <random>
#include <string>

/**
 * \file
 * \ingroup rdma-tests
 * Shortest paths: updates for single links give the routes that ComputeRoutes() finds.
 */

namespace ns3
{
namespace
{

/** \param fabric a fabric \return all routes, as text */
std::string
GetShortestRoutes(const RdmaFabric& fabric)
{
    std::string text;
    for (const uint32_t id : fabric.GetTopology().GetSwitches())
    {
        const auto& table = fabric.GetSwitch(id)->GetForwardingTable();
        text += "switch " + std::to_string(id) + ", " + std::to_string(table.GetNRoutes()) + ":";
        for (const auto& host : fabric.GetRouting()->GetHosts())
        {
            text += " to " + std::to_string(host.address);
            const auto* group = table.Lookup(host.address);
            for (const uint16_t port : group ? *group : QbbForwardingTable::Group())
            {
                text += " " + std::to_string(port);
            }
        }
        text += "\n";
    }
    return text;
}

/**
 * Takes links down and up at random, and compares the routes after each change.
 *
 * \param topology a fabric
 * \param changes number of changes
 * \param random random numbers
 */
void
FlapAndCompare(const RdmaTopology& topology, uint32_t changes, std::mt19937& random)
{
    RdmaFabricHelper helper;
    const auto fabric = helper.Install(topology);
    for (uint32_t change = 0; change < changes; ++change)
    {
        const uint32_t link = random() % topology.GetNLinks();
        fabric->SetLinkUp(link, !fabric->GetChannel(link)->IsUp());
        const std::string routes = GetShortestRoutes(*fabric);
        if (change % 3 == 0)
        {
            continue; // the next change starts from routes that ComputeRoutes() did not touch
        }
        fabric->GetRouting()->ComputeRoutes();
        ASSERT_EQ(routes, GetShortestRoutes(*fabric)) << "change " << change;
    }
    Simulator::Destroy();
}

TEST(QbbShortestRoutingTest, LinksThatFlapInRegularFabrics)
{
    std::mt19937 random(1);
    for (const char* text : {"fat-tree:4", "leaf-spine:4x2x3", "ring:6x2", "clos:2x4", "star:3"})
    {
        SCOPED_TRACE(text);
        FlapAndCompare(MakeRdmaTopology(text), 60, random);
    }
}

TEST(QbbShortestRoutingTest, LinksThatFlapInAnyFabric)
{
    std::mt19937 random(2);
    for (uint32_t round = 0; round < 40; ++round)
    {
        // Some switches have no host, some hosts have two ports, some links are parallel.
        const uint32_t n = 3 + random() % 8;
        RdmaTopology topology;
        for (uint32_t i = 0; i < n; ++i)
        {
            topology.AddHost();
        }
        for (uint32_t i = 0; i < 2 * n; ++i)
        {
            topology.AddSwitch();
        }
        for (uint32_t i = 1; i < 2 * n; ++i)
        {
            topology.AddLink(n + i, n + random() % i, 1_gbps, 1_ns);
        }
        for (uint32_t i = random() % (3 * n); i > 0; --i)
        {
            const uint32_t a = random() % (2 * n);
            topology.AddLink(n + a, n + (a + 1 + random() % (2 * n - 1)) % (2 * n), 1_gbps, 1_ns);
        }
        for (uint32_t i = 0; i < n + n / 2; ++i)
        {
            topology.AddLink(i % n, n + random() % (2 * n), 1_gbps, 1_ns);
        }
        SCOPED_TRACE("round " + std::to_string(round));
        FlapAndCompare(topology, 60, random);
    }
}

TEST(QbbShortestRoutingTest, SeveralThreadsFindTheRoutesOfOneThread)
{
    for (const std::string algorithm : {"ShortestPath", "UpDown"})
    {
        // More leaves than the distances that are kept at one time.
        constexpr uint32_t LEAVES = 600;
        RdmaFabricHelper helper;
        helper.SetRoutingAttribute("Algorithm", StringValue(algorithm));
        const auto fabric = helper.Install(MakeRdmaLeafSpine(LEAVES, 1, 2));
        const std::string one = GetShortestRoutes(*fabric);
        const auto simulator = Simulator::GetImplementation();
        simulator->SetAttribute("Threads", UintegerValue(3));
        fabric->GetRouting()->ComputeRoutes();
        simulator->SetAttribute("Threads", UintegerValue(1));
        EXPECT_EQ(GetShortestRoutes(*fabric), one) << algorithm;
        const auto switches = fabric->GetTopology().GetSwitches();
        for (const uint32_t host : {0U, LEAVES / 2, LEAVES - 1})
        {
            for (const uint32_t leaf : {0U, LEAVES / 2, LEAVES - 1})
            {
                // Port 0 of a leaf leads to its host, ports 1 and 2 lead to the spines.
                const auto& table = fabric->GetSwitch(switches[leaf])->GetForwardingTable();
                const QbbForwardingTable::Group* const ports =
                    table.Lookup(fabric->GetAddress(host).Get());
                ASSERT_NE(ports, nullptr);
                EXPECT_EQ(*ports,
                          host == leaf ? QbbForwardingTable::Group{0}
                                       : QbbForwardingTable::Group({1, 2}))
                    << algorithm << " from leaf " << leaf << " to host " << host;
            }
        }
        Simulator::Destroy();
    }
}

TEST(QbbShortestRoutingTest, AChangeOfLinksReplacesRoutesSetByHand)
{
    RdmaFabricHelper helper;
    const auto fabric = helper.Install(MakeRdmaLeafSpine(2, 1, 2));
    const std::string routes = GetShortestRoutes(*fabric);
    const uint32_t leaf = fabric->GetTopology().GetSwitches().front();
    fabric->GetSwitch(leaf)->GetForwardingTable().SetRoute(fabric->GetAddress(1).Get(), {1});
    EXPECT_NE(GetShortestRoutes(*fabric), routes);
    fabric->SetLinkUp(fabric->GetTopology().GetNLinks() - 1, false);
    fabric->SetLinkUp(fabric->GetTopology().GetNLinks() - 1, true);
    EXPECT_EQ(GetShortestRoutes(*fabric), routes);
    Simulator::Destroy();
}

TEST(QbbShortestRoutingTest, HostsOfALeaf)
{
    RdmaFabricHelper helper;
    const auto fabric = helper.Install(MakeRdmaLeafSpine(2, 2, 1));
    const auto routing = fabric->GetRouting();
    constexpr uint32_t NONE = QbbHostPlace::NO_LEAF;
    EXPECT_EQ(routing->GetLeaves(), (std::vector<uint32_t>{0, 0, 1, 1}));
    fabric->SetLinkUp(1, false);
    EXPECT_EQ(routing->GetLeaves(), (std::vector<uint32_t>{0, NONE, 1, 1}));
    // Routes set by hand may differ between the hosts of a leaf.
    routing->GetSwitches().front()->GetForwardingTable().SetRoute(fabric->GetAddress(3).Get(), {0});
    EXPECT_EQ(routing->GetLeaves(), std::vector<uint32_t>(4, NONE));
    Simulator::Destroy();
}

TEST(QbbShortestRoutingTest, EveryChangeHasAVersionOfItsOwn)
{
    RdmaFabricHelper helper;
    const auto fabric = helper.Install(MakeRdmaFatTree(4));
    const auto getVersions = [&fabric] {
        std::vector<uint64_t> versions;
        for (const auto& sw : fabric->GetRouting()->GetSwitches())
        {
            versions.push_back(sw->GetForwardingTable().GetVersion());
        }
        return versions;
    };
    const auto before = getVersions();
    fabric->SetLinkUp(0, false);
    const auto after = getVersions();
    for (std::size_t i = 0; i < before.size(); ++i)
    {
        EXPECT_NE(before[i], after[i]) << "switch " << i;
    }
    Simulator::Destroy();
}

TEST(QbbShortestRoutingTest, HopsFromTheNearestOfSeveralSwitches)
{
    // 0 - 1 - 2 - 3, and 4 alone
    const QbbSwitchGraph graph{{{1, 0}}, {{0, 0}, {2, 1}}, {{1, 0}, {3, 1}}, {{2, 0}}, {}};
    constexpr uint32_t NONE = QbbShortestRouting::UNREACHED;
    EXPECT_EQ(QbbShortestRouting::GetHops(graph, {0}), (std::vector<uint32_t>{0, 1, 2, 3, NONE}));
    EXPECT_EQ(QbbShortestRouting::GetHops(graph, {0, 3}),
              (std::vector<uint32_t>{0, 1, 1, 0, NONE}));
}

} // namespace
} // namespace ns3
