/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-verbs.h"

#include <ns3/test.h>

/**
 * \file
 * \ingroup rdma-tests
 * Differences of IRN's verbs from RoCE's: packets that are placed before their turn, responses with
 * acknowledgements and timeouts of their own, refusals that overtake responses. Times are worked
 * out by hand.
 *
 * The setup is that of RdmaTestPair: a byte takes 80 ps, a frame of s bytes gets from NIC to NIC in
 * 2 x ((8 + s) x 80 + 1 us) and takes (s + 20) x 80 of the line. Frames of IRN: READ request 86 B,
 * atomic 98 B, its result 82 B, READ response 70 B + payload and 4 B more if it is the first or the
 * last, acknowledgement 70 B. All timeouts are 100 us, but the requester's for responses is 400 us.
 */

using namespace ns3;

namespace
{

/// Three frames from NIC to NIC, and two of the line.
constexpr RdmaPs IRN_REQUEST = 2'015'040_ps;  // 86 B
constexpr RdmaPs ACK = 2'012'480_ps;          // 70 B
constexpr RdmaPs IRN_RESPONSE = 2'176'960_ps; // 1098 B
constexpr RdmaPs IRN_MIDDLE = 1114 * 80_ps;   // 1094 B
constexpr RdmaPs TIMEOUT = 100_us;
/// Time before the second response: the first response and the acknowledgement of the request.
constexpr RdmaPs FIRST = 1118 * 80_ps + 90 * 80_ps;
/// A READ of ten packets: the request, nine responses on the line, and the last response.
constexpr RdmaPs IRN_READ10 = IRN_REQUEST + FIRST + 8 * IRN_MIDDLE + IRN_RESPONSE;
/// Arrival of the second response of a READ: the switch has the first at 1106 x 80 + 1 us, and
/// sends it and the acknowledgement before the second response of 1094 B.
constexpr RdmaPs SECOND = IRN_REQUEST + 1'088'480_ps + FIRST + 1'088'160_ps;
static_assert(IRN_READ10 == 5'001'600_ps && SECOND == 4'288'320_ps, "arithmetic");

/** Two queue pairs over IRN, and the packets lost between them. */
struct IrnPair : public RdmaTestLossyPair
{
    /** \copydoc RdmaTestLossyPair::RdmaTestLossyPair */
    explicit IrnPair(const std::list<uint32_t>& requests = {},
                     const std::list<uint32_t>& responses = {},
                     uint32_t retries = 7)
        : RdmaTestLossyPair(RdmaWireFormat::IRN, requests, responses, retries)
    {
    }
};

/** \param time a time \return the time as text, as in a list of completions */
std::string
Time1(RdmaPs time)
{
    return std::to_string(time.Get()) + " ";
}

/** Lost requests and lost responses. */
class IrnLossTestCase : public TestCase
{
  public:
    IrnLossTestCase()
        : TestCase("lost requests, responses, and acknowledgements of both")
    {
    }

