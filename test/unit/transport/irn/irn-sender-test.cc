/* SPDX-License-Identifier: GPL-2.0-only */

// IRN's sender with SACK: "Revisiting Network Support for RDMA", sections 3.1 and 3.2.
// Retransmitted packets carry an 'r'.

#include "irn-steps.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

using namespace ns3;
using namespace ns3::IrnSteps;

// No loss

TEST(IrnSender, InOrder)
{
    IrnSender sender(MakeConfig());
    EXPECT_FALSE(sender.CanSend());
    sender.Extend(2);
    sender.Extend(1);
    EXPECT_EQ(Send(sender, 0_ps), "0 1 2");
    EXPECT_EQ(sender.GetHighestSent(), 3U);
    for (int64_t packet = 0; packet < 3; ++packet)
    {
        EXPECT_TRUE(sender.OnAck(packet, 10_ps).mayBegin);
        EXPECT_EQ(sender.GetAcked(), static_cast<uint64_t>(packet + 1));
        EXPECT_FALSE(sender.IsRecovering());
    }
    EXPECT_EQ(sender.GetDeadline(), NEVER);
    sender.Extend(1);
    EXPECT_EQ(Send(sender, 20_ps), "3");
    EXPECT_EQ(sender.GetRetransmissions() + sender.GetTimeouts(), 0U);
}

TEST(IrnSender, AcksAreCumulative)
{
    auto sender = Begin<IrnSender>(10, 6);
    EXPECT_TRUE(sender.OnAck(3, 1_ps).mayBegin);
    EXPECT_EQ(sender.GetAcked(), 4U);
    // Old acknowledgements, empty ones, and acknowledgements of unsent packets change nothing.
    for (const int64_t packet : {3, 2, 0, -1, -100, 6, 9, 10, 1'000'000})
    {
        EXPECT_TRUE(IsNothing(sender.OnAck(packet, 2_ps))) << packet;
    }
    EXPECT_EQ(sender.GetAcked(), 4U);
    EXPECT_EQ(sender.GetNext(), 6U);
}

// BDP-FC

TEST(IrnSender, WindowOfFour)
{
    // In flight: from the first packet not acknowledged to the last sent; fewer than four.
    IrnSender sender(MakeConfig(4));
    sender.Extend(20);
    EXPECT_EQ(Send(sender, 0_ps), "0 1 2 3");
    EXPECT_EQ(Reply(sender, 1_ps, "A0"), "4");
    sender.OnAck(3, 2_ps);
    EXPECT_EQ(Send(sender, 2_ps), "5 6 7"); // 4 is in flight already
}

TEST(IrnSender, WindowStandsStillBehindAHole)
{
    // 0 1 2 3 sent, 0 is lost. 1 2 3 are acknowledged selectively, which opens nothing: only 0 goes
    // again. Its arrival acknowledges all four, and four more go.
    IrnSender sender(MakeConfig(4));
    sender.Extend(20);
    EXPECT_EQ(Send(sender, 0_ps), "0 1 2 3");
    EXPECT_EQ(Reply(sender, 10_ps, "N0/1"), "0r");
    EXPECT_EQ(Reply(sender, 11_ps, "N0/2 N0/3"), "");
    EXPECT_EQ(Reply(sender, 20_ps, "A3"), "4 5 6 7");
}

TEST(IrnSender, WindowOfOne)
{
    IrnSender sender(MakeConfig(1));
    sender.Extend(3);
    EXPECT_EQ(Send(sender, 0_ps), "0");
    sender.OnTimeout(LOW);
    EXPECT_EQ(Send(sender, LOW), "0r"); // lost packets need no room
    EXPECT_EQ(Reply(sender, 110_ps, "A0"), "1");
}

TEST(IrnSender, WithoutBdpFcHalfThePsnSpace)
{
    RdmaSenderConfig config;
    IrnSender sender(config);
    sender.Extend(2 * RDMA_MAX_WINDOW);
    uint64_t sent = 0;
    for (; sender.CanSend(); ++sent)
    {
        sender.Sent(1, 0_ps);
    }
    EXPECT_EQ(sent, RDMA_MAX_WINDOW - 1);
    // All but the first have arrived: the bitmap covers the whole window.
    sender.OnNak(0, static_cast<int64_t>(sent) - 1, 1_ps);
    EXPECT_EQ(Send(sender, 1_ps, 3), "0r 1r 2r");
    for (uint64_t packet = 3; packet < sent; ++packet)
    {
        sender.OnNak(0, static_cast<int64_t>(packet), 2_ps);
    }
    EXPECT_EQ(Send(sender, 2_ps), "");
    sender.OnAck(static_cast<int64_t>(sent) - 1, 3_ps);
    EXPECT_EQ(Send(sender, 3_ps, 1), "8388607");
}

// NACKs out of the ordinary

TEST(IrnSender, OldNacks)
{
    auto sender = Begin<IrnSender>(12, 8);
    Answer(sender, 10_ps, "A3");
    // Acknowledgements of packets that arrived since, and of early ones that were acknowledged
    // since.
    EXPECT_TRUE(IsNothing(sender.OnNak(2, NONE, 11_ps)));
    EXPECT_TRUE(IsNothing(sender.OnNak(-5, NONE, 11_ps)));
    EXPECT_TRUE(IsNothing(sender.OnNak(1, 3, 11_ps)));
    EXPECT_TRUE(IsNothing(sender.OnNak(1, 4, 11_ps))); // and of the one that is expected
    EXPECT_FALSE(sender.IsRecovering());
    EXPECT_FALSE(sender.IsAcknowledged(4));
    EXPECT_EQ(sender.GetNext(), 8U);
}

