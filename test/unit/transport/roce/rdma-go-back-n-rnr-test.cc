/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-go-back-n-steps.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::RdmaGoBackNSteps;

TEST(RdmaGoBackNRnr, RnrNakWaits)
{
    for (const RdmaPs timeout : {0_ps, TIMEOUT})
    {
        auto requester = MakeSender(timeout);
        requester.Extend(5);
        Send(requester, 0, 3, 0_ps);
        const auto event = requester.OnRnrNak(1, 10'000_ps, 100_ps);
        EXPECT_FALSE(event.failed);
        EXPECT_EQ(requester.GetAcked(), 1U);
        EXPECT_FALSE(requester.CanSend());
        EXPECT_EQ(requester.GetDeadline(), 10'100_ps); // the wait, not the timeout
        requester.Extend(1);                           // more work does not end it
        EXPECT_FALSE(requester.CanSend());
        const auto end = requester.OnTimeout(10'100_ps);
        EXPECT_TRUE(end.mayBegin);
        EXPECT_FALSE(end.failed);
        EXPECT_EQ(requester.GetTimeouts(), 0U); // the wait is no timeout
        EXPECT_EQ(requester.GetDeadline(), NEVER);
        Send(requester, 1, 3, 10'200_ps, true);
        Send(requester, 4, 5, 10'300_ps);
        EXPECT_EQ(requester.GetDeadline(), timeout == 0_ps ? NEVER : 11'200_ps);
        EXPECT_EQ(requester.GetRetransmissions(), 3U);
    }
}

TEST(RdmaGoBackNRnr, RnrNakDuringTheWait)
{
    // An RNR NAK of a second copy, or of a packet sent again by a timeout, does not change the
    // wait.
    auto requester = MakeSender(0_ps, 7, 1);
    requester.Extend(2);
    Send(requester, 0, 1, 0_ps);
    EXPECT_FALSE(requester.OnRnrNak(0, 10'000_ps, 100_ps).failed);
    for (int i = 0; i < 5; ++i)
    {
        EXPECT_TRUE(IsNothing(requester.OnRnrNak(0, 10'000_ps, 200_ps)));
        EXPECT_EQ(requester.GetDeadline(), 10'100_ps);
    }
}

TEST(RdmaGoBackNRnr, RnrNakBeforeTheRetransmission)
{
    // 0 is sent, the timer runs out, and before 0 has its turn again comes the RNR NAK of its first
    // copy: the receiver is not ready, so 0 waits like any other.
    auto requester = MakeSender(TIMEOUT, 7, 1);
    requester.Extend(2);
    Send(requester, 0, 1, 0_ps);
    requester.OnTimeout(1000_ps);
    EXPECT_TRUE(requester.CanSend());
    EXPECT_FALSE(requester.OnRnrNak(0, 10'000_ps, 1100_ps).failed);
    EXPECT_FALSE(requester.CanSend());
    EXPECT_EQ(requester.GetDeadline(), 11'100_ps);
    EXPECT_TRUE(requester.OnTimeout(11'100_ps).mayBegin);
    Send(requester, 0, 1, 11'100_ps, true);
    // An RNR NAK that also acknowledges: back to 0, then RNR NAK of 1.
    requester.OnTimeout(12'100_ps);
    // progress: the first in a row
    EXPECT_FALSE(requester.OnRnrNak(1, 10'000_ps, 12'200_ps).failed);
    EXPECT_EQ(requester.GetAcked(), 1U);
    EXPECT_FALSE(requester.CanSend());
    EXPECT_EQ(requester.GetDeadline(), 22'200_ps);
}

TEST(RdmaGoBackNRnr, OldRnrNaksChangeNothing)
{
    auto requester = MakeSender(0_ps, 7, 0); // the first that counts would be the end
    requester.Extend(6);
    Send(requester, 0, 3, 0_ps);
    requester.OnAck(2, 10_ps);
    EXPECT_TRUE(IsNothing(requester.OnRnrNak(1, 10'000_ps, 20_ps)));
    // RNR NAKs of packets that were never sent, posted or not, change nothing either
    EXPECT_TRUE(IsNothing(requester.OnRnrNak(5, 10'000_ps, 20_ps)));
    EXPECT_TRUE(IsNothing(requester.OnRnrNak(6, 10'000_ps, 20_ps)));
    EXPECT_EQ(requester.GetAcked(), 3U);
    EXPECT_TRUE(requester.CanSend());
    EXPECT_EQ(requester.GetDeadline(), NEVER);
    // everything that was sent is acknowledged: 4 cannot have been refused
    requester.OnAck(3, 30_ps);
    EXPECT_TRUE(IsNothing(requester.OnRnrNak(4, 10'000_ps, 40_ps)));
    EXPECT_TRUE(requester.CanSend());
}

TEST(RdmaGoBackNRnr, RnrRetriesRunOut)
{
    // rnr_retry 2: two in a row are survived.
    auto requester = MakeSender(0_ps, 7, 2);
    requester.Extend(3);
    Send(requester, 0, 1, 0_ps);
    RdmaPs now = 0_ps;
    const auto round = [&requester, &now](int64_t packet) {
        const auto event = requester.OnRnrNak(packet, 500_ps, now);
        if (!event.failed)
        {
            now += 500_ps;
            EXPECT_EQ(requester.GetDeadline(), now);
            requester.OnTimeout(now);
            Send(requester, static_cast<uint64_t>(packet), 1, now, true);
        }
        return event;
    };
    EXPECT_FALSE(round(0).failed);
    EXPECT_FALSE(round(0).failed);
    requester.OnAck(0, now); // progress
    EXPECT_FALSE(round(1).failed);
    EXPECT_FALSE(round(1).failed);
    const auto event = round(1);
    EXPECT_TRUE(event.failed);
    EXPECT_EQ(event.status, RdmaWcStatus::RNR_RETRY_EXC_ERR);
    EXPECT_EQ(requester.GetTimeouts(), 0U);
}

TEST(RdmaGoBackNRnr, RnrRetryLimits)
{
    auto none = MakeSender(0_ps, 7, 0);
    none.Extend(1);
    Send(none, 0, 0, 0_ps);
    EXPECT_TRUE(none.OnRnrNak(0, 500_ps, 0_ps).failed);
    // 7 is no limit
    auto forever = MakeSender(TIMEOUT, 0, 7);
    forever.Extend(1);
    Send(forever, 0, 0, 0_ps);
    for (RdmaPs now = 0_ps; now < 100'000_ps; now += 500_ps)
    {
        ASSERT_FALSE(forever.OnRnrNak(0, 500_ps, now).failed);
        ASSERT_FALSE(forever.OnTimeout(now + 500_ps).failed);
        Send(forever, 0, 0, now + 500_ps, true);
    }
}

TEST(RdmaGoBackNRnr, AckDuringTheWait)
{
    // 1 found no receive request, but a second copy of it (sent by a timeout before) did.
    auto requester = MakeSender(TIMEOUT);
    requester.Extend(3);
    Send(requester, 0, 2, 0_ps);
    requester.OnRnrNak(1, 10'000_ps, 100_ps);
    requester.OnAck(1, 200_ps);
    EXPECT_EQ(requester.GetAcked(), 2U);
    EXPECT_EQ(requester.GetDeadline(), 10'100_ps); // the end of the wait is not forgotten
    EXPECT_FALSE(requester.CanSend());
    requester.OnAck(2, 300_ps);
    EXPECT_EQ(requester.GetAcked(), 3U);
    EXPECT_FALSE(requester.OnTimeout(10'100_ps).failed);
    EXPECT_EQ(requester.GetDeadline(), NEVER);
    EXPECT_FALSE(requester.CanSend());
    requester.Extend(1);
    Send(requester, 3, 3, 20'000_ps);
}

TEST(RdmaGoBackNRnr, NakDuringTheWait)
{
    auto requester = MakeSender(TIMEOUT);
    requester.Extend(4);
    Send(requester, 0, 3, 0_ps);
    requester.OnRnrNak(1, 10'000_ps, 100_ps);
    requester.OnNak(1, RdmaSender::NO_PACKET, 200_ps);
    EXPECT_FALSE(requester.CanSend());
    EXPECT_EQ(requester.GetDeadline(), 10'100_ps);
    requester.OnNak(2, RdmaSender::NO_PACKET, 300_ps); // and with progress
    EXPECT_EQ(requester.GetAcked(), 2U);
    EXPECT_FALSE(requester.CanSend());
    EXPECT_EQ(requester.GetDeadline(), 10'100_ps);
    requester.OnTimeout(10'100_ps);
    Send(requester, 2, 3, 10'100_ps, true);
}
