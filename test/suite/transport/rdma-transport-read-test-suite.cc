/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-verbs.h"

#include <ns3/test.h>

/**
 * \file
 * \ingroup rdma-tests
 * READs and atomics without errors: their duration, and how they share a line. Times are worked out
 * by hand. Losses are in rdma-read-loss-test-suite.cc.
 *
 * The setup is that of RdmaTestPair: a byte takes 80 ps, a frame of s bytes gets from NIC to NIC in
 * 2 x ((8 + s) x 80 + 1 us) and takes (s + 20) x 80 of the line. Frames of RoCE: READ request 78 B,
 * atomic 90 B, its result 74 B, READ response 62 B + payload and 4 B more if it is the first or the
 * last; acknowledgement 66 B.
 */

using namespace ns3;

namespace
{

/// One READ response of 1024 B on the line, in the middle and at an end.
constexpr RdmaPs MIDDLE = 1106 * 80_ps;
constexpr RdmaPs END = 1110 * 80_ps;
/// A READ request, and a READ response of 1024 B at an end, from NIC to NIC.
constexpr RdmaPs REQUEST = 2'013'760_ps;
constexpr RdmaPs RESPONSE = 2'175'680_ps;

/** Duration of one READ or atomic. */
class ReadLatencyTestCase : public TestCase
{
  public:
    ReadLatencyTestCase()
        : TestCase("latency of READs of many lengths and of atomics")
    {
    }

  private:
    void DoRun() override
    {
        struct Row
        {
            uint64_t bytes;
            RdmaPs roce;
            RdmaPs irn;
        };

        // The request arrives at 2 x (86 x 80 + 1 us) = 2 013 760, when the responses begin. IRN's
        // requests and responses have 8 B more; the request arrives at 2 015 040.
        const Row rows[] = {
            // 66 B: 2 x (74 x 80 + 1 us) = 2 011 840; 2 013 120
            {0, 4'025'600_ps, 4'028'160_ps},
            // 66 + 1 + 3 of padding: 2 x (78 x 80 + 1 us) = 2 012 480; 2 013 760
            {1, 4'026'240_ps, 4'028'800_ps},
            // 1066 B: 2 x (1074 x 80 + 1 us) = 2 171 840; 2 173 120
            {1000, 4'185'600_ps, 4'188'160_ps},
            // 1090 B: 2 x (1098 x 80 + 1 us) = 2 175 680; 2 176 960
            {1024, 4'189'440_ps, 4'192'000_ps},
            // RoCE: the first response of 1090 B takes the switch's line from 87 840 + 1 us on for
            // 88 800. The last of 70 B arrives before that, leaves at 1 176 640, and takes 78 x 80
            // + 1 us to the end. IRN: behind the first go the acknowledgement of the request, 90 x
            // 80, and the last response of 78 B: 88 480 + 1 us + 89 440 + 7200 = 1 185 120, and
            // 86 x 80 + 1 us to the end.
            {1025, 4'196'640_ps, 4'207'040_ps},
            // Responses of 1090, 1086, 1086 and 1090 B: the last leaves at 88 800 + 2 x 88 480 and
            // arrives just when the switch has sent the others. IRN: the last leaves at 89 440 +
            // 7200 + 2 x 89 120.
            {4096, 4'455'200_ps, 4'466'880_ps},
        };
        ForBothTransports([&](RdmaWireFormat format) {
            const bool irn = format == RdmaWireFormat::IRN;
            for (const Row& row : rows)
            {
                RdmaTestPair pair([&](RdmaTestFabric& test) { SetTestTransport(test, format); });
                pair.Read(1, row.bytes);
                pair.test.Run();
                const std::string bytes = std::to_string(row.bytes);
                NS_TEST_EXPECT_MSG_EQ(pair.GetSendLog(),
                                      "1 RDMA_READ " + bytes + " IBV_WC_SUCCESS; ",
                                      "completion");
                NS_TEST_EXPECT_MSG_EQ(pair.GetSendTimes(),
                                      std::to_string((irn ? row.irn : row.roce).Get()) + " ",
                                      GetTestName(format) << ", " << bytes << " bytes");
                NS_TEST_EXPECT_MSG_EQ(pair.GetReceiveLog() + pair.GetArrivals(),
                                      "",
                                      "unseen by the responder");
                const uint64_t packets = row.bytes > 1024 ? (row.bytes + 1023) / 1024 : 1;
                const auto requester = pair.sender->GetStats();
                const auto responder = pair.receiver->GetStats();
                NS_TEST_EXPECT_MSG_EQ(requester.packetsSent, 1U, "a request");
                NS_TEST_EXPECT_MSG_EQ(responder.responsesSent, packets, "responses");
                NS_TEST_EXPECT_MSG_EQ(requester.responsesAccepted, packets, "accepted");
                // With RoCE the responses acknowledge the request.
                NS_TEST_EXPECT_MSG_EQ(responder.acksSent, (irn ? 1U : 0U), "acknowledgements");
            }
            // 90 B there take 2 x (98 x 80 + 1 us) = 2 015 680, 74 B back 2 013 120. The second
            // request follows one frame behind, 110 x 80. IRN: 98 B and 82 B take 2 016 960 +
            // 2 014 400. The second result finds the first on the line, and leaves behind the
            // acknowledgements of both requests: 102 x 80 + 2 x 90 x 80.
            RdmaTestPair pair([&](RdmaTestFabric& test) { SetTestTransport(test, format); });
            pair.FetchAdd(1, 64, 5);
            pair.CompareSwap(2, 64, 5, 7);
            pair.test.Run();
            NS_TEST_EXPECT_MSG_EQ(pair.GetSendLog(),
                                  "1 FETCH_ADD 8 IBV_WC_SUCCESS; 2 COMP_SWAP 8 IBV_WC_SUCCESS; ",
                                  "completions");
            NS_TEST_EXPECT_MSG_EQ(pair.GetSendTimes(),
                                  (irn ? "4031360 4053920 " : "4028800 4037600 "),
                                  GetTestName(format) << ", atomics");
        });
    }
};

/** READs fill the line. */
class ReadBandwidthTestCase : public TestCase
{
  public:
    ReadBandwidthTestCase()
        : TestCase("bandwidth of READs: the line is full if enough are outstanding")
    {
    }

