/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-expect-error.h"
#include "rdma-int128.h"
#include "rdma-line-rate.h"
#include "rdma-test-units.h"

#include <gtest/gtest.h>
#include <random>

using namespace ns3;

TEST(RdmaLineRate, UsualRatesAreExact)
{
    struct
    {
        uint64_t gbps;
        RdmaPs byteTime;
    } const rates[] = {{1, 8000_ps},
                       {10, 800_ps},
                       {25, 320_ps},
                       {40, 200_ps},
                       {50, 160_ps},
                       {100, 80_ps},
                       {200, 40_ps},
                       {400, 20_ps},
                       {800, 10_ps},
                       {1600, 5_ps}};

    for (const auto& [gbps, byteTime] : rates)
    {
        const RdmaLineRate rate(gbps * GBPS);
        EXPECT_TRUE(rate.IsExact());
        EXPECT_EQ(rate.GetBitRate(), gbps * GBPS);
        EXPECT_EQ(rate.BytesToPs(1), byteTime);
        EXPECT_EQ(rate.BytesToPs(1538), 1538 * byteTime);
        EXPECT_EQ(rate.BitsToPs(512), 64 * byteTime);
        uint64_t fraction = 0;
        EXPECT_EQ(rate.BytesToPs(9038, fraction), 9038 * byteTime);
        EXPECT_EQ(fraction, 0U);
    }
    // the fastest: a picosecond a byte, and an eighth of one a bit
    const RdmaLineRate fastest(8000 * GBPS);
    EXPECT_EQ(fastest.BytesToPs(64), 64_ps);
    EXPECT_EQ(fastest.BitsToPs(7), 0_ps);
    EXPECT_EQ(fastest.BitsToPs(8), 1_ps);
}

TEST(RdmaLineRate, RoundsDown)
{
    // 3 Gb/s: 8000/3 = 2666.67 ps a byte
    const RdmaLineRate rate(3 * GBPS);
    EXPECT_FALSE(rate.IsExact());
    EXPECT_EQ(rate.BytesToPs(0), 0_ps);
    EXPECT_EQ(rate.BytesToPs(1), 2666_ps);
    EXPECT_EQ(rate.BytesToPs(2), 5333_ps);
    EXPECT_EQ(rate.BytesToPs(3), 8000_ps);
    EXPECT_EQ(rate.BitsToPs(1), 333_ps);
    EXPECT_EQ(rate.BitsToPs(3), 1000_ps);
    EXPECT_EQ(rate.BitsToPs(512), 170'666_ps);
}

TEST(RdmaLineRate, FractionIsCarried)
{
    // 3 Gb/s, one byte at a time. A byte leaves 2/3 ps over: 2/3, 4/3 - 1 = 1/3, 3/3 - 1 = 0.
    const RdmaLineRate rate(3 * GBPS);
    uint64_t fraction = 0;
    EXPECT_EQ(rate.BytesToPs(1, fraction), 2666_ps);
    EXPECT_EQ(fraction, 2'000'000'000U);
    EXPECT_EQ(rate.BytesToPs(1, fraction), 2667_ps);
    EXPECT_EQ(fraction, 1'000'000'000U);
    EXPECT_EQ(rate.BytesToPs(1, fraction), 2667_ps);
    EXPECT_EQ(fraction, 0U);
}

TEST(RdmaLineRate, MillionFramesAt3Gbps)
{
    // 10^6 x 1538 x 8 bits / 3e9 bit/s = 12304 / 3 ms = 4101.333 ms: 4'101'333'333'333 1/3 ps
    const RdmaLineRate rate(3 * GBPS);
    uint64_t fraction = 0;
    RdmaPs total = 0_ps;
    for (int i = 0; i < 1'000'000; ++i)
    {
        total += rate.BytesToPs(1538, fraction);
    }
    EXPECT_EQ(total, 4'101'333'333'333_ps);
    EXPECT_EQ(fraction, 1'000'000'000U);
    EXPECT_EQ(rate.BytesToPs(1'538'000'000), total);
}

TEST(RdmaLineRate, MillionFramesAt7BitsPerSecond)
{
    // A byte takes 8e12 / 7 = 1'142'857'142'857 1/7 ps. 10^6 x 64 bytes at 1 bit/s take 5.12e20 ps;
    // 5.12e20 / 7 = 73'142'857'142'857'142'857 1/7, which 64 bits do not hold.
    const RdmaLineRate rate(7_bps);
    EXPECT_EQ(rate.BytesToPs(1), 1'142'857'142'857_ps);
    uint64_t fraction = 0;
    RdmaUint128 total = 0;
    for (int i = 0; i < 1'000'000; ++i)
    {
        total += static_cast<RdmaUint128>(rate.BytesToPs(64, fraction).Get());
    }
    EXPECT_TRUE(total == RdmaUint128{73'142'857'142'857} * 1'000'000 + 142'857);
    EXPECT_EQ(fraction, 1U);
}

TEST(RdmaLineRate, RandomTrainsTakeTheTimeOfTheirTotal)
{
    std::mt19937_64 random(11);
    for (int pattern = 0; pattern < 200; ++pattern)
    {
        // rates over all orders of magnitude
        const uint64_t bitsPerSecond =
            1 + random() % ((8000 * GBPS).Get() >> (random() % 40)) % (8000 * GBPS).Get();
        const RdmaLineRate rate{RdmaBitRate(bitsPerSecond)};
        uint64_t fraction = 0;
        RdmaUint128 total = 0;
        RdmaUint128 totalBytes = 0;
        for (int i = 0; i < 500; ++i)
        {
            const uint64_t bytes = 64 + random() % 9000;
            totalBytes += bytes;
            total += static_cast<RdmaUint128>(rate.BytesToPs(bytes, fraction).Get());
            // After every frame: the exact time, rounded down.
            ASSERT_TRUE(total == totalBytes * 8'000'000'000'000U / bitsPerSecond);
            ASSERT_TRUE(fraction == totalBytes * 8'000'000'000'000U % bitsPerSecond);
        }
    }
}

TEST(RdmaLineRate, LargeTransfers)
{
    // 2^40 bytes at 100 Gb/s: 80 ps each
    EXPECT_EQ(RdmaLineRate(100 * GBPS).BytesToPs(1ULL << 40), (int64_t{1} << 40) * 80_ps);
    // 2^40 bytes at 3 Gb/s: 2^40 x 8000 / 3 = 2'932'031'007'402'666 2/3
    EXPECT_EQ(RdmaLineRate(3 * GBPS).BytesToPs(1ULL << 40), 2'932'031'007'402'666_ps);
    // the longest pause at 1 Gb/s: 65535 x 512 bits of 1000 ps
    EXPECT_EQ(RdmaLineRate(GBPS).BitsToPs(65535 * 512), 33'553'920'000_ps);
    // a second holds as many bits as the rate says
    for (const RdmaBitRate rate : {1_bps, 7 * GBPS + 1_bps, 8000 * GBPS})
    {
        EXPECT_EQ(RdmaLineRate(rate).BitsToPs(rate.Get()), 1_s);
    }
}

TEST(RdmaLineRateDeathTest, Range)
{
    ExpectRefusal([] { RdmaLineRate(0_bps); },
                  "a line rate of 0 bit/s; accepted: 1 bit/s to 8 Tb/s");
    ExpectRefusal([] { RdmaLineRate(8000 * GBPS + 1_bps); }, "accepted: 1 bit/s to 8 Tb/s");
}
