/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-ecn-marker.h"
#include "rdma-expect-error.h"
#include "rdma-test-units.h"

#include <ns3/boolean.h>
#include <ns3/double.h>
#include <ns3/uinteger.h>

#include <gtest/gtest.h>
#include <random>

using namespace ns3;

TEST(QbbEcnMarker, DefaultsAreDcqcnAt40G)
{
    const auto curve = CreateObject<QbbEcnMarker>()->GetThresholds(3, 40 * GBPS);
    EXPECT_EQ(curve.kminBytes, 5000U);
    EXPECT_EQ(curve.kmaxBytes, 200000U);
    EXPECT_DOUBLE_EQ(curve.GetProbability(200000), 0.01);
}

TEST(QbbEcnMarker, Zones)
{
    const auto curve = CreateObject<QbbEcnMarker>()->GetThresholds(0, 40 * GBPS);
    EXPECT_EQ(curve.Decide(0), QbbEcnDecision::NO);
    EXPECT_EQ(curve.Decide(5000), QbbEcnDecision::NO);
    EXPECT_EQ(curve.Decide(5001), QbbEcnDecision::DRAW);
    EXPECT_EQ(curve.Decide(200000), QbbEcnDecision::DRAW);
    EXPECT_EQ(curve.Decide(200001), QbbEcnDecision::YES);
    // half way: half of 1%
    EXPECT_DOUBLE_EQ(curve.GetProbability(102500), 0.005);
    EXPECT_TRUE(curve.IsMarked(102500, 0.0049));
    EXPECT_FALSE(curve.IsMarked(102500, 0.0051));
    EXPECT_FALSE(curve.IsMarked(5000, 0));
    EXPECT_TRUE(curve.IsMarked(200001, 0.999999));
    EXPECT_FALSE(curve.IsMarked(200000, 0.999999));
}

TEST(QbbEcnMarker, FrequencyFollowsTheCurve)
{
    auto marker = CreateObject<QbbEcnMarker>();
    marker->SetAttribute("Pmax", DoubleValue(0.4));
    const auto curve = marker->GetThresholds(0, 40 * GBPS);
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> uniform(0, 1);
    uint32_t marks = 0;
    for (int i = 0; i < 100000; ++i)
    {
        marks += curve.IsMarked(102500, uniform(random)) ? 1 : 0;
    }
    // p = 0.2, standard deviation 126
    EXPECT_NEAR(marks, 20000, 5 * 126);
}

