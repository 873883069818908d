/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-link.h"

#include <ns3/boolean.h>
#include <ns3/test.h>

#include <string>

/**
 * \file
 * \ingroup rdma-tests
 * Both halves of PFC at two ports and a cable: pause frames, their times and their effects. All
 * expected times are worked out by hand, in picoseconds, at 100 Gb/s over 1 us:
 *
 * - A pause frame (64 B) arrives (8 + 64) x 80 + 1 000 000 = 1 005 760 after its start and takes
 *   84 x 80 = 6720 of the line. It takes effect PauseReactionDelay (100 000) after its arrival:
 *   1 105 760 after its start.
 * - A data frame (1250 B) arrives 1 100 640 after its start and takes 101 600 of the line.
 * - A pause of 100 quanta lasts 100 x 512 x 10 = 512 000.
 */

using namespace ns3;

namespace
{

/** XOFF and XON: when the class stops, when it resumes, and that other classes go on. */
class PfcPauseTestCase : public TestCase
{
  public:
    PfcPauseTestCase()
        : TestCase("a pause takes effect after the reaction delay, between frames")
    {
    }

  private:
    void DoRun() override
    {
        for (const bool serialize : {false, true})
        {
            RdmaTestLink link;
            link.channel->SetAttribute("SerializeFrames", BooleanValue(serialize));
            RdmaTestPfcLog sent(link.b, "PfcSent");
            RdmaTestPfcLog received(link.a, "PfcReceived");
            link.SendAt(1_us, 0, 13, 3);
            link.At(1_us, [&]() { link.b->GetFlowControl().RequestPause(3, true); });
            // XOFF takes effect at 2 105 760. Frame 10 started at 2 016 000 and is sent to its end.
            // Frame 11 would start at 2 117 600, but does not. Class 4 goes on at that moment.
            link.SendAt(2'110'000_ps, 40, 1, 4);
            link.At(3_us, [&]() {
                NS_TEST_EXPECT_MSG_EQ(+link.a->GetFlowControl().GetPauseReceiver().GetPaused(),
                                      8,
                                      "paused");
                NS_TEST_EXPECT_MSG_EQ(
                    link.a->GetFlowControl().GetPauseReceiver().GetPausedTime(3, 3_us),
                    894'240_ps,
                    "paused so far");
                NS_TEST_EXPECT_MSG_EQ(link.a->GetQueues().GetFrames(3), 2, "11 and 12 wait");
                link.b->GetFlowControl().RequestPause(3, false);
            });
            // XON takes effect at 3 000 000 + 1 105 760 = 4 105 760. Then frames 11 and 12 go.
            Simulator::Run();
            const std::string text = link.Arrivals();
            const std::string last = "10@3116640 40@3218240 11@5206400 12@5308000";
            NS_TEST_EXPECT_MSG_EQ(text.substr(text.size() - last.size()), last, "arrivals");
            NS_TEST_EXPECT_MSG_EQ(sent.GetText(), "3:65535@1000000 3:0@3000000", "sent");
            NS_TEST_EXPECT_MSG_EQ(received.GetText(), "3:65535@2005760 3:0@4005760", "received");
            const auto& receiver = link.a->GetFlowControl().GetPauseReceiver();
            const RdmaPs end = RdmaNow();
            NS_TEST_EXPECT_MSG_EQ(receiver.GetPausedTime(3, end), 2_us, "paused in all");
            NS_TEST_EXPECT_MSG_EQ(receiver.GetPausedTime(4, end), 0_ps, "another class");
            NS_TEST_EXPECT_MSG_EQ(receiver.GetXoffReceived(3), 1, "XOFF");
            NS_TEST_EXPECT_MSG_EQ(receiver.GetXonReceived(3), 1, "XON");
            NS_TEST_EXPECT_MSG_EQ(link.b->GetFlowControl().GetPauseSender().GetXoffSent(3),
                                  1,
                                  "XOFF");
            NS_TEST_EXPECT_MSG_EQ(link.b->GetFlowControl().GetPauseSender().GetXonSent(3),
                                  1,
                                  "XON");
            NS_TEST_EXPECT_MSG_EQ(link.b->GetCounters().macControlTx, 2, "pause frames");
            NS_TEST_EXPECT_MSG_EQ(link.a->GetCounters().macControlRx, 2, "pause frames");
            NS_TEST_EXPECT_MSG_EQ(link.a->GetCounters().macControlIgnored, 0, "none ignored");
        }
        {
            // A frame that would start at the very instant of the effect does not start: frame 11,
            // at 988 160 + 11 x 101 600 = 2 105 760.
            RdmaTestLink link;
            link.SendAt(988'160_ps, 0, 13, 3);
            link.At(1_us, [&]() { link.b->GetFlowControl().RequestPause(3, true); });
            link.At(4_us, [&]() { Simulator::Stop(); });
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(link.sinkB.arrivals.size(), 11, "frames 0 to 10");
        }
        {
            // Without a reaction delay the pause takes effect at 2 005 760, when frame 9
            // (1 914 400) is on the line.
            RdmaTestLink link({{"PauseReactionDelay", "0ns"}});
            link.SendAt(1_us, 0, 13, 3);
            link.At(1_us, [&]() { link.b->GetFlowControl().RequestPause(3, true); });
            link.At(2'900'000_ps, [&]() { link.b->GetFlowControl().RequestPause(3, false); });
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(link.sinkB.arrivals.at(9).at, 3'015'040_ps, "frame 9");
            // 2 900 000 + 1 005 760 + 1 100 640
            NS_TEST_EXPECT_MSG_EQ(link.sinkB.arrivals.at(10).at, 5'006'400_ps, "frame 10");
        }
    }
};

/** Pause frames on the line of the port that sends them. */
class PauseFrameTestCase : public TestCase
{
  public:
    PauseFrameTestCase()
        : TestCase("a pause frame waits for the frame on the line and overtakes the queue")
    {
    }

