/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-tcp-flow-runner.h"
#include "rdma-test-iwarp.h"

#include <ns3/boolean.h>
#include <ns3/config.h>
#include <ns3/test.h>

/**
 * \file
 * \ingroup rdma-tests
 * Flows over ns-3's TCP, to which the tests add no losses: instants of segments and
 * acknowledgements, and a fabric that carries nothing else.
 */

using namespace ns3;
using namespace ns3::RdmaTestIwarp;

namespace
{

/** Times of single flows, worked out by hand. */
class IwarpTimelineTestCase : public TestCase
{
  public:
    IwarpTimelineTestCase()
        : TestCase("a flow alone: the initial window at line rate, then slow start")
    {
    }

  private:
    /** \param bytes size of a flow at the given start \return result of the flow */
    RdmaFlowResult RunOne(uint64_t bytes, RdmaPs start = 0_ps)
    {
        const Finished finished = RunFabric(MakePair(), {MakeTestFlow(0, 0, 1, bytes, start)});
        const RdmaFlowResult& result = finished.outcome.flows.at(0);
        NS_TEST_EXPECT_MSG_EQ(finished.wrong, "", bytes << " B");
        NS_TEST_EXPECT_MSG_EQ(result.status, "IBV_WC_SUCCESS", bytes << " B");
        NS_TEST_EXPECT_MSG_EQ(result.retransmittedPackets + result.timeouts, 0U, bytes << " B");
        // The fabric carries only the segments and an acknowledgement for each, over two links.
        NS_TEST_EXPECT_MSG_EQ(finished.outcome.summary.packetHops,
                              4 * ((bytes + 1023) / 1024),
                              bytes << " B");
        return result;
    }

    void DoRun() override
    {
        // A segment of one byte makes a frame of the smallest size.
        RdmaFlowResult result = RunOne(1);
        NS_TEST_EXPECT_MSG_EQ(result.fct.value_or(-1_ps), 2 * ACK_HOP, "1 B");
        NS_TEST_EXPECT_MSG_EQ(result.cqe.value_or(-1_ps), 4 * ACK_HOP, "1 B");
        NS_TEST_EXPECT_MSG_EQ(result.ideal, 2 * ACK_HOP, "1 B");

        // The initial window is ten segments. The flow's start is no whole nanosecond.
        result = RunOne(10 * 1024, 1'234'567_ps);
        NS_TEST_EXPECT_MSG_EQ(result.fct.value_or(-1_ps), 2'967'840_ps, "10 segments");
        NS_TEST_EXPECT_MSG_EQ(9 * SEGMENT + 2 * SEGMENT_HOP, 2'967'840_ps, "arithmetic");
        NS_TEST_EXPECT_MSG_EQ(result.cqe.value_or(-1_ps),
                              2'967'840_ps + 2 * ACK_HOP,
                              "10 segments");
        NS_TEST_EXPECT_MSG_EQ(result.ideal, 2'967'840_ps, "10 segments");

        // Thirty segments: the first acknowledgement releases the 11th and the 12th. Before these
        // have left, further acknowledgements come and release two segments each. The last twenty
        // segments leave back to back.
        result = RunOne(30 * 1024);
        const RdmaPs firstAck = 2 * SEGMENT_HOP + 2 * ACK_HOP;
        NS_TEST_EXPECT_MSG_EQ(firstAck, 4'185'920_ps, "arithmetic");
        NS_TEST_EXPECT_MSG_EQ(result.fct.value_or(-1_ps),
                              firstAck + 19 * SEGMENT + 2 * SEGMENT_HOP,
                              "30 segments");
        NS_TEST_EXPECT_MSG_EQ(result.ideal, 29 * SEGMENT + 2 * SEGMENT_HOP, "30 segments");

        // The initial window covers all segments.
        Config::SetDefault("ns3::RdmaTcpFlowRunner::InitialCwnd", UintegerValue(30));
        result = RunOne(29 * 1024 + 5);
        Config::SetDefault("ns3::RdmaTcpFlowRunner::InitialCwnd", UintegerValue(10));
        NS_TEST_EXPECT_MSG_EQ(result.fct.value_or(-1_ps), result.ideal, "a larger window");
        // The short frame overtakes nothing: it leaves the switch after a full frame.
        NS_TEST_EXPECT_MSG_EQ(result.ideal,
                              29 * SEGMENT + SEGMENT_HOP + ACK_HOP,
                              "a larger window");
    }
};

/** Several sizes and paths: a flow within its initial window takes the ideal time. */
class IwarpIdealTestCase : public TestCase
{
  public:
    IwarpIdealTestCase()
        : TestCase("flows within the initial window take the ideal time")
    {
    }

