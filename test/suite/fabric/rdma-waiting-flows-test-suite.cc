/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-failure-plan.h"
#include "rdma-test-threads.h"

#include <ns3/test.h>

#include <array>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * Flows that start after the ends of others: when they start, that they run like flows with fixed
 * starts, and equal results on several threads.
 */

using namespace ns3;

namespace
{

/** What to run. */
struct WaitingSetup
{
    RdmaTopology topology;                        //!< topology
    std::vector<RdmaFlow> flows;                  //!< flows
    std::vector<RdmaFlowDependency> dependencies; //!< those that wait
    std::string failures;                         //!< failures; empty: none
    uint32_t retries{1000};                       //!< timeouts in a row before an error
    bool keeps{false};                            //!< RdmaFlowRunner::KeepQueuePairs
};

/** Results of a run. */
struct WaitingRun
{
    RdmaTestOutcome outcome;                  //!< what threads may not change
    std::map<uint64_t, RdmaFlowResult> flows; //!< results by id
    std::string unfinished;                   //!< flows that did not complete

    /** \return instant of a flow's start */
    RdmaPs GetStart(uint64_t id) const
    {
        return flows.at(id).flow.start;
    }

    /** \return instant at which a flow's last byte arrived */
    RdmaPs GetArrival(uint64_t id) const
    {
        return GetStart(id) + flows.at(id).fct.value();
    }

    /** \return instant at which a flow's sender had its completion */
    RdmaPs GetCompletion(uint64_t id) const
    {
        return GetStart(id) + flows.at(id).cqe.value();
    }
};

WaitingRun
RunWaiting(const WaitingSetup& setup, uint32_t threads = 1, uint32_t groups = 1)
{
    SelectTestThreads(threads, groups);
    RdmaTestFabric test;
    test.keepQueuePairs = setup.keeps;
    test.SetRetries(100_us, setup.retries);
    test.Install(setup.topology, {});
    if (!setup.failures.empty())
    {
        test.fabric->InstallFailures(RdmaFailurePlan::Parse(setup.failures));
    }
    test.runner->SetDependencies(setup.dependencies);
    test.runner->Install(test.fabric, setup.flows);
    test.Run(1_s);
    WaitingRun run;
    run.outcome = GetTestOutcome(test);
    run.unfinished = test.GetUnfinished();
    for (const RdmaFlowResult& result : test.results)
    {
        run.flows.emplace(result.flow.id, result);
    }
    return run;
}

/** The starts of flows follow from the ends of others. */
class StartsTestCase : public TestCase
{
  public:
    StartsTestCase()
        : TestCase("starts")
    {
    }

