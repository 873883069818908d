/* SPDX-License-Identifier: GPL-2.0-only */

// RNR NAKs and IRN: the receiver has no receive request for a packet, and drops without a word what
// comes early and needs one.

#include "irn-steps.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::IrnSteps;

namespace
{

constexpr int64_t WAIT = 10'000;

} // namespace

TEST(IrnRnr, EverythingThatHasNotArrivedGoesAgain)
{
    // 0..6 sent. 1 is refused; 2 and 5 are WRITEs and have been kept, 3 4 6 are SENDs.
    IrnSender sender(MakeConfig());
    sender.Extend(8);
    Send(sender, 0, 7);
    EXPECT_FALSE(sender.OnRnrNak(1, WAIT, 100).failed);
    EXPECT_EQ(sender.GetAcked(), 1U);
    EXPECT_FALSE(sender.CanSend());
    EXPECT_EQ(sender.GetDeadlinePs(), 100 + WAIT); // the wait, not the timeout
    Answer(sender, 110, "N1/2 N1/5");
    EXPECT_FALSE(sender.CanSend());
    EXPECT_EQ(sender.GetDeadlinePs(), 100 + WAIT);
    const auto event = sender.OnTimeout(100 + WAIT);
    EXPECT_TRUE(event.mayBegin);
    EXPECT_FALSE(event.failed);
    EXPECT_EQ(sender.GetTimeouts(), 0U);
    EXPECT_EQ(sender.GetDeadlinePs(), NEVER);
    EXPECT_EQ(Send(sender, 20'000), "1r 3r 4r 6r 7");
    EXPECT_EQ(sender.GetDeadlinePs(), 20'000 + LOW);
    Answer(sender, 20'010, "A2 A5 A6 A7");
    EXPECT_FALSE(sender.IsRecovering());
}

TEST(IrnRnr, InTheMiddleOfARecovery)
{
    // 0..4 sent, 0 lost and sent again; it is refused. All go again, 0 a second time.
    IrnSender sender(MakeConfig());
    sender.Extend(5);
    Send(sender, 0);
    Answer(sender, 10, "N0/3");
    EXPECT_EQ(Send(sender, 10, 2), "0r 1r");
    sender.OnRnrNak(0, WAIT, 20);
    sender.OnTimeout(20 + WAIT);
    EXPECT_EQ(Send(sender, 20 + WAIT), "0r 1r 2r 4r");
}

TEST(IrnRnr, TimeoutAfterTheWait)
{
    // What went again after the wait is lost: the timeout begins anew with all of it.
    IrnSender sender(MakeConfig());
    sender.Extend(3);
    Send(sender, 0);
    sender.OnRnrNak(0, WAIT, 10);
    sender.OnTimeout(10 + WAIT);
    EXPECT_EQ(Send(sender, 11'000), "0r 1r 2r");
    EXPECT_TRUE(sender.OnTimeout(11'000 + LOW).mayBegin);
    EXPECT_EQ(sender.GetTimeouts(), 1U);
    EXPECT_EQ(Send(sender, 12'000), "0r 1r 2r");
}

TEST(IrnRnr, AcknowledgedDuringTheWait)
{
    IrnSender sender(MakeConfig());
    sender.Extend(5);
    Send(sender, 0, 4);
    sender.OnRnrNak(1, WAIT, 100);
    EXPECT_TRUE(sender.OnAck(2, 200).mayBegin); // copies found receive requests
    EXPECT_EQ(sender.GetDeadlinePs(), 100 + WAIT);
    EXPECT_FALSE(sender.CanSend());
    EXPECT_TRUE(sender.OnTimeout(100 + WAIT).mayBegin);
    EXPECT_EQ(Send(sender, 20'000), "3r 4");
    // All of it: only new packets are left.
    IrnSender other(MakeConfig());
    other.Extend(4);
    Send(other, 0, 3);
    other.OnRnrNak(0, WAIT, 100);
    other.OnAck(2, 200);
    EXPECT_FALSE(other.IsRecovering());
    EXPECT_TRUE(other.OnTimeout(100 + WAIT).mayBegin);
    EXPECT_EQ(other.GetDeadlinePs(), NEVER);
    EXPECT_EQ(Send(other, 20'000), "3");
}

TEST(IrnRnr, KnownOldAndImpossible)
{
    RdmaSenderConfig config = MakeConfig();
    config.rnrRetryCount = 1;
    IrnSender sender(config);
    sender.Extend(6);
    EXPECT_TRUE(IsNothing(sender.OnRnrNak(0, WAIT, 0))); // of a packet that was never sent
    EXPECT_TRUE(sender.CanSend());
    Send(sender, 0, 4);
    sender.OnAck(1, 10);
    EXPECT_TRUE(IsNothing(sender.OnRnrNak(1, WAIT, 20)));
    EXPECT_TRUE(IsNothing(sender.OnRnrNak(5, WAIT, 20)));
    EXPECT_EQ(sender.GetDeadlinePs(), 10 + LOW);
    EXPECT_TRUE(sender.CanSend());
    EXPECT_FALSE(sender.OnRnrNak(2, WAIT, 30).failed);
    for (int i = 0; i < 5; ++i)
    {
        EXPECT_TRUE(IsNothing(sender.OnRnrNak(2, WAIT, 40))); // the same wait
        EXPECT_EQ(sender.GetDeadlinePs(), 30 + WAIT);
    }
    // All that was sent is acknowledged: 4 cannot have been refused.
    sender.OnTimeout(30 + WAIT);
    sender.OnAck(3, 20'000);
    EXPECT_TRUE(IsNothing(sender.OnRnrNak(4, WAIT, 20'010)));
    EXPECT_EQ(Send(sender, 20'020), "4 5");
}

TEST(IrnRnr, RetriesRunOut)
{
    RdmaSenderConfig config = MakeConfig();
    config.rnrRetryCount = 2;
    IrnSender sender(config);
    sender.Extend(3);
    Send(sender, 0);
    int64_t nowPs = 0;
    const auto refuse = [&](int64_t packet) {
        const auto event = sender.OnRnrNak(packet, WAIT, nowPs);
        nowPs += WAIT;
        if (!event.failed)
        {
            sender.OnTimeout(nowPs);
            Send(sender, nowPs);
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
    IrnSender sender(MakeConfig()); // rnr_retry 7
    sender.Extend(1);
    Send(sender, 0);
    for (int64_t nowPs = 0; nowPs < 100 * WAIT; nowPs += WAIT)
    {
        ASSERT_FALSE(sender.OnRnrNak(0, WAIT, nowPs).failed);
        ASSERT_TRUE(sender.OnTimeout(nowPs + WAIT).mayBegin);
        ASSERT_EQ(Send(sender, nowPs + WAIT), "0r");
    }
}

TEST(IrnRnr, NackOvertakesTheRnrNak)
{
    // 0 is refused, 1 is kept; the NACK of 1 comes first and 0 goes again, then comes the RNR NAK.
    IrnSender sender(MakeConfig());
    sender.Extend(2);
    Send(sender, 0);
    Answer(sender, 10, "N0/1");
    EXPECT_EQ(Send(sender, 10), "0r");
    EXPECT_FALSE(sender.OnRnrNak(0, WAIT, 11).failed);
    EXPECT_FALSE(sender.CanSend());
    sender.OnTimeout(11 + WAIT);
    EXPECT_EQ(Send(sender, 11 + WAIT), "0r");
    sender.OnAck(1, 20'000);
    EXPECT_FALSE(sender.CanSend());
}
