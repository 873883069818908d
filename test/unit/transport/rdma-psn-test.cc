/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-psn.h"

#include <gtest/gtest.h>
#include <random>

using namespace ns3;

namespace
{

constexpr int64_t SPACE = RDMA_PSN_SPACE;     //!< 16'777'216
constexpr int64_t HALF = RDMA_PSN_SPACE / 2;  //!< 8'388'608
constexpr uint32_t LAST = RDMA_PSN_SPACE - 1; //!< 0xffffff

} // namespace

TEST(RdmaPsn, ToPsn)
{
    EXPECT_EQ(RdmaToPsn(0, 0), 0U);
    EXPECT_EQ(RdmaToPsn(0, 1), 1U);
    EXPECT_EQ(RdmaToPsn(0, LAST), LAST);
    EXPECT_EQ(RdmaToPsn(0, SPACE), 0U);
    EXPECT_EQ(RdmaToPsn(LAST, 0), LAST);
    EXPECT_EQ(RdmaToPsn(LAST, 1), 0U);
    EXPECT_EQ(RdmaToPsn(0x123456, SPACE * 5 + 1), 0x123457U);
    // beyond 32 bits: 2^32 = 256 x 2^24
    EXPECT_EQ(RdmaToPsn(10, 1ULL << 32), 10U);
    EXPECT_EQ(RdmaToPsn(LAST, (1ULL << 32) + 3), 2U);
    EXPECT_EQ(RdmaToPsn(LAST, (1ULL << 40) + 1), 0U);
}

TEST(RdmaPsn, FromPsnAroundZero)
{
    EXPECT_EQ(RdmaFromPsn(0, 0, 0), 0);
    EXPECT_EQ(RdmaFromPsn(0, 1, 0), 1);
    EXPECT_EQ(RdmaFromPsn(0, LAST, 0), -1); // the acknowledgement of nothing
    EXPECT_EQ(RdmaFromPsn(0, LAST - 9, 0), -10);
    EXPECT_EQ(RdmaFromPsn(7, 6, 0), -1);
    EXPECT_EQ(RdmaFromPsn(7, 7, 0), 0);
    EXPECT_EQ(RdmaFromPsn(LAST, LAST, 0), 0);
    EXPECT_EQ(RdmaFromPsn(LAST, 0, 0), 1);
    EXPECT_EQ(RdmaFromPsn(LAST, LAST - 1, 0), -1);
}

TEST(RdmaPsn, FromPsnAroundTheWrap)
{
    // packet 2^24 has the PSN of packet 0
    EXPECT_EQ(RdmaFromPsn(0, LAST, SPACE), SPACE - 1);
    EXPECT_EQ(RdmaFromPsn(0, 0, SPACE - 1), SPACE);
    EXPECT_EQ(RdmaFromPsn(0, 0, SPACE), SPACE);
    EXPECT_EQ(RdmaFromPsn(0, 5, SPACE + 5), SPACE + 5);
    EXPECT_EQ(RdmaFromPsn(0, LAST - 5, SPACE + 5), SPACE - 6);
    EXPECT_EQ(RdmaFromPsn(0xfffff0, 0x10, 0), 0x20);
    EXPECT_EQ(RdmaFromPsn(0xfffff0, 0xfffff0, 0x20), 0);
}

TEST(RdmaPsn, HalfTheSpaceEitherWay)
{
    // 2^23 - 1 ahead and 2^23 behind: with a window below 2^23 there is no doubt.
    for (const uint64_t near : {uint64_t{0}, uint64_t{SPACE}, uint64_t{5} << 32})
    {
        const auto n = static_cast<int64_t>(near);
        EXPECT_EQ(RdmaFromPsn(3, RdmaToPsn(3, near + HALF - 1), near), n + HALF - 1);
        EXPECT_EQ(RdmaFromPsn(3, RdmaToPsn(3, near + HALF), near), n - HALF);
        EXPECT_EQ(RdmaFromPsn(3, RdmaToPsn(3, near + HALF + 1), near), n - HALF + 1);
    }
    EXPECT_EQ(RDMA_MAX_WINDOW, 8'388'608U);
}

TEST(RdmaPsn, BeyondTwoTo32)
{
    const uint64_t near = (uint64_t{1} << 32) + 1000;
    for (int64_t distance = -2000; distance <= 2000; ++distance)
    {
        const auto packet = static_cast<int64_t>(near) + distance;
        const uint32_t psn = RdmaToPsn(0xfffc00, static_cast<uint64_t>(packet));
        EXPECT_LE(psn, LAST);
        EXPECT_EQ(RdmaFromPsn(0xfffc00, psn, near), packet);
    }
}

TEST(RdmaPsn, RandomThereAndBack)
{
    std::mt19937_64 random(13);
    for (int i = 0; i < 200000; ++i)
    {
        const auto initial = static_cast<uint32_t>(random() & LAST);
        const uint64_t near = random() >> (1 + random() % 62);
        const int64_t packet =
            static_cast<int64_t>(near) + static_cast<int64_t>(random() % SPACE) - HALF;
        const uint32_t psn = RdmaToPsn(initial, static_cast<uint64_t>(packet));
        ASSERT_EQ(psn, (initial + static_cast<uint64_t>(packet % SPACE + SPACE)) % RDMA_PSN_SPACE);
        ASSERT_EQ(RdmaFromPsn(initial, psn, near), packet);
    }
}

// Both functions serve in constant expressions.
static_assert(RdmaToPsn(1, SPACE) == 1);
static_assert(RdmaFromPsn(1, 0, 0) == -1);
