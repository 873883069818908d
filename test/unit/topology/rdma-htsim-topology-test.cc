/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-expect-error.h"
#include "rdma-file-error.h"
#include "rdma-htsim-topology.h"
#include "rdma-text-file.h"
#include "rdma-topology-builder.h"

#include <cstdio>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/** Numbers of a tier of a .topo file; 0: the key is left out. */
struct HtsimTestTier
{
    uint32_t gbps;
    uint32_t down;
    uint32_t up;
    uint32_t ratio;
    uint32_t bundle;
};

/** A .topo file, and what htsim builds of it. */
struct HtsimTestCase
{
    const char* name;
    uint32_t nodes;
    uint32_t pod;
    std::vector<HtsimTestTier> tiers;
    std::vector<uint32_t> switches; //!< by tier
    uint32_t links;
    uint64_t paths;         //!< between hosts of two pods
    uint32_t bisectionGbps; //!< between the lower and the upper half of the hosts
};

/** The 27 topologies of uet-htsim. csg-htsim has three of them. */
const std::vector<HtsimTestCase> HTSIM_CASES = {
    {"fat_tree_1024",
     1024,
     64,
     {{100, 8, 8, 1, 0}, {100, 8, 8, 1, 1}, {100, 16, 0, 0, 1}},
     {128, 128, 64},
     3072,
     64,
     51200},
    {"fat_tree_1024_1os",
     1024,
     64,
     {{200, 8, 8, 1, 0}, {200, 8, 8, 1, 1}, {200, 16, 0, 0, 1}},
     {128, 128, 64},
     3072,
     64,
     102400},
    {"fat_tree_1024_4os",
     1024,
     64,
     {{200, 8, 2, 4, 0}, {200, 8, 8, 1, 1}, {200, 16, 0, 0, 1}},
     {128, 32, 16},
     1536,
     16,
     25600},
    {"fat_tree_1024_8os",
     1024,
     64,
     {{100, 8, 2, 4, 0}, {100, 8, 4, 2, 1}, {100, 16, 0, 0, 1}},
     {128, 32, 8},
     1408,
     8,
     6400},
    {"fat_tree_128_1os",
     128,
     16,
     {{100, 4, 4, 1, 0}, {100, 4, 4, 1, 1}, {100, 8, 0, 0, 1}},
     {32, 32, 16},
     384,
     16,
     6400},
    {"fat_tree_128_4os",
     128,
     16,
     {{100, 4, 4, 1, 0}, {100, 4, 1, 4, 1}, {100, 8, 0, 0, 1}},
     {32, 32, 4},
     288,
     4,
     1600},
    {"fat_tree_128_8os",
     128,
     16,
     {{100, 4, 1, 4, 0}, {100, 4, 2, 2, 1}, {100, 8, 0, 0, 1}},
     {32, 8, 2},
     176,
     2,
     800},
    {"fat_tree_8192_1os",
     8192,
     256,
     {{100, 16, 16, 1, 0}, {100, 16, 16, 1, 1}, {100, 32, 0, 0, 1}},
     {512, 512, 256},
     24576,
     256,
     409600},
    {"fat_tree_8192_4os",
     8192,
     256,
     {{100, 16, 4, 4, 0}, {100, 16, 16, 1, 1}, {100, 32, 0, 0, 1}},
     {512, 128, 64},
     12288,
     64,
     102400},
    {"fat_tree_8192_8os",
     8192,
     256,
     {{100, 16, 4, 4, 0}, {100, 16, 8, 2, 1}, {100, 32, 0, 0, 1}},
     {512, 128, 32},
     11264,
     32,
     51200},
    {"leaf_spine_1024",
     1024,
     1024,
     {{100, 32, 32, 0, 0}, {100, 32, 0, 0, 0}},
     {32, 32},
     2048,
     32,
     51200},
    {"leaf_spine_1024_oversub",
     1024,
     1024,
     {{100, 32, 8, 4, 0}, {100, 32, 0, 0, 0}},
     {32, 8},
     1280,
     8,
     12800},
    {"leaf_spine_1024_oversub_8-1",
     1024,
     1024,
     {{100, 32, 4, 8, 0}, {100, 32, 0, 0, 0}},
     {32, 4},
     1152,
     4,
     6400},
    {"leaf_spine_8192_100g",
     8192,
     8192,
     {{100, 64, 64, 1, 0}, {100, 128, 0, 0, 0}},
     {128, 64},
     16384,
     64,
     409600},
    {"leaf_spine_8192_100g_4_to_1",
     8192,
     8192,
     {{100, 64, 16, 4, 0}, {100, 128, 0, 0, 0}},
     {128, 16},
     10240,
     16,
     102400},
    {"leaf_spine_8192_100g_8_to_1",
     8192,
     8192,
     {{100, 64, 8, 8, 0}, {100, 128, 0, 0, 0}},
     {128, 8},
     9216,
     8,
     51200},
    {"leaf_spine_8192_200g",
     8192,
     8192,
     {{200, 64, 64, 1, 0}, {200, 128, 0, 0, 0}},
     {128, 64},
     16384,
     64,
     819200},
    {"leaf_spine_8192_200g_4_to_1",
     8192,
     8192,
     {{200, 64, 16, 4, 0}, {200, 128, 0, 0, 0}},
     {128, 16},
     10240,
     16,
     204800},
    {"leaf_spine_8192_200g_8_to_1",
     8192,
     8192,
     {{200, 64, 8, 8, 0}, {200, 128, 0, 0, 0}},
     {128, 8},
     9216,
     8,
     102400},
    {"leaf_spine_8192_400g",
     8192,
     8192,
     {{400, 64, 64, 1, 0}, {400, 128, 0, 0, 0}},
     {128, 64},
     16384,
     64,
     1638400},
    {"leaf_spine_8192_400g_4_to_1",
     8192,
     8192,
     {{400, 64, 16, 4, 0}, {400, 128, 0, 0, 0}},
     {128, 16},
     10240,
     16,
     409600},
    {"leaf_spine_8192_400g_8_to_1",
     8192,
     8192,
     {{400, 64, 8, 8, 0}, {400, 128, 0, 0, 0}},
     {128, 8},
     9216,
     8,
     204800},
    {"leaf_spine_8192_800g",
     8192,
     8192,
     {{800, 64, 64, 1, 0}, {800, 128, 0, 0, 0}},
     {128, 64},
     16384,
     64,
     3276800},
    {"leaf_spine_8192_800g_4_to_1",
     8192,
     8192,
     {{800, 64, 16, 4, 0}, {800, 128, 0, 0, 0}},
     {128, 16},
     10240,
     16,
     819200},
    {"leaf_spine_8192_800g_8_to_1",
     8192,
     8192,
     {{800, 64, 8, 8, 0}, {800, 128, 0, 0, 0}},
     {128, 8},
     9216,
     8,
     409600},
    {"leaf_spine_tiny", 32, 32, {{100, 8, 2, 4, 0}, {100, 4, 0, 0, 0}}, {4, 2}, 40, 2, 400},
    // Two links between each agg and core switch, 2 x 2 x 2 x 2 paths.
    {"test",
     8,
     4,
     {{200, 2, 2, 0, 0}, {200, 2, 4, 0, 1}, {100, 4, 0, 0, 2}},
     {4, 4, 4},
     32,
     16,
     800},
};

