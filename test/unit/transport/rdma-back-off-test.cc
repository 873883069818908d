/* SPDX-License-Identifier: GPL-2.0-only */

// Go-back-N with a window, with two timeouts, and with back-off on loss.

#include "irn-steps.h"
#include "rdma-go-back-n.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::IrnSteps;

TEST(RdmaGoBackNWindow, BdpFc)
{
    RdmaGoBackNSender sender(MakeConfig(4));
    sender.Extend(20);
    EXPECT_EQ(Send(sender, 0_ps), "0 1 2 3");
    EXPECT_EQ(Reply(sender, 10_ps, "A1"), "4 5");
    EXPECT_EQ(Reply(sender, 20_ps, "N3"), "3r 4r 5r 6");
    EXPECT_EQ(sender.GetWindow(), 4U); // no back-off
}

TEST(RdmaGoBackNWindow, LowAndHighTimeout)
{
    // Packets sent since the last return are in flight.
    auto sender = Begin<RdmaGoBackNSender>(4);
    EXPECT_EQ(sender.GetDeadline(), LOW);
    EXPECT_FALSE(sender.OnTimeout(LOW).mayBegin);
    EXPECT_EQ(sender.GetDeadline(), HIGH);
    EXPECT_TRUE(sender.OnTimeout(HIGH).mayBegin);
    EXPECT_EQ(Send(sender, 400_ps, 3), "0r 1r 2r");
    EXPECT_TRUE(sender.OnTimeout(400_ps + LOW).mayBegin);
    EXPECT_EQ(sender.GetTimeouts(), 2U);
}

TEST(RdmaGoBackNWindow, ReadThatStandsForSeveralNumbers)
{
    // A READ of four responses, numbered 1..4. The third is lost: the rest is requested again.
    RdmaGoBackNSender sender(MakeConfig());
    sender.Extend(1);
    sender.Extend(4);
    sender.Extend(1);
    EXPECT_EQ(Send(sender, 0_ps, 1), "0");
    EXPECT_EQ(sender.GetNext(), 1U);
    EXPECT_FALSE(sender.Sent(4, 0_ps));
    EXPECT_EQ(Send(sender, 0_ps), "5");
    sender.OnAck(2, 10_ps);
    EXPECT_EQ(sender.GetAcked(), 3U);
    sender.OnNak(3, NONE, 20_ps);
    EXPECT_EQ(sender.GetNext(), 3U);
    EXPECT_TRUE(sender.Sent(2, 30_ps));
    EXPECT_EQ(Send(sender, 30_ps), "5r");
    EXPECT_EQ(sender.GetHighestSent(), 6U);
    sender.OnAck(5, 40_ps);
    EXPECT_EQ(sender.GetDeadline(), NEVER);
}

TEST(RdmaBackOff, HalvesOnANak)
{
    // Window 8, full; 0 is lost: 4 packets at a time from now on.
    RdmaGoBackNSender sender(MakeConfig(8), RdmaBackOff::LOSS);
    sender.Extend(100);
    EXPECT_EQ(Send(sender, 0_ps), "0 1 2 3 4 5 6 7");
    sender.OnNak(0, NONE, 10_ps);
    EXPECT_EQ(sender.GetWindow(), 4U);
    EXPECT_EQ(Send(sender, 10_ps), "0r 1r 2r 3r");
    sender.OnNak(0, NONE, 20_ps); // lost again
    EXPECT_EQ(sender.GetWindow(), 2U);
    EXPECT_EQ(Send(sender, 20_ps), "0r 1r");
    sender.OnNak(0, NONE, 30_ps);
    EXPECT_EQ(sender.GetWindow(), 1U);
    EXPECT_EQ(Send(sender, 30_ps), "0r");
    sender.OnNak(0, NONE, 40_ps);
    EXPECT_EQ(sender.GetWindow(), 1U); // the least
    EXPECT_EQ(Send(sender, 40_ps), "0r");
}

