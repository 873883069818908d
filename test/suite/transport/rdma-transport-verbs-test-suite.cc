/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-verbs.h"

#include <ns3/boolean.h>
#include <ns3/string.h>
#include <ns3/test.h>

#include <algorithm>

/**
 * \file
 * \ingroup rdma-tests
 * Verbs without errors: operations and their completions, order, acknowledgements, fair turns at a
 * NIC, tagged frames. Times are worked out by hand. Errors are in
 * rdma-transport-errors-test-suite.cc and rdma-transport-losses-test-suite.cc.
 */

using namespace ns3;

namespace
{

/** One of each operation, with the completions of both sides. */
class OperationsTestCase : public TestCase
{
  public:
    OperationsTestCase()
        : TestCase("SEND and WRITE, with and without immediate data")
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestPair pair;
        pair.receiver->PostReceive({100, 5000});
        pair.receiver->PostReceive({101, 5000});
        pair.receiver->PostReceive({102, 5000});
        pair.Post(1, RdmaWrOpcode::SEND, 3000);
        pair.Post(2, RdmaWrOpcode::RDMA_WRITE, 4000);
        pair.Post(3, RdmaWrOpcode::SEND_WITH_IMM, 5, 0xcafe);
        pair.Post(4, RdmaWrOpcode::RDMA_WRITE_WITH_IMM, 6000, 0xbeef);
        pair.Post(5, RdmaWrOpcode::RDMA_WRITE, 0);
        pair.test.Run();

        NS_TEST_EXPECT_MSG_EQ(pair.GetSendLog(),
                              "1 SEND 3000 IBV_WC_SUCCESS; 2 RDMA_WRITE 4000 IBV_WC_SUCCESS; "
                              "3 SEND 5 IBV_WC_SUCCESS; 4 RDMA_WRITE 6000 IBV_WC_SUCCESS; "
                              "5 RDMA_WRITE 0 IBV_WC_SUCCESS; ",
                              "at the sender");
        // A plain WRITE has no completion at the receiver.
        NS_TEST_EXPECT_MSG_EQ(pair.GetReceiveLog(),
                              "100 RECV 3000 IBV_WC_SUCCESS; "
                              "101 RECV 5 imm cafe IBV_WC_SUCCESS; "
                              "102 RECV_RDMA_WITH_IMM 6000 imm beef IBV_WC_SUCCESS; ",
                              "at the receiver");
        NS_TEST_EXPECT_MSG_EQ(pair.GetArrivals(), "3000 4000 5 6000 0 ", "messages in order");
        // The messages have 3 + 4 + 1 + 6 + 1 packets of 1024 B.
        NS_TEST_EXPECT_MSG_EQ(pair.sender->GetStats().packetsSent, 15U, "packets");
        NS_TEST_EXPECT_MSG_EQ(pair.receiver->GetStats().packetsAccepted, 15U, "accepted");
        NS_TEST_EXPECT_MSG_EQ(pair.sender->GetOutstandingSends(), 0U, "nothing is left");
    }
};

/** Solicited events at the receiver. */
class SolicitedTestCase : public TestCase
{
  public:
    SolicitedTestCase()
        : TestCase("a solicited request notifies the receiver, other requests do not")
    {
    }

  private:
    void DoRun() override
    {
        ForBothTransports([this](RdmaWireFormat format) { Run(format); });
    }

    /** \param format packet formats */
    void Run(RdmaWireFormat format)
    {
        // Five requests, of which the second and the fourth are solicited. The plain WRITE between
        // them completes no receive request and raises no event. The last SEND is too long for its
        // receive request, which fails, and so notifies.
        RdmaTestPair pair([&](RdmaTestFabric& test) { SetTestTransport(test, format); });
        const auto queue = pair.receiver->GetReceiveCompletionQueue();
        queue->SetCallback(RdmaCompletionQueue::CompletionCallback());
        std::string polled;
        queue->SetNotificationCallback(
            RdmaCompletionQueue::NotificationCallback([&polled](Ptr<RdmaCompletionQueue> which) {
                for (const auto& completion : which->Poll(10))
                {
                    polled += std::to_string(completion.id) + (completion.solicited ? "s " : " ");
                }
                polled += "| ";
                which->RequestNotification(RdmaNotification::SOLICITED);
            }));
        queue->RequestNotification(RdmaNotification::SOLICITED);
        for (uint64_t id = 100; id < 105; ++id)
        {
            pair.receiver->PostReceive({id, 5000});
        }
        const auto post =
            [&pair](uint64_t id, RdmaWrOpcode opcode, uint64_t length, bool solicited) {
                RdmaSendRequest request = RdmaTestPair::MakeRequest(id, opcode);
                request.length = length;
                request.solicited = solicited;
                pair.sender->PostSend(request);
            };
        post(1, RdmaWrOpcode::SEND, 3000, false);
        post(2, RdmaWrOpcode::SEND, 3000, true);
        post(3, RdmaWrOpcode::RDMA_WRITE, 10, true);
        post(4, RdmaWrOpcode::SEND, 10, false);
        post(5, RdmaWrOpcode::RDMA_WRITE_WITH_IMM, 3000, true);
        post(6, RdmaWrOpcode::SEND, 6000, false);
        pair.test.Run();
        NS_TEST_EXPECT_MSG_EQ(polled, "100 101s | 102 103s | 104 | ", GetTestName(format));
    }
};

