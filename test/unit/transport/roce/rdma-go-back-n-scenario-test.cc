/* SPDX-License-Identifier: GPL-2.0-only */

// Requester and responder of go-back-N together, the packets between them moved by hand.

#include "rdma-go-back-n.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr RdmaPs TIMEOUT = 1000_ps;
constexpr RdmaPs RNR_WAIT = 10'000_ps;

/** Sender and receiver, and the queue pair's part between them. */
class RdmaGoBackNScenario : public testing::Test
{
  protected:
    /** \param packets posted \param timeout 0 for none */
    void Begin(uint64_t packets, RdmaPs timeout)
    {
        RdmaSenderConfig config;
        config.timeouts.high = timeout;
        config.timeouts.low = timeout;
        requester = RdmaGoBackNSender(config);
        requester.Extend(packets);
    }

    /** \param now instant \return the packets that go out until there are no more */
    std::vector<uint64_t> SendAll(RdmaPs now)
    {
        std::vector<uint64_t> sent;
        while (requester.CanSend())
        {
            sent.push_back(requester.GetNext());
            requester.Sent(1, now);
        }
        return sent;
    }

    /**
     * A packet arrives.
     *
     * \param packet the packet
     * \return the answer: "A5", "N5", "R5" or nothing
     */
    std::string Arrive(uint64_t packet)
    {
        switch (responder.Check(static_cast<int64_t>(packet)))
        {
        case RdmaReceiverVerdict::ACCEPT:
            if (!ready)
            {
                responder.Refuse();
                return "R" + std::to_string(responder.GetExpected());
            }
            responder.Accept(packet, 1, false);
            delivered.push_back(packet);
            return "A" + std::to_string(packet);
        case RdmaReceiverVerdict::DUPLICATE:
            return "A" + std::to_string(responder.GetExpected() - 1);
        case RdmaReceiverVerdict::GAP:
            return "N" + std::to_string(responder.GetExpected());
        case RdmaReceiverVerdict::IGNORE:
            break;
        case RdmaReceiverVerdict::RESTART:
        case RdmaReceiverVerdict::EARLY:
            ADD_FAILURE() << "go-back-N keeps nothing that comes early";
            break;
        }
        return "";
    }

    /**
     * Packets arrive one after another.
     *
     * \param packets the packets
     * \return the answers, one word each
     */
    std::string ArriveAll(const std::vector<uint64_t>& packets)
    {
        std::string answers;
        for (const uint64_t packet : packets)
        {
            const std::string answer = Arrive(packet);
            answers += answers.empty() || answer.empty() ? answer : " " + answer;
        }
        return answers;
    }

    /**
     * \param now current time
     * \param answer an answer that arrives
     * \return the sender's response
     */
    RdmaSenderEvent Answer(RdmaPs now, const std::string& answer)
    {
        const int64_t packet = std::stoll(answer.substr(1));
        switch (answer[0])
        {
        case 'A':
            return requester.OnAck(packet, now);
        case 'N':
            return requester.OnNak(packet, RdmaSender::NO_PACKET, now);
        default:
            return requester.OnRnrNak(packet, RNR_WAIT, now);
        }
    }

    using Packets = std::vector<uint64_t>;

    RdmaGoBackNSender requester{RdmaSenderConfig()}; //!< the sender
    RdmaGoBackNReceiver responder;                   //!< the receiver
    bool ready{true};                                //!< the receiver has a receive request
    Packets delivered;                               //!< packets that were executed
};

} // namespace

