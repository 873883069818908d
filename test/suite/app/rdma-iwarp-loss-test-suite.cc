/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-iwarp.h"
#include "rdma-test-loss.h"

#include <ns3/test.h>

#include <list>

/**
 * \file
 * \ingroup rdma-tests
 * Flows over ns-3's TCP that lose frames, or their link, and their statuses.
 */

using namespace ns3;
using namespace ns3::RdmaTestIwarp;

namespace
{

constexpr RdmaPs RTO = 320_us; //!< the smallest timeout

/** \return options of MakePair(), with RTO */
RdmaFabricOptions
MakePaperPair()
{
    RdmaFabricOptions options = MakePair();
    options.transport = "iwarp[MinRto=320us]";
    return options;
}

/** Frames that get lost. */
class IwarpLossTestCase : public TestCase
{
  public:
    IwarpLossTestCase()
        : TestCase("losses: the timeout, fast retransmission, 1% everywhere")
    {
    }

  private:
    void DoRun() override
    {
        // The only segment is lost. TCP retransmits the segment after exactly the smallest timeout.
        auto lose = [](std::list<uint32_t> frames) {
            return
                [frames](Ptr<RdmaFabric> fabric) { LoseFrames(fabric->GetDevice(1, 1), frames); };
        };
        RdmaFlowResult result = RunFabric(MakePaperPair(), {MakeTestFlow(0, 0, 1, 1024)}, lose({0}))
                                    .outcome.flows.at(0);
        NS_TEST_EXPECT_MSG_EQ(result.fct.value_or(-1_ps), RTO + 2 * SEGMENT_HOP, "timeout");
        NS_TEST_EXPECT_MSG_EQ(result.timeouts, 1U, "timeouts");
        NS_TEST_EXPECT_MSG_EQ(result.retransmittedPackets, 1U, "sent again");
        // The segment is lost twice: the second timeout is twice as long.
        result = RunFabric(MakePaperPair(), {MakeTestFlow(0, 0, 1, 1024)}, lose({0, 1}))
                     .outcome.flows.at(0);
        NS_TEST_EXPECT_MSG_EQ(result.fct.value_or(-1_ps), 3 * RTO + 2 * SEGMENT_HOP, "twice");
        NS_TEST_EXPECT_MSG_EQ(result.timeouts, 2U, "timeouts");
        NS_TEST_EXPECT_MSG_EQ(result.retransmittedPackets, 2U, "sent again");
        RdmaFabricOptions options = MakePaperPair();
        options.transport = "iwarp[MinRto=100us]";
        result = RunFabric(options, {MakeTestFlow(0, 0, 1, 1024)}, lose({0})).outcome.flows.at(0);
        NS_TEST_EXPECT_MSG_EQ(result.fct.value_or(-1_ps), 100_us + 2 * SEGMENT_HOP, "rto");

        // The timeout is shorter than the round trip: nothing is lost, but TCP retransmits the
        // segment after 1 and after 3 us. The second acknowledgement comes after the end of the
        // flow and gets no answer.
        options.transport = "iwarp[MinRto=1us]";
        const Finished hasty =
            RunFabric(options, {MakeTestFlow(0, 0, 1, 1024), MakeTestFlow(1, 1, 0, 1, 100_us)});
        NS_TEST_EXPECT_MSG_EQ(hasty.wrong, "", "only class 3");
        NS_TEST_EXPECT_MSG_EQ(hasty.outcome.flows[0].fct.value_or(-1_ps),
                              2 * SEGMENT_HOP,
                              "hasty timeout");
        NS_TEST_EXPECT_MSG_EQ(hasty.outcome.flows[0].timeouts, 2U, "hasty timeout");
        NS_TEST_EXPECT_MSG_EQ(hasty.outcome.flows[0].retransmittedPackets, 2U, "hasty timeout");

        // The first of ten segments is lost. The fourth segment brings the third duplicate
        // acknowledgement, and TCP retransmits the first segment.
        result = RunFabric(MakePaperPair(), {MakeTestFlow(0, 0, 1, 10 * 1024)}, lose({0}))
                     .outcome.flows.at(0);
        NS_TEST_EXPECT_MSG_EQ(result.timeouts, 0U, "timeouts");
        // (RFC 6675 lets the sender retransmit another segment when there is no new one.)
        NS_TEST_EXPECT_MSG_GT(result.retransmittedPackets, 0U, "sent again");
        // An acknowledgement with one SACK block has 12 B of options and thus 14 + 20 + 32 + 4 =
        // 70 B, 6 B more than the shortest frame.
        const RdmaPs sackHop = (8 + 70) * 80_ps + 1_us;
        NS_TEST_EXPECT_MSG_EQ(result.fct.value_or(-1_ps),
                              3 * SEGMENT + 2 * SEGMENT_HOP + 2 * sackHop + 2 * SEGMENT_HOP,
                              "fast retransmission");

        options = MakePaperPair();
        options.transport = "iwarp[MinRto=320us|DataRetries=2]";
        options.stop = "1s";
        const auto failed =
            RunFabric(options, {MakeTestFlow(0, 0, 1, 1024)}, lose({0, 1, 2, 3, 4}));
        NS_TEST_EXPECT_MSG_EQ(failed.outcome.flows.at(0).status, "IBV_WC_RETRY_EXC_ERR", "retries");
        NS_TEST_EXPECT_MSG_EQ(failed.outcome.flows.at(0).retransmittedPackets, 2U, "sent again");
        NS_TEST_EXPECT_MSG_EQ(failed.outcome.flows.at(0).timeouts, 3U, "timeouts");
        // The sender gives up after 320 + 640 + 1280 us. The run ends at the next multiple of
        // 10 us.
        NS_TEST_EXPECT_MSG_EQ(failed.outcome.summary.simTimeUs, 2250.0, "end of the run");

        for (const double rate : {0.001, 0.01, 0.1})
        {
            RdmaFabricOptions lossy = MakePaperPair();
            lossy.topology = "leaf-spine:2x4x2";
            lossy.workload = "permutation";
            lossy.bytes = "200KB";
            const auto losing = [rate](Ptr<RdmaFabric> fabric) {
                for (uint32_t link = 0; link < fabric->GetTopology().GetNLinks(); ++link)
                {
                    const RdmaTopologyLink ends = fabric->GetTopology().GetLink(link);
                    for (const uint32_t node : {ends.a, ends.b})
                    {
                        LoseFramesAtRandom(fabric->GetDevice(link, node),
                                           rate,
                                           1000 + 2 * link + (node == ends.a));
                    }
                }
            };
            const auto summary = RunFabric(lossy, {}, losing).outcome.summary;
            NS_TEST_EXPECT_MSG_GT(summary.drops, 0U, rate);
            NS_TEST_EXPECT_MSG_EQ(summary.flowsCompleted, summary.flowsTotal, rate);
        }
    }
};

/** Statuses of unfinished flows. */
class StatusTestCase : public TestCase
{
  public:
    StatusTestCase()
        : TestCase("statuses of flows that have not ended")
    {
    }

