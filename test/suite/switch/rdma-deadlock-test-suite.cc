/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-deadlock-check.h"
#include "qbb-deadlock-detector.h"
#include "qbb-pfc-watchdog.h"
#include "rdma-fabric-deadlock.h"
#include "rdma-fabric-run.h"
#include "rdma-test-verbs.h"

#include <ns3/boolean.h>
#include <ns3/double.h>
#include <ns3/node-list.h>
#include <ns3/string.h>
#include <ns3/test.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>

/**
 * \file
 * \ingroup rdma-tests
 * Deadlocks of PFC: they happen, they are found and named, and nothing else is taken for one.
 *
 * RDMA_TEST_ROUNDS=N in the environment runs N random fabrics.
 */

using namespace ns3;

namespace
{

/**
 * \param switches of a ring with one host each
 * \param ahead how many switches on each host sends to
 * \param bytes size of each flow
 * \return a flow from each host
 */
std::vector<RdmaFlow>
MakeRingFlows(uint32_t switches, uint32_t ahead, uint64_t bytes)
{
    std::vector<RdmaFlow> flows;
    for (uint32_t i = 0; i < switches; ++i)
    {
        flows.push_back(MakeTestFlow(i, i, (i + ahead) % switches, bytes));
    }
    return flows;
}

/** Switches that deadlocks are looked for in. */
enum class Architecture
{
    SHARED,   //!< output queues, shared buffer
    INPUT,    //!< virtual output queues, a buffer for each port
    CROSSBAR, //!< the same with a crossbar
};

/** \param architecture of the switches \return name for a test case */
std::string
GetArchitectureName(Architecture architecture)
{
    return architecture == Architecture::SHARED  ? "shared buffers"
           : architecture == Architecture::INPUT ? "input queues"
                                                 : "crossbars";
}

/**
 * \param helper gets it
 * \param architecture of the switches
 * \param bytes of each switch, or of each port
 */
void
SetArchitecture(RdmaFabricHelper& helper, Architecture architecture, uint64_t bytes)
{
    if (architecture == Architecture::SHARED)
    {
        helper.SetBufferAttribute("BufferSize", UintegerValue(bytes));
        return;
    }
    helper.SetSwitchAttribute("Queueing", StringValue("InputQueued"));
    helper.SetSwitchAttribute("Crossbar", BooleanValue(architecture == Architecture::CROSSBAR));
    helper.SetBufferManager("ns3::QbbInputPortBuffer");
    helper.SetBufferAttribute("PortBufferBytes", UintegerValue(bytes));
}

/** A fabric whose deadlocks are watched. */
struct Watched : public RdmaTestFabric
{
    /**
     * \param topology the fabric's
     * \param flows what to run
     */
    void InstallAndWatch(const RdmaTopology& topology, const std::vector<RdmaFlow>& flows)
    {
        Install(topology, flows);
        detector = CreateObject<QbbDeadlockDetector>();
        detector->Watch(fabric->GetRouting()->GetSwitches());
        detector->TraceConnectWithoutContext(
            "Deadlock",
            Callback<void, const QbbDeadlock&>(
                [this](const QbbDeadlock& deadlock) { found.push_back(deadlock); }));
        detector->TraceConnectWithoutContext(
            "DeadlockEnded",
            Callback<void, const QbbDeadlock&>([this](const QbbDeadlock&) { ++ended; }));
    }

    /** \param point a buffer \return the port that it has paused */
    QbbPort* GetPaused(const QbbBufferPoint& point) const
    {
        return NodeList::GetNode(point.node)
            ->GetObject<QbbSwitch>()
            ->GetPort(point.port)
            ->GetPeer();
    }

    /** \return frames of their classes that the ports which the deadlock has paused have sent */
    uint64_t CountSent(const QbbDeadlock& deadlock) const
    {
        uint64_t frames = 0;
        for (const QbbBufferPoint& point : deadlock.stuck)
        {
            frames += GetPaused(point)->GetCounters().classes[point.priority].txFrames;
        }
        return frames;
    }

