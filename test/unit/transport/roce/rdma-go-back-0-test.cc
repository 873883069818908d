/* SPDX-License-Identifier: GPL-2.0-only */

// Go-back-0: "RDMA over Commodity Ethernet at Scale", section 4.1. Any loss restarts the message.

#include "irn-steps.h"
#include "rdma-expect-error.h"
#include "rdma-go-back-0.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::IrnSteps;

namespace
{

constexpr RdmaPs TIMEOUT = 1000_ps;

/** \param messages packets of each message \param window most in flight \return a sender */
RdmaGoBack0Sender
MakeSender(const std::vector<uint64_t>& messages, uint64_t window = 100)
{
    RdmaSenderConfig config = MakeConfig(window);
    config.timeouts.low = TIMEOUT;
    config.timeouts.high = TIMEOUT;
    RdmaGoBack0Sender sender(config);
    for (const uint64_t packets : messages)
    {
        sender.Extend(packets);
    }
    return sender;
}

} // namespace

// Sender

TEST(RdmaGoBack0Sender, OnlyWholeMessagesAreAcknowledged)
{
    auto sender = MakeSender({3, 1, 4});
    EXPECT_EQ(Send(sender, 0_ps), "0 1 2 3 4 5 6 7");
    EXPECT_TRUE(sender.OnAck(0, 10_ps).mayBegin);
    sender.OnAck(1, 20_ps);
    EXPECT_EQ(sender.GetAcked(), 0U);
    sender.OnAck(2, 30_ps);
    EXPECT_EQ(sender.GetAcked(), 3U);
    sender.OnAck(5, 40_ps); // the second message, and half of the third
    EXPECT_EQ(sender.GetAcked(), 4U);
    EXPECT_EQ(sender.GetDeadline(), 40_ps + TIMEOUT);
    sender.OnAck(7, 50_ps);
    EXPECT_EQ(sender.GetAcked(), 8U);
    EXPECT_EQ(sender.GetDeadline(), NEVER);
    for (const int64_t packet : {7, 6, 0, -1, 8, 100})
    {
        EXPECT_TRUE(IsNothing(sender.OnAck(packet, 60_ps)));
    }
    EXPECT_EQ(sender.GetRetransmissions(), 0U);
}

TEST(RdmaGoBack0Sender, NakRestartsTheMessage)
{
    // Messages 0 1 2 and 3 4 5 6. 5 is lost: the NAK asks for 3.
    auto sender = MakeSender({3, 4, 1});
    Send(sender, 0_ps, 7);
    sender.OnAck(4, 10_ps);
    EXPECT_EQ(sender.GetAcked(), 3U);
    const auto event = sender.OnNak(3, NONE, 20_ps);
    EXPECT_TRUE(event.mayBegin);
    EXPECT_EQ(sender.GetDeadline(), NEVER);
    EXPECT_EQ(Send(sender, 30_ps), "3r 4r 5r 6r 7");
    EXPECT_EQ(sender.GetDeadline(), 30_ps + TIMEOUT);
    EXPECT_EQ(sender.GetRetransmissions(), 4U);
}

TEST(RdmaGoBack0Sender, NakInTheMiddleOfAMessage)
{
    // A NAK of 5 makes the sender return to 3, the begin of the message.
    auto sender = MakeSender({3, 4});
    Send(sender, 0_ps);
    sender.OnNak(5, NONE, 20_ps);
    EXPECT_EQ(sender.GetAcked(), 3U);
    EXPECT_EQ(Send(sender, 30_ps), "3r 4r 5r 6r");
}

TEST(RdmaGoBack0Sender, OldAndImpossibleNaks)
{
    auto sender = MakeSender({3, 4, 2});
    Send(sender, 0_ps, 5);
    sender.OnAck(2, 10_ps);
    EXPECT_TRUE(IsNothing(sender.OnNak(0, NONE, 20_ps)));
    EXPECT_TRUE(IsNothing(sender.OnNak(2, NONE, 20_ps)));
    EXPECT_TRUE(IsNothing(sender.OnNak(6, NONE, 20_ps))); // posted, not sent
    EXPECT_TRUE(IsNothing(sender.OnNak(7, NONE, 20_ps)));
    EXPECT_EQ(sender.GetNext(), 5U);
}

TEST(RdmaGoBack0Sender, TimeoutRestartsTheMessage)
{
    auto sender = MakeSender({3, 4});
    Send(sender, 0_ps);
    sender.OnAck(4, 100_ps);
    EXPECT_EQ(sender.GetDeadline(), 100_ps + TIMEOUT);
    EXPECT_TRUE(sender.OnTimeout(100_ps + TIMEOUT).mayBegin);
    EXPECT_EQ(Send(sender, 2000_ps), "3r 4r 5r 6r");
    EXPECT_EQ(sender.GetTimeouts(), 1U);
}

