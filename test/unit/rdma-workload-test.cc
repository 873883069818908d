/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-expect-error.h"
#include "rdma-file-error.h"
#include "rdma-topology-builders.h"
#include "rdma-units.h"
#include "rdma-workload.h"

#include <ns3/rng-seed-manager.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <stdexcept>

using namespace ns3;

namespace
{

/// Each test starts from the same seed and run.
class RdmaWorkload : public testing::Test
{
  protected:
    void SetUp() override
    {
        RngSeedManager::SetSeed(1);
        RngSeedManager::SetRun(1);
    }

    void TearDown() override
    {
        SetUp();
    }
};

void
ExpectOrdered(const std::vector<RdmaFlow>& flows)
{
    for (std::size_t i = 0; i < flows.size(); ++i)
    {
        EXPECT_EQ(flows[i].id, i);
        EXPECT_NE(flows[i].srcHost, flows[i].dstHost);
        if (i > 0)
        {
            EXPECT_LE(flows[i - 1].start, flows[i].start);
        }
    }
}

} // namespace

TEST_F(RdmaWorkload, Poisson)
{
    RdmaWorkloadOptions options;
    options.start = 5_ms;
    options.duration = 2_s;
    options.load = 0.5;
    options.cdf = "irn-uniform";
    options.priority = 5;
    options.dstPort = 100;
    RdmaTopologyRates rates;
    rates.hostRate = 40_gbps;
    const auto topology = MakeRdmaLeafSpine(2, 4, 2, rates);
    const auto flows = MakeRdmaPoissonFlows(topology, options);
    ExpectOrdered(flows);

    double bytes = 0;
    std::map<uint32_t, double> sent;
    std::map<uint32_t, double> received;
    std::map<uint32_t, QbbPs> last;
    double gaps = 0;
    double squares = 0;
    for (const auto& flow : flows)
    {
        EXPECT_GE(flow.start, options.start);
        EXPECT_LT(flow.start, options.start + options.duration);
        EXPECT_TRUE(topology.IsHost(flow.srcHost));
        EXPECT_TRUE(topology.IsHost(flow.dstHost));
        EXPECT_EQ(flow.priority, 5u);
        EXPECT_EQ(flow.dstPort, 100u);
        bytes += static_cast<double>(flow.bytes);
        sent[flow.srcHost] += 1;
        received[flow.dstHost] += 1;
        const QbbPs before = last.count(flow.srcHost) > 0 ? last[flow.srcHost] : options.start;
        const auto gap = static_cast<double>(flow.start - before);
        last[flow.srcHost] = flow.start;
        gaps += gap;
        squares += gap * gap;
    }
    // 8 hosts of 40 Gb/s at one half for 2 s make 40 GB, which takes 14545 flows of 2.75 MB: 0.8%
    // of standard deviation in the number of flows, 0.5% more from their sizes.
    EXPECT_NEAR(bytes / 40e9, 1.0, 0.04);
    const auto n = static_cast<double>(flows.size());
    for (const uint32_t host : topology.GetHosts())
    {
        // 1818 flows for each host, standard deviation 43.
        EXPECT_NEAR(sent[host], n / 8, 4 * 43);
        EXPECT_NEAR(received[host], n / 8, 4 * 43);
    }
    // Exponential gaps: the standard deviation equals the mean.
    const double mean = gaps / n;
    EXPECT_NEAR(std::sqrt(squares / n - mean * mean) / mean, 1.0, 0.04);
}

TEST_F(RdmaWorkload, PoissonFollowsHostRates)
{
    RdmaTopology topology;
    topology.AddHost();
    topology.AddHost();
    topology.AddSwitch();
    topology.AddLink(0, 2, 30_gbps, 1_ns);
    topology.AddLink(1, 2, 5_gbps, 1_ns);
    topology.AddLink(1, 2, 5_gbps, 1_ns);
    RdmaWorkloadOptions options;
    options.duration = 1_s;
    options.cdf = "storage";
    double first = 0;
    const auto flows = MakeRdmaPoissonFlows(topology, options);
    for (const auto& flow : flows)
    {
        first += flow.srcHost == 0 ? 1 : 0;
    }
    EXPECT_NEAR(first / static_cast<double>(flows.size()), 0.75, 0.01);
}

