/* SPDX-License-Identifier: GPL-2.0-only */

#include "irn-steps.h"
#include "rdma-allocation-count.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::IrnSteps;

TEST(IrnReceiver, InOrder)
{
    IrnReceiver receiver;
    EXPECT_EQ(receiver.GetExpected(), 0U);
    EXPECT_EQ(ArriveAll(receiver, "0 1 2 3"), "A0 A1 A2 A3");
    EXPECT_EQ(receiver.GetExpected(), 4U);
    EXPECT_EQ(receiver.GetMissing(), 4U);
}

TEST(IrnReceiver, EveryEarlyPacketIsToldOf)
{
    // 1 is lost, then 4. Each early packet gives a NACK of its own; 1 acknowledges all up to 3.
    IrnReceiver receiver;
    EXPECT_EQ(ArriveAll(receiver, "0 2 3 5"), "A0 N1/2 N1/3 N1/5");
    EXPECT_EQ(receiver.GetExpected(), 1U);
    EXPECT_EQ(receiver.GetMissing(), 1U);
    EXPECT_EQ(ArriveAll(receiver, "1"), "A3");
    EXPECT_EQ(receiver.GetMissing(), 4U);
    EXPECT_EQ(ArriveAll(receiver, "6 4 7"), "N4/6 A6 A7");
}

TEST(IrnReceiver, FirstPacketLost)
{
    IrnReceiver receiver;
    EXPECT_EQ(ArriveAll(receiver, "2 1 0"), "N0/2 N0/1 A2");
}

TEST(IrnReceiver, DuplicatesOfBothKinds)
{
    IrnReceiver receiver;
    EXPECT_EQ(ArriveAll(receiver, "0 1 0 1 -1"), "A0 A1 A1 A1");
    EXPECT_EQ(receiver.Check(-1), RdmaReceiverVerdict::DUPLICATE); // a PSN before the first packet
    EXPECT_EQ(receiver.Check(-8'388'608), RdmaReceiverVerdict::DUPLICATE);
    // Kept, and not in order yet.
    EXPECT_EQ(ArriveAll(receiver, "3 3 3"), "N2/3 A1 A1");
    EXPECT_EQ(ArriveAll(receiver, "2 3 2"), "A3 A3 A3");
}

TEST(IrnReceiver, CheckAloneChangesNothing)
{
    // A second copy of an early packet that is dropped for want of a receive request is early, too.
    IrnReceiver receiver;
    EXPECT_EQ(receiver.Check(2), RdmaReceiverVerdict::EARLY);
    EXPECT_EQ(receiver.Check(2), RdmaReceiverVerdict::EARLY);
    EXPECT_EQ(receiver.Check(0), RdmaReceiverVerdict::ACCEPT);
    receiver.Refuse();
    EXPECT_EQ(receiver.Check(0), RdmaReceiverVerdict::ACCEPT);
    EXPECT_EQ(receiver.GetExpected(), 0U);
    EXPECT_EQ(ArriveAll(receiver, "1 0 2"), "N0/1 A1 A2"); // kept behind the refused one
}

TEST(IrnReceiver, ManyKept)
{
    // 1..300 come before 0, backwards, with 64 and 200 missing.
    IrnReceiver receiver;
    for (int64_t packet = 300; packet > 0; --packet)
    {
        if (packet != 64 && packet != 200)
        {
            EXPECT_EQ(receiver.Check(packet), RdmaReceiverVerdict::EARLY);
            receiver.Accept(static_cast<uint64_t>(packet), 1, false);
        }
    }
    EXPECT_EQ(receiver.GetExpected(), 0U);
    EXPECT_EQ(ArriveAll(receiver, "0 200 64"), "A63 N64/200 A300");
}

TEST(IrnReceiver, BeyondEveryWindow)
{
    // No sender has 2^23 - 1 packets in flight or more, so the receiver rejects this packet.
    IrnReceiver receiver;
    ArriveAll(receiver, "0 1 2");
    const int64_t limit = 3 + static_cast<int64_t>(RDMA_MAX_WINDOW) - 1;
    EXPECT_EQ(receiver.Check(limit), RdmaReceiverVerdict::IGNORE);
    EXPECT_EQ(receiver.Check(limit + 1000), RdmaReceiverVerdict::IGNORE);
    EXPECT_EQ(receiver.Check(limit - 1), RdmaReceiverVerdict::EARLY);
    EXPECT_EQ(Arrive(receiver, limit - 1), "N3/" + std::to_string(limit - 1));
    EXPECT_EQ(Arrive(receiver, 3), "A3");
    EXPECT_EQ(receiver.Check(limit), RdmaReceiverVerdict::EARLY);
}

TEST(IrnReceiver, NoMemoryInOrder)
{
    const uint64_t before = GetRdmaAllocationCount();
    IrnReceiver receiver;
    IrnSender sender(MakeConfig());
    sender.Extend(10'000);
    for (int64_t packet = 0; packet < 10'000; ++packet)
    {
        sender.Sent(1, RdmaPs(packet));
        receiver.Check(packet);
        receiver.Accept(static_cast<uint64_t>(packet), 1, false);
        sender.OnAck(packet, RdmaPs(packet));
    }
    EXPECT_EQ(GetRdmaAllocationCount(), before);
    EXPECT_LE(sizeof(IrnReceiver), 48U);
    EXPECT_LE(sizeof(IrnSender), 256U);
}

TEST(IrnReceiver, NoMemoryInSteadyStateWithLoss)
{
    // Every seventh packet is lost once. After the first hole no memory is allocated.
    IrnReceiver receiver;
    IrnSender sender(MakeConfig(64));
    sender.Extend(100'000);
    uint64_t before = 0;
    for (RdmaPs now = 0_ps; sender.GetAcked() < 100'000; now += 1_ps)
    {
        ASSERT_LT(now, 300'000_ps);
        if (now == 1000_ps)
        {
            before = GetRdmaAllocationCount();
        }
        ASSERT_TRUE(sender.CanSend()) << now;
        const auto packet = static_cast<int64_t>(sender.GetNext());
        const bool again = sender.Sent(1, now);
        if (again || packet % 7 != 3 || packet > 99'990)
        {
            const auto verdict = receiver.Check(packet);
            ASSERT_TRUE(verdict == RdmaReceiverVerdict::ACCEPT ||
                        verdict == RdmaReceiverVerdict::EARLY);
            receiver.Accept(static_cast<uint64_t>(packet), 1, false);
            const auto expected = static_cast<int64_t>(receiver.GetExpected());
            verdict == RdmaReceiverVerdict::EARLY ? sender.OnNak(expected, packet, now)
                                                  : sender.OnAck(expected - 1, now);
        }
    }
    EXPECT_EQ(GetRdmaAllocationCount(), before);
    EXPECT_EQ(sender.GetRetransmissions(), 14'284U); // 3, 10, 17, ... 99'984
    EXPECT_EQ(sender.GetTimeouts(), 0U);
}
