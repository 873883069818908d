/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-large-pages.h"

#include <algorithm>
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

#ifdef MADV_POPULATE_WRITE

bool
ProvidePages(uintptr_t begin, uintptr_t end)
{
    return madvise(reinterpret_cast<void*>(begin), end - begin, MADV_POPULATE_WRITE) == 0;
}

#else

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
      m_nextPage(m_first),
      m_end(m_first),
      m_used(m_first)
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
RdmaLargePages::CoverGrowth(const void* object)
{
    const uintptr_t end = GetHeapEnd();
    const auto used = reinterpret_cast<uintptr_t>(object);
    if (used >= m_nextPage && used < end)
    {
        m_nextPage = (used / PAGE + 1) * PAGE;
        const std::lock_guard lock(m_mutex);
        m_used = used;
        m_change.notify_one();
    }
    if (end <= m_end || end - m_first < m_small || !MayGrow())
    {
        return;
    }
    LetHeapGrowBy(std::clamp<uint64_t>(end - m_first, LEAST_STEP, MOST_STEP));
    const bool isRequested = RequestLargePages(m_end, end);
    m_bytes += isRequested ? end - m_end : 0;
    {
        const std::lock_guard lock(m_mutex);
        m_end = end;
        m_change.notify_one();
    }
    if (isRequested && m_small == SMALL_IN_THREAD && !m_hasStarted)
    {
        StartThread();
    }
}

void
RdmaLargePages::StartThread()
{
    m_hasStarted = true;
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
RdmaLargePages::StopPreparing()
{
    m_small = SMALL;
    const std::lock_guard lock(m_mutex);
    m_stops = true;
    m_change.notify_one();
}

void
RdmaLargePages::Prepare()
{
    uintptr_t ready = 0; // end of the pages that Linux has provided
    std::unique_lock lock(m_mutex);
    while (!m_stops)
    {
        const uint64_t ahead = std::clamp<uint64_t>(m_used - m_first, PAGE, MOST_AHEAD);
        ready = std::max<uintptr_t>(ready, (m_used + PAGE - 1) / PAGE * PAGE);
        if (ready + PAGE > std::min<uintptr_t>(m_end, m_used + ahead))
        {
            m_change.wait(lock);
            continue;
        }
        lock.unlock();
        const bool isProvided = ProvidePages(ready, ready + PAGE);
        lock.lock();
        if (!isProvided)
        {
            return;
        }
        ready += PAGE;
    }
}

} // namespace ns3
