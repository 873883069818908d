/* SPDX-License-Identifier: GPL-2.0-only */

// Selective retransmission without SACK: "Revisiting Network Support for RDMA", section 4.3.

#include "irn-steps.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::IrnSteps;

TEST(IrnWithoutSack, OneLossIsAsWithSack)
{
    auto sender = Begin<IrnSender>(9, 6, MakeConfig(), IrnSelective::NONE);
    EXPECT_TRUE(sender.OnNak(2, 3, 10_ps).mayBegin);
    EXPECT_EQ(sender.GetAcked(), 2U);
    EXPECT_FALSE(sender.IsAcknowledged(3)); // no bitmap
    EXPECT_EQ(Reply(sender, 11_ps, "N2/4 N2/5"), "2r 6 7 8");
    EXPECT_EQ(Reply(sender, 12_ps, "N2/6 N2/7 N2/8"), "");
    Answer(sender, 20_ps, "A8");
    EXPECT_FALSE(sender.IsRecovering());
    EXPECT_EQ(sender.GetRetransmissions(), 1U);
}

TEST(IrnWithoutSack, EachLossOfAWindowTakesARoundTrip)
{
    // 0..9 sent; 1, 4 and 7 are lost. The NACKs of 8 and 9 show 4 and 7, which this sender ignores.
    IrnSender sender(MakeConfig(), IrnSelective::NONE);
    IrnReceiver receiver;
    sender.Extend(10);
    Send(sender, 0_ps);
    EXPECT_EQ(Reply(sender, 10_ps, ArriveAll(receiver, "0 2 3 5 6 8 9")), "1r");
    EXPECT_EQ(sender.GetRecoverySequence(), 9U);
    Answer(sender, 20_ps, ArriveAll(receiver, "1")); // A3
    EXPECT_EQ(sender.GetAcked(), 4U);
    EXPECT_TRUE(sender.IsRecovering());
    EXPECT_EQ(Send(sender, 20_ps), "4r");
    // A6
    EXPECT_EQ(Reply(sender, 30_ps, ArriveAll(receiver, "4")), "7r");
    Answer(sender, 40_ps, ArriveAll(receiver, "7")); // A9
    EXPECT_EQ(sender.GetAcked(), 10U);
    EXPECT_FALSE(sender.IsRecovering());
    EXPECT_EQ(sender.GetRetransmissions(), 3U);
}

TEST(IrnWithoutSack, NewCumulativeValueBehindTheRecoverySequence)
{
    // 0..3 sent, 0 lost; 4..7 sent in recovery, 5 lost. The recovery ends with the ACK of 4, which
    // makes 5 the cumulative value; 5 does not count as lost until the next NACK.
    auto sender = Begin<IrnSender>(8, 4, MakeConfig(), IrnSelective::NONE);
    EXPECT_EQ(Reply(sender, 10_ps, "N0/1"), "0r 4 5 6 7");
    Answer(sender, 20_ps, "A4");
    EXPECT_FALSE(sender.IsRecovering());
    EXPECT_EQ(Send(sender, 20_ps), "");
    EXPECT_EQ(Reply(sender, 21_ps, "N5/6"), "5r");
}

TEST(IrnWithoutSack, NackWithANewCumulativeValue)
{
    // The ACK that moved the cumulative value on is lost; the NACK behind it carries it as well.
    auto sender = Begin<IrnSender>(8, ALL, MakeConfig(), IrnSelective::NONE);
    EXPECT_EQ(Reply(sender, 10_ps, "A0 N1/2"), "1r");
    EXPECT_EQ(Reply(sender, 20_ps, "N3/7"), "3r");
    EXPECT_EQ(Reply(sender, 21_ps, "N3/6"), "");
    // old
    EXPECT_EQ(Reply(sender, 22_ps, "N1/5"), "");
}

TEST(IrnWithoutSack, Timeout)
{
    // Of 0..2, 0 and 1 are lost, and lost again. Each timeout sends the cumulative packet.
    auto sender = Begin<IrnSender>(3, ALL, MakeConfig(), IrnSelective::NONE);
    EXPECT_EQ(Reply(sender, 10_ps, "N0/2"), "0r");
    sender.OnTimeout(LOW);
    EXPECT_EQ(Send(sender, LOW), "0r");
    // a new cumulative value in recovery: 1 goes without a timeout
    EXPECT_EQ(Reply(sender, 150_ps, "A0"), "1r");
    sender.OnTimeout(sender.GetDeadline());
    EXPECT_EQ(Send(sender, 300_ps), "1r");
    Answer(sender, 350_ps, "A2");
    EXPECT_FALSE(sender.IsRecovering());
    EXPECT_EQ(sender.GetTimeouts(), 2U);
}

TEST(IrnWithoutSack, LostTailNeedsOneTimeout)
{
    // 0 1 2 sent, all lost: after the timeout each new cumulative value sends the next one.
    auto sender = Begin<IrnSender>(3, ALL, MakeConfig(), IrnSelective::NONE);
    sender.OnTimeout(LOW);
    for (int64_t packet = 0; packet < 3; ++packet)
    {
        const RdmaPs now(200 + packet);
        EXPECT_EQ(Send(sender, now), std::to_string(packet) + "r");
        sender.OnAck(packet, now);
    }
    EXPECT_EQ(sender.GetTimeouts(), 1U);
}

TEST(IrnWithoutSack, RnrNakSendsAllAgain)
{
    auto sender = Begin<IrnSender>(5, 4, MakeConfig(), IrnSelective::NONE);
    sender.OnRnrNak(1, 1000_ps, 10_ps);
    Answer(sender, 20_ps, "N1/2");
    sender.OnTimeout(1010_ps);
    EXPECT_EQ(Send(sender, 1010_ps), "1r 2r 3r 4");
}