TEST(RdmaGoBack0Sender, AcksWithinAMessageShowLife)
{
    // Six packets, one ACK each 900: the timer never runs out, and timeouts are not in a row.
    auto sender = MakeSender({6});
    Send(sender, 0_ps);
    for (int64_t packet = 0; packet < 5; ++packet)
    {
        sender.OnAck(packet, (packet + 1) * 900_ps);
        EXPECT_EQ(sender.GetDeadline(), (packet + 1) * 900_ps + TIMEOUT);
        sender.OnAck(packet, (packet + 1) * 900_ps + 50_ps); // a repeated ACK changes nothing
        EXPECT_EQ(sender.GetDeadline(), (packet + 1) * 900_ps + TIMEOUT);
    }
    // retry_cnt is 2: with a sign of life after each timeout it goes on for ever.
    for (RdmaPs now = 10'000_ps; now < 100'000_ps; now += 5000_ps)
    {
        EXPECT_FALSE(sender.OnTimeout(now).failed);
        EXPECT_EQ(Send(sender, now), "0r 1r 2r 3r 4r 5r");
        sender.OnAck(0, now + 10_ps);
        EXPECT_EQ(sender.GetDeadline(), now + 10_ps + TIMEOUT);
    }
    // Without signs of life, the third timeout in a row is the end.
    for (RdmaPs now = 200'000_ps; now < 202'000_ps; now += 1000_ps)
    {
        EXPECT_FALSE(sender.OnTimeout(now).failed);
        Send(sender, now);
    }
    const auto event = sender.OnTimeout(202'000_ps);
    EXPECT_TRUE(event.failed);
    EXPECT_EQ(event.status, RdmaWcStatus::RETRY_EXC_ERR);
}

TEST(RdmaGoBack0Sender, AckFromBeforeItWentBack)
{
    // 0..5 sent; the timeout goes back to 0, 0 and 1 are sent, and then comes the ACK of 3 of the
    // first time: no acknowledgement of the packets on the way now.
    auto sender = MakeSender({6});
    Send(sender, 0_ps);
    sender.OnTimeout(TIMEOUT);
    EXPECT_EQ(Send(sender, 2000_ps, 2), "0r 1r");
    EXPECT_TRUE(IsNothing(sender.OnAck(3, 2500_ps)));
    EXPECT_EQ(sender.GetDeadline(), 2000_ps + TIMEOUT);
    // An ACK of the whole message completes the message.
    EXPECT_TRUE(sender.OnAck(5, 2600_ps).mayBegin);
    EXPECT_EQ(sender.GetAcked(), 6U);
    EXPECT_FALSE(sender.CanSend());
    EXPECT_EQ(sender.GetDeadline(), NEVER);
}

TEST(RdmaGoBack0Sender, MessageLongerThanTheWindow)
{
    // Packets that arrived since the return make room.
    auto sender = MakeSender({8}, 3);
    EXPECT_EQ(Send(sender, 0_ps), "0 1 2");
    EXPECT_EQ(Reply(sender, 10_ps, "A0"), "3");
    sender.OnAck(3, 20_ps);
    EXPECT_EQ(sender.GetDeadline(), NEVER); // nothing is on the way
    EXPECT_EQ(Send(sender, 20_ps), "4 5 6");
    EXPECT_EQ(sender.GetDeadline(), 20_ps + TIMEOUT);
    EXPECT_EQ(Reply(sender, 30_ps, "N0"), "0r 1r 2r");
    EXPECT_EQ(Reply(sender, 40_ps, "A2"), "3r 4r 5r");
    EXPECT_EQ(Reply(sender, 50_ps, "A5"), "6r 7");
    sender.OnAck(7, 60_ps);
    EXPECT_EQ(sender.GetAcked(), 8U);
}

TEST(RdmaGoBack0Sender, WholeMessageAcknowledgedAfterItWentBack)
{
    // Messages 0 1 and 2 3 4 5. The timeout goes back to 0; then comes the ACK of 2 of the first
    // time: the first message is done, nothing is in flight, and the second begins anew.
    auto sender = MakeSender({2, 4}, 3);
    Send(sender, 0_ps);
    sender.OnTimeout(TIMEOUT);
    EXPECT_TRUE(sender.OnAck(2, 1100_ps).mayBegin);
    EXPECT_EQ(sender.GetAcked(), 2U);
    EXPECT_EQ(sender.GetDeadline(), NEVER);
    EXPECT_EQ(Send(sender, 1200_ps), "2r 3 4");
}

TEST(RdmaGoBack0Sender, LongestMessage)
{
    // None of a message's packets is acknowledged before the last, and no two may have one PSN.
    auto sender = MakeSender({RDMA_MAX_WINDOW - 1, 1}, RDMA_MAX_WINDOW - 1);
    uint64_t sent = 0;
    for (; sender.CanSend(); ++sent)
    {
        sender.Sent(1, 0_ps);
        sender.OnAck(static_cast<int64_t>(sent) - 1, 0_ps);
    }
    EXPECT_EQ(sent, RDMA_MAX_WINDOW - 1);
    sender.OnAck(static_cast<int64_t>(sent) - 1, 1_ps);
    EXPECT_EQ(Send(sender, 1_ps), "8388607");
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    ExpectRefusal([&] { sender.Extend(RDMA_MAX_WINDOW); },
                  "8388608 packets; accepted: up to 8388607");
}

TEST(RdmaGoBack0Sender, RnrNakRestartsTheMessage)
{
    // A write with immediate takes its receive request at its last packet: 3, of 0..3, is refused.
    auto sender = MakeSender({4, 1});
    Send(sender, 0_ps);
    sender.OnAck(1, 5_ps);
    EXPECT_FALSE(sender.OnRnrNak(3, 500_ps, 10_ps).failed);
    EXPECT_FALSE(sender.CanSend());
    EXPECT_EQ(sender.GetDeadline(), 510_ps);
    EXPECT_TRUE(IsNothing(sender.OnRnrNak(3, 500_ps, 20_ps)));
    sender.OnAck(2, 30_ps);
    EXPECT_EQ(sender.GetDeadline(), 510_ps);
    EXPECT_TRUE(sender.OnTimeout(510_ps).mayBegin);
    EXPECT_EQ(Send(sender, 510_ps), "0r 1r 2r 3r 4r");
    EXPECT_EQ(sender.GetTimeouts(), 0U);
}

TEST(RdmaGoBack0Sender, RnrRetriesRunOut)
{
    // Signs of life within the message do not count as a receive request.
    RdmaSenderConfig config = MakeConfig();
    config.rnrRetryCount = 1;
    auto sender = Begin<RdmaGoBack0Sender>(3, ALL, config);
    EXPECT_FALSE(sender.OnRnrNak(2, 500_ps, 10_ps).failed);
    sender.OnTimeout(510_ps);
    Send(sender, 510_ps);
    sender.OnAck(1, 520_ps);
    const auto event = sender.OnRnrNak(2, 500_ps, 530_ps);
    EXPECT_TRUE(event.failed);
    EXPECT_EQ(event.status, RdmaWcStatus::RNR_RETRY_EXC_ERR);
}

TEST(RdmaGoBack0Sender, ReadThatStandsForSeveralNumbers)
{
    // A READ of four responses, then a packet: the request goes alone, and its responses
    // acknowledge it one by one. One is lost: all of the READ goes again.
    auto sender = MakeSender({4, 1});
    EXPECT_EQ(sender.GetNext(), 0U);
    EXPECT_FALSE(sender.Sent(4, 0_ps));
    EXPECT_EQ(Send(sender, 0_ps), "4");
    sender.OnAck(0, 10_ps);
    sender.OnAck(1, 11_ps);
    EXPECT_EQ(sender.GetAcked(), 0U);
    sender.OnNak(2, NONE, 12_ps);
    EXPECT_EQ(sender.GetNext(), 0U);
    EXPECT_TRUE(sender.Sent(4, 20_ps));
    EXPECT_EQ(Send(sender, 20_ps), "4r");
    sender.OnAck(4, 30_ps);
    EXPECT_EQ(sender.GetAcked(), 5U);
}

// Receiver

TEST(RdmaGoBack0Receiver, GapAsksForTheFirstPacket)
{
    // Messages 0 1 and 2 3 4 5. 4 is lost: one NAK, of 2, and 5 is thrown away.
    RdmaGoBack0Receiver receiver;
    EXPECT_EQ(Arrive(receiver, 0), "A0");
    EXPECT_EQ(Arrive(receiver, 1, true), "A1");
    EXPECT_EQ(ArriveAll(receiver, "2 3 5"), "A2 A3 N2");
    EXPECT_EQ(receiver.GetMissing(), 2U);
    EXPECT_EQ(receiver.GetExpected(), 2U);
    // The packet that seemed lost was late: it is ignored, too.
    EXPECT_EQ(ArriveAll(receiver, "4 5 3"), "");
    EXPECT_EQ(receiver.Check(2), RdmaReceiverVerdict::RESTART);
    EXPECT_EQ(ArriveAll(receiver, "2 3 4"), "A2 A3 A4");
    EXPECT_EQ(Arrive(receiver, 5, true), "A5");
    EXPECT_EQ(receiver.GetExpected(), 6U);
    EXPECT_EQ(receiver.GetMissing(), 6U);
}

TEST(RdmaGoBack0Receiver, FirstPacketLost)
{
    RdmaGoBack0Receiver receiver;
    EXPECT_EQ(Arrive(receiver, 0, true), "A0");
    EXPECT_EQ(ArriveAll(receiver, "2 3"), "N1");
    EXPECT_EQ(receiver.Check(1), RdmaReceiverVerdict::ACCEPT); // nothing of it has come
    EXPECT_EQ(ArriveAll(receiver, "1 2"), "A1 A2");
}

TEST(RdmaGoBack0Receiver, RestartWithoutAGap)
{
    // The sender timed out: the message begins again before the receiver misses anything.
    RdmaGoBack0Receiver receiver;
    EXPECT_EQ(ArriveAll(receiver, "0 1 2"), "A0 A1 A2");
    EXPECT_EQ(receiver.Check(0), RdmaReceiverVerdict::RESTART);
    EXPECT_EQ(ArriveAll(receiver, "0"), "A0");
    EXPECT_EQ(receiver.GetExpected(), 1U);
    EXPECT_EQ(ArriveAll(receiver, "2"), "N0"); // earlier packets do not count
}

TEST(RdmaGoBack0Receiver, Duplicates)
{
    RdmaGoBack0Receiver receiver;
    Arrive(receiver, 0);
    Arrive(receiver, 1, true);
    EXPECT_EQ(ArriveAll(receiver, "2 3 4"), "A2 A3 A4");
    EXPECT_EQ(ArriveAll(receiver, "3 4 1 0"), "A4 A4 A4 A4"); // within the message and before it
    EXPECT_EQ(receiver.Check(-7), RdmaReceiverVerdict::DUPLICATE);
    EXPECT_EQ(ArriveAll(receiver, "6 1 0"), "N2 A1 A1"); // of completed messages, within a gap
    EXPECT_EQ(Arrive(receiver, 3), "");
}

TEST(RdmaGoBack0Receiver, RefusedPackets)
{
    RdmaGoBack0Receiver receiver;
    EXPECT_EQ(receiver.Check(0), RdmaReceiverVerdict::ACCEPT);
    receiver.Refuse();
    EXPECT_EQ(ArriveAll(receiver, "1 2"), ""); // no gap
    EXPECT_EQ(ArriveAll(receiver, "0 1"), "A0 A1");
    EXPECT_EQ(receiver.Check(2), RdmaReceiverVerdict::ACCEPT);
    receiver.Refuse(); // a write with immediate: at its last packet
    EXPECT_EQ(ArriveAll(receiver, "3 2"), "");
    EXPECT_EQ(receiver.Check(0), RdmaReceiverVerdict::RESTART);
    EXPECT_EQ(ArriveAll(receiver, "0 1"), "A0 A1");
    EXPECT_EQ(Arrive(receiver, 2, true), "A2");
}

// Both, with PSNs that wrap around within the message

TEST(RdmaGoBack0, LossAtTheWrap)
{
    // One message of 6 packets with PSNs 2^24-3 2^24-2 2^24-1 0 1 2. PSN 0 is lost. In the second
    // attempt the first packet is lost, and the timeout has to help.
    constexpr uint32_t INITIAL = RDMA_PSN_SPACE - 3;
    auto sender = MakeSender({6});
    RdmaGoBack0Receiver receiver;
    const auto round = [&](uint32_t lost, RdmaPs now) {
        std::string naks;
        while (sender.CanSend())
        {
            const uint64_t number = sender.GetNext();
            const uint32_t psn = RdmaToPsn(INITIAL, number);
            sender.Sent(1, now);
            if (psn == lost)
            {
                continue;
            }
            const int64_t packet = RdmaFromPsn(INITIAL, psn, receiver.GetExpected());
            const std::string answer = Arrive(receiver, packet, packet == 5);
            naks += answer.empty() || answer[0] == 'A' ? "" : answer;
            if (!answer.empty())
            {
                const auto back = static_cast<uint64_t>(std::stoll(answer.substr(1)));
                const int64_t told =
                    RdmaFromPsn(INITIAL, RdmaToPsn(INITIAL, back), sender.GetAcked());
                answer[0] == 'A' ? sender.OnAck(told, now) : sender.OnNak(told, NONE, now);
            }
            if (!naks.empty())
            {
                break;
            }
        }
        return naks;
    };
    EXPECT_EQ(round(0, 0_ps), "N0");
    EXPECT_EQ(sender.GetNext(), 0U);
    EXPECT_EQ(round(INITIAL, 100_ps), ""); // 1..5 are not of the new attempt, and ignored
    EXPECT_EQ(sender.GetAcked(), 0U);
    EXPECT_EQ(sender.GetDeadline(), 100_ps + TIMEOUT);
    sender.OnTimeout(100_ps + TIMEOUT);
    EXPECT_EQ(round(RDMA_PSN_SPACE, 2000_ps), "");
    EXPECT_EQ(sender.GetAcked(), 6U);
    EXPECT_EQ(receiver.GetExpected(), 6U);
}