TEST_F(RdmaWorkload, SameSeedSameFlows)
{
    const auto topology = MakeRdmaLeafSpine(2, 4, 2);
    RdmaWorkloadOptions options;
    options.jitter = 1_us;
    for (const std::string text : {"poisson", "incast:3", "permutation"})
    {
        const auto flows = MakeRdmaWorkload(text, topology, options);
        EXPECT_EQ(MakeRdmaWorkload(text, topology, options), flows) << text;
        RngSeedManager::SetRun(2);
        EXPECT_NE(MakeRdmaWorkload(text, topology, options), flows) << text;
        RngSeedManager::SetRun(1);
        options.stream += RdmaWorkloadOptions::N_STREAMS;
        EXPECT_NE(MakeRdmaWorkload(text, topology, options), flows) << text;
        options.stream -= RdmaWorkloadOptions::N_STREAMS;
        EXPECT_EQ(MakeRdmaWorkload(text, topology, options), flows) << text;
    }
}

TEST_F(RdmaWorkload, Incast)
{
    const auto topology = MakeRdmaLeafSpine(2, 8, 2);
    RdmaWorkloadOptions options;
    options.start = 1_ns;
    options.bytes = 4096;
    options.receiver = 3;
    const auto flows = MakeRdmaIncastFlows(topology, 15, options);
    ASSERT_EQ(flows.size(), 15u);
    ExpectOrdered(flows);
    for (std::size_t i = 0; i < flows.size(); ++i)
    {
        EXPECT_EQ(flows[i].srcHost, i < 3 ? i : i + 1);
        EXPECT_EQ(flows[i].dstHost, 3u);
        EXPECT_EQ(flows[i].bytes, 4096u);
        EXPECT_EQ(flows[i].start, 1_ns);
    }
}

TEST_F(RdmaWorkload, IncastChoosesAtRandom)
{
    const auto topology = MakeRdmaStar(8);
    RdmaWorkloadOptions options;
    options.jitter = 1_us;
    std::map<uint32_t, int> receivers;
    std::map<uint32_t, int> senders;
    QbbPs latest;
    const int runs = 2000;
    for (int run = 1; run <= runs; ++run)
    {
        RngSeedManager::SetRun(run);
        const auto flows = MakeRdmaIncastFlows(topology, 3, options);
        ASSERT_EQ(flows.size(), 3u);
        ExpectOrdered(flows);
        ++receivers[flows[0].dstHost];
        std::set<uint32_t> distinct;
        for (const auto& flow : flows)
        {
            EXPECT_EQ(flow.dstHost, flows[0].dstHost);
            ++senders[flow.srcHost];
            distinct.insert(flow.srcHost);
            EXPECT_GE(flow.start, 0_ps);
            EXPECT_LE(flow.start, options.jitter);
            latest = std::max(latest, flow.start);
        }
        EXPECT_EQ(distinct.size(), 3u);
    }
    EXPECT_GT(latest, 990_ns);
    for (const uint32_t host : topology.GetHosts())
    {
        // Binomial: 250 and 750 expected, standard deviations 14.8 and 21.7.
        EXPECT_NEAR(receivers[host], runs / 8, 4 * 14.8);
        EXPECT_NEAR(senders[host], 3 * runs / 8, 4 * 21.7);
    }
}

TEST_F(RdmaWorkload, Permutation)
{
    RdmaWorkloadOptions options;
    options.bytes = 77;
    options.start = 5_ps;
    const auto topology = MakeRdmaFatTree(4);
    const auto flows = MakeRdmaPermutationFlows(topology, options);
    ASSERT_EQ(flows.size(), 16u);
    ExpectOrdered(flows);
    std::set<uint32_t> sources;
    std::set<uint32_t> destinations;
    for (const auto& flow : flows)
    {
        sources.insert(flow.srcHost);
        destinations.insert(flow.dstHost);
        EXPECT_EQ(flow.bytes, 77u);
        EXPECT_EQ(flow.start, 5_ps);
    }
    EXPECT_EQ(sources.size(), 16u);
    EXPECT_EQ(destinations.size(), 16u);
    EXPECT_EQ(MakeRdmaPermutationFlows(MakeRdmaStar(2), options).size(), 2u);
}