// Pitfall: a table of five known link rates.
TEST(QbbEcnMarker, ScalesWithAnyRate)
{
    auto marker = CreateObject<QbbEcnMarker>();
    EXPECT_EQ(marker->GetThresholds(0, 100 * GBPS).kminBytes, 12500U);
    EXPECT_EQ(marker->GetThresholds(0, 100 * GBPS).kmaxBytes, 500000U);
    EXPECT_EQ(marker->GetThresholds(0, 37 * GBPS).kminBytes, 4625U);
    EXPECT_EQ(marker->GetThresholds(0, 1_bps).kmaxBytes, 0U);
    EXPECT_EQ(marker->GetThresholds(0, 100'004_mbps).kminBytes, 12501U); // 12500.5
    EXPECT_EQ(marker->GetThresholds(0, 1600 * GBPS).kmaxBytes, 8'000'000U);
    EXPECT_DOUBLE_EQ(marker->GetThresholds(0, 100 * GBPS).GetProbability(500000), 0.01);

    marker->SetAttribute("ReferenceRate", DataRateValue(DataRate("25Gbps")));
    EXPECT_EQ(marker->GetThresholds(0, 100 * GBPS).kmaxBytes, 800000U);
    marker->SetAttribute("ScaleWithRate", BooleanValue(false));
    EXPECT_EQ(marker->GetThresholds(0, 100 * GBPS).kmaxBytes, 200000U);
}

TEST(QbbEcnMarker, StepWhereKminIsKmax)
{
    auto marker = CreateObject<QbbEcnMarker>();
    marker->SetProfile(2, {65000, 65000, 1});
    const auto curve = marker->GetThresholds(2, 40 * GBPS);
    EXPECT_EQ(curve.Decide(65000), QbbEcnDecision::NO);
    EXPECT_EQ(curve.Decide(65001), QbbEcnDecision::YES);
    EXPECT_DOUBLE_EQ(curve.GetProbability(65000), 0);
    EXPECT_DOUBLE_EQ(curve.GetProbability(65001), 1);
}

TEST(QbbEcnMarker, CurvesByPriority)
{
    auto marker = CreateObject<QbbEcnMarker>();
    marker->SetProfile(4, {100000, 400000, 0.2});
    marker->SetAttribute("Kmin", UintegerValue(7000));
    marker->SetAttribute("PriorityMask", UintegerValue(0x18));
    EXPECT_EQ(marker->GetThresholds(3, 40 * GBPS).kminBytes, 7000U);
    EXPECT_EQ(marker->GetThresholds(4, 40 * GBPS).kminBytes, 100000U);
    EXPECT_DOUBLE_EQ(marker->GetThresholds(4, 40 * GBPS).GetProbability(400000), 0.2);
    EXPECT_EQ(marker->GetProfile(4).kmaxBytes, 400000U);
    // left out by the mask: never
    EXPECT_EQ(marker->GetThresholds(0, 40 * GBPS).Decide(UINT64_MAX), QbbEcnDecision::NO);
}

TEST(QbbEcnMarker, CurvesByPort)
{
    auto marker = CreateObject<QbbEcnMarker>();
    marker->SetProfile(4, {100000, 400000, 0.2});
    marker->SetPortProfile(2, 4, QbbEcnProfile{7000, 9000, 0.5});
    marker->SetPortProfile(3, 4, std::nullopt);
    EXPECT_EQ(marker->GetThresholds(4, 40 * GBPS, 1).kminBytes, 100000U);
    EXPECT_EQ(marker->GetThresholds(4, 40 * GBPS, 2).kminBytes, 7000U);
    EXPECT_DOUBLE_EQ(marker->GetThresholds(4, 40 * GBPS, 2).GetProbability(9000), 0.5);
    EXPECT_EQ(marker->GetThresholds(4, 40 * GBPS, 3).Decide(UINT64_MAX), QbbEcnDecision::NO);
    EXPECT_EQ(marker->GetThresholds(4, 40 * GBPS).kminBytes, 100000U);
    // Without a curve of its own, the port has that of the priority.
    EXPECT_EQ(marker->GetThresholds(3, 40 * GBPS, 3).kminBytes, 5000U);
    marker->SetAttribute("PriorityMask", UintegerValue(0x8));
    EXPECT_EQ(marker->GetThresholds(4, 40 * GBPS, 2).Decide(UINT64_MAX), QbbEcnDecision::NO);
}

TEST(QbbEcnMarkerDeathTest, BadCurves)
{
    auto marker = CreateObject<QbbEcnMarker>();
    ExpectRefusal([&] { marker->SetPortProfile(0, 0, QbbEcnProfile{6, 5, 0.1}); }, "Kmin 6 bytes");
    EXPECT_DEATH(marker->SetPortProfile(0, 8, std::nullopt), "priority 8");
    ExpectRefusal([&] { marker->SetProfile(0, {6, 5, 0.1}); }, "Kmin 6 bytes, Kmax 5 bytes");
    ExpectRefusal(
        [&] {
            marker->SetProfile(0, {5, 6, 0});
        },
        "Pmax 0; accepted: above 0, at most 1");
    ExpectRefusal([&] { marker->SetProfile(0, {5, 6, 1.01}); }, "Pmax 1.01");
    EXPECT_DEATH(marker->SetProfile(8, {5, 6, 1}), "priority 8");
    ExpectRefusal([&] { marker->GetThresholds(0, 0_bps); }, "link rate 0 bit/s");
    EXPECT_FALSE(marker->SetAttributeFailSafe("Pmax", DoubleValue(0)));
    EXPECT_FALSE(marker->SetAttributeFailSafe("Pmax", DoubleValue(1.5)));
    marker->SetAttribute("Kmin", UintegerValue(200001));
    ExpectRefusal([&] { marker->GetThresholds(0, 40 * GBPS); },
                  "Kmin 200001 bytes, Kmax 200000 bytes");
}
