/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-failure-plan.h"
#include "rdma-test-verbs.h"

#include <ns3/boolean.h>
#include <ns3/test.h>
#include <ns3/uinteger.h>

#include <string>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * Planned failures (RdmaFailurePlan) in a run, at times worked out by hand.
 */

using namespace ns3;

namespace
{

/**
 * One flow from host 0 over leaf 2, a spine and leaf 3 to host 1, 100 Gb/s and 1 us each, a byte
 * every 80 ps. The first packet is a WRITE FIRST of 1102 B and occupies the line for 1122 x 80 =
 * 89 760 ps. All others have 1086 B; with preamble they take S = 1094 x 80 = 87 520 ps, and with
 * the gap F = 88 480 ps. Packet k (from 1) starts at 89 760 + (k - 1) F, and arrives at leaf 2 at
 * A(k) = 89 760 + (k - 1) F + S + 1 us = 1 177 280 + (k - 1) F. Each further link takes S + 1 us.
 */
class FailurePlanTestCase : public TestCase
{
  protected:
    /** \param name name of the test case */
    explicit FailurePlanTestCase(const std::string& name)
        : TestCase(name)
    {
    }

    /**
     * \param [in,out] test fabric that is not built yet
     * \param plan failures, where SPINE is the spine of the flow
     * \param convergence time until the new routes hold
     * \param bytes size of the flow
     */
    void Run(RdmaTestFabric& test, std::string plan, RdmaPs convergence, uint64_t bytes)
    {
        // No acknowledgement but the last one.
        test.helper.SetTransportAttribute("AckInterval", UintegerValue(2000));
        test.Install(MakeRdmaLeafSpine(2, 1, 2, MakeTestRates(100, 100, 1000)),
                     {MakeTestFlow(0, 0, 1, bytes)});
        test.fabric->GetRouting()->SetAttribute("ConvergenceDelay",
                                                TimeValue(RdmaToTime(convergence)));
        test.fabric->GetRouting()->TraceConnectWithoutContext(
            "RoutesChanged",
            Callback<void>([this] { m_routes += std::to_string(RdmaNow().Get()) + " "; }));
        const auto path = test.GetPath(*test.runner->GetSender(0));
        m_spine = path.at(1)->GetPeer()->GetNodeId();
        const auto at = plan.find("SPINE");
        if (at != std::string::npos)
        {
            plan.replace(at, 5, std::to_string(m_spine));
        }
        test.fabric->InstallFailures(RdmaFailurePlan::Parse(plan));
        test.fabric->AssignStreams(1);
        path.back()->GetPeer()->GetDevice()->TraceConnectWithoutContext(
            "PhyRxEnd",
            Callback<void, Ptr<const Packet>>([this](Ptr<const Packet>) { m_last = RdmaNow(); }));
        test.Run();
        NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", "the flow");
        NS_TEST_EXPECT_MSG_EQ(RdmaTestBooks::CheckLinks(*test.fabric), "", "books");
        NS_TEST_EXPECT_MSG_EQ(test.fabric->AreBuffersEmpty(), true, "buffers");
    }

    /** \return drops of all ports for a reason */
    static uint64_t CountDrops(const RdmaTestFabric& test, QbbDropReason reason)
    {
        uint64_t drops = 0;
        for (uint32_t link = 0; link < test.fabric->GetTopology().GetNLinks(); ++link)
        {
            const RdmaTopologyLink& ends = test.fabric->GetTopology().GetLink(link);
            for (const uint32_t node : {ends.a, ends.b})
            {
                drops +=
                    RdmaTestBooks::CountDrops(test.fabric->GetDevice(link, node)->GetCounters(),
                                              reason);
            }
        }
        return drops;
    }

