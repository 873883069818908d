/* SPDX-License-Identifier: GPL-2.0-only */

// IRN's timeouts: RTO_low (100) with at most 3 packets in flight, RTO_high (320) with more.

#include "irn-steps.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::IrnSteps;

TEST(IrnTimer, RtoLowForASinglePacket)
{
    IrnSender sender(MakeConfig());
    sender.Extend(1);
    EXPECT_EQ(sender.GetDeadline(), NEVER);
    Send(sender, 1000_ps);
    EXPECT_EQ(sender.GetDeadline(), 1000_ps + LOW);
    const auto event = sender.OnTimeout(1000_ps + LOW);
    EXPECT_TRUE(event.mayBegin);
    EXPECT_FALSE(event.failed);
    EXPECT_EQ(sender.GetTimeouts(), 1U);
    EXPECT_EQ(sender.GetDeadline(), NEVER); // starts with the retransmission
    EXPECT_EQ(Send(sender, 1500_ps), "0r");
    EXPECT_EQ(sender.GetDeadline(), 1500_ps + LOW);
    sender.OnAck(0, 1550_ps);
    EXPECT_EQ(sender.GetDeadline(), NEVER);
    EXPECT_FALSE(sender.IsRecovering());
}

TEST(IrnTimer, AtMostThreeInFlight)
{
    for (const uint64_t inFlight : {1, 2, 3, 4, 5})
    {
        auto sender = Begin<IrnSender>(inFlight);
        EXPECT_EQ(sender.GetDeadline(), LOW);
        const auto event = sender.OnTimeout(LOW);
        EXPECT_EQ(sender.GetTimeouts(), inFlight <= FEW ? 1U : 0U) << inFlight;
        EXPECT_EQ(event.mayBegin, inFlight <= FEW);
        if (inFlight > FEW)
        {
            // The timer goes on to RTO_high, counted from its first start.
            EXPECT_TRUE(IsNothing(event));
            EXPECT_FALSE(sender.IsRecovering());
            EXPECT_EQ(sender.GetDeadline(), HIGH);
            EXPECT_TRUE(sender.OnTimeout(HIGH).mayBegin);
            EXPECT_EQ(sender.GetTimeouts(), 1U);
        }
        EXPECT_EQ(Send(sender, 400_ps), "0r"); // nothing else is known to be lost
    }
}

TEST(IrnTimer, MoreInFlightThanAtTheStart)
{
    // One packet starts the timer; at its end four are in flight.
    auto sender = Begin<IrnSender>(4, 1);
    Send(sender, 90_ps);
    EXPECT_EQ(sender.GetDeadline(), LOW); // later packets do not move it
    EXPECT_TRUE(IsNothing(sender.OnTimeout(LOW)));
    EXPECT_EQ(sender.GetDeadline(), HIGH);
    // Progress: the timer starts anew with RTO_low, since few packets are in flight.
    sender.OnAck(0, 150_ps);
    EXPECT_EQ(sender.GetDeadline(), 150_ps + LOW);
    EXPECT_TRUE(sender.OnTimeout(150_ps + LOW).mayBegin);
}

TEST(IrnTimer, EveryAcknowledgementRestartsIt)
{
    // Old and new ACKs and NACKs count; packets sent do not, nor do answers to packets never sent.
    auto sender = Begin<IrnSender>(6);
    Answer(sender, 10_ps, "A0");
    EXPECT_EQ(sender.GetDeadline(), 10_ps + LOW);
    Answer(sender, 20_ps, "A0");
    EXPECT_EQ(sender.GetDeadline(), 20_ps + LOW);
    Answer(sender, 25_ps, "N1/3");
    EXPECT_EQ(sender.GetDeadline(), 25_ps + LOW);
    Answer(sender, 30_ps, "N1/4");
    EXPECT_EQ(sender.GetDeadline(), 30_ps + LOW);
    EXPECT_EQ(Send(sender, 40_ps), "1r 2r");
    EXPECT_EQ(sender.GetDeadline(), 30_ps + LOW);
    Answer(sender, 50_ps, "A6 N7/8");
    EXPECT_EQ(sender.GetDeadline(), 30_ps + LOW);
    Answer(sender, 60_ps, "N2/5");
    EXPECT_EQ(sender.GetDeadline(), 60_ps + LOW);
    Answer(sender, 70_ps, "N1/4"); // old
    EXPECT_EQ(sender.GetDeadline(), 70_ps + LOW);
    Answer(sender, 80_ps, "A5");
    EXPECT_EQ(sender.GetDeadline(), NEVER);
    Answer(sender, 90_ps, "A5 N3/5");
    EXPECT_EQ(sender.GetDeadline(), NEVER);
}

