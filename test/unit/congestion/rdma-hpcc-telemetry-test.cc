/* SPDX-License-Identifier: GPL-2.0-only */

// HPCC's estimate of the utilisation of a path, worked out by hand from Li et al., SIGCOMM 2019,
// algorithm 1.

#include "rdma-hpcc-setup.h"
#include "rdma-test-units.h"

#include <gtest/gtest.h>
#include <vector>

using namespace ns3;
using namespace ns3::RdmaHpccSetup;

TEST(RdmaHpccTelemetry, QueueIsTheShorterOfTwoLooks)
{
    // 125000 before, 25000 now: u = 0.2 + 1; and the other way round.
    for (const bool falling : {false, true})
    {
        auto c = Make();
        RdmaIntFeed feed({LINE});
        feed.Ack(c, T, {{BT, falling ? BT : 25'000}});
        feed.NextRound();
        feed.Ack(c, T, {{BT, falling ? 25'000 : BT}});
        EXPECT_DOUBLE_EQ(c.GetUtilisation(), 1.2);
    }
}

TEST(RdmaHpccTelemetry, UtilisationIsAveragedOverOneRoundTrip)
{
    // tau = T / 4: U = 3/4 x 1 + 1/4 x 2 = 1.25; W = 125000 x 0.95 / 1.25 + 100 = 95100.
    auto c = Make();
    RdmaIntFeed feed({LINE});
    feed.Ack(c, T, {Load(2)});
    feed.NextRound();
    feed.Ack(c, T / 4, {{BT / 4, BT}});
    EXPECT_DOUBLE_EQ(c.GetUtilisation(), 1.25);
    EXPECT_NEAR(c.GetExactWindow(), 95'100, 1e-6);
    // tau = 3 T counts as T: U = u = 0.5, with any previous U.
    feed.Ack(c, 3 * T, {{3 * BT / 2, 0}});
    EXPECT_DOUBLE_EQ(c.GetUtilisation(), 0.5);
}

TEST(RdmaHpccTelemetry, CountersAndClocksWrap)
{
    // Bytes and picoseconds wrap at, before and after each step of three.
    for (const RdmaPs before : {1_ps, T / 2, T, T + 1_ps, 2 * T})
    {
        RdmaIntHop hop;
        hop.time = RdmaIntFeed::TIME_WRAP - before;
        hop.txBytes = RdmaIntFeed::TX_WRAP - before / 80_ps; // 80 ps a byte
        auto c = Make();
        RdmaIntFeed feed({LINE}, hop);
        feed.Ack(c, 0_ps, {Load(2)});
        for (int i = 0; i < 3; ++i)
        {
            feed.NextRound();
            feed.Ack(c, T, {Load(2)});
            EXPECT_DOUBLE_EQ(c.GetUtilisation(), 2) << before;
        }
        EXPECT_LT(c.GetExactWindow(), BT / 8);
    }
}

TEST(RdmaHpccTelemetry, TheBusiestOfManyHopsCounts)
{
    // u is 0.5, 1.5 and 1; of 16 hops, each may be the busiest.
    for (size_t busiest = 0; busiest < 16; ++busiest)
    {
        auto c = Make();
        RdmaIntFeed feed(std::vector<RdmaBitRate>(16, LINE));
        std::vector<RdmaIntFeed::Port> ports(16, Load(0.5));
        ports[busiest] = Load(1.5);
        ports[(busiest + 5) % 16] = Load(1);
        feed.Ack(c, T, ports);
        feed.NextRound();
        feed.Ack(c, T, ports);
        EXPECT_DOUBLE_EQ(c.GetUtilisation(), 1.5);
    }
}

TEST(RdmaHpccTelemetry, TauIsThatOfTheBusiestHop)
{
    // Hop 0: T, u = 0.5. Hop 1, a 25 Gb/s port whose packets left T / 2 apart: 15625 bytes are its
    // rate, 31250 of queue are its B x T, u = 2. U = 1/2 x 1 + 1/2 x 2 = 1.5.
    auto c = Make();
    RdmaIntFeed feed({LINE, 25 * GBPS});
    feed.Ack(c, T, {Load(0.5), {0, 31'250}});
    feed.NextRound();
    feed.now += T;
    feed.Move(0, T, BT / 2);
    feed.Move(1, T / 2, 15'625);
    feed.Send(c, feed.hops);
    EXPECT_DOUBLE_EQ(c.GetUtilisation(), 1.5);
}

TEST(RdmaHpccTelemetry, AnyLinkRate)
{
    // The line's B x T = r / 1 Gb/s x 1250 bytes, u = 2: half of that x 0.95, and W_AI.
    for (const uint64_t rate : {1, 10, 25, 40, 56, 100, 200, 400, 800, 1600})
    {
        auto c = Make(5, rate * GBPS);
        const double bt = 1250.0 * static_cast<double>(rate);
        RdmaIntFeed feed({rate * GBPS, 10'000 * GBPS});
        const RdmaIntFeed::Port port{rate * 1250, rate * 1250};
        EXPECT_EQ(c.GetRate(0_ps), rate * GBPS);
        EXPECT_NEAR(c.GetExactWindow(), bt, 1e-9);
        feed.Ack(c, T, {port});
        feed.NextRound();
        feed.Ack(c, T, {port});
        EXPECT_DOUBLE_EQ(c.GetUtilisation(), 2);
        EXPECT_NEAR(c.GetExactWindow(), bt * 0.475 + 100, 1e-6);
        EXPECT_NEAR(static_cast<double>(c.GetRate(0_ps)), (bt * 0.475 + 100) * 8e5, 1);
    }
}

TEST(RdmaHpccTelemetry, OldAcknowledgementsChangeNothing)
{
    auto c = Make();
    RdmaIntFeed feed({LINE, LINE});
    feed.Ack(c, T, {Load(2)});
    const auto old = feed.hops;
    feed.NextRound();
    feed.Ack(c, T, {Load(2)});
    ASSERT_NEAR(c.GetReferenceWindow(), 59'475, 1e-6);
    const auto last = feed.hops;
    for (const auto& telemetry : {old, last, std::vector<RdmaIntHop>()})
    {
        feed.NextRound();
        feed.Send(c, telemetry);
        EXPECT_NEAR(c.GetReferenceWindow(), 59'475, 1e-6);
        EXPECT_NEAR(c.GetExactWindow(), 59'475, 1e-6);
    }
    RdmaAckSample none;
    none.now = feed.now;
    none.ackedTo = 1000;
    none.sentTo = 2000;
    none.hopCount = 2; // but no hops
    c.OnAck(none);
    EXPECT_NEAR(c.GetReferenceWindow(), 59'475, 1e-6);
    // The next one is compared with the newest: u = 0.5.
    feed.NextRound();
    feed.Ack(c, T, {Load(0.5)});
    EXPECT_DOUBLE_EQ(c.GetUtilisation(), 0.5);
}

TEST(RdmaHpccTelemetry, LossReportsBringTelemetryToo)
{
    auto c = Make();
    RdmaIntFeed feed({LINE});
    feed.Ack(c, T, {Load(2)});
    feed.Move(0, T, BT);
    RdmaAckSample sample;
    sample.now = 2 * T;
    sample.ackedTo = 101;
    sample.sentTo = 200;
    sample.hops = feed.hops.data();
    sample.hopCount = 1;
    c.OnNak(sample);
    EXPECT_NEAR(c.GetReferenceWindow(), 59'475, 1e-6);
}

TEST(RdmaHpccTelemetry, AnotherPathIsNotReactedTo)
{
    auto c = Make();
    RdmaIntFeed feed({LINE});
    feed.Ack(c, T, {Load(2)});
    feed.NextRound();
    feed.hops = std::vector<RdmaIntHop>(2, feed.hops[0]);
    feed.Ack(c, T, {Load(2), Load(2)});
    EXPECT_EQ(c.GetUtilisation(), 1);
    EXPECT_EQ(c.GetReferenceWindow(), BT);
    // From here on it is compared with the new path.
    feed.Ack(c, T, {Load(2), Load(2)});
    EXPECT_DOUBLE_EQ(c.GetUtilisation(), 2);
    EXPECT_NEAR(c.GetReferenceWindow(), 59'475, 1e-6);
}
