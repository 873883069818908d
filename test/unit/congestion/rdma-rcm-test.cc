/* SPDX-License-Identifier: GPL-2.0-only */

// RCM's rate delay and its recovery, by hand.

#include "rdma-rcm.h"
#include "rdma-test-units.h"
#include "rdma-time.h"

#include <ns3/nstime.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

constexpr RdmaBitRate LINE = 40_gbps;

std::unique_ptr<RdmaRateController>
MakeRcm(const std::string& rule)
{
    RdmaSetTimeResolution();
    auto control = CreateObject<RdmaRcm>();
    control->SetAttribute("RecoveryRule", StringValue(rule));
    control->SetAttribute("RecoveryTime", TimeValue(MicroSeconds(100)));
    control->SetAttribute("RecoveryBytes", UintegerValue(5000));
    control->SetAttribute("MaxDelay", UintegerValue(4));
    RdmaPathProfile profile;
    profile.lineRate = LINE;
    profile.packetBytes = 1000; // 200 ns
    return control->MakeController(profile);
}

/** \return n of the rate line / (n + 1) */
uint64_t
GetDelay(RdmaRateController& c, RdmaPs now)
{
    return LINE / c.GetRate(now) - 1;
}

} // namespace

TEST(RdmaRcm, EachCnpDelaysByOnePacketTimeMore)
{
    // T = 200 ns: 2 T after one CNP, 3 T after two, which are 20 and 13.333333333 Gb/s.
    auto c = MakeRcm("Time");
    EXPECT_EQ(c->GetRate(0_ps), LINE);
    c->OnCnp(0_ps);
    EXPECT_EQ(c->GetRate(0_ps), LINE / 2);
    c->OnCnp(0_ps);
    EXPECT_EQ(c->GetRate(0_ps), 13'333'333'333_bps);
    c->OnCnp(0_ps);
    c->OnCnp(0_ps);
    c->OnCnp(0_ps);
    EXPECT_EQ(c->GetRate(0_ps), LINE / 5); // MaxDelay 4
}

TEST(RdmaRcm, RecoveryByTime)
{
    auto c = MakeRcm("Time");
    c->OnCnp(0_ps);
    c->OnCnp(10 * US);
    c->OnCnp(20 * US);
    c->OnSent(100'000, 30 * US);
    EXPECT_EQ(GetDelay(*c, 120 * US - 1_ps), 3U);
    EXPECT_EQ(GetDelay(*c, 120 * US), 2U);
    EXPECT_EQ(GetDelay(*c, 319 * US), 1U);
    EXPECT_EQ(GetDelay(*c, 320 * US), 0U);
    EXPECT_EQ(GetDelay(*c, 999 * US), 0U);
    c->OnCnp(1000 * US);
    EXPECT_EQ(GetDelay(*c, 1099 * US), 1U);
}

TEST(RdmaRcm, RecoveryByBytes)
{
    auto c = MakeRcm("Bytes");
    c->OnSent(4999, 0_ps); // before the CNP: does not count
    for (int i = 0; i < 3; ++i)
    {
        c->OnCnp(0_ps);
    }
    EXPECT_EQ(GetDelay(*c, 999'000 * US), 3U);
    c->OnSent(4999, US);
    EXPECT_EQ(GetDelay(*c, US), 3U);
    c->OnSent(2, US);
    EXPECT_EQ(GetDelay(*c, US), 2U);
    c->OnSent(9999, US); // bytes beyond the threshold count: 1 + 9999 = 2 x 5000
    EXPECT_EQ(GetDelay(*c, US), 0U);
}

TEST(RdmaRcm, RecoveryByEither)
{
    auto c = MakeRcm("Either");
    for (int i = 0; i < 4; ++i)
    {
        c->OnCnp(0_ps);
    }
    c->OnSent(5000, 40 * US);
    EXPECT_EQ(GetDelay(*c, 139 * US), 3U);
    EXPECT_EQ(GetDelay(*c, 140 * US), 2U); // the time counts from the recovery by bytes
    c->OnSent(4000, 200 * US);
    EXPECT_EQ(GetDelay(*c, 240 * US), 1U);
    c->OnSent(4000, 250 * US); // the bytes count from the recovery by time
    EXPECT_EQ(GetDelay(*c, 250 * US), 1U);
}

TEST(RdmaRcm, RecoveryByBoth)
{
    auto c = MakeRcm("Both");
    for (int i = 0; i < 3; ++i)
    {
        c->OnCnp(0_ps);
    }
    EXPECT_EQ(GetDelay(*c, 150 * US), 3U); // the time is over, the bytes are not
    c->OnSent(5000, 160 * US);
    EXPECT_EQ(GetDelay(*c, 160 * US), 2U); // both are over: the bytes came last
    c->OnSent(5000, 170 * US);
    EXPECT_EQ(GetDelay(*c, 259 * US), 2U);
    EXPECT_EQ(GetDelay(*c, 300 * US), 1U); // both are over: the time came last, at 260
    c->OnSent(5000, 310 * US);
    EXPECT_EQ(GetDelay(*c, 359 * US), 1U);
    EXPECT_EQ(GetDelay(*c, 360 * US), 0U);
}