TEST(IrnTimer, StandsStillUntilTheRetransmissionGoesOut)
{
    // The retransmission may wait for a pause; no NACK starts the timer before it goes out.
    auto sender = Begin<IrnSender>(6);
    sender.OnTimeout(LOW);
    sender.OnTimeout(HIGH);
    EXPECT_EQ(sender.GetDeadline(), NEVER);
    Answer(sender, 400_ps, "N0/3");
    EXPECT_EQ(sender.GetDeadline(), NEVER);
    Send(sender, 500_ps);
    EXPECT_EQ(sender.GetDeadline(), 500_ps + LOW);
}

TEST(IrnTimer, NoTimeoutWhileNacksStreamIn)
{
    // 0 is lost, and its repair takes 1000: far more than RTO_high. A NACK comes every 10.
    IrnSender sender(MakeConfig(1000));
    sender.Extend(200);
    EXPECT_EQ(Send(sender, 0_ps, 3), "0 1 2");
    for (RdmaPs now = 10_ps; now <= 1000_ps; now += 10_ps)
    {
        ASSERT_GT(sender.GetDeadline(), now);
        sender.OnNak(0, now / 10_ps, now);
        Send(sender, now, 2);
    }
    EXPECT_EQ(sender.GetTimeouts(), 0U);
    EXPECT_EQ(sender.GetRetransmissions(), 1U);
}

TEST(IrnTimer, OneTimeoutForBoth)
{
    RdmaSenderConfig config = MakeConfig();
    config.timeouts.low = HIGH;
    auto sender = Begin<IrnSender>(9, ALL, config);
    EXPECT_EQ(sender.GetDeadline(), HIGH);
    EXPECT_TRUE(sender.OnTimeout(HIGH).mayBegin);
    EXPECT_EQ(sender.GetTimeouts(), 1U);
}

TEST(IrnTimer, RtoLowTurnedOff)
{
    RdmaSenderConfig config = MakeConfig();
    config.timeouts.lowPackets = 0;
    auto sender = Begin<IrnSender>(1, ALL, config);
    EXPECT_TRUE(IsNothing(sender.OnTimeout(LOW)));
    EXPECT_EQ(sender.GetDeadline(), HIGH);
    EXPECT_TRUE(sender.OnTimeout(HIGH).mayBegin);
}

TEST(IrnTimer, TurnedOff)
{
    RdmaSenderConfig config = MakeConfig();
    config.timeouts = {};
    auto sender = Begin<IrnSender>(9, ALL, config);
    EXPECT_EQ(sender.GetDeadline(), NEVER);
    Answer(sender, 1_ps, "A2 N4/7");
    Send(sender, 2_ps);
    EXPECT_EQ(sender.GetDeadline(), NEVER);
}

// What a timeout does

TEST(IrnTimer, TimeoutBeginsARecovery)
{
    // 0..5 sent, all lost or all ACKs lost. 0 goes again, then new ones; the recovery ends
    // behind 5.
    auto sender = Begin<IrnSender>(20, 6, MakeConfig(8));
    sender.OnTimeout(LOW);
    sender.OnTimeout(HIGH);
    EXPECT_EQ(Send(sender, HIGH), "0r 6 7");
    EXPECT_TRUE(sender.IsRecovering());
    EXPECT_EQ(sender.GetRecoverySequence(), 5U);
    // 0..5 had been lost: 6 comes early, and everything below 6 is lost.
    EXPECT_EQ(Reply(sender, 400_ps, "A0 N1/6"), "1r 2r 3r 4r 5r 8");
    EXPECT_EQ(sender.GetRecoverySequence(), 7U);
    Answer(sender, 500_ps, "A7");
    EXPECT_FALSE(sender.IsRecovering());
}

