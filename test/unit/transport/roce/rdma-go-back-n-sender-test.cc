/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-go-back-n-steps.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::RdmaGoBackNSteps;

// Acknowledgements

TEST(RdmaGoBackNSender, InOrder)
{
    auto requester = MakeSender();
    EXPECT_FALSE(requester.CanSend());
    EXPECT_EQ(requester.GetAcked(), 0U);
    EXPECT_EQ(requester.GetHighestSent(), 0U);
    requester.Extend(3);
    Send(requester, 0, 2, 0_ps);
    EXPECT_FALSE(requester.CanSend());
    EXPECT_EQ(requester.GetHighestSent(), 3U);
    for (int64_t packet = 0; packet < 3; ++packet)
    {
        EXPECT_TRUE(requester.OnAck(packet, 10_ps).mayBegin);
        EXPECT_EQ(requester.GetAcked(), static_cast<uint64_t>(packet + 1));
    }
    requester.Extend(2);
    requester.Extend(1);
    Send(requester, 3, 5, 20_ps);
    EXPECT_FALSE(requester.CanSend());
    EXPECT_EQ(requester.GetRetransmissions(), 0U);
    EXPECT_EQ(requester.GetTimeouts(), 0U);
}

TEST(RdmaGoBackNSender, AcksAreCumulative)
{
    auto requester = MakeSender();
    requester.Extend(10);
    Send(requester, 0, 7, 0_ps);
    requester.OnAck(4, 10_ps);
    EXPECT_EQ(requester.GetAcked(), 5U);
    EXPECT_EQ(requester.GetNext(), 8U);
    // Old acknowledgements, and one of no packet, change nothing.
    for (const int64_t packet : {4, 3, 0, -1, -100})
    {
        EXPECT_TRUE(IsNothing(requester.OnAck(packet, 11_ps)));
    }
    EXPECT_EQ(requester.GetAcked(), 5U);
    requester.OnAck(7, 12_ps);
    EXPECT_EQ(requester.GetAcked(), 8U);
}

TEST(RdmaGoBackNSender, AckOfWhatWasNeverSent)
{
    auto requester = MakeSender();
    requester.Extend(10);
    EXPECT_TRUE(IsNothing(requester.OnAck(0, 0_ps)));
    Send(requester, 0, 3, 0_ps);
    EXPECT_TRUE(IsNothing(requester.OnAck(4, 1_ps))); // 4 is posted, not sent
    EXPECT_TRUE(IsNothing(requester.OnAck(1'000'000, 1_ps)));
    EXPECT_EQ(requester.GetAcked(), 0U);
    Send(requester, 4, 9, 2_ps);
}

// NAK, PSN sequence error

TEST(RdmaGoBackNSender, NakGoesBack)
{
    // 0 1 2 3 4 5 sent, 2 is lost: NAK 2, and 2 3 4 5 go again before 6.
    auto requester = MakeSender();
    requester.Extend(8);
    Send(requester, 0, 5, 0_ps);
    const auto event = requester.OnNak(2, RdmaSender::NO_PACKET, 100_ps);
    EXPECT_TRUE(event.mayBegin);
    EXPECT_FALSE(event.failed);
    EXPECT_EQ(requester.GetAcked(), 2U); // 0 and 1 have arrived
    EXPECT_EQ(requester.GetHighestSent(), 6U);
    Send(requester, 2, 5, 110_ps, true);
    Send(requester, 6, 7, 120_ps);
    EXPECT_EQ(requester.GetRetransmissions(), 4U);
    EXPECT_EQ(requester.GetTimeouts(), 0U);
}

TEST(RdmaGoBackNSender, NakOfTheFirstPacket)
{
    auto requester = MakeSender();
    requester.Extend(3);
    Send(requester, 0, 2, 0_ps);
    EXPECT_TRUE(requester.OnNak(0, RdmaSender::NO_PACKET, 10_ps).mayBegin);
    EXPECT_EQ(requester.GetAcked(), 0U);
    Send(requester, 0, 2, 20_ps, true);
}

