/* SPDX-License-Identifier: GPL-2.0-only */

// Picoseconds, bit rates and times of events are types of their own.

#include "rdma-bit-rate.h"
#include "rdma-event-time.h"
#include "rdma-ps.h"

#include <gtest/gtest.h>
#include <limits>
#include <sstream>
#include <type_traits>

using namespace ns3;

namespace
{

/** True if values of two types can be added. \tparam A a type \tparam B a type */
template <typename A, typename B, typename = void>
constexpr bool CAN_ADD = false;
template <typename A, typename B>
constexpr bool CAN_ADD<A, B, std::void_t<decltype(std::declval<A>() + std::declval<B>())>> = true;

/** True if values of two types can be multiplied. \tparam A a type \tparam B a type */
template <typename A, typename B, typename = void>
constexpr bool CAN_MULTIPLY = false;
template <typename A, typename B>
constexpr bool CAN_MULTIPLY<A, B, std::void_t<decltype(std::declval<A>() * std::declval<B>())>> =
    true;

/** True if values of two types can be compared. \tparam A a type \tparam B a type */
template <typename A, typename B, typename = void>
constexpr bool CAN_COMPARE = false;
template <typename A, typename B>
constexpr bool CAN_COMPARE<A, B, std::void_t<decltype(std::declval<A>() < std::declval<B>())>> =
    true;

// Numbers, rates and other times are not accepted as picoseconds.
static_assert(CAN_ADD<RdmaPs, RdmaPs> && CAN_ADD<RdmaBitRate, RdmaBitRate>);
static_assert(!CAN_ADD<RdmaPs, int64_t> && !CAN_ADD<int64_t, RdmaPs> &&
              !CAN_ADD<RdmaPs, RdmaBitRate>);
static_assert(!CAN_ADD<RdmaEventTime, RdmaPs> && !CAN_ADD<RdmaEventTime, RdmaEventTime>);
static_assert(!CAN_COMPARE<RdmaPs, int> && !CAN_COMPARE<RdmaPs, RdmaBitRate> &&
              !CAN_COMPARE<RdmaPs, RdmaEventTime>);
static_assert(CAN_MULTIPLY<RdmaPs, uint32_t> && CAN_MULTIPLY<int, RdmaPs>);
static_assert(!CAN_MULTIPLY<RdmaPs, double> && !CAN_MULTIPLY<RdmaPs, bool> &&
              !CAN_MULTIPLY<RdmaPs, RdmaPs> && !CAN_MULTIPLY<RdmaBitRate, double>);
static_assert(!std::is_convertible_v<int64_t, RdmaPs> && !std::is_convertible_v<RdmaPs, int64_t> &&
              !std::is_convertible_v<RdmaPs, double> && !std::is_constructible_v<RdmaPs, double>);
static_assert(!std::is_convertible_v<uint64_t, RdmaBitRate> &&
              !std::is_constructible_v<RdmaBitRate, double>);
static_assert(std::is_same_v<decltype(1_us / 1_ns), int64_t>);
static_assert(std::is_same_v<decltype(1_us % 1_ns), RdmaPs>);
static_assert(std::is_same_v<decltype(1_gbps / 1_mbps), uint64_t>);

} // namespace

TEST(RdmaPs, Units)
{
    EXPECT_EQ(1_s, 1000_ms);
    EXPECT_EQ(1_ms, 1000_us);
    EXPECT_EQ(1_us, 1000_ns);
    EXPECT_EQ(1_ns, 1000_ps);
    EXPECT_EQ((1_s).Get(), 1'000'000'000'000);
    EXPECT_EQ(RdmaPs(), 0_ps);
    EXPECT_EQ(RDMA_NEVER.Get(), std::numeric_limits<int64_t>::max());
}

TEST(RdmaPs, Arithmetic)
{
    EXPECT_EQ(7_ns + 3_ps, 7003_ps);
    EXPECT_EQ(7_ns - 8_ns, -1_ns);
    EXPECT_EQ(3 * 80_ps, 80_ps * 3U);
    EXPECT_EQ(7_ps / 2, 3_ps);
    EXPECT_EQ(-7_ps / 2, -3_ps) << "rounded towards 0, as integers are";
    EXPECT_EQ(7_ns / 2_ns, 3);
    EXPECT_EQ(7_ns % 2_ns, 1_ns);
    RdmaPs time = 1_us;
    time += 5_ns;
    time -= 5_ps;
    time *= 2;
    time /= 5;
    EXPECT_EQ(time, 401'998_ps);
    EXPECT_EQ(static_cast<double>(3_ns), 3000.0);
    EXPECT_TRUE(1_ps < 2_ps && 2_ps <= 2_ps && 3_ps > 2_ps && 2_ps >= 2_ps && 1_ps != 2_ps);
}

TEST(RdmaBitRate, UnitsAndArithmetic)
{
    EXPECT_EQ(1_gbps, 1000_mbps);
    EXPECT_EQ(1_mbps, 1'000'000_bps);
    EXPECT_EQ(100_gbps + 25_gbps - 5_gbps, 120_gbps);
    EXPECT_EQ(4 * 25_gbps, 100_gbps);
    EXPECT_EQ(10_bps / 3, 3_bps);
    EXPECT_EQ(100_gbps / 40_gbps, 2U);
    EXPECT_EQ(RdmaBitRate(DataRate("25Gbps")), 25_gbps);
    EXPECT_EQ((25_gbps).ToDataRate(), DataRate("25Gbps"));
    EXPECT_TRUE(1_gbps < 2_gbps && 2_gbps >= 2_gbps && 1_gbps != 2_gbps);
}

TEST(RdmaEventTime, OrdersEventsOfAnInstant)
{
    const RdmaEventTime first(5_ps, 3);
    const RdmaEventTime second(5_ps, 999);
    EXPECT_TRUE(first < second && second < RdmaEventTime(6_ps, 0));
    EXPECT_EQ(second.GetInstant(), 5_ps) << "the order never reaches the instant";
    EXPECT_EQ(first.GetFs(), 5003);
    EXPECT_EQ(RdmaEventTime::FromFs(5003), first);
    EXPECT_TRUE(second < RdmaEventTime::Never());
}

TEST(RdmaLiterals, StreamsPrintTheNumber)
{
    std::ostringstream os;
    os << 3_ns << " " << 2_mbps << " " << RdmaEventTime(1_ps, 2);
    EXPECT_EQ(os.str(), "3000 2000000 1002");
}
