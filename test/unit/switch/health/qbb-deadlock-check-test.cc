/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-deadlock-check.h"
#include "qbb-dependency-graph.h"
#include "rdma-fabric-helper.h"
#include "rdma-simulator-impl.h"
#include "rdma-topology-builders.h"

#include <ns3/simulator-impl.h>
#include <ns3/simulator.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * Which fabrics have a cyclic buffer dependency.
 */

namespace ns3
{
namespace
{

/** Builds fabrics and checks them. */
class QbbDeadlockCheckTest : public testing::Test
{
  protected:
    QbbDeadlockCheckTest()
    {
        m_helper.SetDeviceAttribute("PfcClasses", UintegerValue(1 << 3));
    }

    ~QbbDeadlockCheckTest() override
    {
        Simulator::Destroy();
    }

    /**
     * \param topology a fabric
     * \param down links that fail
     * \return the result of the check, which is that of three threads, too
     */
    QbbDeadlockCheck Check(const RdmaTopology& topology, const std::vector<uint32_t>& down = {})
    {
        m_fabric = m_helper.Install(topology);
        for (const uint32_t link : down)
        {
            m_fabric->SetLinkUp(link, false);
        }
        const QbbDeadlockCheck check = CheckQbbDeadlock(*m_fabric->GetRouting());
        const auto simulator = Simulator::GetImplementation();
        simulator->SetAttribute("Threads", UintegerValue(3));
        EXPECT_EQ(RdmaSimulatorImpl::GetThreads(), 3U);
        const QbbDeadlockCheck again = CheckQbbDeadlock(*m_fabric->GetRouting());
        simulator->SetAttribute("Threads", UintegerValue(1));
        EXPECT_EQ(again.buffers, check.buffers);
        EXPECT_EQ(again.dependencies, check.dependencies);
        EXPECT_EQ(again.cyclicBuffers, check.cyclicBuffers);
        EXPECT_EQ(again.cycle, check.cycle);
        return check;
    }

    /** A buffer by the node id in its topology. */
    using Point = std::pair<uint32_t, uint32_t>;

    /** \param check a result \return its cycle by node ids of the topology and ports */
    std::vector<Point> GetCycle(const QbbDeadlockCheck& check) const
    {
        std::vector<Point> cycle;
        for (const QbbBufferPoint& point : check.cycle)
        {
            cycle.emplace_back(point.node - m_fabric->GetNode(0)->GetId(), point.port);
        }
        return cycle;
    }