TEST_F(RdmaGoBackNScenario, LossInTheMiddleWithoutTimer)
{
    // 0 1 x 3 4 5: one NAK, and no timer is needed.
    Begin(6, 0_ps);
    EXPECT_EQ(SendAll(0_ps), (Packets{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(ArriveAll({0, 1, 3, 4, 5}), "A0 A1 N2");
    Answer(10_ps, "A0");
    Answer(11_ps, "A1");
    EXPECT_TRUE(Answer(12_ps, "N2").mayBegin);
    EXPECT_EQ(SendAll(12_ps), (Packets{2, 3, 4, 5}));
    EXPECT_EQ(ArriveAll({2, 3, 4, 5}), "A2 A3 A4 A5");
    Answer(20_ps, "A5");
    EXPECT_EQ(requester.GetAcked(), 6U);
    EXPECT_EQ(delivered, (Packets{0, 1, 2, 3, 4, 5}));
}

TEST_F(RdmaGoBackNScenario, LostNak)
{
    Begin(4, TIMEOUT);
    SendAll(0_ps);
    EXPECT_EQ(ArriveAll({0, 2, 3}), "A0 N1"); // N1 is lost
    Answer(100_ps, "A0");
    EXPECT_TRUE(requester.OnTimeout(1100_ps).mayBegin);
    EXPECT_EQ(SendAll(1100_ps), (Packets{1, 2, 3}));
    EXPECT_EQ(ArriveAll({1, 2, 3}), "A1 A2 A3");
    Answer(1200_ps, "A3");
    EXPECT_EQ(requester.GetAcked(), 4U);
    EXPECT_EQ(requester.GetDeadline(), RdmaSender::NO_DEADLINE);
}

TEST_F(RdmaGoBackNScenario, LostRetransmission)
{
    // 1 is lost, and lost again after the NAK; the responder sends no other NAK, the timer helps.
    Begin(4, TIMEOUT);
    SendAll(0_ps);
    EXPECT_EQ(ArriveAll({0, 2, 3}), "A0 N1");
    Answer(100_ps, "N1");
    EXPECT_EQ(SendAll(100_ps), (Packets{1, 2, 3}));
    EXPECT_EQ(ArriveAll({2, 3}), "");
    EXPECT_EQ(requester.GetDeadline(), 1100_ps);
    requester.OnTimeout(1100_ps);
    EXPECT_EQ(SendAll(1100_ps), (Packets{1, 2, 3}));
    EXPECT_EQ(ArriveAll({1, 2, 3}), "A1 A2 A3");
    EXPECT_EQ(delivered, (Packets{0, 1, 2, 3}));
}

TEST_F(RdmaGoBackNScenario, LostTail)
{
    Begin(3, TIMEOUT);
    SendAll(0_ps);
    EXPECT_EQ(ArriveAll({0, 1}), "A0 A1"); // 2 leaves no gap behind
    Answer(50_ps, "A1");
    EXPECT_EQ(requester.GetDeadline(), 1050_ps);
    requester.OnTimeout(1050_ps);
    EXPECT_EQ(SendAll(1050_ps), (Packets{2}));
    EXPECT_EQ(ArriveAll({2}), "A2");
}

TEST_F(RdmaGoBackNScenario, LostAckOfTheLast)
{
    // Everything has arrived, the acknowledgements have not: duplicates are acknowledged with all
    // that has come, and are not delivered again.
    Begin(3, TIMEOUT);
    SendAll(0_ps);
    EXPECT_EQ(ArriveAll({0, 1, 2}), "A0 A1 A2"); // all lost
    requester.OnTimeout(1000_ps);
    EXPECT_EQ(SendAll(1000_ps), (Packets{0, 1, 2}));
    EXPECT_EQ(ArriveAll({0}), "A2");
    Answer(1100_ps, "A2");
    EXPECT_EQ(requester.GetAcked(), 3U);
    EXPECT_EQ(requester.GetDeadline(), RdmaSender::NO_DEADLINE);
    EXPECT_EQ(ArriveAll({1, 2}), "A2 A2");
    EXPECT_FALSE(Answer(1200_ps, "A2").mayBegin);
    EXPECT_EQ(delivered, (Packets{0, 1, 2}));
}

TEST_F(RdmaGoBackNScenario, RefusedWithMoreInFlightWithoutTimer)
{
    // 1 finds no receive request; 2 and 3 are in flight behind it. They cause no NAK, and the end
    // of the RNR wait brings all of them again, without any retransmission timer.
    Begin(5, 0_ps);
    EXPECT_EQ(SendAll(0_ps), (Packets{0, 1, 2, 3, 4}));
    EXPECT_EQ(ArriveAll({0}), "A0");
    ready = false;
    EXPECT_EQ(ArriveAll({1, 2, 3, 4}), "R1");
    Answer(10_ps, "A0");
    Answer(11_ps, "R1");
    EXPECT_EQ(SendAll(12_ps), (Packets{}));
    EXPECT_EQ(requester.GetDeadline(), 11_ps + RNR_WAIT);
    EXPECT_TRUE(requester.OnTimeout(11_ps + RNR_WAIT).mayBegin);
    EXPECT_EQ(SendAll(11_ps + RNR_WAIT), (Packets{1, 2, 3, 4}));
    // Not ready yet: once more.
    EXPECT_EQ(ArriveAll({1, 2, 3, 4}), "R1");
    Answer(12'000_ps, "R1");
    EXPECT_TRUE(requester.OnTimeout(22'000_ps).mayBegin);
    ready = true;
    EXPECT_EQ(ArriveAll(SendAll(22'000_ps)), "A1 A2 A3 A4");
    Answer(22'100_ps, "A4");
    EXPECT_EQ(requester.GetAcked(), 5U);
    EXPECT_EQ(delivered, (Packets{0, 1, 2, 3, 4}));
}

TEST_F(RdmaGoBackNScenario, ReceivePostedBehindARefusedPacket)
{
    // A receive request comes between the refused packet and the packets behind it, which must not
    // be taken in its place.
    Begin(3, 0_ps);
    SendAll(0_ps);
    ready = false;
    EXPECT_EQ(ArriveAll({0}), "R0");
    ready = true;
    EXPECT_EQ(ArriveAll({1, 2}), "");
    Answer(10_ps, "R0");
    requester.OnTimeout(10_ps + RNR_WAIT);
    EXPECT_EQ(ArriveAll(SendAll(10_ps + RNR_WAIT)), "A0 A1 A2");
    EXPECT_EQ(delivered, (Packets{0, 1, 2}));
}

TEST_F(RdmaGoBackNScenario, LostRnrNak)
{
    Begin(3, TIMEOUT);
    SendAll(0_ps);
    ready = false;
    EXPECT_EQ(ArriveAll({0, 1, 2}), "R0"); // lost
    ready = true;
    requester.OnTimeout(1000_ps);
    EXPECT_EQ(ArriveAll(SendAll(1000_ps)), "A0 A1 A2");
    EXPECT_EQ(delivered, (Packets{0, 1, 2}));
}

TEST_F(RdmaGoBackNScenario, LossAfterTheRnrWait)
{
    // 0 was refused, and is lost when it comes again: 1 and 2 are ignored as before, the timer
    // that began with 0 takes care of it.
    Begin(3, TIMEOUT);
    SendAll(0_ps);
    ready = false;
    EXPECT_EQ(ArriveAll({0, 1, 2}), "R0");
    Answer(10_ps, "R0");
    ready = true;
    requester.OnTimeout(10_ps + RNR_WAIT);
    EXPECT_EQ(SendAll(10_ps + RNR_WAIT), (Packets{0, 1, 2}));
    EXPECT_EQ(ArriveAll({1, 2}), "");
    EXPECT_EQ(requester.GetDeadline(), 10_ps + RNR_WAIT + TIMEOUT);
    requester.OnTimeout(10_ps + RNR_WAIT + TIMEOUT);
    EXPECT_EQ(ArriveAll(SendAll(12'000_ps)), "A0 A1 A2");
}

TEST_F(RdmaGoBackNScenario, TimeoutShorterThanTheRoundTrip)
{
    // Everything is sent twice before the first answer. The second copies of 0 1 2 are duplicates,
    // and the answers to them change nothing.
    Begin(3, TIMEOUT);
    EXPECT_EQ(SendAll(0_ps), (Packets{0, 1, 2}));
    requester.OnTimeout(1000_ps);
    EXPECT_EQ(SendAll(1000_ps), (Packets{0, 1, 2}));
    EXPECT_EQ(ArriveAll({0, 1, 2}), "A0 A1 A2");
    EXPECT_EQ(ArriveAll({0, 1, 2}), "A2 A2 A2");
    for (const char* answer : {"A0", "A1", "A2"})
    {
        EXPECT_TRUE(Answer(1500_ps, answer).mayBegin);
    }
    for (int i = 0; i < 3; ++i)
    {
        EXPECT_FALSE(Answer(1600_ps, "A2").mayBegin);
    }
    EXPECT_EQ(requester.GetDeadline(), RdmaSender::NO_DEADLINE);
    EXPECT_EQ(requester.GetRetransmissions(), 3U);
}

TEST_F(RdmaGoBackNScenario, NakThatCrossesATimeout)
{
    // 1 is lost. The timer runs out while the NAK is on its way, and 1 2 3 go again; then comes the
    // NAK and they go a third time. Each is delivered once.
    Begin(4, TIMEOUT);
    SendAll(0_ps);
    Answer(1_ps, Arrive(0));
    EXPECT_EQ(ArriveAll({2, 3}), "N1");
    requester.OnTimeout(1001_ps);
    EXPECT_EQ(SendAll(1001_ps), (Packets{1, 2, 3}));
    Answer(1002_ps, "N1");
    EXPECT_EQ(SendAll(1002_ps), (Packets{1, 2, 3}));
    EXPECT_EQ(ArriveAll({1, 2, 3, 1, 2, 3}), "A1 A2 A3 A3 A3 A3");
    Answer(1100_ps, "A3");
    EXPECT_EQ(requester.GetAcked(), 4U);
    EXPECT_EQ(delivered, (Packets{0, 1, 2, 3}));
}

TEST(RdmaGoBackNRetries, AlwaysTheSamePacketIsLost)
{
    // Packet 3 never arrives, all others do. One NAK reports the gap; the retransmissions trigger
    // no other one, so the timer expires. The timeouts count, and retry_cnt ends it.
    RdmaSenderConfig config;
    config.timeouts.high = TIMEOUT;
    config.timeouts.low = TIMEOUT;
    config.retryCount = 7;
    RdmaGoBackNSender sender(config);
    RdmaGoBackNReceiver receiver;
    sender.Extend(10);
    RdmaPs now = 0_ps;
    uint64_t naks = 0;
    RdmaSenderEvent event;
    while (!event.failed)
    {
        ASSERT_LT(now, 100 * TIMEOUT);
        if (!sender.CanSend())
        {
            now = sender.GetDeadline();
            event = sender.OnTimeout(now);
            continue;
        }
        const auto packet = static_cast<int64_t>(sender.GetNext());
        now += 1_ps;
        sender.Sent(1, now);
        const auto verdict = packet == 3 ? RdmaReceiverVerdict::IGNORE : receiver.Check(packet);
        if (verdict == RdmaReceiverVerdict::ACCEPT)
        {
            receiver.Accept(static_cast<uint64_t>(packet), 1, false);
            sender.OnAck(packet, now);
        }
        else if (verdict == RdmaReceiverVerdict::GAP)
        {
            ++naks;
            sender.OnNak(static_cast<int64_t>(receiver.GetMissing()), RdmaSender::NO_PACKET, now);
        }
    }
    EXPECT_EQ(event.status, RdmaWcStatus::RETRY_EXC_ERR);
    EXPECT_EQ(sender.GetTimeouts(), 8U);
    EXPECT_EQ(naks, 1U);
    EXPECT_EQ(sender.GetAcked(), 3U);
}
