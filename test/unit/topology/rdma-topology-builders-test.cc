/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-expect-error.h"
#include "rdma-file-error.h"
#include "rdma-part.h"
#include "rdma-test-units.h"
#include "rdma-topology-builders.h"
#include "rdma-topology-reader.h"

#include <algorithm>
#include <cstdio>
#include <gtest/gtest.h>
#include <map>
#include <stdexcept>

using namespace ns3;

namespace
{

/// Links of node \p id.
std::size_t
GetDegree(const RdmaTopology& topology, uint32_t id)
{
    return topology.GetLinksByNode()[id].size();
}

/// How many links lie on the shortest path between two nodes.
uint32_t
GetDistance(const RdmaTopology& topology, uint32_t from, uint32_t to)
{
    const auto links = topology.GetLinksByNode();
    std::map<uint32_t, uint32_t> distance{{from, 0}};
    std::vector<uint32_t> queue{from};
    for (std::size_t i = 0; i < queue.size(); ++i)
    {
        for (const uint32_t id : links[queue[i]])
        {
            const auto link = topology.GetLink(id);
            const uint32_t next = link.a == queue[i] ? link.b : link.a;
            if (distance.emplace(next, distance[queue[i]] + 1).second)
            {
                queue.push_back(next);
            }
        }
    }
    return distance.at(to);
}

void
ExpectSize(const RdmaTopology& topology, uint32_t hosts, uint32_t switches, uint32_t links)
{
    EXPECT_EQ(topology.GetHosts().size(), hosts);
    EXPECT_EQ(topology.GetSwitches().size(), switches);
    EXPECT_EQ(topology.GetNLinks(), links);
    topology.Validate();
    // Hosts come first, and so do their links.
    for (uint32_t id = 0; id < hosts; ++id)
    {
        EXPECT_TRUE(topology.IsHost(id));
        EXPECT_EQ(topology.GetLink(id).a, id);
    }
}

} // namespace

TEST(RdmaTopologyBuilders, FatTree)
{
    // k = 6, as in the IRN paper: 6 x 3 edge, 6 x 3 aggregation, 3^2 core; 54 links in each of
    // three layers.
    const auto topology = MakeRdmaFatTree(6);
    ExpectSize(topology, 54, 45, 162);
    for (const uint32_t id : topology.GetSwitches())
    {
        EXPECT_EQ(GetDegree(topology, id), 6u);
    }
    EXPECT_EQ(GetDistance(topology, 0, 2), 2u);  // one edge switch
    EXPECT_EQ(GetDistance(topology, 0, 3), 4u);  // one pod
    EXPECT_EQ(GetDistance(topology, 0, 9), 6u);  // two pods
    EXPECT_EQ(GetDistance(topology, 0, 53), 6u); // two pods
    ExpectSize(MakeRdmaFatTree(2), 2, 5, 6);
    ExpectSize(MakeRdmaFatTree(4), 16, 20, 48);
    // The cores of an aggregation switch differ from those of its neighbour in the pod: the second
    // edge layer reaches (k/2)^2 cores, not k/2.
    const auto links = topology.GetLinks();
    const uint32_t agg = 54 + 18;
    std::vector<uint32_t> cores;
    for (const auto& link : links)
    {
        if (link.a == agg || link.a == agg + 1 || link.a == agg + 2)
        {
            cores.push_back(link.b);
        }
    }
    std::sort(cores.begin(), cores.end());
    EXPECT_EQ(cores, (std::vector<uint32_t>{90, 91, 92, 93, 94, 95, 96, 97, 98}));
}

