/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-verbs.h"

#include <ns3/test.h>

/**
 * \file
 * \ingroup rdma-tests
 * Queue pairs when something goes wrong: receivers that are not ready, receive requests that are
 * too short, no answer; and the resulting errors. Times are worked out by hand.
 */

using namespace ns3;

namespace
{

/** The receiver has posted no receive. */
class ReceiverNotReadyTestCase : public TestCase
{
  public:
    ReceiverNotReadyTestCase()
        : TestCase("receiver not ready: wait and try again, or give up")
    {
    }

  private:
    void DoRun() override
    {
        // A SEND of 4 B arrives at 2 011 840, its RNR NAK at 4 023 680. Code 1 is 10 us: the SEND
        // leaves again at 14 023 680 and arrives at 16 035 520. Each further try comes 14 023 680
        // later.
        {
            RdmaTestPair pair;
            pair.Post(1, RdmaWrOpcode::SEND, 4);
            pair.Post(2, RdmaWrOpcode::SEND, 4);
            pair.At(16'035'519_ps, [&]() {
                pair.receiver->PostReceive({100, 4});
                pair.receiver->PostReceive({101, 4});
            });
            pair.test.Run();
            // The second SEND follows one frame later, 86 x 80 = 6880.
            NS_TEST_EXPECT_MSG_EQ(pair.GetReceiveTimes(), "16035520 16042400 ", "receiver");
            NS_TEST_EXPECT_MSG_EQ(pair.GetSendTimes(), "18047360 18054240 ", "sender");
            NS_TEST_EXPECT_MSG_EQ(pair.receiver->GetStats().naksSent, 1U, "RNR NAKs");
            NS_TEST_EXPECT_MSG_EQ(pair.sender->GetStats().packetsRetransmitted, 2U, "both again");
            NS_TEST_EXPECT_MSG_EQ(pair.sender->GetStats().timeouts, 0U, "not a timeout");
        }
        {
            // The receive comes just too late: one more round.
            RdmaTestPair pair;
            pair.Post(1, RdmaWrOpcode::SEND, 4);
            pair.At(16'035'521_ps, [&]() { pair.receiver->PostReceive({100, 4}); });
            pair.test.Run();
            NS_TEST_EXPECT_MSG_EQ(pair.GetReceiveTimes(), "30059200 ", "receiver");
            NS_TEST_EXPECT_MSG_EQ(pair.receiver->GetStats().naksSent, 2U, "RNR NAKs");
        }
        {
            // Code 5 is 60 us (IBA Vol. 1, table 45).
            RdmaTestPair pair([](RdmaTestFabric& test) {
                test.helper.SetQueuePairAttribute("MinRnrTimer", UintegerValue(5));
            });
            pair.Post(1, RdmaWrOpcode::SEND, 4);
            pair.At(3_us, [&]() { pair.receiver->PostReceive({100, 4}); });
            pair.test.Run();
            NS_TEST_EXPECT_MSG_EQ(pair.GetReceiveTimes(), "66035520 ", "receiver");
        }
        {
            // A WRITE with immediate needs the receive only for its last packet. Only that packet
            // is sent again.
            RdmaTestPair pair;
            pair.Post(1, RdmaWrOpcode::RDMA_WRITE_WITH_IMM, 3000, 7);
            pair.At(5_us, [&]() { pair.receiver->PostReceive({100, 0}); });
            pair.test.Run();
            NS_TEST_EXPECT_MSG_EQ(pair.GetReceiveLog(),
                                  "100 RECV_RDMA_WITH_IMM 3000 imm 7 IBV_WC_SUCCESS; ",
                                  "receiver");
            NS_TEST_EXPECT_MSG_EQ(pair.sender->GetStats().packetsSent, 4U, "3 and 1 again");
        }
        {
            // rnr_retry 2: the third RNR NAK, at 4 023 680 + 2 x 14 023 680, is one too many.
            RdmaTestPair pair([](RdmaTestFabric& test) {
                test.helper.SetTransportAttribute("RnrRetryCount", UintegerValue(2));
            });
            pair.Post(1, RdmaWrOpcode::SEND, 4);
            pair.Post(2, RdmaWrOpcode::RDMA_WRITE, 4);
            pair.test.Run();
            NS_TEST_EXPECT_MSG_EQ(pair.GetSendLog(),
                                  "1 SEND 4 IBV_WC_RNR_RETRY_EXC_ERR; "
                                  "2 RDMA_WRITE 4 IBV_WC_WR_FLUSH_ERR; ",
                                  "sender");
            NS_TEST_EXPECT_MSG_EQ(pair.GetSendTimes(), "32071040 32071040 ", "when");
            NS_TEST_EXPECT_MSG_EQ((pair.sender->GetState() == RdmaQpState::ERR), true, "state");
            NS_TEST_EXPECT_MSG_EQ(pair.GetArrivals(), "", "nothing was executed");
        }
    }
};

/** A receive that is too short for its message. */
class TooShortTestCase : public TestCase
{
  public:
    TooShortTestCase()
        : TestCase("a receive that is too short ends both queue pairs")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint64_t length : {101, 3000})
        {
            RdmaTestPair pair;
            pair.receiver->PostReceive({100, 8});
            pair.receiver->PostReceive({101, 100});
            pair.receiver->PostReceive({102, 100});
            pair.Post(1, RdmaWrOpcode::SEND, 8);
            pair.Post(2, RdmaWrOpcode::SEND, length);
            pair.Post(3, RdmaWrOpcode::SEND, 8);
            pair.Post(4, RdmaWrOpcode::RDMA_WRITE, 8);
            pair.test.Run();
            const std::string text = std::to_string(length);
            NS_TEST_EXPECT_MSG_EQ(pair.GetSendLog(),
                                  "1 SEND 8 IBV_WC_SUCCESS; 2 SEND " + text +
                                      " IBV_WC_REM_INV_REQ_ERR; 3 SEND 8 IBV_WC_WR_FLUSH_ERR; "
                                      "4 RDMA_WRITE 8 IBV_WC_WR_FLUSH_ERR; ",
                                  "sender");
            NS_TEST_ASSERT_MSG_EQ(pair.receives.size(), 3U, "receives");
            NS_TEST_EXPECT_MSG_EQ(pair.receives[0].status, RdmaWcStatus::SUCCESS, "first");
            NS_TEST_EXPECT_MSG_EQ(pair.receives[1].id, 101U, "second");
            NS_TEST_EXPECT_MSG_EQ(pair.receives[1].status, RdmaWcStatus::LOC_LEN_ERR, "second");
            NS_TEST_EXPECT_MSG_EQ(pair.receives[2].status, RdmaWcStatus::WR_FLUSH_ERR, "third");
            NS_TEST_EXPECT_MSG_EQ(pair.GetArrivals(), "8 ", "one message");
            // A request posted afterwards is flushed at once.
            pair.Post(5, RdmaWrOpcode::SEND, 8);
            pair.receiver->PostReceive({103, 100});
            NS_TEST_EXPECT_MSG_EQ(pair.sends.back().id, 5U, "late send");
            NS_TEST_EXPECT_MSG_EQ(pair.sends.back().status,
                                  RdmaWcStatus::WR_FLUSH_ERR,
                                  "late send");
            NS_TEST_EXPECT_MSG_EQ(pair.receives.back().id, 103U, "late receive");
            NS_TEST_EXPECT_MSG_EQ(pair.receives.back().status,
                                  RdmaWcStatus::WR_FLUSH_ERR,
                                  "late receive");
        }
        {
            // A receive of exactly the size of the message suffices.
            RdmaTestPair pair;
            pair.receiver->PostReceive({100, 3000});
            pair.Post(1, RdmaWrOpcode::SEND, 3000);
            pair.test.Run();
            NS_TEST_EXPECT_MSG_EQ(pair.GetReceiveLog(), "100 RECV 3000 IBV_WC_SUCCESS; ", "fits");
        }
    }
};