TEST(RdmaGoBackNSender, NakInTheMiddleOfARetransmission)
{
    // 0..9 sent, NAK 2: 2 3 4 go again, 2 arrives and 3 is lost: NAK 3.
    auto requester = MakeSender();
    requester.Extend(10);
    Send(requester, 0, 9, 0_ps);
    requester.OnNak(2, RdmaSender::NO_PACKET, 10_ps);
    Send(requester, 2, 4, 20_ps, true);
    EXPECT_TRUE(requester.OnNak(3, RdmaSender::NO_PACKET, 30_ps).mayBegin);
    EXPECT_EQ(requester.GetAcked(), 3U);
    Send(requester, 3, 9, 40_ps, true);
    EXPECT_EQ(requester.GetRetransmissions(), 10U);
}

TEST(RdmaGoBackNSender, OldNaksChangeNothing)
{
    auto requester = MakeSender();
    requester.Extend(10);
    Send(requester, 0, 5, 0_ps);
    requester.OnAck(3, 10_ps);
    EXPECT_TRUE(IsNothing(requester.OnNak(2, RdmaSender::NO_PACKET, 20_ps)));
    EXPECT_TRUE(IsNothing(requester.OnNak(-5, RdmaSender::NO_PACKET, 20_ps)));
    EXPECT_EQ(requester.GetAcked(), 4U);
    EXPECT_EQ(requester.GetNext(), 6U);
    // NAKs of packets that were never sent change nothing either
    EXPECT_TRUE(IsNothing(requester.OnNak(7, RdmaSender::NO_PACKET, 20_ps)));
    EXPECT_EQ(requester.GetNext(), 6U);
}

TEST(RdmaGoBackNSender, NakForAWindowThatWentBackAlready)
{
    // The timeout took the sender back to 0 and nothing has gone again; then comes the NAK of 3.
    auto requester = MakeSender(TIMEOUT);
    requester.Extend(6);
    Send(requester, 0, 5, 0_ps);
    EXPECT_TRUE(requester.OnTimeout(TIMEOUT).mayBegin);
    EXPECT_EQ(requester.GetNext(), 0U);
    requester.OnNak(3, RdmaSender::NO_PACKET, 1100_ps);
    EXPECT_EQ(requester.GetAcked(), 3U);
    EXPECT_TRUE(requester.CanSend());
    Send(requester, 3, 5, 1200_ps, true);
    EXPECT_EQ(requester.GetDeadline(), 1200_ps + TIMEOUT);
}

TEST(RdmaGoBackNSender, AckBeyondTheRetransmission)
{
    // After going back to 2 for nothing, the ACK of 5 shows that all had arrived: none goes again.
    auto requester = MakeSender(TIMEOUT);
    requester.Extend(8);
    Send(requester, 0, 5, 0_ps);
    requester.OnAck(1, 500_ps);
    requester.OnTimeout(1500_ps);
    Send(requester, 2, 2, 1510_ps, true);
    EXPECT_TRUE(requester.OnAck(5, 1520_ps).mayBegin);
    EXPECT_EQ(requester.GetAcked(), 6U);
    Send(requester, 6, 7, 1530_ps);
    EXPECT_EQ(requester.GetRetransmissions(), 1U);
}

// Timer

TEST(RdmaGoBackNSender, TimerOff)
{
    auto requester = MakeSender(0_ps);
    requester.Extend(5);
    Send(requester, 0, 4, 0_ps);
    EXPECT_EQ(requester.GetDeadline(), NEVER);
    requester.OnAck(1, 10_ps);
    EXPECT_EQ(requester.GetDeadline(), NEVER);
    requester.OnNak(3, RdmaSender::NO_PACKET, 20_ps);
    EXPECT_EQ(requester.GetDeadline(), NEVER);
}

