/* SPDX-License-Identifier: GPL-2.0-only */

// Fluid models of DCQCN and TIMELY: fixed points, against hand calculation and against integration.

#include "rdma-expect-error.h"
#include "rdma-fluid-model.h"
#include "rdma-fluid-stepper.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/** Mean values of a run from some time on, and the extremes of the queue. */
struct Mean
{
    double queueBytes{0};
    double lowBytes{1e18};
    double highBytes{0};
    double marking{0};
    double alpha{0};
    std::vector<double> rateBps;
};

Mean
GetMean(const std::vector<RdmaFluidSample>& samples, double fromS)
{
    Mean mean;
    double count = 0;
    for (const auto& s : samples)
    {
        if (s.timeS < fromS)
        {
            continue;
        }
        ++count;
        mean.queueBytes += s.queueBytes;
        mean.lowBytes = std::min(mean.lowBytes, s.queueBytes);
        mean.highBytes = std::max(mean.highBytes, s.queueBytes);
        mean.marking += s.marking;
        mean.alpha += s.alpha[0];
        mean.rateBps.resize(s.rateBps.size());
        for (std::size_t i = 0; i < s.rateBps.size(); ++i)
        {
            mean.rateBps[i] += s.rateBps[i];
        }
    }
    mean.queueBytes /= count;
    mean.marking /= count;
    mean.alpha /= count;
    for (double& rate : mean.rateBps)
    {
        rate /= count;
    }
    return mean;
}

RdmaFluidParameters
MakeTimely(RdmaFluidAlgorithm algorithm)
{
    // The CoNEXT 2016 paper's setting.
    RdmaFluidParameters p;
    p.algorithm = algorithm;
    p.capacityBps = 10e9;
    p.timely.beta = algorithm == RdmaFluidAlgorithm::PATCHED_TIMELY ? 0.008 : 0.8;
    return p;
}

} // namespace

TEST(RdmaFluidStepper, Exponential)
{
    // y' = -y over 1 s in steps of 10 ms: both methods are of fourth order or better.
    const RdmaFluidStepper step =
        MakeRdmaFluidStepper(1, [](double, const double* y, double* d) { d[0] = -y[0]; });
    double y = 1;
    for (int i = 0; i < 100; ++i)
    {
        step(0.01 * i, 0.01, &y);
    }
    EXPECT_NEAR(y, std::exp(-1), 1e-9);
}

TEST(RdmaFluidStepper, TimeMatters)
{
    const RdmaFluidStepper step = MakeRdmaFluidStepper(2, [](double t, const double*, double* d) {
        d[0] = 3 * t * t;
        d[1] = 1;
    });
    double y[] = {0, 0};
    for (int i = 0; i < 10; ++i)
    {
        step(0.1 * i, 0.1, y);
    }
    EXPECT_NEAR(y[0], 1, 1e-12);
    EXPECT_NEAR(y[1], 1, 1e-12);
}

TEST(RdmaFluidDcqcn, FixedPointIsNearThePapersApproximation)
{
    // CoNEXT 2016, section 3.1: p* = cbrt(R_AI N^2 / (tau' C^2) (1/B + N / (T C))^2), for small p.
    // N = 2: C = 5e6 packets/s, B = 1e4, T = tau' = 55 us; R_AI = 40 kb/s, 5 packets/s, makes p
    // small. 1/B + N/(T C) = 1e-4 + 7.2727e-3; R_AI N^2 / (tau' C^2) = 20 / 1.375e9; the root is
    // 9.246e-5.
    RdmaFluidParameters p;
    p.dcqcn.aiRate = 40'000_bps;
    auto two = RdmaFluidModel::GetDcqcnFixedPoint(p);
    EXPECT_NEAR(two.marking, 9.246e-5, 0.03 * 9.246e-5);
    // With the paper's R_AI of 40 Mb/s, p is ten times as large; terms of higher order reduce it by
    // a sixth.
    p.dcqcn.aiRate = 40_mbps;
    two = RdmaFluidModel::GetDcqcnFixedPoint(p);
    EXPECT_NEAR(two.marking, 9.246e-4 * 5 / 6, 0.02 * 9.246e-4);
    EXPECT_TRUE(two.reached);
    // The queue that marks with that probability: 5000 + p / 0.01 x 195000.
    EXPECT_NEAR(two.queueBytes, 5000 + two.marking * 19'500'000, 1);
    // alpha = 1 - (1 - p)^(55 us x 2.5e6)
    EXPECT_NEAR(two.alpha, 1 - std::pow(1 - two.marking, 137.5), 1e-9);
}

