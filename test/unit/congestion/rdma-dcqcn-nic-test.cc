/* SPDX-License-Identifier: GPL-2.0-only */

// DCQCN's reaction point with the preset Nic: rules worked out by hand from NVIDIA's description of
// the parameters of ConnectX-4 and later.

#include "rdma-dcqcn-setup.h"
#include "rdma-test-units.h"
#include "rdma-time.h"

#include <ns3/string.h>

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::RdmaDcqcnSetup;

namespace
{

/** \param cut attribute CutAtPeriodEnd \return parameters of the preset Nic */
RdmaDcqcnParameters
MakeNic(const char* cut = "Off")
{
    RdmaSetTimeResolution();
    auto control = CreateObject<RdmaDcqcn>();
    control->SetAttribute("Preset", StringValue("Nic"));
    control->SetAttribute("CutAtPeriodEnd", StringValue(cut));
    return control->GetParameters();
}

} // namespace

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
    const RdmaBitRate first(static_cast<uint64_t>((1 - 1023.0 / 2048) * static_cast<double>(LINE)));
    EXPECT_EQ(c.GetRate(0_ps), first);
    EXPECT_EQ(c.GetRate(34 * 300 * US), LINE - 1_bps);
    EXPECT_LT(c.GetState().alpha, 1e-6);
    EXPECT_EQ(c.GetRate(35 * 300 * US), LINE);
    EXPECT_EQ(c.GetState().alpha, 1023.0 / 1024);
    c.OnCnp(20'000 * US);
    EXPECT_EQ(c.GetRate(20'000 * US), first);
    EXPECT_EQ(GetTarget(c), LINE);

    // The alpha of a flow that stays limited decays: the second CNP cuts next to nothing.
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
    // First end, 1 us later: a CNP came, alpha = 3/8 + 1/4. Second end: no CNP came, alpha = 15/32.
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
    // After these 4 us a CNP cuts at once. Alpha has decayed six times: (3/4)^6 / 2 = 729 / 8192.
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
    const RdmaBitRate before = c.GetRate(22 * US - 1_ps);
    EXPECT_EQ(before, LINE - LINE * 27 / 128);
    EXPECT_LT(c.GetRate(22 * US), before);
    // No CNP, no cut; periods go on in steps of 4 us from the first CNP.
    const RdmaBitRate after = c.GetRate(22 * US);
    EXPECT_EQ(c.GetRate(37 * US), after);
    c.OnCnp(37 * US);
    EXPECT_EQ(c.GetRate(38 * US - 1_ps), after);
    EXPECT_LT(c.GetRate(38 * US), after);
}

TEST(RdmaDcqcnNic, CountsBeginAnewAfterARelease)
{
    // A count of 1000 bytes is under way when the rate is back at the line rate. The next first CNP
    // sets 10 Gb/s, and the counter begins at 0: 999 bytes raise nothing before the cut.
    RdmaDcqcnParameters p = MakeNic("Preset");
    p.counterBytes = 1000;
    p.firstRate = 10'000 * M;
    p.clampTarget = true;
    auto c = Make(p);
    c.OnCnp(10 * US);
    RdmaPs now = 14 * US;
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
    EXPECT_EQ(GetTarget(c), LINE); // the second of two cuts in a row keeps the target
    c.OnSent(2'097'088, 5 * US);
    const RdmaBitRate increased = c.GetRate(5 * US);
    c.OnCnp(8 * US);
    EXPECT_EQ(GetTarget(c), increased); // after an increase by the byte counter
    const RdmaBitRate later = c.GetRate(308 * US);
    EXPECT_GT(static_cast<double>(later), c.GetState().targetRateBps / 2);
    c.OnCnp(309 * US);
    EXPECT_EQ(GetTarget(c), later); // after an increase by the timer

    p.clampAfterTimer = false;
    auto d = Make(p);
    d.OnCnp(0_ps);
    d.GetRate(300 * US);
    d.OnCnp(301 * US);
    EXPECT_EQ(GetTarget(d), LINE); // an increase by the timer does not count

    p.clampTarget = true;
    auto e = Make(p);
    e.OnCnp(0_ps);
    e.OnCnp(4 * US);
    EXPECT_EQ(GetTarget(e), 20'000 * M); // every cut lowers the target
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
    EXPECT_EQ(e.GetRate(0_ps), 35'000 * M); // the cut is limited to 1/8
    p.firstRate = 1234 * M;
    auto f = Make(p);
    f.OnCnp(0_ps);
    EXPECT_EQ(f.GetRate(0_ps), 1234 * M);
    EXPECT_EQ(GetTarget(f), 1234 * M);
    f.OnCnp(4 * US);
    EXPECT_EQ(f.GetRate(4 * US), 1234 * M * 7 / 8); // FirstRate is for the first cut
}