TEST(RdmaTopologyBuilders, LeafSpine)
{
    RdmaTopologyRates rates;
    rates.uplinkRate = 400 * GBPS;
    rates.delay = 500_ps;
    rates.errorRate = 0.125;
    const auto topology = MakeRdmaLeafSpine(4, 16, 3, rates);
    ExpectSize(topology, 64, 7, 64 + 12);
    EXPECT_EQ(topology.GetLink(0), (RdmaTopologyLink{0, 64, 100 * GBPS, 500_ps, 0.125}));
    EXPECT_EQ(topology.GetLink(17), (RdmaTopologyLink{17, 65, 100 * GBPS, 500_ps, 0.125}));
    EXPECT_EQ(topology.GetLink(63), (RdmaTopologyLink{63, 67, 100 * GBPS, 500_ps, 0.125}));
    EXPECT_EQ(topology.GetLink(64), (RdmaTopologyLink{64, 68, 400 * GBPS, 500_ps, 0.125}));
    EXPECT_EQ(topology.GetLink(66), (RdmaTopologyLink{64, 70, 400 * GBPS, 500_ps, 0.125}));
    EXPECT_EQ(topology.GetLink(75), (RdmaTopologyLink{67, 70, 400 * GBPS, 500_ps, 0.125}));
    EXPECT_EQ(topology.GetNode(67).name, "leaf-3");
    EXPECT_EQ(topology.GetNode(70).name, "spine-2");
    ExpectSize(MakeRdmaLeafSpine(1, 2, 1), 2, 2, 3);
}

TEST(RdmaTopologyBuilders, Clos)
{
    // Without oversubscription, three tiers are a fat-tree except for the names.
    EXPECT_EQ(MakeRdmaClos(3, 6).GetLinks(), MakeRdmaFatTree(6).GetLinks());
    EXPECT_EQ(MakeRdmaClos(1, 16).GetLinks(), MakeRdmaStar(16).GetLinks());
    // Two tiers of 8 ports, 3 to 1: 6 down and 2 up at each of 8 leaves, 2 spines.
    const auto two = MakeRdmaClos(2, 8, {3.0});
    ExpectSize(two, 48, 10, 48 + 16);
    EXPECT_EQ(two.GetLinks(), MakeRdmaLeafSpine(8, 6, 2).GetLinks());
    // Three tiers of 8 ports, 3 to 1 and 1 to 1: d = 6, 4, 8; u = 2, 4. 192 hosts, 32 + 16 + 8
    // switches, 64 links between the first tiers and 64 between the last.
    const auto three = MakeRdmaClos(3, 8, {3.0, 1.0});
    ExpectSize(three, 192, 32 + 16 + 8, 192 + 64 + 64);
    for (const uint32_t id : three.GetSwitches())
    {
        EXPECT_EQ(GetDegree(three, id), 8u);
    }
    // A ratio below 1, and one that is no short decimal number (5 down, 3 up).
    ExpectSize(MakeRdmaClos(2, 8, {1.0 / 3.0}), 16, 8 + 6, 16 + 48);
    ExpectSize(MakeRdmaClos(2, 8, {1.667}), 40, 8 + 3, 40 + 24);
    // Four tiers of 4 ports: 2 x 2 x 2 x 4 hosts, 16 + 16 + 16 + 8 switches.
    ExpectSize(MakeRdmaClos(4, 4), 32, 56, 4 * 32);
}

TEST(RdmaTopologyBuilders, Xgft)
{
    // 16 hosts on each of 4 x 5 switches, 4 above each in a pod, 4 x 4 above those.
    const auto topology = MakeRdmaXgft({16, 4, 5}, {1, 4, 4});
    ExpectSize(topology, 320, 20 + 20 + 16, 320 + 80 + 80);
    EXPECT_EQ(GetDistance(topology, 0, 319), 6u);
    // Two uplinks of each host.
    EXPECT_EQ(MakeRdmaXgft({4}, {2}).GetNLinks(), 8u);
}