    /** \return what is wrong with a deadlock at the moment when it is found; empty if nothing is */
    std::string Examine(const QbbDeadlock& deadlock) const
    {
        std::ostringstream wrong;
        if (deadlock.cycle.size() < 2)
        {
            wrong << "a cycle of " << deadlock.cycle.size() << "; ";
        }
        for (std::size_t i = 0; i < deadlock.cycle.size(); ++i)
        {
            const QbbBufferPoint& at = deadlock.cycle[i];
            const QbbBufferPoint& next = deadlock.cycle[(i + 1) % deadlock.cycle.size()];
            const QbbPort* egress = GetPaused(next);
            const auto sw = NodeList::GetNode(at.node)->GetObject<QbbSwitch>();
            uint64_t waiting = 0;
            for (const auto& [port, bytes] :
                 sw->GetWaitingBytes(egress->GetPortNumber(), next.priority))
            {
                waiting += port == at.port ? bytes : 0;
            }
            if (egress->GetNodeId() != at.node || waiting == 0 ||
                !sw->GetBufferManager()->IsPaused(at.port, at.priority) ||
                !(egress->GetFlowControl().GetPauseReceiver().GetPaused() & (1U << next.priority)))
            {
                wrong << at << " does not wait for " << next << "; ";
            }
            if (!std::binary_search(deadlock.stuck.begin(), deadlock.stuck.end(), at))
            {
                wrong << at << " is not among the stuck; ";
            }
        }
        return wrong.str();
    }

    Ptr<QbbDeadlockDetector> detector; //!< watches
    std::vector<QbbDeadlock> found;    //!< reports
    uint32_t ended{0};                 //!< reports of ends
};

/** A ring in which each flow goes over two links. */
class RingTestCase : public TestCase
{
  public:
    /**
     * \param flowControl kind of flow control
     * \param architecture of the switches
     */
    RingTestCase(const std::string& flowControl, Architecture architecture)
        : TestCase("a ring of switches with " + GetArchitectureName(architecture) +
                   " deadlocks, with flow control " + flowControl),
          m_flowControl(flowControl),
          m_architecture(architecture)
    {
    }

