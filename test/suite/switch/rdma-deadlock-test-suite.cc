/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-deadlock-check.h"
#include "qbb-pfc-watchdog.h"
#include "rdma-fabric-deadlock.h"
#include "rdma-fabric-run.h"
#include "rdma-test-deadlock.h"
#include "rdma-test-verbs.h"

#include <ns3/config.h>
#include <ns3/string.h>
#include <ns3/test.h>

#include <set>

/**
 * \file
 * \ingroup rdma-tests
 * Deadlocks of PFC: they happen, the detector finds and names them, and reports nothing else.
 */

using namespace ns3;

namespace
{

/** A ring whose flows take two links (shared buffer) or three links (input queues). */
class RingTestCase : public TestCase
{
  public:
    /**
     * \param flowControl kind of flow control
     * \param architecture of the switches
     */
    RingTestCase(const std::string& flowControl, RdmaTestArchitecture architecture)
        : TestCase("a ring of switches with " + GetTestArchitectureName(architecture) +
                   " deadlocks, with flow control " + flowControl),
          m_flowControl(flowControl),
          m_architecture(architecture)
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestWatched test;
        test.helper.SetDeviceAttribute("FlowControl", StringValue(m_flowControl));
        const bool isShared = m_architecture == RdmaTestArchitecture::SHARED;
        SetTestArchitecture(test.helper, m_architecture, isShared ? 2'000'000 : 200'000);
        // The round robin over inputs gives the frames from the ring half of each link, which
        // prevents a deadlock of flows over two links. Flows over three links deadlock.
        const uint32_t switches = isShared ? 5 : 7;
        test.InstallAndWatch(MakeRdmaRing(switches, 1, MakeTestRates(100, 100, 1000)),
                             MakeTestRingFlows(switches, isShared ? 2 : 3, 20'000'000));
        NS_TEST_EXPECT_MSG_EQ(CheckQbbDeadlock(*test.fabric->GetRouting()).IsDeadlockFree(),
                              false,
                              "the check says so before");
        std::string wrong = "never found";
        uint64_t sent = 0;
        uint32_t context = 0;
        test.detector->TraceConnectWithoutContext(
            "Deadlock",
            Callback<void, const QbbDeadlock&>([&](const QbbDeadlock& deadlock) {
                wrong = test.Examine(deadlock);
                sent = test.CountSent(deadlock);
                context = Simulator::GetContext();
            }));
        test.Run(20_ms);
        NS_TEST_ASSERT_MSG_EQ(wrong, "", "the cycle");
        NS_TEST_EXPECT_MSG_EQ(context, Simulator::NO_CONTEXT, "found by an event without a node");
        NS_TEST_ASSERT_MSG_EQ(test.found.size(), 1U, "one report");
        if (test.found.empty())
        {
            return; // the test runner goes on after a failure
        }
        const QbbDeadlock& deadlock = test.found.front();
        std::set<uint32_t> nodes;
        for (const QbbBufferPoint& point : deadlock.cycle)
        {
            nodes.insert(point.node);
        }
        NS_TEST_EXPECT_MSG_EQ(nodes.size(), switches, "all switches of the ring");
        NS_TEST_EXPECT_MSG_LT(deadlock.at, 5_ms, "soon");
        NS_TEST_EXPECT_MSG_EQ(test.CountSent(deadlock), sent, "nothing moves after it was found");
        NS_TEST_EXPECT_MSG_EQ(test.runner->GetNEnded(), 0U, "no flow finishes");
        const auto now = test.detector->Find();
        NS_TEST_ASSERT_MSG_EQ(now.has_value(), true, "it is still there");
        NS_TEST_EXPECT_MSG_EQ((now->cycle == deadlock.cycle), true, "the same");
        ExplainRdmaDeadlock(test.results, *test.runner, *test.fabric, *now);
        for (const auto& result : test.results)
        {
            NS_TEST_EXPECT_MSG_EQ((result.status.find("; deadlock: ring-") != std::string::npos),
                                  true,
                                  "flow " << result.flow.id << ": " << result.status);
        }
    }

    std::string m_flowControl;
    RdmaTestArchitecture m_architecture;
};

/** A link failure, which always ends a deadlock. */
class CutTestCase : public TestCase
{
  public:
    CutTestCase()
        : TestCase("a link that fails ends a deadlock; flows finish, nothing stays paused")
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestWatched test;
        test.helper.SetBufferAttribute("BufferSize", UintegerValue(2'000'000));
        test.SetRetries(1_ms, 1000);
        test.InstallAndWatch(MakeRdmaRing(5, 1, MakeTestRates(100, 100, 1000)),
                             MakeTestRingFlows(5, 2, 4'000'000));
        RdmaTestPair::At(5_ms, [&]() {
            NS_TEST_EXPECT_MSG_EQ(test.detector->GetDeadlock().has_value(), true, "deadlock");
            test.fabric->SetLinkUp(5, false); // the ring becomes a chain
        });
        test.Run();
        NS_TEST_EXPECT_MSG_EQ(test.found.size(), 1U, "one deadlock");
        NS_TEST_EXPECT_MSG_EQ(test.ended, 1U, "and its end");
        NS_TEST_EXPECT_MSG_EQ(test.detector->GetDeadlock().has_value(), false, "it is gone");
        NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", "flows");
        NS_TEST_EXPECT_MSG_EQ(RdmaTestBooks::CheckRest(*test.fabric), "", "after the run");
    }
};