TEST(RdmaTopologyBuilders, DumbbellAndStar)
{
    RdmaTopologyRates rates;
    rates.uplinkRate = 40 * GBPS;
    const auto dumbbell = MakeRdmaDumbbell(3, rates);
    ExpectSize(dumbbell, 6, 2, 7);
    EXPECT_EQ(dumbbell.GetLink(2).b, 6u);
    EXPECT_EQ(dumbbell.GetLink(3).b, 7u);
    EXPECT_EQ(dumbbell.GetLink(6), (RdmaTopologyLink{6, 7, 40 * GBPS, 1_us, 0}));
    ExpectSize(MakeRdmaStar(2), 2, 1, 2);
    EXPECT_EQ(GetDegree(MakeRdmaStar(65), 65), 65u);
}

TEST(RdmaTopologyBuilders, ParkingLot)
{
    // A, B, C (0, 1, 2) on the first switch (5), D (3) and the receiver (4) on the second (6).
    const auto two = MakeRdmaParkingLot({3, 1});
    ExpectSize(two, 5, 2, 6);
    const std::vector<uint32_t> switchOf{5, 5, 5, 6, 6};
    for (uint32_t host = 0; host < 5; ++host)
    {
        EXPECT_EQ(two.GetLink(host).b, switchOf[host]);
    }
    EXPECT_EQ(two.GetLink(5).a, 5u);
    EXPECT_EQ(two.GetLink(5).b, 6u);

    const auto four = MakeRdmaParkingLot({1, 1, 1, 1});
    ExpectSize(four, 5, 4, 8);
    EXPECT_EQ(GetDistance(four, 0, 4), 5u);
    EXPECT_EQ(GetDistance(four, 3, 4), 2u);
}

TEST(RdmaTopologyBuilders, Ring)
{
    const auto five = MakeRdmaRing(5, 2);
    ExpectSize(five, 10, 5, 15);
    EXPECT_EQ(five.GetLink(9).b, 14u);
    EXPECT_EQ(five.GetLink(14).a, 14u);
    EXPECT_EQ(five.GetLink(14).b, 10u);
    EXPECT_EQ(GetDistance(five, 0, 9), 3u);
    EXPECT_EQ(GetDistance(five, 0, 4), 4u);
}

TEST(RdmaTopologyBuilders, TextForms)
{
    RdmaTopologyRates rates;
    rates.hostRate = 40 * GBPS;
    rates.errorRate = 0.25;
    const auto expect = [&rates](const std::string& text, const RdmaTopology& topology) {
        EXPECT_EQ(MakeRdmaTopology(text, rates), topology) << text;
        EXPECT_FALSE(MakeRdmaTopologyBuilder(text)->HasOwnRates()) << text;
    };
    expect("fat-tree:4", MakeRdmaFatTree(4, rates));
    expect("leaf-spine:4x16x2", MakeRdmaLeafSpine(4, 16, 2, rates));
    expect("clos:3x8", MakeRdmaClos(3, 8, {}, rates));
    expect("clos:3x8x3x1", MakeRdmaClos(3, 8, {3, 1}, rates));
    expect("clos:2x80x1.5", MakeRdmaClos(2, 80, {1.5}, rates));
    expect("dumbbell:8", MakeRdmaDumbbell(8, rates));
    expect("star:16", MakeRdmaStar(16, rates));
    expect("parking-lot:4", MakeRdmaParkingLot({1, 1, 1, 1}, rates));
    expect("parking-lot:3x1", MakeRdmaParkingLot({3, 1}, rates));
    expect("ring:5", MakeRdmaRing(5, 1, rates));
    expect("ring:3x4", MakeRdmaRing(3, 4, rates));
}

