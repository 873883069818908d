/* SPDX-License-Identifier: GPL-2.0-only */

// PowerTCP's and theta-PowerTCP's rules in the simulator of their authors, against a reference with
// rates in bit/s and times in seconds, written from RdmaHw::UpdateRatePower() of
// github.com/inet-tub/ns3-datacenter (ns-3.39, src/point-to-point/model/rdma-hw.cc) and from its
// examples/PowerTCP/config-workload.txt (U_TARGET 0.95, MIN_RATE 100 Mb/s, FAST_REACT 1).

#include "rdma-int-feed.h"
#include "rdma-power-tcp.h"
#include "rdma-test-units.h"
#include "rdma-time.h"

#include <ns3/string.h>

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using namespace ns3;
using namespace ns3::RdmaTestPath;

namespace
{

constexpr double TAU_S = 10e-6; // RTT in seconds
constexpr double AI_BPS = 150e6;

/** The authors' rules. */
struct Reference
{
    explicit Reference(double lineBps)
        : line(lineBps),
          reference(lineBps),
          rate(lineBps)
    {
    }

    /** A measured power, normalised, that took some seconds; telemetry's gamma and target. */
    void Power(double power, double seconds, double gamma, double target, const RdmaIntFeed& feed)
    {
        const double dt = std::min(seconds, TAU_S);
        smoothed = (smoothed * (TAU_S - dt) + power * dt) / TAU_S;
        rate = gamma * (reference / (smoothed / target) + AI_BPS) + (1 - gamma) * reference;
        rate = std::min(std::max(rate, 100e6), line);
        if (feed.ackedTo > lastUpdate) // feedback of a whole round trip
        {
            reference = rate;
            lastUpdate = feed.sentTo;
        }
    }

    double line;
    double reference;       // m_curRate
    double rate;            // m_rate
    double smoothed{1};     // hp.u
    uint64_t lastUpdate{0}; // hp.m_lastUpdateSeq
};

std::unique_ptr<RdmaRateController>
MakeDefault(const char* variant, RdmaBitRate lineRate)
{
    auto control = CreateObject<RdmaPowerTcp>();
    control->SetAttribute("Variant", StringValue(variant));
    control->SetAttribute("IntFormat", StringValue("Exact"));
    return control->MakeController(MakeProfile(lineRate));
}

/** Packets are acknowledged and sent: sometimes a round trip ends. */
void
Progress(RdmaIntFeed& feed, std::mt19937_64& random)
{
    feed.ackedTo += random() % 8;
    feed.sentTo = std::max(feed.sentTo, feed.ackedTo + random() % 40);
}

} // namespace

