/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-large-pages.h"
#include "rdma-simulator-impl.h"

#include <ns3/boolean.h>
#include <ns3/make-event.h>
#include <ns3/nstime.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <sys/mman.h>
#include <thread>
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
     * \param look called for each new block
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
            Add(look);
        }
        return true;
    }

    /**
     * Uses more of the heap.
     *
     * \param bytes bytes to use
     * \param look called for each new block
     */
    template <typename Look>
    void Use(std::size_t bytes, Look look)
    {
        for (std::size_t used = 0; used < bytes; used += BLOCK)
        {
            Add(look);
        }
    }

    /** \return end of the last memory that is in use */
    uintptr_t GetUsedEnd() const
    {
        uintptr_t end = 0;
        for (const auto& block : m_blocks)
        {
            end = std::max(end, reinterpret_cast<uintptr_t>(block.get()) + BLOCK);
        }
        return end;
    }

  private:
    static constexpr std::size_t BLOCK = 16384;    // below the C library's threshold for mmap()
    static constexpr uint32_t MOST_BLOCKS = 40000; // more than the largest step needs

    template <typename Look>
    void Add(Look look)
    {
        m_blocks.push_back(std::make_unique<char[]>(BLOCK));
        look(m_blocks.back().get());
    }

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

/** \param used end of the heap's memory in use \return resident bytes behind that */
uint64_t
GetReadyBytes(uintptr_t used)
{
    const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    const uintptr_t first = (used + page - 1) / page * page;
    const auto end = reinterpret_cast<uintptr_t>(sbrk(0));
    std::vector<unsigned char> resident((end - first + page - 1) / page);
    if (mincore(reinterpret_cast<void*>(first), end - first, resident.data()) != 0)
    {
        return 0;
    }
    return page * std::count_if(resident.begin(), resident.end(), [](unsigned char one) {
               return (one & 1) != 0;
           });
}

/** \return true if the system provides memory before it is used */
bool
CanPrepare()
{
#ifdef MADV_POPULATE_WRITE
    const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    void* const page =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const bool can = page != MAP_FAILED && madvise(page, bytes, MADV_POPULATE_WRITE) == 0;
    munmap(page, bytes);
    return can;
#else
    return false;
#endif
}

constexpr const char* NONE = "no large pages, or an allocator of another kind";
constexpr int64_t GROWTH = 3 * static_cast<int64_t>(RdmaLargePages::SMALL);

} // namespace

TEST(RdmaLargePages, ASmallHeapStaysAsItIs)
{
    for (const bool prepares : {false, true})
    {
        RdmaLargePages pages;
        if (prepares)
        {
            pages.PrepareInThread();
        }
        pages.CoverGrowth();
        EXPECT_EQ(pages.GetBytes(), 0U);
    }
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
    if (!heap.Grow(GROWTH, [&pages](const void*) { pages.CoverGrowth(); }))
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
        const bool grown = heap.Grow(GROWTH, [&simulator](const void*) {
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

TEST(RdmaLargePages, AThreadPreparesTheEndOfTheHeap)
{
    if (!HasLargePages() || !CanPrepare())
    {
        GTEST_SKIP() << NONE;
    }
    for (const bool prepares : {false, true})
    {
        RdmaLargePages pages;
        if (prepares)
        {
            pages.PrepareInThread();
        }
        Heap heap;
        const auto look = [&pages](const void* block) { pages.CoverGrowth(block); };
        // The heap has just grown by far more than is used of it afterwards and is to be prepared.
        constexpr int64_t BYTES = 5 * static_cast<int64_t>(RdmaLargePages::LEAST_STEP);
        if (!heap.Grow(BYTES, look))
        {
            GTEST_SKIP() << NONE;
        }
        constexpr uint64_t MOST = RdmaLargePages::MOST_AHEAD;
        heap.Use(2 * MOST, look);
        const uintptr_t used = heap.GetUsedEnd();
        constexpr uint64_t LARGE_PAGES = uint64_t{4} << 20; // one or two
        if (!prepares)
        {
            EXPECT_LE(GetReadyBytes(used), LARGE_PAGES);
            continue;
        }
        // The thread has no event to wait for. Ten seconds are a thousand times what it takes.
        for (uint32_t i = 0; i < 1000 && GetReadyBytes(used) < MOST / 2; ++i)
        {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        EXPECT_GE(GetReadyBytes(used), MOST / 2);
        EXPECT_LE(GetReadyBytes(used), MOST + LARGE_PAGES);
        pages.StopPreparing();
    }
}
