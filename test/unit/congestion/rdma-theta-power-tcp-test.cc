/* SPDX-License-Identifier: GPL-2.0-only */

// Theta-PowerTCP's rules worked out by hand from Addanki et al., NSDI 2022, algorithm 2.

#include "rdma-power-tcp-setup.h"
#include "rdma-test-units.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::RdmaPowerTcpSetup;

namespace
{

// Acknowledgements of theta-PowerTCP.
struct RttFeed
{
    void Ack(RdmaRateController& c, RdmaPs time, RdmaPs rtt)
    {
        now += time;
        RdmaAckSample sample;
        sample.now = now;
        sample.ackedPackets = 1;
        sample.ackedTo = ackedTo;
        sample.sentTo = sentTo;
        sample.rtt = rtt;
        c.OnAck(sample);
    }

    void NextRound()
    {
        ackedTo = sentTo + 1;
        sentTo += 100;
    }

    RdmaPs now{0};
    uint64_t ackedTo{1};
    uint64_t sentTo{100};
};

} // namespace

TEST(RdmaThetaPowerTcp, WindowByHand)
{
    // From an RTT of before to one of now within tau; power is (1 + (now - before) / tau, at least
    // 1/2) x now / tau, and W = 0.9 x (125000 / power + 1000) + 12500.
    struct
    {
        RdmaPs before;
        RdmaPs now;
        double power;
        double window;
    } const cases[] = {
        {20 * US, 20 * US, 2, 69'650},                       // a queue that stays
        {10 * US, 20 * US, 4, 41'525},                       // one that grows: 2 x 2
        {20 * US, 15 * US, 0.75, BT},                        // one that drains: 1/2 x 3/2
        {20 * US, 10 * US, 0.5, BT},                         // as fast as it can: 1/2 x 1
        {30 * US, 10 * US, 0.5, BT},                         // faster than it can: 1/2 x 1
        {50 * US, 40 * US, 2, 69'650},                       // a long one that drains: 1/2 x 4
        {10 * US, 10 * US, 1, BT},                           // none: W + 0.9 beta, cut to B x tau
        {12 * US + US / 2, 12 * US + US / 2, 1.25, 103'400}, // 100000 + 1000
    };

    for (const auto& p : cases)
    {
        auto c = Make<RdmaThetaPowerTcpController>(LINE, 0.5);
        RttFeed feed;
        feed.Ack(c, 0_ps, p.before);
        EXPECT_EQ(c.GetPower(), 1);
        EXPECT_EQ(c.GetWindowBytes(), BT);
        feed.NextRound();
        feed.Ack(c, TAU, p.now);
        EXPECT_DOUBLE_EQ(c.GetPower(), p.power);
        EXPECT_NEAR(c.GetExactWindow(), p.window, 1e-6);
    }
}

TEST(RdmaThetaPowerTcp, WithoutABoundADrainingQueueAsksForTheLargestWindow)
{
    auto c = Make<RdmaThetaPowerTcpController>();
    RttFeed feed;
    feed.Ack(c, 0_ps, 50 * US);
    feed.NextRound();
    feed.Ack(c, TAU, 40 * US); // 0 x 4
    EXPECT_EQ(c.GetPower(), 0);
    EXPECT_EQ(c.GetExactWindow(), BT);
}

TEST(RdmaThetaPowerTcp, OneChangePerRoundTrip)
{
    auto c = Make<RdmaThetaPowerTcpController>(LINE, 0.5);
    RttFeed feed;
    feed.Ack(c, 0_ps, 20 * US);
    // Power is smoothed with each acknowledgement: 1 + (1 - (3/4)^n).
    for (uint64_t acked = 25; acked <= 100; acked += 25)
    {
        feed.ackedTo = acked;
        feed.sentTo = 100 + acked;
        feed.Ack(c, TAU / 4, 20 * US);
        EXPECT_EQ(c.GetExactWindow(), BT);
    }
    EXPECT_DOUBLE_EQ(c.GetPower(), 2 - 81.0 / 256);
    feed.ackedTo = 101;
    feed.Ack(c, TAU, 20 * US);
    EXPECT_DOUBLE_EQ(c.GetPower(), 2);
    EXPECT_NEAR(c.GetExactWindow(), 69'650, 1e-6);
    // Packets up to 199 were sent before this change.
    feed.ackedTo = 200;
    feed.sentTo = 250;
    feed.Ack(c, TAU, 20 * US);
    EXPECT_NEAR(c.GetExactWindow(), 69'650, 1e-6);
    // 0.9 x (34825 + 1000) + 6965 = 39207.5
    feed.ackedTo = 201;
    feed.Ack(c, TAU, 20 * US);
    EXPECT_NEAR(c.GetExactWindow(), 39'207.5, 1e-6);
}

TEST(RdmaThetaPowerTcp, WithoutRttOrTimeNothingHappens)
{
    auto c = Make<RdmaThetaPowerTcpController>(LINE, 0.5);
    RttFeed feed;
    feed.Ack(c, 5 * US, 20 * US);
    feed.NextRound();
    feed.Ack(c, 0_ps, 40 * US); // at the same instant: no gradient
    feed.Ack(c, TAU / 2, -1_ps);
    EXPECT_EQ(c.GetPower(), 1);
    EXPECT_EQ(c.GetExactWindow(), BT);
    feed.Ack(c, TAU / 2, 20 * US); // the RTT was 20 us a tau earlier, too
    EXPECT_DOUBLE_EQ(c.GetPower(), 2);
    EXPECT_NEAR(c.GetExactWindow(), 69'650, 1e-6);
}
