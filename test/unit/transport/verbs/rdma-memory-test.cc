/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-memory.h"

#include <gtest/gtest.h>
#include <limits>
#include <set>
#include <vector>

namespace ns3
{
namespace
{

constexpr uint64_t LAST = std::numeric_limits<uint64_t>::max();
constexpr RdmaMemoryAccess ALL{true, true, true};
constexpr RdmaMemoryAccess WRITE{true, false, false};
constexpr RdmaMemoryAccess READ{false, true, false};
constexpr RdmaMemoryAccess ATOMIC{false, false, true};

TEST(RdmaMemoryTest, BoundsOfARegion)
{
    RdmaMemory memory;
    const uint32_t key = memory.Register(1000, 100, ALL);

    struct Row
    {
        uint64_t address;
        uint64_t length;
        bool allowed;
    };

    for (const Row& row : {Row{1000, 100, true},
                           Row{1000, 1, true},
                           Row{1099, 1, true},
                           Row{1050, 50, true},
                           Row{1000, 101, false},
                           Row{999, 1, false},
                           Row{999, 2, false},
                           Row{999, 101, false},
                           Row{1100, 1, false},
                           Row{1099, 2, false},
                           Row{1050, LAST, false}, // its end is beyond the last address
                           Row{1050, LAST - 1049, false},
                           Row{0, LAST, false},
                           Row{LAST, 1, false},
                           // 0 bytes are allowed anywhere
                           Row{5, 0, true},
                           Row{1100, 0, true}})
    {
        EXPECT_EQ(memory.Allows(key, row.address, row.length, WRITE), row.allowed)
            << row.length << " bytes at " << row.address;
    }
}

TEST(RdmaMemoryTest, WholeAddressSpace)
{
    RdmaMemory memory;
    const uint32_t low = memory.Register(0, LAST, ALL);
    EXPECT_TRUE(memory.Allows(low, 0, LAST, ALL));
    EXPECT_FALSE(memory.Allows(low, 1, LAST, ALL));
    EXPECT_FALSE(memory.Allows(low, LAST, 1, ALL)); // the region ends one before
    const uint32_t high = memory.Register(LAST, 1, ALL);
    EXPECT_TRUE(memory.Allows(high, LAST, 1, ALL));
    EXPECT_FALSE(memory.Allows(high, LAST, 2, ALL));
    EXPECT_FALSE(memory.Allows(high, LAST - 1, 1, ALL));
    EXPECT_DEATH(memory.Register(LAST, 2, ALL), "rdma: a memory region of 2 bytes at address");
    EXPECT_TRUE(memory.Allows(memory.Register(1, LAST, ALL), LAST, 1, ALL));
    EXPECT_DEATH(memory.Register(2, LAST, ALL), "accepted: 1 byte to the last address");
    EXPECT_DEATH(memory.Register(5, 0, ALL), "rdma: a memory region of 0 bytes at address 5");
}

TEST(RdmaMemoryTest, Rights)
{
    RdmaMemory memory;
    const std::vector<RdmaMemoryAccess> rights = {WRITE, READ, ATOMIC};
    for (std::size_t given = 0; given < rights.size(); ++given)
    {
        const uint32_t key = memory.Register(0, 64, rights[given]);
        for (std::size_t wanted = 0; wanted < rights.size(); ++wanted)
        {
            EXPECT_EQ(memory.Allows(key, 0, 8, rights[wanted]), given == wanted);
        }
        EXPECT_FALSE(memory.Allows(key, 0, 8, ALL));
        EXPECT_TRUE(memory.Allows(key, 0, 8, RdmaMemoryAccess()));
    }
    const uint32_t key = memory.Register(0, 64, {true, true, false});
    EXPECT_TRUE(memory.Allows(key, 0, 8, {true, true, false}));
    EXPECT_FALSE(memory.Allows(key, 0, 8, ATOMIC));
}

TEST(RdmaMemoryTest, KeysAreNeitherZeroNorAlike)
{
    RdmaMemory memory;
    std::set<uint32_t> keys{RdmaMemory::NO_KEY};
    for (uint32_t i = 0; i < 1000; ++i)
    {
        EXPECT_TRUE(keys.insert(memory.Register(0, 8, ALL)).second);
    }
    EXPECT_EQ(memory.GetNRegions(), 1000U);
    EXPECT_FALSE(memory.Allows(RdmaMemory::NO_KEY, 0, 8, ALL));
    memory.SetGlobalKey(true);
    EXPECT_TRUE(memory.Allows(RdmaMemory::NO_KEY, 0, 8, ALL));
    // Keys that were never given, near keys that were.
    for (const uint32_t key : keys)
    {
        for (const uint32_t other : {key + 1, key ^ 0x80, key + (1000U << 8), key | 0xff000000})
        {
            if (keys.count(other) == 0)
            {
                EXPECT_FALSE(memory.Allows(other, 0, 8, ALL)) << other;
            }
        }
    }
}

TEST(RdmaMemoryTest, DeregisteredKeysAreGoodForNothing)
{
    RdmaMemory memory;
    const uint32_t stays = memory.Register(0, 8, ALL);
    const uint32_t old = memory.Register(0, 64, ALL);
    memory.Deregister(old);
    EXPECT_EQ(memory.GetNRegions(), 1U);
    EXPECT_FALSE(memory.Allows(old, 0, 8, READ));
    EXPECT_TRUE(memory.Allows(old, 0, 0, READ)); // 0 bytes need no region
    EXPECT_TRUE(memory.Allows(stays, 0, 8, READ));
    EXPECT_DEATH(memory.Deregister(old), "rdma: Deregister\\(\\) of key .* which no region has");
    EXPECT_DEATH(memory.Deregister(0), "rdma: Deregister\\(\\) of key 0, which no region has");
    // A new region reuses the place, with another key.
    std::set<uint32_t> keys{old};
    for (uint32_t i = 0; i < 255; ++i)
    {
        const uint32_t key = memory.Register(0, 64, ALL);
        EXPECT_TRUE(keys.insert(key).second) << i;
        EXPECT_TRUE(memory.Allows(key, 0, 64, ALL));
        EXPECT_FALSE(memory.Allows(old, 0, 8, READ));
        memory.Deregister(key);
    }
    EXPECT_EQ(memory.GetNRegions(), 1U);
}

TEST(RdmaMemoryTest, Words)
{
    RdmaMemory memory;
    EXPECT_EQ(memory.GetWord(64), 0U);
    memory.SetWord(64, 5);
    memory.SetWord(72, LAST);
    EXPECT_EQ(memory.GetWord(64), 5U);
    EXPECT_EQ(memory.GetWord(72), LAST);
    EXPECT_EQ(memory.GetWord(80), 0U);
    memory.SetWord(64, 0);
    EXPECT_EQ(memory.GetWord(64), 0U);
    EXPECT_EQ(memory.GetWord(72), LAST);
}

} // namespace
} // namespace ns3
