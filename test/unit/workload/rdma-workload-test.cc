/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-expect-error.h"
#include "rdma-file-error.h"
#include "rdma-generated-workload.h"
#include "rdma-part-name.h"
#include "rdma-part.h"
#include "rdma-test-workload.h"
#include "rdma-time.h"
#include "rdma-topology-builders.h"
#include "rdma-workload.h"

#include <ns3/rng-seed-manager.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <stdexcept>

using namespace ns3;

namespace
{

/// A workload of this test: each host of the first half sends to a host of the second half.
class TestPairs : public RdmaGeneratedWorkload
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::RdmaTestPairs")
                                .SetParent<RdmaGeneratedWorkload>()
                                .SetGroupName("Rdma")
                                .AddConstructor<TestPairs>()
                                .AddAttribute("Bytes",
                                              "Size of each flow.",
                                              UintegerValue(1000),
                                              MakeUintegerAccessor(&TestPairs::m_bytes),
                                              MakeUintegerChecker<uint32_t>(1));
        return tid;
    }

    int64_t AssignStreams(int64_t stream) override
    {
        m_times->SetStream(stream + STREAM_TIME);
        return N_STREAMS;
    }

  protected:
    std::vector<RdmaFlow> Generate(const RdmaTopology& topology) override
    {
        const auto hosts = topology.GetHosts();
        if (hosts.size() % 2 != 0)
        {
            Refuse("with a topology of",
                   std::to_string(hosts.size()) + " hosts",
                   "an even number of hosts");
        }
        std::vector<RdmaFlow> flows;
        for (std::size_t i = 0; i < hosts.size() / 2; ++i)
        {
            const RdmaPs after(m_times->GetInteger(0, 1'000'000));
            flows.push_back(MakeFlow(hosts[i], hosts[i + hosts.size() / 2], m_bytes, after));
        }
        return flows;
    }

  private:
    uint32_t m_bytes{1000};
    Ptr<UniformRandomVariable> m_times{CreateObject<UniformRandomVariable>()};
};

NS_OBJECT_ENSURE_REGISTERED(TestPairs);

const RdmaPartName g_pairsName("test-pairs", TestPairs::GetTypeId(), "", "pairs of hosts");

} // namespace

TEST_F(RdmaWorkloads, SameSeedSameFlows)
{
    const auto topology = MakeRdmaLeafSpine(2, 4, 2);
    for (const std::string text :
         {"poisson", "incast:3[Jitter=1us]", "permutation[Jitter=1us]", "test-pairs"})
    {
        const auto flows = MakeRdmaFlows(text, topology);
        EXPECT_EQ(MakeRdmaFlows(text, topology), flows) << text;
        RngSeedManager::SetRun(2);
        EXPECT_NE(MakeRdmaFlows(text, topology), flows) << text;
        RngSeedManager::SetRun(1);
        const auto make = [&](int64_t stream) {
            const auto workload =
                RdmaPart::Parse(text, RdmaWorkload::GetTypeId()).Create<RdmaWorkload>();
            EXPECT_EQ(workload->AssignStreams(stream), 4) << text;
            return workload->MakeFlows(topology);
        };
        EXPECT_NE(make(RdmaWorkload::FIRST_STREAM + 4), flows) << text;
        EXPECT_EQ(make(RdmaWorkload::FIRST_STREAM), flows) << text;
    }
}