TEST(IrnSender, OldNackThatTellsOfAHole)
{
    // The NACK "1 is expected, 6 has come" is overtaken by the ACK of 3: that 6 has come is news,
    // and 4 and 5 are lost.
    auto sender = Begin<IrnSender>(12, 8);
    Answer(sender, 10_ps, "A3");
    EXPECT_TRUE(sender.OnNak(1, 6, 11_ps).mayBegin);
    EXPECT_EQ(sender.GetAcked(), 4U);
    EXPECT_TRUE(sender.IsAcknowledged(6));
    EXPECT_EQ(Send(sender, 12_ps, 3), "4r 5r 8");
    // A copy of the NACK has no effect.
    EXPECT_TRUE(IsNothing(sender.OnNak(1, 6, 13_ps)));
}

TEST(IrnSender, NackOfWhatWasNeverSent)
{
    IrnSender sender(MakeConfig());
    sender.Extend(12);
    EXPECT_TRUE(IsNothing(sender.OnNak(0, NONE, 0_ps)));
    EXPECT_TRUE(IsNothing(sender.OnNak(0, 1, 0_ps)));
    Send(sender, 0_ps, 4);
    EXPECT_TRUE(IsNothing(sender.OnNak(5, 6, 1_ps))); // posted, not sent
    EXPECT_TRUE(IsNothing(sender.OnNak(5, 3, 1_ps))); // the selective part is ignored, too
    EXPECT_TRUE(IsNothing(sender.OnNak(100, 101, 1_ps)));
    EXPECT_EQ(sender.GetAcked(), 0U);
    EXPECT_FALSE(sender.IsAcknowledged(3));
    EXPECT_FALSE(sender.IsRecovering());
    // The cumulative part is in order, the selective part names a packet that was never sent.
    Answer(sender, 2_ps, "A0 N1/4");
    EXPECT_FALSE(sender.IsAcknowledged(4));
    EXPECT_EQ(Send(sender, 2_ps, 2), "1r 4");
}

TEST(IrnSender, NackThatAcknowledgesAll)
{
    auto sender = Begin<IrnSender>(6, 4);
    EXPECT_TRUE(sender.OnNak(4, NONE, 1_ps).mayBegin);
    EXPECT_EQ(sender.GetAcked(), 4U);
    EXPECT_FALSE(sender.IsRecovering());
    EXPECT_EQ(Send(sender, 2_ps), "4 5");
}

TEST(IrnSender, NackWithoutSelectivePart)
{
    // The receiver did not keep the packet that caused the NACK. The packet that each NACK expects
    // counts as lost.
    auto sender = Begin<IrnSender>(6);
    EXPECT_EQ(Reply(sender, 10_ps, "A1 N2"), "2r");
    EXPECT_EQ(Reply(sender, 11_ps, "N2"), "");
    EXPECT_EQ(Reply(sender, 20_ps, "N4"), "4r");
    Answer(sender, 30_ps, "A5");
    EXPECT_FALSE(sender.IsRecovering());
}

TEST(IrnSender, SelectivePartOfTheExpectedPacketIsNotBelieved)
{
    auto sender = Begin<IrnSender>(6);
    EXPECT_EQ(Reply(sender, 10_ps, "A1 N2/2 N2/1 N2/0"), "2r");
    // A packet that was acknowledged, and is expected again, is lost.
    Answer(sender, 11_ps, "N2/4 A3");
    EXPECT_EQ(sender.GetAcked(), 4U);
    EXPECT_EQ(Send(sender, 11_ps), "4r");
}

// Windows beyond a word of the bitmap

TEST(IrnSender, HolesAroundTheWordsOfTheBitmap)
{
    // 300 packets from number 50 on; lost are the packets at the edges of words, and all that is
    // known of the others comes in reverse order.
    constexpr int64_t BASE = 50;
    const std::vector<int64_t> lost{50, 63, 64, 127, 128, 129, 191, 192, 255, 256, 300, 319, 320};
    auto sender = Begin<IrnSender>(350, BASE, MakeConfig(1000));
    sender.OnAck(BASE - 1, 1_ps);
    Send(sender, 1_ps, 300);
    for (int64_t packet = 349; packet >= BASE; --packet)
    {
        if (std::find(lost.begin(), lost.end(), packet) == lost.end())
        {
            sender.OnNak(BASE, packet, 2_ps);
        }
    }
    EXPECT_EQ(Send(sender, 3_ps), "50r 63r 64r 127r 128r 129r 191r 192r 255r 256r 300r 319r 320r");
    // An ACK for packet 62 covers packet 50. The bitmap shifts; the losses above 62 stay marked.
    sender.OnAck(62, 4_ps);
    for (int64_t packet = 63; packet < 350; ++packet)
    {
        const bool isLost = std::find(lost.begin(), lost.end(), packet) != lost.end();
        EXPECT_EQ(sender.IsAcknowledged(static_cast<uint64_t>(packet)), !isLost) << packet;
    }
    sender.OnTimeout(sender.GetDeadline()); // RTO_low, many in flight
    sender.OnTimeout(sender.GetDeadline());
    EXPECT_EQ(Send(sender, 400_ps), "63r 64r 127r 128r 129r 191r 192r 255r 256r 300r 319r 320r");
    sender.OnAck(349, 401_ps);
    EXPECT_FALSE(sender.IsRecovering());
    EXPECT_EQ(sender.GetDeadline(), NEVER);
}
