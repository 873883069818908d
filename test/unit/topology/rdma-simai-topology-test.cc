/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-expect-error.h"
#include "rdma-file-error.h"
#include "rdma-simai-topology.h"
#include "rdma-text-file.h"
#include "rdma-topology-builders.h"
#include "rdma-topology-reader.h"

#include <algorithm>
#include <cstdio>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <tuple>
#include <vector>

using namespace ns3;

namespace
{

/// A shape of SimAI's gen_Topo_Template.py (cef83f9, 2026-08-14).
struct SimaiShape
{
    const char* name;      //!< how the program names the shape
    uint32_t gpus;         //!< option gpu
    uint32_t gpusOfServer; //!< option gpu_per_server
    uint32_t nicsOfLeaf;   //!< option nics_per_aswitch
    uint32_t spines;       //!< option psw_switch_num
    bool hasRails;         //!< GPU k of a server is on leaf k of its segment
    uint32_t leavesOfGpu;  //!< 2: dual ToR
    uint32_t planes;       //!< 2: each of the two leaves of a GPU has its own half of the spines
    const char* rate;      //!< option bandwidth
};

/**
 * The file that the program writes for a shape, by its rules:
 *
 * - Ids: GPUs, one NVSwitch for each server, leaves (with dual ToR the first leaf of all GPUs, then
 *   the second), spines.
 * - A segment has as many leaves as a server has GPUs with rails, otherwise one; twice as many with
 *   dual ToR. With rails it holds nicsOfLeaf servers, otherwise nicsOfLeaf GPUs.
 * - For each GPU the link to its NVSwitch and those to its leaves, then all links from leaves up.
 * - Links have 2880 Gb/s and 25 ns to an NVSwitch, 500 ns otherwise; 400 Gb/s between switches.
 */
std::string
WriteSimaiFile(const SimaiShape& shape)
{
    const uint32_t servers = shape.gpus / shape.gpusOfServer;
    const uint32_t rails = shape.hasRails ? shape.gpusOfServer : 1;
    const uint32_t gpusOfSegment = shape.nicsOfLeaf * rails;
    const uint32_t leavesOfSide = shape.gpus / gpusOfSegment * rails;
    const uint32_t leaves = leavesOfSide * shape.leavesOfGpu;
    const uint32_t firstLeaf = shape.gpus + servers;
    const uint32_t firstSpine = firstLeaf + leaves;
    const uint32_t nodes = firstSpine + shape.spines;
    const auto line = [](uint32_t a, uint32_t b, const std::string& rest) {
        return std::to_string(a) + " " + std::to_string(b) + " " + rest + " 0\n";
    };
    std::string links;
    for (uint32_t gpu = 0; gpu < shape.gpus; ++gpu)
    {
        links += line(gpu, shape.gpus + gpu / shape.gpusOfServer, "2880Gbps 0.000025ms");
        const uint32_t leaf = gpu / gpusOfSegment * rails + (shape.hasRails ? gpu % rails : 0);
        for (uint32_t side = 0; side < shape.leavesOfGpu; ++side)
        {
            links += line(gpu,
                          firstLeaf + side * leavesOfSide + leaf,
                          std::string(shape.rate) + " 0.0005ms");
        }
    }
    for (uint32_t leaf = 0; leaf < leaves; ++leaf)
    {
        for (uint32_t spine = 0; spine < shape.spines; ++spine)
        {
            if (spine * shape.planes / shape.spines == leaf / leavesOfSide * (shape.planes - 1))
            {
                links += line(firstLeaf + leaf, firstSpine + spine, "400Gbps 0.0005ms");
            }
        }
    }
    std::string text = std::to_string(nodes) + " " + std::to_string(shape.gpusOfServer) + " " +
                       std::to_string(servers) + " " + std::to_string(leaves + shape.spines) + " " +
                       std::to_string(std::count(links.begin(), links.end(), '\n')) + " H100\n";
    for (uint32_t id = shape.gpus; id < nodes; ++id)
    {
        text += std::to_string(id) + " ";
    }
    return text + "\n" + links;
}

/// Links as they are counted: names of the ends, rate and delay.
using NamedLinks = std::multiset<std::tuple<std::string, std::string, uint64_t, int64_t>>;

NamedLinks
GetNamedLinks(const RdmaTopology& topology)
{
    NamedLinks links;
    for (const RdmaTopologyLink& link : topology.GetLinks())
    {
        links.emplace(topology.GetNode(link.a).name,
                      topology.GetNode(link.b).name,
                      link.rate.Get(),
                      link.delay.Get());
    }
    return links;
}

// Sixteen GPUs in four servers, two segments.
const SimaiShape SPECTRUM_X{"Spectrum-X", 16, 4, 2, 3, true, 1, 1, "400Gbps"};
const SimaiShape HPN_SINGLE{"HPN, one plane", 16, 4, 2, 4, true, 2, 1, "200Gbps"};
const SimaiShape HPN_DUAL{"HPN, two planes", 16, 4, 2, 4, true, 2, 2, "200Gbps"};
const SimaiShape DCN_SINGLE{"DCN+, single ToR", 16, 4, 8, 3, false, 1, 1, "400Gbps"};
const SimaiShape DCN_DUAL{"DCN+, dual ToR", 16, 4, 8, 3, false, 2, 1, "200Gbps"};

} // namespace

