/* SPDX-License-Identifier: GPL-2.0-only */

// The timer by itself: computed timeouts (RFC 6298), and timeouts that double.

#include "irn-steps.h"
#include "rdma-go-back-n.h"
#include "rdma-retransmission-timer.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::IrnSteps;

namespace
{

constexpr RdmaPs MINUTE = 60_s; //!< longest timeout

/** \return a computed timeout: first 10000, at least 100 */
RdmaTimeouts
MakeDynamic()
{
    RdmaTimeouts timeouts;
    timeouts.low = 50_ps; // not used
    timeouts.high = 10'000_ps;
    timeouts.lowPackets = 3;
    timeouts.dynamic = true;
    timeouts.min = 100_ps;
    return timeouts;
}

} // namespace

TEST(RdmaRttEstimator, RoundTripsOfRfc6298)
{
    RdmaRttEstimator rtt(10'000_ps, 100_ps);
    EXPECT_EQ(rtt.GetTimeout(), 10'000_ps);
    // First: SRTT = 800, RTTVAR = 400, RTO = 800 + 4 * 400.
    rtt.Sample(800_ps);
    EXPECT_EQ(rtt.GetTimeout(), 2400_ps);
    // 800 again: RTTVAR = 3/4 * 400 = 300, SRTT = 800.
    rtt.Sample(800_ps);
    EXPECT_EQ(rtt.GetTimeout(), 2000_ps);
    // 1600: RTTVAR = 3/4 * 300 + 1/4 * 800 = 425, then SRTT = 7/8 * 800 + 1/8 * 1600 = 900.
    rtt.Sample(1600_ps);
    EXPECT_EQ(rtt.GetTimeout(), 900_ps + 4 * 425_ps);
    // 100: RTTVAR = 3/4 * 425 + 1/4 * 800 = 518.75, SRTT = 7/8 * 900 + 1/8 * 100 = 800.
    rtt.Sample(100_ps);
    EXPECT_EQ(rtt.GetTimeout(), 800_ps + 4 * 518_ps);
}

TEST(RdmaRttEstimator, Bounds)
{
    RdmaRttEstimator rtt(10'000_ps, 1000_ps);
    rtt.Sample(0_ps); // counts as one picosecond
    EXPECT_EQ(rtt.GetTimeout(), 1000_ps);
    // The first sample is 1 ps: RTTVAR = 1/4 * 7999, SRTT = 1 + 1/8 * 7999
    rtt.Sample(8000_ps);
    EXPECT_EQ(rtt.GetTimeout(), 1000_ps + 4 * 1999_ps);
    for (int i = 0; i < 100; ++i)
    {
        rtt.Sample(500_ps);
    }
    EXPECT_EQ(rtt.GetTimeout(), 1000_ps);
    for (int i = 0; i < 100; ++i)
    {
        rtt.Sample(5000_ps);
    }
    EXPECT_GT(rtt.GetTimeout(), 4990_ps);
    EXPECT_LE(rtt.GetTimeout(), 5040_ps); // eighths and quarters are cut to whole picoseconds
    rtt.Sample(2 * MINUTE);
    EXPECT_EQ(rtt.GetTimeout(), MINUTE);
}

TEST(RdmaDynamicTimeout, FromTheFirstRoundTripOn)
{
    RdmaRetransmissionTimer timer(MakeDynamic());
    EXPECT_EQ(timer.GetDeadline(), NEVER);
    timer.PacketSent(0, false, 1000_ps);
    EXPECT_EQ(timer.GetDeadline(), 11'000_ps); // RtoHigh at first
    timer.PacketSent(1, false, 1100_ps);       // not timed
    timer.PacketsAcked(2, 1800_ps);            // round trip 800
    timer.Restart(1800_ps);
    EXPECT_EQ(timer.GetDeadline(), 1800_ps + 2400_ps);
    timer.PacketSent(2, false, 2000_ps); // timed, for packet 0 has been measured
    timer.PacketsAcked(3, 2800_ps);
    timer.Restart(2800_ps);
    EXPECT_EQ(timer.GetDeadline(), 2800_ps + 2000_ps);
}

TEST(RdmaDynamicTimeout, OnePacketAtATime)
{
    RdmaRetransmissionTimer timer(MakeDynamic());
    timer.PacketSent(0, false, 0_ps);
    timer.PacketSent(1, false, 700_ps);
    timer.PacketsAcked(1, 800_ps); // 800
    timer.PacketsAcked(2, 900_ps); // 1 was not timed
    timer.Restart(1000_ps);
    EXPECT_EQ(timer.GetDeadline(), 1000_ps + 2400_ps);
}

TEST(RdmaDynamicTimeout, Karn)
{
    // Retransmitted packets are not measured, whichever copy is acknowledged.
    RdmaRetransmissionTimer timer(MakeDynamic());
    timer.PacketSent(0, false, 0_ps);
    timer.PacketSent(0, true, 500_ps);
    timer.PacketsAcked(1, 800_ps);
    timer.Restart(1000_ps);
    EXPECT_EQ(timer.GetDeadline(), 11'000_ps);
    timer.PacketSent(1, true, 1000_ps); // nor is it timed
    timer.PacketsAcked(2, 1010_ps);
    timer.Restart(2000_ps);
    EXPECT_EQ(timer.GetDeadline(), 12'000_ps);
    // The retransmission of another packet does not matter.
    timer.PacketSent(2, false, 2000_ps);
    timer.PacketSent(1, true, 2100_ps);
    timer.PacketsAcked(3, 2800_ps);
    timer.Restart(3000_ps);
    EXPECT_EQ(timer.GetDeadline(), 3000_ps + 2400_ps);
}

TEST(RdmaDynamicTimeout, SelectiveAcknowledgement)
{
    // The timed packet comes early: its round trip is known before the hole is filled.
    RdmaRetransmissionTimer timer(MakeDynamic());
    timer.PacketSent(5, false, 0_ps);
    timer.PacketSacked(6, 400_ps);
    timer.PacketSacked(5, 800_ps);
    timer.PacketSacked(5, 900_ps);
    timer.PacketsAcked(7, 5000_ps);
    timer.Restart(5000_ps);
    EXPECT_EQ(timer.GetDeadline(), 5000_ps + 2400_ps);
}

TEST(RdmaDynamicTimeout, DoublesUntilTheNextRoundTrip)
{
    RdmaRetransmissionTimer timer(MakeDynamic());
    timer.PacketSent(0, false, 0_ps);
    EXPECT_TRUE(timer.Expire(100)); // no second stage, however many are in flight
    EXPECT_EQ(timer.GetDeadline(), NEVER);
    timer.PacketSent(0, true, 10'000_ps);
    EXPECT_EQ(timer.GetDeadline(), 10'000_ps + 20'000_ps);
    EXPECT_TRUE(timer.Expire(1));
    timer.PacketSent(0, true, 30'000_ps);
    EXPECT_EQ(timer.GetDeadline(), 30'000_ps + 40'000_ps);
    timer.PacketsAcked(1, 31'000_ps); // progress, but no measurement
    timer.Restart(31'000_ps);
    EXPECT_EQ(timer.GetDeadline(), 31'000_ps + 40'000_ps);
    timer.PacketSent(1, false, 32'000_ps);
    timer.PacketsAcked(2, 32'800_ps);
    timer.Restart(33'000_ps);
    EXPECT_EQ(timer.GetDeadline(), 33'000_ps + 2400_ps);
    for (int i = 0; i < 100; ++i)
    {
        EXPECT_TRUE(timer.Expire(1));
    }
    timer.Restart(0_ps);
    EXPECT_EQ(timer.GetDeadline(), MINUTE);
}

TEST(RdmaDynamicTimeout, TimeoutEndsAMeasurement)
{
    // 1 is timed when the timeout of 0 comes. The ACK of both is of no use: 1 waited for 0.
    RdmaRetransmissionTimer timer(MakeDynamic());
    timer.PacketSent(0, false, 0_ps);
    timer.PacketsAcked(1, 800_ps);
    timer.PacketSent(2, false, 1000_ps); // timed
    timer.Restart(1000_ps);
    EXPECT_TRUE(timer.Expire(2));
    timer.PacketSent(1, true, 3400_ps);
    timer.PacketsAcked(3, 4000_ps);
    timer.Restart(4000_ps);
    EXPECT_EQ(timer.GetDeadline(), 4000_ps + 2 * 2400_ps);
}

TEST(RdmaDynamicTimeout, InAnIrnSender)
{
    // 0 is lost; 1, which is not timed, comes early; 0 goes again: no measurement. 3 is timed.
    RdmaSenderConfig config = MakeConfig();
    config.timeouts = MakeDynamic();
    IrnSender sender(config);
    sender.Extend(5);
    EXPECT_EQ(Send(sender, 0_ps, 3), "0 1 2");
    EXPECT_EQ(Reply(sender, 800_ps, "N0/1", 2), "0r 3");
    Answer(sender, 1600_ps, "A2");
    EXPECT_EQ(sender.GetDeadline(), 1600_ps + 10'000_ps);
    EXPECT_EQ(Send(sender, 1600_ps), "4");
    Answer(sender, 1700_ps, "A3"); // 900 after it was sent
    EXPECT_EQ(sender.GetDeadline(), 1700_ps + 900_ps + 4 * 450_ps);
    // and by a NACK's selective part
    auto other = Begin<IrnSender>(5, 1, config);
    other.OnAck(0, 800_ps); // 800: 2400
    Send(other, 1000_ps, 1);
    Send(other, 1000_ps, 1);
    Answer(other, 1900_ps, "N1/2"); // 1 was timed, and goes again
    Send(other, 1900_ps, 1);
    Send(other, 2000_ps, 1);        // 3 is timed
    Answer(other, 2800_ps, "N1/3"); // 800 after it was sent, while 1 is still missing
    Answer(other, 2900_ps, "A3");
    EXPECT_EQ(other.GetDeadline(), NEVER);
    Send(other, 3000_ps, 1);
    EXPECT_EQ(other.GetDeadline(), 3000_ps + 800_ps + 4 * 300_ps);
}

// RoCE's adaptive retransmission

TEST(RdmaAdaptiveTimeout, DoublesUpToItsLimit)
{
    RdmaSenderConfig config;
    config.timeouts.low = 1000_ps;
    config.timeouts.high = 1000_ps;
    config.timeouts.max = 5000_ps;
    RdmaGoBackNSender sender(config);
    sender.Extend(4);
    RdmaPs now = 0_ps;
    for (const RdmaPs timeout : {1000_ps, 2000_ps, 4000_ps, 5000_ps, 5000_ps})
    {
        Send(sender, now);
        EXPECT_EQ(sender.GetDeadline(), now + timeout);
        now += timeout;
        EXPECT_FALSE(sender.OnTimeout(now).failed);
    }
    Send(sender, now);
    sender.OnNak(0, NONE, now); // no progress
    Send(sender, now);
    EXPECT_EQ(sender.GetDeadline(), now + 5000_ps);
    sender.OnAck(0, now); // progress takes it back
    EXPECT_EQ(sender.GetDeadline(), now + 1000_ps);
    EXPECT_EQ(sender.GetTimeouts(), 5U);
}

TEST(RdmaAdaptiveTimeout, FixedWithout)
{
    RdmaSenderConfig config;
    config.timeouts.low = 1000_ps;
    config.timeouts.high = 1000_ps;
    RdmaGoBackNSender sender(config);
    sender.Extend(1);
    for (RdmaPs now = 0_ps; now < 5000_ps; now += 1000_ps)
    {
        Send(sender, now);
        EXPECT_EQ(sender.GetDeadline(), now + 1000_ps);
        sender.OnTimeout(now + 1000_ps);
    }
}
