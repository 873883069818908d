/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-packet-bitmap.h"
#include "rdma-allocation-count.h"

#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace ns3;

TEST(RdmaPacketBitmap, NothingUntilFirstUse)
{
    RdmaPacketBitmap bitmap;
    EXPECT_EQ(bitmap.GetCapacity(), 0U);
    bitmap.Advance(1'000'000);
    EXPECT_EQ(bitmap.GetBase(), 1'000'000U);
    EXPECT_FALSE(bitmap.Test(1'000'000));
    EXPECT_FALSE(bitmap.Test(9'000'000));
    EXPECT_EQ(bitmap.FindClear(1'000'005), 1'000'005U);
    EXPECT_EQ(bitmap.GetCapacity(), 0U);
    bitmap.Set(1'000'001);
    EXPECT_EQ(bitmap.GetCapacity(), 128U);
    EXPECT_LE(sizeof(RdmaPacketBitmap), 32U);
}

TEST(RdmaPacketBitmap, GrowsInPowersOfTwo)
{
    RdmaPacketBitmap bitmap;
    bitmap.Advance(100);
    bitmap.Set(100);
    bitmap.Set(227); // the last of 128
    EXPECT_EQ(bitmap.GetCapacity(), 128U);
    bitmap.Set(228);
    EXPECT_EQ(bitmap.GetCapacity(), 256U);
    bitmap.Set(100 + 5000);
    EXPECT_EQ(bitmap.GetCapacity(), 8192U);
    for (uint64_t packet = 100; packet < 9000; ++packet)
    {
        const bool set = packet == 100 || packet == 227 || packet == 228 || packet == 5100;
        ASSERT_EQ(bitmap.Test(packet), set) << packet;
    }
}

TEST(RdmaPacketBitmap, WindowMovesAroundTheRing)
{
    // A window of 128 packets fills again and again, from every place in the ring. The ring does
    // not grow.
    RdmaPacketBitmap bitmap;
    bitmap.Set(1);
    const uint64_t before = GetRdmaAllocationCount();
    for (uint64_t base = 0; base < 10'000; base += 77)
    {
        bitmap.Advance(base);
        for (uint64_t packet = base; packet < base + 128; ++packet)
        {
            bitmap.Set(packet);
        }
        ASSERT_EQ(bitmap.FindClear(base), base + 128);
        ASSERT_EQ(bitmap.FindClear(base + 127), base + 128);
        ASSERT_EQ(bitmap.FindClear(base + 128), base + 128);
        ASSERT_FALSE(bitmap.Test(base + 128)); // shares the bit of base
    }
    EXPECT_EQ(GetRdmaAllocationCount(), before);
    EXPECT_EQ(bitmap.GetCapacity(), 128U);
    bitmap.Advance(1'000'000); // past the whole ring
    EXPECT_EQ(bitmap.FindClear(1'000'000), 1'000'000U);
}

TEST(RdmaPacketBitmap, AgainstASet)
{
    std::mt19937_64 random(310);
    for (int run = 0; run < 200; ++run)
    {
        RdmaPacketBitmap bitmap;
        std::set<uint64_t> set;
        uint64_t base = random() % 1000;
        bitmap.Advance(base);
        const uint64_t window = uint64_t{1} << (1 + random() % 10);
        for (int step = 0; step < 300; ++step)
        {
            const uint64_t packet = base + random() % window;
            if (random() % 4)
            {
                bitmap.Set(packet);
                set.insert(packet);
            }
            else
            {
                base = packet;
                bitmap.Advance(base);
                set.erase(set.begin(), set.lower_bound(base));
            }
            const uint64_t from = base + random() % window;
            uint64_t clear = from;
            while (set.count(clear))
            {
                ++clear;
            }
            ASSERT_EQ(bitmap.GetBase(), base);
            ASSERT_EQ(bitmap.Test(from), set.count(from) == 1);
            ASSERT_EQ(bitmap.FindClear(from), clear);
        }
    }
}
