/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-critical-path.h"
#include "rdma-fabric-options.h"
#include "rdma-fabric-run.h"
#include "rdma-schedule-results.h"
#include "rdma-simulator-impl.h"
#include "rdma-test-schedule.h"

#include <ns3/config.h>
#include <ns3/test.h>
#include <ns3/uinteger.h>

#include <fstream>
#include <sstream>
#include <string>

/**
 * \file
 * \ingroup rdma-tests
 * Schedules of several jobs and communicators, with timelines worked out by hand. The first byte of
 * a message takes 1000 ns from rank to rank, each further one 1 ns.
 */

using namespace ns3;

namespace
{

constexpr const char* NETWORK = "ideal[Delay=1us|Rate=8Gbps]";

/** Two micro-batches pass three stages of a pipeline. */
class PipelineTestCase : public TestCase
{
  public:
    PipelineTestCase()
        : TestCase("a pipeline of three stages")
    {
    }

  private:
    void DoRun() override
    {
        // Stage 0 computes until 500, and until 1000. 101 B arrive 1100 later: at stage 1 at 1600
        // and at 2100, which computes until 2100, and until 2600; then at stage 2 at 3200 and at
        // 3700, which computes until 3700, and until 4200. Buffers of 101 B are free after 100.
        TestSchedule test(3);
        for (uint32_t batch = 0; batch < 2; ++batch)
        {
            for (uint32_t stage = 0; stage < 3; ++stage)
            {
                std::vector<uint32_t> before;
                if (stage > 0)
                {
                    before = {test.Receive(stage, 101, stage - 1)};
                }
                before = {test.Compute(stage, 500_ns, before, 0)};
                if (stage < 2)
                {
                    test.Send(stage, 101, stage + 1, before);
                }
            }
        }
        NS_TEST_EXPECT_MSG_EQ(test.Run(NETWORK), 4200_ns, "end");
        NS_TEST_EXPECT_MSG_EQ(test.GetEnd(0), 1100_ns, "end of stage 0");
        NS_TEST_EXPECT_MSG_EQ(test.GetEnd(1), 2700_ns, "end of stage 1");
    }
};

/** Computing goes on while gradients are added. */
class OverlapTestCase : public TestCase
{
  public:
    OverlapTestCase()
        : TestCase("computing beside an all-reduce, and two jobs at a time")
    {
    }

  private:
    void DoRun() override
    {
        // The all-reduce of 2002 B of two ranks: two steps of 1001 B, 2000 each, from 3000 to 7000.
        // The second layer: 3000 to 5000. The update: 7000 to 7100.
        TestSchedule test(4);
        const uint32_t pair = test.schedule->AddCommunicator("pair", {1, 0});
        std::vector<std::vector<uint32_t>> layers(2);
        for (uint32_t rank = 0; rank < 2; ++rank)
        {
            layers[rank] = {test.Compute(rank, 3000_ns, {}, 0)};
        }
        const auto sums = test.job->AddCollective(pair,
                                                  MakeTestCollective("all-reduce-ring"),
                                                  2002,
                                                  {layers[1], layers[0]});
        for (uint32_t rank = 0; rank < 2; ++rank)
        {
            const uint32_t second = test.Compute(rank, 2000_ns, layers[rank], 0);
            test.Compute(rank, 100_ns, {second, sums[rank]}, 0);
        }
        // Another job on other ranks, and one on the same ranks, whose barriers do not mix.
        RdmaScheduleJob& other = test.schedule->AddJob("other", 500_ns);
        other.AddCollective(test.schedule->AddCommunicator("others", {2, 3}),
                            MakeTestCollective("barrier"),
                            0);
        RdmaScheduleJob& late = test.schedule->AddJob("late", 20_us);
        for (uint32_t call = 0; call < 3; ++call)
        {
            late.AddCollective(test.world, MakeTestCollective("barrier"), 0);
        }
        test.Run(NETWORK);
        NS_TEST_EXPECT_MSG_EQ(test.GetEnd(0), 7100_ns, "end of rank 0");
        NS_TEST_EXPECT_MSG_EQ(test.GetEnd(1), 7100_ns, "end of rank 1");
        NS_TEST_EXPECT_MSG_EQ(other.GetEnd().value_or(0_ps), 1500_ns, "end of the other job");
        NS_TEST_EXPECT_MSG_EQ(late.GetEnd().value_or(0_ps), 22_us, "barriers of 4 ranks at a time");
        NS_TEST_EXPECT_MSG_EQ(test.schedule->DescribeWait(), "", "nothing is left");
    }
};

/** The ideal network has no cables, along which groups of nodes could be divided. */
class OneThreadTestCase : public TestCase
{
  public:
    OneThreadTestCase()
        : TestCase("one thread for the ideal network")
    {
    }