std::string
WriteHtsimText(const HtsimTestCase& test)
{
    std::string text = "Nodes " + std::to_string(test.nodes) + "\nTiers " +
                       std::to_string(test.tiers.size()) + "\nPodsize " + std::to_string(test.pod) +
                       "\n";
    for (std::size_t tier = 0; tier < test.tiers.size(); ++tier)
    {
        const HtsimTestTier& numbers = test.tiers[tier];
        text += "Tier " + std::to_string(tier) + "\nDownlink_Latency_ns 1000\n";
        for (const auto& [key, number] : {std::pair{"Downlink_speed_Gbps", numbers.gbps},
                                          std::pair{"Radix_Down", numbers.down},
                                          std::pair{"Radix_Up", numbers.up},
                                          std::pair{"Oversubscribed", numbers.ratio},
                                          std::pair{"Bundle", numbers.bundle}})
        {
            text += number == 0 ? "" : key + (" " + std::to_string(number)) + "\n";
        }
    }
    return text;
}

/** Shortest paths from a host. */
struct HtsimTestPaths
{
    std::vector<uint64_t> count; //!< number of paths, by node
    std::vector<RdmaPs> delay;   //!< propagation delay of one of them, by node
};

HtsimTestPaths
CountHtsimPaths(const RdmaTopology& topology, uint32_t host)
{
    std::vector<std::vector<std::pair<uint32_t, RdmaPs>>> neighbours(topology.GetNNodes());
    for (const RdmaTopologyLink& link : topology.GetLinks())
    {
        neighbours[link.a].emplace_back(link.b, link.delay);
        neighbours[link.b].emplace_back(link.a, link.delay);
    }
    HtsimTestPaths paths{std::vector<uint64_t>(topology.GetNNodes(), 0),
                         std::vector<RdmaPs>(topology.GetNNodes())};
    std::vector<uint32_t> distance(topology.GetNNodes(), UINT32_MAX);
    std::vector<uint32_t> queue{host};
    distance[host] = 0;
    paths.count[host] = 1;
    for (std::size_t i = 0; i < queue.size(); ++i)
    {
        const uint32_t node = queue[i];
        for (const auto& [next, delay] : neighbours[node])
        {
            if (distance[next] == UINT32_MAX)
            {
                distance[next] = distance[node] + 1;
                paths.delay[next] = paths.delay[node] + delay;
                queue.push_back(next);
            }
            if (distance[next] == distance[node] + 1)
            {
                paths.count[next] += paths.count[node];
            }
        }
    }
    return paths;
}