TEST_F(RdmaWorkloads, Incast)
{
    const auto topology = MakeRdmaLeafSpine(2, 8, 2);
    const auto flows = MakeRdmaFlows("incast:15[Start=1ns|Bytes=4096|Receiver=3]", topology);
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

TEST_F(RdmaWorkloads, IncastChoosesAtRandom)
{
    const auto topology = MakeRdmaStar(8);
    std::map<uint32_t, int> receivers;
    std::map<uint32_t, int> senders;
    RdmaPs latest;
    const int runs = 2000;
    for (int run = 1; run <= runs; ++run)
    {
        RngSeedManager::SetRun(run);
        const auto flows = MakeRdmaFlows("incast:3[Jitter=1us]", topology);
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
            EXPECT_LE(flow.start, 1_us);
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

TEST_F(RdmaWorkloads, Permutation)
{
    const auto topology = MakeRdmaFatTree(4);
    const auto flows = MakeRdmaFlows("permutation[Bytes=77|Start=5ps]", topology);
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
    EXPECT_EQ(MakeRdmaFlows("permutation", MakeRdmaStar(2)).size(), 2u);
}

TEST_F(RdmaWorkloads, PermutationsAreEquallyLikely)
{
    // Four hosts have nine permutations without fixed points.
    const auto topology = MakeRdmaStar(4);
    std::map<std::vector<uint32_t>, int> counts;
    const int runs = 9000;
    for (int run = 1; run <= runs; ++run)
    {
        RngSeedManager::SetRun(run);
        std::vector<uint32_t> targets;
        for (const auto& flow : MakeRdmaFlows("permutation", topology))
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

TEST_F(RdmaWorkloads, TextForms)
{
    const auto topology = MakeRdmaStar(4);
    for (const auto& [name, text] : std::vector<std::pair<std::string, std::string>>{
             {"poisson", "ns3::RdmaPoissonWorkload[Load=0.5|Cdf=websearch|Duration=1ms]"},
             {"incast:3", "ns3::RdmaIncastWorkload[Senders=3|Receiver=-1|Bytes=1000000]"},
             {"incast[Senders=2]", "incast:2[Jitter=0ns]"},
             {"permutation", "ns3::RdmaPermutationWorkload[Priority=3|DestinationPort=4791]"}})
    {
        EXPECT_FALSE(MakeRdmaFlows(name, topology).empty()) << name;
        EXPECT_EQ(MakeRdmaFlows(name, topology), MakeRdmaFlows(text, topology)) << name;
    }
}

TEST_F(RdmaWorkloads, Files)
{
    const auto topology = MakeRdmaStar(4);
    for (const std::string file : {"rdma-workload-test.txt", "rdma-[workload]|it's.txt"})
    {
        const std::string path = testing::TempDir() + file;
        std::ofstream(path) << "1\n0 1 3 100 1000 2\n";
        const auto flows = MakeRdmaFlows("file:" + path, topology);
        ASSERT_EQ(flows.size(), 1u) << file;
        EXPECT_EQ(flows[0].start, 2_s);
        EXPECT_EQ(MakeRdmaFlows("file[Path=\"" + path + "\"]", topology), flows) << file;
        std::remove(path.c_str());
        EXPECT_THROW(MakeRdmaFlows("file:" + path, topology), RdmaFileError);
    }
}

TEST_F(RdmaWorkloads, OneOfOnesOwn)
{
    const auto topology = MakeRdmaStar(8);
    const auto flows = MakeRdmaFlows("ns3::RdmaTestPairs[Bytes=7|Start=3us|Priority=1]", topology);
    ASSERT_EQ(flows.size(), 4u);
    ExpectOrdered(flows);
    for (const auto& flow : flows)
    {
        EXPECT_EQ(flow.dstHost, flow.srcHost + 4);
        EXPECT_EQ(flow.bytes, 7u);
        EXPECT_EQ(flow.priority, 1u);
        EXPECT_GE(flow.start, 3_us);
        EXPECT_LE(flow.start, 4_us);
    }
    ExpectError<std::invalid_argument>(
        [] { MakeRdmaFlows("test-pairs", MakeRdmaStar(3)); },
        {"ns3::RdmaTestPairs: with a topology of 3 hosts", "accepted: an even number"});
}

TEST_F(RdmaWorkloads, EachClassHasAShortName)
{
    const TypeId kind = ns3::RdmaWorkload::GetTypeId();
    const auto entries = RdmaPartName::GetAll(kind);
    EXPECT_GE(entries.size(), 4U);
    for (const TypeId& type : GetRdmaPartTypes(kind))
    {
        EXPECT_TRUE(std::any_of(entries.begin(), entries.end(), [&type](const auto& entry) {
            return entry.type == type && !entry.help.empty();
        })) << type.GetName();
    }
}

TEST_F(RdmaWorkloads, WrongTexts)
{
    const auto expect = [](const std::string& text, const std::vector<std::string>& parts) {
        ExpectError<std::invalid_argument>([&] { MakeRdmaFlows(text, MakeRdmaStar(4)); }, parts);
    };
    for (const std::string text : {"", "gossip", "none"})
    {
        expect(text,
               {"'" + text + "' is no ns3::RdmaWorkload",
                "accepted: file[:Path], incast:Senders, permutation, poisson, ",
                "ns3::RdmaIncastWorkload"});
    }
    expect("incest:4", {"'incest:4' is no ns3::RdmaWorkload", "did you mean incast?"});
    expect("ns3::RdmaFixedSizeWorkload", {"cannot be made"});
    expect("poisson:1", {"'poisson:1' has the wrong number of values", "accepted: poisson"});
    expect("permutation:", {"'permutation:' has the wrong number", "accepted: permutation"});
    expect("incast", {"'incast' has the wrong number of values", "accepted: incast:Senders"});
    expect("incast[Bytes=2]",
           {"'incast' has the wrong number of values", "accepted: incast:Senders"});
    expect("file", {"ns3::RdmaFileWorkload: Path ''", "accepted: ", "file:PATH"});
    expect("file:", {"ns3::RdmaFileWorkload: Path ''", "accepted: ", "file:PATH"});
    for (const std::string senders : {"", "0", "-1", "3x", "1048577", "three"})
    {
        const std::string first = "Senders '" + senders;
        expect("incast:" + senders, {first, "accepted: "});
    }
    expect("incast:0", {"ns3::RdmaIncastWorkload: Senders '0'; accepted: 1 to 1048576"});
    expect("incast:4", {"Senders 4", "accepted: 1 to 3 (all hosts but the receiver)"});
}

TEST_F(RdmaWorkloads, WrongAttributes)
{
    for (const auto& [text, problem] : std::vector<std::pair<std::string, std::string>>{
             {"poisson[Start=-1ps]", "Start '-1ps'; accepted: a time, 0ns to "},
             {"poisson[Duration=0s]", "Duration 0ns; accepted: 1ps to "},
             {"poisson[Start=9223372036854ns|Duration=2us]",
              "Duration 2000ns; accepted: 1ps to 775ps"},
             {"poisson[Load=0]", "Load '0'; accepted: 1e-12 to 1e+12"},
             {"poisson[Load=-1]", "Load '-1'; accepted: "},
             {"poisson[Load=nan]", "Load 'nan'; accepted: "},
             {"poisson[Load=1e300]", "Load '1e300'; accepted: "},
             {"poisson[Load=1e9]", "Load 1000000000 in Duration 1000000ns makes "},
             {"poisson[Cdf=x]", "'x': no such distribution; accepted: irn-heavy-tail"},
             {"poisson[Priority=8]", "Priority '8'; accepted: 0 to 7"},
             {"poisson[DestinationPort=65536]", "DestinationPort '65536'; accepted: 0 to 65535"},
             {"poisson[Bytes=5]", "'Bytes' is no attribute of ns3::RdmaPoissonWorkload"},
             {"permutation[Bytes=0]", "Bytes '0'; accepted: 1 to 1152921504606846976"},
             {"permutation[Jitter=-1ps]", "Jitter '-1ps'; accepted: a time, 0ns to "},
             {"permutation[Start=9223s|Jitter=1s]", "Jitter 1000000000ns; accepted: 0ns to "},
             {"incast:2[Receiver=4]", "Receiver 4; accepted: the node id of a host, or -1"},
             {"incast:2[Receiver=-2]", "Receiver '-2'; accepted: -1 to "},
             {"incast:2[Load=0.5]", "'Load' is no attribute of ns3::RdmaIncastWorkload"},
             {"file[Path=x|Start=1s]", "'Start' is no attribute of ns3::RdmaFileWorkload"}})
    {
        ExpectError<std::invalid_argument>([&text = text] { MakeRdmaFlows(text, MakeRdmaStar(4)); },
                                           {problem, "accepted"});
    }
    RdmaTopology single;
    single.AddHost();
    ExpectError<std::invalid_argument>([&] { MakeRdmaFlows("poisson", single); },
                                       {"a topology of 1 hosts; accepted: 2 or more"});
}
