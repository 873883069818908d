/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-verbs.h"

#include <ns3/boolean.h>
#include <ns3/error-model.h>
#include <ns3/pointer.h>
#include <ns3/test.h>

#include <array>

/**
 * \file
 * \ingroup rdma-tests
 * Go-back-N when packets or acknowledgements are lost: retransmissions and completions. Times are
 * worked out by hand.
 */

using namespace ns3;

namespace
{

/** Losses of packets, acknowledgements and NAKs. */
class GoBackNTestCase : public TestCase
{
  public:
    GoBackNTestCase()
        : TestCase("a lost packet, the last packet, an acknowledgement")
    {
    }

  private:
    void DoRun() override
    {
        // A SEND of ten packets: frames of 1086 B, 88 480 ps apart on the line. Packet n arrives at
        // 2 175 040 + n x 88 480 (see VerbsTimelineTestCase of rdma-transport-verbs).
        constexpr RdmaPs SLOT = 88'480_ps;
        constexpr RdmaPs FIRST = 2'175'040_ps;
        {
            // Packet 2 is lost. Packet 3 brings a NAK, which reaches the sender 2 011 840 later,
            // long after all ten packets have left. Packets 2 .. 9 are sent again.
            RdmaTestPair pair;
            pair.receiver->PostReceive({100, 10'240});
            LoseFrames(pair.receiver->GetPort(), {2});
            pair.Post(1, RdmaWrOpcode::SEND, 10'240);
            pair.test.Run();
            const RdmaPs nak = FIRST + 3 * SLOT + RdmaTestPair::SHORT;
            const RdmaPs last = nak + FIRST + 7 * SLOT;
            NS_TEST_EXPECT_MSG_EQ(last, 7'246'720_ps, "arithmetic");
            NS_TEST_EXPECT_MSG_EQ(pair.GetReceiveTimes(), "7246720 ", "all is there");
            NS_TEST_EXPECT_MSG_EQ(pair.GetSendLog(), "1 SEND 10240 IBV_WC_SUCCESS; ", "sender");
            const auto stats = pair.sender->GetStats();
            NS_TEST_EXPECT_MSG_EQ(stats.packetsSent, 18U, "2 .. 9 twice");
            NS_TEST_EXPECT_MSG_EQ(stats.packetsRetransmitted, 8U, "2 .. 9");
            NS_TEST_EXPECT_MSG_EQ(stats.timeouts, 0U, "no timer was needed");
            NS_TEST_EXPECT_MSG_EQ(stats.naksReceived, 1U, "one NAK for the gap");
            NS_TEST_EXPECT_MSG_EQ(pair.receiver->GetStats().outOfOrder, 7U, "3 .. 9");
            NS_TEST_EXPECT_MSG_EQ(pair.receiver->GetStats().packetsAccepted, 10U, "once each");
        }
        {
            // The last packet is lost, which leaves no gap: only the timer notices. The timer was
            // restarted by the ACK of packet 8, which came at 2 175 040 + 8 x 88 480 + 2 011 840 =
            // 4 894 720.
            RdmaTestPair pair(SetTestTimeout);
            pair.receiver->PostReceive({100, 10'240});
            LoseFrames(pair.receiver->GetPort(), {9});
            pair.Post(1, RdmaWrOpcode::SEND, 10'240);
            pair.test.Run();
            NS_TEST_EXPECT_MSG_EQ(pair.GetReceiveTimes(),
                                  std::to_string((4'894'720_ps + 100_us + FIRST).Get()) + " ",
                                  "all is there");
            NS_TEST_EXPECT_MSG_EQ(pair.sender->GetStats().timeouts, 1U, "timeouts");
            NS_TEST_EXPECT_MSG_EQ(pair.sender->GetStats().packetsRetransmitted, 1U, "packet 9");
        }
        {
            // The ACK of a lone packet is lost: the receiver executes the packet once, and
            // acknowledges it again.
            RdmaTestPair pair(SetTestTimeout);
            LoseFrames(pair.sender->GetPort(), {0});
            pair.Post(1, RdmaWrOpcode::RDMA_WRITE, 1000);
            pair.test.Run();
            NS_TEST_EXPECT_MSG_EQ(pair.GetArrivals(), "1000 ", "once");
            NS_TEST_EXPECT_MSG_EQ(pair.receiver->GetStats().duplicates, 1U, "duplicates");
            NS_TEST_EXPECT_MSG_EQ(pair.receiver->GetStats().acksSent, 2U, "ACKs");
            NS_TEST_EXPECT_MSG_EQ(pair.GetSendLog(),
                                  "1 RDMA_WRITE 1000 IBV_WC_SUCCESS; ",
                                  "sender");
        }
        {
            // The NAK is lost. No other NAK asks for packet 2, and the timer sends the packets
            // again.
            RdmaTestPair pair(SetTestTimeout);
            LoseFrames(pair.receiver->GetPort(), {2});
            LoseFrames(pair.sender->GetPort(), {2}); // ACKs of 0 and 1, then the NAK
            pair.Post(1, RdmaWrOpcode::RDMA_WRITE, 10'240);
            pair.test.Run();
            NS_TEST_EXPECT_MSG_EQ(pair.GetArrivals(), "10240 ", "once");
            NS_TEST_EXPECT_MSG_EQ(pair.sender->GetStats().timeouts, 1U, "timeouts");
            NS_TEST_EXPECT_MSG_EQ(pair.receiver->GetStats().naksSent, 1U, "NAKs");
            NS_TEST_EXPECT_MSG_EQ(pair.sender->GetStats().packetsRetransmitted, 8U, "2 .. 9");
        }
    }
};

/** Many messages of all kinds over a link that loses one frame in twenty. */
class LossyMessagesTestCase : public TestCase
{
  public:
    LossyMessagesTestCase()
        : TestCase("200 messages over lossy links: each once, in order")
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestPair pair([](RdmaTestFabric& test) {
            test.SetRetries(100_us, 1000);
            test.helper.SetTransportAttribute("AckInterval", UintegerValue(3));
        });
        LoseFramesAtRandom(pair.sender->GetPort(), 0.05, 50);
        LoseFramesAtRandom(pair.receiver->GetPort(), 0.05, 60);
        std::string sends;
        std::string receives;
        std::string arrivals;
        uint64_t receiveId = 1000;
        for (uint64_t id = 0; id < 200; ++id)
        {
            const auto opcode = static_cast<RdmaWrOpcode>(id % 4);
            const uint64_t length = (id * 977) % 5000;
            pair.Post(id, opcode, length, static_cast<uint32_t>(id));
            const bool isSend = id % 4 >= 2;
            const bool hasImmediate = id % 2 == 1;
            std::ostringstream send;
            send << id << (isSend ? " SEND " : " RDMA_WRITE ") << length << " IBV_WC_SUCCESS; ";
            sends += send.str();
            arrivals += std::to_string(length) + " ";
            if (isSend || hasImmediate)
            {
                pair.receiver->PostReceive({receiveId, 5000});
                std::ostringstream receive;
                receive << receiveId++ << (isSend ? " RECV " : " RECV_RDMA_WITH_IMM ") << length;
                if (hasImmediate)
                {
                    receive << " imm " << std::hex << id;
                }
                receive << " IBV_WC_SUCCESS; ";
                receives += receive.str();
            }
        }
        pair.test.Run();
        NS_TEST_EXPECT_MSG_EQ(pair.GetSendLog(), sends, "sender");
        NS_TEST_EXPECT_MSG_EQ(pair.GetReceiveLog(), receives, "receiver");
        NS_TEST_EXPECT_MSG_EQ(pair.GetArrivals(), arrivals, "messages");
        NS_TEST_EXPECT_MSG_GT(pair.sender->GetStats().packetsRetransmitted, 20U, "losses");
        NS_TEST_EXPECT_MSG_GT(pair.receiver->GetStats().duplicates, 0U, "lost ACKs");
        NS_TEST_EXPECT_MSG_GT(pair.sender->GetStats().timeouts, 0U, "timeouts");
    }
};

/** Damages every frame with a certain PSN. */
class OnePsnErrorModel : public ErrorModel
{
  public:
    /** \param psn the PSN */
    explicit OnePsnErrorModel(uint32_t psn)
        : m_psn(psn)
    {
    }

  private:
    bool DoCorrupt(Ptr<Packet> packet) override
    {
        // Ethernet, IPv4 and UDP take 42 bytes; the PSN is the end of the BTH's 12.
        std::array<uint8_t, 54> bytes{};
        packet->CopyData(bytes.data(), bytes.size());
        const uint32_t psn =
            (uint32_t{bytes[51]} << 16) | (uint32_t{bytes[52]} << 8) | uint32_t{bytes[53]};
        return psn == m_psn;
    }

    void DoReset() override
    {
    }

    uint32_t m_psn; //!< PSN of the damaged frames
};

/** A path that always loses one PSN and passes all other packets. */
class AlwaysLostTestCase : public TestCase
{
  public:
    AlwaysLostTestCase()
        : TestCase("a packet that is always lost ends in an error, with a NAK for each packet too")
    {
    }

  private:
    void DoRun() override
    {
        for (const bool each : {false, true})
        {
            RdmaTestPair pair([&](RdmaTestFabric& test) {
                test.SetRetries(100_us, 3);
                test.helper.SetTransportAttribute("NakEachPacket", BooleanValue(each));
            });
            pair.receiver->GetPort()->SetAttribute(
                "ReceiveErrorModel",
                PointerValue(CreateObject<OnePsnErrorModel>(pair.sender->GetInitialPsn() + 2)));
            // 100 packets take 8.8 us, two round trips.
            pair.Post(1, RdmaWrOpcode::RDMA_WRITE, 102'400);
            pair.test.Run(10_ms);
            NS_TEST_EXPECT_MSG_EQ(pair.GetSendLog(),
                                  "1 RDMA_WRITE 102400 IBV_WC_RETRY_EXC_ERR; ",
                                  (each ? "NAK for each packet" : "NAK once for a gap"));
            // With a NAK for each packet the NAKs never let the timer run out.
            NS_TEST_EXPECT_MSG_EQ(pair.sender->GetStats().timeouts, (each ? 0U : 4U), "timeouts");
        }
    }
};

/** The suite. */
class RdmaTransportLossesTestSuite : public TestSuite
{
  public:
    RdmaTransportLossesTestSuite()
        : TestSuite("rdma-transport-losses")
    {
        AddTestCase(new GoBackNTestCase);
        AddTestCase(new LossyMessagesTestCase);
        AddTestCase(new AlwaysLostTestCase);
    }
};

RdmaTransportLossesTestSuite g_rdmaTransportLossesTestSuite; //!< registers the suite

} // namespace
