/* SPDX-License-Identifier: GPL-2.0-only */

// HPCC over PINT: the byte, a switch's port, and the controller, worked out by hand from Ben Basat
// et al., SIGCOMM 2020.

#include "rdma-hpcc-pint.h"
#include "rdma-pint.h"
#include "rdma-test-units.h"
#include "rdma-time.h"

#include <ns3/uinteger.h>

#include <cmath>
#include <gtest/gtest.h>

using namespace ns3;

namespace
{

constexpr RdmaBitRate LINE = 100_gbps;
constexpr RdmaPs T = 10 * US;
constexpr uint64_t BT = 125'000;  // 100 Gb/s x 10 us, in bytes
constexpr double BASE = 1.050625; // 1.025 x 1.025

} // namespace

TEST(RdmaPintCode, IsALogarithm)
{
    EXPECT_LT(RdmaPintCode::Decode(0), 0);
    EXPECT_EQ(RdmaPintCode::Decode(1), 0.001);
    EXPECT_NEAR(RdmaPintCode::Decode(2), 0.001050625, 1e-12);
    EXPECT_NEAR(RdmaPintCode::Decode(3), 0.001103812890625, 1e-12);
    // 0.001 x 1.050625^254
    EXPECT_NEAR(RdmaPintCode::Decode(255), 280.4, 0.1);
    for (int code = 1; code < 255; ++code)
    {
        EXPECT_NEAR(RdmaPintCode::Decode(code + 1) / RdmaPintCode::Decode(code), BASE, 1e-9);
    }
}

TEST(RdmaPintCode, EncodesToANeighbour)
{
    for (const double u : {0.0011, 0.01, 0.5, 0.95, 1.0, 1.37, 2.0, 40.0, 279.0})
    {
        const double lower = RdmaPintCode::Decode(RdmaPintCode::Encode(u, 0xffffffff));
        const double upper = RdmaPintCode::Decode(RdmaPintCode::Encode(u, 0));
        EXPECT_LE(lower, u);
        EXPECT_GE(upper, u);
        EXPECT_NEAR(upper / lower, BASE, 1e-9);
    }
    // The utilisation of each byte is fixed.
    for (int code = 2; code < 255; ++code)
    {
        for (const uint32_t random : {1u, 0x80000000u, 0xfffffffeu})
        {
            EXPECT_EQ(RdmaPintCode::Encode(RdmaPintCode::Decode(code) * (1 + 1e-12), random), code);
        }
    }
}

TEST(RdmaPintCode, RoundsWithoutBias)
{
    for (const double u : {0.0011, 0.5, 0.95, 1.0, 7.3})
    {
        double sum = 0;
        constexpr uint32_t PARTS = 4096;
        for (uint32_t i = 0; i < PARTS; ++i)
        {
            const uint32_t random = (i << 20) + (1 << 19);
            sum += RdmaPintCode::Decode(RdmaPintCode::Encode(u, random));
        }
        EXPECT_NEAR(sum / PARTS, u, u * BASE / PARTS);
    }
}

TEST(RdmaPintCode, EndsOfItsRange)
{
    for (const uint32_t random : {0u, 0xffffffffu})
    {
        EXPECT_EQ(RdmaPintCode::Encode(0, random), RdmaPintCode::LOWEST);
        EXPECT_EQ(RdmaPintCode::Encode(0.001, random), RdmaPintCode::LOWEST);
        EXPECT_EQ(RdmaPintCode::Encode(281, random), RdmaPintCode::HIGHEST);
        EXPECT_EQ(RdmaPintCode::Encode(1e30, random), RdmaPintCode::HIGHEST);
    }
}