    RdmaFabricHelper m_helper;
    Ptr<RdmaFabric> m_fabric;
};

TEST_F(QbbDeadlockCheckTest, ClosNetworksHaveNoCycle)
{
    for (const char* text : {"leaf-spine:2x1x1",
                             "leaf-spine:4x16x4",
                             "fat-tree:4",
                             "fat-tree:8",
                             "clos:3x8",
                             "clos:4x4",
                             "clos:2x80x1.5",
                             "dumbbell:3",
                             "star:5",
                             "parking-lot:6",
                             "ring:3x4"})
    {
        const QbbDeadlockCheck check = Check(MakeRdmaTopology(text));
        EXPECT_TRUE(check.IsDeadlockFree()) << text;
        EXPECT_EQ(check.cyclicBuffers, 0u) << text;
    }
}

TEST_F(QbbDeadlockCheckTest, CountsByHand)
{
    // Two leaves and two spines: each spine has a buffer for each leaf, each leaf one for each
    // spine; a frame from a leaf goes on to the other.
    const QbbDeadlockCheck check = Check(MakeRdmaLeafSpine(2, 3, 2));
    EXPECT_EQ(check.buffers, 8u);
    EXPECT_EQ(check.dependencies, 4u);
    // k = 4. A core: from each of 4 pods to the 3 others. An aggregation switch: from 2 edge
    // switches to 2 cores and the other edge switch, and from 2 cores to 2 edge switches.
    const QbbDeadlockCheck fatTree = Check(MakeRdmaFatTree(4));
    EXPECT_EQ(fatTree.buffers, 64u);
    EXPECT_EQ(fatTree.dependencies, 4u * 4 * 3 + 8 * (2 * 3 + 2 * 2));
    // A star has no buffer between switches.
    EXPECT_EQ(Check(MakeRdmaStar(4)).buffers, 0u);
}

TEST_F(QbbDeadlockCheckTest, RingsHaveACycle)
{
    // Ports of a switch of ring:5: 0 to its host, then its links in the order of their ids. Switch
    // 5 has links 5 (to 6) and 9 (from 9), the others come in by port 1 and go out by port 2.
    const QbbDeadlockCheck check = Check(MakeRdmaRing(5));
    const std::vector<Point> there{{5, 1}, {9, 2}, {8, 2}, {7, 2}, {6, 2}};
    EXPECT_EQ(GetCycle(check), there);
    EXPECT_EQ(check.cycle.front().priority, 3);
    // Both ways round.
    EXPECT_EQ(check.buffers, 10u);
    EXPECT_EQ(check.dependencies, 10u);
    EXPECT_EQ(check.cyclicBuffers, 10u);
    std::ostringstream text;
    text << check.cycle.front();
    EXPECT_EQ(text.str(), "node 5 port 1 class 3");
    EXPECT_FALSE(Check(MakeRdmaRing(4)).IsDeadlockFree());
    EXPECT_FALSE(Check(MakeRdmaRing(9, 2)).IsDeadlockFree());
    // A ring that is cut is a chain.
    EXPECT_TRUE(Check(MakeRdmaRing(5), {7}).IsDeadlockFree());
}

TEST_F(QbbDeadlockCheckTest, FailuresThatBreakUpDown)
{
    // Leaves 4 .. 7, spines 8 and 9. Links 4 .. 11: leaf 4 to 8, to 9, leaf 5 to 8, to 9, ...
    const RdmaTopology topology = MakeRdmaLeafSpine(4, 1, 2);
    ASSERT_EQ(topology.GetLink(4), (RdmaTopologyLink{4, 8, topology.GetLink(4).rate, 1_us}));
    ASSERT_EQ(topology.GetLink(7), (RdmaTopologyLink{5, 9, topology.GetLink(7).rate, 1_us}));
    EXPECT_TRUE(Check(topology).IsDeadlockFree());
    EXPECT_TRUE(Check(topology, {4}).IsDeadlockFree());
    // Leaf 4 has spine 9 alone and leaf 5 spine 8 alone: they bounce off leaves 6 and 7.
    const QbbDeadlockCheck check = Check(topology, {4, 7});
    const auto cycle = GetCycle(check);
    ASSERT_EQ(cycle.size(), 4u);
    std::set<uint32_t> nodes;
    for (const auto& [node, port] : cycle)
    {
        nodes.insert(node);
    }
    EXPECT_EQ(nodes, (std::set<uint32_t>{6, 7, 8, 9}));
    // With one leaf to bounce off there is no way back.
    EXPECT_TRUE(Check(MakeRdmaLeafSpine(3, 1, 2), {3, 6}).IsDeadlockFree());
}

TEST_F(QbbDeadlockCheckTest, OnlyLosslessClassesCount)
{
    m_helper.SetDeviceAttribute("PfcClasses", UintegerValue(0));
    QbbDeadlockCheck check = Check(MakeRdmaRing(5));
    EXPECT_TRUE(check.IsDeadlockFree());
    EXPECT_EQ(check.buffers, 0u);
    m_helper.SetDeviceAttribute("PfcClasses", UintegerValue(0x30));
    check = Check(MakeRdmaRing(5));
    EXPECT_EQ(check.cycle.front().priority, 4);
    EXPECT_EQ(check.buffers, 20u);
    // One link without flow control cuts the cycle, for that class alone.
    m_fabric = m_helper.Install(MakeRdmaRing(5));
    m_fabric->GetDevice(6, 6)->SetAttribute("PfcClasses", UintegerValue(0x20));
    m_fabric->GetDevice(6, 7)->SetAttribute("PfcClasses", UintegerValue(0x20));
    check = CheckQbbDeadlock(*m_fabric->GetRouting());
    EXPECT_EQ(check.cycle.front().priority, 5);
    EXPECT_EQ(check.cyclicBuffers, 10u);
    EXPECT_EQ(check.buffers, 18u);
}

TEST_F(QbbDeadlockCheckTest, OnlyPairsOfHostsCount)
{
    // One host on a ring of five: with any routes, there is no other host to send to.
    RdmaTopology lonely;
    lonely.AddHost();
    for (int i = 0; i < 5; ++i)
    {
        lonely.AddSwitch();
    }
    lonely.AddLink(0, 1, 1_gbps, 1_ns);
    for (uint32_t i = 0; i < 5; ++i)
    {
        lonely.AddLink(1 + i, 1 + (i + 1) % 5, 1_gbps, 1_ns);
    }
    EXPECT_EQ(Check(lonely).buffers, 0u);
    // Two neighbours need the link between them.
    RdmaTopology two = lonely;
    two.AddLink(two.AddHost(), 2, 1_gbps, 1_ns);
    EXPECT_EQ(Check(two).buffers, 2u);
    // A host with a port at each of two opposite switches does not send to itself.
    RdmaTopology both = lonely;
    both.AddLink(0, 3, 1_gbps, 1_ns);
    EXPECT_EQ(Check(both).buffers, 0u);
}

/** The reference: follows every path of every packet, one by one. */
class Walker
{
  public:
    /** \param fabric the fabric to search */
    explicit Walker(const RdmaFabric& fabric)
        : m_fabric(fabric)
    {
        const RdmaTopology& topology = fabric.GetTopology();
        for (const uint32_t source : topology.GetHosts())
        {
            for (const uint32_t destination : topology.GetHosts())
            {
                if (source != destination)
                {
                    const auto port =
                        DynamicCast<QbbNetDevice>(fabric.GetNode(source)->GetDevice(0));
                    Walk(*port, fabric.GetAddress(destination).Get(), {});
                }
            }
        }
    }

