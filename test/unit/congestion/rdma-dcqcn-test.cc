/* SPDX-License-Identifier: GPL-2.0-only */

// DCQCN's reaction point: rules worked out by hand from Zhu et al., SIGCOMM 2015, section 3.1.

#include "rdma-dcqcn-setup.h"
#include "rdma-fluid-model.h"
#include "rdma-test-units.h"

#include <gtest/gtest.h>
#include <random>

using namespace ns3;
using namespace ns3::RdmaDcqcnSetup;

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
    const RdmaBitRate before = c.GetRate(171 * US);
    c.OnCnp(171 * US);
    EXPECT_EQ(c.GetRate(171 * US), before * 23 / 32);
    EXPECT_EQ(c.GetState().alpha, 0.671875);
    c.GetRate(226 * US - 1_ps);
    EXPECT_EQ(c.GetState().alpha, 0.671875);
    c.GetRate(226 * US);
    EXPECT_EQ(c.GetState().alpha, 0.50390625);
    // After a long time alpha is 0.
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
    // Bytes beyond the counter's end count for the next period.
    c.OnSent(10'000'002, 2 * US);
    EXPECT_EQ(c.GetRate(2 * US), 35'000 * M);
    c.OnSent(9'999'998, 3 * US);
    EXPECT_EQ(c.GetRate(3 * US), 37'500 * M);
    // A cut resets the counter.
    c.OnSent(9'000'000, 4 * US);
    c.OnCnp(5 * US);
    const RdmaBitRate cut = c.GetRate(5 * US);
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
    // Timer, first end: one of the two counts is beyond F, so additive: 10.08, 9.425.
    EXPECT_EQ(c.GetRate(55 * US), 9'425 * M);
    // Second end: both counts are, i = 1: R_T = 10.28, R_C = 9.8525.
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
    // Packets are marked independently, with the probability at which N flows share 40 Gb/s in the
    // fluid model. A CNP follows each interval of 50 us with a mark: the mean rate is 40 Gb/s / N.
    std::mt19937_64 random(2016);
    for (const uint32_t flows : {4, 16})
    {
        RdmaFluidParameters fluid;
        fluid.flows = flows;
        const double marking = RdmaFluidModel::GetDcqcnFixedPoint(fluid).marking;
        std::bernoulli_distribution marked(marking);
        auto c = Make();
        c.OnCnp(0_ps);
        constexpr RdmaPs BEGIN = 100_ms;
        constexpr RdmaPs END = 4100_ms;
        RdmaPs nextCnp = 0_ps;
        bool due = false;
        uint64_t packets = 0;
        for (RdmaPs now = 0_ps; now < END;
             now += RdmaPs(static_cast<int64_t>(8'000'000'000'000'000 / c.GetRate(now).Get())))
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
