/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-pause-tree.h"
#include "qbb-storm-source.h"
#include "rdma-fabric-run.h"
#include "rdma-pause-trace.h"
#include "rdma-test-fabric.h"
#include "rdma-test-units.h"

#include <ns3/config.h>
#include <ns3/nstime.h>
#include <ns3/string.h>
#include <ns3/test.h>

#include <array>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * The pause tree and the timeline trace, which show how pauses spread through a fabric.
 */

using namespace ns3;

namespace
{

/** Pause trees of storms and of an incast. */
class TreeTestCase : public TestCase
{
  public:
    TreeTestCase()
        : TestCase("the pause tree of a storm two switches away, and of an incast")
    {
    }

  private:
    void DoRun() override
    {
        for (const std::string queueing : {"OutputQueued", "InputQueued"})
        {
            // Host 0 is at switch 3 and host 1 at switch 2. Links 0, 1 and 2 make the path
            // between the hosts. Host 4, also at switch 3, sends nothing over them.
            RdmaTopology topology;
            topology.AddHost();
            topology.AddHost();
            topology.AddSwitch();
            topology.AddSwitch();
            topology.AddHost();
            for (const auto& [a, b] :
                 std::vector<std::pair<uint32_t, uint32_t>>{{0, 3}, {2, 3}, {1, 2}, {4, 3}})
            {
                topology.AddLink(a, b, 100_gbps, US);
            }
            RdmaTestFabric test;
            test.helper.SetSwitchAttribute("Queueing", StringValue(queueing));
            test.helper.SetBufferAttribute("XoffBytes", UintegerValue(50'000));
            test.Install(topology, {MakeTestFlow(0, 0, 1, 1'000'000)});
            auto storm = CreateObject<QbbStormSource>();
            storm->SetAttribute("Start", TimeValue(MicroSeconds(12)));
            storm->SetAttribute("Stop", TimeValue(MicroSeconds(50)));
            storm->Install(test.fabric->GetNic(1)->GetPort(0));
            const auto tree = CreateObject<QbbPauseTree>();
            tree->Watch(test.fabric);
            test.Run();
            NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", "flows");
            const auto pauses = tree->GetPauses();
            NS_TEST_ASSERT_MSG_GT(pauses.size(), 2U, "pauses");
            // An acknowledgement on the host's line delays the pause frame.
            const RdmaPs start = pauses[0].start;
            NS_TEST_EXPECT_MSG_EQ((start >= 12 * US && start < 12 * US + 7000_ps), true, "start");
            Check(pauses[0], {QbbPause::NONE, 0, 1, 0, 2, 1}, QbbPause::Cause::HOST, -1);
            // The pause lasts 65535 quanta at 100 Gb/s.
            NS_TEST_EXPECT_MSG_EQ(pauses[0].end, start + 335'539'200_ps, "runs out");
            NS_TEST_EXPECT_MSG_EQ(pauses[0].frames, 1U, "frames");
            Check(pauses[1], {0, 1, 2, 0, 3, 1}, QbbPause::Cause::PAUSE, 1);
            Check(pauses[2], {1, 2, 3, 0, 0, 0}, QbbPause::Cause::PAUSE, 1);
            NS_TEST_EXPECT_MSG_GT(pauses[1].causeBytes, 50'000U, "bytes");
            NS_TEST_EXPECT_MSG_GT(pauses[1].start, start + 1'105'760_ps, "after its cause");
            NS_TEST_EXPECT_MSG_GT(pauses[2].start, pauses[1].start + 1'105'760_ps, "and its");
            NS_TEST_EXPECT_MSG_GT(pauses[1].end, pauses[0].end, "ends after its cause");
            NS_TEST_EXPECT_MSG_GT(pauses[2].end, pauses[1].end, "and its");
            std::istringstream text(tree->FormatCsv());
            std::string line;
            std::getline(text, line);
            NS_TEST_EXPECT_MSG_EQ(line,
                                  "pause,parent,root,depth,start_ns,end_ns,node,node_name,port,"
                                  "port_name,peer,peer_port,priority,pause_frames,cause,"
                                  "cause_port,cause_bytes",
                                  "names");
            std::getline(text, line);
            NS_TEST_EXPECT_MSG_EQ(line.substr(0, 7), "0,,0,0,", "first line");
            NS_TEST_EXPECT_MSG_EQ(line.substr(line.find(",1,host-1,")),
                                  ",1,host-1,0,host-1 to switch-2,2,1,3,1,host,,0",
                                  "line");
            std::getline(text, line);
            NS_TEST_EXPECT_MSG_EQ(line.substr(0, 8), "1,0,0,1,", "second line");
        }
        {
            // Host 0 has 15 KB for host 2, which pauses, and 300 KB for host 3, which does not
            // pause but also receives from host 1. The pause of host 2 causes the pause of host 0.
            RdmaTestFabric test;
            test.helper.SetBufferAttribute("XoffBytes", UintegerValue(50'000));
            test.Install(MakeRdmaStar(4, MakeTestRates(100, 100, 1000)),
                         {MakeTestFlow(0, 0, 2, 15'000, 5 * US),
                          MakeTestFlow(1, 0, 3, 300'000, 5 * US),
                          MakeTestFlow(2, 1, 3, 300'000, 5 * US)});
            auto storm = CreateObject<QbbStormSource>();
            storm->SetAttribute("Stop", TimeValue(MicroSeconds(50)));
            storm->Install(test.fabric->GetNic(2)->GetPort(0));
            const auto tree = CreateObject<QbbPauseTree>();
            tree->Watch(test.fabric);
            test.Run();
            std::array<bool, 2> seen{};
            for (const QbbPause& pause : tree->GetPauses())
            {
                if (pause.node != 4 || pause.port > 1 || seen[pause.port])
                {
                    continue;
                }
                seen[pause.port] = true;
                const bool first = pause.port == 0;
                NS_TEST_EXPECT_MSG_EQ(pause.causePort, (first ? 2 : 3), "port");
                NS_TEST_EXPECT_MSG_EQ(pause.parent, (first ? 0 : QbbPause::NONE), "parent");
                NS_TEST_EXPECT_MSG_EQ((pause.causeBytes < 20'000), first, "bytes");
            }
            NS_TEST_EXPECT_MSG_EQ((seen[0] && seen[1]), true, "pauses of both senders");
        }
        {
            RdmaTestFabric test;
            test.helper.SetBufferAttribute("XoffBytes", UintegerValue(50'000));
            test.Install(MakeRdmaStar(3, MakeTestRates(100, 100, 1000)),
                         {MakeTestFlow(0, 0, 2, 300'000), MakeTestFlow(1, 1, 2, 300'000)});
            const auto tree = CreateObject<QbbPauseTree>();
            tree->Watch(test.fabric);
            test.Run();
            const auto pauses = tree->GetPauses();
            NS_TEST_ASSERT_MSG_GT(pauses.size(), 1U, "pauses");
            for (const QbbPause& pause : pauses)
            {
                NS_TEST_EXPECT_MSG_EQ(pause.parent, QbbPause::NONE, "root");
                NS_TEST_EXPECT_MSG_EQ(GetQbbPauseCauseName(pause.cause),
                                      std::string("congestion"),
                                      "cause");
                NS_TEST_EXPECT_MSG_EQ(pause.causePort, 2, "port of the receiver");
                NS_TEST_EXPECT_MSG_GT(pause.end, pause.start, "it ends");
            }
        }
    }

    /**
     * \param pause pause to check
     * \param expected parent, depth, node, port, peer and port of the peer
     * \param cause expected cause
     * \param causePort expected port of the cause
     */
    void Check(const QbbPause& pause,
               const std::array<int64_t, 6>& expected,
               QbbPause::Cause cause,
               int64_t causePort)
    {
        const std::array<int64_t, 6> actual{pause.parent,
                                            pause.depth,
                                            pause.node,
                                            pause.port,
                                            pause.peer,
                                            pause.peerPort};
        for (std::size_t i = 0; i < actual.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(actual[i], expected[i], "member " << i);
        }
        NS_TEST_EXPECT_MSG_EQ(GetQbbPauseCauseName(pause.cause),
                              std::string(GetQbbPauseCauseName(cause)),
                              "cause");
        NS_TEST_EXPECT_MSG_EQ(pause.causePort, causePort, "cause's port");
    }
};

/** The timeline trace. */
class TraceTestCase : public TestCase
{
  public:
    TraceTestCase()
        : TestCase("spans, counters and instants of the timeline; no influence on the run")
    {
    }

  private:
    /** \param file file name \return text of the file */
    static std::string Read(const std::string& file)
    {
        std::ostringstream text;
        text << std::ifstream(file).rdbuf();
        return text.str();
    }

    void DoRun() override
    {
        {
            // The times are as in rdma-watchdog: a pause frame is sent at 12 us, takes effect at
            // 13.10576 us, and lasts 335.5392 us.
            RdmaTestFabric test;
            test.Install(MakeRdmaStar(3, MakeTestRates(100, 100, 1000)), {});
            for (const uint32_t stop : {100, 300})
            {
                auto storm = CreateObject<QbbStormSource>();
                storm->SetAttribute("Start", TimeValue(MicroSeconds(12)));
                storm->SetAttribute("Stop", TimeValue(MicroSeconds(stop)));
                storm->Install(test.fabric->GetNic(stop == 100 ? 2 : 1)->GetPort(0));
            }
            const std::string path = CreateTempDirFilename("spans.json");
            auto trace = CreateObject<RdmaPauseTrace>();
            trace->SetAttribute("File", StringValue(path));
            trace->Begin(test.fabric, nullptr);
            test.Run(400 * US);
            trace->Finish();
            // Host 1 sends a second pause frame at 12 + 167.7696 us, so that its pause outlasts
            // the run.
            const std::string expected = R"({"displayTimeUnit":"ns","traceEvents":[
{"ph":"M","pid":4,"name":"process_name","args":{"name":"hub"}},
{"ph":"M","pid":4,"name":"thread_name","tid":28,"args":{"name":"port 1 to host-1 priority 3"}},
{"ph":"X","pid":4,"name":"paused","tid":28,"ts":13.105760,"dur":386.894240},
{"ph":"M","pid":4,"name":"thread_name","tid":44,"args":{"name":"port 2 to host-2 priority 3"}},
{"ph":"X","pid":4,"name":"paused","tid":44,"ts":13.105760,"dur":335.539200}
]}
)";
            NS_TEST_EXPECT_MSG_EQ(Read(path), expected, "trace");
        }
        RdmaFabricOptions options;
        options.topology = "fat-tree:4";
        options.rate = "40Gbps";
        options.uplinkRate = "40Gbps";
        options.workload = "permutation";
        options.bytes = "1MB";
        options.buffer = "2MiB";
        options.ecn = "5KB:200KB:0.5";
        options.storm = "0:50us:400us";
        options.slowReceiver = "3:20Gbps:256KB:100us:50us:200us";
        options.watchdog = "drop";
        Config::SetDefault("ns3::QbbPfcWatchdog::DetectionTime", TimeValue(MicroSeconds(200)));
        Config::SetDefault("ns3::QbbPfcWatchdog::RestorationTime", TimeValue(MicroSeconds(200)));
        Config::SetDefault("ns3::QbbPfcWatchdog::PollInterval", TimeValue(MicroSeconds(20)));
        const std::string tree = CreateTempDirFilename("tree.csv");
        const std::string trace = CreateTempDirFilename("trace.json");
        options.stop = "50ms";
        std::string digest;
        for (const bool traced : {false, true})
        {
            RdmaFabricOptions these = options;
            if (traced)
            {
                // The names have commas.
                these.instruments =
                    "pause-tree[File=" + tree + "],pause-trace[File=" + trace + "|Period=3us]";
            }
            RdmaFabricRun run(these);
            run.Run();
            const RdmaFabricOutcome outcome = run.GetOutcome();
            std::ostringstream told;
            run.PrintFailures(told);
            Simulator::Destroy();
            NS_TEST_EXPECT_MSG_EQ(outcome.summary.flowsCompleted, 16U, "flows");
            NS_TEST_EXPECT_MSG_GT(outcome.summary.drops, 10U, "drops");
            NS_TEST_EXPECT_MSG_GT(outcome.summary.ecnMarks, 10U, "marks");
            digest = traced ? digest : outcome.summary.digest;
            NS_TEST_EXPECT_MSG_EQ(outcome.summary.digest, digest, "digest");
            NS_TEST_EXPECT_MSG_NE(told.str().find("PFC watchdog: edge-0 port 0 class 3: 1 storms "
                                                  "detected, 1 restored"),
                                  std::string::npos,
                                  told.str());
            NS_TEST_EXPECT_MSG_NE(told.str().find("slow receiver: host-3"),
                                  std::string::npos,
                                  told.str());
            if (!traced)
            {
                continue;
            }
            const std::string json = Read(trace);
            for (const std::string what : {"\"paused\"",
                                           "PFC storm detected",
                                           "PFC storm restored",
                                           "priority 3 queue",
                                           "priority 3 ECN marks",
                                           "receive buffer"})
            {
                NS_TEST_EXPECT_MSG_NE(json.find(what), std::string::npos, what);
            }
            NS_TEST_EXPECT_MSG_EQ(json.substr(json.size() - 4), "\n]}\n", "its end");
            NS_TEST_EXPECT_MSG_NE(Read(tree).find("\n0,,0,0,"), std::string::npos, "CSV");
        }
    }
};

/** The suite. */
class RdmaPauseTreeTestSuite : public TestSuite
{
  public:
    RdmaPauseTreeTestSuite()
        : TestSuite("rdma-pause-tree")
    {
        AddTestCase(new TreeTestCase);
        AddTestCase(new TraceTestCase);
    }
};

RdmaPauseTreeTestSuite g_rdmaPauseTreeTestSuite; //!< registers the suite

} // namespace