  private:
    void DoRun() override
    {
        Watched test;
        test.helper.SetDeviceAttribute("FlowControl", StringValue(m_flowControl));
        const bool isShared = m_architecture == Architecture::SHARED;
        SetArchitecture(test.helper, m_architecture, isShared ? 2'000'000 : 200'000);
        // The round robin over inputs gives what is on its way in the ring its half of each link,
        // which is enough where flows take two links.
        const uint32_t switches = isShared ? 5 : 7;
        test.InstallAndWatch(MakeRdmaRing(switches, 1, MakeTestRates(100, 100, 1000)),
                             MakeRingFlows(switches, isShared ? 2 : 3, 20'000'000));
        NS_TEST_EXPECT_MSG_EQ(CheckQbbDeadlock(*test.fabric->GetRouting()).IsDeadlockFree(),
                              false,
                              "the check says so before");
        std::string wrong = "never found";
        uint64_t sent = 0;
        test.detector->TraceConnectWithoutContext(
            "Deadlock",
            Callback<void, const QbbDeadlock&>([&](const QbbDeadlock& deadlock) {
                wrong = test.Examine(deadlock);
                sent = test.CountSent(deadlock);
            }));
        test.Run(20_ms);
        NS_TEST_ASSERT_MSG_EQ(wrong, "", "the cycle");
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
    Architecture m_architecture;
};

/** The way out that always helps. */
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
        Watched test;
        test.helper.SetBufferAttribute("BufferSize", UintegerValue(2'000'000));
        test.helper.SetTransportAttribute("RetransmissionTimeout", TimeValue(MilliSeconds(1)));
        test.helper.SetTransportAttribute("RetryCount", UintegerValue(1000));
        test.InstallAndWatch(MakeRdmaRing(5, 1, MakeTestRates(100, 100, 1000)),
                             MakeRingFlows(5, 2, 4'000'000));
        RdmaTestPair::At(5_ms, [&]() {
            NS_TEST_EXPECT_MSG_EQ(test.detector->GetDeadlock().has_value(), true, "deadlock");
            test.fabric->SetLinkUp(5, false); // what was ring:5 is a chain
        });
        test.Run();
        NS_TEST_EXPECT_MSG_EQ(test.found.size(), 1U, "one deadlock");
        NS_TEST_EXPECT_MSG_EQ(test.ended, 1U, "and its end");
        NS_TEST_EXPECT_MSG_EQ(test.detector->GetDeadlock().has_value(), false, "it is gone");
        NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", "flows");
        NS_TEST_EXPECT_MSG_EQ(RdmaTestBooks::CheckRest(*test.fabric), "", "after the run");
    }
};

/** What operators have against it. */
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
        Watched test;
        test.helper.SetBufferAttribute("BufferSize", UintegerValue(2'000'000));
        test.helper.SetTransportAttribute("RetransmissionTimeout", TimeValue(MilliSeconds(1)));
        test.helper.SetTransportAttribute("RetryCount", UintegerValue(100'000));
        test.InstallAndWatch(MakeRdmaRing(5, 1, MakeTestRates(100, 100, 1000)),
                             MakeRingFlows(5, 2, 2'000'000));
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

/** Congestion that is none, however long it lasts. */
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
            Watched test;
            test.helper.SetBufferAttribute("BufferSize", UintegerValue(2'000'000));
            std::vector<RdmaFlow> flows;
            for (uint32_t i = 0; i < 12; ++i)
            {
                flows.push_back(MakeTestFlow(i, i, 15, 1'000'000));
            }
            test.InstallAndWatch(MakeRdmaFatTree(4, MakeTestRates(100, 100, 1000)), flows);
            test.detector->SetAttribute("Period", TimeValue(MicroSeconds(5)));
            test.Run();
            NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", "flows");
            NS_TEST_EXPECT_MSG_GT(test.fabric->GetTotals().pauseFrames, 100U, "pauses");
            NS_TEST_EXPECT_MSG_EQ(test.found.size(), 0U, "no deadlock in a fat-tree");
        }
        // Each flow goes over one link: the circle of links is there, the dependency is not.
        Watched test;
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

/** The detector against what happens, on fabrics whose routes allow deadlocks. */
class DeadlockRandomTestCase : public TestCase
{
  public:
    /** \param architecture of the switches */
    explicit DeadlockRandomTestCase(Architecture architecture)
        : TestCase("random rings and meshes with " + GetArchitectureName(architecture) +
                   ": stuck flows and deadlocks are the same thing"),
          m_architecture(architecture)
    {
    }

  private:
    /** \param random random numbers \return switches in a ring, with chords */
    RdmaTopology MakeTopology(std::mt19937& random) const
    {
        const bool isShared = m_architecture == Architecture::SHARED;
        const uint32_t switches = isShared ? 4 + random() % 4 : 7 + random() % 3;
        const uint32_t hosts = 1 + random() % 2;
        const uint64_t gbps = 10 + random() % 90;
        RdmaTopology topology = MakeRdmaRing(switches, hosts, MakeTestRates(100, gbps, 500));
        for (uint32_t i = isShared ? random() % 3 : random() % 2; i > 0; --i)
        {
            const uint32_t a = random() % switches;
            const uint32_t b = (a + 2 + random() % (switches - 3)) % switches;
            topology.AddLink(switches * hosts + a, switches * hosts + b, gbps * 1_gbps, 500_ns);
        }
        return topology;
    }

    void DoRun() override
    {
        const uint32_t rounds = GetTestRounds(20);
        uint32_t deadlocks = 0;
        uint32_t allowed = 0;
        for (uint32_t round = 1; round <= rounds; ++round)
        {
            std::mt19937 random(round);
            Watched test;
            const bool isShared = m_architecture == Architecture::SHARED;
            SetArchitecture(test.helper, m_architecture, isShared ? 600'000 : 120'000);
            if (isShared)
            {
                test.helper.SetBufferAttribute(
                    "LosslessAlpha",
                    DoubleValue(std::array<double, 3>{1.0 / 32, 0.125, 1}[random() % 3]));
                test.helper.SetBufferAttribute("XonOffsetBytes",
                                               UintegerValue(random() % 2 * 3000));
                test.helper.SetBufferAttribute("ReserveBytes", UintegerValue(random() % 2 * 1248));
            }
            test.helper.SetDeviceAttribute("PfcClasses", UintegerValue(0x18));
            const RdmaTopology topology = MakeTopology(random);
            const auto hosts = static_cast<uint32_t>(topology.GetHosts().size());
            std::vector<RdmaFlow> flows;
            // Some go two or three switches on, which is what it takes, others anywhere.
            const uint32_t perSwitch = hosts / topology.GetSwitches().size();
            for (uint32_t i = 15 + random() % 30; i > 0; --i)
            {
                const uint32_t source = random() % hosts;
                const uint32_t ahead =
                    random() % 5 ? (isShared ? 2 : 3) * perSwitch : 1 + random() % (hosts - 1);
                flows.push_back(MakeTestFlow(i,
                                             source,
                                             (source + ahead) % hosts,
                                             1 + random() % 3'000'000,
                                             QbbPs(random()) % 5_us,
                                             3 + random() % 2));
            }
            test.InstallAndWatch(topology, flows);
            test.detector->SetAttribute("Period", TimeValue(NanoSeconds(100 + random() % 50'000)));
            uint64_t sent = 0;
            std::string wrong;
            test.detector->TraceConnectWithoutContext(
                "Deadlock",
                Callback<void, const QbbDeadlock&>([&](const QbbDeadlock& deadlock) {
                    wrong += test.Examine(deadlock);
                    sent = test.CountSent(deadlock);
                }));
            test.Run(40_ms);
            const bool isStuck = !test.GetUnfinished().empty();
            NS_TEST_EXPECT_MSG_EQ(wrong, "", "round " << round);
            NS_TEST_EXPECT_MSG_EQ(test.found.size(), isStuck, "round " << round);
            if (!test.found.empty())
            {
                ++deadlocks;
                NS_TEST_EXPECT_MSG_EQ(test.CountSent(test.found.front()), sent, "round " << round);
                NS_TEST_EXPECT_MSG_EQ(test.ended, 0U, "round " << round);
            }
            const bool may = !CheckQbbDeadlock(*test.fabric->GetRouting()).IsDeadlockFree();
            allowed += may;
            NS_TEST_EXPECT_MSG_EQ((may || !isStuck), true, "round " << round << ": not foreseen");
        }
        NS_TEST_EXPECT_MSG_GT(deadlocks, rounds / 10, "rounds with a deadlock");
        NS_TEST_EXPECT_MSG_LT(deadlocks, allowed, "a cycle does not have to become one");
    }

    Architecture m_architecture;
};

/** A run as the command line makes it. */
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
        const auto flows = MakeRingFlows(5, 2, 5'000'000);
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
        options.routes = "up-down";
        RdmaFabricRun run(options, flows);
        NS_TEST_EXPECT_MSG_EQ(run.GetDeadlockCheck().IsDeadlockFree(), true, "up, then down");
        run.Run();
        NS_TEST_EXPECT_MSG_EQ(run.GetOutcome().summary.flowsCompleted, 5U, "flows");
        Simulator::Destroy();
    }
};

/** The suite. */
class RdmaDeadlockTestSuite : public TestSuite
{
  public:
    RdmaDeadlockTestSuite()
        : TestSuite("rdma-deadlock")
    {
        AddTestCase(new RingTestCase("Pause", Architecture::SHARED));
        for (const auto architecture :
             {Architecture::SHARED, Architecture::INPUT, Architecture::CROSSBAR})
        {
            AddTestCase(new RingTestCase("Pfc", architecture));
            AddTestCase(new DeadlockRandomTestCase(architecture));
        }
        AddTestCase(new DeadlockRunTestCase);
        AddTestCase(new CutTestCase);
        AddTestCase(new WatchdogTestCase("Drop"));
        AddTestCase(new NoAlarmTestCase);
    }
};

RdmaDeadlockTestSuite g_rdmaDeadlockTestSuite; //!< registers the suite

} // namespace
