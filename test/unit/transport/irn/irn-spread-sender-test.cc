/* SPDX-License-Identifier: GPL-2.0-only */

#include "irn-spread-sender.h"
#include "irn-steps.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::IrnSteps;

namespace
{

constexpr RdmaPs AGE = 50_ps; //!< age of a gap that is a loss

/** \param window most packets in flight \return a sender with 20 packets to send */
IrnSpreadSender
MakeSpread(uint64_t window = 100)
{
    RdmaSenderConfig config = MakeConfig(window);
    config.gap.age = AGE;
    IrnSpreadSender sender(config);
    sender.Extend(20);
    return sender;
}

} // namespace

TEST(IrnSpreadSender, AnOvertakingIsNoLoss)
{
    IrnSpreadSender sender = MakeSpread(8);
    EXPECT_EQ(Send(sender, 0_ps, 4), "0 1 2 3");
    // Packets 1 to 3 overtake packet 0.
    for (int64_t packet = 1; packet <= 3; ++packet)
    {
        const RdmaSenderEvent event = sender.OnNak(0, packet, 10_ps);
        EXPECT_TRUE(event.isOvertaking);
        EXPECT_TRUE(event.mayBegin);
    }
    EXPECT_EQ(sender.GetAhead(), 3U);
    // One packet is in flight, and the window has room for seven more.
    EXPECT_EQ(Send(sender, 11_ps, ALL), "4 5 6 7 8 9 10");
    EXPECT_TRUE(sender.OnAck(3, 20_ps).mayBegin);
    EXPECT_EQ(sender.GetAhead(), 0U);
    EXPECT_EQ(sender.GetAcked(), 4U);
    EXPECT_EQ(sender.GetRetransmissions(), 0U);
}

TEST(IrnSpreadSender, AGapIsALossAfterItsAge)
{
    IrnSpreadSender sender = MakeSpread();
    EXPECT_EQ(Send(sender, 0_ps, 6), "0 1 2 3 4 5");
    sender.OnNak(0, 2, 10_ps);
    sender.OnNak(0, 4, 30_ps);
    EXPECT_EQ(sender.GetDeadline(), 10_ps + AGE);
    // Packets 0 and 1 are late since 10 ps, packet 3 since 30 ps.
    EXPECT_TRUE(sender.OnTimeout(60_ps).mayBegin);
    EXPECT_EQ(Send(sender, 60_ps, 3), "0r 1r 6");
    EXPECT_EQ(sender.GetDeadline(), 30_ps + AGE);
    EXPECT_TRUE(sender.OnTimeout(80_ps).mayBegin);
    EXPECT_EQ(Send(sender, 80_ps, 2), "3r 7");
    // The loss is told once.
    EXPECT_FALSE(sender.OnNak(0, 5, 81_ps).isOvertaking);
    EXPECT_TRUE(sender.OnNak(0, 6, 82_ps).isOvertaking);
}

TEST(IrnSpreadSender, ALostRetransmissionIsLostByTheSameRule)
{
    IrnSpreadSender sender = MakeSpread();
    EXPECT_EQ(Send(sender, 0_ps, 3), "0 1 2");
    sender.OnNak(0, 1, 10_ps);
    sender.OnTimeout(60_ps);
    // Packet 0 leaves again after packets 0 to 2.
    EXPECT_EQ(Send(sender, 60_ps, 2), "0r 3");
    // Packet 2 was sent before the retransmission, and packet 3 after it.
    sender.OnNak(0, 2, 61_ps);
    sender.OnTimeout(61_ps + AGE);
    EXPECT_EQ(Send(sender, 61_ps + AGE, 1), "4");
    sender.OnNak(0, 3, 120_ps);
    sender.OnTimeout(120_ps + AGE);
    EXPECT_EQ(Send(sender, 120_ps + AGE, 2), "0r 5");
    EXPECT_EQ(sender.GetRetransmissions(), 2U);
}

TEST(IrnSpreadSender, ATimeoutRepeatsTheFirstPacketAndTellsOfTheOthers)
{
    // Packets 1 to 3 of four are lost, and nothing follows.
    RdmaSenderConfig config = MakeConfig();
    config.gap.age = AGE;
    IrnSpreadSender sender(config);
    sender.Extend(4);
    EXPECT_EQ(Send(sender, 0_ps, ALL), "0 1 2 3");
    sender.OnAck(0, 10_ps);
    EXPECT_EQ(sender.GetDeadline(), 10_ps + LOW);
    EXPECT_TRUE(sender.OnTimeout(110_ps).timedOut);
    EXPECT_EQ(Send(sender, 110_ps, ALL), "1r");
    // The retransmission left after packet 3, so that its acknowledgement is evidence against 2, 3.
    sender.OnAck(1, 120_ps);
    EXPECT_EQ(sender.GetDeadline(), 120_ps + AGE);
    sender.OnTimeout(120_ps + AGE);
    EXPECT_EQ(Send(sender, 170_ps, ALL), "2r 3r");
    sender.OnAck(3, 180_ps);
    EXPECT_EQ(sender.GetAcked(), 4U);
    EXPECT_EQ(sender.GetDeadline(), NEVER);
}

TEST(IrnSpreadSender, ALatePacketThatCountsAsLostIsNotSentOnceItIsThere)
{
    IrnSpreadSender sender = MakeSpread();
    EXPECT_EQ(Send(sender, 0_ps, 4), "0 1 2 3");
    sender.OnNak(0, 3, 10_ps);
    sender.OnTimeout(60_ps);
    sender.OnNak(0, 1, 61_ps); // packet 1 arrives before its retransmission has left
    EXPECT_EQ(Send(sender, 62_ps, 3), "0r 2r 4");
}

TEST(IrnSpreadSender, AReceiverWithoutRequestGetsAllAgain)
{
    IrnSpreadSender sender = MakeSpread();
    EXPECT_EQ(Send(sender, 0_ps, 4), "0 1 2 3");
    sender.OnRnrNak(1, 40_ps, 10_ps);
    EXPECT_FALSE(sender.CanSend());
    sender.OnTimeout(50_ps);
    EXPECT_EQ(Send(sender, 50_ps, 4), "1r 2r 3r 4");
}