  private:
    void DoRun() override
    {
        for (const char* topology : {"leaf-spine:2x2x2", "fat-tree:4", "dumbbell:2"})
        {
            for (const uint32_t mtu : {256U, 1000U, 1024U, 4096U})
            {
                RdmaFabricOptions options = MakePair();
                options.topology = topology;
                options.rate = "40Gbps";
                options.mtu = mtu;
                std::vector<RdmaFlow> flows;
                for (const uint64_t bytes :
                     {1U, 6U, 7U, 255U, 4096U, mtu + 1, 10 * mtu - 3, 10 * mtu})
                {
                    if (bytes <= 10 * mtu)
                    {
                        const auto n = static_cast<int64_t>(flows.size());
                        flows.push_back(MakeTestFlow(n, n % 4, (n + 2) % 4, bytes, n * 100_us));
                    }
                }
                const Finished finished = RunFabric(options, flows);
                NS_TEST_EXPECT_MSG_EQ(finished.wrong, "", topology);
                for (const auto& result : finished.outcome.flows)
                {
                    NS_TEST_EXPECT_MSG_EQ(result.fct.value_or(-1_ps),
                                          result.ideal,
                                          topology << ", MTU " << mtu << ", " << result.flow.bytes
                                                   << " B");
                }
            }
        }
    }
};

/** Connections of one host take turns. */
class TurnsTestCase : public TestCase
{
  public:
    TurnsTestCase()
        : TestCase("a short flow does not wait for the window of a long one of the same host")
    {
    }

  private:
    void DoRun() override
    {
        RdmaFabricOptions options = MakePair();
        options.topology = "star:3";
        // At 200 us the long flow has a window of hundreds of segments.
        const auto flows =
            RunFabric(options,
                      {MakeTestFlow(0, 0, 1, 10'000'000), MakeTestFlow(1, 0, 2, 3 * 1024, 200_us)})
                .outcome.flows;
        NS_TEST_EXPECT_MSG_EQ(flows[0].IsCompleted(), true, "the long flow");
        // Three frames go before the short flow's first segment: the one on the line, the one that
        // waits in the port, and the long flow's turn. One frame of the long flow goes between
        // every two segments of the short flow.
        const RdmaPs ideal = 2 * SEGMENT + 2 * SEGMENT_HOP;
        NS_TEST_EXPECT_MSG_EQ(flows[1].ideal, ideal, "ideal");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(flows[1].fct.value_or(RDMA_NEVER),
                                    ideal + 5 * SEGMENT,
                                    "the short flow");
        // Both flows together fill the line as soon as slow start has opened the long flow's
        // window.
        NS_TEST_EXPECT_MSG_LT(flows[0].fct.value_or(RDMA_NEVER), 900_us, "the long flow");
    }
};

/** Two runners, and queue pairs, over one fabric. */
class TogetherTestCase : public TestCase
{
  public:
    TogetherTestCase()
        : TestCase("two runners of TCP flows and one of queue pairs share a fabric")
    {
    }