  private:
    void DoRun() override
    {
        const RdmaPs alone =
            RunTestCollective("all-reduce-double-tree[Chunks=8]", 13, 100'000, NETWORK);
        Config::SetDefault("ns3::RdmaSimulatorImpl::Threads", UintegerValue(3));
        TestSchedule test(13);
        test.job->AddCollective(test.world,
                                MakeTestCollective("all-reduce-double-tree[Chunks=8]"),
                                100'000);
        NS_TEST_EXPECT_MSG_EQ(test.Run(NETWORK), alone, "end with three threads");
        NS_TEST_EXPECT_MSG_EQ(RdmaSimulatorImpl::GetReasonForOneThread(),
                              "the ideal network has no cables",
                              "reason");
        Config::SetDefault("ns3::RdmaSimulatorImpl::Threads", UintegerValue(1));
    }
};

/** Two jobs on packets, one of them with a critical path through a straggler. */
class JobsOnPacketsTestCase : public TestCase
{
  public:
    JobsOnPacketsTestCase()
        : TestCase("jobs on packets with 1 to 3 threads")
    {
    }

  private:
    /** What a run says. */
    struct Outcome
    {
        std::string text;   //!< tables, time line and critical paths
        std::string reason; //!< why one thread has run all nodes
        RdmaPs end{0};      //!< end of the schedule
    };

    Outcome Run(uint32_t threads)
    {
        Config::SetDefault("ns3::RdmaSimulatorImpl::Threads", UintegerValue(threads));
        Outcome outcome;
        {
            RdmaFabricOptions options;
            options.topology = "leaf-spine:2x4x2";
            options.job = m_file;
            options.criticalPath = 1000;
            RdmaFabricRun run(options);
            run.Run();
            const auto schedule = run.GetSchedule();
            NS_TEST_EXPECT_MSG_EQ(schedule->IsDone(), true, schedule->DescribeWait());
            if (schedule->IsDone())
            {
                CheckPath(*schedule);
                const RdmaScheduleResults results(*schedule);
                std::ostringstream text;
                text << results.FormatSteps() << results.FormatCalls();
                results.WriteTimeLine(text);
                results.PrintCriticalPaths(text, 1000);
                outcome.text = text.str();
                outcome.end = schedule->GetEnd();
            }
            outcome.reason = RdmaSimulatorImpl::GetReasonForOneThread();
        }
        Simulator::Destroy();
        Config::SetDefault("ns3::RdmaSimulatorImpl::Threads", UintegerValue(1));
        return outcome;
    }

    /** The parts of each path follow each other, from the end of the step before on. */
    void CheckPath(const RdmaOperationSchedule& schedule)
    {
        RdmaCriticalPath path(schedule);
        const RdmaScheduleResults results(schedule);
        for (const RdmaStepResult& step : results.GetSteps())
        {
            const auto parts = path.Find(step.job == "late" ? 1 : 0, step.step);
            NS_TEST_ASSERT_MSG_EQ(parts.empty(), false, "a path");
            NS_TEST_EXPECT_MSG_EQ(parts.front().begin, step.begin, "begin of the path");
            NS_TEST_EXPECT_MSG_EQ(parts.back().end, step.end, "end of the path");
            for (std::size_t i = 1; i < parts.size(); ++i)
            {
                NS_TEST_EXPECT_MSG_EQ(parts[i].begin, parts[i - 1].end, "no gap");
            }
        }
    }

    void DoRun() override
    {
        m_file = CreateTempDirFilename("jobs.json");
        std::ofstream(m_file) << R"({"placement": "random", "jobs": [
            {"ranks": 4, "steps": 2, "stragglers": {"ranks": [2], "factor": 2},
             "groups": {"pair": {"size": 2, "priority": 4}},
             "step": [{"compute": "10us", "name": "work"},
                      {"collective": "all-reduce-ring[Chunks=2|Steps=Pipelined]", "bytes": "60KB"},
                      {"collective": "all-to-all", "group": "pair", "bytes": "20KB"}]},
            {"name": "late", "ranks": 3, "start": "7us",
             "step": [{"send": "30KB", "to": "1", "if": "rank == 0", "rendezvous": true},
                      {"receive": "30KB", "from": "0", "if": "rank == 1"},
                      {"collective": "barrier"}]}]})";
        const Outcome one = Run(1);
        NS_TEST_EXPECT_MSG_EQ((one.end > 40_us), true, "two steps of 20 us of the straggler");
        NS_TEST_EXPECT_MSG_EQ(
            (one.text.find("rank 2 computed work for 20.000 us") != std::string::npos),
            true,
            "the straggler is on the path");
        for (const uint32_t threads : {2, 3})
        {
            const Outcome several = Run(threads);
            NS_TEST_EXPECT_MSG_EQ((several.text == one.text), true, threads << " threads");
            NS_TEST_EXPECT_MSG_EQ(several.reason, "", "all threads run nodes");
        }
    }

    std::string m_file; //!< the file of jobs
};

/** The suite. */
class RdmaCollectiveTestSuite : public TestSuite
{
  public:
    RdmaCollectiveTestSuite()
        : TestSuite("rdma-collective")
    {
        AddTestCase(new PipelineTestCase);
        AddTestCase(new OverlapTestCase);
        AddTestCase(new OneThreadTestCase);
        AddTestCase(new JobsOnPacketsTestCase);
    }
};

RdmaCollectiveTestSuite g_rdmaCollectiveTestSuite; //!< registers the suite

} // namespace