TEST(RdmaTopologyBuilders, PartForms)
{
    RdmaTopologyRates rates;
    rates.uplinkRate = 40 * GBPS;
    const auto expect = [&rates](const std::string& text, const RdmaTopology& topology) {
        EXPECT_EQ(MakeRdmaTopology(text, rates), topology) << text;
    };
    expect("ns3::RdmaFatTree[K=4]", MakeRdmaFatTree(4, rates));
    expect("ns3::RdmaLeafSpine[Spines=2|Leaves=3|HostsPerLeaf=5]",
           MakeRdmaLeafSpine(3, 5, 2, rates));
    expect("leaf-spine:3x5x2", MakeRdmaLeafSpine(3, 5, 2, rates));
    expect("leaf-spine[Spines=2|Leaves=3|HostsPerLeaf=5]", MakeRdmaLeafSpine(3, 5, 2, rates));
    expect("ns3::RdmaClos[Tiers=2|Radix=8]", MakeRdmaClos(2, 8, {}, rates));
    expect("ns3::RdmaClos[Tiers=2|Radix=8|Ratios=none]", MakeRdmaClos(2, 8, {}, rates));
    expect("clos:3x8[Ratios=3x1]", MakeRdmaClos(3, 8, {3, 1}, rates));
    expect("ns3::RdmaDumbbell[HostsPerSide=3]", MakeRdmaDumbbell(3, rates));
    expect("ns3::RdmaStar[Hosts=3]", MakeRdmaStar(3, rates));
    expect("ns3::RdmaParkingLot[Senders=3x1]", MakeRdmaParkingLot({3, 1}, rates));
    expect("ns3::RdmaParkingLot[Senders=3]", MakeRdmaParkingLot({1, 1, 1}, rates));
    expect("ns3::RdmaRing[Switches=5]", MakeRdmaRing(5, 1, rates));
    expect("ring:5[HostsPerSwitch=2]", MakeRdmaRing(5, 2, rates));
    expect("ns3::RdmaXgft[Children=16x4x5|Parents=1x4x4]",
           MakeRdmaXgft({16, 4, 5}, {1, 4, 4}, rates));
    for (const TypeId& type : GetRdmaPartTypes(RdmaTopologyBuilder::GetTypeId()))
    {
        const std::string name = type.GetName();
        if (name != "ns3::RdmaTopologyFile" && name != "ns3::RdmaParkingLot")
        {
            MakeRdmaTopology(name).Validate(); // with its default values
        }
    }
}

TEST(RdmaTopologyBuilders, Files)
{
    // Brackets and quotes are ordinary characters of a path.
    for (const std::string name : {"t.txt", "t[1].txt", "it's]t\".txt", "a:x|b=2"})
    {
        const std::string path = testing::TempDir() + name;
        WriteRdmaTopology(MakeRdmaStar(3), path);
        const auto builder = MakeRdmaTopologyBuilder("file:" + path);
        EXPECT_TRUE(builder->HasOwnRates());
        RdmaTopologyRates rates;
        rates.hostRate = 40 * GBPS;
        EXPECT_EQ(builder->Build(rates).GetLinks(), MakeRdmaStar(3).GetLinks()) << path;
        std::remove(path.c_str());
    }
    EXPECT_THROW(MakeRdmaTopology("file:/does/not/exist"), RdmaFileError);
}