    std::set<std::pair<QbbBufferPoint, QbbBufferPoint>> edges; //!< first can wait for second
    std::set<QbbBufferPoint> points;                           //!< buffers that packets enter

  private:
    void Walk(QbbPort& egress, uint32_t destination, std::vector<QbbBufferPoint> way)
    {
        QbbPort& in = *egress.GetPeer();
        const Ptr<QbbSwitch> sw = in.GetDevice()->GetNode()->GetObject<QbbSwitch>();
        if (!sw || !egress.IsUp())
        {
            return;
        }
        if (egress.GetDevice()->GetNode()->GetObject<QbbSwitch>())
        {
            const QbbBufferPoint point{in.GetNodeId(), in.GetPortNumber(), 3};
            points.insert(point);
            if (!way.empty())
            {
                edges.emplace(way.back(), point);
            }
            way.push_back(point);
        }
        if (const auto* group = sw->GetForwardingTable().Lookup(destination))
        {
            for (const uint16_t port : *group)
            {
                Walk(*sw->GetPort(port), destination, way);
            }
        }
    }

    const RdmaFabric& m_fabric;
};

TEST_F(QbbDeadlockCheckTest, RandomFabricsAgainstEveryWay)
{
    std::mt19937 random(7);
    uint32_t cyclic = 0;
    constexpr uint32_t ROUNDS = 300;
    for (uint32_t round = 0; round < ROUNDS; ++round)
    {
        RdmaTopology topology;
        const uint32_t hosts = 2 + random() % 8;
        const uint32_t switches = 2 + random() % 7;
        for (uint32_t i = 0; i < hosts; ++i)
        {
            topology.AddHost();
        }
        for (uint32_t i = 0; i < switches; ++i)
        {
            topology.AddSwitch();
        }
        for (uint32_t i = 0; i < hosts; ++i)
        {
            topology.AddLink(i, hosts + random() % switches, 1_gbps, 1_ns);
        }
        // A random tree, and more links.
        for (uint32_t i = 1; i < switches; ++i)
        {
            topology.AddLink(hosts + i, hosts + random() % i, 1_gbps, 1_ns);
        }
        for (uint32_t i = random() % (switches + 2); i > 0; --i)
        {
            const uint32_t a = random() % switches;
            const uint32_t b = (a + 1 + random() % (switches - 1)) % switches;
            topology.AddLink(hosts + a, hosts + b, 1_gbps, 1_ns);
        }
        std::vector<uint32_t> down;
        if (random() % 2)
        {
            down.push_back(random() % topology.GetNLinks());
        }
        const QbbDeadlockCheck check = Check(topology, down);
        const Walker walker(*m_fabric);
        EXPECT_EQ(check.buffers, walker.points.size()) << "round " << round;
        EXPECT_EQ(check.dependencies, walker.edges.size()) << "round " << round;
        const std::vector<QbbBufferPoint> points(walker.points.begin(), walker.points.end());
        QbbDependencyGraph graph(static_cast<uint32_t>(points.size()));
        for (const auto& [from, to] : walker.edges)
        {
            graph.AddEdge(std::lower_bound(points.begin(), points.end(), from) - points.begin(),
                          std::lower_bound(points.begin(), points.end(), to) - points.begin());
        }
        EXPECT_EQ(check.cyclicBuffers, graph.GetCyclic().size()) << "round " << round;
        EXPECT_EQ(check.IsDeadlockFree(), graph.GetCyclic().empty()) << "round " << round;
        for (std::size_t i = 0; i < check.cycle.size(); ++i)
        {
            EXPECT_TRUE(
                walker.edges.count({check.cycle[i], check.cycle[(i + 1) % check.cycle.size()]}))
                << "round " << round;
        }
        cyclic += !check.IsDeadlockFree();
        Simulator::Destroy();
    }
    EXPECT_GT(cyclic, ROUNDS / 20);
    EXPECT_LT(cyclic, ROUNDS * 19 / 20);
}

} // namespace
} // namespace ns3