TEST(RdmaPowerTcpAuthors, RandomTelemetryOfThreePorts)
{
    RdmaSetTimeResolution();
    std::mt19937_64 random(7);
    for (int run = 0; run < 20; ++run)
    {
        const auto controller = MakeDefault("Int", 25 * GBPS);
        const uint64_t gbps[] = {100, 40, 25};
        RdmaIntFeed feed({100 * GBPS, 40 * GBPS, 25 * GBPS});
        Reference reference(25e9);
        std::vector<RdmaIntFeed::Port> before(3);
        feed.Ack(*controller, RTT, before); // nothing to compare with
        reference.lastUpdate = feed.sentTo;
        double lowest = reference.line;
        for (int ack = 0; ack < 300; ++ack)
        {
            Progress(feed, random);
            const auto ns = static_cast<int64_t>(1 + random() % (run % 2 == 0 ? 2000 : 30'000));
            std::vector<RdmaIntFeed::Port> ports(3);
            double highest = 0;
            for (size_t i = 0; i < 3; ++i)
            {
                const uint64_t most = ns * gbps[i] / 8; // what the port can send
                ports[i].txBytes = random() % (most + 1);
                ports[i].queueBytes =
                    random() % 4 == 0 ? 0 : random() % (run < 10 ? 20'000 : 400'000);
                const double b = 1e9 * static_cast<double>(gbps[i]);
                // Bytes received by the queue between the departures of the two packets.
                const double received = static_cast<double>(ports[i].txBytes) +
                                        static_cast<double>(ports[i].queueBytes) -
                                        static_cast<double>(before[i].queueBytes);
                const double arrival =
                    std::max(8 * received / (1e-9 * static_cast<double>(ns)), b / 2);
                const double queue = 8 * static_cast<double>(ports[i].queueBytes);
                highest = std::max(highest, arrival * (queue + b * TAU_S) / (b * b * TAU_S));
            }
            feed.Ack(*controller, RdmaPs(1000 * ns), ports);
            reference.Power(highest, 1e-9 * static_cast<double>(ns), 0.9, 0.95, feed);
            before = ports;
            ASSERT_NEAR(static_cast<double>(controller->GetRate(feed.now)), reference.rate, 2)
                << run << " " << ack;
            lowest = std::min(lowest, reference.rate);
        }
        EXPECT_LT(lowest, 5e9) << "the run has rates of all kinds";
    }
}

TEST(RdmaPowerTcpAuthors, RandomRoundTrips)
{
    RdmaSetTimeResolution();
    std::mt19937_64 random(11);
    for (int run = 0; run < 20; ++run)
    {
        const auto controller = MakeDefault("Theta", 25 * GBPS);
        RdmaIntFeed feed({25 * GBPS});
        Reference reference(25e9);
        double lastRtt = 0;
        double lowest = reference.line;
        for (int ack = 0; ack < 300; ++ack)
        {
            Progress(feed, random);
            const auto ns = static_cast<int64_t>(1 + random() % 4000);
            const double rtt =
                10e-6 + 1e-9 * static_cast<double>(random() % (run < 10 ? 2000 : 60'000));
            feed.now += RdmaPs(1000 * ns);
            RdmaAckSample sample;
            sample.now = feed.now;
            sample.ackedTo = feed.ackedTo;
            sample.sentTo = feed.sentTo;
            sample.rtt = RdmaPs(static_cast<int64_t>(rtt * 1e12 + 0.5));
            controller->OnAck(sample);
            // The first round trip has no predecessor: a gradient of 0, for all of tau.
            const double time = ack == 0 ? TAU_S : 1e-9 * static_cast<double>(ns);
            const double gradient = ack == 0 ? 0 : (rtt - lastRtt) / time;
            const double power = std::max(gradient + 1, 0.5) * rtt / (1.05 * TAU_S);
            reference.Power(power, time, 0.7, 1, feed);
            lastRtt = rtt;
            ASSERT_NEAR(static_cast<double>(controller->GetRate(feed.now)), reference.rate, 2)
                << run << " " << ack;
            lowest = std::min(lowest, reference.rate);
        }
        EXPECT_LT(lowest, run < 10 ? 24e9 : 8e9) << "the run has rates of all kinds";
    }
}

TEST(RdmaPowerTcpAuthors, ReferenceOncePerRoundTrip)
{
    // Power 1.9 = 2 x 0.95: W = 0.9 x (W_ref / 2 + 187.5) + 0.1 x W_ref, that is 68918.75 from
    // 125000, however many acknowledgements say so.
    auto control = CreateObject<RdmaPowerTcp>();
    control->SetAttribute("IntFormat", StringValue("Exact"));
    RdmaPowerTcpController c(control->GetParameters(MakeProfile()), MakeProfile());
    RdmaIntFeed feed({LINE});
    const RdmaIntFeed::Port port{BT, BT * 9 / 10};
    feed.Ack(c, RTT, {port}); // packets below 100 are in flight
    for (uint64_t acked = 10; acked <= 100; acked += 30)
    {
        feed.ackedTo = acked;
        feed.sentTo = 100 + acked;
        feed.Ack(c, RTT, {port});
        EXPECT_NEAR(c.GetExactWindow(), 68'918.75, 1e-6);
        EXPECT_EQ(c.GetOldWindow(), BT);
    }
    feed.ackedTo = 101;
    feed.sentTo = 250;
    feed.Ack(c, RTT, {port});
    EXPECT_NEAR(c.GetOldWindow(), 68'918.75, 1e-6);
    feed.ackedTo = 250;
    feed.Ack(c, RTT, {port});
    const double next = 0.9 * (68'918.75 / 2 + 187.5) + 0.1 * 68'918.75;
    EXPECT_NEAR(c.GetExactWindow(), next, 1e-6);
    EXPECT_NEAR(c.GetOldWindow(), 68'918.75, 1e-6);
    feed.ackedTo = 251;
    feed.Ack(c, RTT, {port});
    EXPECT_NEAR(c.GetOldWindow(), next, 1e-6);
}

TEST(RdmaPowerTcpAuthors, ALinkIsUsedToTheTargetAndTheAdditiveIncreases)
{
    // n flows through a port that they fill to U without a queue: W_ref (1 - 0.95 / U) = beta, so U
    // = 0.95 + n x 150 Mb/s / 100 Gb/s: 0.95375 and 0.974 for 2.5 and 16 flows of equal rates.
    for (const double flows : {2.5, 16.0})
    {
        const auto c = MakeDefault("Int", LINE);
        RdmaIntFeed feed({LINE});
        for (int round = 0; round < 1000; ++round)
        {
            const double rate = flows * static_cast<double>(c->GetRate(feed.now));
            feed.Ack(*c, RTT, {{static_cast<uint64_t>(std::min(rate, 100e9) * TAU_S / 8), 0}});
            feed.NextRound();
        }
        EXPECT_NEAR(flows * static_cast<double>(c->GetRate(feed.now)) / 100e9,
                    0.95 + flows * 150e6 / 100e9,
                    1e-4)
            << flows;
    }
}
