/* SPDX-License-Identifier: GPL-2.0-only */

// HPCC's rules worked out by hand from Li et al., SIGCOMM 2019, algorithm 1.

#include "qbb-time.h"
#include "rdma-hpcc.h"
#include "rdma-int-feed.h"
#include "rdma-pacer.h"
#include "rdma-test-units.h"

#include <ns3/double.h>
#include <ns3/nstime.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <cmath>
#include <gtest/gtest.h>

using namespace ns3;

namespace
{

constexpr QbbBitRate LINE = 100 * GBPS;
constexpr QbbPs T = 10 * US;
constexpr uint64_t BT = 125'000; // 100 Gb/s x 10 us, in bytes
constexpr double WAI = 100;

RdmaPathProfile
MakeProfile(QbbBitRate lineRate = LINE)
{
    RdmaPathProfile profile;
    profile.lineRate = lineRate;
    profile.packetBytes = 1000;
    profile.payloadBytes = 900;
    profile.baseRtt = T;
    profile.hops = 2;
    return profile;
}

RdmaHpccController
Make(uint32_t maxStage = 5, QbbBitRate lineRate = LINE)
{
    RdmaHpccParameters parameters;
    parameters.maxStage = maxStage;
    parameters.increaseBytes = WAI;
    parameters.baseRtt = T;
    return {parameters, MakeProfile(lineRate)};
}

// What a port at 100 Gb/s does in T so that u is as given: it sends at full rate, or less, and what
// is above 1 is in the queue.
RdmaIntFeed::Port
Load(double u)
{
    return {static_cast<uint64_t>(std::lround(BT * std::min(u, 1.0))),
            static_cast<uint64_t>(std::lround(BT * std::max(u - 1, 0.0)))};
}

// Brings a controller to 9600 bytes: u = 12.5, so that 125000 x 0.95 / 12.5 + 100 = 9600. The
// queue has to be there at both looks.
void
Shrink(RdmaHpccController& c, RdmaIntFeed& feed)
{
    feed.Ack(c, T, {Load(12.5)});
    feed.NextRound();
    feed.Ack(c, T, {Load(12.5)});
    feed.NextRound();
    ASSERT_NEAR(c.GetReferenceWindow(), 9600, 1e-6);
}

} // namespace

TEST(RdmaHpcc, StartsWithBandwidthTimesDelayAtLineRate)
{
    auto c = Make();
    EXPECT_EQ(c.GetRate(0_ps), LINE);
    EXPECT_EQ(c.GetWindowBytes(), BT);
    EXPECT_EQ(c.GetUtilisation(), 1);
    // The first telemetry has nothing to compare with.
    RdmaIntFeed feed({LINE});
    feed.Ack(c, T, {Load(5)});
    EXPECT_EQ(c.GetWindowBytes(), BT);
    EXPECT_EQ(c.GetUtilisation(), 1);
}