TEST(RdmaFluidDcqcn, FixedPointBeyondPmax)
{
    RdmaFluidParameters p;
    p.flows = 64;
    const auto many = RdmaFluidModel::GetDcqcnFixedPoint(p);
    EXPECT_FALSE(many.reached);
    EXPECT_EQ(many.queueBytes, 200'000);
    EXPECT_GT(many.marking, 0.01);
}

TEST(RdmaFluidDcqcn, IntegrationComesToTheFixedPoint)
{
    for (const uint32_t flows : {2, 4, 8})
    {
        RdmaFluidParameters p;
        p.flows = flows;
        p.startBps = {p.capacityBps / 4}; // the others begin at line rate
        RdmaFluidModel model(p);
        const auto mean = GetMean(model.Run(0.15, 100e-6), 0.12);
        const auto fixed = RdmaFluidModel::GetDcqcnFixedPoint(p);
        EXPECT_NEAR(mean.marking, fixed.marking, 0.02 * fixed.marking) << flows;
        EXPECT_NEAR(mean.alpha, fixed.alpha, 0.02 * fixed.alpha) << flows;
        EXPECT_NEAR(mean.queueBytes, fixed.queueBytes, 0.02 * fixed.queueBytes) << flows;
        for (const double rate : mean.rateBps)
        {
            EXPECT_NEAR(rate, p.capacityBps / flows, 0.02 * p.capacityBps / flows) << flows;
        }
    }
}

TEST(RdmaFluidDcqcn, SecondFlowStartsLater)
{
    RdmaFluidParameters p;
    p.startS = {0, 0.05};
    RdmaFluidModel model(p);
    auto samples = model.Run(0.05, 10e-6);
    EXPECT_EQ(samples.front().rateBps[0], 40e9);
    EXPECT_EQ(samples.back().rateBps[1], 0);
    samples = model.Run(0.2, 10e-6);
    EXPECT_NEAR(samples.front().timeS, 0.05, 1e-12);
    EXPECT_EQ(samples.front().rateBps[1], 40e9);
    const auto mean = GetMean(samples, 0.2);
    EXPECT_NEAR(mean.rateBps[0] / mean.rateBps[1], 1, 0.05);
}

TEST(RdmaFluidDcqcn, SlowerSenders)
{
    // Eight flows of 40 Gb/s lines into a port of 160 Gb/s, with a marking curve four times as
    // wide, are four times two flows into 40 Gb/s: the same marks, four times the queue.
    RdmaFluidParameters two;
    RdmaFluidParameters eight;
    eight.flows = 8;
    eight.capacityBps = 160e9;
    eight.lineRateBps = 40e9;
    eight.ecn = {20'000, 800'000, 0.01 / 780'000};
    const auto one = RdmaFluidModel(two).Run(0.02, 1e-4);
    const auto four = RdmaFluidModel(eight).Run(0.02, 1e-4);
    EXPECT_EQ(four.front().rateBps[0], 40e9);
    for (std::size_t i = 0; i < one.size(); ++i)
    {
        EXPECT_NEAR(four[i].queueBytes, 4 * one[i].queueBytes, 10 + 1e-3 * one[i].queueBytes) << i;
        EXPECT_NEAR(four[i].rateBps[7], one[i].rateBps[0], 1e-3 * one[i].rateBps[0]) << i;
    }
    eight.lineRateBps = -1;
    ExpectError<std::invalid_argument>([&] { RdmaFluidModel model(eight); },
                                       {"line rate -1 bit/s; accepted: above 0"});
}

TEST(RdmaFluidDcqcn, MarksOfArrivals)
{
    // The fixed point is unchanged when the feedback delay includes the time in the queue. From 16
    // line rates the queue takes megabytes at first, which delays the feedback.
    RdmaFluidParameters p;
    p.flows = 16;
    p.markAtArrival = true;
    p.ecn = {5000, 2'000'000, 0.1 / 1'995'000};
    RdmaFluidModel model(p);
    const auto samples = model.Run(0.15, 100e-6);
    const auto mean = GetMean(samples, 0.12);
    const auto fixed = RdmaFluidModel::GetDcqcnFixedPoint(p);
    EXPECT_GT(GetMean(samples, 0).highBytes, 4e6);
    EXPECT_NEAR(mean.queueBytes, fixed.queueBytes, 0.05 * fixed.queueBytes);
}

TEST(RdmaFluidTimely, NoUniqueFixedPoint)
{
    // Section 4.2: nothing makes rates equal. The shares at the end depend on those at the
    // beginning, and the queue does not settle but swings about T_low, 62500 bytes.
    for (const double part : {0.5, 0.7})
    {
        auto p = MakeTimely(RdmaFluidAlgorithm::TIMELY);
        p.startBps = {part * 10e9, (1 - part) * 10e9};
        RdmaFluidModel model(p);
        const auto mean = GetMean(model.Run(0.4, 10e-6), 0.2);
        const double share = mean.rateBps[0] / (mean.rateBps[0] + mean.rateBps[1]);
        EXPECT_NEAR(share, part, part == 0.5 ? 1e-6 : 0.15) << part; // never back to a half
        EXPECT_LT(mean.lowBytes, 1000);
        EXPECT_GT(mean.highBytes, 62'500);
    }
}

TEST(RdmaFluidTimely, PatchedHasOne)
{
    // Section 4.3: q* = q' (1 + N delta / (beta C)) = 62500 (1 + 2 x 10e6 / (0.008 x 10e9)) = 78125
    // bytes, and equal rates wherever it began.
    for (const double part : {0.5, 0.7})
    {
        auto p = MakeTimely(RdmaFluidAlgorithm::PATCHED_TIMELY);
        EXPECT_NEAR(RdmaFluidModel::GetPatchedTimelyQueue(p), 78'125, 1e-6);
        if (part == 0.7)
        {
            // A round trip of 4 us without queue takes 4e-6 x 1.25e9 bytes off the queue.
            p.timely.baseRttS = 4e-6;
            EXPECT_NEAR(RdmaFluidModel::GetPatchedTimelyQueue(p), 73'125, 1e-6);
        }
        p.startBps = {part * 10e9, (1 - part) * 10e9};
        RdmaFluidModel model(p);
        const auto mean = GetMean(model.Run(0.5, 100e-6), 0.4);
        EXPECT_NEAR(mean.rateBps[0], 5e9, 0.02 * 5e9) << part;
        EXPECT_NEAR(mean.rateBps[1], 5e9, 0.02 * 5e9) << part;
        EXPECT_NEAR(mean.queueBytes, part == 0.5 ? 78'125 : 73'125, 2000) << part;
    }
}

TEST(RdmaFluidModel, Errors)
{
    auto make = [](auto change) {
        return [change] {
            RdmaFluidParameters p;
            change(p);
            RdmaFluidModel model(p);
            model.Run(1e-3, 1e-5);
        };
    };
    using P = RdmaFluidParameters;
    using E = std::invalid_argument;
    ExpectError<E>(make([](P& p) { p.flows = 0; }), {"flows 0; accepted: above 0"});
    ExpectError<E>(make([](P& p) { p.packetBytes = -1; }), {"packet bytes -1; accepted"});
    ExpectError<E>(make([](P& p) { p.stepS = 5e-6; }), {"step 5e-06 s; accepted: at most"});
    ExpectError<E>([] { ParseRdmaFluidAlgorithm("tcp"); }, {"\"tcp\"", "dcqcn, timely"});
    ExpectError<E>(
        [] {
            RdmaFluidModel model(RdmaFluidParameters{});
            model.Run(1, 1e-7);
        },
        {"samples every 1e-07 s"});
    EXPECT_EQ(ParseRdmaFluidAlgorithm("patched-timely"), RdmaFluidAlgorithm::PATCHED_TIMELY);
}
