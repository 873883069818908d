/* SPDX-License-Identifier: GPL-2.0-only */

// RNR NAKs and IRN: the receiver has no receive request for a packet, and silently drops early
// packets that need one.

#include "irn-steps.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::IrnSteps;

namespace
{

constexpr RdmaPs WAIT = 10_ns;

} // namespace

TEST(IrnRnr, EverythingThatHasNotArrivedGoesAgain)
{
    // 0..6 sent. 1 is refused; 2 and 5 are WRITEs and have been kept, 3 4 6 are SENDs.
    auto sender = Begin<IrnSender>(8, 7);
    EXPECT_FALSE(sender.OnRnrNak(1, WAIT, 100_ps).failed);
    EXPECT_EQ(sender.GetAcked(), 1U);
    EXPECT_FALSE(sender.CanSend());
    EXPECT_EQ(sender.GetDeadline(), 100_ps + WAIT); // the wait, not the timeout
    Answer(sender, 110_ps, "N1/2 N1/5");
    EXPECT_FALSE(sender.CanSend());
    EXPECT_EQ(sender.GetDeadline(), 100_ps + WAIT);
    const auto event = sender.OnTimeout(100_ps + WAIT);
    EXPECT_TRUE(event.mayBegin);
    EXPECT_FALSE(event.failed);
    EXPECT_EQ(sender.GetTimeouts(), 0U);
    EXPECT_EQ(sender.GetDeadline(), NEVER);
    EXPECT_EQ(Send(sender, 20'000_ps), "1r 3r 4r 6r 7");
    EXPECT_EQ(sender.GetDeadline(), 20'000_ps + LOW);
    Answer(sender, 20'010_ps, "A2 A5 A6 A7");
    EXPECT_FALSE(sender.IsRecovering());
}

TEST(IrnRnr, InTheMiddleOfARecovery)
{
    // 0..4 sent, 0 lost and sent again; it is refused. All go again, 0 a second time.
    auto sender = Begin<IrnSender>(5);
    EXPECT_EQ(Reply(sender, 10_ps, "N0/3", 2), "0r 1r");
    sender.OnRnrNak(0, WAIT, 20_ps);
    sender.OnTimeout(20_ps + WAIT);
    EXPECT_EQ(Send(sender, 20_ps + WAIT), "0r 1r 2r 4r");
}

TEST(IrnRnr, TimeoutAfterTheWait)
{
    // The packets retransmitted after the wait are lost: the timeout begins again with all of them.
    auto sender = Begin<IrnSender>(3);
    sender.OnRnrNak(0, WAIT, 10_ps);
    sender.OnTimeout(10_ps + WAIT);
    EXPECT_EQ(Send(sender, 11'000_ps), "0r 1r 2r");
    EXPECT_TRUE(sender.OnTimeout(11'000_ps + LOW).mayBegin);
    EXPECT_EQ(sender.GetTimeouts(), 1U);
    EXPECT_EQ(Send(sender, 12'000_ps), "0r 1r 2r");
}

TEST(IrnRnr, AcknowledgedDuringTheWait)
{
    auto sender = Begin<IrnSender>(5, 4);
    sender.OnRnrNak(1, WAIT, 100_ps);
    EXPECT_TRUE(sender.OnAck(2, 200_ps).mayBegin); // copies found receive requests
    EXPECT_EQ(sender.GetDeadline(), 100_ps + WAIT);
    EXPECT_FALSE(sender.CanSend());
    EXPECT_TRUE(sender.OnTimeout(100_ps + WAIT).mayBegin);
    EXPECT_EQ(Send(sender, 20'000_ps), "3r 4");
    // The ACK covers all packets: only new packets are left.
    auto other = Begin<IrnSender>(4, 3);
    other.OnRnrNak(0, WAIT, 100_ps);
    other.OnAck(2, 200_ps);
    EXPECT_FALSE(other.IsRecovering());
    EXPECT_TRUE(other.OnTimeout(100_ps + WAIT).mayBegin);
    EXPECT_EQ(other.GetDeadline(), NEVER);
    EXPECT_EQ(Send(other, 20'000_ps), "3");
}

TEST(IrnRnr, KnownOldAndImpossible)
{
    RdmaSenderConfig config = MakeConfig();
    config.rnrRetryCount = 1;
    IrnSender sender(config);
    sender.Extend(6);
    EXPECT_TRUE(IsNothing(sender.OnRnrNak(0, WAIT, 0_ps))); // of a packet that was never sent
    EXPECT_TRUE(sender.CanSend());
    Send(sender, 0_ps, 4);
    sender.OnAck(1, 10_ps);
    EXPECT_TRUE(IsNothing(sender.OnRnrNak(1, WAIT, 20_ps)));
    EXPECT_TRUE(IsNothing(sender.OnRnrNak(5, WAIT, 20_ps)));
    EXPECT_EQ(sender.GetDeadline(), 10_ps + LOW);
    EXPECT_TRUE(sender.CanSend());
    EXPECT_FALSE(sender.OnRnrNak(2, WAIT, 30_ps).failed);
    for (int i = 0; i < 5; ++i)
    {
        EXPECT_TRUE(IsNothing(sender.OnRnrNak(2, WAIT, 40_ps))); // the same wait
        EXPECT_EQ(sender.GetDeadline(), 30_ps + WAIT);
    }
    // All that was sent is acknowledged: 4 cannot have been refused.
    sender.OnTimeout(30_ps + WAIT);
    sender.OnAck(3, 20'000_ps);
    EXPECT_TRUE(IsNothing(sender.OnRnrNak(4, WAIT, 20'010_ps)));
    EXPECT_EQ(Send(sender, 20'020_ps), "4 5");
}

TEST(IrnRnr, RetriesRunOut)
{
    RdmaSenderConfig config = MakeConfig();
    config.rnrRetryCount = 2;
    auto sender = Begin<IrnSender>(3, ALL, config);
    RdmaPs now = 0_ps;
    const auto refuse = [&](int64_t packet) {
        const auto event = sender.OnRnrNak(packet, WAIT, now);
        now += WAIT;
        if (!event.failed)
        {
            sender.OnTimeout(now);
            Send(sender, now);
        }
        return event;
    };
    EXPECT_FALSE(refuse(0).failed);
    EXPECT_FALSE(refuse(0).failed);
    EXPECT_FALSE(refuse(1).failed); // progress: the first in a row
    EXPECT_FALSE(refuse(1).failed);
    const auto event = refuse(1);
    EXPECT_TRUE(event.failed);
    EXPECT_EQ(event.status, RdmaWcStatus::RNR_RETRY_EXC_ERR);
    EXPECT_EQ(sender.GetTimeouts(), 0U);
}

TEST(IrnRnr, RetriesWithoutLimit)
{
    auto sender = Begin<IrnSender>(1); // rnr_retry 7
    for (RdmaPs now = 0_ps; now < 100 * WAIT; now += WAIT)
    {
        ASSERT_FALSE(sender.OnRnrNak(0, WAIT, now).failed);
        ASSERT_TRUE(sender.OnTimeout(now + WAIT).mayBegin);
        ASSERT_EQ(Send(sender, now + WAIT), "0r");
    }
}

TEST(IrnRnr, NackOvertakesTheRnrNak)
{
    // 0 is refused, 1 is kept; the NACK of 1 comes first and 0 goes again, then comes the RNR NAK.
    auto sender = Begin<IrnSender>(2);
    EXPECT_EQ(Reply(sender, 10_ps, "N0/1"), "0r");
    EXPECT_FALSE(sender.OnRnrNak(0, WAIT, 11_ps).failed);
    EXPECT_FALSE(sender.CanSend());
    sender.OnTimeout(11_ps + WAIT);
    EXPECT_EQ(Send(sender, 11_ps + WAIT), "0r");
    sender.OnAck(1, 20'000_ps);
    EXPECT_FALSE(sender.CanSend());
}
