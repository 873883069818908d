/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-large-pages.h"

#include <algorithm>
#include <chrono>
#include <system_error>

#if defined(__linux__) && defined(__GLIBC__)

#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

namespace
{

bool
IsLimited(int resource)
{
    rlimit limit{};
    return getrlimit(resource, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY;
}

bool
MayGrow()
{
    return !IsLimited(RLIMIT_AS) && !IsLimited(RLIMIT_DATA);
}

uintptr_t
GetHeapEnd()
{
    return reinterpret_cast<uintptr_t>(sbrk(0));
}

void
LetHeapGrowBy(uint64_t bytes)
{
    mallopt(M_TOP_PAD, static_cast<int>(bytes));
}

bool
RequestLargePages(uintptr_t begin, uintptr_t end)
{
    const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    const uintptr_t first = (begin + page - 1) / page * page;
    return madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE) == 0;
}

} // namespace

#else

namespace
{

bool
MayGrow()
{
    return false;
}

uintptr_t
GetHeapEnd()
{
    return 0;
}

void
LetHeapGrowBy(uint64_t)
{
}

bool
RequestLargePages(uintptr_t, uintptr_t)
{
    return false;
}

} // namespace

#endif

namespace
{

#if defined(MADV_POPULATE_WRITE) && defined(__GLIBC__)

uintptr_t
GetUsedEnd()
{
    const uintptr_t end = GetHeapEnd(); // first, because the heap may grow in between
    return end - mallinfo2().keepcost;
}

bool
ProvidePages(uintptr_t begin, uintptr_t end)
{
    return madvise(reinterpret_cast<void*>(begin), end - begin, MADV_POPULATE_WRITE) == 0;
}

#else

uintptr_t
GetUsedEnd()
{
    return 0;
}

bool
ProvidePages(uintptr_t, uintptr_t)
{
    return false;
}

#endif

} // namespace

namespace ns3
{

RdmaLargePages::RdmaLargePages()
    : m_first(GetHeapEnd()),
      m_end(m_first)
{
}

RdmaLargePages::~RdmaLargePages()
{
    StopPreparing();
    if (m_thread.joinable())
    {
        m_thread.join();
    }
}

void
RdmaLargePages::CoverGrowth()
{
    const uintptr_t end = GetHeapEnd();
    if (end <= m_end || end - m_first < SMALL || !MayGrow())
    {
        return;
    }
    LetHeapGrowBy(std::clamp<uint64_t>(end - m_first, LEAST_STEP, MOST_STEP));
    if (RequestLargePages(m_end, end))
    {
        m_bytes += end - m_end;
    }
    m_end = end;
}

void
RdmaLargePages::StartPreparing()
{
    if (m_bytes == 0 || m_isStarted)
    {
        return;
    }
    m_isStarted = true;
    try
    {
        m_thread = std::thread([this] { Prepare(); });
    }
    catch (const std::system_error&)
    {
        // The system gives no further thread, and the program waits for its pages.
    }
}

void
RdmaLargePages::Prepare() const
{
    constexpr uint64_t PAGE = uint64_t{2} << 20;
    constexpr std::chrono::milliseconds PAUSE(1); // a fabric takes about 0.5 MB in this time
    uintptr_t ready = 0;                          // end of the pages that Linux has provided
    while (!m_stops)
    {
        const uintptr_t used = GetUsedEnd();
        const uintptr_t end = std::min<uintptr_t>(m_end, used + AHEAD);
        ready = std::max<uintptr_t>(ready, (used + PAGE - 1) / PAGE * PAGE);
        for (; ready + PAGE <= end && !m_stops; ready += PAGE)
        {
            if (!ProvidePages(ready, ready + PAGE))
            {
                return;
            }
        }
        std::this_thread::sleep_for(PAUSE);
    }
}

} // namespace ns3