  private:
    void DoRun() override
    {
        RdmaFabricOptions options = MakePaperPair();
        options.stop = "3us";
        const std::vector<RdmaFlow> flows{MakeTestFlow(0, 0, 1, 30 * 1024),
                                          MakeTestFlow(1, 1, 0, 10 * 1024),
                                          MakeTestFlow(2, 0, 1, 1, 5_us)};
        auto results = RunFabric(options, flows).outcome.flows;
        NS_TEST_EXPECT_MSG_EQ(
            results[0].status,
            "waits for acknowledgements of 10240 bytes in a window of 10240; 0 of "
            "30720 bytes acknowledged",
            "within the first round trip");
        NS_TEST_EXPECT_MSG_EQ(results[1].status,
                              "all bytes arrived; acknowledgement outstanding; 0 of 10240 bytes "
                              "acknowledged",
                              "arrived");
        NS_TEST_EXPECT_MSG_EQ(results[2].status, "not started", "later");
        NS_TEST_EXPECT_MSG_EQ(results[2].fct.has_value(), false, "later");

        // The link is down. In the second run it comes up after the sender has asked for a turn.
        options.stop = "100us";
        auto cut = [](Ptr<RdmaFabric> fabric) { fabric->SetLinkUp(0, false); };
        results = RunFabric(options, {MakeTestFlow(0, 0, 1, 1024)}, cut).outcome.flows;
        NS_TEST_EXPECT_MSG_EQ(results[0].status,
                              "link of the sender is down; 0 of 1024 bytes acknowledged",
                              "down");
        auto mend = [cut](Ptr<RdmaFabric> fabric) {
            cut(fabric);
            Simulator::Schedule(MicroSeconds(7), &RdmaFabric::SetLinkUp, fabric, 0, true);
        };
        results = RunFabric(options, {MakeTestFlow(0, 0, 1, 1024)}, mend).outcome.flows;
        NS_TEST_EXPECT_MSG_EQ(results[0].fct.value_or(-1_ps), 7_us + 2 * SEGMENT_HOP, "up again");
    }
};

/** The suite. */
class RdmaIwarpLossTestSuite : public TestSuite
{
  public:
    RdmaIwarpLossTestSuite()
        : TestSuite("rdma-iwarp-loss")
    {
        AddTestCase(new IwarpLossTestCase);
        AddTestCase(new StatusTestCase);
    }
};

RdmaIwarpLossTestSuite g_rdmaIwarpLossTestSuite; //!< registers the suite

} // namespace
