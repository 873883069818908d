/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fabric-run.h"
#include "rdma-test-fabric.h"
#include "rdma-topology-reader.h"

#include <ns3/boolean.h>
#include <ns3/config.h>
#include <ns3/test.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fstream>

/**
 * \file
 * \ingroup rdma-tests
 * Fabrics from files, and whole runs as the program rdma-fabric makes them.
 */

using namespace ns3;

namespace
{

/** A topology with the size and shape of the fat.txt that came with HPCC. */
class LargeFileTestCase : public TestCase
{
  public:
    LargeFileTestCase()
        : TestCase("a topology file of 376 nodes and 480 links loads and routes in under 1 s")
    {
    }

  private:
    static constexpr uint32_t HOSTS = 320; //!< 16 at each of 20 ToR switches
    static constexpr uint32_t TORS = 20;   //!< four in each of 5 pods
    static constexpr uint32_t AGGS = 20;   //!< aggregation switches, four in each pod
    static constexpr uint32_t CORES = 16;  //!< four per aggregation switch of a pod

    /** \return the file's text: 320 + 5 x 4 x 4 + 20 x 4 links */
    static std::string MakeText()
    {
        std::ostringstream text;
        text << HOSTS + TORS + AGGS + CORES << " " << TORS + AGGS + CORES << " 480\n";
        for (uint32_t i = 0; i < TORS + AGGS + CORES; ++i)
        {
            text << (i ? " " : "") << HOSTS + i;
        }
        text << "\n";
        for (uint32_t host = 0; host < HOSTS; ++host)
        {
            text << host << " " << HOSTS + host / 16 << " 100Gbps 1000ns 0.000000\n";
        }
        for (uint32_t tor = 0; tor < TORS; ++tor)
        {
            for (uint32_t i = 0; i < 4; ++i)
            {
                text << HOSTS + tor << " " << HOSTS + TORS + tor / 4 * 4 + i
                     << " 400Gbps 0.001ms 0\n";
            }
        }
        for (uint32_t agg = 0; agg < AGGS; ++agg)
        {
            for (uint32_t i = 0; i < 4; ++i)
            {
                text << HOSTS + TORS + agg << " " << HOSTS + TORS + AGGS + agg % 4 * 4 + i
                     << " 400Gbps 1us 0\n";
            }
        }
        return text.str();
    }

    void DoRun() override
    {
        const std::string path = CreateTempDirFilename("fat.txt");
        std::ofstream(path) << MakeText();
        const std::clock_t begin = std::clock();
        const RdmaTopology topology = ReadRdmaTopology(path);
        RdmaTestFabric test;
        test.Install(topology, {});
        const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
        NS_TEST_EXPECT_MSG_LT(seconds, 1.0, "CPU time to load, build and route");
        NS_TEST_EXPECT_MSG_EQ(topology.GetNNodes(), 376U, "nodes");
        NS_TEST_EXPECT_MSG_EQ(topology.GetNLinks(), 480U, "links");
        NS_TEST_EXPECT_MSG_EQ(topology.GetHosts().size(), HOSTS, "hosts");

        // Every switch has a route to every host, by as many ports as there are shortest paths.
        for (const uint32_t sw : topology.GetSwitches())
        {
            auto& table = test.fabric->GetSwitch(sw)->GetForwardingTable();
            for (uint32_t host = 0; host < HOSTS; ++host)
            {
                const auto* group = table.Lookup(test.fabric->GetAddress(host).Get());
                const uint32_t tor = HOSTS + host / 16;
                const uint32_t pod = host / 64;
                std::size_t ways = 1; // down, there is one way
                if (sw < HOSTS + TORS)
                {
                    ways = sw == tor ? 1 : 4;
                }
                else if (sw < HOSTS + TORS + AGGS)
                {
                    ways = (sw - HOSTS - TORS) / 4 == pod ? 1 : 4;
                }
                NS_TEST_ASSERT_MSG_EQ((group ? group->size() : 0),
                                      ways,
                                      "ways from switch " << sw << " to host " << host);
            }
        }
        for (const auto& [destination, hops] :
             std::vector<std::pair<uint32_t, std::size_t>>{{1, 2}, {16, 4}, {319, 6}})
        {
            const auto qp = test.fabric->Connect(0, destination).first;
            NS_TEST_EXPECT_MSG_EQ(test.fabric->GetPath(qp).size(), hops, "hops to " << destination);
        }
    }
};

/** Runs with several options. */
class FabricRunTestCase : public TestCase
{
  public:
    FabricRunTestCase()
        : TestCase("rdma-fabric's runs: the summary, and equal digests")
    {
    }

  private:
    /** \param options a run \return its outcome */
    static RdmaFabricOutcome RunOnce(const RdmaFabricOptions& options)
    {
        RdmaFabricRun run(options);
        run.Run();
        RdmaFabricOutcome outcome = run.GetOutcome();
        Simulator::Destroy();
        return outcome;
    }

