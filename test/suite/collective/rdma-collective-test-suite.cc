/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-simulator-impl.h"
#include "rdma-test-schedule.h"

#include <ns3/config.h>
#include <ns3/test.h>
#include <ns3/uinteger.h>

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
class ThreadsTestCase : public TestCase
{
  public:
    ThreadsTestCase()
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

/** The suite. */
class RdmaCollectiveTestSuite : public TestSuite
{
  public:
    RdmaCollectiveTestSuite()
        : TestSuite("rdma-collective")
    {
        AddTestCase(new PipelineTestCase);
        AddTestCase(new OverlapTestCase);
        AddTestCase(new ThreadsTestCase);
    }
};

RdmaCollectiveTestSuite g_rdmaCollectiveTestSuite; //!< registers the suite

} // namespace