  private:
    void DoRun() override
    {
        RdmaFabricHelper helper;
        helper.SetInternetStack(true);
        auto fabric = helper.Install(MakeRdmaStar(2, MakeTestRates(100, 100, 1000)));
        const std::vector<RdmaFlow> flows{MakeTestFlow(0, 0, 1, 1'000'000),
                                          MakeTestFlow(1, 1, 0, 1'000'000)};
        std::vector<Ptr<RdmaFlowRunnerBase>> runners{CreateObject<RdmaTcpFlowRunner>(),
                                                     CreateObject<RdmaTcpFlowRunner>(),
                                                     CreateObject<RdmaFlowRunner>()};
        runners[1]->SetAttribute("Port", UintegerValue(40000));
        for (const auto& runner : runners)
        {
            runner->SetStopWhenDone(false);
            runner->Install(fabric, flows);
        }
        Simulator::Run();
        for (const auto& runner : runners)
        {
            NS_TEST_EXPECT_MSG_EQ(runner->GetNCompleted(), 2U, runner->GetResults()[0].status);
        }
        NS_TEST_EXPECT_MSG_EQ(fabric->GetTotals().drops, 0U, "drops");
        Simulator::Destroy();
    }
};

/** Whole workloads, with their expected results. */
class WorkloadTestCase : public TestCase
{
  public:
    WorkloadTestCase()
        : TestCase("workloads complete, lossless and lossy, with equal digests")
    {
    }

  private:
    void CheckCompleted(const Finished& finished, const std::string& name)
    {
        NS_TEST_EXPECT_MSG_EQ(finished.wrong, "", name);
        NS_TEST_EXPECT_MSG_GT(finished.outcome.summary.flowsTotal, 0U, name);
        for (const auto& result : finished.outcome.flows)
        {
            NS_TEST_EXPECT_MSG_EQ(result.status, "IBV_WC_SUCCESS", name << result.flow.id);
            NS_TEST_EXPECT_MSG_GT_OR_EQ(result.fct.value_or(-1_ps), result.ideal, name);
            NS_TEST_EXPECT_MSG_GT(result.cqe.value_or(-1_ps), result.fct.value_or(0_ps), name);
        }
    }

    void DoRun() override
    {
        RdmaFabricOptions options = MakePair();
        options.topology = "leaf-spine:2x8x2";
        options.cdf = "irn-heavy-tail";
        options.duration = "200us";
        options.load = 0.7;
        options.buffer = "1MB";
        const Finished lossless = RunFabric(options);
        CheckCompleted(lossless, "PFC on");
        NS_TEST_EXPECT_MSG_GT(lossless.outcome.summary.pauseFrames, 0U, "pauses");
        NS_TEST_EXPECT_MSG_EQ(lossless.outcome.summary.drops, 0U, "drops");
        options.pfc = "off";
        const Finished lossy = RunFabric(options);
        CheckCompleted(lossy, "PFC off");
        NS_TEST_EXPECT_MSG_EQ(lossy.outcome.summary.pauseFrames, 0U, "pauses");
        NS_TEST_EXPECT_MSG_GT(lossy.outcome.summary.drops, 0U, "drops");

        const std::string digest = lossy.outcome.summary.digest;
        NS_TEST_EXPECT_MSG_EQ(RunFabric(options).outcome.summary.digest, digest, "again");
        Config::SetDefault("ns3::QbbChannel::SerializeFrames", BooleanValue(true));
        NS_TEST_EXPECT_MSG_EQ(RunFabric(options).outcome.summary.digest, digest, "as bytes");
        Config::SetDefault("ns3::QbbChannel::SerializeFrames", BooleanValue(false));
        std::vector<RdmaFlow> reversed;
        for (auto it = lossy.outcome.flows.rbegin(); it != lossy.outcome.flows.rend(); ++it)
        {
            reversed.push_back(it->flow);
        }
        NS_TEST_EXPECT_MSG_EQ(RunFabric(options, reversed).outcome.summary.digest,
                              digest,
                              "reversed");
        // Another case runs this workload over queue pairs.
        RdmaFabricOptions roce = options;
        roce.transport = "roce";
        const auto flows = RunFabric(roce).outcome.flows;
        NS_TEST_ASSERT_MSG_EQ(flows.size(), lossy.outcome.flows.size(), "flows");
        for (std::size_t i = 0; i < flows.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ((flows[i].flow == lossy.outcome.flows[i].flow),
                                  true,
                                  "flow " << i);
        }

        options.ecn = "5KB:50KB:0.5";
        const Finished marked = RunFabric(options);
        CheckCompleted(marked, "ECN");
        NS_TEST_EXPECT_MSG_GT(marked.outcome.summary.ecnMarks, 0U, "marks");
        NS_TEST_EXPECT_MSG_LT(marked.outcome.summary.drops, lossy.outcome.summary.drops, "drops");
        options.ecn = "off";

        // One acknowledgement covers eight segments: there are fewer frames, and no flow hangs
        // because its last segment is not acknowledged.
        options.transport = "iwarp[DelAckCount=8]";
        const Finished delayed = RunFabric(options);
        CheckCompleted(delayed, "ACK interval");
        NS_TEST_EXPECT_MSG_LT(delayed.outcome.summary.packetHops,
                              lossy.outcome.summary.packetHops * 3 / 4,
                              "frames");
    }
};

/** The class that flows ask for. */
class ClassTestCase : public TestCase
{
  public:
    ClassTestCase()
        : TestCase("segments and acknowledgements are in the class of their flow")
    {
    }