TEST(RdmaTopologyBuilders, WrongTexts)
{
    const auto expect = [](const std::string& text, const std::string& problem) {
        ExpectError<std::invalid_argument>([&] { MakeRdmaTopology(text); },
                                           {problem, "accepted: "});
    };
    const std::string forms =
        "accepted: clos:TiersxRadix[xRatios], dual-plane:UnitsxHostsPerUnitxNicsxSpines, "
        "dual-tor:UnitsxHostsPerUnitxNicsxSpines, dumbbell:HostsPerSide, fat-tree:K, file[:Path], "
        "leaf-spine:LeavesxHostsPerLeafxSpines, parking-lot[:Senders], "
        "pods:PodsxLeavesPerPodxHostsPerLeaf[xLeafRatioxSpineRatio], "
        "rail:UnitsxHostsPerUnitxNicsxSpines, ring:Switches[xHostsPerSwitch], "
        "star:Hosts, ns3::RdmaClos, ns3::RdmaDumbbell, ns3::RdmaFatTree, ns3::RdmaLeafSpine, "
        "ns3::RdmaParkingLot, ns3::RdmaPods, ns3::RdmaRail, ns3::RdmaRing, ns3::RdmaStar, "
        "ns3::RdmaTopologyFile, ns3::RdmaXgft";
    expect("", "'' is no ns3::RdmaTopologyBuilder; " + forms);
    expect("torus:4", "'torus:4' is no ns3::RdmaTopologyBuilder; " + forms);
    expect("fat-tre:4", "did you mean fat-tree?; " + forms);
    expect("ns3::RdmaTopologyBuilder", "cannot be made, it is a base class");
    expect("fat-tree", "accepted: fat-tree:K");
    expect("file", "Path ''; accepted: the path of a topology file, as in file:PATH");
    expect("file:", "Path ''; accepted: the path of a topology file, as in file:PATH");
    expect("ns3::RdmaTopologyFile", "Path ''; accepted: the path of a topology file");
    expect("fat-tree:", "K ''; accepted: 2 to 128");
    expect("fat-tree:5", "fat-tree: k: 5; accepted: an even number from 2 to 128");
    expect("fat-tree:0", "K '0'; accepted: 2 to 128");
    expect("fat-tree:130", "K '130'; accepted: 2 to 128");
    expect("fat-tree:4x4", "ns3::RdmaFatTree: K '4x4'; accepted: 2 to 128");
    expect("fat-tree:-4", "K '-4'; accepted: 2 to 128");
    expect("leaf-spine:4x16", "accepted: leaf-spine:LeavesxHostsPerLeafxSpines");
    expect("leaf-spine:4x16x", "Spines ''; accepted: 1 to 1048576");
    expect("leaf-spine:4x16x4 ", "Spines '4 '; accepted: 1 to 1048576");
    expect("leaf-spine:4X16X4", "Leaves '4X16X4'; accepted: 1 to 1048576");
    expect("leaf-spine:0x16x4", "ns3::RdmaLeafSpine: Leaves '0'; accepted: 1 to 1048576");
    expect("leaf-spine:4x0x4", "HostsPerLeaf '0'");
    expect("leaf-spine:4x16x0", "Spines '0'");
    expect("leaf-spine:1024x1024x4",
           "leaf-spine: 1049600 nodes or more; accepted: at most 1048576");
    expect("leaf-spine:4x99999999999x4", "HostsPerLeaf '99999999999'; accepted: 1 to 1048576");
    expect("dumbbell:0", "HostsPerSide '0'; accepted: 1 to 65534");
    const std::string ports = "ports; accepted: at most 65535";
    expect("leaf-spine:4x100000x4", "leaf-spine: a switch with 100004 " + ports);
    expect("leaf-spine:4x4x65535", "leaf-spine: a switch with 65539 " + ports);
    expect("leaf-spine:70000x1x1", "leaf-spine: a switch with 70000 " + ports);
    expect("parking-lot:65534x1", "parking-lot: a switch with 65536 " + ports);
    expect("ring:3x65534", "ring: a switch with 65536 " + ports);
    expect("star:65536", "Hosts '65536'; accepted: 2 to 65535");
    expect("star:1", "Hosts '1'; accepted: 2 to 65535");
    const std::string senders =
        "accepted: senders on each switch, as in 3x1 (1 or more), or a number of switches";
    expect("parking-lot", "ns3::RdmaParkingLot: Senders ''; " + senders);
    expect("parking-lot:", "ns3::RdmaParkingLot: Senders ''; " + senders);
    expect("parking-lot:1", "Senders '1'; " + senders);
    expect("parking-lot:3x0", "Senders '3x0'; " + senders);
    expect("parking-lot:3x", "Senders '3x'; " + senders);
    expect("parking-lot:1048575x1048575", "parking-lot: 1048578 nodes or more; accepted: at most");
    expect("ring:2", "ns3::RdmaRing: Switches '2'; accepted: 3 to 1048576");
    expect("ring:4x0", "HostsPerSwitch '0'; accepted: 1 to");
    expect("ring:4x1x1", "accepted: ring:Switches[xHostsPerSwitch]");
    expect("ring:1048575x1048575", "nodes or more; accepted: at most 1048576");
    expect("clos:3",
           "'clos:3' has the wrong number of values; accepted: clos:TiersxRadix[xRatios]");
    expect("clos:0x8", "Tiers '0'; accepted: 1 to 8");
    expect("clos:3x1", "Radix '1'; accepted: 2 to 1024");
    expect("clos:3x8x1", "clos: oversubscription: 1 ratios; accepted: none, or 2");
    expect("clos:2x8x", "Ratios ''; accepted: none, or a ratio for each tier below the top");
    expect("clos:2x8x1 ", "Ratios '1 '; accepted: none, or a ratio for each tier below the top");
    expect("clos:2x8x-1", "Ratios '-1'; accepted: none, or a ratio for each tier below the top");
    expect("clos:2x8x4", "4 does not divide the 8 ports");
    expect("clos:2x8x0", "0 does not divide the 8 ports");
    expect("clos:2x8x100", "100 does not divide the 8 ports");
    expect("clos:8x1024", "at most 1048576");
    expect("clos:2x7", "1 does not divide the 7 ports");
    expect("ns3::RdmaXgft[Children=4x0]", "Children '4x0'; accepted: a number for each tier");
    expect("ns3::RdmaXgft[Children=4]", "xgft: entries for parents: 2; accepted: 1 to 1");
}

