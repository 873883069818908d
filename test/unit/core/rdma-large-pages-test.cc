/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-large-pages.h"
#include "rdma-simulator-impl.h"

#include <ns3/boolean.h>
#include <ns3/make-event.h>
#include <ns3/nstime.h>

#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

using namespace ns3;

namespace
{

/** \return bytes of the heap for which large pages are requested */
uint64_t
GetAdvisedBytes()
{
    std::ifstream maps("/proc/self/smaps");
    std::string word;
    bool isHeap = false;
    uint64_t size = 0;
    uint64_t sum = 0;
    while (maps >> word)
    {
        if (word == "Size:")
        {
            maps >> size;
        }
        else if (word.find('-') != std::string::npos && word.back() != ':')
        {
            std::string rest;
            std::getline(maps, rest);
            isHeap = rest.find("[heap]") != std::string::npos;
        }
        else if (word == "hg" && isHeap)
        {
            sum += 1024 * size;
        }
    }
    return sum;
}

/** A heap that grows in small blocks, as the heap of a fabric does. */
class Heap
{
  public:
    /**
     * Makes the heap grow.
     *
     * \param bytes bytes by which the heap grows, at least
     * \param look called after each block
     * \return false if the allocator has no heap of this kind
     */
    template <typename Look>
    bool Grow(int64_t bytes, Look look)
    {
        const char* const first = GetEnd();
        for (uint32_t block = 0; GetEnd() - first < bytes; ++block)
        {
            if (block == MOST_BLOCKS)
            {
                return false;
            }
            m_blocks.push_back(std::make_unique<char[]>(BLOCK));
            look();
        }
        return true;
    }

  private:
    static constexpr std::size_t BLOCK = 16384;    // below the C library's threshold for mmap()
    static constexpr uint32_t MOST_BLOCKS = 40000; // more than the largest step needs

    static char* GetEnd()
    {
        return static_cast<char*>(sbrk(0));
    }

    std::vector<std::unique_ptr<char[]>> m_blocks;
};

/** \return true if the system has large pages on request */
bool
HasLargePages()
{
    std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
    return file.good();
}

constexpr const char* NONE = "no large pages, or an allocator of another kind";
constexpr int64_t GROWTH = 3 * static_cast<int64_t>(RdmaLargePages::SMALL);

} // namespace

TEST(RdmaLargePages, ASmallHeapStaysAsItIs)
{
    RdmaLargePages pages;
    pages.CoverGrowth();
    EXPECT_EQ(pages.GetBytes(), 0U);
}

TEST(RdmaLargePages, ALargeHeapIsAdvisedAsItGrows)
{
    if (!HasLargePages())
    {
        GTEST_SKIP() << NONE;
    }
    const uint64_t before = GetAdvisedBytes();
    RdmaLargePages pages;
    Heap heap;
    if (!heap.Grow(GROWTH, [&pages] { pages.CoverGrowth(); }))
    {
        GTEST_SKIP() << NONE;
    }
    pages.CoverGrowth();
    EXPECT_GE(pages.GetBytes(), static_cast<uint64_t>(GROWTH));
    EXPECT_GE(GetAdvisedBytes(), before + pages.GetBytes() - RdmaLargePages::SMALL);
}

TEST(RdmaLargePages, TheSimulatorFollowsTheHeapUnlessToldNotTo)
{
    if (!HasLargePages())
    {
        GTEST_SKIP() << NONE;
    }
    for (const bool follows : {false, true})
    {
        const auto simulator = CreateObject<RdmaSimulatorImpl>();
        simulator->SetAttribute("LargePages", BooleanValue(follows));
        const uint64_t before = GetAdvisedBytes();
        Heap heap;
        const bool grown = heap.Grow(GROWTH, [&simulator] {
            simulator->ScheduleWithContext(0, Time(0), MakeEvent([] {}));
        });
        if (!grown)
        {
            GTEST_SKIP() << NONE;
        }
        const uint64_t advised = GetAdvisedBytes() - before;
        if (follows)
        {
            EXPECT_GE(advised, static_cast<uint64_t>(GROWTH) / 2);
        }
        else
        {
            EXPECT_EQ(advised, 0U);
        }
        simulator->Destroy();
        simulator->Dispose();
    }
}