TEST(RdmaGoBackNSender, TimerRunsFromTheLastProgress)
{
    auto requester = MakeSender(TIMEOUT);
    requester.Extend(5);
    EXPECT_EQ(requester.GetDeadline(), NEVER);
    Send(requester, 0, 0, 100_ps);
    EXPECT_EQ(requester.GetDeadline(), 1100_ps);
    Send(requester, 1, 3, 200_ps); // later packets do not move it
    EXPECT_EQ(requester.GetDeadline(), 1100_ps);
    requester.OnAck(0, 300_ps); // progress does
    EXPECT_EQ(requester.GetDeadline(), 1300_ps);
    requester.OnAck(0, 400_ps); // a repeated ACK is no progress
    EXPECT_EQ(requester.GetDeadline(), 1300_ps);
    requester.OnAck(3, 500_ps); // nothing is in flight
    EXPECT_EQ(requester.GetDeadline(), NEVER);
    Send(requester, 4, 4, 9000_ps);
    EXPECT_EQ(requester.GetDeadline(), 10'000_ps);
}

TEST(RdmaGoBackNSender, TimerAfterANak)
{
    // The timer starts with the retransmission, which may have to wait for its turn.
    auto requester = MakeSender(TIMEOUT);
    requester.Extend(5);
    Send(requester, 0, 3, 0_ps);
    requester.OnNak(1, RdmaSender::NO_PACKET, 300_ps);
    EXPECT_EQ(requester.GetDeadline(), NEVER);
    EXPECT_TRUE(requester.CanSend());
    Send(requester, 1, 1, 5000_ps, true);
    EXPECT_EQ(requester.GetDeadline(), 6000_ps);
}

TEST(RdmaGoBackNSender, Timeout)
{
    auto requester = MakeSender(TIMEOUT);
    requester.Extend(4);
    Send(requester, 0, 3, 0_ps);
    requester.OnAck(0, 10_ps);
    const auto event = requester.OnTimeout(1010_ps);
    EXPECT_TRUE(event.mayBegin);
    EXPECT_FALSE(event.failed);
    EXPECT_EQ(requester.GetTimeouts(), 1U);
    EXPECT_EQ(requester.GetDeadline(), NEVER);
    Send(requester, 1, 1, 1500_ps, true);
    EXPECT_EQ(requester.GetDeadline(), 2500_ps);
    Send(requester, 2, 3, 1600_ps, true);
    EXPECT_FALSE(requester.CanSend());
    EXPECT_EQ(requester.GetRetransmissions(), 3U);
}

TEST(RdmaGoBackNSender, AckBetweenTimeoutAndRetransmission)
{
    auto requester = MakeSender(TIMEOUT);
    requester.Extend(4);
    Send(requester, 0, 3, 0_ps);
    requester.OnTimeout(1000_ps);
    requester.OnAck(1, 1010_ps); // 0 and 1 need not go again
    EXPECT_EQ(requester.GetNext(), 2U);
    EXPECT_TRUE(requester.CanSend());
    Send(requester, 2, 3, 1020_ps, true);
    EXPECT_EQ(requester.GetDeadline(), 2020_ps);
    requester.OnTimeout(2020_ps);
    requester.OnAck(3, 2030_ps); // nothing needs to
    EXPECT_FALSE(requester.CanSend());
    EXPECT_EQ(requester.GetDeadline(), NEVER);
    EXPECT_EQ(requester.GetRetransmissions(), 2U);
}

TEST(RdmaGoBackNSender, RetriesRunOut)
{
    // retry_cnt 2: two timeouts in a row are survived, the third is the end.
    auto requester = MakeSender(TIMEOUT, 2);
    requester.Extend(4);
    RdmaPs now = 0_ps;
    Send(requester, 0, 3, now);
    for (int round = 0; round < 2; ++round)
    {
        now += TIMEOUT;
        EXPECT_EQ(requester.GetDeadline(), now);
        EXPECT_FALSE(requester.OnTimeout(now).failed);
        Send(requester, 0, 3, now, true);
    }
    // Progress, however small, and the count begins anew.
    requester.OnAck(0, now + 1_ps);
    now += 1_ps;
    for (int round = 0; round < 2; ++round)
    {
        now += TIMEOUT;
        EXPECT_FALSE(requester.OnTimeout(now).failed);
        Send(requester, 1, 3, now, true);
    }
    const auto event = requester.OnTimeout(now + TIMEOUT);
    EXPECT_TRUE(event.failed);
    EXPECT_EQ(event.status, RdmaWcStatus::RETRY_EXC_ERR);
    EXPECT_EQ(requester.GetTimeouts(), 5U);
}

TEST(RdmaGoBackNSender, NoRetries)
{
    auto requester = MakeSender(TIMEOUT, 0);
    requester.Extend(1);
    Send(requester, 0, 0, 0_ps);
    EXPECT_TRUE(requester.OnTimeout(TIMEOUT).failed);
}

TEST(RdmaGoBackNSender, NakThatIsProgressResetsTheCount)
{
    auto requester = MakeSender(TIMEOUT, 1);
    requester.Extend(4);
    Send(requester, 0, 3, 0_ps);
    EXPECT_FALSE(requester.OnTimeout(1000_ps).failed);
    Send(requester, 0, 3, 1000_ps, true);
    requester.OnNak(2, RdmaSender::NO_PACKET, 1500_ps);
    Send(requester, 2, 3, 1500_ps, true);
    EXPECT_FALSE(requester.OnTimeout(2500_ps).failed);
    Send(requester, 2, 3, 2500_ps, true);
    // A repeated NAK is no progress, and counts as a retry.
    EXPECT_TRUE(requester.OnNak(2, RdmaSender::NO_PACKET, 2600_ps).failed);
}

// NAKs as retries

TEST(RdmaGoBackNSender, NaksOfAPacketThatIsAlwaysLostRunOut)
{
    // Packet 0 never arrives, and the receiver answers each packet behind it. The first NAK reports
    // the loss; the NAKs of the other three packets under way change nothing. Then each round of
    // four packets is one retry.
    auto requester = MakeSender(0_ps, 2);
    requester.Extend(4);
    Send(requester, 0, 3, 0_ps);
    RdmaPs now = 0_ps;
    for (int round = 0; round < 3; ++round)
    {
        for (int packet = 1; packet <= 3; ++packet)
        {
            now += 1_ps;
            const auto event = requester.OnNak(0, RdmaSender::NO_PACKET, now);
            EXPECT_TRUE(event.mayBegin && !event.failed) << "round " << round;
            Send(requester, 0, 0, now, true);
        }
        Send(requester, 1, 3, now, true);
    }
    const auto event = requester.OnNak(0, RdmaSender::NO_PACKET, now + 1_ps);
    EXPECT_TRUE(event.failed);
    EXPECT_EQ(event.status, RdmaWcStatus::RETRY_EXC_ERR);
    EXPECT_EQ(requester.GetTimeouts(), 0U);
}

TEST(RdmaGoBackNSender, ProgressEndsTheCountOfNaks)
{
    // retry_cnt 0: a packet that is lost once is no failure, however many NAKs report it, nor is
    // the next one.
    auto requester = MakeSender(0_ps, 0);
    requester.Extend(8);
    Send(requester, 0, 7, 0_ps);
    for (int packet = 1; packet <= 7; ++packet)
    {
        const RdmaPs now(packet);
        EXPECT_FALSE(requester.OnNak(0, RdmaSender::NO_PACKET, now).failed);
        Send(requester, 0, 0, now, true);
    }
    Send(requester, 1, 7, 8_ps, true);
    requester.OnAck(0, 9_ps);
    for (int packet = 2; packet <= 7; ++packet)
    {
        const RdmaPs now(8 + packet);
        EXPECT_FALSE(requester.OnNak(1, RdmaSender::NO_PACKET, now).failed);
        Send(requester, 1, 1, now, true);
    }
    // A NAK that acknowledges packets reports the next loss.
    Send(requester, 2, 7, 20_ps, true);
    EXPECT_FALSE(requester.OnNak(3, RdmaSender::NO_PACKET, 21_ps).failed);
}

// Window

TEST(RdmaGoBackNSender, WindowBelowHalfThePsnSpace)
{
    constexpr uint64_t WINDOW = RDMA_MAX_WINDOW - 1; // 2^23 - 1
    auto requester = MakeSender();
    requester.Extend(2 * RDMA_MAX_WINDOW);
    uint64_t sent = 0;
    while (requester.CanSend())
    {
        requester.Sent(1, 0_ps);
        ++sent;
    }
    EXPECT_EQ(sent, WINDOW);
    EXPECT_TRUE(requester.OnAck(4, 1_ps).mayBegin);
    Send(requester, WINDOW, WINDOW + 4, 2_ps);
    EXPECT_FALSE(requester.CanSend());
    EXPECT_TRUE(requester.OnNak(5, RdmaSender::NO_PACKET, 3_ps).mayBegin);
    Send(requester, 5, 5, 4_ps, true);
}
