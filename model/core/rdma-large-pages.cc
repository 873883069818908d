/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-large-pages.h"

#include <algorithm>

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

namespace ns3
{

RdmaLargePages::RdmaLargePages()
    : m_first(GetHeapEnd()),
      m_end(m_first)
{
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

} // namespace ns3