/** Instants of completions, to the picosecond. */
class VerbsTimelineTestCase : public TestCase
{
  public:
    VerbsTimelineTestCase()
        : TestCase("two messages on one queue pair: when each completes")
    {
    }

  private:
    void DoRun() override
    {
        // 100 Gb/s is 80 ps a byte; one switch; 1 us on both links. SEND of 2048 B: two frames of
        // 62 + 1024 = 1086 B, (8 + 1086) x 80 = 87 520 up to the last bit, 1106 x 80 = 88 480 of
        // the line. SEND of 4 B: 66 B, 74 x 80 = 5920.
        //   packet 0 leaves at 87 520, is at the switch at 1 087 520, there at 2 175 040
        //   packet 1                                          88 480 later: 2 263 520
        //   packet 2 leaves at 2 x 88 480 + 5920 = 182 880 and is at the switch at 1 182 880;
        //     packet 1 has the line there until 1 087 520 + 2 x 88 480 = 1 264 480;
        //     5920 and 1 us later it is there: 2 270 400
        // An ACK is 66 B: two links take 2 x 1 005 920 = 2 011 840. Those of packets 1 and 2 are
        // 6880 ps apart, just one frame: 86 x 80.
        RdmaTestPair pair;
        pair.receiver->PostReceive({100, 2048});
        pair.receiver->PostReceive({101, 4});
        pair.Post(1, RdmaWrOpcode::SEND, 2048);
        pair.Post(2, RdmaWrOpcode::SEND, 4);
        pair.test.Run();
        NS_TEST_EXPECT_MSG_EQ(pair.GetReceiveTimes(), "2263520 2270400 ", "receiver");
        NS_TEST_EXPECT_MSG_EQ(pair.GetSendTimes(), "4275360 4282240 ", "sender");
    }
};

/** Requests that ask for no completion. */
class UnsignaledTestCase : public TestCase
{
  public:
    UnsignaledTestCase()
        : TestCase("requests without a completion, and a queue that is polled")
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestFabric test;
        test.Install(MakeRdmaStar(2, MakeTestRates(100, 100, 1000)), {});
        const auto [sender, receiver] = test.fabric->Connect(0, 1);
        for (uint64_t id = 0; id < 10; ++id)
        {
            RdmaSendRequest request;
            request.id = id;
            request.length = 100;
            request.signaled = id % 4 == 3;
            sender->PostSend(request);
        }
        test.Run();
        const auto queue = sender->GetSendCompletionQueue();
        NS_TEST_ASSERT_MSG_EQ(queue->GetSize(), 2U, "completions");
        NS_TEST_EXPECT_MSG_EQ(queue->Poll(1)[0].id, 3U, "first");
        const auto rest = queue->Poll(100);
        NS_TEST_ASSERT_MSG_EQ(rest.size(), 1U, "second");
        NS_TEST_EXPECT_MSG_EQ(rest[0].id, 7U, "second");
        NS_TEST_EXPECT_MSG_EQ(receiver->GetStats().packetsAccepted, 10U, "all arrived");
        NS_TEST_EXPECT_MSG_EQ(sender->GetOutstandingSends(), 0U, "nothing is left");
    }
};

/** One acknowledgement for several packets. */
class AckIntervalTestCase : public TestCase
{
  public:
    AckIntervalTestCase()
        : TestCase("acknowledgements: every packet, every fourth, and every message")
    {
    }