  private:
    void DoRun() override
    {
        {
            // The request is lost and sent again after the timeout.
            IrnPair pair({0});
            pair.Read(1, 10'240);
            NS_TEST_EXPECT_MSG_EQ(pair.Run(), Time1(TIMEOUT + IRN_READ10), "request");
        }
        {
            // The request is lost. A WRITE of 178 B behind it arrives at 106 x 80 + 2 x (186 x 80 +
            // 1 us), is placed, and brings a NACK for the request. Both are acknowledged together.
            IrnPair pair({0});
            pair.Read(1, 10'240);
            pair.Post(2, RdmaWrOpcode::RDMA_WRITE, 100);
            const RdmaPs nack = 8480_ps + 2'029'760_ps + ACK;
            NS_TEST_EXPECT_MSG_EQ(pair.Run(),
                                  Time1(nack + IRN_READ10) + Time1(nack + IRN_READ10),
                                  "request, WRITE behind");
            NS_TEST_EXPECT_MSG_EQ(pair.sender->GetStats().packetsRetransmitted, 1U, "requests");
        }

        struct Row
        {
            uint32_t frame; //!< lost frame, counted over the packets that the requester receives
            RdmaPs tells;   //!< arrival of the next response
            RdmaPs again;   //!< travel time of the missing response
            const char* name;
        };

        // Frame 0 is the first response, 1 the acknowledgement of the request, n response n - 1.
        // The next response brings a NACK of 70 B, and only the missing response is sent again.
        for (const Row& row : {Row{0, SECOND, IRN_RESPONSE, "first"},
                               Row{5, SECOND + 4 * IRN_MIDDLE, 2'176'320_ps, "in the middle"},
                               // The last response is 4 B longer, which counts from the switch on.
                               Row{9, SECOND + 8 * IRN_MIDDLE + 320_ps, 2'176'320_ps, "but one"}})
        {
            IrnPair pair({}, {row.frame});
            pair.Read(1, 10'240);
            NS_TEST_EXPECT_MSG_EQ(pair.Run(),
                                  Time1(row.tells + ACK + row.again),
                                  "response " << row.name);
            const auto stats = pair.receiver->GetStats();
            NS_TEST_EXPECT_MSG_EQ(stats.responsesSent, 11U, "responses");
            NS_TEST_EXPECT_MSG_EQ(stats.responsesRetransmitted, 1U, "again");
            NS_TEST_EXPECT_MSG_EQ(stats.timeouts, 0U, "no timer was needed");
        }
        {
            // The last response is lost; the timer started with the ACK of the response before it.
            IrnPair pair({}, {10});
            pair.Read(1, 10'240);
            NS_TEST_EXPECT_MSG_EQ(pair.Run(),
                                  Time1(SECOND + 7 * IRN_MIDDLE + ACK + TIMEOUT + IRN_RESPONSE),
                                  "last response");
            NS_TEST_EXPECT_MSG_EQ(pair.sender->GetStats().packetsSent, 1U, "one request");
        }
        {
            // The only response, 174 B, or an atomic's result is lost. The timer repairs it.
            IrnPair pair({}, {0});
            pair.Read(1, 100);
            NS_TEST_EXPECT_MSG_EQ(pair.Run(), Time1(IRN_REQUEST + TIMEOUT + 2'029'120_ps), "only");
        }
        {
            IrnPair atomic({}, {0});
            atomic.FetchAdd(1, 0, 5);
            NS_TEST_EXPECT_MSG_EQ(atomic.Run(),
                                  Time1(2'016'960_ps + TIMEOUT + 2'014'400_ps),
                                  "result");
            NS_TEST_EXPECT_MSG_EQ(atomic.test.fabric->GetNic(1)->GetMemory().GetWord(0),
                                  5U,
                                  "once");
        }
        {
            // The acknowledgement of the request is lost; the response also acknowledges it.
            IrnPair pair({}, {1});
            pair.Read(1, 1000);
            NS_TEST_EXPECT_MSG_EQ(pair.Run(), "4188160 ", "acknowledgement");
            NS_TEST_EXPECT_MSG_EQ(pair.sender->GetStats().timeouts, 0U, "no timer was needed");
        }
        {
            // The acknowledgement of the response is lost. The response is sent again.
            IrnPair pair({1});
            pair.Read(1, 1000);
            NS_TEST_EXPECT_MSG_EQ(pair.Run(), "4188160 ", "acknowledgement of the response");
            NS_TEST_EXPECT_MSG_EQ(pair.receiver->GetStats().responsesRetransmitted, 1U, "again");
            NS_TEST_EXPECT_MSG_EQ(pair.receiver->GetStats().timeouts, 1U, "timeouts");
            NS_TEST_EXPECT_MSG_EQ(pair.sender->GetStats().duplicates, 1U, "duplicates");
            NS_TEST_EXPECT_MSG_EQ(pair.sender->GetStats().responsesAccepted, 1U, "once");
        }
    }
};

/** An early packet is placed at once, and executed in its turn. */
class EarlyTestCase : public TestCase
{
  public:
    EarlyTestCase()
        : TestCase("messages that come before their turn complete in order, when all are there")
    {
    }

  private:
    void DoRun() override
    {
        // The first SEND, of one packet, is lost. All packets behind it arrive before it. 1000 B
        // make a frame of 62 + 8 + 1000 = 1070 B, 1090 x 80 of the line.
        IrnPair pair({0});
        for (uint64_t id = 100; id < 104; ++id)
        {
            pair.receiver->PostReceive({id, 3000});
        }
        pair.test.fabric->GetNic(1)->GetMemory().SetWord(0, 3);
        uint64_t wordBefore = 0;
        pair.Post(1, RdmaWrOpcode::SEND, 1000);
        pair.Post(2, RdmaWrOpcode::SEND_WITH_IMM, 3000, 0xaa);
        pair.Post(3, RdmaWrOpcode::RDMA_WRITE_WITH_IMM, 2000, 0xbb);
        pair.Read(4, 1000);
        pair.FetchAdd(5, 0, 1);
        pair.Post(6, RdmaWrOpcode::RDMA_WRITE, 100);
        pair.Post(7, RdmaWrOpcode::SEND, 10);
        pair.At(4_us, [&]() {
            NS_TEST_EXPECT_MSG_EQ(pair.receiver->GetStats().outOfOrder, 9U, "all others are there");
            NS_TEST_EXPECT_MSG_EQ(pair.receiver->GetStats().packetsAccepted, 9U, "and kept");
            NS_TEST_EXPECT_MSG_EQ(pair.receives.size() + pair.arrivals.size(), 0U, "not executed");
            wordBefore = pair.test.fabric->GetNic(1)->GetMemory().GetWord(0);
        });
        pair.test.Run();
        NS_TEST_EXPECT_MSG_EQ(wordBefore, 3U, "the atomic waits");
        NS_TEST_EXPECT_MSG_EQ(pair.GetReceiveLog(),
                              "100 RECV 1000 IBV_WC_SUCCESS; "
                              "101 RECV 3000 imm aa IBV_WC_SUCCESS; "
                              "102 RECV_RDMA_WITH_IMM 2000 imm bb IBV_WC_SUCCESS; "
                              "103 RECV 10 IBV_WC_SUCCESS; ",
                              "receives");
        NS_TEST_EXPECT_MSG_EQ(pair.GetArrivals(), "1000 3000 2000 100 10 ", "messages");
        // SEND 2's first packet, 62 + 8 + 1024 B, follows on the line and is there at 87 200 + 2 x
        // (1102 x 80 + 1 us) = 2 263 520; its NACK is back 2 012 480 later. Packet 9, the last,
        // left long before. The SEND takes 2 x (1078 x 80 + 1 us) = 2 172 480.
        const RdmaPs nack = 87'200_ps + 2'176'320_ps + ACK;
        const RdmaPs executed = nack + 2'172'480_ps;
        std::string times;
        for (int i = 0; i < 4; ++i)
        {
            times += Time1(executed);
        }
        NS_TEST_EXPECT_MSG_EQ(pair.GetReceiveTimes(), times, "all at the same time");
        NS_TEST_EXPECT_MSG_EQ(pair.sender->GetStats().packetsRetransmitted, 1U, "again");
        NS_TEST_ASSERT_MSG_EQ(pair.sends.size(), 7U, "completions");
        for (uint64_t id = 1; id <= 7; ++id)
        {
            NS_TEST_EXPECT_MSG_EQ(pair.sends[id - 1].id, id, "in order");
            NS_TEST_EXPECT_MSG_EQ(pair.sends[id - 1].status, RdmaWcStatus::SUCCESS, "well");
        }
        NS_TEST_EXPECT_MSG_EQ(pair.sends[4].original, 3U, "the word");
    }
};

/** One side fails while the other side waits for responses or sends responses. */
class DeathTestCase : public TestCase
{
  public:
    DeathTestCase()
        : TestCase("a responder that dies after it acknowledged a READ, a requester that does")
    {
    }

  private:
    static void Kill(Ptr<RdmaQueuePair> qp)
    {
        RdmaQpAttributes attributes;
        attributes.state = RdmaQpState::ERR;
        qp->Modify(attributes);
    }

    void DoRun() override
    {
        {
            // At 3 us ten responses have left, and the eleventh has begun (2 015 040 + 96 640 + 9 x
            // 89 120 = 2 913 760). The requester asks after 400 us without a response, and gives up
            // after the third time.
            IrnPair pair({}, {}, 2);
            pair.Read(1, 1'024'000);
            pair.Read(2, 8);
            pair.At(3_us, [&]() { Kill(pair.receiver); });
            pair.test.Run();
            NS_TEST_EXPECT_MSG_EQ(pair.GetSendLog(),
                                  "1 RDMA_READ 1024000 IBV_WC_RETRY_EXC_ERR; "
                                  "2 RDMA_READ 8 IBV_WC_WR_FLUSH_ERR; ",
                                  "completions");
            NS_TEST_EXPECT_MSG_EQ(pair.sends[0].time, pair.sends[1].time, "together");
            NS_TEST_EXPECT_MSG_EQ(pair.sender->GetStats().responseTimeouts, 3U, "asked for");
            NS_TEST_EXPECT_MSG_EQ(pair.sender->GetStats().timeouts, 0U, "no request is missing");
            // The acknowledgement of the second READ goes between two responses.
            NS_TEST_EXPECT_MSG_EQ(pair.sends[0].time,
                                  SECOND + 9 * IRN_MIDDLE + 90 * 80_ps + 3 * 400_us,
                                  "when");
        }
        {
            // The requester's link is down for a while. Missed responses are requested again.
            IrnPair pair({}, {}, 7);
            pair.Read(1, 102'400);
            pair.At(2500_ns, [&]() { pair.test.fabric->SetLinkUp(0, false); });
            pair.At(700_us, [&]() { pair.test.fabric->SetLinkUp(0, true); });
            NS_TEST_EXPECT_MSG_LT(RdmaPs(std::stoll(pair.Run())), 1_ms, "done");
            NS_TEST_EXPECT_MSG_EQ(pair.sender->GetStats().responsesAccepted, 100U, "once each");
        }
        {
            // The responder gives up on a failed requester after three times 100 us.
            IrnPair pair({}, {}, 2);
            pair.receiver->PostReceive({100, 8});
            pair.Read(1, 10'240);
            pair.At(3_us, [&]() { Kill(pair.sender); });
            pair.test.Run();
            NS_TEST_EXPECT_MSG_EQ(pair.GetSendLog(), "1 RDMA_READ 10240 IBV_WC_WR_FLUSH_ERR; ", "");
            NS_TEST_EXPECT_MSG_EQ(pair.GetReceiveLog(), "100 RECV 0 IBV_WC_WR_FLUSH_ERR; ", "");
            // The timer runs from the first response on, at 2 015 040.
            NS_TEST_EXPECT_MSG_EQ(pair.GetReceiveTimes(), "302015040 ", "when");
            NS_TEST_EXPECT_MSG_EQ((pair.receiver->GetState() == RdmaQpState::ERR), true, "state");
        }
    }
};

/** The status of a failure belongs to the oldest request that is not complete. */
class OrderOfErrorsTestCase : public TestCase
{
  public:
    OrderOfErrorsTestCase()
        : TestCase("a request that fails behind READs without an answer")
    {
    }

  private:
    void DoRun() override
    {
        {
            // The READs are acknowledged and half answered when the responder dies at 60 us. The
            // WRITEs are never acknowledged: three timeouts after 100 us each. RoCE has the same
            // order.
            ForBothTransports([this](RdmaWireFormat format) {
                RdmaTestLossyPair pair(format, {}, {}, 2);
                pair.Read(1, 1'000'000);
                pair.Read(2, 1'000'000);
                pair.Post(3, RdmaWrOpcode::RDMA_WRITE, 1'000'000);
                pair.Post(4, RdmaWrOpcode::RDMA_WRITE, 1'000'000);
                pair.At(60_us, [&]() {
                    RdmaQpAttributes attributes;
                    attributes.state = RdmaQpState::ERR;
                    pair.receiver->Modify(attributes);
                });
                pair.test.Run();
                NS_TEST_EXPECT_MSG_EQ(pair.GetSendLog(),
                                      "1 RDMA_READ 1000000 IBV_WC_RETRY_EXC_ERR; "
                                      "2 RDMA_READ 1000000 IBV_WC_WR_FLUSH_ERR; "
                                      "3 RDMA_WRITE 1000000 IBV_WC_WR_FLUSH_ERR; "
                                      "4 RDMA_WRITE 1000000 IBV_WC_WR_FLUSH_ERR; ",
                                      GetTestName(format));
            });
        }
        {
            // A SEND without a receive request behind a READ. The RNR NAK overtakes the responses.
            // rnr_retry is 0, so that the SEND fails, but not before the READ is complete.
            ForBothTransports([this](RdmaWireFormat format) {
                RdmaTestPair pair([&](RdmaTestFabric& test) {
                    SetTestTransport(test, format);
                    test.helper.SetTransportAttribute("RnrRetryCount", UintegerValue(0));
                });
                pair.Read(1, 100'000);
                pair.Post(2, RdmaWrOpcode::SEND, 8);
                pair.Post(3, RdmaWrOpcode::RDMA_WRITE, 8);
                pair.test.Run();
                NS_TEST_EXPECT_MSG_EQ(pair.GetSendLog(),
                                      "1 RDMA_READ 100000 IBV_WC_SUCCESS; "
                                      "2 SEND 8 IBV_WC_RNR_RETRY_EXC_ERR; "
                                      "3 RDMA_WRITE 8 IBV_WC_WR_FLUSH_ERR; ",
                                      GetTestName(format));
                NS_TEST_EXPECT_MSG_EQ(pair.sender->GetStats().responsesAccepted,
                                      98U,
                                      GetTestName(format));
            });
        }
    }
};

/** A refusal overtakes the responses to READs before it. */
class IrnRefusalTestCase : public TestCase
{
  public:
    IrnRefusalTestCase()
        : TestCase("a request is refused while READs before it are answered, and lose responses")
    {
    }

  private:
    void DoRun() override
    {
        struct Row
        {
            const char* name;
            std::list<uint32_t> lost; //!< frames that the requester does not receive
            uint64_t packets;         //!< packets of the READ
            const char* status;       //!< status of the WRITE
        };

        uint64_t requests = 0;
        for (const bool modify : {false, true})
        {
            // Modify() to RTS between the refusal and the end of the READ must not release requests
            // behind the refused WRITE.
            IrnPair pair;
            pair.Read(1, 2000 * 1024);
            RdmaSendRequest request;
            request.id = 2;
            request.rKey = 99;
            request.length = 2000;
            pair.sender->PostSend(request);
            pair.At(100_us, [&]() {
                if (modify)
                {
                    RdmaQpAttributes attributes;
                    attributes.state = RdmaQpState::RTS;
                    pair.sender->Modify(attributes);
                }
                pair.Post(3, RdmaWrOpcode::RDMA_WRITE, 50'000);
            });
            pair.test.Run();
            const uint64_t sent = pair.sender->GetStats().packetsSent;
            NS_TEST_EXPECT_MSG_EQ((!modify || sent == requests), true, sent << " requests");
            requests = sent;
        }

        // Frames: response 0, acknowledgement of the READ, response 1, NAK, and so on.
        for (const Row& row :
             {Row{"nothing", {}, 100, "IBV_WC_REM_ACCESS_ERR"},
              Row{"responses", {0, 50}, 100, "IBV_WC_REM_ACCESS_ERR"},
              // The READ takes 178 us. The WRITE is requested again and refused again.
              Row{"the NAK", {3}, 2000, "IBV_WC_REM_ACCESS_ERR"},
              // The responder has ended before the WRITE is sent again.
              Row{"the NAK of a short READ", {3}, 100, "IBV_WC_RETRY_EXC_ERR"}})
        {
            IrnPair pair({}, row.lost);
            pair.receiver->PostReceive({100, 8});
            pair.Read(1, row.packets * 1024);
            RdmaSendRequest request;
            request.id = 2;
            request.rKey = 99;
            request.length = 2000;
            pair.sender->PostSend(request);
            pair.Post(3, RdmaWrOpcode::SEND, 8);
            pair.Read(4, 8);
            pair.test.Run();
            NS_TEST_EXPECT_MSG_EQ(pair.GetSendLog(),
                                  "1 RDMA_READ " + std::to_string(row.packets * 1024) +
                                      " IBV_WC_SUCCESS; 2 RDMA_WRITE 2000 " + row.status +
                                      "; 3 SEND 8 IBV_WC_WR_FLUSH_ERR; "
                                      "4 RDMA_READ 8 IBV_WC_WR_FLUSH_ERR; ",
                                  row.name << " lost");
            NS_TEST_EXPECT_MSG_EQ(pair.GetReceiveLog(),
                                  "100 RECV 0 IBV_WC_WR_FLUSH_ERR; ",
                                  row.name << " lost");
            NS_TEST_EXPECT_MSG_EQ((pair.receiver->GetState() == RdmaQpState::ERR), true, row.name);
        }
    }
};

/** The suite. */
class RdmaTransportIrnTestSuite : public TestSuite
{
  public:
    RdmaTransportIrnTestSuite()
        : TestSuite("rdma-transport-irn")
    {
        AddTestCase(new IrnLossTestCase);
        AddTestCase(new EarlyTestCase);
        AddTestCase(new DeathTestCase);
        AddTestCase(new OrderOfErrorsTestCase);
        AddTestCase(new IrnRefusalTestCase);
    }
};

RdmaTransportIrnTestSuite g_rdmaTransportIrnTestSuite; //!< registers the suite

} // namespace
