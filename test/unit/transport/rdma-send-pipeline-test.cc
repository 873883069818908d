/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-send-pipeline.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * When send requests may start, worked out by hand. A byte takes 1 ns on the line of these tests.
 */

namespace ns3
{
namespace
{

/** A pipeline whose timer a test reads. */
class TestPipeline : public RdmaSendPipeline
{
  public:
    using RdmaSendPipeline::RdmaSendPipeline;

    std::vector<RdmaPs> wakes; //!< calls of WakeAt()

  private:
    RdmaPs GetLineTime(uint32_t bytes) const override
    {
        return bytes * 1_ns;
    }

    void WakeAt(RdmaPs at) override
    {
        wakes.push_back(at);
    }
};

/** \return a timing */
RdmaSendTiming
MakeTiming(RdmaPs doorbell, RdmaPs fetch, RdmaPs gap, uint32_t prefetch = 1)
{
    RdmaSendTiming timing;
    timing.doorbell = doorbell;
    timing.fetch = fetch;
    timing.gap = gap;
    timing.prefetch = prefetch;
    return timing;
}

/**
 * Posts requests at 0 and sends each as one packet as early as possible.
 *
 * \param pipeline the pipeline
 * \param messages number of requests
 * \param bytes bytes of each packet
 * \return starts of the packets
 */
std::vector<RdmaPs>
SendAll(TestPipeline& pipeline, int messages, uint32_t bytes)
{
    for (int i = 0; i < messages; ++i)
    {
        pipeline.Post(0_ps);
    }
    std::vector<RdmaPs> starts;
    RdmaPs now{0};
    RdmaPs lineFree{0};
    while (messages-- > 0)
    {
        if (!pipeline.MayStart(now))
        {
            EXPECT_FALSE(pipeline.wakes.empty()) << "nothing would start the request";
            now = pipeline.wakes.back();
            EXPECT_TRUE(pipeline.MayStart(now));
        }
        pipeline.Start();
        now = std::max(now, lineFree);
        starts.push_back(now);
        pipeline.Leave(bytes, now);
        lineFree = now + bytes * 1_ns;
    }
    return starts;
}

using Times = std::vector<RdmaPs>;

TEST(RdmaSendTiming, IsSetByAnyTime)
{
    EXPECT_FALSE(RdmaSendTiming().IsSet());
    EXPECT_FALSE(MakeTiming(0_ps, 0_ps, 0_ps, 7).IsSet()) << "a depth alone delays nothing";
    EXPECT_TRUE(MakeTiming(1_ps, 0_ps, 0_ps).IsSet());
    EXPECT_TRUE(MakeTiming(0_ps, 1_ps, 0_ps).IsSet());
    EXPECT_TRUE(MakeTiming(0_ps, 0_ps, 1_ps).IsSet());
}

TEST(RdmaSendPipeline, DelaysEachRequestByItsDoorbell)
{
    TestPipeline pipeline(MakeTiming(300_ns, 0_ps, 0_ps));
    EXPECT_EQ(SendAll(pipeline, 3, 100), (Times{300_ns, 400_ns, 500_ns}));
    pipeline.Post(1000_ns);
    pipeline.Post(1100_ns);
    EXPECT_FALSE(pipeline.MayStart(1299_ns));
    EXPECT_EQ(pipeline.wakes.back(), 1300_ns);
    EXPECT_TRUE(pipeline.MayStart(1300_ns));
    pipeline.Start();
    EXPECT_FALSE(pipeline.MayStart(1300_ns));
    EXPECT_EQ(pipeline.wakes.back(), 1400_ns) << "doorbells overlap";
}

// A fetch begins when the message before has left: 1000 + 100 each.
TEST(RdmaSendPipeline, FetchesOneByOneWithoutPrefetch)
{
    TestPipeline pipeline(MakeTiming(0_ps, 1000_ns, 0_ps, 0));
    EXPECT_EQ(SendAll(pipeline, 3, 100), (Times{1000_ns, 2100_ns, 3200_ns}));
}

// Two WQEs are fetched at once. Message n leaves at its start + 100, and then n + 2 is fetched.
TEST(RdmaSendPipeline, FetchesAheadWithPrefetch)
{
    TestPipeline pipeline(MakeTiming(0_ps, 1000_ns, 0_ps, 1));
    EXPECT_EQ(SendAll(pipeline, 5, 100), (Times{1000_ns, 1100_ns, 2100_ns, 2200_ns, 3200_ns}));
}

// A message takes longer than its fetch: the line never waits after the first one.
TEST(RdmaSendPipeline, HidesFetchesBehindLongMessages)
{
    TestPipeline pipeline(MakeTiming(0_ps, 1000_ns, 0_ps, 1));
    EXPECT_EQ(SendAll(pipeline, 4, 1500), (Times{1000_ns, 2500_ns, 4000_ns, 5500_ns}));
}

TEST(RdmaSendPipeline, AddsDoorbellAndFetch)
{
    TestPipeline pipeline(MakeTiming(300_ns, 1000_ns, 0_ps, 3));
    EXPECT_EQ(SendAll(pipeline, 5, 100), (Times{1300_ns, 1400_ns, 1500_ns, 1600_ns, 2400_ns}));
}

// A request posted while the last packet of the message before is on the line waits for its end.
TEST(RdmaSendPipeline, WaitsForThePlaceOfAMessageThatIsLeaving)
{
    TestPipeline pipeline(MakeTiming(0_ps, 1000_ns, 0_ps, 0));
    EXPECT_EQ(SendAll(pipeline, 1, 500), (Times{1000_ns}));
    pipeline.Post(1200_ns);
    EXPECT_FALSE(pipeline.MayStart(1200_ns));
    EXPECT_EQ(pipeline.wakes.back(), 2500_ns) << "1500 + 1000";
    EXPECT_TRUE(pipeline.MayStart(2500_ns));
    pipeline.Start();
    pipeline.Leave(500, 2500_ns);
    pipeline.Post(9000_ns);
    EXPECT_FALSE(pipeline.MayStart(9000_ns));
    EXPECT_EQ(pipeline.wakes.back(), 10000_ns) << "a free place: at once";
}

TEST(RdmaSendPipeline, LeavesAGapBetweenMessages)
{
    TestPipeline pipeline(MakeTiming(0_ps, 0_ps, 250_ns));
    EXPECT_EQ(SendAll(pipeline, 3, 100), (Times{0_ps, 350_ns, 700_ns}));
    pipeline.Post(900_ns);
    EXPECT_FALSE(pipeline.MayStart(900_ns)) << "800 + 250";
    EXPECT_EQ(pipeline.wakes.back(), 1050_ns);
    EXPECT_TRUE(pipeline.MayStart(1050_ns));
}

// The gap counts from the end of the last packet, so a request waits without a timer until then.
TEST(RdmaSendPipeline, HasNoTimeForAGapBeforeTheMessageLeaves)
{
    TestPipeline pipeline(MakeTiming(0_ps, 0_ps, 250_ns));
    pipeline.Post(0_ps);
    pipeline.Post(0_ps);
    EXPECT_TRUE(pipeline.MayStart(0_ps));
    pipeline.Start();
    EXPECT_FALSE(pipeline.MayStart(5000_ns));
    EXPECT_TRUE(pipeline.wakes.empty());
    pipeline.Leave(100, 6000_ns);
    EXPECT_EQ(pipeline.wakes, (Times{6350_ns}));
}

TEST(RdmaSendPipeline, ForgetsEverythingAtReset)
{
    TestPipeline pipeline(MakeTiming(300_ns, 1000_ns, 250_ns, 0));
    SendAll(pipeline, 2, 100);
    pipeline.Post(3000_ns);
    pipeline.Reset();
    pipeline.wakes.clear();
    EXPECT_EQ(SendAll(pipeline, 2, 100), (Times{1300_ns, 2400_ns})) << "the gap is in the fetch";
}

} // namespace
} // namespace ns3
