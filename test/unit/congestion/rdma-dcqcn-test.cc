/* SPDX-License-Identifier: GPL-2.0-only */

// DCQCN's reaction point: rules worked out by hand from Zhu et al., SIGCOMM 2015, section 3.1, and
// from NVIDIA's description of the parameters of ConnectX-4 and later.

#include "qbb-time.h"
#include "rdma-dcqcn.h"
#include "rdma-fluid-model.h"
#include "rdma-test-units.h"

#include <ns3/data-rate.h>
#include <ns3/double.h>
#include <ns3/integer.h>
#include <ns3/nstime.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <gtest/gtest.h>
#include <random>

using namespace ns3;

namespace
{

constexpr QbbBitRate M = 1_mbps;
constexpr QbbBitRate LINE = 40_gbps;

RdmaDcqcnController
Make(const RdmaDcqcnParameters& parameters = {})
{
    return {std::make_shared<const RdmaDcqcnParameters>(parameters), LINE};
}

/** \param cut attribute CutAtPeriodEnd \return parameters of the preset Nic */
RdmaDcqcnParameters
MakeNic(const char* cut = "Off")
{
    QbbSetTimeResolution();
    auto control = CreateObject<RdmaDcqcn>();
    control->SetAttribute("Preset", StringValue("Nic"));
    control->SetAttribute("CutAtPeriodEnd", StringValue(cut));
    return control->GetParameters();
}

QbbBitRate
GetTarget(const RdmaDcqcnController& c)
{
    return QbbBitRate(static_cast<uint64_t>(c.GetState().targetRateBps));
}

} // namespace

