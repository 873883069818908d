/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-fabric.h"

#include <ns3/rdma-fabric-run.h>
#include <ns3/string.h>
#include <ns3/test.h>

#include <algorithm>

/**
 * \file
 * \ingroup rdma-tests
 * 64 senders and one receiver: with PFC nothing is lost and the receiver's line is never idle,
 * without PFC frames are lost and sent again.
 */

using namespace ns3;

namespace
{

constexpr uint32_t SENDERS = 64;
constexpr uint64_t FLOW_BYTES = 1'000'000;

/**
 * Line bytes of one flow: 976 packets of 1024 B and one of 576, each with 62 B of headers and FCS
 * and 20 B of preamble and gap, and one RETH: 1 000 000 + 977 x 82 + 16 = 1 080 130.
 */
constexpr uint64_t FLOW_LINE_BYTES = 1'080'130;

/**
 * When the last byte of all flows arrives if all start at 0 at 100 Gb/s (80 ps a byte). The last
 * link begins when the first frame has come to the last switch, and is never idle from then on.
 * There is no gap behind the last frame.
 *
 * \param first arrival of the first frame at the last switch
 * \return when the last frame arrives at the receiver, 1 us away
 */
constexpr RdmaPs
GetLastArrival(RdmaPs first)
{
    return first + (SENDERS * FLOW_LINE_BYTES - 12) * 80_ps + 1_us;
}

/** \return flows from the hosts \p first .. \p first + 63 to host \p receiver, all starting at 0 */
std::vector<RdmaFlow>
MakeIncast(uint32_t first, uint32_t receiver)
{
    std::vector<RdmaFlow> flows;
    for (uint32_t i = 0; i < SENDERS; ++i)
    {
        flows.push_back(MakeTestFlow(i, first + i, receiver, FLOW_BYTES));
    }
    return flows;
}

/** \param results results of flows \return the latest completion */
RdmaPs
GetLast(const std::vector<RdmaFlowResult>& results)
{
    RdmaPs last;
    for (const auto& result : results)
    {
        last = std::max(last, result.flow.start + result.fct.value_or(0_ps));
    }
    return last;
}

/** \param sw a switch \return the most headroom that any of its ports ever used in class 3 */
uint32_t
GetPeakHeadroom(const QbbSwitch& sw)
{
    uint64_t peak = 0;
    for (uint16_t port = 0; port < sw.GetNPorts(); ++port)
    {
        peak = std::max(peak, sw.GetBufferManager()->GetIngress(port, 3).peakHeadroomBytes);
    }
    return peak;
}

/** All senders and the receiver are at one switch. */
class StarTestCase : public TestCase
{
  public:
    StarTestCase()
        : TestCase("64 to 1 at one switch, lossless")
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestFabric test;
        constexpr uint32_t BUFFER = 4 << 20;
        test.helper.SetBufferAttribute("BufferSize", UintegerValue(BUFFER));
        test.Install(MakeRdmaStar(SENDERS + 1, MakeTestRates(100, 100, 1000)),
                     MakeIncast(0, SENDERS));
        test.CheckBooksEvery(10_us);
        test.Run();

        NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", "flows");
        NS_TEST_EXPECT_MSG_EQ(test.fabric->GetTotals().drops, 0U, "nothing is lost");
        NS_TEST_EXPECT_MSG_EQ(test.wrong, "", "books");
        NS_TEST_EXPECT_MSG_GT(test.checks, 500U, "the books were looked at");
        NS_TEST_EXPECT_MSG_EQ(RdmaTestBooks::CheckRest(*test.fabric), "", "after the run");

        // The receiver's line is never idle. Its goodput is the line rate less the headers. The
        // first frame, 1102 B with its RETH, is at the switch after (8 + 1102) x 80 + 1 us.
        NS_TEST_EXPECT_MSG_EQ(GetLast(test.results), GetLastArrival(1'088'800_ps), "last arrival");
        const double seconds = static_cast<double>(GetLast(test.results) - 1'088'800_ps) * 1e-12;
        const double payloadRate = 100e9 * 1024 / (1024 + 82);
        NS_TEST_EXPECT_MSG_GT(SENDERS * FLOW_BYTES * 8 / seconds / payloadRate, 0.99, "throughput");

