/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-deadlock-check.h"
#include "qbb-up-down-routing.h"
#include "rdma-fabric-helper.h"
#include "rdma-topology-builders.h"

#include <ns3/enum.h>
#include <ns3/simulator.h>
#include <ns3/uinteger.h>

#include <gtest/gtest.h>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * Routes that go up, then down: they reach all hosts, and cannot deadlock.
 */

namespace ns3
{
namespace
{

/** Builds fabrics with both kinds of routes. */
class QbbUpDownTest : public testing::Test
{
  protected:
    QbbUpDownTest()
    {
        m_helper.SetDeviceAttribute("PfcClasses", UintegerValue(1 << 3));
    }

    ~QbbUpDownTest() override
    {
        Simulator::Destroy();
    }

    /** \param topology a fabric \param algorithm of its routes \return the fabric */
    Ptr<RdmaFabric> Install(const RdmaTopology& topology, QbbRouting::Algorithm algorithm)
    {
        m_helper.SetRoutingAttribute("Algorithm", EnumValue(algorithm));
        return m_helper.Install(topology);
    }

    /** \param fabric a fabric \return all routes, as text */
    static std::string GetRoutes(const RdmaFabric& fabric)
    {
        std::string text;
        for (const uint32_t sw : fabric.GetTopology().GetSwitches())
        {
            for (const uint32_t host : fabric.GetTopology().GetHosts())
            {
                text += std::to_string(sw) + " to " + std::to_string(host) + ":";
                const auto* group = fabric.GetSwitch(sw)->GetForwardingTable().Lookup(
                    fabric.GetAddress(host).Get());
                for (const uint16_t port : group ? *group : QbbForwardingTable::Group())
                {
                    text += " " + std::to_string(port);
                }
                text += "\n";
            }
        }
        return text;
    }

    /** \param fabric a fabric \param from host \param to host \return links on the way; 0: none */
    static std::size_t GetHops(const RdmaFabric& fabric, uint32_t from, uint32_t to)
    {
        const auto port = DynamicCast<QbbNetDevice>(fabric.GetNode(from)->GetDevice(0));
        return fabric.GetRouting()->GetPath(port, fabric.GetAddress(to), 0).size();
    }

    RdmaFabricHelper m_helper;
};

TEST_F(QbbUpDownTest, SameAsShortestInClosNetworks)
{
    for (const char* text : {"leaf-spine:4x3x2",
                             "fat-tree:4",
                             "fat-tree:6",
                             "clos:4x4",
                             "dumbbell:2",
                             "star:3",
                             "parking-lot:4"})
    {
        const auto topology = MakeRdmaTopology(text);
        EXPECT_EQ(GetRoutes(*Install(topology, QbbRouting::UP_DOWN)),
                  GetRoutes(*Install(topology, QbbRouting::SHORTEST_PATH)))
            << text;
    }
}

TEST_F(QbbUpDownTest, RingByHand)
{
    // Switches 5 .. 9, hosts 0 .. 4; the root is 5. Uphill: 6 and 9 to 5, 7 to 6, 8 to 9, 8 to 7.
    const auto fabric = Install(MakeRdmaRing(5), QbbRouting::UP_DOWN);
    EXPECT_TRUE(CheckQbbDeadlock(*fabric->GetRouting()).IsDeadlockFree());
    EXPECT_EQ(GetHops(*fabric, 0, 2), 4u); // down over 6
    EXPECT_EQ(GetHops(*fabric, 2, 3), 3u); // down
    EXPECT_EQ(GetHops(*fabric, 3, 2), 3u); // up
    EXPECT_EQ(GetHops(*fabric, 2, 4), 5u); // over the root; over 8 it would be down and up
}

TEST_F(QbbUpDownTest, FailuresTakeRoutesAway)
{
    const auto fabric = Install(MakeRdmaLeafSpine(4, 1, 2), QbbRouting::UP_DOWN);
    fabric->SetLinkUp(4, false);
    fabric->SetLinkUp(7, false);
    EXPECT_TRUE(CheckQbbDeadlock(*fabric->GetRouting()).IsDeadlockFree());
    EXPECT_EQ(GetHops(*fabric, 0, 1), 0u); // they have no spine in common
    EXPECT_EQ(GetHops(*fabric, 1, 0), 0u);
    EXPECT_EQ(GetHops(*fabric, 0, 2), 4u);
    EXPECT_EQ(GetHops(*fabric, 3, 1), 4u);
    fabric->SetLinkUp(4, true);
    EXPECT_EQ(GetHops(*fabric, 0, 1), 4u);
}

TEST_F(QbbUpDownTest, AnyGraphWithoutCycle)
{
    std::mt19937 random(3);
    uint32_t cyclicOtherwise = 0;
    for (uint32_t round = 0; round < 200; ++round)
    {
        // Every switch has a host, so all are of one tier and all hosts are reached over the root.
        const uint32_t n = 3 + random() % 10;
        RdmaTopology topology;
        for (uint32_t i = 0; i < n; ++i)
        {
            topology.AddHost();
        }
        for (uint32_t i = 0; i < n; ++i)
        {
            topology.AddSwitch();
            topology.AddLink(i, n + i, 1_gbps, 1_ns);
        }
        for (uint32_t i = 1; i < n; ++i)
        {
            topology.AddLink(n + i, n + random() % i, 1_gbps, 1_ns);
        }
        for (uint32_t i = random() % (2 * n); i > 0; --i)
        {
            const uint32_t a = random() % n;
            topology.AddLink(n + a, n + (a + 1 + random() % (n - 1)) % n, 1_gbps, 1_ns);
        }
        const auto shortest = Install(topology, QbbRouting::SHORTEST_PATH);
        cyclicOtherwise += !CheckQbbDeadlock(*shortest->GetRouting()).IsDeadlockFree();
        const auto upDown = Install(topology, QbbRouting::UP_DOWN);
        EXPECT_TRUE(CheckQbbDeadlock(*upDown->GetRouting()).IsDeadlockFree()) << "round " << round;
        for (uint32_t a = 0; a < n; ++a)
        {
            for (uint32_t b = 0; b < n; ++b)
            {
                if (a != b)
                {
                    EXPECT_GE(GetHops(*upDown, a, b), GetHops(*shortest, a, b))
                        << "round " << round;
                }
            }
        }
        Simulator::Destroy();
    }
    EXPECT_GT(cyclicOtherwise, 50u);
}

TEST_F(QbbUpDownTest, HostsWithoutASwitch)
{
    const std::vector<Ptr<QbbSwitch>> switches;
    const std::unordered_map<uint32_t, uint32_t> switchOfNode;
    const QbbUpDownRouting nothing(switches, switchOfNode); // ends without a look at a root
}

} // namespace
} // namespace ns3