    std::string m_routes; //!< times at which routes changed, in ps
    RdmaPs m_last{0};     //!< last arrival at host 1
    uint32_t m_spine{0};  //!< spine of the flow
};

/** The spine of the flow dies. The leaf sends on to it until the routes have converged. */
class DeadSpineTestCase : public FailurePlanTestCase
{
  public:
    DeadSpineTestCase()
        : FailurePlanTestCase("a spine dies: packets on its links and until convergence are lost")
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestFabric test;
        // Packets that have arrived at leaf 3 at 50 us are safe: A(k) + 2 (S + 1 us) < 50 us, so
        // that (k - 1) F < 46 647 680, k - 1 <= 527: packets 0 to 528. Packets that arrive at leaf
        // 2 from 70 us on take the other spine: (k - 1) F >= 68 822 720, k - 1 >= 778. Packets 529
        // to 778 are lost.
        Run(test, "SPINE:down:50us", 20_us, 2'000'000);
        NS_TEST_EXPECT_MSG_EQ(CountDrops(test, QbbDropReason::LINK_DOWN), 250U, "packets lost");
        // One step for each of the two links of the spine, at one instant.
        NS_TEST_EXPECT_MSG_EQ(m_routes, "70000000 70000000 ", "routes");
        NS_TEST_EXPECT_MSG_EQ(test.results[0].timeouts, 0U, "a NAK tells of the gap");
        NS_TEST_EXPECT_MSG_GT(test.results[0].retransmittedPackets, 249U, "sent again");
    }
};

/** A link loses everything for a while, and the routes do not know. */
class BlackHoleTestCase : public FailurePlanTestCase
{
  public:
    BlackHoleTestCase()
        : FailurePlanTestCase("a link loses all frames of one direction for 20 us")
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestFabric test;
        // Packet k arrives at host 1 at A(k) + 3 (S + 1 us) = 4 439 840 + (k - 1) F, from 50 us to
        // below 70 us if k - 1 is 515 to 740.
        Run(test, "leaf-1->host-1:loss=1:50us:70us", 0_us, 2'000'000);
        NS_TEST_EXPECT_MSG_EQ(CountDrops(test, QbbDropReason::CORRUPTED), 226U, "packets lost");
        NS_TEST_EXPECT_MSG_EQ(CountDrops(test, QbbDropReason::LINK_DOWN), 0U, "no link is down");
        NS_TEST_EXPECT_MSG_EQ(m_routes, "", "routes");
    }
};

/** The last link has a quarter of its rate. */
class SlowLinkTestCase : public FailurePlanTestCase
{
  public:
    SlowLinkTestCase()
        : FailurePlanTestCase("the last link has a quarter of its rate")
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestFabric test;
        // Packet 0 arrives at leaf 3 at 3 x (1110 x 80 + 1 us) = 3 266 400, and occupies the slow
        // link for 1122 x 320 = 359 040; packets 1 to 8 take 4 F = 353 920 each. The last bit of
        // packet 9 has left 4 S = 350 080 later, and arrives 1 us after that.
        Run(test, "leaf-1->host-1:rate=25%:0us", 0_us, 10'240);
        NS_TEST_EXPECT_MSG_EQ(m_last, 7'806'880_ps, "last arrival");
        NS_TEST_EXPECT_MSG_EQ(test.results[0].retransmittedPackets, 0U, "nothing is lost");
    }
};

/** A queue fills before a switch dies: its frames are lost with it. */
class DeadQueueTestCase : public TestCase
{
  public:
    DeadQueueTestCase()
        : TestCase("a switch dies with a full buffer and comes back")
    {
    }