TEST(RdmaBackOff, OncePerLoss)
{
    // A copy of the NAK before any retransmission is no loss. A copy after a single retransmission
    // halves the window, not that one packet.
    auto sender = Begin<RdmaGoBackNSender>(100, ALL, MakeConfig(8), RdmaBackOff::LOSS);
    sender.OnNak(0, NONE, 10_ps);
    EXPECT_EQ(sender.GetWindow(), 4U);
    EXPECT_TRUE(IsNothing(sender.OnNak(0, NONE, 11_ps)));
    EXPECT_EQ(sender.GetWindow(), 4U);
    EXPECT_EQ(Send(sender, 12_ps, 1), "0r");
    sender.OnNak(0, NONE, 20_ps);
    EXPECT_EQ(sender.GetWindow(), 2U);
}

TEST(RdmaBackOff, GrowsByAPacketForEachWindow)
{
    // From 2: two acknowledged make it 3, three more 4, four more 5, and that is the cap.
    auto sender = Begin<RdmaGoBackNSender>(1000, ALL, MakeConfig(5), RdmaBackOff::LOSS);
    sender.OnNak(0, NONE, 10_ps);
    EXPECT_EQ(sender.GetWindow(), 2U);
    const std::vector<uint64_t> windows{2, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 5, 5, 5, 5, 5};
    for (std::size_t i = 0; i < windows.size(); ++i)
    {
        Send(sender, 20_ps);
        sender.OnAck(static_cast<int64_t>(i), 20_ps);
        EXPECT_EQ(sender.GetWindow(), windows[i]) << i;
    }
    // Several windows in one acknowledgement count as many.
    auto other = Begin<RdmaGoBackNSender>(1000, ALL, MakeConfig(5), RdmaBackOff::LOSS);
    other.OnNak(0, NONE, 10_ps);
    other.OnAck(4, 20_ps); // the first five had arrived after all: 2 + 3
    EXPECT_EQ(other.GetWindow(), 4U);
}

TEST(RdmaBackOff, LossBeginsTheCountAnew)
{
    auto sender = Begin<RdmaGoBackNSender>(1000, ALL, MakeConfig(8), RdmaBackOff::LOSS);
    sender.OnNak(0, NONE, 10_ps); // 4
    Send(sender, 10_ps);
    sender.OnAck(2, 20_ps); // three of four
    Send(sender, 20_ps);
    sender.OnNak(3, NONE, 30_ps); // the window is 4, and 3..6 at least are outstanding
    EXPECT_EQ(sender.GetWindow(), 2U);
    Send(sender, 30_ps);
    sender.OnAck(3, 40_ps); // one of two
    EXPECT_EQ(sender.GetWindow(), 2U);
    sender.OnAck(4, 41_ps);
    EXPECT_EQ(sender.GetWindow(), 3U);
}

TEST(RdmaBackOff, HalfOfWhatIsOutstanding)
{
    // Without a cap the PSNs limit the window. The back-off takes half of the outstanding packets.
    auto sender = Begin<RdmaGoBackNSender>(1000, 20, RdmaSenderConfig{}, RdmaBackOff::LOSS);
    sender.OnNak(4, NONE, 10_ps); // 16 are outstanding
    EXPECT_EQ(sender.GetWindow(), 8U);
    EXPECT_EQ(Send(sender, 10_ps), "4r 5r 6r 7r 8r 9r 10r 11r");
}

TEST(RdmaBackOff, Timeout)
{
    auto sender = Begin<RdmaGoBackNSender>(100, ALL, MakeConfig(8), RdmaBackOff::LOSS);
    sender.OnTimeout(LOW); // goes on to RTO_high
    EXPECT_EQ(sender.GetWindow(), 8U);
    sender.OnTimeout(HIGH);
    EXPECT_EQ(sender.GetWindow(), 4U);
    EXPECT_EQ(Send(sender, 400_ps), "0r 1r 2r 3r");
}

TEST(RdmaBackOff, RefusalsAndOldNaksAreNoLoss)
{
    auto sender = Begin<RdmaGoBackNSender>(100, ALL, MakeConfig(8), RdmaBackOff::LOSS);
    sender.OnRnrNak(0, 1000_ps, 10_ps);
    EXPECT_EQ(sender.GetWindow(), 8U);
    sender.OnTimeout(1010_ps);
    EXPECT_EQ(sender.GetWindow(), 8U);
    Send(sender, 1010_ps);
    sender.OnAck(3, 1020_ps);
    sender.OnNak(2, NONE, 1030_ps);
    EXPECT_EQ(sender.GetWindow(), 8U);
}