TEST(IrnTimer, TimeoutInARecoveryBeginsItAnew)
{
    // 0..7 sent; 1 and 3 are lost, go again, and are lost again. The timeout sends both once more,
    // and new packets sent meanwhile count for the recovery sequence.
    auto sender = Begin<IrnSender>(10, 8);
    EXPECT_EQ(Reply(sender, 10_ps, "A0 N1/2 N1/4 N1/5 N1/6 N1/7"), "1r 3r 8 9");
    EXPECT_EQ(sender.GetRecoverySequence(), 7U);
    EXPECT_EQ(Reply(sender, 20_ps, "N1/8"), "");
    EXPECT_EQ(sender.GetDeadline(), 20_ps + LOW);
    EXPECT_TRUE(IsNothing(sender.OnTimeout(20_ps + LOW))); // 1..9 are in flight
    EXPECT_EQ(sender.GetDeadline(), 20_ps + HIGH);
    EXPECT_TRUE(sender.OnTimeout(20_ps + HIGH).mayBegin);
    EXPECT_EQ(Send(sender, 400_ps), "1r 3r");
    EXPECT_EQ(sender.GetRecoverySequence(), 9U);
    EXPECT_EQ(sender.GetDeadline(), 400_ps + LOW);
    Answer(sender, 450_ps, "A2");
    EXPECT_TRUE(sender.IsRecovering());
    Answer(sender, 451_ps, "A8");
    EXPECT_TRUE(sender.IsRecovering());
    Answer(sender, 452_ps, "A9");
    EXPECT_FALSE(sender.IsRecovering());
}

TEST(IrnTimer, LostTailNeedsOneTimeout)
{
    // 116 packets are sent and all lost, and no new ones follow: after the timeout each partial
    // acknowledgement sends the next one.
    auto sender = Begin<IrnSender>(116, ALL, MakeConfig(116));
    sender.OnTimeout(LOW);
    sender.OnTimeout(HIGH);
    RdmaPs now = HIGH;
    for (int64_t packet = 0; packet < 116; ++packet)
    {
        ASSERT_EQ(Send(sender, now), std::to_string(packet) + "r");
        now += 10_ps;
        sender.OnAck(packet, now);
    }
    EXPECT_EQ(sender.GetTimeouts(), 1U);
    EXPECT_EQ(sender.GetDeadline(), NEVER);
}

TEST(IrnTimer, AckBetweenTimeoutAndRetransmission)
{
    // The packet that timed out has come: it need not go again, and the timer runs for the rest.
    auto sender = Begin<IrnSender>(3);
    sender.OnTimeout(LOW);
    EXPECT_TRUE(sender.CanSend());
    sender.OnAck(0, 120_ps);
    EXPECT_FALSE(sender.CanSend());
    EXPECT_EQ(sender.GetDeadline(), 120_ps + LOW);
    sender.OnTimeout(120_ps + LOW);
    EXPECT_EQ(Send(sender, 300_ps), "1r");
}

// Retries

TEST(IrnTimer, RetriesRunOut)
{
    // retry_cnt 2: two timeouts in a row are survived, the third is the end.
    auto sender = Begin<IrnSender>(3);
    for (int round = 0; round < 2; ++round)
    {
        EXPECT_FALSE(sender.OnTimeout(sender.GetDeadline()).failed);
        EXPECT_EQ(Send(sender, round * 1000_ps), "0r");
    }
    sender.OnAck(0, 2000_ps); // progress, and the count begins anew
    Answer(sender, 2010_ps, "N1/2");
    for (int round = 0; round < 2; ++round)
    {
        EXPECT_FALSE(sender.OnTimeout(sender.GetDeadline()).failed);
        Send(sender, 3000_ps + round * 1000_ps);
        Answer(sender, 3000_ps + round * 1000_ps, "N1/2"); // not progress
    }
    const auto event = sender.OnTimeout(sender.GetDeadline());
    EXPECT_TRUE(event.failed);
    EXPECT_EQ(event.status, RdmaWcStatus::RETRY_EXC_ERR);
    EXPECT_EQ(sender.GetTimeouts(), 5U);
    EXPECT_EQ(sender.GetDeadline(), NEVER);
}

TEST(IrnTimer, ExtensionIsNoRetry)
{
    RdmaSenderConfig config = MakeConfig();
    config.retryCount = 0;
    auto sender = Begin<IrnSender>(5, ALL, config);
    EXPECT_FALSE(sender.OnTimeout(LOW).failed);
    EXPECT_TRUE(sender.OnTimeout(HIGH).failed);
}

TEST(IrnTimer, RetriesWithoutLimit)
{
    RdmaSenderConfig config = MakeConfig();
    config.retryCount = UINT32_MAX;
    auto sender = Begin<IrnSender>(1, ALL, config);
    for (RdmaPs now = 0_ps; now < 100'000_ps; now += 1000_ps)
    {
        ASSERT_FALSE(sender.OnTimeout(now).failed);
        ASSERT_EQ(Send(sender, now), "0r");
    }
}