TEST_F(RdmaWorkload, PermutationsAreEquallyLikely)
{
    // Four hosts have nine permutations without fixed points.
    const auto topology = MakeRdmaStar(4);
    std::map<std::vector<uint32_t>, int> counts;
    const int runs = 9000;
    for (int run = 1; run <= runs; ++run)
    {
        RngSeedManager::SetRun(run);
        std::vector<uint32_t> targets;
        for (const auto& flow : MakeRdmaPermutationFlows(topology, RdmaWorkloadOptions()))
        {
            targets.push_back(flow.dstHost);
        }
        ++counts[targets];
    }
    EXPECT_EQ(counts.size(), 9u);
    for (const auto& [targets, count] : counts)
    {
        EXPECT_NEAR(count, 1000, 4 * 29.8);
    }
}

TEST_F(RdmaWorkload, TextForms)
{
    const auto topology = MakeRdmaStar(4);
    RdmaWorkloadOptions options;
    EXPECT_EQ(MakeRdmaWorkload("poisson", topology, options),
              MakeRdmaPoissonFlows(topology, options));
    EXPECT_EQ(MakeRdmaWorkload("incast:3", topology, options),
              MakeRdmaIncastFlows(topology, 3, options));
    EXPECT_EQ(MakeRdmaWorkload("permutation", topology, options),
              MakeRdmaPermutationFlows(topology, options));
    const std::string path = testing::TempDir() + "rdma-workload-test.txt";
    std::ofstream(path) << "1\n0 1 3 100 1000 2\n";
    EXPECT_EQ(MakeRdmaWorkload("file:" + path, topology, options).size(), 1u);
    std::remove(path.c_str());
    EXPECT_THROW(MakeRdmaWorkload("file:" + path, topology, options), RdmaFileError);
}

TEST_F(RdmaWorkload, WrongTexts)
{
    const auto expect = [](const std::string& text, const std::vector<std::string>& parts) {
        ExpectError<std::invalid_argument>(
            [&] { MakeRdmaWorkload(text, MakeRdmaStar(4), RdmaWorkloadOptions()); },
            parts);
    };
    for (const std::string text : {"", "gossip", "poisson:1", "permutation:", "incast", "file:"})
    {
        expect(text, {"'" + text + "'", "no such form", "incast:SENDERS", "file:PATH"});
    }
    expect("incast:", {"'incast:'", "is empty"});
    expect("incast:0", {"'incast:0'", "too small"});
    expect("incast:-1", {"is negative"});
    expect("incast:3x", {"not a whole number"});
    expect("incast:4", {"senders: 4", "accepted: 1 to 3"});
}

TEST_F(RdmaWorkload, WrongOptions)
{
    const auto expect =
        [](const std::string& text, const std::string& problem, const auto& change) {
            RdmaWorkloadOptions options;
            change(options);
            ExpectError<std::invalid_argument>(
                [&] { MakeRdmaWorkload(text, MakeRdmaStar(4), options); },
                {problem, "accepted"});
        };
    expect("poisson", "start: -1 ps", [](auto& o) { o.start = -1_ps; });
    expect("poisson", "duration: 0 ps", [](auto& o) { o.duration = 0_ps; });
    expect("poisson", "duration: 2 ps", [](auto& o) {
        o.start = RDMA_MAX_TIME - 1_ps;
        o.duration = 2_ps;
    });
    expect("poisson", "load: 0", [](auto& o) { o.load = 0; });
    expect("poisson", "load: nan", [](auto& o) { o.load = std::nan(""); });
    expect("poisson", "load and duration", [](auto& o) { o.load = 1e9; });
    expect("poisson", "load and duration", [](auto& o) { o.load = 1e300; });
    expect("poisson", "'x'", [](auto& o) { o.cdf = "x"; });
    expect("poisson", "priority: 8", [](auto& o) { o.priority = 8; });
    expect("poisson", "port: 65536", [](auto& o) { o.dstPort = 65536; });
    expect("poisson", "stream: -1", [](auto& o) { o.stream = -1; });
    expect("permutation", "bytes: 0", [](auto& o) { o.bytes = 0; });
    expect("permutation", "jitter: -1 ps", [](auto& o) { o.jitter = -1_ps; });
    expect("incast:2", "receiver: 4", [](auto& o) { o.receiver = 4; });
    expect("incast:2", "receiver: -2", [](auto& o) { o.receiver = -2; });
    RdmaTopology single;
    single.AddHost();
    ExpectError<std::invalid_argument>(
        [&] { MakeRdmaWorkload("poisson", single, RdmaWorkloadOptions()); },
        {"1 hosts"});
}
