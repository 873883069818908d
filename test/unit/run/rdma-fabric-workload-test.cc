/* SPDX-License-Identifier: GPL-2.0-only */

// The options of RdmaFabricOptions that set attributes of the workload.

#include "rdma-expect-error.h"
#include "rdma-fabric-run.h"
#include "rdma-topology-builders.h"
#include "rdma-workload.h"

#include <ns3/config.h>
#include <ns3/double.h>
#include <ns3/rng-seed-manager.h>
#include <ns3/string.h>

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>

using namespace ns3;

namespace
{

/// \param options a run \return its flows
std::vector<RdmaFlow>
MakeOptionFlows(const RdmaFabricOptions& options)
{
    RngSeedManager::SetSeed(1);
    RngSeedManager::SetRun(1);
    return RdmaFabricRun::MakeFlows(options, MakeRdmaStar(8));
}

/// \param text a workload \return its flows, without options
std::vector<RdmaFlow>
MakeTextFlows(const std::string& text)
{
    RngSeedManager::SetSeed(1);
    RngSeedManager::SetRun(1);
    return MakeRdmaFlows(text, MakeRdmaStar(8));
}

} // namespace

TEST(RdmaFabricWorkload, OptionsSetAttributes)
{
    RdmaFabricOptions options;
    EXPECT_EQ(MakeOptionFlows(options), MakeTextFlows("poisson"));
    options.duration = "300us";
    options.load = 0.8;
    options.cdf = "storage";
    EXPECT_EQ(MakeOptionFlows(options),
              MakeTextFlows("poisson[Duration=300us|Load=0.8|Cdf=storage]"));
    options = RdmaFabricOptions();
    options.bytes = "2KB";
    ExpectError<std::invalid_argument>([&] { MakeOptionFlows(options); },
                                       {"--bytes means nothing with --workload=poisson"});
    options.workload = "incast:3";
    EXPECT_EQ(MakeOptionFlows(options), MakeTextFlows("incast:3[Bytes=2000]"));
    options.workload = "permutation";
    EXPECT_EQ(MakeOptionFlows(options), MakeTextFlows("permutation[Bytes=2000]"));
}

TEST(RdmaFabricWorkload, TextComesBeforeOptionsOfAPreset)
{
    RdmaFabricOptions options;
    options.workload = "incast:3[Bytes=7|Jitter=1us]";
    options.bytes = "2KB";
    ExpectError<std::invalid_argument>([&] { MakeOptionFlows(options); },
                                       {"--bytes with --workload=incast:3[Bytes=7|Jitter=1us]"});
    options.bytes = "auto";
    options.Apply("--bytes=2KB\n--load=0.3", "a preset", RdmaOptionSource::PRESET);
    EXPECT_EQ(MakeOptionFlows(options), MakeTextFlows(options.workload));
    EXPECT_EQ(MakeOptionFlows(options).front().bytes, 7U);
}

TEST(RdmaFabricWorkload, DefaultsOfAttributesCountWithoutOptions)
{
    RdmaFabricOptions options;
    const auto expected = MakeTextFlows("poisson[Load=0.9|Cdf=storage]");
    Config::SetDefault("ns3::RdmaPoissonWorkload::Load", DoubleValue(0.9));
    Config::SetDefault("ns3::RdmaPoissonWorkload::Cdf", StringValue("storage"));
    const auto flows = MakeOptionFlows(options);
    options.cdf = "websearch";
    options.load = 0.6;
    const auto others = MakeOptionFlows(options);
    Config::Reset();
    EXPECT_EQ(flows, expected);
    EXPECT_EQ(others, MakeTextFlows("poisson[Load=0.6]"));
}

TEST(RdmaFabricWorkload, Messages)
{
    const auto expect = [](const auto& change, const std::string& message) {
        RdmaFabricOptions options;
        change(options);
        ExpectError<std::invalid_argument>([&] { MakeOptionFlows(options); }, {message});
    };
    expect([](auto& o) { o.workload = "x"; },
           "--workload: 'x' is no ns3::RdmaWorkload; accepted: ");
    expect([](auto& o) { o.workload = "incast:9"; },
           "--workload: ns3::RdmaIncastWorkload: Senders 9");
    expect([](auto& o) { o.load = 0; },
           "--load: ns3::RdmaPoissonWorkload: Load '0'; accepted: 1e-12 to 1e+12");
    expect([](auto& o) { o.load = -1; },
           "--load: ns3::RdmaPoissonWorkload: Load '-1'; accepted: 1e-12 to 1e+12");
    expect([](auto& o) { o.load = std::nan(""); }, "accepted: 1e-12 to 1e+12");
    expect([](auto& o) { o.cdf = "x"; }, "--cdf: flow-size CDF 'x': no such distribution");
    expect([](auto& o) { o.duration = "1"; }, "--duration: '1' has no unit");
    expect([](auto& o) { o.duration = "0s"; }, "--duration: 0s; accepted: auto, or a time above 0");
    for (const std::string workload : {"incast:2", "permutation"})
    {
        expect([&](auto& o) { (o.workload = workload, o.bytes = "0"); },
               "Workload: Bytes '0'; accepted: 1 to ");
        expect([&](auto& o) { (o.workload = workload, o.bytes = "x"); }, "--bytes: ");
        expect([&](auto& o) { (o.workload = workload, o.cdf = "x"); }, "--cdf: ");
        expect([&](auto& o) { (o.workload = workload, o.duration = "x"); }, "--duration: ");
    }
}

TEST(RdmaFabricWorkload, AListOfFlowsCannotWait)
{
    const std::string path = testing::TempDir() + "rdma-fabric-workload-test.csv";
    std::ofstream(path) << "id,src,dst,bytes,start_ns,after\n"
                           "5,0,1,1000,0,\n"
                           "6,1,2,1000,0,5\n";
    const std::string text = "file:" + path;
    ExpectError<std::invalid_argument>([&] { MakeTextFlows(text); }, {"flow 6 waits for others"});
    RdmaFabricOptions options;
    options.workload = text;
    ExpectError<std::invalid_argument>([&] { MakeOptionFlows(options); },
                                       {"--workload: flow 6 waits for others"});
    std::filesystem::remove(path);
}