/** The receiver never answers. */
class NoAnswerTestCase : public TestCase
{
  public:
    NoAnswerTestCase()
        : TestCase("no answer: as many tries as were asked for, then an error")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint32_t retries : {0U, 3U, 7U})
        {
            // The first packet is sent at 0 and after each timeout of 100 us. The timeout after the
            // last retry ends the queue pair.
            RdmaTestPair pair([&](RdmaTestFabric& test) { test.SetRetries(100_us, retries); });
            pair.test.fabric->SetLinkUp(1, false);
            pair.Post(1, RdmaWrOpcode::RDMA_WRITE, 4);
            pair.Post(2, RdmaWrOpcode::SEND, 5000);
            pair.sender->PostReceive({50, 10});
            pair.test.Run();
            NS_TEST_EXPECT_MSG_EQ(pair.GetSendLog(),
                                  "1 RDMA_WRITE 4 IBV_WC_RETRY_EXC_ERR; "
                                  "2 SEND 5000 IBV_WC_WR_FLUSH_ERR; ",
                                  retries << " retries");
            const std::string end = std::to_string(((retries + 1) * 100_us).Get());
            NS_TEST_EXPECT_MSG_EQ(pair.GetSendTimes(), end + " " + end + " ", "when");
            NS_TEST_EXPECT_MSG_EQ(pair.sender->GetStats().timeouts, retries + 1, "timeouts");
            // 1 + 5 packets are sent each time.
            NS_TEST_EXPECT_MSG_EQ(pair.sender->GetStats().packetsSent, 6 * (retries + 1), "sent");
            NS_TEST_EXPECT_MSG_EQ(
                RdmaTestBooks::CountDrops(*pair.test.fabric, QbbDropReason::NO_ROUTE),
                6 * (retries + 1),
                "the switch has no route");
            const auto flushed = pair.sender->GetReceiveCompletionQueue()->Poll(10);
            NS_TEST_ASSERT_MSG_EQ(flushed.size(), 1U, "the sender's own receives are flushed");
            NS_TEST_EXPECT_MSG_EQ(flushed[0].status, RdmaWcStatus::WR_FLUSH_ERR, "flushed");
        }
        {
            // Progress resets the count of retries: five packets are lost, but only one retry in a
            // row is needed.
            RdmaTestPair pair([&](RdmaTestFabric& test) { test.SetRetries(100_us, 1); });
            LoseFrames(pair.receiver->GetPort(), {0, 2, 4, 6, 8});
            for (uint64_t id = 0; id < 6; ++id)
            {
                pair.At(id * 300_us, [&pair, id]() { pair.Post(id, RdmaWrOpcode::RDMA_WRITE, 4); });
            }
            pair.test.Run();
            NS_TEST_EXPECT_MSG_EQ(pair.sender->GetStats().timeouts, 5U, "timeouts");
            NS_TEST_EXPECT_MSG_EQ(pair.GetArrivals(), "4 4 4 4 4 4 ", "all arrive");
            NS_TEST_EXPECT_MSG_EQ(pair.sends.size(), 6U, "all complete");
        }
    }
};

