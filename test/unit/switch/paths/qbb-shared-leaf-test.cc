/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-deadlock-check.h"
#include "rdma-expect-error.h"
#include "rdma-fabric-helper.h"
#include "rdma-fabric.h"
#include "rdma-test-dual-tor.h"
#include "rdma-topology.h"

#include <ns3/simulator.h>
#include <ns3/string.h>

#include <gtest/gtest.h>
#include <map>
#include <queue>
#include <random>
#include <string>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * Routes to hosts whose address is that of several ports, at one leaf or at several.
 */

namespace ns3
{
namespace
{

using Ports = std::vector<uint16_t>;

/** \param fabric a fabric \param sw a switch \param host a host \return the switch's ports to it */
Ports
GetRoute(const RdmaFabric& fabric, uint32_t sw, uint32_t host)
{
    const auto& table = fabric.GetSwitch(sw)->GetForwardingTable();
    const auto* group = table.Lookup(fabric.GetAddress(host).Get());
    const auto route = table.Find(fabric.GetAddress(host).Get());
    Ports found;
    for (uint32_t i = 0; i < route.count; ++i)
    {
        found.push_back(route.GetPort(i));
    }
    EXPECT_EQ(found, group ? *group : Ports()) << "Find() and Lookup() agree";
    return found;
}

/**
 * The rules, from the links alone: a switch with links to the host that are up uses these; another
 * switch uses all links to neighbours that are one hop nearer to such a switch.
 *
 * \param fabric a fabric
 * \param host a host with one NIC
 * \return the ports of each switch, by node
 */
std::map<uint32_t, Ports>
GetExpectedRoutes(const RdmaFabric& fabric, uint32_t host)
{
    const RdmaTopology& topology = fabric.GetTopology();
    std::map<uint32_t, uint32_t> hops;
    std::queue<uint32_t> open;
    const auto isUp = [&](uint32_t link) { return fabric.GetChannel(link)->IsUp(); };
    const auto other = [&](uint32_t link, uint32_t node) {
        const RdmaTopologyLink& ends = topology.GetLink(link);
        return ends.a == node ? ends.b : ends.b == node ? ends.a : node;
    };
    for (uint32_t link = 0; link < topology.GetNLinks(); ++link)
    {
        const uint32_t sw = other(link, host);
        if (sw != host && isUp(link) && hops.emplace(sw, 0).second)
        {
            open.push(sw);
        }
    }
    for (; !open.empty(); open.pop())
    {
        for (uint32_t link = 0; link < topology.GetNLinks(); ++link)
        {
            const uint32_t next = other(link, open.front());
            if (next != open.front() && !topology.IsNic(next) && isUp(link) &&
                hops.emplace(next, hops[open.front()] + 1).second)
            {
                open.push(next);
            }
        }
    }
    std::map<uint32_t, Ports> routes;
    std::map<uint32_t, uint16_t> nPorts;
    for (uint32_t link = 0; link < topology.GetNLinks(); ++link)
    {
        const RdmaTopologyLink& ends = topology.GetLink(link);
        for (const uint32_t sw : {ends.a, ends.b})
        {
            const uint16_t port = nPorts[sw]++;
            const uint32_t next = other(link, sw);
            const auto found = hops.find(sw);
            if (topology.IsNic(sw) || found == hops.end() || !isUp(link))
            {
                continue;
            }
            const auto nearer = hops.find(next);
            const bool isNearer = !topology.IsNic(next) && nearer != hops.end() &&
                                  nearer->second + 1 == found->second;
            if (found->second == 0 ? next == host : isNearer)
            {
                routes[sw].push_back(port);
            }
        }
    }
    return routes;
}

/** \param fabric a fabric, whose routes are compared with GetExpectedRoutes() */
void
ExpectRoutes(const RdmaFabric& fabric)
{
    for (const uint32_t host : fabric.GetTopology().GetHosts())
    {
        auto expected = GetExpectedRoutes(fabric, host);
        for (const uint32_t sw : fabric.GetTopology().GetSwitches())
        {
            ASSERT_EQ(GetRoute(fabric, sw, host), expected[sw])
                << "from " << sw << " to host " << host;
        }
    }
}

/** \return the number of leaves that the tables of the fabric's switches have entries for */
uint32_t
GetTableSize(const RdmaFabric& fabric)
{
    return fabric.GetRouting()->GetSwitches().front()->GetForwardingTable().GetNLeaves();
}

class QbbSharedLeafTest : public testing::Test
{
  protected:
    ~QbbSharedLeafTest() override
    {
        Simulator::Destroy();
    }