  private:
    void DoRun() override
    {
        constexpr RdmaPs READ = 2 * END + 62 * MIDDLE; // 64 responses
        for (const uint8_t outstanding : {16, 1})
        {
            RdmaTestPair pair;
            pair.sender->SetAttribute("MaxRdAtomic", UintegerValue(outstanding));
            for (uint64_t id = 0; id < 32; ++id)
            {
                pair.Read(id, 65'536);
            }
            pair.test.Run();
            // With one outstanding READ each waits for the end of the previous READ. With several,
            // the next request arrives long before the responses to the previous requests are out.
            const RdmaPs alone = REQUEST + READ - END + RESPONSE;
            NS_TEST_EXPECT_MSG_EQ(alone, 9'764_ns, "arithmetic");
            NS_TEST_ASSERT_MSG_EQ(pair.sends.size(), 32U, "completions");
            NS_TEST_EXPECT_MSG_EQ(pair.sends[0].time, alone, "the first");
            NS_TEST_EXPECT_MSG_EQ(pair.sends[31].time,
                                  (outstanding == 1 ? 32 * alone : alone + 31 * READ),
                                  "the last");
        }
    }
};

/** READ responses and WRITEs on one line. */
class ReadShareTestCase : public TestCase
{
  public:
    ReadShareTestCase()
        : TestCase("READ responses and WRITEs of one host take turns")
    {
    }

  private:
    void DoRun() override
    {
        // The responder writes 100 packets from 0 on: 1102 B, then 1086 B each. The READ arrives at
        // 2 013 760, when packet 22 is on the line: 22 x 88 480 + 1280 is before that instant, one
        // more packet is not. From then on packets and responses take turns until the WRITE is out:
        // packet 23 + n is behind n + 1 responses. The last response is the last of all 200 frames.
        // The switch sends without a gap from the arrival of the first frame on, at 1110 x 80 +
        // 1 us.
        constexpr RdmaPs FIRST = 1122 * 80_ps;
        constexpr RdmaPs SWITCH = 1110 * 80_ps + 1_us;
        constexpr RdmaPs LAST_RESPONSE = SWITCH + 1098 * 80_ps + 1_us;
        constexpr RdmaPs LAST_WRITE = SWITCH + 1094 * 80_ps + 1_us;
        constexpr RdmaPs ALL = FIRST + 197 * MIDDLE + END;
        {
            // WRITE and READ are on one queue pair: a response is next.
            RdmaTestPair pair;
            std::vector<RdmaWorkCompletion> writes;
            pair.receiver->GetSendCompletionQueue()->SetCallback(
                Callback<void, const RdmaWorkCompletion&>(
                    [&](const RdmaWorkCompletion& completion) { writes.push_back(completion); }));
            RdmaSendRequest write;
            write.length = 102'400;
            pair.receiver->PostSend(write);
            pair.Read(1, 102'400);
            pair.test.Run();
            NS_TEST_EXPECT_MSG_EQ(pair.GetSendTimes(),
                                  std::to_string((ALL + LAST_RESPONSE).Get()) + " ",
                                  "the READ");
            // 99 packets of the WRITE and 77 responses go before the WRITE's last packet. Then
            // comes the acknowledgement.
            const RdmaPs last = FIRST + 98 * MIDDLE + END + 76 * MIDDLE;
            NS_TEST_ASSERT_MSG_EQ(writes.size(), 1U, "the WRITE");
            NS_TEST_EXPECT_MSG_EQ(writes[0].time,
                                  last + LAST_WRITE + RdmaTestPair::SHORT,
                                  "the WRITE");
        }
        {
            // WRITE and READ are on two queue pairs: the WRITE's queue pair is already listed and
            // is next. One response less goes before the WRITE's last packet.
            RdmaTestPair pair;
            const auto [other, writer] = pair.test.fabric->Connect(0, 1);
            RdmaPs written = 0_ps;
            other->TraceConnectWithoutContext(
                "MessageReceived",
                Callback<void, const RdmaMessageArrival&>(
                    [&](const RdmaMessageArrival& arrival) { written = arrival.time; }));
            RdmaSendRequest write;
            write.length = 102'400;
            writer->PostSend(write);
            pair.Read(1, 102'400);
            pair.test.Run();
            NS_TEST_EXPECT_MSG_EQ(pair.GetSendTimes(),
                                  std::to_string((ALL + LAST_RESPONSE).Get()) + " ",
                                  "the READ");
            NS_TEST_EXPECT_MSG_EQ(written,
                                  FIRST + 98 * MIDDLE + END + 75 * MIDDLE + LAST_WRITE,
                                  "the WRITE");
        }
        {
            // A WRITE of the requester does not share the line with responses, but its
            // acknowledgement waits for the responses to the READ before it.
            RdmaTestPair pair;
            pair.Read(1, 102'400);
            pair.Post(2, RdmaWrOpcode::RDMA_WRITE, 1024);
            pair.test.Run();
            const RdmaPs last = REQUEST + END + 98 * MIDDLE;
            // The WRITE of 1102 B follows the request of 98 B on the line.
            NS_TEST_EXPECT_MSG_EQ(pair.arrivals.at(0).time,
                                  98 * 80_ps + 2 * (1110 * 80_ps + 1_us),
                                  "the WRITE is executed at once");
            NS_TEST_EXPECT_MSG_EQ(pair.GetSendTimes(),
                                  std::to_string((last + RESPONSE).Get()) + " " +
                                      std::to_string((last + RESPONSE + 86 * 80_ps).Get()) + " ",
                                  "both");
        }
    }
};

/** The suite. */
class RdmaTransportReadTestSuite : public TestSuite
{
  public:
    RdmaTransportReadTestSuite()
        : TestSuite("rdma-transport-read")
    {
        AddTestCase(new ReadLatencyTestCase);
        AddTestCase(new ReadBandwidthTestCase);
        AddTestCase(new ReadShareTestCase);
    }
};

RdmaTransportReadTestSuite g_rdmaTransportReadTestSuite; //!< registers the suite

} // namespace