const char* const SMALL = "Nodes 8\n"
                          "Tiers 3\n"
                          "Podsize 4\n"
                          "Tier 0\n"
                          "Downlink_speed_Gbps 200\n"
                          "Downlink_Latency_ns 100\n"
                          "Radix_Down 2\n"
                          "Radix_Up 2\n"
                          "Switch_Latency_ns 11\n"
                          "Tier 1\n"
                          "Downlink_speed_Gbps 200\n"
                          "Downlink_Latency_ns 200\n"
                          "Radix_Down 2\n"
                          "Radix_Up 4\n"
                          "Switch_Latency_ns 20\n"
                          "Tier 2\n"
                          "Downlink_speed_Gbps 100\n"
                          "Downlink_Latency_ns 300\n"
                          "Radix_Down 4\n"
                          "Bundle 2\n"
                          "Switch_Latency_ns 31\n";

/** \return SMALL with one text in place of another */
std::string
ChangeSmall(const std::string& from, const std::string& to)
{
    std::string text = SMALL;
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

} // namespace

TEST(RdmaHtsimTopology, SampleTopologies)
{
    ASSERT_EQ(HTSIM_CASES.size(), 27U);
    for (const HtsimTestCase& test : HTSIM_CASES)
    {
        const RdmaTopology topology = ParseRdmaHtsimTopology(WriteHtsimText(test), test.name);
        std::map<std::string, uint32_t> switches;
        for (const uint32_t id : topology.GetSwitches())
        {
            const std::string& name = topology.GetNode(id).name;
            ++switches[name.substr(0, name.find('-'))];
        }
        EXPECT_EQ(topology.GetHosts().size(), test.nodes) << test.name;
        EXPECT_EQ(switches["tor"], test.switches[0]) << test.name;
        EXPECT_EQ(switches["agg"], test.switches[1]) << test.name;
        EXPECT_EQ(switches["core"], test.tiers.size() == 3 ? test.switches[2] : 0U) << test.name;
        EXPECT_EQ(topology.GetNLinks(), test.links) << test.name;
        const HtsimTestPaths paths = CountHtsimPaths(topology, 0);
        EXPECT_EQ(paths.count[test.nodes - 1], test.paths) << test.name;
        EXPECT_EQ(paths.count[1], 1U) << test.name;
        EXPECT_EQ(paths.delay[test.nodes - 1], test.tiers.size() * 2_us) << test.name;
        // The links of the top tier to the switches of the lower half of the hosts.
        const uint32_t firstTop = topology.GetNNodes() - test.switches.back();
        const uint32_t below = test.switches[test.tiers.size() - 2];
        uint64_t gbps = 0;
        for (const RdmaTopologyLink& link : topology.GetLinks())
        {
            const uint32_t firstBelow = firstTop - below;
            gbps += link.b >= firstTop && link.a < firstBelow + below / 2 ? link.rate / 1_gbps : 0;
        }
        EXPECT_EQ(gbps, test.bisectionGbps) << test.name;
    }
}

