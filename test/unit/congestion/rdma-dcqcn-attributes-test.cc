/* SPDX-License-Identifier: GPL-2.0-only */

// DCQCN's attributes: presets, attributes that override them, and values that are refused.

#include "rdma-dcqcn-setup.h"
#include "rdma-expect-error.h"
#include "rdma-test-units.h"
#include "rdma-time.h"

#include <ns3/data-rate.h>
#include <ns3/double.h>
#include <ns3/integer.h>
#include <ns3/nstime.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::RdmaDcqcnSetup;

TEST(RdmaDcqcnAttributes, OverrideThePreset)
{
    RdmaSetTimeResolution();
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
    RdmaSetTimeResolution();
    auto control = CreateObject<RdmaDcqcn>();
    RdmaPathProfile profile;
    profile.lineRate = LINE;
    auto controller = control->MakeController(profile);
    EXPECT_EQ(controller->GetRate(0_ps), LINE);
    EXPECT_EQ(controller->GetWindowBytes(), RdmaRateController::NO_WINDOW);
    EXPECT_FALSE(controller->HasWindow());
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
    RdmaSetTimeResolution();
    auto control = CreateObject<RdmaDcqcn>();
    RdmaPathProfile profile;
    profile.lineRate = M;
    control->SetAttribute("RateOnFirstCnp", DataRateValue((M + 1_bps).ToDataRate()));
    ExpectRefusal([&] { control->MakeController(profile); },
                  "RateOnFirstCnp 1000001 bit/s; accepted");
    control->SetAttribute("IncreaseTimer", TimeValue(Seconds(0)));
    ExpectRefusal([&] { control->MakeController(profile); }, "IncreaseTimer 0; accepted");
}
