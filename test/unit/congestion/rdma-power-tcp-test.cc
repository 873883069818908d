/* SPDX-License-Identifier: GPL-2.0-only */

// PowerTCP's rules worked out by hand from Addanki et al., NSDI 2022, algorithm 1, and the
// attributes.

#include "rdma-expect-error.h"
#include "rdma-power-tcp-setup.h"
#include "rdma-test-units.h"
#include "rdma-time.h"

#include <ns3/data-rate.h>
#include <ns3/double.h>
#include <ns3/nstime.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::RdmaPowerTcpSetup;

TEST(RdmaPowerTcp, StartsWithBandwidthTimesDelayAtLineRate)
{
    auto c = Make();
    EXPECT_EQ(c.GetRate(0_ps), LINE);
    EXPECT_EQ(c.GetWindowBytes(), BT);
    RdmaIntFeed feed({LINE});
    feed.Ack(c, TAU, {{BT, BT}}); // nothing to compare with
    EXPECT_EQ(c.GetWindowBytes(), BT);
    EXPECT_EQ(c.GetPower(), 1);
}

TEST(RdmaPowerTcp, PowerIsCurrentTimesVoltage)
{
    // In tau the port sends tx, and its queue goes from before to now. Current is (now - before +
    // tx) / (B x tau), voltage (now + B x tau) / (B x tau).
    struct
    {
        uint64_t before;
        uint64_t now;
        uint64_t tx;
        double power;
    } const cases[] = {
        {0, 0, BT, 1},                 // full, no queue
        {0, 0, BT / 2, 0.5},           // half full
        {BT, BT, BT, 2},               // a queue that stays: 1 x 2
        {0, BT, BT, 4},                // a queue that grows: 2 x 2
        {BT, BT / 2, BT, 0.75},        // one that drains: 1/2 x 3/2
        {BT, 0, BT, 0},                // nothing arrives
        {2 * BT, 0, BT, 0},            // drains faster than is possible: not below 0
        {BT / 5, BT / 5, BT, 1.2},     // 1 x 1.2
        {0, BT / 4, BT * 3 / 4, 1.25}, // 1 x 1.25
    };

    for (const auto& p : cases)
    {
        auto c = Make();
        RdmaIntFeed feed({LINE});
        feed.Ack(c, TAU, {{BT, p.before}});
        feed.Ack(c, TAU, {{p.tx, p.now}});
        EXPECT_DOUBLE_EQ(c.GetPower(), p.power);
        // 0.9 x (125000 / power + 1000) + 0.1 x 125000, up to B x tau
        EXPECT_NEAR(c.GetExactWindow(),
                    p.power > 0 ? std::min<double>(BT, 0.9 * (BT / p.power + 1000) + 0.1 * BT) : BT,
                    1e-6);
    }
}