TEST(RdmaHtsimTopology, NumbersNodesAndLinks)
{
    const RdmaTopology topology = ParseRdmaHtsimTopology(SMALL, "t.topo");
    ASSERT_EQ(topology.GetNNodes(), 20U);
    EXPECT_EQ(topology.GetNode(7).name, "host-7");
    EXPECT_EQ(topology.GetNode(8).name, "tor-0");
    EXPECT_EQ(topology.GetNode(12).name, "agg-0");
    EXPECT_EQ(topology.GetNode(16).name, "core-0");
    const auto expect = [&topology](uint32_t id, uint32_t a, uint32_t b, uint64_t gbps, RdmaPs d) {
        EXPECT_EQ(topology.GetLink(id), (RdmaTopologyLink{a, b, gbps * 1_gbps, d, 0})) << id;
    };
    // Half of the latencies of the switches at its ends: 5.5 ns of a ToR, 10 of agg, 15.5 of core.
    expect(0, 0, 8, 200, 105'500_ps);
    expect(7, 7, 11, 200, 105'500_ps);
    expect(8, 8, 12, 200, 215'500_ps);
    expect(9, 8, 13, 200, 215'500_ps);
    expect(15, 11, 15, 200, 215'500_ps);
    // agg-0 is the first of its pod and has core-0 and core-2; agg-3 has core-1 and core-3.
    expect(16, 12, 16, 100, 325'500_ps);
    expect(17, 12, 16, 100, 325'500_ps);
    expect(18, 12, 18, 100, 325'500_ps);
    expect(28, 15, 17, 100, 325'500_ps);
    expect(31, 15, 19, 100, 325'500_ps);
}

TEST(RdmaHtsimTopology, PathsTakeTheTimeOfTheirLinksAndSwitches)
{
    const RdmaTopology topology = ParseRdmaHtsimTopology(SMALL, "t.topo");
    const HtsimTestPaths paths = CountHtsimPaths(topology, 0);
    EXPECT_EQ(paths.delay[1], (2 * 100 + 11) * 1_ns);
    EXPECT_EQ(paths.delay[2], (2 * (100 + 200) + 2 * 11 + 20) * 1_ns);
    EXPECT_EQ(paths.delay[4], (2 * (100 + 200 + 300) + 2 * 11 + 2 * 20 + 31) * 1_ns);
}

TEST(RdmaHtsimTopology, CommentsCasesAndBlanks)
{
    std::string text = "# a comment with more words\r\n\r\n";
    for (const char c : std::string(SMALL))
    {
        text += c == '\n' ? std::string(" \t# why\r\n") : std::string(1, c);
    }
    const auto nodes = text.find("Nodes");
    text.replace(nodes, 5, "nODES");
    EXPECT_EQ(ParseRdmaHtsimTopology(text, "t"), ParseRdmaHtsimTopology(SMALL, "t"));
}

TEST(RdmaHtsimTopology, IsChosenByNameOrContent)
{
    EXPECT_TRUE(IsRdmaHtsimTopology("a.topo", "3 1 2\n"));
    EXPECT_TRUE(IsRdmaHtsimTopology("a.txt", "# first\nnodes 3\n"));
    EXPECT_FALSE(IsRdmaHtsimTopology("a.txt", "3 1 2\n"));
    EXPECT_FALSE(IsRdmaHtsimTopology("topo", ""));
    const std::string path = testing::TempDir() + "small.txt";
    WriteRdmaFile(path, SMALL);
    const auto builder = MakeRdmaTopologyBuilder("file:" + path);
    EXPECT_TRUE(builder->HasOwnRates());
    EXPECT_EQ(builder->Build({}), ParseRdmaHtsimTopology(SMALL, path));
    std::remove(path.c_str());
}

TEST(RdmaHtsimTopology, Errors)
{
    const auto expect = [](const std::string& text, const std::vector<std::string>& parts) {
        ExpectError<RdmaFileError>([&] { ParseRdmaHtsimTopology(text, "t.topo"); }, parts);
    };
    const auto expectChange =
        [&](const std::string& from, const std::string& to, const std::vector<std::string>& parts) {
            expect(ChangeSmall(from, to), parts);
        };
    expect("", {"t.topo: Nodes: the key is missing; accepted: 1 to 1048576"});
    expectChange("Tiers 3\n", "", {"t.topo: Tiers: the key is missing; accepted: 2 to 3, before"});
    expectChange("Podsize 4\n", "", {"t.topo: Podsize: the key is missing"});
    expectChange("Nodes 8", "Nodes", {"t.topo:1: Nodes: 1 fields; accepted: 2: a key"});
    expectChange("Nodes 8", "Nodes 8 9", {"t.topo:1: Nodes: 3 fields"});
    expectChange("Nodes 8", "Nodes 0", {"t.topo:1: Nodes: '0' is too small; accepted: 1 to"});
    expectChange("Nodes 8", "Nodes x", {"t.topo:1: Nodes: 'x'"});
    expectChange("Tiers 3", "Tiers 4", {"t.topo:2: Tiers: '4' is too large; accepted: 2 to 3"});
    expectChange("Podsize", "Pods", {"t.topo:3: Pods: an unknown key; accepted: Nodes, Tiers, Po"});
    expectChange("Podsize 4", "Nodes 4", {"t.topo:3: Nodes: the key is in line 1 already"});
    expectChange("Podsize 4", "Podsize 3", {"line 1, Nodes: 8: not a multiple of Podsize, 3"});
    expectChange("Tier 0", "Tier 3", {"t.topo:4: Tier: '3' is too large; accepted: 0 to 2"});
    expectChange("Tier 1", "Tier 0", {"t.topo:10: Tier: 0 is in line 4 already; accepted: each"});
    expectChange("Radix_Up 2",
                 "Radix_Right 2",
                 {"t.topo:8: Radix_Right: an unknown key; accepted"});
    expectChange("Radix_Up 2", "Queue_Up 2", {"t.topo:8: Queue_Up: a limit for the queue of a p"});
    expectChange("Radix_Up 2\n", "", {"t.topo: Radix_Up: tier 0: the key is missing; accepted: 1"});
    expectChange("Downlink_Latency_ns 300",
                 "Downlink_Latency_ns 0",
                 {"t.topo:18: Downlink_Latenc"});
    expectChange("Switch_Latency_ns 31",
                 "Radix_Up 2",
                 {"line 21, Radix_Up: 2: the top tier has no"});
    expectChange("Switch_Latency_ns 31", "Oversubscribed 1", {"the top tier has no links up"});
    expectChange("Switch_Latency_ns 11", "Bundle 2", {"line 9, Bundle: 2: a host has one link"});
    expectChange("Radix_Up 2",
                 "Radix_Up 4",
                 {"line 8, Radix_Up: 4: a switch of tier 0 has 400 Gb/s down and 800 Gb/s up"});
    expectChange(
        "Switch_Latency_ns 11",
        "Oversubscribed 2",
        {"line 9, Oversubscribed: 2: a switch of tier 0 has 400 Gb/s down and 400 Gb/s up"});
    expectChange("Bundle 2",
                 "Bundle 3",
                 {"line 14, Radix_Up: 4: not a multiple of Bundle of tier"});
    expectChange(
        "Radix_Down 4",
        "Radix_Down 2",
        {"line 19, Radix_Down: 2: a core switch has Bundle links to a switch in each of the "
         "2 pods; accepted: 4"});
    const std::string tail = SMALL;
    expect(tail.substr(0, tail.find("Tier 2")), {"t.topo: Tier: tier 2 is missing"});
    expect("Nodes 4\nTiers 2\nPodsize 2\nTier 0\nDownlink_speed_Gbps 1\nDownlink_Latency_ns 1\n"
           "Radix_Down 2\nRadix_Up 2\nTier 1\nDownlink_speed_Gbps 1\nDownlink_Latency_ns 1\n"
           "Radix_Down 2\n",
           {"line 3, Podsize: 2: two tiers have one pod of all hosts; accepted: 4"});
}