  private:
    void DoRun() override
    {
        WaitingSetup setup;
        setup.topology = MakeRdmaStar(4);
        setup.flows = {MakeTestFlow(10, 0, 1, 100'000, 3_us),
                       MakeTestFlow(11, 1, 2, 50'000),
                       MakeTestFlow(12, 0, 3, 1'000),
                       MakeTestFlow(13, 1, 3, 1'000),
                       MakeTestFlow(14, 3, 2, 1'000),
                       MakeTestFlow(15, 0, 1, 1'000),
                       MakeTestFlow(16, 0, 2, 1'000, 80_us)};
        setup.dependencies = {{11, {10}, {}},
                              {12, {10}, {}},
                              {13, {10, 11}, 7_us},
                              {14, {11}, 2_us}, // the sender is no end of flow 11
                              {15, {12, 10}, 250_ns},
                              {16, {15}, {}}};
        for (const bool keeps : {false, true})
        {
            setup.keeps = keeps;
            const WaitingRun run = RunWaiting(setup);
            NS_TEST_ASSERT_MSG_EQ(run.unfinished, "", keeps);
            NS_TEST_EXPECT_MSG_EQ(run.GetStart(10), 3_us, keeps);
            // Host 1 receives flow 10, and host 0 sends it.
            NS_TEST_EXPECT_MSG_EQ(run.GetStart(11), run.GetArrival(10), keeps);
            NS_TEST_EXPECT_MSG_EQ(run.GetStart(12), run.GetCompletion(10), keeps);
            NS_TEST_EXPECT_MSG_EQ(run.GetStart(13), run.GetCompletion(11) + 7_us, keeps);
            NS_TEST_EXPECT_MSG_EQ(run.GetStart(14), run.GetArrival(11) + 2_us, keeps);
            NS_TEST_EXPECT_MSG_EQ(run.GetStart(15), run.GetCompletion(12) + 250_ns, keeps);
            // The awaited flow ends earlier than the flow file lets the flow start.
            NS_TEST_EXPECT_MSG_EQ(run.GetStart(16), 80_us, keeps);
            NS_TEST_EXPECT_MSG_LT(run.GetCompletion(15), 80_us, keeps);
            const WaitingRun several = RunWaiting(setup, 2, 4);
            NS_TEST_EXPECT_MSG_EQ(several.outcome.Compare(run.outcome), "", keeps);
            NS_TEST_EXPECT_MSG_EQ(several.outcome.reason,
                                  "flows wait for flows of other hosts",
                                  "one thread runs the news of flow 14");
        }
    }
};

/** A flow of one packet over idle links of 100 Gb/s, worked out by hand. */
class TimelineTestCase : public TestCase
{
  public:
    TimelineTestCase()
        : TestCase("timeline")
    {
    }

  private:
    void DoRun() override
    {
        // Data: Ethernet 18, IPv4 20, UDP 8, BTH 12, RETH 16, payload 1000, ICRC 4, preamble and
        // gap 20 are 1098 bytes, of which the last bit arrives after 1086 (the gap follows it).
        // Acknowledgement: 18 + 20 + 8 + 12 + AETH 4 + 4 = 66 bytes, and 20.
        // A byte takes 80 ps. Two links of 1 us, store and forward.
        constexpr RdmaPs DATA = 2 * (1'000'000_ps + 1086 * 80_ps);
        constexpr RdmaPs ACK = 2 * (1'000'000_ps + 74 * 80_ps);
        // Host 1 sends the acknowledgement of flow 0 before the data of flow 1.
        constexpr RdmaPs BEHIND_ACK = 86 * 80_ps;
        WaitingSetup setup;
        setup.topology = MakeRdmaStar(3);
        setup.flows = {MakeTestFlow(0, 0, 1, 1'000),
                       MakeTestFlow(1, 1, 2, 1'000),
                       MakeTestFlow(2, 2, 0, 1'000),
                       MakeTestFlow(3, 0, 2, 1'000)};
        setup.dependencies = {{1, {0}, {}}, {2, {1}, 500_ns}, {3, {0}, 3_us}};
        const WaitingRun run = RunWaiting(setup);
        NS_TEST_ASSERT_MSG_EQ(run.unfinished, "", "all flows end");
        NS_TEST_EXPECT_MSG_EQ(run.GetStart(1), DATA, "from the receiver of flow 0");
        NS_TEST_EXPECT_MSG_EQ(run.GetStart(2),
                              2 * DATA + BEHIND_ACK + 500_ns,
                              "from the receiver of flow 1");
        NS_TEST_EXPECT_MSG_EQ(run.GetStart(3), DATA + ACK + 3_us, "from the sender of flow 0");
    }
};

/** A flow whose awaited flow fails does not start. */
class FailureTestCase : public TestCase
{
  public:
    FailureTestCase()
        : TestCase("an awaited flow fails")
    {
    }

  private:
    void DoRun() override
    {
        WaitingSetup setup;
        setup.topology = MakeRdmaStar(4);
        setup.flows = {MakeTestFlow(0, 0, 1, 100'000),
                       MakeTestFlow(1, 2, 3, 100'000),
                       MakeTestFlow(2, 0, 2, 1'000),
                       MakeTestFlow(3, 1, 2, 1'000),
                       MakeTestFlow(4, 3, 2, 1'000),
                       MakeTestFlow(5, 2, 3, 1'000)};
        setup.dependencies = {{2, {0}, {}}, {3, {0}, {}}, {4, {1}, {}}, {5, {1, 2}, {}}};
        setup.failures = "host-1/hub:down:5us";
        setup.retries = 2;
        const WaitingRun run = RunWaiting(setup);
        NS_TEST_EXPECT_MSG_EQ(run.flows.at(0).status, "IBV_WC_RETRY_EXC_ERR", "a dead receiver");
        NS_TEST_EXPECT_MSG_EQ(run.flows.at(1).IsCompleted(), true, run.unfinished);
        NS_TEST_EXPECT_MSG_EQ(run.flows.at(2).status, "not started; waits for flow 0", "sender");
        NS_TEST_EXPECT_MSG_EQ(run.flows.at(3).status, "not started; waits for flow 0", "receiver");
        NS_TEST_EXPECT_MSG_EQ(run.flows.at(4).IsCompleted(), true, run.unfinished);
        NS_TEST_EXPECT_MSG_EQ(run.flows.at(5).status, "not started; waits for flow 2", "chain");
    }
};

/** Random flows on random fabrics and on rails. */
class RandomWaitingTestCase : public TestCase
{
  public:
    RandomWaitingTestCase()
        : TestCase("random flows")
    {
    }

  private:
    /** \return flows of which most wait for earlier ones that begin or end at their senders */
    static WaitingSetup MakeSetup(RdmaTestDice& dice)
    {
        WaitingSetup setup;
        const bool isRail = dice.OneIn(3);
        setup.topology = isRail ? MakeRails() : RdmaTestRandomTopology(dice).Make();
        setup.keeps = dice.OneIn(3);
        const auto hosts = setup.topology.GetHosts();
        const uint64_t count = dice.Number(10, 60);
        while (setup.flows.size() < count)
        {
            const uint64_t id = setup.flows.size();
            const uint32_t source = hosts[dice.Number(0, hosts.size() - 1)];
            const uint32_t destination = hosts[dice.Number(0, hosts.size() - 1)];
            if (source == destination)
            {
                continue;
            }
            setup.flows.push_back(MakeTestFlow(id,
                                               source,
                                               destination,
                                               dice.Number(1, 50'000),
                                               RdmaPs(dice.Number(0, 20) * 1'000'000)));
            RdmaFlow& flow = setup.flows.back();
            flow.nic = isRail && dice.OneIn(2) ? static_cast<uint16_t>(dice.Number(0, 2))
                                               : RdmaFlow::ANY_NIC;
            RdmaFlowDependency dependency;
            dependency.flow = id;
            for (uint64_t other = 0; other < id; ++other)
            {
                const RdmaFlow& before = setup.flows[other];
                if ((before.srcHost == source || before.dstHost == source) && dice.OneIn(4))
                {
                    dependency.after.push_back(other);
                }
            }
            if (!dependency.after.empty())
            {
                dependency.delay =
                    dice.OneIn(2) ? std::nullopt : std::optional<RdmaPs>(dice.Number(0, 9'000'000));
                setup.dependencies.push_back(dependency);
            }
        }
        return setup;
    }

    /** \return four hosts with three NICs each, one rail for each NIC, and spines */
    static RdmaTopology MakeRails()
    {
        RdmaTopology topology;
        std::array<uint32_t, 4> hosts{};
        for (uint32_t& host : hosts)
        {
            host = topology.AddHost();
        }
        std::vector<std::vector<uint32_t>> nics(3, {hosts.begin(), hosts.end()});
        for (uint32_t k = 1; k < 3; ++k)
        {
            for (std::size_t i = 0; i < hosts.size(); ++i)
            {
                nics[k][i] = topology.AddNic(hosts[i]);
            }
        }
        for (const auto& rail : nics)
        {
            const uint32_t leaf = topology.AddSwitch();
            for (const uint32_t nic : rail)
            {
                topology.AddLink(nic, leaf, 100_gbps, 1_us);
            }
        }
        return topology;
    }

    void DoRun() override
    {
        const uint32_t rounds = GetTestRounds(20);
        uint64_t windows = 0;
        uint64_t waiting = 0;
        for (uint32_t round = 1; round <= rounds; ++round)
        {
            RdmaTestDice dice(round);
            const WaitingSetup setup = MakeSetup(dice);
            const auto threads = static_cast<uint32_t>(dice.Number(1, 4));
            const auto groups = static_cast<uint32_t>(dice.Number(2, 16));
            std::ostringstream name;
            name << "round " << round << ", " << threads << " threads, " << groups << " groups";
            const WaitingRun one = RunWaiting(setup);
            NS_TEST_ASSERT_MSG_EQ(one.unfinished, "", name.str());
            const WaitingRun several = RunWaiting(setup, threads, groups);
            NS_TEST_EXPECT_MSG_EQ(several.outcome.Compare(one.outcome), "", name.str());
            windows += several.outcome.windows;
            waiting += setup.dependencies.size();
            CheckStarts(setup, one, name.str());
            // Flows with these starts, which do not wait, run alike.
            WaitingSetup fixed = setup;
            fixed.dependencies.clear();
            for (RdmaFlow& flow : fixed.flows)
            {
                flow.start = one.GetStart(flow.id);
            }
            NS_TEST_EXPECT_MSG_EQ(RunWaiting(fixed).outcome.digest, one.outcome.digest, name.str());
        }
        NS_TEST_EXPECT_MSG_EQ((windows > 0), true, "groups have run apart");
        NS_TEST_EXPECT_MSG_EQ((waiting > 10 * rounds), true, "flows wait");
    }

    /** Compares the start of each waiting flow with the ends of those it waits for. */
    void CheckStarts(const WaitingSetup& setup, const WaitingRun& run, const std::string& name)
    {
        const bool hasNics = setup.topology.GetNics().size() > setup.topology.GetHosts().size();
        for (const RdmaFlowDependency& dependency : setup.dependencies)
        {
            const RdmaFlow& flow = setup.flows[dependency.flow];
            RdmaPs ready = flow.start;
            for (const uint64_t id : dependency.after)
            {
                const bool isSender = setup.flows[id].srcHost == flow.srcHost;
                const RdmaPs end = isSender ? run.GetCompletion(id) : run.GetArrival(id);
                ready = std::max(ready, end + dependency.delay.value_or(0_ps));
            }
            const RdmaPs late = run.GetStart(flow.id) - ready;
            // News passes from NIC to NIC up to twice: to the first NIC, which runs the software of
            // flows over several NICs, and to the NIC of the waiting flow.
            NS_TEST_EXPECT_MSG_EQ((late >= 0_ps && late <= (hasNics ? 1000_ns : 0_ps)),
                                  true,
                                  name << ", flow " << flow.id << " starts " << late << " ps late");
        }
    }
};

/** Tests of flows that wait for others. */
class RdmaWaitingFlowsTestSuite : public TestSuite
{
  public:
    RdmaWaitingFlowsTestSuite()
        : TestSuite("rdma-waiting-flows")
    {
        AddTestCase(new StartsTestCase);
        AddTestCase(new TimelineTestCase);
        AddTestCase(new FailureTestCase);
        AddTestCase(new RandomWaitingTestCase);
    }
};

RdmaWaitingFlowsTestSuite g_waitingFlowsTestSuite; // registers the test cases

} // namespace
