/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-verbs.h"

#include <ns3/string.h>
#include <ns3/test.h>

#include <utility>

/**
 * \file
 * \ingroup rdma-tests
 * Send requests that take time in the NIC: doorbell, fetch of the WQE, gap between messages. Times
 * are worked out by hand.
 *
 * The setup is that of RdmaTestPair. A byte takes 80 ps, and a frame of s bytes takes the line for
 * (s + 20) x 80 ps. A SEND of 4 bytes has 66 B: 6880 ps on the line, and 2 011 840 ps (SHORT) from
 * NIC to NIC. Back-to-back frames of equal size arrive at the interval at which they start.
 */

using namespace ns3;

namespace
{

/// Attributes of the NICs, by name.
using Attributes = std::vector<std::pair<std::string, std::string>>;

constexpr RdmaPs SEND_ON_LINE = 6880_ps; //!< a SEND of 4 bytes on the line

/** \param test a fabric that is not installed yet \param attributes attributes of all NICs */
void
SetTestTiming(RdmaTestFabric& test, const Attributes& attributes)
{
    for (const auto& [name, value] : attributes)
    {
        test.helper.SetNicAttribute(name, StringValue(value));
    }
}

/** A pair with timing and receive requests for SENDs. */
struct TimedPair : public RdmaTestPair
{
    TimedPair(const Attributes& attributes, RdmaWireFormat format, uint32_t receives)
        : RdmaTestPair([&](RdmaTestFabric& fabric) {
              SetTestTransport(fabric, format);
              SetTestTiming(fabric, attributes);
          })
    {
        for (uint64_t id = 0; id < receives; ++id)
        {
            receiver->PostReceive({100 + id, 1'000'000});
        }
    }
};

/** \param times instants \return text of the instants */
std::string
ToTestText(const std::vector<RdmaPs>& times)
{
    std::ostringstream text;
    for (const RdmaPs time : times)
    {
        text << time << " ";
    }
    return text.str();
}

/** Doorbells, fetches and gaps of single-packet messages. */
class StartsTestCase : public TestCase
{
  public:
    StartsTestCase()
        : TestCase("starts of messages with doorbell, WQE fetch, prefetch and gap")
    {
    }

  private:
    /** Start of a message: an instant, and the number of messages on the line after it. */
    struct Start
    {
        RdmaPs at{0};     //!< instant
        int64_t lines{0}; //!< messages on the line
    };

    /** A setting and the expected times. */
    struct Row
    {
        Attributes attributes;     //!< attributes of the NICs
        std::vector<Start> starts; //!< starts of SENDs posted at 0, 0, 0 and 100 ns
    };