/*
 * G GPUs in servers of g, A leaves in all, P spines, L leaves of a GPU, D planes:
 *
 *     nodes  G + G / g + A + P
 *     links  G (NVSwitches) + G x L + A x P / D
 */
TEST(RdmaSimaiTopology, NodesLinksRatesAndLatenciesOfTheFiveShapes)
{
    struct Case
    {
        SimaiShape shape;
        uint32_t nodes, links, switches;
    };

    for (const auto& [shape, nodes, links, switches] :
         {Case{SPECTRUM_X, 16 + 4 + 8 + 3, 16 + 16 + 8 * 3, 8 + 3},
          Case{HPN_SINGLE, 16 + 4 + 16 + 4, 16 + 32 + 16 * 4, 16 + 4},
          Case{HPN_DUAL, 16 + 4 + 16 + 4, 16 + 32 + 16 * 2, 16 + 4},
          Case{DCN_SINGLE, 16 + 4 + 2 + 3, 16 + 16 + 2 * 3, 2 + 3},
          Case{DCN_DUAL, 16 + 4 + 4 + 3, 16 + 32 + 4 * 3, 4 + 3}})
    {
        SCOPED_TRACE(shape.name);
        const std::string text = WriteSimaiFile(shape);
        ASSERT_TRUE(IsRdmaSimaiTopology(text));
        const RdmaSimaiTopology simai = ParseRdmaSimaiTopology(text, "t");
        const RdmaTopology& topology = simai.topology;
        EXPECT_EQ(simai.gpusPerServer, 4u);
        EXPECT_EQ(simai.nvSwitches, 4u);
        EXPECT_EQ(simai.gpuType, "H100");
        EXPECT_EQ(topology.GetHosts().size(), 4u);
        EXPECT_EQ(topology.GetNics().size(), 16u);
        EXPECT_EQ(topology.GetSwitches().size(), switches);
        EXPECT_EQ(topology.GetNNodes() + simai.nvSwitches, nodes);
        EXPECT_EQ(topology.GetNLinks() + simai.nvLinks.size(), links);
        ASSERT_EQ(simai.nvLinks.size(), 16u);
        for (const RdmaTopologyLink& link : simai.nvLinks)
        {
            EXPECT_EQ(topology.GetNode(link.a).host, link.b); // one NVSwitch for each server
            EXPECT_EQ(link.rate, 2880_gbps);
            EXPECT_EQ(link.delay, 25_ns);
        }
        for (const RdmaTopologyLink& link : topology.GetLinks())
        {
            EXPECT_EQ(link.delay, 500_ns);
            const bool isDual = shape.leavesOfGpu == 2;
            EXPECT_EQ(link.rate, topology.IsNic(link.a) && isDual ? 200_gbps : 400_gbps);
        }
        for (const uint32_t nic : topology.GetNics())
        {
            EXPECT_EQ(topology.GetNode(nic).bonded, shape.leavesOfGpu == 2);
        }
    }
}