TEST(RdmaDcqcn, NothingHappensBeforeTheFirstCnp)
{
    auto c = Make();
    EXPECT_EQ(c.GetRate(0_ps), LINE);
    c.OnSent(1'000'000'000, 10 * US);
    EXPECT_EQ(c.GetRate(1'000'000 * US), LINE);
    EXPECT_EQ(c.GetState().alpha, 1);
    EXPECT_EQ(GetTarget(c), LINE);
}

TEST(RdmaDcqcn, CutComesBeforeAlpha)
{
    // alpha = 1: R_T = 40, R_C = 40 (1 - 1/2) = 20 Gb/s; alpha = 255/256 + 1/256 = 1.
    auto c = Make();
    c.OnCnp(US);
    EXPECT_EQ(c.GetRate(US), 20'000 * M);
    EXPECT_EQ(GetTarget(c), LINE);
    EXPECT_EQ(c.GetState().alpha, 1);
    // A second CNP at once: R_T = 20, R_C = 10.
    c.OnCnp(US);
    EXPECT_EQ(c.GetRate(US), 10'000 * M);
    EXPECT_EQ(GetTarget(c), 20'000 * M);

    // alpha 1/2, g 1/4: the cut is by 1/4, to 30 Gb/s; then alpha = 3/4 x 1/2 + 1/4 = 5/8. Had
    // alpha come first, the rate would be 40 (1 - 5/16) = 27.5 Gb/s.
    RdmaDcqcnParameters p;
    p.initialAlpha = 0.5;
    p.g = 0.25;
    auto d = Make(p);
    d.OnCnp(US);
    EXPECT_EQ(d.GetRate(US), 30'000 * M);
    EXPECT_EQ(d.GetState().alpha, 0.625);
    // The next one: 30 (1 - 5/16) = 20.625 Gb/s, alpha = 3/4 x 5/8 + 1/4 = 23/32.
    d.OnCnp(51 * US);
    EXPECT_EQ(d.GetRate(51 * US), 20'625 * M);
    EXPECT_EQ(d.GetState().alpha, 0.71875);
}

TEST(RdmaDcqcn, AlphaDecaysEachPeriodWithoutCnp)
{
    RdmaDcqcnParameters p;
    p.g = 0.25;
    auto c = Make(p);
    c.OnCnp(10 * US);
    // Periods of 55 us from the CNP on: 1, 3/4, 9/16, ...
    c.GetRate(65 * US - 1_ps);
    EXPECT_EQ(c.GetState().alpha, 1);
    c.GetRate(65 * US);
    EXPECT_EQ(c.GetState().alpha, 0.75);
    c.GetRate(120 * US);
    EXPECT_EQ(c.GetState().alpha, 0.5625);
    // A CNP 4 us before the next end: the cut is by 9/32, alpha = 27/64 + 16/64 = 43/64, and the
    // period begins again.
    const QbbBitRate before = c.GetRate(171 * US);
    c.OnCnp(171 * US);
    EXPECT_EQ(c.GetRate(171 * US), before * 23 / 32);
    EXPECT_EQ(c.GetState().alpha, 0.671875);
    c.GetRate(226 * US - 1_ps);
    EXPECT_EQ(c.GetState().alpha, 0.671875);
    c.GetRate(226 * US);
    EXPECT_EQ(c.GetState().alpha, 0.50390625);
    // After a long time it is 0.
    c.GetRate(1'000'000 * US);
    EXPECT_EQ(c.GetState().alpha, 0);
}

TEST(RdmaDcqcn, TimerFastRecoveryThenAdditiveIncrease)
{
    auto c = Make();
    c.OnCnp(0_ps);
    c.OnCnp(0_ps); // R_C = 10, R_T = 20 Gb/s
    // Five times halfway to 20 Gb/s, every 55 us.
    const uint64_t recovery[] = {15'000, 17'500, 18'750, 19'375};
    for (int i = 0; i < 4; ++i)
    {
        EXPECT_EQ(c.GetRate((i + 1) * 55 * US - 1_ps), i == 0 ? 10'000 * M : recovery[i - 1] * M);
        EXPECT_EQ(c.GetRate((i + 1) * 55 * US), recovery[i] * M);
    }
    EXPECT_EQ(c.GetRate(275 * US), 19'687'500'000_bps);
    EXPECT_EQ(GetTarget(c), 20'000 * M);
    // Then R_T grows by 40 Mb/s each time: 20.04, and halfway from 19.6875 is 19.86375 Gb/s.
    EXPECT_EQ(c.GetRate(330 * US), 19'863'750'000_bps);
    EXPECT_EQ(GetTarget(c), 20'040 * M);
    EXPECT_EQ(c.GetRate(385 * US), 19'971'875'000_bps);
    EXPECT_EQ(GetTarget(c), 20'080 * M);
}

TEST(RdmaDcqcn, ByteCounter)
{
    auto c = Make();
    c.OnCnp(0_ps); // R_C = 20, R_T = 40 Gb/s
    c.OnSent(9'999'999, US);
    EXPECT_EQ(c.GetRate(US), 20'000 * M);
    c.OnSent(1, US);
    EXPECT_EQ(c.GetRate(US), 30'000 * M);
    // What is beyond the counter's end counts for the next one.
    c.OnSent(10'000'002, 2 * US);
    EXPECT_EQ(c.GetRate(2 * US), 35'000 * M);
    c.OnSent(9'999'998, 3 * US);
    EXPECT_EQ(c.GetRate(3 * US), 37'500 * M);
    // A cut sets it back.
    c.OnSent(9'000'000, 4 * US);
    c.OnCnp(5 * US);
    const QbbBitRate cut = c.GetRate(5 * US);
    c.OnSent(9'000'000, 6 * US);
    EXPECT_EQ(c.GetRate(6 * US), cut);
}

TEST(RdmaDcqcn, HyperIncreaseWhenBothAreBeyondTheThreshold)
{
    RdmaDcqcnParameters p;
    p.threshold = 1;
    auto c = Make(p);
    for (int i = 0; i < 3; ++i)
    {
        c.OnCnp(0_ps);
    }
    // R_C = 5, R_T = 10 Gb/s. Byte counter: fast recovery, 7.5; then additive, R_T = 10.04,
    // R_C = 8.77.
    c.OnSent(10'000'000, US);
    EXPECT_EQ(c.GetRate(US), 7'500 * M);
    c.OnSent(10'000'000, US);
    EXPECT_EQ(c.GetRate(US), 8'770 * M);
    // Timer, first end: one of the two is beyond F, so additive: 10.08, 9.425.
    EXPECT_EQ(c.GetRate(55 * US), 9'425 * M);
    // Second end: both are, i = 1: R_T = 10.28, R_C = 9.8525.
    EXPECT_EQ(c.GetRate(110 * US), 9'852'500'000_bps);
    EXPECT_EQ(GetTarget(c), 10'280 * M);
    // Third end of the timer: i is still 1. Third of the counter: i = 2.
    c.GetRate(165 * US);
    EXPECT_EQ(GetTarget(c), 10'480 * M);
    c.OnSent(10'000'000, 166 * US);
    EXPECT_EQ(GetTarget(c), 10'880 * M);
}

TEST(RdmaDcqcn, NeverAboveLineRate)
{
    auto c = Make();
    c.OnCnp(0_ps);
    EXPECT_EQ(c.GetRate(100'000 * US), LINE);
    EXPECT_EQ(GetTarget(c), LINE);
    c.OnSent(2'000'000'000, 100'001 * US);
    EXPECT_EQ(c.GetRate(100'001 * US), LINE);
    EXPECT_EQ(GetTarget(c), LINE);
}

TEST(RdmaDcqcn, MinimumRate)
{
    RdmaDcqcnParameters p;
    p.minRate = 3000 * M;
    auto c = Make(p);
    for (int i = 0; i < 4; ++i)
    {
        c.OnCnp(0_ps);
    }
    EXPECT_EQ(c.GetRate(0_ps), 3000 * M); // 40, 20, 10, 5, then 2.5
    c.OnCnp(0_ps);
    EXPECT_EQ(c.GetRate(0_ps), 3000 * M);
}

TEST(RdmaDcqcn, MeanRateUnderRandomMarksIsThatOfTheFluidModel)
{
    // Each packet marked by itself with the probability at which the fluid model has N flows share
    // 40 Gb/s, a CNP for each interval of 50 us with a mark: the rate is 40 Gb/s / N in the mean.
    std::mt19937_64 random(2016);
    for (const uint32_t flows : {4, 16})
    {
        RdmaFluidParameters fluid;
        fluid.flows = flows;
        const double marking = RdmaFluidModel::GetDcqcnFixedPoint(fluid).marking;
        std::bernoulli_distribution marked(marking);
        auto c = Make();
        c.OnCnp(0_ps);
        constexpr QbbPs BEGIN = 100_ms;
        constexpr QbbPs END = 4100_ms;
        QbbPs nextCnp = 0_ps;
        bool due = false;
        uint64_t packets = 0;
        for (QbbPs now = 0_ps; now < END;
             now += QbbPs(static_cast<int64_t>(8'000'000'000'000'000 / c.GetRate(now).Get())))
        {
            packets += now >= BEGIN ? 1 : 0;
            c.OnSent(1000, now);
            due = marked(random) || due;
            if (due && now >= nextCnp)
            {
                c.OnCnp(now);
                nextCnp = now + 50 * US;
                due = false;
            }
        }
        EXPECT_NEAR(static_cast<double>(packets) * 8000 / 4 / (1e9 * 40 / flows), 1, 0.05) << flows;
    }
}

TEST(RdmaDcqcnNic, Defaults)
{
    const RdmaDcqcnParameters p = MakeNic("Preset");
    EXPECT_EQ(1 - p.g, 1019.0 / 1024);
    EXPECT_EQ(p.initialAlpha, 1023.0 / 1024);
    EXPECT_EQ(p.alphaPeriod, US);
    EXPECT_EQ(p.timer, 300 * US);
    EXPECT_EQ(p.counterBytes, 2'097'088U); // units of 64 bytes
    EXPECT_EQ(p.threshold, 1U);
    EXPECT_EQ(p.aiRate, 5 * M);
    EXPECT_EQ(p.haiRate, 50 * M);
    EXPECT_EQ(p.minRate, M);
    EXPECT_EQ(p.gd, 11U);
    EXPECT_EQ(p.minDecreaseFactor, 0.5);
    EXPECT_EQ(p.reducePeriod, 4 * US);
    EXPECT_TRUE(p.cutAtPeriodEnd);
    EXPECT_FALSE(p.clampTarget);
    EXPECT_TRUE(p.clampAfterTimer);
    EXPECT_EQ(p.firstRate, 0_bps);
    EXPECT_TRUE(p.release);
}

TEST(RdmaDcqcnNic, NoLongerLimitedAtLineRate)
{
    // alpha 1023/1024, then it decays: a CNP cuts by (1023/1024) / 2 at first, 40 to 20.0195 Gb/s.
    // R_T is 40 Gb/s, so that timers halve the way to it: 35 of them, rounded up, bring 19.98 Gb/s
    // down to nothing. The CNP after that cuts by (1023/1024) / 2 again.
    auto c = Make(MakeNic());
    c.OnCnp(0_ps);
    const QbbBitRate first(static_cast<uint64_t>((1 - 1023.0 / 2048) * static_cast<double>(LINE)));
    EXPECT_EQ(c.GetRate(0_ps), first);
    EXPECT_EQ(c.GetRate(34 * 300 * US), LINE - 1_bps);
    EXPECT_LT(c.GetState().alpha, 1e-6);
    EXPECT_EQ(c.GetRate(35 * 300 * US), LINE);
    EXPECT_EQ(c.GetState().alpha, 1023.0 / 1024);
    c.OnCnp(20'000 * US);
    EXPECT_EQ(c.GetRate(20'000 * US), first);
    EXPECT_EQ(GetTarget(c), LINE);

    // A flow that stays limited has forgotten its alpha: the second CNP does next to nothing.
    auto p = MakeNic();
    p.release = false;
    auto d = Make(p);
    d.OnCnp(0_ps);
    d.OnCnp(20'000 * US);
    EXPECT_GT(d.GetRate(20'000 * US), LINE - M);
}

TEST(RdmaDcqcnNic, AlphaFollowsAPeriodThatRunsFreely)
{
    RdmaDcqcnParameters p = MakeNic();
    p.g = 0.25;
    p.initialAlpha = 0.5;
    auto c = Make(p);
    c.OnCnp(10 * US + 300_ns);
    // First end, 1 us later: a CNP came in the period, alpha = 3/8 + 1/4; second: none, 15/32.
    c.GetRate(11 * US + 299'999_ps);
    EXPECT_EQ(c.GetState().alpha, 0.5);
    c.GetRate(11 * US + 300_ns);
    EXPECT_EQ(c.GetState().alpha, 0.625);
    c.GetRate(12 * US + 300_ns);
    EXPECT_EQ(c.GetState().alpha, 0.46875);
    // Two CNPs in one period count once, and do not move its end.
    c.OnCnp(12 * US + 400_ns);
    c.OnCnp(13 * US + 200_ns);
    c.GetRate(13 * US + 299'999_ps);
    EXPECT_EQ(c.GetState().alpha, 0.46875);
    c.GetRate(13 * US + 300_ns);
    EXPECT_EQ(c.GetState().alpha, 0.6015625);
}

TEST(RdmaDcqcnNic, CutsAreRateReducePeriodApart)
{
    RdmaDcqcnParameters p = MakeNic();
    p.g = 0.25;
    p.initialAlpha = 1;
    auto c = Make(p);
    c.OnCnp(10 * US);
    EXPECT_EQ(c.GetRate(10 * US), 20'000 * M);
    // A CNP 1 us later waits until 4 us after the cut; two more change nothing.
    c.OnCnp(11 * US);
    c.OnCnp(12 * US);
    c.OnCnp(13 * US);
    EXPECT_EQ(c.GetRate(14 * US - 1_ps), 20'000 * M);
    // CNPs in each of the four periods: alpha is still 1.
    EXPECT_EQ(c.GetRate(14 * US), 10'000 * M);
    // Without another CNP there is no other cut.
    EXPECT_EQ(c.GetRate(20 * US), 10'000 * M);
    // Later than that a CNP cuts at once. Alpha has decayed six times: (3/4)^6 / 2 = 729 / 8192.
    c.OnCnp(20 * US);
    EXPECT_EQ(c.GetRate(20 * US), 9'110'107'421_bps);
}

TEST(RdmaDcqcnNic, CutsAtEndsOfPeriods)
{
    RdmaDcqcnParameters p = MakeNic("Preset");
    p.g = 0.25;
    p.initialAlpha = 1;
    auto c = Make(p);
    // Periods of 4 us begin with the first CNP; the first one cuts when it ends.
    c.OnCnp(10 * US);
    EXPECT_EQ(c.GetRate(14 * US - 1_ps), LINE);
    // Alpha is 1, and stays so in the first period of 1 us, in which the CNP came. Three periods
    // without a CNP leave (3/4)^3 = 27/64 of alpha; a cut takes half of alpha.
    EXPECT_EQ(c.GetRate(14 * US), LINE - LINE * 27 / 128);
    EXPECT_EQ(GetTarget(c), LINE);
    // A CNP at the very end of a period belongs to the next one. Two CNPs in a period are one cut.
    c.OnCnp(18 * US);
    c.OnCnp(19 * US);
    const QbbBitRate before = c.GetRate(22 * US - 1_ps);
    EXPECT_EQ(before, LINE - LINE * 27 / 128);
    EXPECT_LT(c.GetRate(22 * US), before);
    // No CNP, no cut; periods go on in steps of 4 us from the first CNP.
    const QbbBitRate after = c.GetRate(22 * US);
    EXPECT_EQ(c.GetRate(37 * US), after);
    c.OnCnp(37 * US);
    EXPECT_EQ(c.GetRate(38 * US - 1_ps), after);
    EXPECT_LT(c.GetRate(38 * US), after);
}

TEST(RdmaDcqcnNic, CountsBeginAnewAfterARelease)
{
    // A count of 1000 bytes has begun when the rate is released at the line's. After the next first
    // CNP, which sets 10 Gb/s, the counter begins at 0: 999 bytes raise nothing before the cut.
    RdmaDcqcnParameters p = MakeNic("Preset");
    p.counterBytes = 1000;
    p.firstRate = 10'000 * M;
    p.clampTarget = true;
    auto c = Make(p);
    c.OnCnp(10 * US);
    QbbPs now = 14 * US;
    for (int i = 0; i < 100'000 && c.GetRate(now) < LINE; ++i)
    {
        now += 1_ps;
        c.OnSent(900, now);
    }
    ASSERT_EQ(c.GetRate(now), LINE);
    now += 1_ps;
    c.OnCnp(now);
    EXPECT_EQ(c.GetRate(now), 10'000 * M);
    c.OnSent(999, now);
    EXPECT_EQ(c.GetRate(now), 10'000 * M);
    EXPECT_EQ(GetTarget(c), 10'000 * M) << "no count has ended";
}

TEST(RdmaDcqcnNic, FirstRateIsSetWithTheFirstCnp)
{
    RdmaDcqcnParameters p = MakeNic("Preset");
    p.firstRate = 10'000 * M;
    auto c = Make(p);
    c.OnCnp(10 * US);
    EXPECT_EQ(c.GetRate(10 * US), 10'000 * M);
    EXPECT_EQ(GetTarget(c), 10'000 * M);
    EXPECT_LT(c.GetRate(14 * US), 10'000 * M) << "and the period ends with a cut";
}

TEST(RdmaDcqcnNic, TargetRateStaysUnlessTheRateWasIncreased)
{
    RdmaDcqcnParameters p = MakeNic();
    p.initialAlpha = 1;
    auto c = Make(p);
    c.OnCnp(0_ps);
    EXPECT_EQ(GetTarget(c), LINE);
    c.OnCnp(4 * US);
    EXPECT_LT(c.GetRate(4 * US), 11'000 * M);
    EXPECT_EQ(GetTarget(c), LINE); // two cuts in a row
    c.OnSent(2'097'088, 5 * US);
    const QbbBitRate increased = c.GetRate(5 * US);
    c.OnCnp(8 * US);
    EXPECT_EQ(GetTarget(c), increased); // by the byte counter
    const QbbBitRate later = c.GetRate(308 * US);
    EXPECT_GT(static_cast<double>(later), c.GetState().targetRateBps / 2);
    c.OnCnp(309 * US);
    EXPECT_EQ(GetTarget(c), later); // by the timer

    p.clampAfterTimer = false;
    auto d = Make(p);
    d.OnCnp(0_ps);
    d.GetRate(300 * US);
    d.OnCnp(301 * US);
    EXPECT_EQ(GetTarget(d), LINE); // the timer does not count

    p.clampTarget = true;
    auto e = Make(p);
    e.OnCnp(0_ps);
    e.OnCnp(4 * US);
    EXPECT_EQ(GetTarget(e), 20'000 * M); // always
}

TEST(RdmaDcqcnNic, SizeOfACut)
{
    RdmaDcqcnParameters p = MakeNic();
    p.initialAlpha = 0.5;
    auto c = Make(p);
    c.OnCnp(0_ps);
    EXPECT_EQ(c.GetRate(0_ps), 30'000 * M); // 1 - alpha / 2
    p.gd = 10;
    auto d = Make(p);
    d.OnCnp(0_ps);
    EXPECT_EQ(d.GetRate(0_ps), 20'000 * M); // 1 - alpha
    p.minDecreaseFactor = 0.875;
    auto e = Make(p);
    e.OnCnp(0_ps);
    EXPECT_EQ(e.GetRate(0_ps), 35'000 * M); // no more than 1/8
    p.firstRate = 1234 * M;
    auto f = Make(p);
    f.OnCnp(0_ps);
    EXPECT_EQ(f.GetRate(0_ps), 1234 * M);
    EXPECT_EQ(GetTarget(f), 1234 * M);
    f.OnCnp(4 * US);
    EXPECT_EQ(f.GetRate(4 * US), 1234 * M * 7 / 8); // only the first one
}

TEST(RdmaDcqcnAttributes, OverrideThePreset)
{
    QbbSetTimeResolution();
    auto control = CreateObject<RdmaDcqcn>();
    EXPECT_TRUE(control->GetParameters() == RdmaDcqcnParameters());
    control->SetAttribute("G", DoubleValue(0.5));
    control->SetAttribute("InitialAlpha", DoubleValue(0));
    control->SetAttribute("AlphaPeriod", TimeValue(MicroSeconds(7)));
    control->SetAttribute("AlphaPeriodic", StringValue("On"));
    control->SetAttribute("IncreaseTimer", TimeValue(MicroSeconds(8)));
    control->SetAttribute("ByteCounter", IntegerValue(0));
    control->SetAttribute("Threshold", UintegerValue(9));
    control->SetAttribute("AiRate", DataRateValue(DataRate(10)));
    control->SetAttribute("HaiRate", DataRateValue(DataRate(11)));
    control->SetAttribute("MinRate", DataRateValue(DataRate(12)));
    control->SetAttribute("Gd", UintegerValue(13));
    control->SetAttribute("MinDecreaseFactor", DoubleValue(0.25));
    control->SetAttribute("RateReducePeriod", TimeValue(MicroSeconds(14)));
    control->SetAttribute("CutAtPeriodEnd", StringValue("On"));
    control->SetAttribute("ClampTargetRate", StringValue("Off"));
    control->SetAttribute("ClampTargetRateAfterTimer", StringValue("Off"));
    control->SetAttribute("RateOnFirstCnp", DataRateValue(DataRate(15)));
    control->SetAttribute("ReleaseAtLineRate", StringValue("On"));
    RdmaDcqcnParameters p;
    p.g = 0.5;
    p.initialAlpha = 0;
    p.alphaPeriod = 7 * US;
    p.alphaPeriodic = true;
    p.timer = 8 * US;
    p.counterBytes = 0;
    p.threshold = 9;
    p.aiRate = 10_bps;
    p.haiRate = 11_bps;
    p.minRate = 12_bps;
    p.gd = 13;
    p.minDecreaseFactor = 0.25;
    p.reducePeriod = 14 * US;
    p.cutAtPeriodEnd = true;
    p.clampTarget = false;
    p.clampAfterTimer = false;
    p.firstRate = 15_bps;
    p.release = true;
    for (const char* preset : {"Paper", "Nic"})
    {
        control->SetAttribute("Preset", StringValue(preset));
        EXPECT_TRUE(control->GetParameters() == p) << preset;
    }
}

TEST(RdmaDcqcnAttributes, MakesControllers)
{
    QbbSetTimeResolution();
    auto control = CreateObject<RdmaDcqcn>();
    RdmaPathProfile profile;
    profile.lineRate = LINE;
    auto controller = control->MakeController(profile);
    EXPECT_EQ(controller->GetRate(0_ps), LINE);
    EXPECT_EQ(controller->GetWindowBytes(), RdmaRateController::NO_WINDOW);
    EXPECT_FALSE(control->NeedsRtt());
    EXPECT_EQ(control->GetIntFormat(), RdmaIntFormat::NONE);
    control->SetAttribute("InitialAlpha", DoubleValue(0.5));
    auto other = control->MakeController(profile);
    controller->OnCnp(0_ps);
    other->OnCnp(0_ps);
    EXPECT_EQ(controller->GetRate(0_ps), 20'000 * M);
    EXPECT_EQ(other->GetRate(0_ps), 30'000 * M);
    EXPECT_LE(sizeof(RdmaDcqcnController), 128U);
}

TEST(RdmaDcqcnAttributesDeathTest, RatesAboveTheLine)
{
    QbbSetTimeResolution();
    auto control = CreateObject<RdmaDcqcn>();
    RdmaPathProfile profile;
    profile.lineRate = M;
    control->SetAttribute("RateOnFirstCnp", DataRateValue((M + 1_bps).ToDataRate()));
    EXPECT_DEATH(control->MakeController(profile), "RateOnFirstCnp 1000001 bit/s; accepted");
    control->SetAttribute("IncreaseTimer", TimeValue(Seconds(0)));
    EXPECT_DEATH(control->MakeController(profile), "IncreaseTimer 0; accepted");
}