/** Watchdogs against a deadlock. */
class WatchdogTestCase : public TestCase
{
  public:
    /** \param action attribute Action of the watchdogs */
    explicit WatchdogTestCase(const std::string& action)
        : TestCase("watchdogs with action " + action + " break a deadlock; flows finish"),
          m_action(action)
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestWatched test;
        test.helper.SetBufferAttribute("BufferSize", UintegerValue(2'000'000));
        test.SetRetries(1_ms, 100'000);
        test.InstallAndWatch(MakeRdmaRing(5, 1, MakeTestRates(100, 100, 1000)),
                             MakeTestRingFlows(5, 2, 2'000'000));
        uint64_t storms = 0;
        for (const auto& sw : test.fabric->GetRouting()->GetSwitches())
        {
            const auto watchdog = CreateObject<QbbPfcWatchdog>();
            watchdog->SetAttribute("DetectionTime", TimeValue(MilliSeconds(1)));
            watchdog->SetAttribute("RestorationTime", TimeValue(MilliSeconds(1)));
            watchdog->SetAttribute("PollInterval", TimeValue(MicroSeconds(500)));
            watchdog->SetAttribute("Action", StringValue(m_action));
            watchdog->TraceConnectWithoutContext(
                "StormDetected",
                Callback<void, uint32_t, uint8_t>([&](uint32_t, uint8_t) { ++storms; }));
            watchdog->Watch(sw);
        }
        test.Run();
        NS_TEST_EXPECT_MSG_GT(test.found.size(), 0U, "deadlocks");
        NS_TEST_EXPECT_MSG_EQ(test.ended, test.found.size(), "each ends");
        NS_TEST_EXPECT_MSG_GT(storms, 0U, "by a watchdog");
        NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", "flows");
        NS_TEST_EXPECT_MSG_GT(test.fabric->GetTotals().drops, 0U, "at a price");
        NS_TEST_EXPECT_MSG_EQ(RdmaTestBooks::CheckRest(*test.fabric), "", "after the run");
    }

    std::string m_action;
};

/** Congestion that is no deadlock, however long it lasts. */
class NoAlarmTestCase : public TestCase
{
  public:
    NoAlarmTestCase()
        : TestCase("a long incast and a ring with a way out are no deadlocks")
    {
    }

  private:
    void DoRun() override
    {
        {
            RdmaTestWatched test;
            test.helper.SetBufferAttribute("BufferSize", UintegerValue(2'000'000));
            auto flows = MakeTestIncast(12, 15, 1'000'000);
            test.InstallAndWatch(MakeRdmaFatTree(4, MakeTestRates(100, 100, 1000)), flows);
            test.detector->SetAttribute("Period", TimeValue(MicroSeconds(5)));
            test.Run();
            NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", "flows");
            NS_TEST_EXPECT_MSG_GT(test.fabric->GetTotals().pauseFrames, 100U, "pauses");
            NS_TEST_EXPECT_MSG_EQ(test.found.size(), 0U, "no deadlock in a fat-tree");
        }
        // Each flow takes one link of the ring: the links form a circle, but the dependencies do
        // not.
        RdmaTestWatched test;
        test.helper.SetBufferAttribute("BufferSize", UintegerValue(2'000'000));
        std::vector<RdmaFlow> flows;
        for (uint32_t i = 0; i < 10; ++i)
        {
            flows.push_back(MakeTestFlow(i, i, (i / 2 * 2 + 2) % 10, 2'000'000));
        }
        test.InstallAndWatch(MakeRdmaRing(5, 2, MakeTestRates(100, 400, 1000)), flows);
        test.detector->SetAttribute("Period", TimeValue(MicroSeconds(5)));
        test.Run();
        NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", "flows");
        NS_TEST_EXPECT_MSG_GT(test.fabric->GetTotals().pauseFrames, 10U, "pauses");
        NS_TEST_EXPECT_MSG_EQ(test.found.size(), 0U, "no deadlock between neighbours");
    }
};

/** A deadlock in a run with the options of the command line. */
class DeadlockRunTestCase : public TestCase
{
  public:
    DeadlockRunTestCase()
        : TestCase("rdma-fabric: routes are checked, flows that are stuck name the deadlock")
    {
    }