TEST(RdmaPowerTcp, WindowByHand)
{
    // Power 2: 0.9 x (62500 + 1000) + 12500 = 69650; R = 69650 x 8 / 10 us.
    auto c = Make();
    RdmaIntFeed feed({LINE});
    feed.Ack(c, TAU, {{BT, BT}});
    feed.Ack(c, TAU, {{BT, BT}});
    EXPECT_NEAR(c.GetExactWindow(), 69'650, 1e-6);
    EXPECT_NEAR(static_cast<double>(c.GetRate(0_ps)), 55'720'000'000, 1);
    // Again, with the same old window: 57150 + 6965 = 64115.
    feed.Ack(c, TAU, {{BT, BT}});
    EXPECT_NEAR(c.GetExactWindow(), 64'115, 1e-6);
}

TEST(RdmaPowerTcp, PowerIsSmoothedOverTau)
{
    // tau / 4 at power 2: 3/4 x 1 + 1/4 x 2 = 1.25; 0.9 x (100000 + 1000) + 12500 = 103400.
    auto c = Make();
    RdmaIntFeed feed({LINE});
    feed.Ack(c, TAU, {{BT, BT}});
    feed.Ack(c, TAU / 4, {{BT / 4, BT}});
    EXPECT_DOUBLE_EQ(c.GetPower(), 1.25);
    EXPECT_NEAR(c.GetExactWindow(), 103'400, 1e-6);
    // 3 tau count as tau: (3 x 125000 - 125000) / 375000 = 2/3, without a queue at the end.
    feed.Ack(c, 3 * TAU, {{3 * BT, 0}});
    EXPECT_DOUBLE_EQ(c.GetPower(), 2.0 / 3);
}

TEST(RdmaPowerTcp, OldWindowIsThatOfTheRoundTripInWhichThePacketWasSent)
{
    auto c = Make();
    RdmaIntFeed feed({LINE});
    feed.Ack(c, TAU, {{BT, BT}}); // packets from 100 on are sent with W = 125000
    double window = BT;
    for (uint64_t acked = 20; acked <= 100; acked += 20)
    {
        feed.ackedTo = acked;
        feed.sentTo = 100 + acked;
        feed.Ack(c, TAU, {{BT, BT}});
        EXPECT_EQ(c.GetOldWindow(), BT);
        window = 0.9 * (62'500 + 1000) + 0.1 * window;
        EXPECT_NEAR(c.GetExactWindow(), window, 1e-6);
    }
    // Packet 100 is acknowledged: its W_old is still 125000. Packets from 300 on have this W.
    feed.ackedTo = 101;
    feed.sentTo = 300;
    feed.Ack(c, TAU, {{BT, BT}});
    window = 0.9 * (62'500 + 1000) + 0.1 * window;
    EXPECT_NEAR(c.GetExactWindow(), window, 1e-6);
    const double old = window;
    feed.ackedTo = 300;
    feed.Ack(c, TAU, {{BT, BT}});
    EXPECT_EQ(c.GetOldWindow(), BT);
    window = 0.9 * (62'500 + 1000) + 0.1 * window;
    feed.ackedTo = 301;
    feed.Ack(c, TAU, {{BT, BT}});
    EXPECT_NEAR(c.GetOldWindow(), old, 1e-6);
    EXPECT_NEAR(c.GetExactWindow(), 0.9 * (old / 2 + 1000) + 0.1 * window, 1e-6);
}

TEST(RdmaPowerTcp, HighestPowerOfManyHopsAndItsTime)
{
    for (size_t busiest = 0; busiest < 16; ++busiest)
    {
        auto c = Make();
        RdmaIntFeed feed(std::vector<RdmaBitRate>(16, LINE));
        std::vector<RdmaIntFeed::Port> ports(16, {BT / 2, 0});
        ports[busiest] = {BT, BT};
        feed.Ack(c, TAU, ports);
        feed.Ack(c, TAU, ports);
        EXPECT_DOUBLE_EQ(c.GetPower(), 2);
    }
    // Hop 1 is a 25 Gb/s port whose packets left tau / 2 apart: 15625 bytes are its rate, 31250 its
    // B x tau. Its power 2 counts for half: 1/2 x 1 + 1/2 x 2 = 1.5.
    auto c = Make();
    RdmaIntFeed feed({LINE, 25 * GBPS});
    feed.Ack(c, TAU, {{BT / 2, 0}, {0, 31'250}});
    feed.now += TAU;
    feed.Move(0, TAU, BT / 2);
    feed.Move(1, TAU / 2, 15'625);
    feed.Send(c, feed.hops);
    EXPECT_DOUBLE_EQ(c.GetPower(), 1.5);
}

TEST(RdmaPowerTcp, AnyLinkRate)
{
    for (const uint64_t rate : {1, 10, 25, 40, 56, 100, 200, 400, 800, 1600})
    {
        auto c = Make(rate * GBPS);
        const double bt = 1250.0 * static_cast<double>(rate);
        RdmaIntFeed feed({rate * GBPS, 10'000 * GBPS});
        const RdmaIntFeed::Port port{rate * 1250, rate * 1250};
        EXPECT_EQ(c.GetRate(0_ps), rate * GBPS);
        feed.Ack(c, TAU, {port});
        feed.Ack(c, TAU, {port});
        EXPECT_DOUBLE_EQ(c.GetPower(), 2);
        EXPECT_NEAR(c.GetExactWindow(), std::min(0.9 * (bt / 2 + 1000) + 0.1 * bt, bt), 1e-6);
    }
}

TEST(RdmaPowerTcp, CountersAndClocksWrap)
{
    for (const RdmaPs before : {1_ps, TAU / 2, TAU, TAU + 1_ps, 2 * TAU})
    {
        RdmaIntHop hop;
        hop.time = RdmaIntFeed::TIME_WRAP - before;
        hop.txBytes = RdmaIntFeed::TX_WRAP - before / 80_ps; // 80 ps a byte
        auto c = Make();
        RdmaIntFeed feed({LINE}, hop);
        feed.Ack(c, 0_ps, {{BT, BT}});
        for (int i = 0; i < 3; ++i)
        {
            feed.Ack(c, TAU, {{BT, BT}});
            EXPECT_DOUBLE_EQ(c.GetPower(), 2) << before;
        }
    }
}

TEST(RdmaPowerTcp, OldAcknowledgementsAndOtherPathsChangeNothing)
{
    auto c = Make();
    RdmaIntFeed feed({LINE});
    feed.Ack(c, TAU, {{BT, BT}});
    const auto old = feed.hops;
    feed.Ack(c, TAU, {{BT, BT}});
    const auto last = feed.hops;
    for (const auto& telemetry : {old, last, std::vector<RdmaIntHop>()})
    {
        feed.Send(c, telemetry);
        EXPECT_NEAR(c.GetExactWindow(), 69'650, 1e-6);
    }
    feed.hops = std::vector<RdmaIntHop>(3, feed.hops[0]);
    feed.Ack(c, TAU, {{BT, 8 * BT}});
    EXPECT_NEAR(c.GetExactWindow(), 69'650, 1e-6);
    EXPECT_EQ(c.GetPower(), 2);
    // The new path is compared with itself: power 1 x 1.
    feed.Ack(c, TAU, {{BT / 4, 0}, {BT, 0}, {}});
    EXPECT_DOUBLE_EQ(c.GetPower(), 1);
}

TEST(RdmaPowerTcp, LossReportsBringTelemetryToo)
{
    auto c = Make();
    RdmaIntFeed feed({LINE});
    feed.Ack(c, TAU, {{BT, BT}});
    feed.Move(0, TAU, BT);
    RdmaAckSample sample;
    sample.now = 2 * TAU;
    sample.hops = feed.hops.data();
    sample.hopCount = 1;
    c.OnNak(sample);
    EXPECT_NEAR(c.GetExactWindow(), 69'650, 1e-6);
}

TEST(RdmaPowerTcp, WindowStaysBetweenAPacketAndBandwidthTimesDelay)
{
    auto c = Make();
    RdmaIntFeed feed({LINE});
    // 4 GB of queue, power 32001: W falls to 0.9 x 1000 + 0.1 W = 1000 bytes and a little.
    const uint64_t queue = 4'000'000'000;
    for (int i = 0; i < 20; ++i)
    {
        feed.Ack(c, TAU, {{BT, queue}});
        feed.NextRound();
    }
    EXPECT_NEAR(c.GetExactWindow(), 1000, 0.1);
    EXPECT_GE(c.GetWindowBytes(), 1000U);
    // An idle link: B x tau, no more.
    for (int i = 0; i < 5; ++i)
    {
        feed.Ack(c, TAU, {{}});
        feed.NextRound();
    }
    EXPECT_EQ(c.GetExactWindow(), BT);
    EXPECT_EQ(c.GetRate(0_ps), LINE);
}

TEST(RdmaPowerTcp, EquilibriumIsBetaInTheQueueAndEqualShares)
{
    // Four flows on the paper's fluid link, dq/dt = sum W / RTT - b with RTT = q / b + tau; the
    // last one starts late, and the activity of a port is known tau later. In equilibrium the queue
    // is 4 beta (theorem 1), sum W = B x tau + 4 beta, and shares are equal (theorem 3).
    constexpr int FLOWS = 4;
    constexpr size_t STEPS = 20; // in tau
    RdmaPowerTcpController flows[FLOWS] = {Make(), Make(), Make(), Make()};
    std::vector<RdmaIntFeed> feeds(FLOWS, RdmaIntFeed({LINE}));
    std::vector<RdmaIntFeed::Port> link; // at each step
    double queue = 0;
    for (size_t step = 0; step < 1000 * STEPS; ++step)
    {
        const int active = step < 200 * STEPS ? FLOWS - 1 : FLOWS;
        double sum = 0;
        for (int i = 0; i < active; ++i)
        {
            sum += flows[i].GetExactWindow();
        }
        const double come = sum * BT / (queue + BT) / STEPS;
        const double go = std::min<double>(queue + come, BT / STEPS);
        queue += come - go;
        link.push_back({static_cast<uint64_t>(go), static_cast<uint64_t>(queue)});
        for (int i = 0; i < active && step >= STEPS; ++i)
        {
            feeds[i].ackedTo = step - STEPS + 1;
            feeds[i].sentTo = step + 1;
            feeds[i].Ack(flows[i], TAU / STEPS, {link[step - STEPS]});
        }
    }
    EXPECT_NEAR(queue, 4 * BETA, 40);
    for (const auto& flow : flows)
    {
        EXPECT_NEAR(flow.GetExactWindow(), (BT + 4 * BETA) / 4, 50);
    }
}

TEST(RdmaPowerTcp, Attributes)
{
    RdmaSetTimeResolution();
    auto control = CreateObject<RdmaPowerTcp>();
    EXPECT_EQ(control->GetIntFormat(), RdmaIntFormat::AUTO);
    control->SetAttribute("IntFormat", StringValue("Exact"));
    EXPECT_EQ(control->GetIntFormat(), RdmaIntFormat::EXACT);
    EXPECT_FALSE(control->NeedsRtt());
    EXPECT_NE(dynamic_cast<RdmaPowerTcpController*>(control->MakeController(MakeProfile()).get()),
              nullptr);
    // beta = 150 Mb/s x 10 us
    EXPECT_NEAR(control->GetParameters(MakeProfile()).increaseBytes, 187.5, 1e-9);
    EXPECT_EQ(control->GetParameters(MakeProfile()).gamma, 0.9);
    control->SetAttribute("Variant", StringValue("Theta"));
    control->SetAttribute("Gamma", DoubleValue(0.5));
    control->SetAttribute("ExpectedFlows", UintegerValue(100));
    control->SetAttribute("BaseRtt", TimeValue(MicroSeconds(20)));
    EXPECT_EQ(control->GetIntFormat(), RdmaIntFormat::NONE);
    EXPECT_TRUE(control->NeedsRtt());
    const auto p = control->GetParameters(MakeProfile());
    EXPECT_NEAR(p.increaseBytes, 2500, 1e-9); // 250000 / 100
    EXPECT_EQ(p.gamma, 0.5);
    EXPECT_EQ(p.baseRtt, 20 * US);
    const auto c = control->MakeController(MakeProfile());
    EXPECT_NE(dynamic_cast<RdmaThetaPowerTcpController*>(c.get()), nullptr);
    EXPECT_EQ(c->GetWindowBytes(), 2 * BT);
    control->SetAttribute("ExpectedFlows", UintegerValue(0));
    control->SetAttribute("AdditiveIncrease", UintegerValue(80));
    EXPECT_EQ(control->GetParameters(MakeProfile()).increaseBytes, 80);
    control->SetAttribute("AdditiveIncrease", UintegerValue(0));
    control->SetAttribute("AdditiveRate", StringValue("1Gbps"));
    EXPECT_EQ(control->GetParameters(MakeProfile()).increaseBytes, 2500); // 1 Gb/s x 20 us
}

TEST(RdmaPowerTcp, RulesBringTheirParameters)
{
    RdmaSetTimeResolution();

    struct
    {
        const char* rules;
        const char* variant;
        double gamma;
        double target;
        double current;
        double increase;
    } const cases[] = {
        {"Authors", "Int", 0.9, 0.95, 0.5, 187.5}, // 150 Mb/s x 10 us
        {"Authors", "Theta", 0.7, 1.05, 0.5, 187.5},
        {"Paper", "Int", 0.9, 1, 0, 12'500}, // 125000 / 10
        {"Paper", "Theta", 0.9, 1, 0.5, 12'500},
    };

    for (const auto& expected : cases)
    {
        auto control = CreateObject<RdmaPowerTcp>();
        control->SetAttribute("Rules", StringValue(expected.rules));
        control->SetAttribute("Variant", StringValue(expected.variant));
        auto p = control->GetParameters(MakeProfile());
        EXPECT_EQ(p.gamma, expected.gamma);
        EXPECT_EQ(p.targetPower, expected.target);
        EXPECT_EQ(p.minCurrent, expected.current);
        EXPECT_NEAR(p.increaseBytes, expected.increase, 1e-9);
        control->SetAttribute("Gamma", DoubleValue(0.25));
        control->SetAttribute("TargetPower", DoubleValue(0.75));
        control->SetAttribute("MinCurrent", DoubleValue(0));
        control->SetAttribute("ExpectedFlows", UintegerValue(50));
        p = control->GetParameters(MakeProfile());
        EXPECT_EQ(p.gamma, 0.25);
        EXPECT_EQ(p.targetPower, 0.75);
        EXPECT_EQ(p.minCurrent, 0);
        EXPECT_NEAR(p.increaseBytes, 2500, 1e-9);
    }
}

TEST(RdmaPowerTcp, TauIsTheNetworksWithTelemetryAndThePathsWithout)
{
    RdmaSetTimeResolution();
    auto control = CreateObject<RdmaPowerTcp>();
    auto profile = MakeProfile();
    profile.networkRtt = 2 * TAU;
    control->SetAttribute("ExpectedFlows", UintegerValue(10));
    EXPECT_EQ(control->GetParameters(profile).baseRtt, 2 * TAU);
    EXPECT_NEAR(control->GetParameters(profile).increaseBytes, 25'000, 1e-9);
    control->SetAttribute("Variant", StringValue("Theta"));
    EXPECT_EQ(control->GetParameters(profile).baseRtt, TAU);
    EXPECT_NEAR(control->GetParameters(profile).increaseBytes, 12'500, 1e-9);
    control->SetAttribute("BaseRtt", TimeValue(MicroSeconds(30)));
    EXPECT_EQ(control->GetParameters(profile).baseRtt, 30 * US);
}

TEST(RdmaPowerTcp, WrongAttributesAreNamed)
{
    RdmaSetTimeResolution();
    auto control = CreateObject<RdmaPowerTcp>();
    auto profile = MakeProfile();
    profile.baseRtt = 0_ps;
    ExpectRefusal([&] { control->MakeController(profile); },
                  "base round-trip time.*BaseRtt 1 ps and more");
    EXPECT_FALSE(control->SetAttributeFailSafe("Gamma", DoubleValue(-0.01)));
    EXPECT_FALSE(control->SetAttributeFailSafe("Gamma", DoubleValue(1.01)));
    EXPECT_FALSE(control->SetAttributeFailSafe("TargetPower", DoubleValue(2.01)));
    EXPECT_FALSE(control->SetAttributeFailSafe("MinCurrent", DoubleValue(1.01)));
    EXPECT_FALSE(control->SetAttributeFailSafe("Rules", StringValue("Text")));
    EXPECT_FALSE(control->SetAttributeFailSafe("BaseRtt", TimeValue(MicroSeconds(-1))));
    control->SetAttribute("ExpectedFlows", UintegerValue(10));
    control->SetAttribute("AdditiveRate", StringValue("1Gbps"));
    ExpectRefusal([&] { control->MakeController(MakeProfile()); },
                  "AdditiveRate 1000000000bps, ExpectedFlows 10.*at most one of them above 0");
}

TEST(RdmaPowerTcp, StateIsSmall)
{
    EXPECT_LE(sizeof(RdmaPowerTcpController), 168U);
    EXPECT_LE(sizeof(RdmaThetaPowerTcpController), 136U);
}
