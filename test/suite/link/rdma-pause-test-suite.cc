/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-link.h"

#include <ns3/boolean.h>
#include <ns3/test.h>

#include <string>
#include <utility>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * 802.3x PAUSE, pause frames that a port ignores, and links that fail during a pause, at two ports
 * and a cable. All expected times are worked out by hand, in picoseconds, at 100 Gb/s over 1 us:
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

/** 802.3x: one timer for all classes. */
class PlainPauseTestCase : public TestCase
{
  public:
    PlainPauseTestCase()
        : TestCase("802.3x PAUSE stops all classes")
    {
    }

  private:
    void DoRun() override
    {
        for (const bool serialize : {false, true})
        {
            RdmaTestLink link({{"FlowControl", "Pause"}, {"PauseQuanta", "100"}});
            link.channel->SetAttribute("SerializeFrames", BooleanValue(serialize));
            std::vector<std::string> seen;
            link.a->TraceConnectWithoutContext(
                "PromiscSniffer",
                Callback<void, Ptr<const Packet>>([&](Ptr<const Packet> packet) {
                    uint8_t bytes[20];
                    packet->CopyData(bytes, sizeof bytes);
                    // opcode and pause time
                    if (bytes[12] == 0x88 && bytes[13] == 0x08)
                    {
                        seen.push_back(std::to_string(256 * bytes[14] + bytes[15]) + ":" +
                                       std::to_string(256 * bytes[16] + bytes[17]));
                    }
                }));
            link.At(1_us, [&]() { link.b->GetFlowControl().RequestPause(5, true); });
            link.SendAt(2'200'000_ps, 0, 1, 0);
            link.SendAt(2'200'000_ps, 3, 1, 3);
            link.SendAt(2'200'000_ps, 7, 1, 7);
            // Class 3 also requests a pause and gives it up. Then class 5 gives up its pause.
            link.At(1'100'000_ps, [&]() { link.b->GetFlowControl().RequestPause(3, true); });
            link.At(1'200'000_ps, [&]() { link.b->GetFlowControl().RequestPause(3, false); });
            link.At(1'250'000_ps, [&]() { link.b->GetFlowControl().RequestPause(5, false); });
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(+link.b->GetFlowControl().GetLosslessClasses(),
                                  0xff,
                                  "all are lossless");
            // XON takes effect at 2 355 760. The highest class goes first.
            NS_TEST_EXPECT_MSG_EQ(link.Arrivals(), "7@3456400 3@3558000 0@3659600", "arrivals");
            NS_TEST_ASSERT_MSG_EQ(seen.size(), 2, "the port stops once and goes on once");
            NS_TEST_EXPECT_MSG_EQ(seen[0], "1:100", "opcode 1, 100 quanta");
            NS_TEST_EXPECT_MSG_EQ(seen[1], "1:0", "opcode 1, 0 quanta");
            NS_TEST_EXPECT_MSG_EQ(link.b->GetFlowControl().GetPauseSender().GetXoffSent(0),
                                  1,
                                  "of all classes");
            NS_TEST_EXPECT_MSG_EQ(link.a->GetFlowControl().GetPauseReceiver().GetXoffReceived(0),
                                  1,
                                  "the same");
            NS_TEST_EXPECT_MSG_EQ(
                link.a->GetFlowControl().GetPauseReceiver().GetPausedTime(0, RdmaNow()),
                250'000_ps,
                "paused");
            NS_TEST_EXPECT_MSG_EQ(link.a->GetCounters().macControlIgnored, 0, "none ignored");
        }
    }
};

/** Pause frames that a port ignores, all or in part. */
class IgnoredPauseTestCase : public TestCase
{
  public:
    IgnoredPauseTestCase()
        : TestCase("pause frames for classes without flow control are counted and ignored")
    {
    }