  private:
    void DoRun() override
    {
        struct Row
        {
            uint32_t interval;
            uint32_t packets; //!< of each message
            uint32_t messages;
            uint64_t acks;
        };

        const Row rows[] = {
            {1, 10, 1, 10},
            // Packets 4, 8 and 10 are acknowledged.
            {4, 10, 1, 3},
            // Packet 4 and packet 8, the last, are acknowledged.
            {4, 8, 1, 2},
            // The count begins with each message: packets 4, 8 and 10 of each are acknowledged.
            {4, 10, 3, 9},
            {4, 1, 5, 5},
            {4, 3, 2, 2},
            {1000, 10, 2, 2},
        };
        for (const Row& row : rows)
        {
            RdmaTestPair pair([&](RdmaTestFabric& test) {
                test.helper.SetTransportAttribute("AckInterval", UintegerValue(row.interval));
            });
            for (uint32_t i = 0; i < row.messages; ++i)
            {
                pair.Post(i, RdmaWrOpcode::RDMA_WRITE, row.packets * 1024);
            }
            pair.test.Run();
            const auto stats = pair.receiver->GetStats();
            NS_TEST_EXPECT_MSG_EQ(stats.acksSent,
                                  row.acks,
                                  "interval " << row.interval << ", " << row.messages
                                              << " messages of " << row.packets);
            NS_TEST_EXPECT_MSG_EQ(pair.sender->GetStats().acksReceived, row.acks, "received");
            NS_TEST_EXPECT_MSG_EQ(stats.packetsAccepted, row.packets * row.messages, "data");
            NS_TEST_EXPECT_MSG_EQ(pair.sends.size(), row.messages, "completions");
        }
    }
};

/** Queue pairs of one NIC take turns. */
class QueuePairRoundRobinTestCase : public TestCase
{
  public:
    /** \param idle queue pairs that have nothing to send */
    explicit QueuePairRoundRobinTestCase(uint32_t idle)
        : TestCase("50 queue pairs take turns, " + std::to_string(idle) + " idle ones beside"),
          m_idle(idle)
    {
    }

  private:
    void DoRun() override
    {
        constexpr int QPS = 50;
        constexpr int PACKETS = 20;
        RdmaTestFabric test;
        test.Install(MakeRdmaStar(2, MakeTestRates(100, 100, 1000)), {});
        std::vector<Ptr<RdmaQueuePair>> senders;
        std::vector<RdmaPs> arrived(QPS + 1);
        for (uint32_t i = 0; i < m_idle; ++i)
        {
            test.fabric->Connect(0, 1);
        }
        for (int i = 0; i <= QPS; ++i)
        {
            const auto [sender, receiver] = test.fabric->Connect(0, 1);
            senders.push_back(sender);
            receiver->PostReceive({0, 1 << 20});
            receiver->TraceConnectWithoutContext(
                "MessageReceived",
                Callback<void, const RdmaMessageArrival&>(
                    [&arrived, i](const RdmaMessageArrival& arrival) {
                        arrived[i] = arrival.time;
                    }));
        }
        RdmaSendRequest request;
        request.opcode = RdmaWrOpcode::SEND;
        request.length = PACKETS * 1024;
        // Requests are posted in reverse order, but turns go by queue pair numbers.
        for (int i = QPS - 1; i >= 0; --i)
        {
            senders[i]->PostSend(request);
        }
        // The last queue pair posts one packet while packet 100 is on the line. Its turn comes when
        // all 50 waiting queue pairs have had their turns.
        constexpr RdmaPs SLOT = 88'480_ps; // 1106 x 80
        Simulator::Schedule(RdmaToTime(100 * SLOT + 1_ps), [&]() {
            request.length = 1024;
            senders[QPS]->PostSend(request);
        });
        test.Run();
        // Packet n of the line leaves at n x 88 480 and arrives 2 175 040 later (see
        // VerbsTimelineTestCase). Packet 100 is the first of the third round, 101 .. 149 are the
        // others, 150 is the first queue pair's next, and 151 the latecomer. From then on a round
        // has 50 packets again.
        for (int i = 0; i < QPS; ++i)
        {
            const int64_t slot = (PACKETS - 1) * QPS + i + 1;
            NS_TEST_EXPECT_MSG_EQ(arrived[i], 2'175'040_ps + slot * SLOT, "queue pair " << i);
        }
        NS_TEST_EXPECT_MSG_EQ(arrived[QPS], 2'175'040_ps + 151 * SLOT, "the latecomer");
    }

    uint32_t m_idle;
};