    void DoRun() override
    {
        RdmaFabricOptions options;
        options.duration = "100us";
        options.load = 0.8;
        const RdmaFabricOutcome plain = RunOnce(options);
        NS_TEST_EXPECT_MSG_GT(plain.summary.flowsTotal, 5U, "flows");
        NS_TEST_EXPECT_MSG_EQ(plain.summary.flowsCompleted, plain.summary.flowsTotal, "completed");
        NS_TEST_EXPECT_MSG_EQ(plain.summary.drops, 0U, "drops");
        NS_TEST_EXPECT_MSG_GT(plain.summary.events, 1000U, "events");
        uint64_t bytes = 0;
        for (const auto& port : plain.ports)
        {
            bytes += port.txBytes;
        }
        uint64_t payload = 0;
        RdmaPs last{0};
        for (const auto& flow : plain.flows)
        {
            last = std::max(last, flow.flow.start + *flow.cqe);
            payload += flow.flow.bytes;
            NS_TEST_EXPECT_MSG_GT(*flow.fct, flow.ideal - 1_ps, "not faster than ideal");
        }
        NS_TEST_EXPECT_MSG_EQ(plain.summary.simTimeUs,
                              (std::floor(static_cast<double>(last) / 1e7) + 1) * 10,
                              "the multiple of 10 us after the last flow");
        // Every byte of a flow crosses at least two links, with headers, and acknowledgements come
        // back.
        NS_TEST_EXPECT_MSG_GT(bytes, 2 * payload, "bytes on all links");

        NS_TEST_EXPECT_MSG_EQ(RunOnce(options).summary.digest, plain.summary.digest, "again");
        Config::SetDefault("ns3::QbbChannel::SerializeFrames", BooleanValue(true));
        NS_TEST_EXPECT_MSG_EQ(RunOnce(options).summary.digest, plain.summary.digest, "as bytes");
        Config::SetDefault("ns3::QbbChannel::SerializeFrames", BooleanValue(false));
        options.seed = 2;
        NS_TEST_EXPECT_MSG_NE(RunOnce(options).summary.digest, plain.summary.digest, "seed");
        options.seed = 1;

        // The topology is read from a file.
        const std::string path = CreateTempDirFilename("topology.txt");
        WriteRdmaTopology(RdmaFabricRun::MakeTopology(options), path);
        RdmaFabricOptions fromFile = options;
        fromFile.topology = "file:" + path;
        NS_TEST_EXPECT_MSG_EQ(RunOnce(fromFile).summary.digest, plain.summary.digest, "file");

        // A default that the user has set holds where no option says otherwise.
        Config::SetDefault("ns3::QbbChannel::SerializeFrames", BooleanValue(true));
        RdmaFabricRun run(options);
        run.Run();
        BooleanValue serializes;
        run.GetFabric()->GetChannel(0)->GetAttribute("SerializeFrames", serializes);
        NS_TEST_EXPECT_MSG_EQ(serializes.Get(), true, "frames as bytes");
        NS_TEST_EXPECT_MSG_EQ(run.GetOutcome().summary.digest, plain.summary.digest, "as bytes");
        Simulator::Destroy();
        Config::Reset();

        RdmaFabricOptions ecn = options;
        ecn.ecn = "5KB:50KB:0.5";
        NS_TEST_EXPECT_MSG_GT(RunOnce(ecn).summary.ecnMarks, 0U, "marks");

        // A lossy fabric: frames are lost, and every flow finishes.
        RdmaFabricOptions lossy = options;
        lossy.workload = "incast:40";
        lossy.duration = "auto";
        lossy.load = RdmaFabricOptions().load;
        lossy.bytes = "500KB";
        lossy.buffer = "2MiB";
        const auto lossless = RunOnce(lossy).summary;
        NS_TEST_EXPECT_MSG_EQ(lossless.drops, 0U, "drops with PFC");
        NS_TEST_EXPECT_MSG_GT(lossless.pauseFrames, 0U, "pauses with PFC");
        lossy.pfc = "off";
        const auto off = RunOnce(lossy).summary;
        NS_TEST_EXPECT_MSG_GT(off.drops, 0U, "drops without PFC");
        NS_TEST_EXPECT_MSG_EQ(off.pauseFrames, 0U, "pauses without PFC");
        NS_TEST_EXPECT_MSG_EQ(off.flowsCompleted, 40U, "completed without PFC");
    }
};

/** The suite. */
class RdmaFabricTestSuite : public TestSuite
{
  public:
    RdmaFabricTestSuite()
        : TestSuite("rdma-fabric")
    {
        AddTestCase(new LargeFileTestCase);
        AddTestCase(new FabricRunTestCase);
    }
};

RdmaFabricTestSuite g_rdmaFabricTestSuite; //!< registers the suite

} // namespace