  private:
    void DoRun() override
    {
        RdmaFabricOptions options;
        options.topology = "ring:5";
        options.rate = options.uplinkRate = "100Gbps";
        options.buffer = "2MB";
        options.stop = "5ms";
        const auto flows = MakeTestRingFlows(5, 2, 5'000'000);
        {
            RdmaFabricRun run(options, flows);
            NS_TEST_EXPECT_MSG_EQ(run.GetDeadlockCheck().cycle.size(), 5U, "foreseen");
            run.Run();
            NS_TEST_EXPECT_MSG_EQ(run.GetDeadlockDetector()->GetNDeadlocks(), 1U, "found");
            for (const auto& result : run.GetOutcome().flows)
            {
                NS_TEST_EXPECT_MSG_EQ(
                    (result.status.find("; deadlock: ring-") != std::string::npos),
                    true,
                    "flow " << result.flow.id << ": " << result.status);
            }
            Simulator::Destroy();
        }
        Config::SetDefault("ns3::QbbRouting::Algorithm", StringValue("UpDown"));
        RdmaFabricRun run(options, flows);
        Config::SetDefault("ns3::QbbRouting::Algorithm", StringValue("ShortestPath"));
        NS_TEST_EXPECT_MSG_EQ(run.GetDeadlockCheck().IsDeadlockFree(), true, "up, then down");
        run.Run();
        NS_TEST_EXPECT_MSG_EQ(run.GetOutcome().summary.flowsCompleted, 5U, "flows");
        Simulator::Destroy();
    }
};

/**
 * Four leaves, of which two have lost the links to different spines. The cycle would resume if two
 * hosts stopped, whose acknowledgements are stuck and which send the same packets without end.
 */
class StandstillTestCase : public TestCase
{
  public:
    StandstillTestCase()
        : TestCase("a cycle that stands still while hosts only repeat is named")
    {
    }

  private:
    /** \param standstill time after which the detector names the cycle \param [out] test the run */
    static void Run(RdmaPs standstill, RdmaTestWatched& test)
    {
        constexpr uint32_t LEAVES = 4;
        constexpr uint32_t HOSTS = 4; // number of hosts per leaf
        test.helper.SetBufferAttribute("BufferSize", UintegerValue(2'000'000));
        test.SetRetries(1_ms, UINT32_MAX);
        std::vector<RdmaFlow> flows;
        for (uint32_t host = 0; host < HOSTS; ++host)
        {
            for (const auto& [from, to] :
                 {std::pair(0, 1), std::pair(1, 0), std::pair(2, 3), std::pair(3, 2)})
            {
                for (const uint32_t next : {host, (host + 1) % HOSTS})
                {
                    flows.push_back(MakeTestFlow(flows.size(),
                                                 HOSTS * from + host,
                                                 HOSTS * to + next,
                                                 20'000'000,
                                                 1_us));
                }
            }
        }
        test.InstallAndWatch(MakeRdmaLeafSpine(LEAVES, HOSTS, 2, MakeTestRates(100, 100, 1000)),
                             flows);
        test.detector->SetAttribute("StandstillTime", TimeValue(RdmaToTime(standstill)));
        // The links to hosts come first, followed by one link from each leaf to each spine.
        test.fabric->SetLinkUp(LEAVES * HOSTS + 0, false);
        test.fabric->SetLinkUp(LEAVES * HOSTS + 3, false);
        test.Run(12_ms);
    }

    void DoRun() override
    {
        {
            RdmaTestWatched patient;
            Run(1_s, patient);
            NS_TEST_EXPECT_MSG_EQ(patient.found.size(), 0U, "the switches alone prove nothing");
            NS_TEST_EXPECT_MSG_EQ(patient.runner->GetNEnded(), 0U, "no flow finishes");
        }
        RdmaTestWatched test;
        Run(5_ms, test);
        NS_TEST_ASSERT_MSG_EQ(test.found.size(), 1U, "one report");
        if (test.found.empty())
        {
            return; // the test runner goes on after a failure
        }
        const QbbDeadlock& deadlock = test.found.front();
        NS_TEST_EXPECT_MSG_EQ(deadlock.whileHostsRepeat, true, "hosts repeat");
        NS_TEST_EXPECT_MSG_EQ(test.Examine(deadlock), "", "the cycle, which is still there");
        NS_TEST_EXPECT_MSG_EQ(deadlock.cycle.size(), 4U, "two leaves and two spines");
        NS_TEST_EXPECT_MSG_GT(deadlock.at, 5_ms, "after the time of a standstill");
        NS_TEST_EXPECT_MSG_EQ(test.ended, 0U, "and it lasts");
        NS_TEST_EXPECT_MSG_EQ(test.detector->Find().has_value(), true, "to the end");
    }
};

/** The suite. */
class RdmaDeadlockTestSuite : public TestSuite
{
  public:
    RdmaDeadlockTestSuite()
        : TestSuite("rdma-deadlock")
    {
        AddTestCase(new RingTestCase("Pause", RdmaTestArchitecture::SHARED));
        for (const auto architecture : {RdmaTestArchitecture::SHARED,
                                        RdmaTestArchitecture::INPUT,
                                        RdmaTestArchitecture::CROSSBAR})
        {
            AddTestCase(new RingTestCase("Pfc", architecture));
        }
        AddTestCase(new DeadlockRunTestCase);
        AddTestCase(new CutTestCase);
        AddTestCase(new WatchdogTestCase("Drop"));
        AddTestCase(new NoAlarmTestCase);
        AddTestCase(new StandstillTestCase);
    }
};

RdmaDeadlockTestSuite g_rdmaDeadlockTestSuite; //!< registers the suite

} // namespace