  private:
    void DoRun() override
    {
        for (const bool tagged : {false, true})
        {
            RdmaFabricHelper helper;
            helper.SetInternetStack(true);
            helper.SetDeviceAttribute("TagFrames", BooleanValue(tagged));
            // Each host has a second port, which the flows leave alone.
            RdmaTopology topology = MakeRdmaStar(2, MakeTestRates(100, 100, 1000));
            topology.AddLink(0, 2, 100_gbps, 1_us);
            topology.AddLink(1, 2, 100_gbps, 1_us);
            auto fabric = helper.Install(topology);
            std::vector<RdmaFlow> flows;
            for (uint32_t priority = 0; priority < 8; ++priority)
            {
                // A flow has one segment more than the class's number.
                flows.push_back(MakeTestFlow(priority,
                                             0,
                                             1,
                                             (priority + 1) * 1024,
                                             priority * 10_us,
                                             priority));
            }
            auto runner = RdmaTcpFlowRunner::Make(fabric, flows);
            Simulator::Run();
            for (const auto& result : runner->GetResults())
            {
                NS_TEST_EXPECT_MSG_EQ(result.fct.value_or(-1_ps),
                                      result.ideal,
                                      "class " << result.flow.priority << ", tagged " << tagged);
            }
            for (const auto& row : fabric->GetPortResults())
            {
                const uint32_t tag = tagged ? 4 : 0;
                const uint32_t node = row.port->node;
                const uint32_t port = row.port->number;
                const bool data = (node == 0) || (node == 2 && port == 1);
                const uint32_t frame = data ? 1082 + tag : 64;
                const bool idle = port >= (node == 2 ? 2 : 1);
                NS_TEST_EXPECT_MSG_EQ(row.txBytes,
                                      (idle ? 0 : (row.priority + 1) * frame),
                                      "node " << node << " port " << port << " class "
                                              << row.priority << ", tagged " << tagged);
            }
            Simulator::Destroy();
        }
    }
};

/** The suite. */
class RdmaIwarpTestSuite : public TestSuite
{
  public:
    RdmaIwarpTestSuite()
        : TestSuite("rdma-iwarp")
    {
        AddTestCase(new IwarpTimelineTestCase);
        AddTestCase(new IwarpIdealTestCase);
        AddTestCase(new TurnsTestCase);
        AddTestCase(new TogetherTestCase);
        AddTestCase(new WorkloadTestCase);
        AddTestCase(new ClassTestCase);
    }
};

RdmaIwarpTestSuite g_rdmaIwarpTestSuite; //!< registers the suite

} // namespace