/** A fabric whose frames carry 802.1Q tags, and whose switches classify by the tags or by DSCP. */
class TaggedTestCase : public TestCase
{
  public:
    /**
     * \param tag hosts tag their frames
     * \param trust field from which ports take the class
     * \param priority expected class of the data
     */
    TaggedTestCase(bool tag, const char* trust, uint8_t priority)
        : TestCase(std::string(tag ? "tagged" : "untagged") + " frames, ports that trust the " +
                   trust),
          m_tag(tag),
          m_trust(trust),
          m_priority(priority)
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestFabric test;
        test.helper.SetDeviceAttribute("TagFrames", BooleanValue(m_tag));
        test.helper.SetDeviceAttribute("VlanId", UintegerValue(m_tag ? 42 : 0));
        test.helper.SetDeviceAttribute("Trust", StringValue(m_trust));
        test.helper.SetChannelAttribute("SerializeFrames", BooleanValue(true));
        // Switches have little memory and need PFC to lose no frames.
        test.helper.SetBufferAttribute("BufferSize", UintegerValue(500'000));
        test.SetRetries(100_us, 100'000);
        std::vector<RdmaFlow> flows{MakeTestFlow(0, 0, 7, 100'000)};
        for (uint32_t host = 0; host < 7; ++host)
        {
            flows.push_back(MakeTestFlow(host + 1, host, 7, 200'000, 100_us));
        }
        test.Install(MakeRdmaLeafSpine(2, 4, 2, MakeTestRates(100, 100, 1000)), flows);
        std::size_t frameBytes = 0;
        test.fabric->GetNic(7)->GetPort(0)->TraceConnectWithoutContext(
            "MacRx",
            Callback<void, Ptr<const Packet>>([&](Ptr<const Packet> packet) {
                frameBytes = std::max<std::size_t>(frameBytes, packet->GetSize());
            }));
        test.Run();
        NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", "flows");
        NS_TEST_EXPECT_MSG_EQ(test.results[0].fct.value_or(0_ps), test.results[0].ideal, "alone");
        // The frame has 58 B without FCS, RETH 16, 1024, and 4 for the tag.
        NS_TEST_EXPECT_MSG_EQ(frameBytes, 1098U + (m_tag ? 4 : 0), "largest frame");
        for (uint8_t priority = 0; priority < 8; ++priority)
        {
            const auto& counters = test.fabric->GetNic(7)->GetPort(0)->GetCounters();
            NS_TEST_EXPECT_MSG_EQ((counters.classes[priority].rxFrames > 0),
                                  (priority == m_priority),
                                  "class " << +priority);
        }
        // Class 3 is lossless. A port that trusts a missing tag sees class 0.
        NS_TEST_EXPECT_MSG_EQ((test.fabric->GetTotals().drops == 0), (m_priority == 3), "drops");
        NS_TEST_EXPECT_MSG_EQ((test.fabric->GetTotals().pauseFrames > 0),
                              (m_priority == 3),
                              "pauses");
        NS_TEST_EXPECT_MSG_EQ(RdmaTestBooks::CheckRest(*test.fabric), "", "after the run");
    }

    bool m_tag;
    const char* m_trust;
    uint8_t m_priority;
};

/** A request that a trace sink posts while another queue pair begins is sent. */
class PostFromTraceTestCase : public TestCase
{
  public:
    PostFromTraceTestCase()
        : TestCase("a trace sink posts a request while another one begins")
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestPair pair;
        const auto other = pair.test.fabric->Connect(0, 1).first;
        bool posted = false;
        pair.sender->GetPort()->TraceConnectWithoutContext(
            "PhyTxBegin",
            Callback<void, Ptr<const Packet>>([&](Ptr<const Packet>) {
                if (!posted)
                {
                    posted = true;
                    RdmaSendRequest request;
                    request.length = 8;
                    other->PostSend(request);
                }
            }));
        pair.Post(1, RdmaWrOpcode::RDMA_WRITE, 8);
        pair.test.Run();
        NS_TEST_EXPECT_MSG_EQ(pair.GetSendLog(), "1 RDMA_WRITE 8 IBV_WC_SUCCESS; ", "the first");
        NS_TEST_EXPECT_MSG_EQ(other->GetSendCompletionQueue()->GetSize(), 1U, "the other one");
    }
};

/** The suite. */
class RdmaTransportVerbsTestSuite : public TestSuite
{
  public:
    RdmaTransportVerbsTestSuite()
        : TestSuite("rdma-transport-verbs")
    {
        AddTestCase(new OperationsTestCase);
        AddTestCase(new SolicitedTestCase);
        AddTestCase(new VerbsTimelineTestCase);
        AddTestCase(new UnsignaledTestCase);
        AddTestCase(new AckIntervalTestCase);
        AddTestCase(new QueuePairRoundRobinTestCase(0));
        AddTestCase(new QueuePairRoundRobinTestCase(10'000));
        AddTestCase(new TaggedTestCase(false, "Dscp", 3));
        AddTestCase(new TaggedTestCase(true, "Dscp", 3));
        AddTestCase(new TaggedTestCase(true, "Pcp", 3));
        AddTestCase(new TaggedTestCase(false, "Pcp", 0));
        AddTestCase(new PostFromTraceTestCase);
    }
};

RdmaTransportVerbsTestSuite g_rdmaTransportVerbsTestSuite; //!< registers the suite

} // namespace