TEST(RdmaHpcc, WindowFallsInOneStepToWhatFits)
{
    // u = 125000 / BT + txRate / B = 1 + 1; W = 125000 / (2 / 0.95) + 100 = 59475.
    auto c = Make();
    RdmaIntFeed feed({LINE});
    feed.Ack(c, T, {Load(2)});
    feed.NextRound();
    feed.Ack(c, T, {Load(2)});
    EXPECT_DOUBLE_EQ(c.GetUtilisation(), 2);
    EXPECT_NEAR(c.GetExactWindow(), 59475, 1e-6);
    EXPECT_NEAR(c.GetReferenceWindow(), 59475, 1e-6);
    EXPECT_EQ(c.GetWindowBytes(), 60'000); // 60 whole packets
    // R = W / T = 59475 x 8 / 10 us
    EXPECT_NEAR(static_cast<double>(c.GetRate(feed.now)), 47'580'000'000, 1);
    EXPECT_NEAR(c.GetState().targetRateBps, 47'580'000'000, 1);
}

TEST(RdmaHpcc, WindowHoldsPacketsInFlightAsTheReferenceDoes)
{
    // The authors' simulator sends as long as less than W is in flight: with W = 9600 bytes the
    // tenth packet of 1000 bytes goes out, the eleventh does not.
    auto made = std::make_unique<RdmaHpccController>(Make());
    RdmaIntFeed feed({LINE});
    Shrink(*made, feed);
    ASSERT_NEAR(made->GetExactWindow(), 9600, 1e-6);
    RdmaPacer pacer(std::move(made), 1000, 1_bps, false);
    EXPECT_TRUE(pacer.HasRoom(9));
    EXPECT_FALSE(pacer.HasRoom(10));
}

TEST(RdmaHpcc, QueueIsTheShorterOfTwoLooks)
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

TEST(RdmaHpcc, UtilisationIsAveragedOverOneRoundTrip)
{
    // tau = T / 4: U = 3/4 x 1 + 1/4 x 2 = 1.25; W = 125000 x 0.95 / 1.25 + 100 = 95100.
    auto c = Make();
    RdmaIntFeed feed({LINE});
    feed.Ack(c, T, {Load(2)});
    feed.NextRound();
    feed.Ack(c, T / 4, {{BT / 4, BT}});
    EXPECT_DOUBLE_EQ(c.GetUtilisation(), 1.25);
    EXPECT_NEAR(c.GetExactWindow(), 95'100, 1e-6);
    // tau = 3 T counts as T: U = u = 0.5, whatever it was.
    feed.Ack(c, 3 * T, {{3 * BT / 2, 0}});
    EXPECT_DOUBLE_EQ(c.GetUtilisation(), 0.5);
}

TEST(RdmaHpcc, EachAcknowledgementReactsToOneReferencePerRoundTrip)
{
    auto c = Make();
    RdmaIntFeed feed({LINE});
    feed.Ack(c, T, {Load(2)}); // the round trip ends when packet 100 is acknowledged
    for (uint64_t acked = 10; acked <= 100; acked += 10)
    {
        feed.ackedTo = acked;
        feed.sentTo = 100 + acked;
        feed.Ack(c, T, {Load(2)});
        // Always from Wc = 125000, not from the last W.
        EXPECT_NEAR(c.GetExactWindow(), 59'475, 1e-6);
        EXPECT_EQ(c.GetReferenceWindow(), BT);
    }
    // U = 4 now: 125000 x 0.95 / 4 + 100, and that is the next Wc.
    feed.ackedTo = 101;
    feed.sentTo = 300;
    feed.Ack(c, T, {Load(4)}); // the queue was shorter at the look before
    feed.ackedTo = 102;
    EXPECT_NEAR(c.GetReferenceWindow(), 59'475, 1e-6);
    feed.Ack(c, T, {Load(4)});
    EXPECT_DOUBLE_EQ(c.GetUtilisation(), 4);
    EXPECT_NEAR(c.GetExactWindow(), 59'475 * 0.95 / 4 + 100, 1e-6);
    EXPECT_NEAR(c.GetReferenceWindow(), 59'475, 1e-6);
    // The next round trip ends with packet 300, that is when 301 are acknowledged.
    feed.ackedTo = 300;
    feed.Ack(c, T, {Load(4)});
    EXPECT_NEAR(c.GetReferenceWindow(), 59'475, 1e-6);
    feed.ackedTo = 301;
    feed.Ack(c, T, {Load(4)});
    EXPECT_NEAR(c.GetReferenceWindow(), 59'475 * 0.95 / 4 + 100, 1e-6);
}

TEST(RdmaHpcc, AtEtaOnlyTheAdditiveIncreaseIsLeft)
{
    // U = eta: Wc / 1 + W_AI, by either rule.
    auto c = Make();
    RdmaIntFeed feed({LINE});
    Shrink(c, feed);
    feed.Ack(c, T, {Load(0.95)});
    for (int round = 1; round <= 20; ++round)
    {
        EXPECT_NEAR(c.GetReferenceWindow(), 9600 + 100 * round, 1e-6);
        feed.NextRound();
        feed.Ack(c, T, {Load(0.95)});
    }
}

TEST(RdmaHpcc, AtEtaThereAreNoStages)
{
    RdmaHpccParameters parameters;
    parameters.eta = 0.5;
    parameters.increaseBytes = WAI;
    parameters.baseRtt = T;
    RdmaHpccController c(parameters, MakeProfile());
    RdmaIntFeed feed({LINE});
    feed.Ack(c, T, {{BT / 2, 0}});
    for (int round = 0; round < 3; ++round)
    {
        feed.NextRound();
        feed.Ack(c, T, {{BT / 2, 0}});
        ASSERT_EQ(c.GetUtilisation(), 0.5);
        EXPECT_EQ(c.GetStage(), 0U);
    }
}

TEST(RdmaHpcc, FiveStepsUpThenAJump)
{
    auto c = Make();
    RdmaIntFeed feed({LINE});
    Shrink(c, feed);
    feed.Ack(c, T, {Load(0.5)});
    for (uint32_t stage = 1; stage <= 5; ++stage)
    {
        EXPECT_EQ(c.GetStage(), stage);
        EXPECT_NEAR(c.GetReferenceWindow(), 9600 + 100 * stage, 1e-6);
        // Acknowledgements in between neither climb nor count.
        feed.Ack(c, T, {Load(0.5)});
        feed.Ack(c, T, {Load(0.5)});
        EXPECT_EQ(c.GetStage(), stage);
        EXPECT_NEAR(c.GetReferenceWindow(), 9600 + 100 * stage, 1e-6);
        EXPECT_NEAR(c.GetExactWindow(),
                    stage < 5 ? 9600 + 100 * (stage + 1) : 10'100 * 0.95 / 0.5 + 100,
                    1e-6);
        feed.NextRound();
        feed.Ack(c, T, {Load(0.5)});
    }
    // 10100 x 0.95 / 0.5 + 100 = 19290
    EXPECT_NEAR(c.GetReferenceWindow(), 19'290, 1e-6);
    EXPECT_EQ(c.GetStage(), 0);
    feed.NextRound();
    feed.Ack(c, T, {Load(0.5)});
    EXPECT_NEAR(c.GetReferenceWindow(), 19'390, 1e-6);
    EXPECT_EQ(c.GetStage(), 1);
    // Congestion takes the stage back.
    feed.NextRound();
    feed.Ack(c, T, {Load(1)});
    EXPECT_EQ(c.GetStage(), 0);
    EXPECT_NEAR(c.GetReferenceWindow(), 19'390 * 0.95 + 100, 1e-6);
}

TEST(RdmaHpcc, WithoutStagesItJumpsAtOnce)
{
    auto c = Make(0);
    RdmaIntFeed feed({LINE});
    Shrink(c, feed);
    feed.Ack(c, T, {Load(0.5)});
    EXPECT_NEAR(c.GetReferenceWindow(), 9600 * 0.95 / 0.5 + 100, 1e-6);
}

TEST(RdmaHpcc, CountersAndClocksWrap)
{
    // Bytes and picoseconds wrap at, before and after each step of three.
    for (const QbbPs before : {1_ps, T / 2, T, T + 1_ps, 2 * T})
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

TEST(RdmaHpcc, TheBusiestOfManyHopsCounts)
{
    // u is 0.5, 1.5 and 1; of 16 hops, each may be the busiest.
    for (size_t busiest = 0; busiest < 16; ++busiest)
    {
        auto c = Make();
        RdmaIntFeed feed(std::vector<QbbBitRate>(16, LINE));
        std::vector<RdmaIntFeed::Port> ports(16, Load(0.5));
        ports[busiest] = Load(1.5);
        ports[(busiest + 5) % 16] = Load(1);
        feed.Ack(c, T, ports);
        feed.NextRound();
        feed.Ack(c, T, ports);
        EXPECT_DOUBLE_EQ(c.GetUtilisation(), 1.5);
    }
}

TEST(RdmaHpcc, TauIsThatOfTheBusiestHop)
{
    // Hop 0: T, u = 0.5. Hop 1, a 25 Gb/s port whose packets left T / 2 apart: 15625 bytes are its
    // rate, 31250 of queue are its B x T, u = 2. U = 1/2 x 1 + 1/2 x 2 = 1.5.
    auto c = Make();
    RdmaIntFeed feed({LINE, 25 * GBPS});
    feed.Ack(c, T, {Load(0.5), {0, 31'250}});
    feed.NextRound();
    feed.now += T;
    feed.hops[0].time += T;
    feed.hops[0].txBytes += BT / 2;
    feed.hops[1].time += T / 2;
    feed.hops[1].txBytes += 15'625;
    feed.Send(c, feed.hops);
    EXPECT_DOUBLE_EQ(c.GetUtilisation(), 1.5);
}

TEST(RdmaHpcc, AnyLinkRate)
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

TEST(RdmaHpcc, OldAcknowledgementsChangeNothing)
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

TEST(RdmaHpcc, LossReportsBringTelemetryToo)
{
    auto c = Make();
    RdmaIntFeed feed({LINE});
    feed.Ack(c, T, {Load(2)});
    feed.hops[0].time += T;
    feed.hops[0].txBytes += BT;
    RdmaAckSample sample;
    sample.now = 2 * T;
    sample.ackedTo = 101;
    sample.sentTo = 200;
    sample.hops = feed.hops.data();
    sample.hopCount = 1;
    c.OnNak(sample);
    EXPECT_NEAR(c.GetReferenceWindow(), 59'475, 1e-6);
}

TEST(RdmaHpcc, AnotherPathIsNotReactedTo)
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

TEST(RdmaHpcc, WindowStaysBetweenAPacketAndBandwidthTimesDelay)
{
    auto c = Make(0);
    RdmaIntFeed feed({LINE});
    // 4 GB of queue, u = 32001: W = W_AI and a little; one packet may be in flight, at the pace of
    // W / T = 80 Mb/s and a little.
    const uint64_t queue = 4'000'000'000;
    feed.Ack(c, T, {{BT, queue}});
    for (int i = 0; i < 10; ++i)
    {
        feed.NextRound();
        feed.Ack(c, T, {{BT, queue}});
    }
    EXPECT_NEAR(c.GetExactWindow(), 100, 0.01);
    EXPECT_EQ(c.GetWindowBytes(), 1000);
    EXPECT_NEAR(static_cast<double>(c.GetRate(0_ps)), 80e6, 1e4);
    // An idle link, with nothing sent at all: U falls to 0 and the window rises to B x T, no more.
    for (int i = 0; i < 10; ++i)
    {
        feed.NextRound();
        feed.Ack(c, T, {{}});
    }
    EXPECT_EQ(c.GetExactWindow(), BT);
    EXPECT_EQ(c.GetReferenceWindow(), BT);
    EXPECT_EQ(c.GetRate(0_ps), LINE);
}

TEST(RdmaHpcc, FlowsShareALinkFairlyAtEta)
{
    // Four flows on a fluid link of 100 Gb/s, the last one starts late. In steady state, U = eta +
    // 4 x W_AI / (B x T), the queue is empty and shares are equal.
    constexpr int FLOWS = 4;
    RdmaHpccController flows[FLOWS] = {Make(), Make(), Make(), Make()};
    std::vector<RdmaIntFeed> feeds(FLOWS, RdmaIntFeed({LINE}));
    double queue = 0;
    double sent = 0;
    for (int round = 0; round < 4000; ++round)
    {
        const int active = round < 1000 ? FLOWS - 1 : FLOWS;
        sent = 0;
        for (int i = 0; i < active; ++i)
        {
            sent += flows[i].GetExactWindow();
        }
        const double tx = std::min<double>(queue + sent, BT);
        queue += sent - tx;
        for (int i = 0; i < active; ++i)
        {
            feeds[i].NextRound();
            feeds[i].Ack(flows[i], T, {{static_cast<uint64_t>(tx), static_cast<uint64_t>(queue)}});
        }
    }
    EXPECT_EQ(queue, 0);
    EXPECT_NEAR(sent / BT, 0.95 + FLOWS * WAI / BT, 0.002);
    for (const auto& flow : flows)
    {
        EXPECT_NEAR(flow.GetExactWindow() / sent, 1.0 / FLOWS, 0.02);
    }
}

TEST(RdmaHpcc, Attributes)
{
    QbbSetTimeResolution();
    auto control = CreateObject<RdmaHpcc>();
    EXPECT_EQ(control->GetIntFormat(), RdmaIntFormat::PAPER);
    control->SetAttribute("IntFormat", StringValue("Exact"));
    EXPECT_EQ(control->GetIntFormat(), RdmaIntFormat::EXACT);
    EXPECT_FALSE(control->NeedsRtt());
    // W_AI = 125000 x 0.05 / 100
    EXPECT_NEAR(control->GetParameters(MakeProfile()).increaseBytes, 62.5, 1e-9);
    EXPECT_EQ(control->GetParameters(MakeProfile()).baseRtt, T);
    control->SetAttribute("ExpectedFlows", UintegerValue(10));
    control->SetAttribute("Eta", DoubleValue(0.9));
    control->SetAttribute("MaxStage", UintegerValue(3));
    control->SetAttribute("BaseRtt", TimeValue(MicroSeconds(20)));
    // 250000 x 0.1 / 10
    const auto p = control->GetParameters(MakeProfile());
    EXPECT_NEAR(p.increaseBytes, 2500, 1e-9);
    EXPECT_EQ(p.eta, 0.9);
    EXPECT_EQ(p.maxStage, 3);
    EXPECT_EQ(p.baseRtt, 20 * US);
    control->SetAttribute("AdditiveIncrease", UintegerValue(80));
    EXPECT_EQ(control->GetParameters(MakeProfile()).increaseBytes, 80);
    const auto c = control->MakeController(MakeProfile());
    EXPECT_EQ(c->GetWindowBytes(), 2 * BT);
    EXPECT_EQ(c->GetRate(0_ps), LINE);
}

TEST(RdmaHpcc, TIsTheLongestOfTheNetwork)
{
    QbbSetTimeResolution();
    auto control = CreateObject<RdmaHpcc>();
    auto profile = MakeProfile();
    profile.networkRtt = 3 * T;
    EXPECT_EQ(control->GetParameters(profile).baseRtt, 3 * T);
    // W_AI = 375000 x 0.05 / 100
    EXPECT_NEAR(control->GetParameters(profile).increaseBytes, 187.5, 1e-9);
    EXPECT_EQ(control->MakeController(profile)->GetWindowBytes(), 3 * BT);
    control->SetAttribute("BaseRtt", TimeValue(MicroSeconds(20)));
    EXPECT_EQ(control->GetParameters(profile).baseRtt, 20 * US);
}

TEST(RdmaHpcc, WrongAttributesAreNamed)
{
    QbbSetTimeResolution();
    auto control = CreateObject<RdmaHpcc>();
    auto profile = MakeProfile();
    profile.baseRtt = 0_ps;
    EXPECT_DEATH(control->MakeController(profile), "base round-trip time.*BaseRtt 1 ps and more");
    EXPECT_FALSE(control->SetAttributeFailSafe("Eta", DoubleValue(0)));
    EXPECT_FALSE(control->SetAttributeFailSafe("Eta", DoubleValue(1.01)));
    EXPECT_FALSE(control->SetAttributeFailSafe("ExpectedFlows", UintegerValue(0)));
    EXPECT_FALSE(control->SetAttributeFailSafe("BaseRtt", TimeValue(MicroSeconds(-1))));
    control->SetAttribute("Eta", DoubleValue(1));
    EXPECT_DEATH(control->MakeController(MakeProfile()), "Eta 1 .*AdditiveIncrease");
}

TEST(RdmaHpcc, StateIsSmall)
{
    EXPECT_LE(sizeof(RdmaHpccController), 160U);
    EXPECT_EQ(Make().GetPath().GetMemory(), 24U); // two links, one switch
}