        // Headroom, by hand (see QbbPfcHeadroom): a pause waits for a frame of 1522 + 20 B, then
        // takes 72 B, 1 us of cable and 100 ns of reaction: 123 360 + 5760 + 1 100 000 =
        // 1 229 120 ps; and 1 us of cable back: 2 229 120 / 80 - 12 = 27 852 line bytes, which are
        // 18 frames of 1522 and 27 852 - 18 x 1542 - 20 = 76 bytes more: 27 472. With the frame
        // that crosses the threshold and the one that has begun: 27 472 + 2 x 1522 = 30 516.
        const auto sw = test.fabric->GetSwitch(SENDERS + 1);
        const auto& buffer = *sw->GetBufferManager();
        NS_TEST_EXPECT_MSG_EQ(buffer.GetIngress(0, 3).headroomLimit, 30'516U, "headroom");
        NS_TEST_EXPECT_MSG_EQ((GetPeakHeadroom(*sw) <= 30'516U), true, "no more than that");
        // Senders that send only full packets need nearly as much: a pause takes effect 72 x 80 +
        // 2 us + 100 ns after the frame that crosses the threshold. In that time 26 322 line bytes
        // arrive, 23.8 frames of 1106. With the frame that crosses the threshold that makes at
        // least 24 x 1086.
        NS_TEST_EXPECT_MSG_GT(GetPeakHeadroom(*sw), 24U * 1086, "headroom was needed");
        // 65 headrooms and 65 x 8 reserves of 1248: 1 983 540 + 648 960. The burst does not fit
        // into the rest, 1 561 804 B.
        const QbbBufferUsage usage = buffer.GetUsage();
        NS_TEST_EXPECT_MSG_EQ(usage.sharedSize, BUFFER - 1'983'540U - 648'960U, "shared part");
        NS_TEST_EXPECT_MSG_EQ((usage.peakUsedBytes <= BUFFER), true, "it is a buffer of 4 MiB");
        NS_TEST_EXPECT_MSG_GT(usage.peakUsedBytes, usage.sharedSize / 2, "it was in use");

        // No sender starves: a FIFO has no round robin among the switch's inputs, but the switch
        // pauses and resumes all senders alike.
        for (const auto& result : test.results)
        {
            NS_TEST_EXPECT_MSG_GT(result.fct.value_or(0_ps), GetLast(test.results) / 2, "share");
            NS_TEST_EXPECT_MSG_EQ(result.retransmittedPackets, 0U, "nothing sent again");
        }
    }
};

/** The senders are at other leaves than the receiver. */
class LeafSpineTestCase : public TestCase
{
  public:
    LeafSpineTestCase()
        : TestCase("64 to 1 across a leaf-spine fabric, lossless")
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestFabric test;
        // Leaf 0 has the receiver, host 0, and no sender. Hosts 16 .. 79 send.
        test.helper.SetBufferAttribute("BufferSize", UintegerValue(2 << 20));
        test.Install(MakeRdmaLeafSpine(5, 16, 4, MakeTestRates(100, 400, 1000)), MakeIncast(16, 0));
        test.CheckBooksEvery(10_us);
        test.Run();
        NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", "flows");
        NS_TEST_EXPECT_MSG_EQ(test.fabric->GetTotals().drops, 0U, "nothing is lost");
        NS_TEST_EXPECT_MSG_EQ(test.wrong, "", "books");
        NS_TEST_EXPECT_MSG_EQ(RdmaTestBooks::CheckRest(*test.fabric), "", "after the run");
        // The first frame is at the receiver's leaf after (8 + 1102) x 80 at its host,
        // 2 x 1110 x 20 at 400 Gb/s, and 3 us.
        NS_TEST_EXPECT_MSG_EQ(GetLast(test.results), GetLastArrival(3'133'200_ps), "last arrival");
        uint64_t peak = 0;
        for (const uint32_t id : test.fabric->GetTopology().GetSwitches())
        {
            const auto sw = test.fabric->GetSwitch(id);
            for (uint16_t port = 0; port < sw->GetNPorts(); ++port)
            {
                const auto usage = sw->GetBufferManager()->GetIngress(port, 3);
                NS_TEST_EXPECT_MSG_EQ((usage.peakHeadroomBytes <= usage.headroomLimit),
                                      true,
                                      "headroom of switch " << id << " port " << port);
                peak = std::max(peak, usage.peakHeadroomBytes);
            }
        }
        NS_TEST_EXPECT_MSG_GT(peak, 0U, "headroom was needed");
        // Pauses spread back to the senders.
        uint64_t paused = 0;
        for (uint32_t host = 16; host < 80; ++host)
        {
            const auto port = test.fabric->GetNic(host)->GetPort(0);
            paused += port->GetFlowControl().GetPauseReceiver().GetXoffReceived(3);
        }
        NS_TEST_EXPECT_MSG_GT(paused, 0U, "senders are paused");
    }
};

/** Headroom that is too small loses frames, which shows that the lossless cases could fail. */
class SmallHeadroomTestCase : public TestCase
{
  public:
    SmallHeadroomTestCase()
        : TestCase("64 to 1 with too little headroom: frames are lost, counted, and sent again")
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestFabric test;
        test.helper.SetBufferAttribute("BufferSize", UintegerValue(4 << 20));
        // Below the 24 x 1086 = 26 064 B that the lossless case shows to be needed.
        test.helper.SetBufferAttribute("HeadroomBytes", UintegerValue(20'000));
        test.SetRetries(320_us, 1'000'000);
        test.Install(MakeRdmaStar(SENDERS + 1, MakeTestRates(100, 100, 1000)),
                     MakeIncast(0, SENDERS));
        test.CheckBooksEvery(100_us);
        test.Run();
        NS_TEST_EXPECT_MSG_GT(RdmaTestBooks::CountDrops(*test.fabric, QbbDropReason::HEADROOM_FULL),
                              0U,
                              "lost frames");
        NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", "flows");
        NS_TEST_EXPECT_MSG_EQ(test.wrong, "", "books");
        NS_TEST_EXPECT_MSG_EQ(RdmaTestBooks::CheckRest(*test.fabric), "", "after the run");
    }
};

/** The incast without PFC. */
class LossyTestCase : public TestCase
{
  public:
    LossyTestCase()
        : TestCase("64 to 1 without PFC: frames are lost and sent again")
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestFabric test;
        test.helper.SetDeviceAttribute("FlowControl", StringValue("None"));
        test.helper.SetBufferAttribute("BufferSize", UintegerValue(4 << 20));
        test.SetRetries(320_us, 1'000'000);
        test.Install(MakeRdmaStar(SENDERS + 1, MakeTestRates(100, 100, 1000)),
                     MakeIncast(0, SENDERS));
        test.CheckBooksEvery(100_us);
        test.Run();
        NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", "flows");
        const RdmaFabricTotals totals = test.fabric->GetTotals();
        NS_TEST_EXPECT_MSG_GT(totals.drops, 0U, "lost frames");
        NS_TEST_EXPECT_MSG_EQ(totals.pauseFrames, 0U, "no pauses");
        // All 64 ports send into one queue. The limit of that queue drops the frames.
        NS_TEST_EXPECT_MSG_EQ(RdmaTestBooks::CountDrops(*test.fabric, QbbDropReason::EGRESS_LIMIT),
                              totals.drops,
                              "reason");
        uint64_t again = 0;
        for (const auto& result : test.results)
        {
            again += result.retransmittedPackets;
        }
        // Go-back-N retransmits at least the packets that were lost.
        NS_TEST_EXPECT_MSG_GT(again, totals.drops - 1, "sent again");
        NS_TEST_EXPECT_MSG_GT(GetLast(test.results), GetLastArrival(1'088'800_ps), "it costs time");
        NS_TEST_EXPECT_MSG_EQ(test.wrong, "", "books");
        NS_TEST_EXPECT_MSG_EQ(RdmaTestBooks::CheckRest(*test.fabric), "", "after the run");
    }
};

/** 32 senders without PFC, with go-back-N and a window that losses and marks reduce. */
class WindowOfRepeatsTestCase : public TestCase
{
  public:
    WindowOfRepeatsTestCase()
        : TestCase("without PFC: retransmissions of go-back-N stay within the congestion window")
    {
    }

  private:
    void DoRun() override
    {
        RdmaFabricOptions options;
        options.topology = "star:33";
        options.workload = "incast:32";
        options.bytes = "500KB";
        options.transport = "roce";
        options.pfc = "off";
        options.switchType = "shared";
        options.buffer = "400KB";
        options.cc = "dctcp-window";
        RdmaFabricRun run(options);
        run.Run();
        const RdmaFabricOutcome outcome = run.GetOutcome();
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(outcome.summary.flowsCompleted, 32U, "flows");
        // Retransmissions at line rate, regardless of the window, would lose 9556 packets.
        NS_TEST_EXPECT_MSG_LT(outcome.summary.drops, 5000U, "drops");
        NS_TEST_EXPECT_MSG_GT(outcome.summary.drops, 500U, "it is lossy");
    }
};

/** The suite. */
class RdmaIncastTestSuite : public TestSuite
{
  public:
    RdmaIncastTestSuite()
        : TestSuite("rdma-incast")
    {
        AddTestCase(new StarTestCase);
        AddTestCase(new LeafSpineTestCase);
        AddTestCase(new SmallHeadroomTestCase);
        AddTestCase(new LossyTestCase);
        AddTestCase(new WindowOfRepeatsTestCase);
    }
};

RdmaIncastTestSuite g_rdmaIncastTestSuite; //!< registers the suite

} // namespace
