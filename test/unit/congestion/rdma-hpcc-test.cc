/* SPDX-License-Identifier: GPL-2.0-only */

// HPCC's rules worked out by hand from Li et al., SIGCOMM 2019, algorithm 1.

#include "rdma-expect-error.h"
#include "rdma-hpcc-setup.h"
#include "rdma-pacer.h"
#include "rdma-test-units.h"
#include "rdma-time.h"

#include <ns3/double.h>
#include <ns3/nstime.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::RdmaHpccSetup;

namespace
{

// Brings a controller to 9600 bytes: u = 12.5, so that 125000 x 0.95 / 12.5 + 100 = 9600. Two
// reports show the queue, since HPCC takes the smaller queue of the last two.
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
    // U = 4: 125000 x 0.95 / 4 + 100, and that is the next Wc.
    feed.ackedTo = 101;
    feed.sentTo = 300;
    feed.Ack(c, T, {Load(4)}); // the queue was shorter in the report before
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
    // Congestion resets the stage.
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
    RdmaSetTimeResolution();
    auto control = CreateObject<RdmaHpcc>();
    EXPECT_EQ(control->GetIntFormat(), RdmaIntFormat::AUTO);
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
    RdmaSetTimeResolution();
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
    RdmaSetTimeResolution();
    auto control = CreateObject<RdmaHpcc>();
    auto profile = MakeProfile();
    profile.baseRtt = 0_ps;
    ExpectRefusal([&] { control->MakeController(profile); },
                  "base round-trip time.*BaseRtt 1 ps and more");
    EXPECT_FALSE(control->SetAttributeFailSafe("Eta", DoubleValue(0)));
    EXPECT_FALSE(control->SetAttributeFailSafe("Eta", DoubleValue(1.01)));
    EXPECT_FALSE(control->SetAttributeFailSafe("ExpectedFlows", UintegerValue(0)));
    EXPECT_FALSE(control->SetAttributeFailSafe("BaseRtt", TimeValue(MicroSeconds(-1))));
    control->SetAttribute("Eta", DoubleValue(1));
    ExpectRefusal([&] { control->MakeController(MakeProfile()); }, "Eta 1 .*AdditiveIncrease");
}

TEST(RdmaHpcc, StateIsSmall)
{
    EXPECT_LE(sizeof(RdmaHpccController), 160U);
    EXPECT_EQ(Make().GetPath().GetMemory(), 24U); // two links, one switch
}
