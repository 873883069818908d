/* SPDX-License-Identifier: GPL-2.0-only */

// The timer by itself: computed timeouts (RFC 6298), and those that double.

#include "irn-steps.h"
#include "rdma-go-back-n.h"
#include "rdma-retransmission-timer.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::IrnSteps;

namespace
{

constexpr int64_t MINUTE = 60'000'000'000'000; //!< 60 s

/** \return a computed timeout: first 10000, at least 100 */
RdmaTimeouts
MakeDynamic()
{
    RdmaTimeouts timeouts;
    timeouts.lowPs = 50; // not used
    timeouts.highPs = 10'000;
    timeouts.lowPackets = 3;
    timeouts.dynamic = true;
    timeouts.minPs = 100;
    return timeouts;
}

} // namespace

TEST(RdmaRttEstimator, RoundTripsOfRfc6298)
{
    RdmaRttEstimator rtt(10'000, 100);
    EXPECT_EQ(rtt.GetTimeoutPs(), 10'000);
    // First: SRTT = 800, RTTVAR = 400, RTO = 800 + 4 * 400.
    rtt.Sample(800);
    EXPECT_EQ(rtt.GetTimeoutPs(), 2400);
    // 800 again: RTTVAR = 3/4 * 400 = 300, SRTT = 800.
    rtt.Sample(800);
    EXPECT_EQ(rtt.GetTimeoutPs(), 2000);
    // 1600: RTTVAR = 3/4 * 300 + 1/4 * 800 = 425, then SRTT = 7/8 * 800 + 1/8 * 1600 = 900.
    rtt.Sample(1600);
    EXPECT_EQ(rtt.GetTimeoutPs(), 900 + 4 * 425);
    // 100: RTTVAR = 3/4 * 425 + 1/4 * 800 = 518.75, SRTT = 7/8 * 900 + 1/8 * 100 = 800.
    rtt.Sample(100);
    EXPECT_EQ(rtt.GetTimeoutPs(), 800 + 4 * 518);
}

TEST(RdmaRttEstimator, Bounds)
{
    RdmaRttEstimator rtt(10'000, 1000);
    rtt.Sample(0); // counts as one picosecond
    EXPECT_EQ(rtt.GetTimeoutPs(), 1000);
    // and is the first: RTTVAR = 1/4 * 7999, SRTT = 1 + 1/8 * 7999
    rtt.Sample(8000);
    EXPECT_EQ(rtt.GetTimeoutPs(), 1000 + 4 * 1999);
    for (int i = 0; i < 100; ++i)
    {
        rtt.Sample(500);
    }
    EXPECT_EQ(rtt.GetTimeoutPs(), 1000);
    for (int i = 0; i < 100; ++i)
    {
        rtt.Sample(5000);
    }
    EXPECT_GT(rtt.GetTimeoutPs(), 4990);
    EXPECT_LE(rtt.GetTimeoutPs(), 5040); // eighths and quarters are cut to whole picoseconds
    rtt.Sample(2 * MINUTE);
    EXPECT_EQ(rtt.GetTimeoutPs(), MINUTE);
}

TEST(RdmaDynamicTimeout, FromTheFirstRoundTripOn)
{
    RdmaRetransmissionTimer timer(MakeDynamic());
    EXPECT_EQ(timer.GetDeadlinePs(), NEVER);
    timer.PacketSent(0, false, 1000);
    EXPECT_EQ(timer.GetDeadlinePs(), 11'000); // RtoHigh at first
    timer.PacketSent(1, false, 1100);         // not timed
    timer.PacketsAcked(2, 1800);              // round trip 800
    timer.Restart(1800);
    EXPECT_EQ(timer.GetDeadlinePs(), 1800 + 2400);
    timer.PacketSent(2, false, 2000); // timed, for packet 0 has been measured
    timer.PacketsAcked(3, 2800);
    timer.Restart(2800);
    EXPECT_EQ(timer.GetDeadlinePs(), 2800 + 2000);
}

TEST(RdmaDynamicTimeout, OnePacketAtATime)
{
    RdmaRetransmissionTimer timer(MakeDynamic());
    timer.PacketSent(0, false, 0);
    timer.PacketSent(1, false, 700);
    timer.PacketsAcked(1, 800); // 800
    timer.PacketsAcked(2, 900); // 1 was not timed
    timer.Restart(1000);
    EXPECT_EQ(timer.GetDeadlinePs(), 1000 + 2400);
}

TEST(RdmaDynamicTimeout, Karn)
{
    // What was sent again is not measured, whichever copy is acknowledged.
    RdmaRetransmissionTimer timer(MakeDynamic());
    timer.PacketSent(0, false, 0);
    timer.PacketSent(0, true, 500);
    timer.PacketsAcked(1, 800);
    timer.Restart(1000);
    EXPECT_EQ(timer.GetDeadlinePs(), 11'000);
    timer.PacketSent(1, true, 1000); // nor is it timed
    timer.PacketsAcked(2, 1010);
    timer.Restart(2000);
    EXPECT_EQ(timer.GetDeadlinePs(), 12'000);
    // Another packet's copy does not matter.
    timer.PacketSent(2, false, 2000);
    timer.PacketSent(1, true, 2100);
    timer.PacketsAcked(3, 2800);
    timer.Restart(3000);
    EXPECT_EQ(timer.GetDeadlinePs(), 3000 + 2400);
}

TEST(RdmaDynamicTimeout, SelectiveAcknowledgement)
{
    // The timed packet comes early: its round trip is known before the hole is filled.
    RdmaRetransmissionTimer timer(MakeDynamic());
    timer.PacketSent(5, false, 0);
    timer.PacketSacked(6, 400);
    timer.PacketSacked(5, 800);
    timer.PacketSacked(5, 900);
    timer.PacketsAcked(7, 5000);
    timer.Restart(5000);
    EXPECT_EQ(timer.GetDeadlinePs(), 5000 + 2400);
}

TEST(RdmaDynamicTimeout, DoublesUntilTheNextRoundTrip)
{
    RdmaRetransmissionTimer timer(MakeDynamic());
    timer.PacketSent(0, false, 0);
    EXPECT_TRUE(timer.Expire(100)); // no second stage, however many are in flight
    EXPECT_EQ(timer.GetDeadlinePs(), NEVER);
    timer.PacketSent(0, true, 10'000);
    EXPECT_EQ(timer.GetDeadlinePs(), 10'000 + 20'000);
    EXPECT_TRUE(timer.Expire(1));
    timer.PacketSent(0, true, 30'000);
    EXPECT_EQ(timer.GetDeadlinePs(), 30'000 + 40'000);
    timer.PacketsAcked(1, 31'000); // progress, but no measurement
    timer.Restart(31'000);
    EXPECT_EQ(timer.GetDeadlinePs(), 31'000 + 40'000);
    timer.PacketSent(1, false, 32'000);
    timer.PacketsAcked(2, 32'800);
    timer.Restart(33'000);
    EXPECT_EQ(timer.GetDeadlinePs(), 33'000 + 2400);
    for (int i = 0; i < 100; ++i)
    {
        EXPECT_TRUE(timer.Expire(1));
    }
    timer.Restart(0);
    EXPECT_EQ(timer.GetDeadlinePs(), MINUTE);
}

TEST(RdmaDynamicTimeout, TimeoutEndsAMeasurement)
{
    // 1 is timed when the timeout of 0 comes. The ACK of both is of no use: 1 waited for 0.
    RdmaRetransmissionTimer timer(MakeDynamic());
    timer.PacketSent(0, false, 0);
    timer.PacketsAcked(1, 800);
    timer.PacketSent(2, false, 1000); // timed
    timer.Restart(1000);
    EXPECT_TRUE(timer.Expire(2));
    timer.PacketSent(1, true, 3400);
    timer.PacketsAcked(3, 4000);
    timer.Restart(4000);
    EXPECT_EQ(timer.GetDeadlinePs(), 4000 + 2 * 2400);
}

TEST(RdmaDynamicTimeout, InAnIrnSender)
{
    // 0 is lost; 1, which is not timed, comes early; 0 goes again: no measurement. 3 is timed.
    RdmaSenderConfig config = MakeConfig();
    config.timeouts = MakeDynamic();
    IrnSender sender(config);
    sender.Extend(5);
    EXPECT_EQ(Send(sender, 0, 3), "0 1 2");
    Answer(sender, 800, "N0/1");
    EXPECT_EQ(Send(sender, 800, 2), "0r 3");
    Answer(sender, 1600, "A2");
    EXPECT_EQ(sender.GetDeadlinePs(), 1600 + 10'000);
    EXPECT_EQ(Send(sender, 1600), "4");
    Answer(sender, 1700, "A3"); // 900 after it was sent
    EXPECT_EQ(sender.GetDeadlinePs(), 1700 + 900 + 4 * 450);
    // and by a NACK's selective part
    IrnSender other(config);
    other.Extend(5);
    Send(other, 0, 1);
    other.OnAck(0, 800); // 800: 2400
    Send(other, 1000, 1);
    Send(other, 1000, 1);
    Answer(other, 1900, "N1/2"); // 1 was timed, and goes again
    Send(other, 1900, 1);
    Send(other, 2000, 1);        // 3 is timed
    Answer(other, 2800, "N1/3"); // 800 after it was sent, while 1 is still missing
    Answer(other, 2900, "A3");
    EXPECT_EQ(other.GetDeadlinePs(), NEVER);
    Send(other, 3000, 1);
    EXPECT_EQ(other.GetDeadlinePs(), 3000 + 800 + 4 * 300);
}

// RoCE's adaptive retransmission

TEST(RdmaAdaptiveTimeout, DoublesUpToItsLimit)
{
    RdmaSenderConfig config;
    config.timeouts.lowPs = 1000;
    config.timeouts.highPs = 1000;
    config.timeouts.maxPs = 5000;
    RdmaGoBackNSender sender(config);
    sender.Extend(4);
    int64_t nowPs = 0;
    for (const int64_t timeoutPs : {1000, 2000, 4000, 5000, 5000})
    {
        Send(sender, nowPs);
        EXPECT_EQ(sender.GetDeadlinePs(), nowPs + timeoutPs);
        nowPs += timeoutPs;
        EXPECT_FALSE(sender.OnTimeout(nowPs).failed);
    }
    Send(sender, nowPs);
    sender.OnNak(0, NONE, nowPs); // no progress
    Send(sender, nowPs);
    EXPECT_EQ(sender.GetDeadlinePs(), nowPs + 5000);
    sender.OnAck(0, nowPs); // progress takes it back
    EXPECT_EQ(sender.GetDeadlinePs(), nowPs + 1000);
    EXPECT_EQ(sender.GetTimeouts(), 5U);
}

TEST(RdmaAdaptiveTimeout, FixedWithout)
{
    RdmaSenderConfig config;
    config.timeouts.lowPs = 1000;
    config.timeouts.highPs = 1000;
    RdmaGoBackNSender sender(config);
    sender.Extend(1);
    for (int64_t nowPs = 0; nowPs < 5000; nowPs += 1000)
    {
        Send(sender, nowPs);
        EXPECT_EQ(sender.GetDeadlinePs(), nowPs + 1000);
        sender.OnTimeout(nowPs + 1000);
    }
}