/*
 * The same shapes by the builders of the module. Names of switches are the ids of the file; leaf
 * and spine i of the file follow 16 GPUs and 4 NVSwitches.
 */
TEST(RdmaSimaiTopology, ShapesAreThoseOfTheBuilders)
{
    struct Case
    {
        SimaiShape shape;
        std::string form;
    };

    for (const Case& c : {Case{SPECTRUM_X, "rail:2x2x4x3"},
                          Case{HPN_SINGLE, "dual-tor:2x2x4x4"},
                          Case{HPN_DUAL, "dual-plane:2x2x4x2"},
                          Case{DCN_SINGLE, "rail:2x2x4x3[Rails=1]"},
                          Case{DCN_DUAL, "dual-tor:2x2x4x3[Rails=1]"}})
    {
        SCOPED_TRACE(c.shape.name);
        RdmaTopologyRates rates;
        rates.hostRate = c.shape.leavesOfGpu == 2 ? 200_gbps : 400_gbps;
        rates.uplinkRate = 400_gbps;
        rates.delay = 500_ns;
        const RdmaTopology built = MakeRdmaTopology(c.form, rates);
        // The same topology with the names of the file.
        const bool isPair = c.shape.leavesOfGpu == 2 && c.shape.planes == 1;
        uint32_t leaves = 0;
        for (const RdmaTopologyNode& node : built.GetNodes())
        {
            leaves += node.name.find("leaf") != std::string::npos ? 1 : 0;
        }
        RdmaTopology named;
        for (uint32_t server = 0; server < 4; ++server)
        {
            named.AddHost();
        }
        for (uint32_t nic = 4; nic < 16; ++nic)
        {
            named.AddNic(nic % 4);
        }
        for (uint32_t i = 0; i < built.GetSwitches().size(); ++i)
        {
            // The file has the first leaves of all pairs, then the second ones.
            const uint32_t place = isPair && i < leaves ? i % 2 * leaves / 2 + i / 2 : i;
            named.AddSwitch("switch-" + std::to_string(20 + place));
        }
        EXPECT_EQ(GetNamedLinks(ParseRdmaSimaiTopology(WriteSimaiFile(c.shape), "t").topology),
                  GetNamedLinks(named.WithLinks(built.GetLinks())));
    }
}

TEST(RdmaSimaiTopology, GpusAreNicsOfTheirServers)
{
    // GPU 6 is GPU 2 of server 1, so NIC 2 of host 1: 2 x 4 + 1 = 9. Its leaf is 2 of segment 0.
    const RdmaTopology topology = ParseRdmaSimaiTopology(WriteSimaiFile(HPN_DUAL), "t").topology;
    EXPECT_EQ(topology.GetNode(9).name, "host-1-nic-2");
    EXPECT_EQ(topology.GetNics(1), (std::vector<uint32_t>{1, 5, 9, 13}));
    std::vector<std::string> peers;
    const auto links = topology.GetLinksByNode();
    for (const uint32_t id : links[9])
    {
        peers.push_back(topology.GetNode(topology.GetLink(id).b).name);
    }
    EXPECT_EQ(peers, (std::vector<std::string>{"switch-22", "switch-30"}));
}

TEST(RdmaSimaiTopology, FilesAreKnownByTheirFirstLine)
{
    EXPECT_TRUE(IsRdmaSimaiTopology("\n3 2 0 1 2 A100\n"));
    EXPECT_FALSE(IsRdmaSimaiTopology(""));
    EXPECT_FALSE(IsRdmaSimaiTopology("3 1 2\n"));
    EXPECT_FALSE(IsRdmaSimaiTopology("3 1 1 2 25000000000 100000000000\n"));
    EXPECT_FALSE(IsRdmaSimaiTopology("3 2 0 1 2 A100 8\n"));
    const std::string path = testing::TempDir() + "rdma-simai-topology-test.txt";
    WriteRdmaFile(path, WriteSimaiFile(DCN_DUAL));
    testing::internal::CaptureStderr();
    const RdmaTopology topology = MakeRdmaTopology("file:" + path);
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "rdma: note: " + path +
                  ": 4 NVSwitches with 16 links to GPUs left out (the first: 2880Gbps, 25ns); "
                  "traffic between GPUs of a server does not enter the fabric\n");
    std::remove(path.c_str());
    EXPECT_EQ(topology, ParseRdmaSimaiTopology(WriteSimaiFile(DCN_DUAL), "t").topology);
}