  private:
    void DoRun() override
    {
        struct Row
        {
            const char* flowControl;
            bool plainPause;  //!< PAUSE in place of PFC
            uint8_t classes;  //!< class-enable vector of the pause frame
            uint8_t paused;   //!< classes that the port pauses
            uint64_t ignored; //!< pause frames that the port ignores
        };

        const Row rows[] = {
            {"Pfc", false, 0x08, 0x08, 0},  // as it should be
            {"Pfc", false, 0x20, 0x00, 1},  // class 5 is lossy
            {"Pfc", false, 0x28, 0x08, 1},  // one of two
            {"Pfc", true, 0x00, 0x00, 1},   // PAUSE at a PFC port
            {"None", false, 0xff, 0x00, 1}, // no flow control
            {"None", true, 0x00, 0x00, 1},
            {"Pause", true, 0x00, 0xff, 0},
            {"Pause", false, 0xff, 0x00, 1}, // PFC at a PAUSE port
        };
        for (const Row& row : rows)
        {
            RdmaTestLink link({{"FlowControl", row.flowControl}});
            link.At(1_us, [&]() {
                QbbFramePtr frame = MakeTestPfc(*link.b, row.classes, 1000);
                if (row.plainPause)
                {
                    frame->type = QbbFrameType::PAUSE;
                    frame->quanta = {1000};
                }
                link.b->Enqueue(std::move(frame));
            });
            uint8_t paused = 0;
            link.At(2'105'761_ps,
                    [&]() { paused = link.a->GetFlowControl().GetPauseReceiver().GetPaused(); });
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(+paused, +row.paused, row.flowControl << " " << +row.classes);
            const auto& counters = link.a->GetCounters();
            NS_TEST_EXPECT_MSG_EQ(counters.macControlIgnored,
                                  row.ignored,
                                  row.flowControl << " " << +row.classes);
            NS_TEST_EXPECT_MSG_EQ(counters.macControlRx, 1, "received");
            NS_TEST_EXPECT_MSG_EQ(link.sinkA.arrivals.size(), 0, "never goes further");
        }
    }
};

/** Link down ends every pause; after link up, the port repeats the pauses that it still wants. */
class PauseAndLinkStateTestCase : public TestCase
{
  public:
    PauseAndLinkStateTestCase()
        : TestCase("link down forgets pauses, link up tells them again")
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestLink link({{"PauseQuanta", "1000"}, {"PfcClasses", "56"}});
        RdmaTestPfcLog sent(link.b, "PfcSent");
        // Port a may not send class 3 from 2 105 760 ps on, nor class 4 from 6720 ps later on.
        // The reaction delay of the pause for class 5 has not passed when the link goes down.
        link.At(1_us, [&]() {
            link.b->GetFlowControl().RequestPause(3, true);
            link.b->GetFlowControl().RequestPause(4, true);
        });
        link.At(2_us, [&]() { link.b->GetFlowControl().RequestPause(5, true); });
        link.At(3'050'000_ps, [&]() {
            NS_TEST_EXPECT_MSG_EQ(+link.a->GetFlowControl().GetPauseReceiver().GetPaused(),
                                  0x18,
                                  "paused");
            link.channel->SetUp(false);
            NS_TEST_EXPECT_MSG_EQ(+link.a->GetFlowControl().GetPauseReceiver().GetPaused(),
                                  0,
                                  "forgotten");
        });
        // Class 3 gives up its pause. A port whose link is down sends nothing, not even a refresh
        // (due at 1 000 000 + 2 560 000).
        link.At(3'500'000_ps, [&]() { link.b->GetFlowControl().RequestPause(3, false); });
        link.At(4_us, [&]() { link.channel->SetUp(true); });
        link.SendAt(4'000'001_ps, 30, 1, 3);
        link.SendAt(5'500'000_ps, 50, 1, 5);
        link.At(5'600'000_ps, [&]() {
            NS_TEST_EXPECT_MSG_EQ(+link.a->GetFlowControl().GetPauseReceiver().GetPaused(),
                                  0x30,
                                  "told again");
            link.b->GetFlowControl().RequestPause(4, false);
            link.b->GetFlowControl().RequestPause(5, false);
        });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(sent.GetText(),
                              "3:1000@1000000 4:1000@1006720 5:1000@2000000 4:1000@4000000 "
                              "5:1000@4000000 4:0@5600000 5:0@5606720",
                              "sent");
        // Frame 30 starts at once, frame 50 when XON for class 5 takes effect, at 5 606 720 +
        // 1 105 760.
        NS_TEST_EXPECT_MSG_EQ(link.Arrivals(), "30@5100641 50@7813120", "arrivals");
        const auto& receiver = link.a->GetFlowControl().GetPauseReceiver();
        const RdmaPs end = RdmaNow();
        // 3 050 000 - 2 105 760
        NS_TEST_EXPECT_MSG_EQ(receiver.GetPausedTime(3, end), 944'240_ps, "until it went down");
        // 3 050 000 - 2 112 480, and 5 600 000 - 4 000 000
        NS_TEST_EXPECT_MSG_EQ(receiver.GetPausedTime(4, end), 937'520_ps + 1'600'000_ps, "twice");
        // 5 606 720 - 4 000 000
        NS_TEST_EXPECT_MSG_EQ(receiver.GetPausedTime(5, end), 1'606'720_ps, "the second time");
    }
};

/** The suite. */
class RdmaPauseTestSuite : public TestSuite
{
  public:
    RdmaPauseTestSuite()
        : TestSuite("rdma-pause")
    {
        AddTestCase(new PlainPauseTestCase);
        AddTestCase(new IgnoredPauseTestCase);
        AddTestCase(new PauseAndLinkStateTestCase);
    }
};

RdmaPauseTestSuite g_rdmaPauseTestSuite; //!< registers the suite

} // namespace