  private:
    void DoRun() override
    {
        for (const bool serialize : {false, true})
        {
            RdmaTestFabric test;
            test.helper.SetChannelAttribute("SerializeFrames", BooleanValue(serialize));
            test.Install(MakeRdmaStar(5, MakeTestRates(100, 100, 1000)),
                         MakeTestIncast(4, 4, 500'000));
            test.fabric->InstallFailures(RdmaFailurePlan::Parse(
                "5:down:40us:90us,host-0/5:rate=10Gbps:60us:150us,5->host-4:loss=0.01:100us"));
            test.fabric->AssignStreams(1);
            uint64_t before = 0;
            RdmaTestPair::At(39'999'999_ps, [&]() {
                before = test.fabric->GetSwitch(5)->GetBufferManager()->GetUsage().usedBytes;
            });
            RdmaTestPair::At(40'000'001_ps, [&]() {
                const auto sw = test.fabric->GetSwitch(5);
                NS_TEST_EXPECT_MSG_EQ(sw->GetBufferManager()->GetUsage().usedBytes, 0, "after");
                m_lost = 0;
                for (uint32_t port = 0; port < sw->GetNPorts(); ++port)
                {
                    m_lost += RdmaTestBooks::CountDrops(sw->GetPort(port)->GetCounters(),
                                                        QbbDropReason::LINK_DOWN);
                }
            });
            test.Run();
            NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", "flows");
            NS_TEST_EXPECT_MSG_GT(before, 50'000U, "a queue");
            NS_TEST_EXPECT_MSG_GT(m_lost, before / 1102, "the queue, and frames on the links");
            NS_TEST_EXPECT_MSG_EQ(RdmaTestBooks::CheckLinks(*test.fabric), "", "books");
            NS_TEST_EXPECT_MSG_EQ(test.fabric->AreBuffersEmpty(), true, "buffers");
            m_digest = serialize ? m_digest : test.GetDigest();
            NS_TEST_EXPECT_MSG_EQ(test.GetDigest(), m_digest, "as bytes");
        }
    }

    uint64_t m_lost{0};   //!< frames lost at the switch's ports
    std::string m_digest; //!< of the run whose frames stay in memory
};

/** Planned failures count as causes of loss, for the retransmission timer. */
class FailureTimerTestCase : public TestCase
{
  public:
    FailureTimerTestCase()
        : TestCase("the automatic timer knows planned failures")
    {
    }

  private:
    std::string Describe(const std::string& plan)
    {
        RdmaTestFabric test;
        test.Install(MakeRdmaStar(3, MakeTestRates(100, 100, 1000)), {});
        test.fabric->InstallFailures(RdmaFailurePlan::Parse(plan));
        return test.fabric->GetTimers().Describe(3);
    }

    void DoRun() override
    {
        const std::string off = "Retransmission timer: off. No frame of the class can get lost.";
        NS_TEST_EXPECT_MSG_EQ(Describe(""), off, "no failure");
        NS_TEST_EXPECT_MSG_EQ(Describe("0/3:rate=25%:1us"), off, "a slow link");
        for (const std::string plan : {"0/3:down:1us", "0->3:loss=0.1:1us", "0->3:rate=25%:1us"})
        {
            const std::string text = Describe(plan);
            NS_TEST_EXPECT_MSG_NE(text.find("Frames may get lost: host-0"),
                                  std::string::npos,
                                  text << " with " << plan);
        }
        const auto getQueue = [this](const std::string& plan) {
            const std::string text = Describe(plan);
            const auto at = text.find("longest queue ");
            return at == std::string::npos ? 0.0 : std::stod(text.substr(at + 14));
        };
        NS_TEST_EXPECT_MSG_EQ_TOL(getQueue("0/3:down:1us,1/3:rate=25%:0us") /
                                      getQueue("0/3:down:1us"),
                                  4,
                                  0.01,
                                  "a queue in front of a slow link takes four times as long");
    }
};

/** The suite. */
class RdmaFailuresTestSuite : public TestSuite
{
  public:
    RdmaFailuresTestSuite()
        : TestSuite("rdma-failures")
    {
        AddTestCase(new DeadSpineTestCase);
        AddTestCase(new BlackHoleTestCase);
        AddTestCase(new SlowLinkTestCase);
        AddTestCase(new DeadQueueTestCase);
        AddTestCase(new FailureTimerTestCase);
    }
};

RdmaFailuresTestSuite g_rdmaFailuresTestSuite; //!< registers the suite

} // namespace