  private:
    void DoRun() override
    {
        for (const bool overhead : {true, false})
        {
            RdmaTestLink link(
                {{"LineOverhead", overhead ? "true" : "false"}, {"PfcClasses", "24"}});
            RdmaTestPfcLog sent(link.a, "PfcSent");
            RdmaTestPfcLog received(link.b, "PfcReceived");
            link.SendAt(1_us, 0, 3, 7);
            // Both classes request a pause while frame 0 is on the line: one pause frame serves
            // both.
            link.At(1'010'000_ps, [&]() { link.a->GetFlowControl().RequestPause(3, true); });
            link.At(1'020'000_ps, [&]() { link.a->GetFlowControl().RequestPause(4, true); });
            // A repeated request causes no pause frame.
            link.At(1'300'000_ps, [&]() { link.a->GetFlowControl().RequestPause(3, true); });
            link.At(1'400'000_ps, [&]() {
                link.a->GetFlowControl().RequestPause(3, false);
                link.a->GetFlowControl().RequestPause(4, false);
            });
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(link.a->GetCounters().macControlTx, 3, "pause frames");
            if (overhead)
            {
                // The pause frame starts at 1 101 600, frames 1 and 2 at 1 108 320 and 1 209 920.
                // At 1 400 000 the line is free: class 3 has a pause frame, and 6720 later class 4
                // has one.
                NS_TEST_EXPECT_MSG_EQ(link.Arrivals(), "0@2100640 1@2208960 2@2310560", "data");
                NS_TEST_EXPECT_MSG_EQ(sent.GetText(),
                                      "3:65535@1101600 4:65535@1101600 3:0@1400000 4:0@1406720",
                                      "sent");
                NS_TEST_EXPECT_MSG_EQ(received.GetText(),
                                      "3:65535@2107360 4:65535@2107360 3:0@2405760 4:0@2412480",
                                      "received");
            }
            else
            {
                // A data frame takes 1250 x 80 = 100 000, a pause frame 64 x 80 = 5120.
                NS_TEST_EXPECT_MSG_EQ(link.Arrivals(), "0@2100000 1@2205120 2@2305120", "data");
                NS_TEST_EXPECT_MSG_EQ(received.GetText(),
                                      "3:65535@2105120 4:65535@2105120 3:0@2405120 4:0@2410240",
                                      "received");
            }
        }
    }
};

/** The length of a pause, and its repetition. */
class QuantaTestCase : public TestCase
{
  public:
    QuantaTestCase()
        : TestCase("a pause runs out by its quanta, and is repeated while it is wanted")
    {
    }