    RdmaFabricHelper m_helper;
};

TEST_F(QbbSharedLeafTest, BothLeavesDeliverAndOthersUseBoth)
{
    // Hosts 0..5 on leaves 6, 7 (hosts 0..2) and 8, 9; spines 10 and 11. Ports of a leaf: hosts
    // 0..2, spines 3 and 4; of a spine: leaves 0..3.
    const auto fabric = m_helper.Install(MakeTestDualTor(3, 2, 2));
    EXPECT_EQ(GetRoute(*fabric, 6, 1), Ports{1});
    EXPECT_EQ(GetRoute(*fabric, 7, 1), Ports{1});
    EXPECT_EQ(GetRoute(*fabric, 8, 1), (Ports{3, 4}));
    EXPECT_EQ(GetRoute(*fabric, 10, 1), (Ports{0, 1}));
    EXPECT_EQ(GetRoute(*fabric, 10, 4), (Ports{2, 3}));
    ExpectRoutes(*fabric);
}

TEST_F(QbbSharedLeafTest, ALeafWithoutItsLinkSendsToTheOther)
{
    const auto fabric = m_helper.Install(MakeTestDualTor(3, 2, 2));
    fabric->SetLinkUp(1, false); // host 1 and leaf 6
    EXPECT_EQ(GetRoute(*fabric, 6, 1), (Ports{3, 4})) << "over the spines to leaf 7";
    EXPECT_EQ(GetRoute(*fabric, 7, 1), Ports{1});
    EXPECT_EQ(GetRoute(*fabric, 10, 1), Ports{1}) << "leaf 7 alone";
    EXPECT_EQ(GetRoute(*fabric, 10, 0), (Ports{0, 1})) << "other hosts as before";
    fabric->SetLinkUp(1, true);
    EXPECT_EQ(GetRoute(*fabric, 6, 1), Ports{1});
    ExpectRoutes(*fabric);
}

TEST_F(QbbSharedLeafTest, LeavesWithALinkBetweenThemUseIt)
{
    const auto fabric = m_helper.Install(MakeTestDualTor(3, 2, 2, true));
    EXPECT_EQ(GetRoute(*fabric, 6, 1), Ports{1});
    fabric->SetLinkUp(1, false);
    EXPECT_EQ(GetRoute(*fabric, 6, 1), Ports{5}) << "the link to leaf 7";
    ExpectRoutes(*fabric);
}

TEST_F(QbbSharedLeafTest, ALeafKnowsOfADeadLinkAfterTheConvergenceDelay)
{
    m_helper.SetRoutingAttribute("ConvergenceDelay", TimeValue(MicroSeconds(10)));
    const auto fabric = m_helper.Install(MakeTestDualTor(3, 2, 2));
    Simulator::Schedule(MicroSeconds(1), [&] { fabric->SetLinkUp(1, false); });
    Simulator::Schedule(NanoSeconds(10'999), [&] {
        EXPECT_EQ(GetRoute(*fabric, 6, 1), Ports{1});
        EXPECT_EQ(GetRoute(*fabric, 10, 1), (Ports{0, 1}));
    });
    Simulator::Schedule(NanoSeconds(11'001), [&] {
        EXPECT_EQ(GetRoute(*fabric, 6, 1), (Ports{3, 4}));
        EXPECT_EQ(GetRoute(*fabric, 10, 1), Ports{1});
    });
    Simulator::Run();
}

TEST_F(QbbSharedLeafTest, TablesHaveAnEntryForEachLeafAndEachPair)
{
    for (const uint32_t hosts : {2, 20, 200})
    {
        const auto fabric = RdmaFabricHelper().Install(MakeTestDualTor(hosts, 3, 2));
        EXPECT_EQ(GetTableSize(*fabric), 6U + 3U) << hosts;
        EXPECT_EQ(fabric->GetRouting()->GetLeaves().front(), 6U) << "the first pair";
        Simulator::Destroy();
    }
}

TEST_F(QbbSharedLeafTest, PortsInAnyOrder)
{
    const auto fabric = m_helper.Install(MakeTestDualTor(4, 2, 2, false, true));
    ExpectRoutes(*fabric);
    EXPECT_EQ(GetRoute(*fabric, 8, 0), Ports{0});
    EXPECT_EQ(GetRoute(*fabric, 9, 0), Ports{3});
}

TEST_F(QbbSharedLeafTest, SeveralLinksToOneLeaf)
{
    // Host 0 has two links to switch 2 and one to switch 3; host 1 has one link to switch 3.
    RdmaTopology topology;
    topology.SetBonded(topology.AddHost());
    topology.AddHost();
    topology.AddSwitch();
    topology.AddSwitch();
    for (const auto& [a, b] :
         std::vector<std::pair<uint32_t, uint32_t>>{{0, 2}, {2, 3}, {0, 2}, {1, 3}, {0, 3}})
    {
        topology.AddLink(a, b, 100_gbps, 1_us);
    }
    const auto fabric = m_helper.Install(topology);
    EXPECT_EQ(GetRoute(*fabric, 2, 0), (Ports{0, 2}));
    EXPECT_EQ(GetRoute(*fabric, 3, 0), Ports{2});
    fabric->SetLinkUp(2, false); // one of three
    EXPECT_EQ(GetRoute(*fabric, 2, 0), Ports{0});
    EXPECT_EQ(GetRoute(*fabric, 3, 0), Ports{2});
    fabric->SetLinkUp(0, false); // two of three
    EXPECT_EQ(GetRoute(*fabric, 2, 0), Ports{1});
    fabric->SetLinkUp(4, false);
    EXPECT_EQ(GetRoute(*fabric, 2, 0), Ports());
    EXPECT_EQ(GetRoute(*fabric, 3, 0), Ports());
    fabric->SetLinkUp(2, true);
    EXPECT_EQ(GetRoute(*fabric, 2, 0), Ports{2});
    EXPECT_EQ(GetRoute(*fabric, 3, 0), Ports{0});
    ExpectRoutes(*fabric);
}

TEST_F(QbbSharedLeafTest, RandomFabricsWithLinksThatFlap)
{
    std::mt19937 random(39);
    for (uint32_t round = 0; round < 40; ++round)
    {
        SCOPED_TRACE("round " + std::to_string(round));
        RdmaTopology topology;
        const uint32_t hosts = 3 + random() % 6;
        const uint32_t switches = 2 + random() % 8;
        for (uint32_t i = 0; i < hosts; ++i)
        {
            topology.SetBonded(topology.AddHost());
        }
        for (uint32_t i = 0; i < switches; ++i)
        {
            topology.AddSwitch();
        }
        for (uint32_t i = 1; i < switches; ++i)
        {
            topology.AddLink(hosts + i, hosts + random() % i, 1_gbps, 1_ns);
        }
        for (uint32_t i = random() % (2 * switches); i > 0; --i)
        {
            const uint32_t a = random() % switches;
            const uint32_t b = (a + 1 + random() % (switches - 1)) % switches;
            topology.AddLink(hosts + a, hosts + b, 1_gbps, 1_ns);
        }
        for (uint32_t i = 0; i < hosts; ++i)
        {
            for (uint32_t links = 1 + random() % 4; links > 0; --links)
            {
                topology.AddLink(i, hosts + random() % switches, 1_gbps, 1_ns);
            }
        }
        const auto fabric = RdmaFabricHelper().Install(topology);
        ExpectRoutes(*fabric);
        for (uint32_t change = 0; change < 40; ++change)
        {
            const uint32_t link = random() % topology.GetNLinks();
            fabric->SetLinkUp(link, !fabric->GetChannel(link)->IsUp());
            ExpectRoutes(*fabric);
        }
        Simulator::Destroy();
    }
}

/**
 * Expects a path from each port of each host to each other host.
 *
 * \param fabric a fabric
 * \param dead a host with a dead port
 * \param deadPort index of the dead port; 2: all ports are up
 */
void
ExpectAllPaths(const RdmaFabric& fabric, uint32_t dead = 0, uint32_t deadPort = 2)
{
    for (const uint32_t from : fabric.GetTopology().GetHosts())
    {
        for (const uint32_t to : fabric.GetTopology().GetHosts())
        {
            const auto nic = fabric.GetNic(from);
            for (uint32_t port = 0; from != to && port < nic->GetNPorts(); ++port)
            {
                for (const uint32_t hash : {1U, 77U, 4'000'000'000U})
                {
                    if (from == dead && port == deadPort)
                    {
                        continue;
                    }
                    const auto path = fabric.GetRouting()->GetPath(nic->GetPort(port),
                                                                   fabric.GetAddress(to),
                                                                   hash);
                    ASSERT_FALSE(path.empty()) << from << " to " << to;
                    EXPECT_EQ(path.back()->GetPeer()->GetNodeId(), fabric.GetNode(to)->GetId());
                }
            }
        }
    }
}

TEST_F(QbbSharedLeafTest, UpDownIsShortestInDualTorAndCannotDeadlock)
{
    for (const bool areCabled : {false, true})
    {
        RdmaFabricHelper helper;
        helper.SetRoutingAttribute("Algorithm", StringValue("UpDown"));
        const auto fabric = helper.Install(MakeTestDualTor(3, 3, 2, areCabled));
        ExpectRoutes(*fabric);
        ExpectAllPaths(*fabric);
        EXPECT_TRUE(CheckQbbDeadlock(*fabric->GetRouting()).IsDeadlockFree());
        fabric->SetLinkUp(1, false);
        ExpectAllPaths(*fabric, 1, 0);
        EXPECT_TRUE(CheckQbbDeadlock(*fabric->GetRouting()).IsDeadlockFree());
        Simulator::Destroy();
    }
}

TEST_F(QbbSharedLeafTest, ShortestPathsOfDualTorCannotDeadlock)
{
    // Frames for host 1 that leaf 6 cannot deliver come from hosts of leaf 6 alone, because spines
    // send them to leaf 7: no frame goes up after it came down.
    const auto fabric = m_helper.Install(MakeTestDualTor(3, 2, 2));
    EXPECT_TRUE(CheckQbbDeadlock(*fabric->GetRouting()).IsDeadlockFree());
    fabric->SetLinkUp(1, false);
    EXPECT_TRUE(CheckQbbDeadlock(*fabric->GetRouting()).IsDeadlockFree());
}

TEST_F(QbbSharedLeafTest, ARingOfBondedHostsAndLeavesCanDeadlock)
{
    // Switches 4..7 in a ring; host i has links to switches i and i + 1 of the ring.
    RdmaTopology topology;
    for (uint32_t i = 0; i < 4; ++i)
    {
        topology.SetBonded(topology.AddHost());
    }
    for (uint32_t i = 0; i < 4; ++i)
    {
        topology.AddSwitch();
    }
    for (uint32_t i = 0; i < 4; ++i)
    {
        topology.AddLink(i, 4 + i, 100_gbps, 1_us);
        topology.AddLink(i, 4 + (i + 1) % 4, 100_gbps, 1_us);
        topology.AddLink(4 + i, 4 + (i + 1) % 4, 100_gbps, 1_us);
    }
    const auto fabric = m_helper.Install(topology);
    // Each switch is at most one hop away from a leaf of any host: no frame that comes from a
    // switch goes on to another switch.
    EXPECT_EQ(CheckQbbDeadlock(*fabric->GetRouting()).dependencies, 0U);
    // With one leaf for each host, frames between opposite leaves pass on in both directions.
    for (const uint32_t link : {1, 4, 7, 10})
    {
        fabric->SetLinkUp(link, false);
    }
    EXPECT_FALSE(CheckQbbDeadlock(*fabric->GetRouting()).IsDeadlockFree());
}

TEST_F(QbbSharedLeafTest, SelectorsThatKnowOneLeafRefuse)
{
    for (const char* selector : {"ns3::QbbCongaPathSelector", "ns3::QbbConWeavePathSelector"})
    {
        RdmaFabricHelper helper;
        helper.SetPathSelector(selector);
        const auto fabric = helper.Install(MakeTestDualTor(2, 2, 2));
        ExpectRefusal([] { Simulator::Run(); },
                      std::string(selector) + " knows one leaf for each host");
        Simulator::Destroy();
    }
}

TEST_F(QbbSharedLeafTest, AddressesOfTwoNodes)
{
    const auto fabric = m_helper.Install(MakeTestDualTor(2, 1, 1));
    EXPECT_DEATH(fabric->GetRouting()->AddHost(fabric->GetNic(1)->GetPort(0), "10.0.0.1"),
                 "host address 10.0.0.1 of node 1 is already that of node 0; accepted: .*a bond");
}

} // namespace
} // namespace ns3