    static std::vector<Row> GetRows()
    {
        return {
            {{}, {{0_ps, 0}, {0_ps, 1}, {0_ps, 2}, {100_ns, 0}}},
            // WqePrefetch changes nothing without a fetch delay.
            {{{"WqePrefetch", "0"}}, {{0_ps, 0}, {0_ps, 1}, {0_ps, 2}, {100_ns, 0}}},
            {{{"DoorbellDelay", "300ns"}}, {{300_ns, 0}, {300_ns, 1}, {300_ns, 2}, {400_ns, 0}}},
            {{{"DoorbellDelay", "1ps"}}, {{1_ps, 0}, {1_ps, 1}, {1_ps, 2}, {100'001_ps, 0}}},
            // Each fetch begins when the previous message has left.
            {{{"WqeFetchDelay", "1us"}, {"WqePrefetch", "0"}},
             {{1_us, 0}, {2_us, 1}, {3_us, 2}, {4_us, 3}}},
            // Two fetches at a time: the third begins when the first message has left.
            {{{"WqeFetchDelay", "1us"}}, {{1_us, 0}, {1_us, 1}, {2_us, 1}, {2_us, 2}}},
            {{{"WqeFetchDelay", "1us"}, {"WqePrefetch", "2"}},
             {{1_us, 0}, {1_us, 1}, {1_us, 2}, {2_us, 1}}},
            // The fourth fetch finds a free place and ends at 100 ns + 1 us.
            {{{"WqeFetchDelay", "1us"}, {"WqePrefetch", "3"}},
             {{1_us, 0}, {1_us, 1}, {1_us, 2}, {1100_ns, 0}}},
            {{{"DoorbellDelay", "300ns"}, {"WqeFetchDelay", "1us"}, {"WqePrefetch", "3"}},
             {{1300_ns, 0}, {1300_ns, 1}, {1300_ns, 2}, {1400_ns, 0}}},
            {{{"MessageGap", "500ns"}}, {{0_ps, 0}, {500_ns, 1}, {1000_ns, 2}, {1500_ns, 3}}},
            // The gap ends within the fetch.
            {{{"WqeFetchDelay", "1us"}, {"WqePrefetch", "0"}, {"MessageGap", "500ns"}},
             {{1_us, 0}, {2_us, 1}, {3_us, 2}, {4_us, 3}}},
            // The second message waits for the gap. From the third on, the fetch of message n ends
            // 1 us after message n - 2 has left.
            {{{"WqeFetchDelay", "1us"}, {"MessageGap", "300ns"}},
             {{1_us, 0}, {1300_ns, 1}, {2_us, 1}, {2300_ns, 2}}},
            {{{"WqeFetchDelay", "1us"}, {"MessageGap", "600ns"}},
             {{1_us, 0}, {1600_ns, 1}, {2200_ns, 2}, {2800_ns, 3}}},
        };
    }

    void DoRun() override
    {
        ForBothTransports([&](RdmaWireFormat format) {
            const bool irn = format == RdmaWireFormat::IRN;
            // IRN's SEND has 8 B more, which take 640 ps on each line.
            const RdmaPs line = irn ? SEND_ON_LINE + 640_ps : SEND_ON_LINE;
            const RdmaPs way = RdmaTestPair::SHORT + (irn ? 1280_ps : 0_ps);
            for (const Row& row : GetRows())
            {
                std::string name = GetTestName(format);
                for (const auto& [attribute, value] : row.attributes)
                {
                    name += " " + attribute + "=" + value;
                }
                std::vector<RdmaPs> arrivals;
                for (const Start& start : row.starts)
                {
                    arrivals.push_back(start.at + start.lines * line + way);
                }
                TimedPair pair(row.attributes, format, 4);
                for (uint64_t id = 0; id < 3; ++id)
                {
                    pair.Post(id, RdmaWrOpcode::SEND, 4);
                }
                pair.At(100_ns, [&]() { pair.Post(3, RdmaWrOpcode::SEND, 4); });
                pair.test.Run();
                NS_TEST_EXPECT_MSG_EQ(pair.GetReceiveTimes(), ToTestText(arrivals), name);
                NS_TEST_EXPECT_MSG_EQ(pair.sends.size(), 4U, name << ": completions");
            }
        });
    }
};

/** Messages of several packets, and turns of other queue pairs. */
class ShareTestCase : public TestCase
{
  public:
    ShareTestCase()
        : TestCase("no gap between packets of a message, nor before other queue pairs' messages")
    {
    }

  private:
    void DoRun() override
    {
        // The WRITE has frames of 1102 and 1086 B, which leave at 89 760 and 178 240.
        TimedPair pair({{"MessageGap", "500ns"}}, RdmaWireFormat::ROCE, 2);
        const auto other = pair.test.fabric->Connect(0, 1);
        other.second->PostReceive({200, 4});
        std::vector<RdmaPs> times;
        other.second->GetReceiveCompletionQueue()->SetCallback(
            Callback<void, const RdmaWorkCompletion&>(
                [&](const RdmaWorkCompletion& completion) { times.push_back(completion.time); }));
        pair.Post(1, RdmaWrOpcode::RDMA_WRITE, 2048);
        pair.Post(2, RdmaWrOpcode::SEND, 4);
        pair.At(300_ns, [&]() {
            RdmaSendRequest request;
            request.opcode = RdmaWrOpcode::SEND;
            request.length = 4;
            other.first->PostSend(request);
        });
        pair.test.Run();
        // The switch sends the second frame behind the first, at 1 us + 88 800 + 89 760. The frame
        // takes 1094 x 80 + 1 us to the NIC.
        NS_TEST_ASSERT_MSG_EQ(pair.arrivals.size(), 2U, "messages");
        NS_TEST_EXPECT_MSG_EQ(pair.arrivals[0].time, 2'266'080_ps, "the WRITE");
        NS_TEST_EXPECT_MSG_EQ(pair.GetReceiveTimes(),
                              ToTestText({178'240_ps + 500_ns + RdmaTestPair::SHORT}),
                              "the SEND behind the WRITE");
        NS_TEST_EXPECT_MSG_EQ(ToTestText(times),
                              ToTestText({300_ns + RdmaTestPair::SHORT}),
                              "the SEND of the other queue pair");
    }
};

/** READs and atomics. */
class ReadsTestCase : public TestCase
{
  public:
    ReadsTestCase()
        : TestCase("READs and atomics: a fetch overlaps with the wait for those before")
    {
    }

  private:
    void DoRun() override
    {
        constexpr RdmaPs READ = 4'185'600_ps; //!< a READ of 1000 B (rdma-transport-read)
        constexpr RdmaPs ATOMIC = 4'028'800_ps;
        {
            TimedPair pair({{"DoorbellDelay", "300ns"}, {"WqeFetchDelay", "1us"}},
                           RdmaWireFormat::ROCE,
                           0);
            pair.sender->SetAttribute("MaxRdAtomic", UintegerValue(1));
            pair.Read(1, 1000);
            pair.FetchAdd(2, 0, 1);
            pair.Read(3, 1000);
            pair.test.Run();
            // The second and the third request are in the NIC when the previous request ends.
            const RdmaPs first = 1300_ns + READ;
            NS_TEST_EXPECT_MSG_EQ(pair.GetSendTimes(),
                                  ToTestText({first, first + ATOMIC, first + ATOMIC + READ}),
                                  "one at a time");
        }
        {
            // Without prefetch the fetch of the SEND begins when the READ request of 78 B has left,
            // at 5 us + 98 x 80. The fence awaits the READ, which is complete before the fetch
            // ends.
            TimedPair pair({{"WqeFetchDelay", "5us"}, {"WqePrefetch", "0"}},
                           RdmaWireFormat::ROCE,
                           1);
            pair.Read(1, 1000);
            RdmaSendRequest request;
            request.id = 2;
            request.opcode = RdmaWrOpcode::SEND;
            request.length = 4;
            request.fence = true;
            pair.sender->PostSend(request);
            pair.test.Run();
            NS_TEST_EXPECT_MSG_EQ(pair.GetReceiveTimes(),
                                  ToTestText({10'007'840_ps + RdmaTestPair::SHORT}),
                                  "the SEND");
            NS_TEST_EXPECT_MSG_EQ(pair.sends[0].time, 5_us + READ, "the READ");
        }
    }
};

/** Retransmissions, which need no fetch. */
class LossTestCase : public TestCase
{
  public:
    LossTestCase()
        : TestCase("retransmissions take no fetch and count as no message")
    {
    }

  private:
    void DoRun() override
    {
        // The first frame is lost. The second frame, SEND_ON_LINE later, brings a NAK, which
        // arrives at 1 us + SEND_ON_LINE + 2 x SHORT. The third request is fetched from 1 us +
        // SEND_ON_LINE on and has left at 2 us + SEND_ON_LINE. All three are sent again without a
        // fetch.
        TimedPair pair({{"WqeFetchDelay", "1us"}}, RdmaWireFormat::ROCE, 3);
        LoseFrames(pair.receiver->GetPort(), {0});
        for (uint64_t id = 0; id < 3; ++id)
        {
            pair.Post(id, RdmaWrOpcode::SEND, 4);
        }
        pair.test.Run();
        const RdmaPs again = 1_us + SEND_ON_LINE + 3 * RdmaTestPair::SHORT;
        NS_TEST_EXPECT_MSG_EQ(pair.GetReceiveTimes(),
                              ToTestText({again, again + SEND_ON_LINE, again + 2 * SEND_ON_LINE}),
                              "go-back-N");
        NS_TEST_EXPECT_MSG_EQ(pair.sender->GetStats().packetsRetransmitted, 3U, "again");
    }
};

/** State changes while requests are on their way into the NIC. */
class StatesTestCase : public TestCase
{
  public:
    StatesTestCase()
        : TestCase("RESET, ERR, SQD and the end of the NIC while requests wait")
    {
    }

  private:
    void DoRun() override
    {
        ForBothTransports([&](RdmaWireFormat format) {
            const Attributes timing = {{"DoorbellDelay", "300ns"}, {"WqeFetchDelay", "1us"}};
            const RdmaPs way =
                RdmaTestPair::SHORT + (format == RdmaWireFormat::IRN ? 1280_ps : 0_ps);
            for (const bool flush : {false, true})
            {
                // Requests of the first connection never start. A request of the second connection
                // takes its full time from its post on.
                TimedPair pair(timing, format, 0);
                pair.Post(1, RdmaWrOpcode::SEND, 4);
                pair.Post(2, RdmaWrOpcode::SEND, 4);
                pair.At(500_ns, [&]() {
                    if (flush)
                    {
                        SetTestState(pair.sender, RdmaQpState::ERR);
                    }
                    for (const auto& qp : {pair.sender, pair.receiver})
                    {
                        SetTestState(qp, RdmaQpState::RESET);
                        SetTestState(qp, RdmaQpState::INIT);
                    }
                    pair.receiver->PostReceive({100, 4});
                    ConnectTestByHand(pair.sender, pair.receiver, pair.receiver->GetInitialPsn());
                    ConnectTestByHand(pair.receiver, pair.sender, pair.sender->GetInitialPsn());
                    pair.Post(3, RdmaWrOpcode::SEND, 4);
                });
                pair.test.Run();
                NS_TEST_EXPECT_MSG_EQ(pair.GetReceiveTimes(),
                                      ToTestText({1800_ns + way}),
                                      GetTestName(format) << ": reset");
                NS_TEST_EXPECT_MSG_EQ(pair.GetSendLog(),
                                      std::string(flush ? "1 SEND 4 IBV_WC_WR_FLUSH_ERR; "
                                                          "2 SEND 4 IBV_WC_WR_FLUSH_ERR; "
                                                        : "") +
                                          "3 SEND 4 IBV_WC_SUCCESS; ",
                                      GetTestName(format) << ": completions");
            }
            {
                // No message starts in SQD. The request has reached the NIC when the queue pair
                // leaves SQD.
                TimedPair pair(timing, format, 1);
                pair.Post(1, RdmaWrOpcode::SEND, 4);
                pair.At(500_ns, [&]() { SetTestState(pair.sender, RdmaQpState::SQD); });
                pair.At(5_us, [&]() { SetTestState(pair.sender, RdmaQpState::RTS); });
                pair.test.Run();
                NS_TEST_EXPECT_MSG_EQ(pair.GetReceiveTimes(),
                                      ToTestText({5_us + way}),
                                      GetTestName(format) << ": SQD");
            }
            {
                TimedPair pair(timing, format, 1);
                pair.Post(1, RdmaWrOpcode::SEND, 4);
                pair.At(500_ns,
                        [&]() { pair.test.fabric->GetNic(0)->DestroyQueuePair(pair.sender); });
                pair.test.Run();
                NS_TEST_EXPECT_MSG_EQ(pair.GetReceiveLog(), "", "destroyed");
            }
            {
                TimedPair pair(timing, format, 1);
                pair.Post(1, RdmaWrOpcode::SEND, 4);
                pair.test.Run(500_ns); // the fabric is disposed with the request in the NIC
                NS_TEST_EXPECT_MSG_EQ(pair.GetReceiveLog(), "", "ended");
            }
        });
    }
};

/** The suite. */
class RdmaNicTimingTestSuite : public TestSuite
{
  public:
    RdmaNicTimingTestSuite()
        : TestSuite("rdma-nic-timing")
    {
        AddTestCase(new StartsTestCase);
        AddTestCase(new ShareTestCase);
        AddTestCase(new ReadsTestCase);
        AddTestCase(new LossTestCase);
        AddTestCase(new StatesTestCase);
    }
};

RdmaNicTimingTestSuite g_rdmaNicTimingTestSuite; //!< registers the suite

} // namespace