/** Flows that cannot finish say why. */
class StuckFlowsTestCase : public TestCase
{
  public:
    StuckFlowsTestCase()
        : TestCase("a run that ends early prints why each flow waits")
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestFabric test;
        std::vector<RdmaFlow> flows;
        // Flow n has hosts 2n and 2n + 1 for itself and 100 packets.
        for (uint32_t i = 0; i < 7; ++i)
        {
            flows.push_back(MakeTestFlow(i, 2 * i, 2 * i + 1, 102'400, 10_us));
        }
        flows[0].start = 900_us;
        flows[6].start = 99'995_us;
        test.Install(MakeRdmaStar(14, MakeTestRates(100, 100, 1000)), flows);
        auto link = [&](uint32_t host) { return host; }; // link n is host n's
        constexpr uint32_t SWITCH = 14;
        RdmaTestPair::At(1_us, [&]() {
            // Flow 1: the switch pauses the sender for good. Flow 2: the link of the sender is
            // down.
            test.fabric->GetDevice(link(2), SWITCH)->GetFlowControl().RequestPause(3, true);
            test.fabric->SetLinkUp(link(4), false);
            // Flow 3: the link of the receiver is down.
            test.fabric->SetLinkUp(link(7), false);
            // Flow 4: the last packet is lost. Flow 5: the last ACK is lost.
            LoseFrames(test.fabric->GetNic(9)->GetPort(0), {99});
            LoseFrames(test.fabric->GetNic(10)->GetPort(0), {99});
        });
        // Flow 0 has not begun at 800 us. Flow 6 starts 5 us before the second stop.
        test.Run(800_us);
        const std::string tail = " of 100 packets acknowledged";
        auto expect = [&](int flow, const std::string& status) {
            NS_TEST_EXPECT_MSG_EQ(test.results[flow].status, status, "flow " << flow);
            NS_TEST_EXPECT_MSG_EQ(test.results[flow].IsCompleted(), false, "flow " << flow);
        };
        expect(0, "not started");
        expect(1, "class 3 of the sender is paused; 0" + tail);
        expect(2, "link of the sender is down; 0" + tail);
        expect(3, "packets lost; there is no retransmission timer; 0" + tail);
        expect(4, "packets lost; there is no retransmission timer; 99" + tail);
        expect(5, "all bytes arrived; acknowledgement outstanding; 99" + tail);
        test.Run(100_ms - 800_us);
        NS_TEST_EXPECT_MSG_EQ(test.results[0].status, "IBV_WC_SUCCESS", "flow 0 had its time");
        // 100 frames take 8.85 us; at 5 us the first ACKs are back (one round trip is 4.2 us).
        NS_TEST_EXPECT_MSG_EQ(test.results[6].status.substr(0, 9), "sending; ", "flow 6");
    }
};

/**
 * Flows that the end of the run has cut, beside a flow that lost a packet: their packets are in
 * flight, and none is called lost.
 */
class CutFlowsTestCase : public TestCase
{
  public:
    CutFlowsTestCase()
        : TestCase("a flow that the end of the run cuts is not called lost")
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestFabric test;
        test.helper.SetCongestionControl("hpcc");
        std::vector<RdmaFlow> flows;
        // Eight senders share the link to host 8.
        for (uint32_t i = 0; i < 8; ++i)
        {
            flows.push_back(MakeTestFlow(i, i, 8, 10'000'000, 0_ps));
        }
        // A packet takes 1.1 us to the switch, and its acknowledgement comes after 4.2 us.
        flows.push_back(MakeTestFlow(8, 9, 10, 1000, 299_us));
        flows.push_back(MakeTestFlow(9, 11, 12, 1000, 10_us));
        test.Install(MakeRdmaStar(13, MakeTestRates(100, 100, 1000)), flows);
        RdmaTestPair::At(1_us, [&]() { LoseFrames(test.fabric->GetNic(12)->GetPort(0), {0}); });
        test.Run(300_us);
        uint32_t full = 0;
        for (uint32_t i = 0; i < 8; ++i)
        {
            const std::string& status = test.results[i].status;
            const bool isFull = status.rfind("window full; ", 0) == 0;
            NS_TEST_EXPECT_MSG_EQ((isFull || status.rfind("sending; ", 0) == 0), true, status);
            full += isFull ? 1 : 0;
        }
        NS_TEST_EXPECT_MSG_GT(full, 2U, "several windows are full");
        NS_TEST_EXPECT_MSG_EQ(test.results[8].status,
                              "all packets sent; 1 in flight; 0 of 1 packets acknowledged",
                              "the packet is on the cable");
        NS_TEST_EXPECT_MSG_EQ(test.results[9].status,
                              "packets lost; there is no retransmission timer; 0 of 1 packets "
                              "acknowledged",
                              "the packet is lost");
    }
};

/** The suite. */
class RdmaTransportErrorsTestSuite : public TestSuite
{
  public:
    RdmaTransportErrorsTestSuite()
        : TestSuite("rdma-transport-errors")
    {
        AddTestCase(new ReceiverNotReadyTestCase);
        AddTestCase(new TooShortTestCase);
        AddTestCase(new NoAnswerTestCase);
        AddTestCase(new StuckFlowsTestCase);
        AddTestCase(new CutFlowsTestCase);
    }
};

RdmaTransportErrorsTestSuite g_rdmaTransportErrorsTestSuite; //!< registers the suite

} // namespace