TEST(RdmaPintPort, AveragesByHand)
{
    RdmaPintPort port(LINE, T);
    port.OnDeparture(1000, BT, 5 * US); // nothing to compare with
    EXPECT_EQ(port.GetUtilisation(), 0);
    // 2 us later: w = 0.2, queue 25000 of 125000, 1000 bytes of 25000: u = 0.2 + 0.04.
    port.OnDeparture(25'000, 25'000, 7 * US);
    EXPECT_DOUBLE_EQ(port.GetUtilisation(), 0.048);
    // 5 us later: w = 0.5, no queue, 25000 bytes of 62500: u = 0.4; 0.024 + 0.2.
    port.OnDeparture(1000, 0, 12 * US);
    EXPECT_DOUBLE_EQ(port.GetUtilisation(), 0.224);
    // At the same instant there is nothing to add.
    port.OnDeparture(125'000, 0, 12 * US);
    EXPECT_DOUBLE_EQ(port.GetUtilisation(), 0.224);
    // 2 T later: w = 1, 125000 bytes of 250000, queue of half B x T.
    port.OnDeparture(1000, BT / 2, 32 * US);
    EXPECT_DOUBLE_EQ(port.GetUtilisation(), 1);
}

TEST(RdmaPintPort, IsOneAtAFullPortOfAnyRate)
{
    for (const uint64_t gbps : {1, 10, 25, 40, 100, 400, 800, 1600})
    {
        const RdmaBitRate rate = gbps * 1_gbps;
        const RdmaPs slot = 1000 * 8'000_ps / gbps; // of a packet of 1000 bytes
        const RdmaPs t = 100 * slot;
        RdmaPintPort port(rate, t);
        for (int i = 0; i < 101; ++i)
        {
            port.OnDeparture(1000, 0, i * slot);
        }
        // w = 1/100, 100 times: 1 - 0.99^100
        EXPECT_NEAR(port.GetUtilisation(), 1 - std::pow(0.99, 100), 1e-9);
        for (int i = 101; i < 3000; ++i)
        {
            port.OnDeparture(1000, 0, i * slot);
        }
        EXPECT_NEAR(port.GetUtilisation(), 1, 1e-9);
    }
}

TEST(RdmaPintPort, WritesTheHighestOfAPath)
{
    RdmaPintPort port(LINE, T);
    port.OnDeparture(62'500, 0, 0_ps);
    port.OnDeparture(1000, 0, T);
    ASSERT_DOUBLE_EQ(port.GetUtilisation(), 0.5);
    const uint8_t half = RdmaPintCode::Encode(0.5, 7);
    EXPECT_EQ(port.Write(RdmaPintCode::NONE, 7), RdmaPintCode::NONE);
    EXPECT_EQ(port.Write(RdmaPintCode::LOWEST, 7), half);
    EXPECT_EQ(port.Write(half + 1, 7), half + 1);
    EXPECT_EQ(port.Write(half - 1, 7), half);
}

TEST(RdmaHpccPint, ReactsToWhatThePacketBrings)
{
    RdmaHpccParameters parameters;
    parameters.increaseBytes = 100;
    parameters.baseRtt = T;
    RdmaPathProfile profile;
    profile.lineRate = LINE;
    profile.packetBytes = 1000;
    RdmaHpccPintController c(parameters, profile);
    EXPECT_EQ(c.GetWindowBytes(), BT);
    RdmaAckSample sample;
    sample.ackedTo = 1;
    sample.sentTo = 100;
    c.OnAck(sample); // without a PINT byte
    EXPECT_EQ(c.GetReferenceWindow(), BT);
    // The first byte begins a round trip, which ends when packet 100 is acknowledged.
    sample.utilisation = 2;
    c.OnAck(sample);
    EXPECT_EQ(c.GetReferenceWindow(), BT);
    EXPECT_EQ(c.GetExactWindow(), BT);
    // U = 2: 125000 x 0.95 / 2 + 100. The switches average U, the controller does not.
    sample.ackedTo = 2;
    c.OnAck(sample);
    EXPECT_NEAR(c.GetExactWindow(), 59'475, 1e-6);
    EXPECT_EQ(c.GetReferenceWindow(), BT);
    sample.ackedTo = 101;
    sample.sentTo = 200;
    c.OnAck(sample);
    EXPECT_NEAR(c.GetReferenceWindow(), 59'475, 1e-6);
    EXPECT_EQ(c.GetUtilisation(), 2);
    // The round trip ends with packet 200.
    sample.ackedTo = 200;
    c.OnAck(sample);
    EXPECT_NEAR(c.GetExactWindow(), 59'475 * 0.475 + 100, 1e-6);
    EXPECT_NEAR(c.GetReferenceWindow(), 59'475, 1e-6);
    // Below eta: Wc + W_AI.
    sample.utilisation = 0.5;
    c.OnAck(sample);
    EXPECT_NEAR(c.GetExactWindow(), 59'575, 1e-6);
    sample.ackedTo = 201;
    sample.sentTo = 300;
    c.OnNak(sample);
    EXPECT_NEAR(c.GetReferenceWindow(), 59'575, 1e-6);
    EXPECT_EQ(c.GetStage(), 1U);
    // An idle link: a utilisation of 0 is valid.
    sample.utilisation = 0;
    c.OnAck(sample);
    EXPECT_EQ(c.GetUtilisation(), 0);
    EXPECT_LE(sizeof(c), 96U);
}

TEST(RdmaHpccPint, Attributes)
{
    RdmaSetTimeResolution();
    auto control = CreateObject<RdmaHpccPint>();
    EXPECT_EQ(control->GetIntFormat(), RdmaIntFormat::NONE);
    EXPECT_FALSE(control->NeedsRtt());
    EXPECT_EQ(control->GetUtilisationPeriod(), 1U);
    EXPECT_EQ(CreateObject<RdmaHpcc>()->GetUtilisationPeriod(), 0U);
    control->SetAttribute("SamplePeriod", UintegerValue(16));
    EXPECT_EQ(control->GetUtilisationPeriod(), 16U);
    EXPECT_FALSE(control->SetAttributeFailSafe("SamplePeriod", UintegerValue(0)));
    // RdmaHpccPint has HPCC's attributes.
    control->SetAttribute("MaxStage", UintegerValue(0));
    control->SetAttribute("AdditiveIncrease", UintegerValue(80));
    RdmaPathProfile profile;
    profile.lineRate = LINE;
    profile.packetBytes = 1000;
    profile.baseRtt = T;
    EXPECT_EQ(control->GetParameters(profile).increaseBytes, 80);
    EXPECT_EQ(control->GetParameters(profile).maxStage, 0U);
    EXPECT_NE(dynamic_cast<RdmaHpccPintController*>(control->MakeController(profile).get()),
              nullptr);
}