  private:
    void DoRun() override
    {
        {
            // A single frame with 100 quanta for class 3: paused from 2 105 760 to 2 617 760.
            RdmaTestLink link;
            link.At(1_us, [&]() { link.b->Enqueue(MakeTestPfc(*link.b, 8, 100)); });
            link.SendAt(2'200'000_ps, 0, 1, 3);
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(link.Arrivals(), "0@3718400", "after the pause");
            NS_TEST_EXPECT_MSG_EQ(link.GetPausedTime(), 512'000_ps, "length");
        }
        {
            // A second pause of 50 quanta replaces the rest of the first pause: it takes effect at
            // 1 300 000 + 1 105 760 and lasts 256 000, to 2 661 760.
            RdmaTestLink link;
            link.At(1_us, [&]() { link.b->Enqueue(MakeTestPfc(*link.b, 8, 100)); });
            link.At(1'300'000_ps, [&]() { link.b->Enqueue(MakeTestPfc(*link.b, 8, 50)); });
            link.SendAt(2'200'000_ps, 0, 1, 3);
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(link.Arrivals(), "0@3762400", "after the pause");
            NS_TEST_EXPECT_MSG_EQ(link.GetPausedTime(), 556'000_ps, "length");
        }
        {
            // The pause frame is repeated after half its length, 256 000: sent at 1 000 000,
            // 1 256 000, 1 512 000, 1 768 000, and not again after XON at 2 000 000. Class 3 is
            // paused without a gap from 2 105 760 to 3 105 760.
            RdmaTestLink link({{"PauseQuanta", "100"}});
            RdmaTestPfcLog sent(link.b, "PfcSent");
            link.SendAt(2'200'000_ps, 0, 1, 3);
            link.At(1_us, [&]() { link.b->GetFlowControl().RequestPause(3, true); });
            link.At(2_us, [&]() { link.b->GetFlowControl().RequestPause(3, false); });
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(sent.GetText(),
                                  "3:100@1000000 3:100@1256000 3:100@1512000 3:100@1768000 "
                                  "3:0@2000000",
                                  "sent");
            NS_TEST_EXPECT_MSG_EQ(link.Arrivals(), "0@4206400", "after XON");
            const auto& receiver = link.a->GetFlowControl().GetPauseReceiver();
            NS_TEST_EXPECT_MSG_EQ(receiver.GetPausedTime(3, RdmaNow()), 1_us, "paused");
            NS_TEST_EXPECT_MSG_EQ(receiver.GetXoffReceived(3), 4, "pauses and refreshes");
            NS_TEST_EXPECT_MSG_EQ(link.b->GetFlowControl().GetPauseSender().GetXoffSent(3),
                                  4,
                                  "the same");
        }
        {
            // The refresh waits for the frame on the line: b is sending at 1 256 000, to
            // 1 200 000 + 101 600 = 1 301 600. The next one is due 256 000 after that.
            RdmaTestLink link({{"PauseQuanta", "100"}});
            RdmaTestPfcLog sent(link.b, "PfcSent");
            link.At(1_us, [&]() { link.b->GetFlowControl().RequestPause(3, true); });
            link.At(1'200'000_ps, [&]() { link.b->Enqueue(MakeTestFrame(*link.b, 0, 7)); });
            link.At(1'600'000_ps, [&]() { link.b->GetFlowControl().RequestPause(3, false); });
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(sent.GetText(),
                                  "3:100@1000000 3:100@1301600 3:100@1557600 3:0@1600000",
                                  "sent");
            NS_TEST_EXPECT_MSG_EQ(link.GetPausedTime(), 600'000_ps, "paused");
        }
        {
            // 3 Gb/s: a quantum is 512 000 / 3 ps; 100 are 17 066 666 2/3. The pause frame
            // arrives after 72 x 8000/3 = 192 000 and the delay.
            RdmaTestLink link({{"DataRate", "3Gbps"}});
            link.At(1_us, [&]() { link.b->Enqueue(MakeTestPfc(*link.b, 8, 100)); });
            link.At(100_us, [&]() { Simulator::Stop(); });
            link.SendAt(2'400'000_ps, 0, 1, 3, 64);
            Simulator::Run();
            // effect 2 292 000, end 19 358 666, frame 192 000 and the delay later
            NS_TEST_EXPECT_MSG_EQ(link.Arrivals(), "0@20550666", "after the pause");
        }
    }
};

/** A port whose frames are all paused has no events. */
class PausedEventsTestCase : public TestCase
{
  public:
    PausedEventsTestCase()
        : TestCase("a paused port has no events but the end of the pause")
    {
    }

  private:
    void DoRun() override
    {
        // The class is paused from 2 105 760 to 2 617 760. Three frames are offered. The events
        // between 2 150 000 and 2 617 759 are the three offers; the next event is the end of the
        // pause.
        RdmaTestLink link;
        link.At(1_us, [&]() { link.b->Enqueue(MakeTestPfc(*link.b, 8, 100)); });
        uint64_t count[3] = {};
        link.At(2'150'000_ps, [&]() { count[0] = Simulator::GetEventCount(); });
        link.SendAt(2'200'000_ps, 0, 1, 3);
        link.SendAt(2'300'000_ps, 1, 1, 3);
        link.SendAt(2'400'000_ps, 2, 1, 3);
        link.At(2'617'759_ps, [&]() { count[1] = Simulator::GetEventCount(); });
        link.At(2'617'761_ps, [&]() { count[2] = Simulator::GetEventCount(); });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(count[1] - count[0] - 1, 3, "offers");
        NS_TEST_EXPECT_MSG_EQ(count[2] - count[1] - 1, 1, "end of the pause");
        // Frames start at 2 617 760, 101 600 apart, and arrive 1 100 640 later.
        NS_TEST_EXPECT_MSG_EQ(link.Arrivals(), "0@3718400 1@3820000 2@3921600", "arrivals");
    }
};

/**
 * \ingroup rdma-tests
 * Flow control at a link.
 */
class RdmaPfcTestSuite : public TestSuite
{
  public:
    RdmaPfcTestSuite()
        : TestSuite("rdma-pfc")
    {
        AddTestCase(new PfcPauseTestCase);
        AddTestCase(new PauseFrameTestCase);
        AddTestCase(new QuantaTestCase);
        AddTestCase(new PausedEventsTestCase);
    }
};

RdmaPfcTestSuite g_rdmaPfcTestSuite; //!< registers the suite

} // namespace