TEST(RdmaSimaiTopology, Errors)
{
    const auto expect = [](const std::string& text, const std::vector<std::string>& parts) {
        ExpectError<RdmaFileError>([&] { ParseRdmaSimaiTopology(text, "t"); }, parts);
    };
    // Two servers of two GPUs (0 to 3), NVSwitches 4 and 5, switch 6.
    const std::string head = "7 2 2 1 8 H100\n4 5 6\n";
    const std::string nv = "0 4 1Tbps 1ns 0\n1 4 1Tbps 1ns 0\n2 5 1Tbps 1ns 0\n";
    const std::string net = "0 6 1Gbps 1us 0\n1 6 1Gbps 1us 0\n2 6 1Gbps 1us 0\n";
    const std::string last = "3 5 1Tbps 1ns 0\n3 6 1Gbps 1us 0\n";
    EXPECT_EQ(ParseRdmaSimaiTopology(head + nv + net + last, "t").topology.GetNLinks(), 4u);
    expect("", {"t: nodes gpus-per-server nvswitches switches links gpu-type: the file ends"});
    expect("7 2 2 1 8\n", {"t:1: 5 fields", "accepted: 6: nodes gpus-per-server"});
    expect("7 3 2 1 8 H100\n",
           {"t:1: gpus-per-server: 3 with 4 GPUs", "accepted: a number that divides"});
    expect("7 0 2 1 8 H100\n", {"t:1: gpus-per-server: '0' is too small"});
    expect("7 2 7 1 8 H100\n", {"t:1: nvswitches: '7' is too large", "accepted: 0 to 6"});
    expect("7 2 2 5 8 H100\n", {"t:1: switches: '5' is too large", "accepted: 0 to 4"});
    expect("7 2 2 1 8 H100\n4 5\n", {"t:2: switch ids: 2 ids", "accepted: 3"});
    expect("7 2 2 1 8 H100\n4 5 5\n", {"t:2: switch id: 5 appears twice"});
    expect(
        "7 2 2 1 8 H100\n4 5 3\n",
        {"t:2: switch id: 3 is an id of a GPU", "accepted: 4 to 6, because GPUs have the lowest"});
    expect(head + nv + net + "3 5 1Tbps 1ns 0\n", {"t: link 8 of 8: the file ends"});
    expect(
        head + nv + net + "3 4 1Tbps 1ns 0\n3 6 1Gbps 1us 0\n",
        {"t: link 3 4: NVSwitch 4 joins GPUs of the servers 0 and 1; accepted: NVSwitches of one "
         "server each"});
    expect(
        head + nv + net + "6 5 1Tbps 1ns 0\n3 6 1Gbps 1us 0\n",
        {"t: link 6 5: an NVSwitch has a link to no GPU; accepted: NVSwitches are linked to GPUs"});
    expect(head + nv + net + "4 5 1Tbps 1ns 0\n3 6 1Gbps 1us 0\n",
           {"t: link 4 5: an NVSwitch has"});
    expect(head + nv + net + "3 2 1Tbps 1ns 0\n3 6 1Gbps 1us 0\n",
           {"t: link 3 2: joins two GPUs of server 1; accepted: GPUs of one server are linked by"});
    expect(head + nv + net + "3 5 1Tbps 1ns 0\n3 5 1Tbps 1ns 0\n",
           {"t: topology: NIC 3", "no link"});
    expect(head + nv + net + "3 5 1Tbps 1ns 0\n3 7 1Gbps 1us 0\n",
           {"t:10: node: '7' is too large"});
    // The reader of the HPCC simulator's format names the other function.
    ExpectError<RdmaFileError>([&] { ParseRdmaTopology(head, "t"); },
                               {"t:1: nodes gpus-per-server nvswitches switches links gpu-type, "
                                "SimAI's format, which ParseRdmaSimaiTopology() and "
                                "--topology=file:PATH read; accepted: 3: nodes switches links"});
}