TEST(RdmaTopologyBuilders, WrongNumbers)
{
    const auto expect = [](const auto& make, const std::string& problem) {
        ExpectError<std::invalid_argument>(make, {problem});
    };
    expect([] { MakeRdmaFatTree(130); }, "fat-tree: k: 130; accepted: an even number");
    expect([] { MakeRdmaLeafSpine(0, 1, 1); }, "leaf-spine: leaves: 0; accepted: 1 to");
    expect([] { MakeRdmaLeafSpine(1, 0, 1); }, "leaf-spine: hosts per leaf: 0");
    expect([] { MakeRdmaLeafSpine(1, 1, 0); }, "leaf-spine: spines: 0");
    expect([] { MakeRdmaClos(9, 8); }, "clos: tiers: 9; accepted: 1 to 8");
    expect([] { MakeRdmaClos(3, 1); }, "clos: radix: 1; accepted: 2 to 1024");
    expect([] { MakeRdmaDumbbell(0); }, "dumbbell: hosts per side: 0; accepted: 1 to");
    expect([] { MakeRdmaStar(1); }, "star: hosts: 1; accepted: 2 to");
    expect([] { MakeRdmaParkingLot({1}); }, "parking-lot: switches: 1; accepted: 2 to");
    expect([] { MakeRdmaParkingLot({3, 0}); }, "senders on a switch: 0; accepted: 1 to");
    expect([] { MakeRdmaRing(2); }, "ring: switches: 2; accepted: 3 to");
    expect([] { MakeRdmaRing(4, 0); }, "ring: hosts on a switch: 0; accepted: 1 to");
    expect([] { MakeRdmaXgft({}, {}); }, "xgft: tiers: 0; accepted: 1 to 8");
    expect([] { MakeRdmaXgft({4, 4}, {1}); }, "xgft: entries for parents: 1; accepted: 2 to 2");
    expect([] { MakeRdmaXgft({4, 0}, {1, 1}); }, "xgft: children in a tier: 0");
    expect([] { MakeRdmaXgft({4, 4}, {1, 0}); }, "xgft: parents in a tier: 0");
}

TEST(RdmaTopologyBuilders, WrongRates)
{
    RdmaTopologyRates rates;
    rates.hostRate = 0_bps;
    ExpectError<std::invalid_argument>([&] { MakeRdmaStar(2, rates); }, {"rate of 0"});
    rates = RdmaTopologyRates();
    rates.delay = 0_ps;
    ExpectError<std::invalid_argument>([&] { MakeRdmaFatTree(4, rates); }, {"delay of 0"});
}
